//! Records every answer that tests get, so that `scripts/answers.mjs` can compare all of them with the description of
//! the API. Only if `LOGSTEAD_RECORD_ANSWERS` names a folder.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::{BoxError, Router};
use http_body::{Body as HttpBody, Frame, SizeHint};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Maximum number of bytes of a body that are kept; the answer is then marked as cut.
const BODY_MAX: usize = 64 << 10;

/// The folder for the answers, if they are recorded.
fn folder() -> Option<PathBuf> {
    std::env::var_os("LOGSTEAD_RECORD_ANSWERS").map(PathBuf::from)
}

fn write(folder: &Path, answer: &Value) {
    let path = folder.join(format!("rust-{}.ndjson", std::process::id()));
    let file = OpenOptions::new().create(true).append(true).open(path);
    // Some tests leave the process without files to open: their answers are not compared.
    file.and_then(|mut file| file.write_all(format!("{answer}\n").as_bytes())).ok();
}

/// Records an answer of a server that is a process of its own.
pub fn note(method: &str, answer: &ureq::http::Response<ureq::Body>, body: &str) {
    use ureq::ResponseExt;
    let Some(folder) = folder() else { return };
    let media = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let whole = body.len() <= BODY_MAX;
    write(
        &folder,
        &json!({
            "method": method, "path": answer.get_uri().path(), "status": answer.status().as_u16(), "media": media,
            "whole": whole, "body": if whole { body } else { "" },
        }),
    );
}

/// The application, with its answers recorded if the tests were started for that.
pub fn recorded(app: Router) -> Router {
    let Some(folder) = folder() else { return app };
    app.layer(from_fn(move |request: Request, next: Next| {
        let folder = folder.clone();
        async move {
            let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
            let response = next.run(request).await;
            keep(&folder, &method, &path, response)
        }
    }))
}

fn keep(folder: &Path, method: &str, path: &str, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
    if header(CONTENT_ENCODING).is_some() {
        return Response::from_parts(parts, body);
    }
    let told = json!({
        "method": method, "path": path, "status": parts.status.as_u16(), "media": header(CONTENT_TYPE),
    });
    let folder = folder.to_owned();
    let body = RecordedBody { body, seen: Vec::new(), is_whole: false, told, folder };
    Response::from_parts(parts, Body::new(body))
}

/// A body that is written to a file with the rest of its answer when the test is done with it.
struct RecordedBody {
    body: Body,
    seen: Vec<u8>,
    is_whole: bool,
    told: Value,
    folder: PathBuf,
}

impl HttpBody for RecordedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                let data = frame.data_ref().map(|data| &data[..]).unwrap_or_default();
                let room = (BODY_MAX + 1).saturating_sub(self.seen.len());
                self.seen.extend_from_slice(&data[..data.len().min(room)]);
            }
            Poll::Ready(None) => self.is_whole = true,
            _ => {}
        }
        polled.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

impl Drop for RecordedBody {
    fn drop(&mut self) {
        let is_whole = (self.is_whole || self.body.is_end_stream()) && self.seen.len() <= BODY_MAX;
        self.told["whole"] = is_whole.into();
        self.told["body"] = String::from_utf8_lossy(&self.seen).into();
        write(&self.folder, &self.told);
    }
}
