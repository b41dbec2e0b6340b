//! How values are stored in columns of the database.

use logstead_record::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A [`Timestamp`] as the database stores it: nanoseconds since 1970.
pub(super) struct Nanos(pub(super) Timestamp);

impl ToSql for Nanos {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.nanos().into())
    }
}

impl FromSql for Nanos {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Nanos> {
        value.as_i64().map(|nanos| Nanos(Timestamp::from_nanos(nanos)))
    }
}

/// A value as the database stores it in a column of text.
pub(super) struct JsonColumn<T>(pub(super) T);

impl<T: Serialize> ToSql for JsonColumn<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0);
        text.map(Into::into).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    }
}

impl<T: DeserializeOwned> FromSql for JsonColumn<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<JsonColumn<T>> {
        serde_json::from_str(value.as_str()?).map(JsonColumn).map_err(FromSqlError::other)
    }
}
