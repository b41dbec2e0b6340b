//! Downloads of the files that export jobs have written, whole or in parts.
//!
//! **Invariant:** a response that terminates normally has as many bytes as `Content-Length` says.

use super::calls::{unfinished, visible};
use super::job::ExportedFile;
use crate::access::Call;
use crate::compress::Uncompressed;
use crate::error::{ApiError, Result};
use crate::extract::Path;
use crate::problem_type::ProblemType;
use crate::question::cancel::Cancel;
use crate::stream::{BodyPiece, StreamedBody};
use crate::waiting::{blocking, busy};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use logstead_flow::request_id;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// Length of a piece that is read at a time.
const PIECE_BYTES: u64 = 256 << 10;
/// Maximum number of pieces that wait for a slow client.
const PIECES_MAX: usize = 2;
/// How long a client may pause, because it occupies a place that others could use.
const STALL_MAX: Duration = Duration::from_secs(60);

/// The file of an export job that is done. A download that broke off goes on with `Range`.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/result", operation_id = "download_job_result", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job"),
        ("Range" = Option<String>, Header, description = "The part to send, such as `bytes=1048576-`"),
        ("If-Range" = Option<String>, Header, description = "The `ETag` of the file that `Range` is about"),
    ),
    responses(
        (status = 200, description = "The file", headers(
            ("Accept-Ranges" = String, description = "`bytes`"),
            ("Content-Length" = u64, description = "The length"),
            ("Content-Disposition" = String, description = "The name for the file"),
            ("ETag" = String, description = "The identity of the file"),
        ), content(
            (BTreeMap<String, Value> = "application/x-ndjson"),
            (String = "text/csv"),
            (String = "application/octet-stream"),
            (String = "application/vnd.apache.arrow.stream"),
            (String = "application/vnd.apache.parquet"),
        )),
        (status = 206, description = "The part", headers(
            ("Content-Range" = String, description = "The place of the part in the file"),
        ), content(
            (String = "application/x-ndjson"),
            (String = "text/csv"),
            (String = "application/octet-stream"),
            (String = "application/vnd.apache.arrow.stream"),
            (String = "application/vnd.apache.parquet"),
        )),
    )
)]
pub(crate) async fn download(call: Call, Path(id): Path<String>, headers: HeaderMap) -> Result<Response> {
    let job = visible(&call, &id)?;
    if !job.state.is_final() {
        return Err(unfinished(&job));
    }
    let no_file =
        || ApiError::not_found(format!("job `{id}` has no file: only an export that is done has one"));
    let told: Option<ExportedFile> = job.exported();
    let told = told.ok_or_else(no_file)?;
    let Ok(permit) = call.shared.downloads.clone().try_acquire_owned() else {
        return Err(busy("too many files of exports are being downloaded"));
    };
    let (files, name) = (call.shared.jobs.files.clone(), id.clone());
    let file = blocking(move || files.read(&name)).await?.map_err(|_| no_file())?;
    let tag = format!("\"{id}\"");
    let (status, part) = match wanted(&headers, &tag, told.bytes) {
        WantedPart::Whole => (StatusCode::OK, 0..told.bytes),
        WantedPart::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
        WantedPart::None => return Ok(beyond(told.bytes)),
    };
    let (pieces, received) = mpsc::channel(PIECES_MAX);
    let (_, guard) = Cancel::without_limit(&call.shared);
    tokio::spawn(request_id::followed(send(Arc::new(file), part.clone(), pieces, permit)));
    let mut response = StreamedBody::whole(received, guard).into_response();
    *response.status_mut() = status;
    response.extensions_mut().insert(Uncompressed);
    let of_part = (status == StatusCode::PARTIAL_CONTENT)
        .then(|| (header::CONTENT_RANGE, format!("bytes {}-{}/{}", part.start, part.end - 1, told.bytes)));
    let described = [
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::CONTENT_LENGTH, (part.end - part.start).to_string()),
        (header::CONTENT_TYPE, told.media_type),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", told.name)),
        (header::ETAG, tag),
    ];
    for (name, value) in described.into_iter().chain(of_part) {
        response.headers_mut().extend(HeaderValue::try_from(value).ok().map(|value| (name, value)));
    }
    Ok(response)
}

