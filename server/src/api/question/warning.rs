//! Warnings about an answer.

use crate::api::error::Place;
use crate::api::question::hint::UnknownField;
use logstead_record::query;
use serde::Serialize;

/// A warning about an answer.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueryWarning {
    message: String,
    /// The kind of warning, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<WarningCode>,
    /// Where in the query, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line: Option<usize>,
    /// In characters, from 1.
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

/// What a warning is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WarningCode {
    /// The query names its own time range: `from` and `to` do not apply.
    RangeInQuery,
}

impl QueryWarning {
    pub(in crate::api) fn plain(message: String) -> QueryWarning {
        QueryWarning { message, code: None, line: None, column: None, end_column: None, suggestion: None }
    }

    pub(in crate::api) fn suggesting(self, suggestion: Option<String>) -> QueryWarning {
        QueryWarning { suggestion, ..self }
    }

    pub(in crate::api) fn message(&self) -> &str {
        &self.message
    }

    pub(in crate::api) fn of_range() -> QueryWarning {
        let message = "the query names its own time range: `from` and `to` do not apply".to_owned();
        QueryWarning { code: Some(WarningCode::RangeInQuery), ..QueryWarning::plain(message) }
    }

    pub(in crate::api) fn of_query(warning: query::Warning, text: &str) -> QueryWarning {
        let place = Place::of(warning.span, text);
        QueryWarning {
            line: Some(place.line),
            column: Some(place.column),
            end_column: place.end_column,
            suggestion: warning.suggestion,
            ..QueryWarning::plain(warning.message)
        }
    }

    pub(in crate::api) fn of_field(
        UnknownField { name, meant }: &UnknownField,
        otherwise: &str,
    ) -> QueryWarning {
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => otherwise.to_owned(),
        };
        QueryWarning::plain(format!("no message in this range has a field `{name}`: {hint}"))
    }

    pub(in crate::api) fn of_text(name: &str, meant: &str) -> QueryWarning {
        let message = format!(
            "`{name}` is not a field here, so its comparison was searched for as text: did you mean `{meant}`?"
        );
        QueryWarning::plain(message)
    }
}
