//! Fields in requests, and their values in answers.

use crate::error::{ApiError, Result};
use logstead_answer::CellValue;
use logstead_questions::wire::table::text;
use logstead_record::FieldName;
use serde::Serialize;

/// A value and how many messages have it.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ValueCount {
    value: String,
    count: u64,
}

impl ValueCount {
    pub(crate) fn new(value: &CellValue, count: u64) -> ValueCount {
        ValueCount { value: text(value), count }
    }
}

/// A field by its name.
pub(crate) fn check_field(name: &str, path: &str) -> Result<FieldName> {
    match name.trim() {
        "" => Err(ApiError::bad_request("the name of a field is empty").path(path)),
        name => Ok(FieldName::new(name)),
    }
}
