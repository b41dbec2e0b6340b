//! The formats of a document in requests and responses, and the header `If-Match`.

use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use serde::Deserialize;

/// The format of the response.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FormParams {
    /// The format; `application/toml` in Accept has the same effect.
    #[param(inline)]
    format: Option<DocumentForm>,
}

/// A format of the document.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Form)]
pub(crate) enum DocumentForm {
    /// JSON, for programs.
    Json,
    /// The text as it was written, with comments.
    Toml,
}

impl FormParams {
    /// The format that a request asks for.
    pub(super) fn form(&self, headers: &HeaderMap) -> DocumentForm {
        let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        self.format.unwrap_or(if accept.contains("application/toml") {
            DocumentForm::Toml
        } else {
            DocumentForm::Json
        })
    }
}

pub(super) fn toml(text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/toml; charset=utf-8")], text)
}

/// The entity tag of a revision in a format, for a caller who sees its secrets or not: the bytes differ, so the tags
/// differ. For `If-Match`, all of them name the same revision.
pub(super) fn entity_tag(revision: u64, form: DocumentForm, is_redacted: bool) -> String {
    let form = if form == DocumentForm::Toml { ".toml" } else { "" };
    let redacted = if is_redacted { ".redacted" } else { "" };
    format!("\"{revision}{form}{redacted}\"")
}

/// The revisions that an `If-Match` header names.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum ExpectedRevisions {
    /// Any revision (`*`).
    Any,
    /// One of these.
    Of(Vec<u64>),
}

impl ExpectedRevisions {
    /// Whether a revision is one of them.
    pub(super) fn has(&self, revision: u64) -> bool {
        match self {
            ExpectedRevisions::Any => true,
            ExpectedRevisions::Of(revisions) => revisions.contains(&revision),
        }
    }
}

/// The revisions that the header If-Match names; `None` without it.
///
/// Modified tags are accepted: a proxy that compresses responses makes them weak (`W/"7"`) or adds to them
/// (`"7-gzip"`), and an edit is based on the same document in any format.
pub(super) fn if_match(headers: &HeaderMap) -> Result<Option<ExpectedRevisions>> {
    let (mut revisions, mut is_any, mut is_there) = (Vec::new(), false, false);
    for value in headers.get_all(header::IF_MATCH) {
        is_there = true;
        let text = value.to_str().unwrap_or_default();
        for tag in text.split(',').map(str::trim) {
            match revision_of(tag) {
                Some(revision) => revisions.push(revision),
                None if tag == "*" => is_any = true,
                None => {
                    let detail = format!(
                        "If-Match `{text}` names no revision: send the ETag of the document, such as \"7\", or *"
                    );
                    return Err(ApiError::new(ProblemType::InvalidHeader, detail).path("If-Match"));
                }
            }
        }
    }
    Ok(is_there.then_some(if is_any { ExpectedRevisions::Any } else { ExpectedRevisions::Of(revisions) }))
}

/// The revision in an entity tag.
fn revision_of(tag: &str) -> Option<u64> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let inside = tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(tag);
    let digits = inside.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(inside.len());
    let is_ours = matches!(inside.as_bytes().get(digits), None | Some(b'.' | b'-' | b';' | b':'));
    inside.get(..digits)?.parse().ok().filter(|_| is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditional::is_known;

    fn check(value: &'static str, expected: Option<ExpectedRevisions>) {
        let headers = HeaderMap::from_iter([(header::IF_MATCH, value.parse().unwrap())]);
        assert_eq!(if_match(&headers).ok(), expected.map(Some), "{value}");
    }

    #[test]
    fn if_match_names_revisions_however_their_tags_come_back() {
        for one in ["\"7\"", "7", "W/\"7\"", "\"7-gzip\"", "\"7.toml\"", "W/\"7.toml-br\"", " \"7\" "] {
            check(one, Some(ExpectedRevisions::Of(vec![7])));
        }
        check("\"5\", W/\"7.toml\"", Some(ExpectedRevisions::Of(vec![5, 7])));
        check("*", Some(ExpectedRevisions::Any));
        for none in ["\"x\"", "", "\"7x\"", "\"\"", "\"7\", x", "-7", "W/"] {
            check(none, None);
        }
        assert_eq!(if_match(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn each_form_has_a_tag_of_its_own_and_whoever_has_it_is_known() {
        let tags = [
            (DocumentForm::Json, false),
            (DocumentForm::Toml, false),
            (DocumentForm::Json, true),
            (DocumentForm::Toml, true),
        ]
        .map(|(form, redacted)| entity_tag(7, form, redacted));
        for (at, tag) in tags.iter().enumerate() {
            assert_eq!(tags.iter().position(|other| other == tag), Some(at));
            assert_eq!(revision_of(tag), Some(7));
            let known = |value: &str| {
                is_known(&HeaderMap::from_iter([(header::IF_NONE_MATCH, value.parse().unwrap())]), tag)
            };
            assert!(known(tag) && known(&format!("\"x\", W/{tag}")) && known("*"));
            assert!(!known("\"8\"") && !known(&tags[(at + 1) % 4]));
        }
    }
}
