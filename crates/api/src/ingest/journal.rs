//! systemd's journal: `POST /upload` from `systemd-journal-upload`, answered with 202 once all entries are durable.
//!
//! A body is a whole journal, which may be larger than the memory, so entries are stored as they arrive. If it breaks
//! off, the entries before that are stored, and arrive again: the sender continues after the last body that was
//! answered.

use super::incoming::Incoming;
use super::route::ProtocolRoute;
use crate::error::{ApiError, Result};
use crate::extract::{media_type, unsupported};
use crate::problem_type::ProblemType;
use crate::waiting::busy;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use logstead_ingest::journal::{Journal, JournalError};
use logstead_ingest::messages::LIMITS;
use logstead_record::BatchBuilder;
use tokio::sync::Semaphore;

pub(super) const ROUTES: &[ProtocolRoute] = &[ProtocolRoute::new(&["POST"], &["/upload"], || post(upload))];

const MEDIA: &str = "application/vnd.fdo.journal";
/// Limits simultaneous uploads: each holds an entry and a batch in memory.
static UPLOADS: Semaphore = Semaphore::const_new(UPLOADS_MAX);
const UPLOADS_MAX: usize = 64;

async fn upload(incoming: Incoming, body: Body) -> Result<Response> {
    match media_type(&incoming.headers).as_deref() {
        Some(MEDIA) => {}
        other => return Err(unsupported(other, MEDIA)),
    }
    if incoming.headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        let detail = "a compressed journal is not accepted: remove `Compression=` from journal-upload.conf";
        return Err(ApiError::new(ProblemType::UnsupportedMediaType, detail));
    }
    let Ok(_place) = UPLOADS.try_acquire() else { return Err(busy("too many journals are being uploaded")) };
    let mut journal = Journal::new(LIMITS.line_bytes_max);
    let malformed = |malformed: JournalError| ApiError::new(ProblemType::InvalidBody, malformed.to_string());
    incoming
        .store_streamed(body, |bytes, host, builder: &mut BatchBuilder| {
            let mut read = 0;
            let mut done = |entry: &logstead_ingest::journal::JournalEntry| {
                read += entry.bytes();
                entry.push(host.as_bytes(), builder);
            };
            match bytes {
                Some(bytes) => journal.push(bytes, &mut done).map_err(malformed)?,
                None => journal.finish(&mut done).map_err(malformed)?,
            }
            Ok(read)
        })
        .await?;
    Ok((StatusCode::ACCEPTED, "OK.\n").into_response())
}
