//! The time of day, read in one place: code that makes decisions takes it as an argument.

use logstead_record::Timestamp;
use std::time::SystemTime;

/// Now.
pub(crate) fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}
