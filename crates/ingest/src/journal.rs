//! systemd's journal, as `systemd-journal-upload` sends it: the journal export format.
//!
//! | bytes                                    | are                                             |
//! |------------------------------------------|-------------------------------------------------|
//! | `NAME=value\n`                           | a field whose value has no control characters   |
//! | `NAME\n`, u64 LE length, value, `\n`     | a field of any bytes                            |
//! | `\n`                                     | the end of an entry                             |
//!
//! | field                                                   | becomes                                    |
//! |---------------------------------------------------------|--------------------------------------------|
//! | `MESSAGE`, `_HOSTNAME`                                  | message, host                              |
//! | `SYSLOG_IDENTIFIER`, else `_COMM`                       | program                                    |
//! | `SYSLOG_PID`, else `_PID`                               | process id                                 |
//! | `PRIORITY`, `SYSLOG_FACILITY`                           | severity, facility                         |
//! | `_SOURCE_REALTIME_TIMESTAMP`, else `__REALTIME_TIMESTAMP` | time                                     |
//! | `MESSAGE_ID`                                            | message id                                 |
//! | any other                                               | a field with its name                      |
//!
//! A body is a whole journal of any length. It is read as it arrives, and only one entry of it is kept.
//!
//! **Invariant:** the raw bytes of a row are those of its entry, without the empty line behind it. If an entry is too
//! long, they are those of the fields that fit, and it is flagged.

use logstead_record::{BatchBuilder, Facility, Field, Flags, Priority, Row, Severity, Timestamp};
use logstead_syslog::format::fields::FieldWriter;
use std::mem::take;
use std::ops::Range;

/// The maximum length of a field's name, with a margin: the journal itself allows 64.
const NAME_BYTES_MAX: usize = 256;
const LENGTH_BYTES: usize = 8;
const USER: Facility = Facility::new(1).expect("1 is a facility");

/// The reason why bytes are not a journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JournalError {
    /// A line is neither a field nor the name of one.
    #[error("entry {entry}: a line is neither `NAME=value` nor the name of a binary field")]
    Line {
        /// The number, counted from 1.
        entry: usize,
    },
    /// A binary value is not followed by a newline.
    #[error("entry {entry}: a binary value does not end where it says")]
    Length {
        /// The number, counted from 1.
        entry: usize,
    },
    /// The body ends in the middle of a field.
    #[error("entry {entry}: the body ends in the middle of a field")]
    Cut {
        /// The number, counted from 1.
        entry: usize,
    },
}

/// Finds entries in bytes that arrive in pieces.
pub struct Journal {
    entry_bytes_max: usize,
    /// The bytes that have arrived and are not a field yet.
    pending: Vec<u8>,
    entry: JournalEntry,
    /// The rest of a field that is too long.
    skip: SkipState,
    /// The number of entries before this one.
    entries: usize,
}

/// An entry: its bytes, and the ranges of its fields.
#[derive(Default)]
pub struct JournalEntry {
    raw: Vec<u8>,
    fields: Vec<(Range<usize>, Range<usize>)>,
    is_cut: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SkipState {
    Nothing,
    Line,
    Bytes(u64),
    /// The newline after a binary value.
    Newline,
}

/// The element that the pending bytes begin with.
enum EntryStart {
    End,
    Text {
        name: usize,
        bytes: usize,
    },
    Binary {
        name: usize,
        length: u64,
    },
    /// A text that is too long.
    LongText {
        name: usize,
    },
    Unknown,
}

impl Journal {
    /// A reader for entries of up to this length.
    pub fn new(entry_bytes_max: usize) -> Journal {
        let (pending, entry) = Default::default();
        Journal { entry_bytes_max, pending, entry, skip: SkipState::Nothing, entries: 0 }
    }

    /// Takes the next bytes, and passes on the entries that are complete.
    pub fn push(&mut self, bytes: &[u8], done: &mut impl FnMut(&JournalEntry)) -> Result<(), JournalError> {
        self.pending.extend_from_slice(bytes);
        let pending = take(&mut self.pending);
        let mut rest = &pending[..];
        while let Some(taken) = self.step(rest, done)? {
            rest = &rest[taken..];
        }
        self.pending.extend_from_slice(rest);
        Ok(())
    }

