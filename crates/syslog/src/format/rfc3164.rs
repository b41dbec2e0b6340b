//! RFC 3164: `<PRI>Mmm dd hh:mm:ss HOST TAG[PID]: MSG`, with the stamps and gaps that occur in practice.
//!
//! **Invariant:** without a stamp the first words of a text are not a host and a program: the host is then the
//! peer and all of the text is the message.

use super::frame::{FrameContext, FrameText, set_message, text_row};
use super::stamp::{self, Clock};
use super::tag::{is_pid, tag, take_tag};
use super::word::{behind_spaces, is_host, priority, selector};
use super::{cisco, elff, tags, vendor};
use logstead_record::{BatchBuilder, Field, Flags, HeadForm, Row};

/// Reads a frame; `None` without a valid `<PRI>`. Fields in the head are added to the builder.
pub(super) fn parse<'a>(
    frame: FrameText<'a>,
    known: FrameContext<'a>,
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) -> Option<Row<'a>> {
    let text = frame.text;
    let (priority, start) = priority(text, frame.start)?;
    let mut row =
        Row { priority: Some(priority), flags: known.flags, ..text_row(frame) }.with(Field::Host, known.peer);
    match stamped(&mut row, text, start, clock) {
        Some(at) if elff::is_behind(text, at) => elff::fill(&mut row, text, start, at, clock),
        Some(at) => behind_stamp(&mut row, text, at, clock, builder),
        None => unusual(&mut row, text, start, clock, builder),
    }
    Some(row)
}

/// Sets the time from the stamp at `start`, if it is valid, and returns the position after it.
fn stamped(row: &mut Row<'_>, text: &[u8], start: usize, clock: Clock<'_>) -> Option<usize> {
    let (time, end) = stamp::any(text, start, clock)?;
    let at = behind_gap(text, end)?;
    row.time = time;
    row.flags = row.flags.with(stamp::flags(time));
    Some(at)
}

/// Reads a text without a stamp directly after the priority.
#[cold]
fn unusual<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    start: usize,
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) {
    let at = behind_spaces(text, start);
    let behind_version = behind_version(text, at);
    let starts = [Some(at), behind_version, stamp::behind_weekday(text, at)];
    let mut starts = starts.into_iter().flatten();
    if let Some((start, at)) = starts.find_map(|start| stamped(row, text, start, clock).map(|at| (start, at)))
    {
        if elff::is_behind(text, at) {
            return elff::fill(row, text, start, at, clock);
        }
        behind_stamp(row, text, at, clock, builder);
    } else if let Some((time, end)) = stamp::epoch(text, behind_version.unwrap_or(at)) {
        row.time = Some(time);
        let at = behind_spaces(text, end);
        if behind_version.is_none() {
            return behind_stamp(row, text, at, clock, builder);
        }
        let at = take_host(row, text, at);
        vendor::meraki(row, text, at);
    } else if let Some(head) = cisco::head(text, at, clock) {
        head.fill(row, text, false, builder);
    } else if tag(&text[start..]).is_some_and(|(_, pid)| is_pid(pid))
        && let Some(at) = take_tag(row, text, start)
    {
        set_message(row, text, at);
    } else {
        row.flags = row.flags.with(Flags::UNPARSED);
        set_message(row, text, start);
    }
}

/// Reads the host and the tag, which follow the stamp.
pub(super) fn behind_stamp<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    at: usize,
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) {
    // FreeBSD's syslogd with `-vv`, and so Citrix ADC: `<local0.info> ` before the host.
    let selector = if text.get(at) == Some(&b'<') { selector(text, at) } else { None };
    let host_at = selector.map_or(at, |(_, behind)| behind);
    row.priority = row.priority.or(selector.map(|(priority, _)| priority));
    let at = take_host(row, text, host_at);
    // FTD and some ASA put two spaces here.
    if cisco::may_begin(text, behind_spaces(text, at))
        && let Some(head) = cisco::head(text, at, clock)
    {
        return head.fill(row, text, host_at < at, builder);
    }
    row.head_form = HeadForm::Rfc3164;
    let tagged = take_tag(row, text, at).or_else(|| take_tag_behind_severity(row, text, at));
    let at = tagged.or_else(|| tags::take(row, text, at, builder)).unwrap_or(at);
    set_message(row, text, at);
    match row[Field::Message].first() {
        Some(b'%') => row.fields_behind += vendor::mnemonic(row[Field::Message], builder),
        Some(b'M') if row[Field::Program].is_empty() => {
            row[Field::Program] = vendor::tabbed(row[Field::Message]).unwrap_or_default();
        }
        _ => {}
    }
}

/// The position of the text after a stamp. A stamp ends at a space, at a colon and a space, or with the text.
fn behind_gap(text: &[u8], at: usize) -> Option<usize> {
    let at = if text.get(at) == Some(&b':') { at + 1 } else { at };
    match text.get(at) {
        None => Some(at),
        Some(b' ') => Some(behind_spaces(text, at)),
        Some(_) => None,
    }
}

