//! The time of day, read in one place: the parts that decide things take it as an argument.

use logstead_record::Timestamp;
use std::time::SystemTime;

/// Now.
pub(crate) fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}
