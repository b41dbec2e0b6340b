//! SQLite's write-ahead log, read without SQLite: the pages that it would apply to the database. SQLite stops
//! silently at the first incomplete frame, and removes a log whose database is empty; this reader changes nothing and
//! reports either case.
//!
//! ```text
//! header   magic 0x377f0682 or …83 (sums of big-endian words) │ 3007000 │ page bytes │ number │ salt 8 │ sum 8
//! frame    page number │ pages after this commit, or 0 │ salt 8 │ sum 8 │ the page
//! ```
//!
//! **Invariant:** only frames up to a commit count, as for SQLite.

use std::collections::BTreeMap;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// The contents of a log.
#[derive(Default, Debug)]
pub(super) struct Wal<'a> {
    /// The newest committed version of each page, by its number.
    pub(super) pages: BTreeMap<u32, &'a [u8]>,
    /// How many pages the database has after the log is applied; 0 if nothing is committed.
    pub(super) page_count: u32,
    /// The length of a page.
    pub(super) page_bytes: usize,
    /// Whether part of the log is not as it was written, which SQLite would silently ignore.
    pub(super) is_broken: bool,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// SQLite's checksum, which continues from the previous one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FrameSum {
    first: u32,
    second: u32,
    is_big_endian: bool,
}

impl FrameSum {
    fn over(mut self, bytes: &[u8]) -> FrameSum {
        for pair in bytes.chunks_exact(8) {
            let (first, second) = (&pair[..4], &pair[4..]);
            let read = |bytes: &[u8]| {
                let word = word(bytes, 0);
                if self.is_big_endian { word } else { word.swap_bytes() }
            };
            self.first = self.first.wrapping_add(read(first)).wrapping_add(self.second);
            self.second = self.second.wrapping_add(read(second)).wrapping_add(self.first);
        }
        self
    }

    fn is_at(self, bytes: &[u8], at: usize) -> bool {
        (self.first, self.second) == (word(bytes, at), word(bytes, at + 4))
    }
}

impl<'a> Wal<'a> {
    /// Reads a log from its bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Wal<'a> {
        let mut wal = Wal::default();
        if bytes.is_empty() {
            return wal;
        }
        let Some(mut sum) = header(bytes) else {
            wal.is_broken = true;
            return wal;
        };
        wal.page_bytes = word(bytes, 8) as usize;
        let mut pending = BTreeMap::new();
        for frame in bytes[HEADER_BYTES..].chunks(FRAME_HEADER_BYTES + wal.page_bytes) {
            let is_cut = frame.len() < FRAME_HEADER_BYTES + wal.page_bytes;
            // Older frames with another salt may follow those of this log.
            if FRAME_HEADER_BYTES <= frame.len() && frame[8..16] != bytes[16..24] {
                break;
            }
            if !is_cut {
                sum = sum.over(&frame[..8]).over(&frame[FRAME_HEADER_BYTES..]);
            }
            if is_cut || !sum.is_at(frame, 16) {
                wal.is_broken = true;
                break;
            }
            pending.insert(word(frame, 0), &frame[FRAME_HEADER_BYTES..]);
            if word(frame, 4) != 0 {
                wal.pages.append(&mut pending);
                wal.page_count = word(frame, 4);
            }
        }
        wal
    }
}

/// The checksum of a complete header.
fn header(bytes: &[u8]) -> Option<FrameSum> {
    let header = bytes.get(..HEADER_BYTES)?;
    let is_ours = word(header, 0) & !1 == MAGIC;
    let page_bytes = word(header, 8);
    let fits = page_bytes.is_power_of_two() && (512..=65_536).contains(&page_bytes);
    let start = FrameSum { first: 0, second: 0, is_big_endian: word(header, 0) & 1 == 1 };
    let sum = start.over(&header[..24]);
    (is_ours && fits && sum.is_at(header, 24)).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// A log of several commits, as SQLite leaves it while the database is open.
    fn log() -> (Vec<u8>, u32) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch("CREATE TABLE t (a)").unwrap();
        for number in 0..5 {
            connection
                .execute("INSERT INTO t VALUES (?1)", [format!("{number}{}", "x".repeat(900))])
                .unwrap();
        }
        let pages = connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        (std::fs::read(folder.path().join("a.db-wal")).unwrap(), pages)
    }

    #[test]
    fn a_log_is_read_as_sqlite_reads_it_and_no_changed_byte_goes_unseen() {
        let (whole, pages) = log();
        let wal = Wal::read(&whole);
        assert_eq!((wal.is_broken, wal.page_count), (false, pages));
        assert!(wal.pages.keys().copied().eq(1..=pages));
        for at in (0..whole.len()).step_by(7) {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            let wal = Wal::read(&changed);
            // A changed salt looks like the end of the newest frames, but the witness reveals it.
            let in_frame = at.saturating_sub(HEADER_BYTES) % (FRAME_HEADER_BYTES + 4096);
            let is_salt = HEADER_BYTES <= at && (8..16).contains(&in_frame);
            assert!(wal.is_broken || is_salt, "byte {at}");
            let wal = Wal::read(&whole[..at]);
            let is_between = at < 1
                || (at >= HEADER_BYTES && (at - HEADER_BYTES).is_multiple_of(FRAME_HEADER_BYTES + 4096));
            assert_eq!(!wal.is_broken, is_between, "cut to {at}");
        }
    }
}
