//! The forms of a document in requests and answers, and the header `If-Match`.

use crate::api::error::{ApiError, Result};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use serde::Deserialize;

/// The form of the answer.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormParams {
    /// `application/toml` in Accept has the same effect.
    #[param(inline)]
    format: Option<Form>,
}

/// A form of the document.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// For programs.
    Json,
    /// As it was written, with comments.
    Toml,
}

impl FormParams {
    /// The form that a request asks for.
    pub(super) fn form(&self, headers: &HeaderMap) -> Form {
        let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        self.format.unwrap_or(if accept.contains("application/toml") { Form::Toml } else { Form::Json })
    }
}

pub(super) fn toml(text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/toml; charset=utf-8")], text)
}

pub(super) fn entity_tag(revision: u64) -> String {
    format!("\"{revision}\"")
}

/// The revision that the header If-Match names: `None` without the header, `Some(None)` for any (`*`).
pub(super) fn if_match(headers: &HeaderMap) -> Result<Option<Option<u64>>> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    let number = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    match number.parse() {
        Ok(number) => Ok(Some(Some(number))),
        Err(_) if text == "*" => Ok(Some(None)),
        Err(_) => {
            Err(ApiError::bad_request(format!("If-Match `{text}` is not a revision: send \"7\" for the 7th")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &'static str, expected: Option<Option<u64>>) {
        let headers = HeaderMap::from_iter([(header::IF_MATCH, value.parse().unwrap())]);
        assert_eq!(if_match(&headers).ok(), expected.map(Some), "{value}");
    }

    #[test]
    fn if_match_names_a_revision() {
        check("\"7\"", Some(Some(7)));
        check("7", Some(Some(7)));
        check("*", Some(None));
        check("\"x\"", None);
        check("", None);
        assert_eq!(if_match(&HeaderMap::new()).unwrap(), None);
    }
}
