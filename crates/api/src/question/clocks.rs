//! Local times in a caller's time zone.

use crate::error::{ApiError, Result};
use jiff::tz::TimeZone;
use logstead_query::Zone;
use logstead_record::Timestamp;

/// The local time of a time zone.
pub(crate) struct Clocks(TimeZone);

impl Clocks {
    /// The local time of the zone with this name; UTC by default.
    pub(crate) fn new(name: Option<&str>) -> Result<Clocks> {
        name.map_or(Ok(TimeZone::UTC), zone).map(Clocks)
    }
}

/// A zone of the system's time zone database, by name.
pub(crate) fn zone(name: &str) -> Result<TimeZone> {
    let unknown = |_| {
        let detail = format!("there is no time zone `{name}`: write it as UTC or Europe/Vienna");
        ApiError::invalid(detail).path("timezone")
    };
    TimeZone::get(name).map_err(unknown)
}

/// Outside the years that the database covers, UTC is used.
impl Zone for Clocks {
    fn instant(&self, local: Timestamp) -> Timestamp {
        moved(local, &TimeZone::UTC, &self.0)
    }

    fn local(&self, instant: Timestamp) -> Timestamp {
        moved(instant, &self.0, &TimeZone::UTC)
    }
}

/// The time at which clocks in the zone `there` show the same as clocks in the zone `here` show at `time`.
fn moved(time: Timestamp, here: &TimeZone, there: &TimeZone) -> Timestamp {
    let Ok(instant) = jiff::Timestamp::from_nanosecond(i128::from(time.nanos())) else { return time };
    let shown = there.to_timestamp(here.to_datetime(instant));
    let nanos = shown.ok().and_then(|shown| i64::try_from(shown.as_nanosecond()).ok());
    nanos.map_or(time, Timestamp::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text.as_bytes()).unwrap()
    }

    #[test]
    fn clocks_show_the_time_of_their_zone() {
        let check = |zone: &str, local: &str, instant: &str| {
            let clocks = Clocks::new(Some(zone)).unwrap();
            assert_eq!(clocks.instant(at(local)), at(instant), "{zone} {local}");
            assert_eq!(clocks.local(at(instant)), at(local), "{zone} {instant}");
        };
        check("UTC", "2026-07-01T10:00:00Z", "2026-07-01T10:00:00Z");
        check("Europe/Vienna", "2026-07-01T10:00:00Z", "2026-07-01T08:00:00Z");
        check("Europe/Vienna", "2026-12-01T10:00:00Z", "2026-12-01T09:00:00Z");
        check("America/New_York", "2026-12-01T20:00:00.5Z", "2026-12-02T01:00:00.5Z");
        assert!(Clocks::new(Some("Atlantis")).is_err());
    }
}