    /// Called at the end: passes on the last entry, which needs no empty line after it.
    pub fn finish(&mut self, done: &mut impl FnMut(&JournalEntry)) -> Result<(), JournalError> {
        if !self.pending.is_empty() || self.skip != SkipState::Nothing {
            return Err(JournalError::Cut { entry: self.entries + 1 });
        }
        self.end_entry(done);
        Ok(())
    }

    /// The number of bytes that are kept until their entry is complete.
    pub fn waiting_bytes(&self) -> usize {
        self.pending.len() + self.entry.raw.len()
    }

    /// The number of bytes of the rest that this step consumes; `None` if more bytes are needed.
    fn step(
        &mut self,
        rest: &[u8],
        done: &mut impl FnMut(&JournalEntry),
    ) -> Result<Option<usize>, JournalError> {
        if rest.is_empty() {
            return Ok(None);
        }
        let entry = self.entries + 1;
        match self.skip {
            SkipState::Line => {
                let end = memchr::memchr(b'\n', rest);
                if end.is_some() {
                    self.skip = SkipState::Nothing;
                }
                return Ok(Some(end.map_or(rest.len(), |end| end + 1)));
            }
            SkipState::Bytes(bytes) => {
                let taken = usize::try_from(bytes).unwrap_or(usize::MAX).min(rest.len());
                let left = bytes - taken as u64;
                self.skip = if left == 0 { SkipState::Newline } else { SkipState::Bytes(left) };
                return Ok(Some(taken));
            }
            SkipState::Newline if rest[0] == b'\n' => {
                self.skip = SkipState::Nothing;
                return Ok(Some(1));
            }
            SkipState::Newline => return Err(JournalError::Length { entry }),
            SkipState::Nothing => {}
        }
        let room = self.entry_bytes_max.saturating_sub(self.entry.raw.len());
        match begin(rest, room).ok_or(JournalError::Line { entry })? {
            EntryStart::Unknown => Ok(None),
            EntryStart::End => {
                self.end_entry(done);
                Ok(Some(1))
            }
            EntryStart::Text { name, bytes } if bytes < room => {
                let value = name + 1..bytes;
                self.entry.add(&rest[..=bytes], 0..name, value);
                Ok(Some(bytes + 1))
            }
            EntryStart::Text { name, .. } | EntryStart::LongText { name } => {
                let taken = self.cut(rest, name, name + 1, room);
                self.skip = SkipState::Line;
                Ok(Some(taken))
            }
            EntryStart::Binary { name, length } => {
                let start = name + 1 + LENGTH_BYTES;
                let whole = usize::try_from(length).ok().and_then(|length| length.checked_add(start + 1));
                if let Some(whole) = whole.filter(|whole| *whole <= room) {
                    let Some(field) = rest.get(..whole) else { return Ok(None) };
                    if field.last() != Some(&b'\n') {
                        return Err(JournalError::Length { entry });
                    }
                    self.entry.add(field, 0..name, start..whole - 1);
                    return Ok(Some(whole));
                }
                if rest.len() < room && (rest.len() - start) as u64 <= length {
                    // If the field is the message, the part that fits is kept.
                    return Ok(None);
                }
                let taken = self.cut(rest, name, start, room);
                let left = length - (taken - start) as u64;
                self.skip = if left == 0 { SkipState::Newline } else { SkipState::Bytes(left) };
                Ok(Some(taken))
            }
        }
    }

    /// Keeps the part of a message that fits, and nothing of other fields; returns the number of bytes.
    fn cut(&mut self, rest: &[u8], name: usize, start: usize, room: usize) -> usize {
        self.entry.is_cut = true;
        let end = room.min(rest.len());
        if &rest[..name] == b"MESSAGE" && start < end {
            self.entry.add(&rest[..end], 0..name, start..end);
            return end;
        }
        start
    }