/// The part of a file that a request asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum WantedPart {
    Whole,
    Part(Range<u64>),
    /// The file does not have it.
    None,
}

/// Reads `Range` and `If-Range`. A range that is not understood is ignored, as RFC 9110 says, and so are several.
fn wanted(headers: &HeaderMap, tag: &str, bytes: u64) -> WantedPart {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if text(header::IF_RANGE).is_some_and(|of| of != tag) {
        return WantedPart::Whole;
    }
    let range = text(header::RANGE).and_then(|range| range.trim().strip_prefix("bytes="));
    let Some((first, last)) = range.and_then(|range| range.split_once('-')) else { return WantedPart::Whole };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(bytes),
        (Some(first), None) if last.trim().is_empty() => first..bytes,
        (None, Some(count)) if first.trim().is_empty() => bytes.saturating_sub(count)..bytes,
        _ => return WantedPart::Whole,
    };
    if part.start < part.end { WantedPart::Part(part) } else { WantedPart::None }
}

/// 416, with the length of the file.
fn beyond(bytes: u64) -> Response {
    let detail = format!("the file has {bytes} bytes: ask for a range within them");
    let mut response = ApiError::new(ProblemType::RangeNotSatisfiable, detail).into_response();
    let place = HeaderValue::try_from(format!("bytes */{bytes}"));
    response.headers_mut().extend(place.ok().map(|place| (header::CONTENT_RANGE, place)));
    response
}

async fn send(
    file: Arc<File>,
    mut part: Range<u64>,
    pieces: mpsc::Sender<BodyPiece>,
    _permit: OwnedSemaphorePermit,
) {
    while !part.is_empty() {
        let Ok(Ok(place)) = tokio::time::timeout(STALL_MAX, pieces.reserve()).await else { return };
        let (file, at) = (file.clone(), part.start);
        let length = PIECE_BYTES.min(part.end - part.start);
        let read = blocking(move || {
            let mut piece = vec![0; usize::try_from(length).unwrap_or_default()];
            file.read_exact_at(&mut piece, at).map(|()| piece)
        });
        match read.await {
            Ok(Ok(piece)) => place.send(BodyPiece::Data(piece.into())),
            Ok(Err(error)) => {
                return tracing::warn!("a download was broken off: the file cannot be read: {error}");
            }
            Err(_) => return,
        }
        part.start += length;
    }
    pieces.send(BodyPiece::End(HeaderMap::new())).await.ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_within_the_file_or_is_refused() {
        let check = |range: &str, if_range: Option<&str>, expected: WantedPart| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, range.parse().unwrap());
            headers.extend(if_range.map(|tag| (header::IF_RANGE, tag.parse().unwrap())));
            assert_eq!(wanted(&headers, "\"a\"", 100), expected, "{range} {if_range:?}");
        };
        check("bytes=0-9", None, WantedPart::Part(0..10));
        check("bytes=90-", None, WantedPart::Part(90..100));
        check("bytes=90-1000", None, WantedPart::Part(90..100));
        check("bytes=-10", None, WantedPart::Part(90..100));
        check("bytes=-1000", None, WantedPart::Part(0..100));
        check("bytes=99-18446744073709551615", None, WantedPart::Part(99..100));
        for beyond in ["bytes=100-", "bytes=100-200", "bytes=-0"] {
            check(beyond, None, WantedPart::None);
        }
        for not_understood in ["bytes=9-0", "bytes=a-b", "bytes=", "bytes=-", "lines=0-9", "bytes=0-1,3-4"] {
            check(not_understood, None, WantedPart::Whole);
        }
        check("bytes=0-9", Some("\"a\""), WantedPart::Part(0..10));
        check("bytes=0-9", Some("\"b\""), WantedPart::Whole);
        assert_eq!(wanted(&HeaderMap::new(), "\"a\"", 0), WantedPart::Whole);
    }
}
