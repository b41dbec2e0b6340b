//! Errors in the format of RFC 9457: the body of every unsuccessful response.

use crate::problem_type::{ProblemEntry, ProblemType};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use logstead_accounts as accounts;
use logstead_answer::AnswerError;
use logstead_flow::request_id;
use logstead_ingest::encoding::UnpackError;
use logstead_ingest::messages::BodyError;
use logstead_query::{ErrorKind, ParseError};
use serde::Serialize;
use std::ops::Range;

/// The body of every unsuccessful response (`application/problem+json`).
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Problem {
    /// The name of the problem, for programs.
    #[serde(rename = "type")]
    kind: ProblemType,
    /// The type in words.
    title: &'static str,
    status: u16,
    /// The explanation: what happened, where, and what to do.
    detail: String,
    /// The line in the query or document, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line: Option<usize>,
    /// The column, in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    column: Option<usize>,
    /// The column after the last character.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    end_column: Option<usize>,
    /// The line of the query with the error, and below it carets that mark the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "severity>=err AND\n              ^^^")]
    excerpt: Option<String>,
    /// The part of the request: a parameter or header by its name, or a part of the body, such as `limits.rate` or
    /// `routes[2].where`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    path: Option<String>,
    /// Every problem of a document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    problems: Vec<DocumentProblem>,
    /// The id of the request. The response has it in the header `X-Request-Id`, and the server's own log in the lines
    /// about the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    request_id: Option<String>,
    /// The text that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    suggestion: Option<String>,
}

/// One problem of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct DocumentProblem {
    /// The path in the document, such as `routes[2].where`; empty for the whole document.
    path: String,
    /// The explanation: what is wrong and what to do.
    message: String,
    /// The line in the text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line: Option<u32>,
    /// The column, in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    column: Option<u32>,
}

impl From<logstead_config::Problem> for DocumentProblem {
    fn from(problem: logstead_config::Problem) -> DocumentProblem {
        let logstead_config::Problem { path, message, line, column } = problem;
        DocumentProblem { path, message, line, column }
    }
}

/// A position in a text that the caller sent. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextPosition {
    pub line: usize,
    pub column: usize,
    pub end_column: Option<usize>,
}

impl TextPosition {
    /// The position of a span of a text.
    pub(crate) fn of(span: Range<usize>, text: &str) -> TextPosition {
        let error = ParseError { kind: ErrorKind::Syntax, message: String::new(), span, suggestion: None };
        let (line, column, end_column) = error.line_column(text);
        TextPosition { line, column, end_column: Some(end_column) }
    }
}

/// A refusal: the problem, whose type determines the status.
#[derive(Debug)]
pub(crate) struct ApiError {
    problem: Box<Problem>,
    retry_after_seconds: Option<u64>,
}

/// The parts of a refusal for protocols that have their own format for it. Every response of an [`ApiError`] carries
/// it.
#[derive(Clone, Debug)]
pub(crate) struct RefusalDetail {
    pub status: StatusCode,
    pub detail: String,
    pub(crate) retry_after_seconds: Option<u64>,
}

/// The result of a handler.
pub(crate) type Result<T, E = ApiError> = std::result::Result<T, E>;

impl ApiError {
    pub(crate) fn new(kind: ProblemType, detail: impl Into<String>) -> ApiError {
        let ProblemEntry { title, status, .. } = *kind.entry();
        let problem = Problem {
            kind,
            title,
            status: status.as_u16(),
            detail: detail.into(),
            line: None,
            column: None,
            end_column: None,
            excerpt: None,
            path: None,
            problems: Vec::new(),
            request_id: request_id::current().map(|id| id.to_string()),
            suggestion: None,
        };
        ApiError { problem: Box::new(problem), retry_after_seconds: None }
    }