    fn end_entry(&mut self, done: &mut impl FnMut(&JournalEntry)) {
        if !self.entry.raw.is_empty() || self.entry.is_cut {
            self.entries += 1;
            done(&self.entry);
            self.entry.clear();
        }
    }
}

/// Recognises the element that begins here; `None` if more bytes are needed. A field of up to `room` bytes is never
/// taken for too long.
fn begin(rest: &[u8], room: usize) -> Option<EntryStart> {
    if rest[0] == b'\n' {
        return Some(EntryStart::End);
    }
    let head = &rest[..rest.len().min(NAME_BYTES_MAX + 1)];
    let Some(name) = head.iter().position(|byte| matches!(byte, b'=' | b'\n')) else {
        return (head.len() <= NAME_BYTES_MAX).then_some(EntryStart::Unknown);
    };
    if name == 0 {
        return None;
    }
    if rest[name] == b'=' {
        let end = memchr::memchr(b'\n', rest);
        return Some(match end {
            Some(bytes) => EntryStart::Text { name, bytes },
            None if room < rest.len() && NAME_BYTES_MAX < rest.len() => EntryStart::LongText { name },
            None => EntryStart::Unknown,
        });
    }
    let length = rest.get(name + 1..).and_then(|rest| rest.first_chunk::<LENGTH_BYTES>());
    Some(length.map_or(EntryStart::Unknown, |length| EntryStart::Binary {
        name,
        length: u64::from_le_bytes(*length),
    }))
}

impl JournalEntry {
    /// Clears the entry, and keeps its memory for the next one.
    fn clear(&mut self) {
        self.raw.clear();
        self.fields.clear();
        self.is_cut = false;
    }

    fn add(&mut self, field: &[u8], name: Range<usize>, value: Range<usize>) {
        let at = self.raw.len();
        self.raw.extend_from_slice(field);
        self.fields.push((name.start + at..name.end + at, value.start + at..value.end + at));
    }

    /// Its length.
    pub fn bytes(&self) -> usize {
        self.raw.len()
    }

    /// The first value of the first of these fields that exists.
    fn first(&self, names: &[&str]) -> Option<Range<usize>> {
        names.iter().find_map(|name| {
            let same = |(found, value): &&(Range<usize>, Range<usize>)| {
                &self.raw[found.clone()] == name.as_bytes() && !value.is_empty()
            };
            self.fields.iter().find(same).map(|(_, value)| value.clone())
        })
    }