/// The position after `1 ` in place of a stamp: the version of RFC 5424, although the rest of the head is not in that
/// format.
fn behind_version(text: &[u8], at: usize) -> Option<usize> {
    matches!(text.get(at..at + 2)?, [b'1'..=b'9', b' ']).then_some(at + 2)
}

/// Sets the host, unless the tag or the message begins here; returns the position after it.
fn take_host<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize) -> usize {
    let rest = &text[at..];
    let Some(end) = memchr::memchr2(b' ', b'\t', rest) else { return at };
    let host = &rest[..end];
    if host.ends_with(b":") || !is_host(host) || tags::is_adc_node(host, &rest[end..]) {
        return at;
    }
    if host == b"Message"
        && let Some((host, at)) = vendor::forwarded_from(text, at)
    {
        row[Field::Host] = host;
        return at;
    }
    row[Field::Host] = host;
    at + end + 1
}

/// Sets the tag after the name of a severity, if a process id shows that it is not ordinary text.
fn take_tag_behind_severity<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize) -> Option<usize> {
    let mut tagged = *row;
    let at = take_tag(&mut tagged, text, vendor::behind_severity(text, at)?)?;
    (!tagged[Field::Pid].is_empty()).then(|| {
        *row = tagged;
        at
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, parse_as};
    use logstead_config::SourceFormat;
    use logstead_record::Flags;

    #[test]
    fn the_classic_form_is_read_and_its_head_is_not_stored() {
        let frame = "<34>Oct  1 22:14:15 mymachine su[230]: 'su root' failed";
        check(frame, ["2026-10-01T22:14:15Z", "34", "mymachine", "su", "230", "", "'su root' failed"]);
        assert!(parse_as(SourceFormat::Auto, "UTC", frame.as_bytes()).columns().head().bytes().is_empty());
    }

    #[test]
    fn stamps_vary() {
        for stamp in [
            "Nov  5 12:00:00", "Nov 5 12:00:00", "Nov 05 12:00:00", "nov  5 12:00:00", "Nov  5 2026 12:00:00",
        ] {
            let time = "2026-11-05T12:00:00Z";
            check(&format!("<13>{stamp} h p: m"), [time, "13", "h", "p", "", "", "m"]);
        }
        check("<13>Nov  5 12:00:00.25 h p: m", ["2026-11-05T12:00:00.250Z", "13", "h", "p", "", "", "m"]);
        check("<13>2026-11-05T12:00:00+01:00 h p: m", ["2026-11-05T11:00:00Z", "13", "h", "p", "", "", "m"]);
    }

    #[test]
    fn the_year_is_the_one_that_fits_the_time_of_receipt() {
        check("<13>Dec 31 23:59:59 h p: m", ["2025-12-31T23:59:59Z", "13", "h", "p", "", "", "m"]);
        check("<13>Dec 20 23:59:59 h p: m", ["2026-12-20T23:59:59Z", "13", "h", "p", "", "", "m"]);
        check("<13>Jan  1 00:00:00 h p: m", ["2026-01-01T00:00:00Z", "13", "h", "p", "", "", "m"]);
        check("<13>Feb 29 00:00:00 h p: m", ["2024-02-29T00:00:00Z", "13", "h", "p", "", "", "m"]);
    }

    #[test]
    fn a_stamp_without_a_zone_is_in_the_zone_of_its_source_on_that_day() {
        let time = |stamp: &str| {
            let frame = format!("<13>{stamp} h p: m");
            parse_as(SourceFormat::Auto, "Europe/Budapest", frame.as_bytes()).time(0).to_string()
        };
        assert_eq!(time("Nov 20 12:00:00"), "2026-11-20T11:00:00Z");
        assert_eq!(time("Jul 20 12:00:00"), "2026-07-20T10:00:00Z");
    }

    #[test]
    fn missing_parts_are_not_made_up() {
        check("<13>Nov  5 12:00:00 su[1]: m", ["2026-11-05T12:00:00Z", "13", "10.0.0.9", "su", "1", "", "m"]);
        check(
            "<13>Nov  5 12:00:00 h just words",
            ["2026-11-05T12:00:00Z", "13", "h", "", "", "", "just words"],
        );
        check("<13>Nov  5 12:00:00 h k=v: x", ["2026-11-05T12:00:00Z", "13", "h", "", "", "", "k=v: x"]);
        check("<13>Nov  5 12:00:00", ["2026-11-05T12:00:00Z", "13", "10.0.0.9", "", "", "", ""]);
        check(
            "<13>connection from nowhere: x",
            ["-", "13", "10.0.0.9", "", "", "", "connection from nowhere: x"],
        );
        check("<13>Nov 31 12:00:00 h p: m", ["-", "13", "h", "p", "", "", "m"]);
        let batch = parse_as(SourceFormat::Auto, "UTC", b"<13>no stamp");
        assert!(batch.flags(0).has(Flags::UNPARSED));
    }
}