    /// 400 for the query at `path` in a request.
    pub(crate) fn of_query(error: &ParseError, text: &str, path: &str) -> ApiError {
        // The query need not be identified if there is only one.
        let detail = match path {
            "query" => error.message.clone(),
            _ => format!("invalid {path}: {}", error.message),
        };
        let mut refused = ApiError::new(ProblemType::QuerySyntax, detail)
            .path(path)
            .at(TextPosition::of(error.span.clone(), text))
            .suggestion(error.suggestion.clone());
        refused.problem.excerpt = Some(error.excerpt(text));
        refused
    }

    /// 422 with every problem; the first one is also in the body itself.
    pub(crate) fn of_document(problems: Vec<logstead_config::Problem>) -> ApiError {
        let detail = match problems.as_slice() {
            [] => "the document cannot be used".to_owned(),
            [only] => only.to_string(),
            [first, more @ ..] => format!("{first} (and {} more problems)", more.len()),
        };
        let first = problems.first().filter(|problem| !problem.path.is_empty());
        let path = first.map(|problem| problem.path.clone());
        let refused = ApiError::new(ProblemType::InvalidDocument, detail).problems(problems);
        match path {
            Some(path) => refused.path(path),
            None => refused,
        }
    }

    /// Returns the body alone, for responses with additional contents.
    pub(crate) fn into_problem(self) -> Problem {
        *self.problem
    }

    pub(crate) fn detail(&self) -> &str {
        &self.problem.detail
    }

    /// The parts of the error that protocols with a format of their own use.
    pub(crate) fn refusal(&self) -> RefusalDetail {
        RefusalDetail {
            status: self.status(),
            detail: self.problem.detail.clone(),
            retry_after_seconds: self.retry_after_seconds,
        }
    }

    pub(crate) fn is(&self, kind: ProblemType) -> bool {
        self.problem.kind == kind
    }

    fn status(&self) -> StatusCode {
        self.problem.kind.entry().status
    }

