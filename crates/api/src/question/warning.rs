//! Warnings about an answer.

use crate::error::TextPosition;
use crate::question::hint::UnknownField;
use logstead_query as query;
use logstead_query::WarningKind;
use serde::Serialize;

/// A warning about an answer.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueryWarning {
    message: String,
    /// The kind of warning, for programs.
    code: WarningCode,
    /// The line in the query, from 1.
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
    /// A query that may have been meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    suggestion: Option<String>,
}

/// The cause of a warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WarningCode {
    /// The query names its own time range: `from` and `to` do not apply.
    RangeInQuery,
    /// The query cannot be parsed, and was searched for as literal text, as `unparsed` requests.
    UnparsedText,
    /// A text looks like a field, but a space follows its operator.
    SpaceAfterOperator,
    /// A part of a text looks like a stage.
    PipeInText,
    /// A text looks like a comparison with a number, but its value is not a number.
    ComparisonAsText,
    /// No message in the range has this field.
    UnknownField,
    /// The query names a logspace that does not exist, or that the caller may not search.
    UnknownLogspace,
    /// There was not enough time to examine everything.
    Unfinished,
    /// A part of the store cannot be read.
    Damaged,
}

impl QueryWarning {
    pub(crate) fn new(code: WarningCode, message: String) -> QueryWarning {
        QueryWarning { message, code, line: None, column: None, end_column: None, suggestion: None }
    }

    pub(crate) fn suggesting(self, suggestion: Option<String>) -> QueryWarning {
        QueryWarning { suggestion, ..self }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn of_range() -> QueryWarning {
        let message = "the query names its own time range, so `from` and `to` are ignored".to_owned();
        QueryWarning::new(WarningCode::RangeInQuery, message)
    }

    pub(crate) fn of_query(warning: query::Warning, text: &str) -> QueryWarning {
        let place = TextPosition::of(warning.span, text);
        let code = match warning.kind {
            WarningKind::UnparsedText => WarningCode::UnparsedText,
            WarningKind::SpaceAfterOperator => WarningCode::SpaceAfterOperator,
            WarningKind::PipeInText => WarningCode::PipeInText,
            WarningKind::ComparisonAsText => WarningCode::ComparisonAsText,
        };
        QueryWarning {
            line: Some(place.line),
            column: Some(place.column),
            end_column: place.end_column,
            suggestion: warning.suggestion,
            ..QueryWarning::new(code, warning.message)
        }
    }

    pub(crate) fn of_field(UnknownField { name, meant }: &UnknownField, otherwise: &str) -> QueryWarning {
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => otherwise.to_owned(),
        };
        let message = format!("no message in this range has a field `{name}`: {hint}");
        QueryWarning::new(WarningCode::UnknownField, message)
    }

    pub(crate) fn of_text(name: &str, meant: &str) -> QueryWarning {
        let message = format!(
            "`{name}` is not a field here, so its comparison was searched for as text: did you mean `{meant}`?"
        );
        QueryWarning::new(WarningCode::ComparisonAsText, message)
    }
}
