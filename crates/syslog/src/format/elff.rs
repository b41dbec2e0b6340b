//! A line of a proxy's extended log, as Blue Coat's ProxySG sends it without a head: `2026-11-20 08:00:00 306 10.0.0.4 200
//! TCP_HIT …`.
//!
//! After date and time come the duration of the request and the client; there is no host and no tag. The operator
//! chooses the columns that follow, and their names are not in the line.
//!
//! **Invariant:** such a line has no host, and its time is in UTC, as the format demands.

use super::frame::set_message;
use super::stamp::{self, Clock};
use super::word::token;
use jiff::tz::TimeZone;
use logstead_record::Row;
use std::net::IpAddr;

/// The maximum number of digits of a request's duration in milliseconds.
const TAKEN_DIGITS_MAX: usize = 9;

/// Whether a number and an address follow the stamp.
#[inline]
pub(super) fn is_behind(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(u8::is_ascii_digit) && is_taken_and_client(text, at)
}

fn is_taken_and_client(text: &[u8], at: usize) -> bool {
    let Some((taken, at)) = token(text, at) else { return false };
    let is_number = taken.len() <= TAKEN_DIGITS_MAX && taken.iter().all(u8::is_ascii_digit);
    let client = token(text, at).filter(|_| is_number).and_then(|(word, _)| std::str::from_utf8(word).ok());
    client.is_some_and(|client| client.parse::<IpAddr>().is_ok())
}

/// Sets the time from the stamp at `stamp_at`, and the message, which begins at `message_at`.
#[cold]
pub(super) fn fill<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    stamp_at: usize,
    message_at: usize,
    clock: Clock<'_>,
) {
    let clock = Clock { zone: &TimeZone::UTC, ..clock };
    row.time = stamp::read(text, stamp_at, clock).map(|(time, _)| time);
    set_message(row, text, message_at);
}