    /// 422 for a value that can be read, and is not acceptable.
    pub(crate) fn invalid(detail: impl Into<String>) -> ApiError {
        ApiError::new(ProblemType::InvalidValue, detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> ApiError {
        ApiError::new(ProblemType::NotFound, detail)
    }

    pub(crate) fn forbidden(detail: impl Into<String>) -> ApiError {
        ApiError::new(ProblemType::Forbidden, detail)
    }

    /// An error that callers can only retry; operators find it in the log.
    pub(crate) fn internal(error: impl std::fmt::Display) -> ApiError {
        tracing::error!("a request failed: {error}");
        ApiError::new(ProblemType::Internal, format!("{error}"))
    }

    /// Adds a remark to the error.
    #[must_use]
    pub(crate) fn but(mut self, remark: &str) -> ApiError {
        self.problem.detail = format!("{} ({remark})", self.problem.detail);
        self
    }

    #[must_use]
    pub(crate) fn at(mut self, place: TextPosition) -> ApiError {
        self.problem.line = Some(place.line);
        self.problem.column = Some(place.column);
        self.problem.end_column = place.end_column;
        self
    }

    #[must_use]
    pub(crate) fn path(mut self, path: impl Into<String>) -> ApiError {
        self.problem.path = Some(path.into());
        self
    }

    #[must_use]
    pub(crate) fn suggestion(mut self, suggestion: Option<String>) -> ApiError {
        self.problem.suggestion = suggestion;
        self
    }

    #[must_use]
    pub(crate) fn problems(mut self, problems: Vec<logstead_config::Problem>) -> ApiError {
        self.problem.problems = problems.into_iter().map(DocumentProblem::from).collect();
        self
    }

    #[must_use]
    pub(crate) fn retry_after_seconds(mut self, seconds: u64) -> ApiError {
        self.retry_after_seconds = Some(seconds);
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(mut self) -> Response {
        let refusal = self.refusal();
        // An error found on a thread without a request gets the id of the request that it answers.
        self.problem.request_id =
            self.problem.request_id.or_else(|| request_id::current().map(|id| id.to_string()));
        let status = self.status();
        let mut response = (status, axum::Json(self.problem)).into_response();
        response.extensions_mut().insert(refusal);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"logstead\""));
        }
        response
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> ApiError {
        match error {
            AnswerError::RangeReversed { .. } => ApiError::invalid(error.to_string()).path("from"),
            AnswerError::NoBuckets | AnswerError::TooManyBuckets { .. } => {
                ApiError::invalid(error.to_string())
            }
            AnswerError::Stage(_) => {
                ApiError::new(ProblemType::UnsuitableQuery, error.to_string()).path("query")
            }
            AnswerError::Memory { .. } => {
                let detail = format!("{error}; the limit is the setting limits.query_memory_max");
                ApiError::new(ProblemType::CostlyQuery, detail)
            }
            AnswerError::Cancelled | AnswerError::Unreadable(_) => ApiError::internal(error),
        }
    }
}

impl From<BodyError> for ApiError {
    fn from(refused: BodyError) -> ApiError {
        let kind = match &refused {
            BodyError::Malformed { .. } | BodyError::Packed(UnpackError::Damaged { .. }) => {
                ProblemType::InvalidBody
            }
            BodyError::TooMany { .. }
            | BodyError::TooMuch { .. }
            | BodyError::Packed(UnpackError::TooLong { .. }) => ProblemType::BodyTooLarge,
            BodyError::Packed(UnpackError::Unknown(_)) => ProblemType::UnsupportedMediaType,
        };
        let error = ApiError::new(kind, refused.to_string());
        match refused {
            BodyError::Malformed { place: Some((line, column)), .. } => {
                error.at(TextPosition { line, column, end_column: None })
            }
            _ => error,
        }
    }
}

impl From<accounts::Error> for ApiError {
    fn from(error: accounts::Error) -> ApiError {
        let kind = match error {
            accounts::Error::NoSuchUser(_)
            | accounts::Error::NoSuchSearch(_)
            | accounts::Error::NoSecondFactor => ProblemType::NotFound,
            accounts::Error::OthersSearch { .. } => ProblemType::Forbidden,
            accounts::Error::UserExists(_)
            | accounts::Error::NameTaken(_)
            | accounts::Error::SearchExists { .. }
            | accounts::Error::TokenExists(_) => ProblemType::NameTaken,
            accounts::Error::LastAdmin(_) => ProblemType::LastAdmin,
            accounts::Error::AlreadySetUp => ProblemType::AlreadySetUp,
            accounts::Error::NoEnrolment => ProblemType::NoEnrolment,
            accounts::Error::PasswordElsewhere { .. } => ProblemType::PasswordElsewhere,
            accounts::Error::SecondFactorExists => ProblemType::SecondFactorExists,
            accounts::Error::TooManySearches { .. } => ProblemType::TooMany,
            // The reason was logged when it was first noticed.
            accounts::Error::Full(_) => ProblemType::DiskFull,
            accounts::Error::NotWritable(_) => ProblemType::NotWritable,
            accounts::Error::Open { .. }
            | accounts::Error::Damaged { .. }
            | accounts::Error::Version { .. }
            | accounts::Error::Sqlite(_)
            | accounts::Error::WeakPassword(_)
            | accounts::Error::Witness(_)
            | accounts::Error::Secret(_) => return ApiError::internal(error),
        };
        ApiError::new(kind, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_flow::request_id::{Id, within};

    #[tokio::test]
    async fn a_problem_names_its_request_wherever_it_was_found() {
        let elsewhere = within(Id::from_client(b"a").unwrap(), async {
            tokio::task::spawn_blocking(request_id::carried(|| ApiError::internal("x"))).await
        });
        let problem = serde_json::to_value(elsewhere.await.unwrap().into_problem()).unwrap();
        assert_eq!(problem["request_id"], "a");
        let lost = ApiError::invalid("found where no request is known");
        let response = within(Id::from_client(b"b").unwrap(), async { lost.into_response() }).await;
        let body = axum::body::to_bytes(response.into_body(), 4096).await.unwrap();
        let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(problem["request_id"], "b");
    }
}