    fn read<T>(&self, names: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<(T, Range<usize>)> {
        let at = self.first(names)?;
        let text = str::from_utf8(&self.raw[at.clone()]).ok()?;
        read(text).map(|value| (value, at))
    }

    /// Adds the entry as a row. `host` is used if the entry names none.
    pub fn push(&self, host: &[u8], builder: &mut BatchBuilder) {
        let micros = |text: &str| text.parse::<i64>().ok()?.checked_mul(1000).map(Timestamp::from_nanos);
        let time = self
            .read(&["_SOURCE_REALTIME_TIMESTAMP"], micros)
            .or_else(|| self.read(&["__REALTIME_TIMESTAMP"], micros));
        let severity = self.read(&["PRIORITY"], |text| text.parse::<Severity>().ok());
        let facility = self.read(&["SYSLOG_FACILITY"], |text| text.parse::<Facility>().ok());
        let priority = severity.as_ref().map(|(severity, _)| {
            Priority::of(facility.as_ref().map_or(USER, |(facility, _)| *facility), *severity)
        });
        let message = self.first(&["MESSAGE"]);
        let host_at = self.first(&["_HOSTNAME"]);
        let program = self.first(&["SYSLOG_IDENTIFIER", "_COMM"]);
        let pid = self.first(&["SYSLOG_PID", "_PID"]);
        let msgid = self.first(&["MESSAGE_ID"]);
        let facility = facility.filter(|_| severity.is_some());
        let said = [
            time.as_ref().map(|(_, at)| at.clone()),
            severity.map(|(_, at)| at),
            facility.map(|(_, at)| at),
            message.clone(),
            host_at.clone(),
            program.clone(),
            pid.clone(),
            msgid.clone(),
        ];
        let mut fields = FieldWriter::new(builder, "journal");
        for (name, value) in &self.fields {
            if !said.iter().flatten().any(|said| said == value) {
                fields.add(&self.raw[name.clone()], &self.raw[value.clone()]);
            }
        }
        let text = |at: Option<Range<usize>>| at.map_or(&b""[..], |at| &self.raw[at]);
        let named = text(host_at);
        let row = Row {
            time: time.map(|(time, _)| time),
            priority,
            flags: if self.is_cut { Flags::TRUNCATED } else { Flags::default() },
            message_at: message.as_ref().map(|at| at.start),
            ..Row::text(&self.raw)
        }
        .with(Field::Host, if named.is_empty() { host } else { named })
        .with(Field::Program, text(program))
        .with(Field::Pid, text(pid))
        .with(Field::Msgid, text(msgid))
        .with(Field::Message, text(message));
        builder.push(&row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{Batch, Origin};
    use proptest::prelude::*;

    /// The entries of bytes that arrive in pieces of this length.
    fn read(bytes: &[u8], piece: usize, entry_bytes_max: usize) -> (Batch, Result<(), JournalError>) {
        let mut builder = BatchBuilder::new();
        let received = Timestamp::from_nanos(0);
        builder.origin(Origin { source: b"journal", peer: b"", received });
        let mut journal = Journal::new(entry_bytes_max);
        let mut done = |entry: &JournalEntry| entry.push(b"peer", &mut builder);
        let mut result = Ok(());
        for piece in bytes.chunks(piece.max(1)) {
            result = result.and_then(|()| journal.push(piece, &mut done));
            assert!(journal.waiting_bytes() <= 2 * entry_bytes_max + NAME_BYTES_MAX + piece.len() + 16);
        }
        let result = result.and_then(|()| journal.finish(&mut done));
        (builder.seal(), result)
    }

    fn raw(batch: &Batch, row: usize) -> Vec<u8> {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        raw
    }

    fn binary(name: &str, value: &[u8]) -> Vec<u8> {
        [name.as_bytes(), b"\n", &(value.len() as u64).to_le_bytes(), value, b"\n"].concat()
    }

    #[test]
    fn an_entry_is_a_row_with_all_that_the_journal_knows() {
        let entry = [
            b"__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1423944916375353\n_SOURCE_REALTIME_TIMESTAMP=1423944916372858\n",
            &b"PRIORITY=3\nSYSLOG_FACILITY=4\nSYSLOG_IDENTIFIER=sshd\n_COMM=sshd-session\n_PID=42\n_HOSTNAME=bupkis\n"[..],
            &binary("MESSAGE", b"foo\nbar\xff\0"),
            b"MESSAGE_ID=abc\n_SYSTEMD_UNIT=ssh.service\nHOST=x\n",
        ]
        .concat();
        let two = [&entry[..], b"\n\n\nMESSAGE=\n"].concat();
        for piece in [1, 7, 1000] {
            let (batch, result) = read(&two, piece, 1000);
            assert_eq!((batch.rows(), result), (2, Ok(())));
            assert_eq!(batch.own_time(0).unwrap().to_string(), "2015-02-14T20:15:16.372858Z");
            assert_eq!(batch.priority(0).unwrap().number(), 4 * 8 + 3);
            assert_eq!(
                (batch.host(0), batch.program(0), batch.pid(0)),
                (&b"bupkis"[..], &b"sshd"[..], &b"42"[..])
            );
            assert_eq!((batch.msgid(0), batch.message(0)), (&b"abc"[..], &b"foo\nbar\xff\0"[..]));
            let fields: Vec<_> = batch.fields(0).collect();
            let expected: [(&[u8], &[u8]); 5] = [
                (b"__CURSOR", b"s=1;i=2"),
                (b"__REALTIME_TIMESTAMP", b"1423944916375353"),
                (b"_COMM", b"sshd-session"),
                (b"_SYSTEMD_UNIT", b"ssh.service"),
                (b"journal.HOST", b"x"),
            ];
            assert_eq!(fields, expected);
            assert_eq!(raw(&batch, 0), entry);
            assert_eq!((raw(&batch, 1), batch.host(1)), (b"MESSAGE=\n".to_vec(), &b"peer"[..]));
        }
    }

    #[test]
    fn what_is_not_a_journal_is_refused_and_what_came_before_is_kept() {
        let wrong = [&b"MESSAGE\n\x01\0\0\0\0\0\0\0abc"[..], b"=x\n", &[b'x'; NAME_BYTES_MAX + 1]];
        let cut = [&b"MESSAGE=abc"[..], b"MESSAGE\n\x05\0\0", b"MESSAGE\n\x05\0\0\0\0\0\0\0ab", b"MES"];
        for (body, is_cut) in
            wrong.iter().map(|body| (body, false)).chain(cut.iter().map(|body| (body, true)))
        {
            let (batch, result) = read(&[b"MESSAGE=first\n\n", *body].concat(), 5, 1000);
            assert_eq!((batch.rows(), batch.message(0)), (1, &b"first"[..]), "{body:?}");
            assert_eq!(matches!(result, Err(JournalError::Cut { entry: 2 })), is_cut, "{body:?}: {result:?}");
            assert!(result.is_err());
        }
    }

    #[test]
    fn of_an_entry_that_is_too_long_what_fits_is_kept() {
        let long = vec![b'x'; 5000];
        for (field, kept) in [
            ([b"MESSAGE=", &long[..], b"\n"].concat(), true),
            (binary("MESSAGE", &long), true),
            ([b"COREDUMP=", &long[..], b"\n"].concat(), false),
            (binary("COREDUMP", &long), false),
            (binary("COREDUMP", b""), false),
        ] {
            let is_short = field.len() < 100;
            let body = [b"_PID=1\n", &field[..], b"_HOSTNAME=h\n\nMESSAGE=next\n\n"].concat();
            for piece in [1, 3, 900, 10_000] {
                let (batch, result) = read(&body, piece, 1000);
                assert_eq!((batch.rows(), result), (2, Ok(())), "{piece}");
                assert_eq!(batch.flags(0).has(Flags::TRUNCATED), !is_short, "{piece}");
                assert_eq!(batch.pid(0), b"1");
                assert_eq!(batch.message(0).len() > 900, kept, "{piece}");
                assert!(raw(&batch, 0).len() <= 1000);
                assert_eq!((batch.message(1), batch.flags(1)), (&b"next"[..], Flags::default()));
            }
        }
        // An absurdly large length.
        let (batch, result) = read(b"A=1\n\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xffabc", 4, 100);
        assert_eq!((batch.rows(), result), (1, Err(JournalError::Cut { entry: 2 })));
    }

    proptest! {
        #[test]
        fn entries_are_the_same_however_they_come(
            entries in proptest::collection::vec(
                proptest::collection::vec(("[A-Z_]{1,3}", proptest::collection::vec(any::<u8>(), 0..12), any::<bool>()), 1..5),
                0..5,
            ),
            piece in 1_usize..20,
        ) {
            let mut sent = Vec::new();
            for fields in &entries {
                let mut entry = Vec::new();
                for (name, value, is_binary) in fields {
                    if *is_binary || value.contains(&b'\n') {
                        entry.extend(binary(name, value));
                    } else {
                        entry.extend([name.as_bytes(), b"=", value, b"\n"].concat());
                    }
                }
                sent.push(entry);
            }
            let (batch, result) = read(&sent.join(&b"\n"[..]), piece, 10_000);
            prop_assert_eq!(result, Ok(()));
            let found: Vec<_> = (0..batch.rows()).map(|row| raw(&batch, row)).collect();
            prop_assert_eq!(found, sent);
        }

        #[test]
        fn any_bytes_are_entries_or_refused(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..9),
                    Just(b"MESSAGE=abc\n".to_vec()), Just(b"\n".to_vec()), Just(binary("MESSAGE", b"a\nb")),
                    Just(b"MESSAGE\n\x20\0\0\0\0\0\0\0".to_vec()),
                ],
                0..12,
            ),
            piece in 1_usize..20,
            entry_bytes_max in 0_usize..60,
        ) {
            let (batch, _) = read(&pieces.concat(), piece, entry_bytes_max);
            for row in 0..batch.rows() {
                prop_assert!(raw(&batch, row).len() <= entry_bytes_max);
            }
        }
    }
}
