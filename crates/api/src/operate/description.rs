//! The API description as it is served: to everyone, so that a generator of clients needs only its address.
//!
//! **Invariant:** its bytes are made once, by the first request, and so is their compressed form.

use crate::compress::Uncompressed;
use crate::conditional::{is_known, takes};
use crate::error::{ApiError, Result};
use crate::waiting::blocking;
use axum::body::Bytes;
use axum::extract::Extension;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Arc, OnceLock};

/// The description, as soon as somebody has asked for it.
pub(crate) struct Description {
    /// Builds it. The function is passed in because it needs all handlers.
    build: fn() -> Value,
    /// The path below which a proxy shows the API; empty for none.
    base: String,
    forms: OnceLock<[DescriptionForm; 2]>,
}

/// The bytes of the description in a coding, with their strong entity tag.
struct DescriptionForm {
    coding: Option<&'static str>,
    bytes: Bytes,
    tag: String,
}

impl Description {
    pub(crate) fn new(build: fn() -> Value, base: String) -> Description {
        Description { build, base, forms: OnceLock::new() }
    }

    /// The description without and with compression.
    fn forms(&self) -> &[DescriptionForm; 2] {
        self.forms.get_or_init(|| {
            let mut description = (self.build)();
            // If the API is below a path of a host, programs generated from the description have to know that path.
            if !self.base.is_empty() {
                description["servers"] = json!([{"url": self.base}]);
            }
            let plain = description.to_string().into_bytes();
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(&plain).expect("writing to memory does not fail");
            let gzipped = encoder.finish().expect("writing to memory does not fail");
            [(None, plain), (Some("gzip"), gzipped)].map(|(coding, bytes)| {
                let tag = format!("\"{}\"", blake3::hash(&bytes).to_hex());
                DescriptionForm { coding, bytes: bytes.into(), tag }
            })
        })
    }
}

/// Returns this description. Nobody has to log in for it.
#[utoipa::path(
    get, path = "/api/v1/openapi.json", operation_id = "get_openapi", tag = "system",
    params(("If-None-Match" = Option<String>, Header, description = "The ETag of the known description")),
    responses(
        (status = 200, body = Object, headers(("ETag" = String, description = "A name for these bytes"))),
        (status = 304, description = "The description still has the ETag in If-None-Match"),
    )
)]
pub(crate) async fn openapi_json(
    Extension(description): Extension<Arc<Description>>,
    headers: HeaderMap,
) -> Result<Response> {
    if description.forms.get().is_none() {
        let description = description.clone();
        blocking(move || {
            description.forms();
        })
        .await?;
    }
    let [plain, gzipped] = description.forms();
    let form = if takes(&headers, "gzip") { gzipped } else { plain };
    let tag = HeaderValue::from_str(&form.tag).map_err(ApiError::internal)?;
    let mut response = if is_known(&headers, &form.tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let json = HeaderValue::from_static("application/json");
        let coding = form.coding.map(|coding| (header::CONTENT_ENCODING, HeaderValue::from_static(coding)));
        let mut response = form.bytes.clone().into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response.headers_mut().extend(coding);
        response
    };
    response.extensions_mut().insert(Uncompressed);
    let headers = response.headers_mut();
    headers.insert(header::ETAG, tag);
    headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}
