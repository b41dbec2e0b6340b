//! The time of day, read in one place: the parts that decide things take it as an argument.

use logstead_record::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Now.
pub(crate) fn now() -> Timestamp {
    timestamp(SystemTime::now())
}

/// A time as the system says it.
pub(crate) fn timestamp(time: SystemTime) -> Timestamp {
    let nanos = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN + 1, |nanos| -nanos),
    };
    Timestamp::from_nanos(nanos)
}
