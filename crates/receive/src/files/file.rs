//! One followed file: its position, and the lines after it.
//!
//! **Invariant:** a [`FilePosition`] is after a whole line, after the part that was kept of an overlong line, or at the end
//! of a complete file. So reading continues there as if it had never stopped, in this process or the next.

use logstead_config::Framing;
use logstead_flow::chunk::MessageSender;
use logstead_flow::machine::folders::Folders;
use logstead_record::Timestamp;
use logstead_syslog::framing::{Frame, Framer, SplitResult};
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The number of bytes at the beginning of a file that identify it.
const FINGERPRINT_BYTES_MAX: usize = 256;

/// The identity of a file, whatever its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(super) struct FileIdentity {
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl FileIdentity {
    pub(super) fn of(file: &Metadata) -> FileIdentity {
        FileIdentity { device: file.dev(), inode: file.ino() }
    }
}

/// The position up to which a file was read.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FilePosition {
    pub(super) position: u64,
    /// Whether the rest of an overlong line follows, which is skipped.
    #[serde(default)]
    pub(super) cut: bool,
    /// The hash of the first bytes, as far as they were read: a free inode may be given to another file.
    #[serde(default)]
    fingerprint: String,
}

impl FilePosition {
    pub(super) fn new(position: u64, cut: bool, first_bytes: &[u8]) -> FilePosition {
        FilePosition { position, cut, fingerprint: fingerprint(first_bytes, position) }
    }

    /// The position after the last whole line: reading begins there if existing lines are not wanted.
    pub(super) fn at_end(file: &File, line_max: usize) -> io::Result<FilePosition> {
        let size = file.metadata()?.len();
        let tail_start = size.saturating_sub(line_max as u64);
        let tail = read_at(file, tail_start, line_max)?;
        let first_bytes = read_at(file, 0, FINGERPRINT_BYTES_MAX)?;
        let (position, cut) = match memchr::memrchr(b'\n', &tail) {
            Some(newline) => (tail_start + newline as u64 + 1, false),
            None if tail_start == 0 => (0, false),
            None => (size, true),
        };
        Ok(FilePosition::new(position, cut, &first_bytes))
    }

    /// Whether this is a position in this file.
    pub(super) fn is_in(&self, file: &File) -> io::Result<bool> {
        let first_bytes = read_at(file, 0, FINGERPRINT_BYTES_MAX)?;
        Ok(self.position <= file.metadata()?.len() && self.is_behind(&first_bytes))
    }

    fn is_behind(&self, first_bytes: &[u8]) -> bool {
        self.fingerprint == fingerprint(first_bytes, self.position)
    }
}

/// The hash of the first bytes before `position`.
fn fingerprint(first_bytes: &[u8], position: u64) -> String {
    let bytes = first_bytes.len().min(FINGERPRINT_BYTES_MAX).min(position.try_into().unwrap_or(usize::MAX));
    if bytes == 0 {
        return String::new();
    }
    let hash = blake3::hash(&first_bytes[..bytes]).to_hex();
    hash.chars().take(32).collect()
}

/// A followed file.
pub(super) struct FollowedFile {
    /// The folders that it may be in.
    folders: Arc<Folders>,
    pub(super) path: PathBuf,
    pub(super) identity: FileIdentity,
    /// The sender of its lines.
    pub(super) sender: MessageSender,
    pub(super) place: FilePosition,
    /// The open file. It is open while there is something to read, and until it has to be closed, so it is read to
    /// its end even after its name is gone.
    handle: Option<File>,
    /// The size and the time of the last change at the last look.
    seen: Option<(u64, i64, i64)>,
    /// When a change was last seen.
    pub(super) changed: Instant,
    /// Whether there may be something after `place`.
    pub(super) has_more: bool,
    /// Whether another file has taken its name, or it has none: its last line counts as complete once it stays
    /// unchanged.
    pub(super) rotated: bool,
    /// Whether it no longer has a name that matches a pattern.
    pub(super) gone: bool,
    /// The number of the file that has to be read to its end before this one.
    pub(super) after: Option<u64>,
    /// Whether the last attempt to read it failed.
    pub(super) failing: bool,
}

/// The result of one read of a file.
pub(super) struct FileRead {
    pub(super) bytes: Vec<u8>,
    pub(super) frames: Vec<Frame>,
    /// The number of bytes of overlong lines beyond the part that is kept.
    pub(super) skipped_bytes: usize,
    /// The position of the file once the frames are stored.
    pub(super) next: FilePosition,
    /// Whether nothing was left to read.
    pub(super) at_end: bool,
    /// Whether nothing was left, and the last line counts as complete.
    pub(super) finished: bool,
    /// Whether the file was truncated or rewritten, and was read from its beginning.
    pub(super) begun_again: bool,
    /// When the file was last written, according to its file system.
    pub(super) written: Option<Timestamp>,
}

impl FollowedFile {
    /// A file that exists under this name.
    pub(super) fn new(
        path: &Path,
        file: File,
        place: FilePosition,
        folders: &Arc<Folders>,
        now: Instant,
    ) -> io::Result<FollowedFile> {
        let identity = FileIdentity::of(&file.metadata()?);
        Ok(FollowedFile {
            folders: folders.clone(),
            path: path.to_owned(),
            identity,
            sender: sender(path),
            place,
            handle: Some(file),
            seen: None,
            changed: now,
            has_more: false,
            rotated: false,
            gone: false,
            after: None,
            failing: false,
        })
    }

    /// Notes that the file was found under a name, with this state.
    pub(super) fn seen_at(&mut self, path: &Path, file: &Metadata, now: Instant) {
        if self.path != path {
            self.path = path.to_owned();
            self.sender = sender(path);
        }
        self.gone = false;
        self.note(file, now);
    }

    /// Notes that the file no longer has a name; `false` if there is no handle to read it by either.
    pub(super) fn leave(&mut self, now: Instant) -> bool {
        let Some(Ok(file)) = self.handle.as_ref().map(File::metadata) else { return false };
        if !self.gone {
            (self.gone, self.rotated, self.changed) = (true, true, now);
        }
        self.note(&file, now);
        true
    }

    fn note(&mut self, file: &Metadata, now: Instant) {
        let looks = Some((file.size(), file.mtime(), file.mtime_nsec()));
        if self.seen != looks {
            // At the first look, the position has just been compared with the file.
            self.has_more |= self.seen.is_some() || file.size() != self.place.position;
            (self.seen, self.changed) = (looks, now);
        }
    }

    /// Whether it still has a name anywhere.
    pub(super) fn has_name(&self) -> bool {
        self.handle.as_ref().and_then(|file| file.metadata().ok()).is_some_and(|file| 0 < file.nlink())
    }

    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        self.handle.is_some()
    }

    /// Closes the file if everything in it was read.
    pub(super) fn close_if_read(&mut self) {
        let is_read = self.seen.is_some_and(|(size, ..)| size == self.place.position);
        if is_read && !self.has_more && !self.rotated {
            self.handle = None;
        }
    }

    /// Reads on from the current position, up to `bytes_max`, which is more than a line of `line_max`. `is_last`
    /// means that nothing more is expected.
    pub(super) fn read(&mut self, bytes_max: usize, line_max: usize, is_last: bool) -> io::Result<FileRead> {
        let file = match self.handle.take() {
            Some(file) => file,
            None => open(&self.path, Some(self.identity), &self.folders)?,
        };
        let read = read(&file, &self.place, bytes_max, line_max, is_last);
        self.handle = Some(file);
        read
    }
}

/// Lines have no sender except their file.
fn sender(path: &Path) -> MessageSender {
    let path = path.to_string_lossy().into_owned();
    MessageSender { field: Some(("file", path.into())), ..MessageSender::local("file") }
}

/// Opens a file for reading without waiting; it must be the expected one.
pub(super) fn open(path: &Path, expected: Option<FileIdentity>, folders: &Folders) -> io::Result<File> {
    let file = folders.open_to_read(path)?;
    let found = file.metadata()?;
    if !found.is_file() || expected.is_some_and(|expected| expected != FileIdentity::of(&found)) {
        return Err(io::Error::new(io::ErrorKind::NotFound, "another file has been given its name"));
    }
    Ok(file)
}

fn read(
    file: &File,
    place: &FilePosition,
    bytes_max: usize,
    line_max: usize,
    is_last: bool,
) -> io::Result<FileRead> {
    let metadata = file.metadata()?;
    let (size, written) = (metadata.len(), metadata.modified().ok().map(Timestamp::from));
    let mut first_bytes = read_at(file, 0, FINGERPRINT_BYTES_MAX)?;
    let begun_again = size < place.position || !place.is_behind(&first_bytes);
    let from = if begun_again { FilePosition::default() } else { place.clone() };
    let left = usize::try_from(size.saturating_sub(from.position)).unwrap_or(usize::MAX);
    let mut bytes = read_at(file, from.position, bytes_max.min(left))?;
    let at_end = bytes.len() < bytes_max;
    let LineBlock { frames, skipped_bytes, taken, cut, before_hole } =
        lines(&bytes, from.cut, line_max, is_last && at_end);
    let at_end = at_end && !before_hole;
    let position = from.position + taken as u64;
    // The file may have grown between the two reads, so its first bytes are taken from this one.
    if from.position < FINGERPRINT_BYTES_MAX as u64 {
        first_bytes.truncate(from.position as usize);
        first_bytes.extend_from_slice(&bytes[..taken.min(FINGERPRINT_BYTES_MAX)]);
    }
    bytes.truncate(taken);
    Ok(FileRead {
        bytes,
        frames,
        skipped_bytes,
        next: FilePosition::new(position, cut, &first_bytes),
        at_end,
        finished: is_last && at_end,
        begun_again,
        written,
    })
}

/// Fills the buffer as far as the file has bytes.
fn read_at(file: &File, position: u64, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; bytes_max];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], position + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The lines at the beginning of some bytes.
struct LineBlock {
    frames: Vec<Frame>,
    /// The number of bytes of overlong lines beyond the part that is kept.
    skipped_bytes: usize,
    /// The number of bytes that the lines take, including those between them.
    taken: usize,
    /// Whether the last line continues after the bytes that are kept of it.
    cut: bool,
    /// Whether a hole follows, after which more can be read.
    before_hole: bool,
}

/// Finds the lines in `bytes`. If `cut`, they begin with the rest of a line that was cut. If `is_last`, an unfinished
/// line counts too.
fn lines(bytes: &[u8], cut: bool, line_max: usize, is_last: bool) -> LineBlock {
    let mut start = 0;
    if cut {
        match memchr::memchr(b'\n', bytes) {
            Some(newline) => start = newline + 1,
            None => {
                let (frames, taken) = (Vec::new(), bytes.len());
                return LineBlock { frames, skipped_bytes: taken, taken, cut: !is_last, before_hole: false };
            }
        }
    }
    let cut_bytes = start.saturating_sub(1);
    start += hole(&bytes[start..], line_max, is_last);
    let rest = &bytes[start..];
    let (mut found, mut framer) = (SplitResult::default(), Framer::new(Framing::Newline, line_max));
    let mut taken = if is_last {
        framer.finish(rest, &mut found);
        rest.len()
    } else {
        framer.split(rest, &mut found)
    };
    let mut frames = found.frames;
    let is_hole = |frame: &Frame| 0 < hole(&rest[frame.start as usize..], line_max, true);
    let before_hole = frames.iter().position(is_hole);
    if let Some(index) = before_hole {
        taken = frames[index].start as usize;
        frames.truncate(index);
    }
    let cut = !is_last && 0 < taken && rest[taken - 1] != b'\n';
    for frame in &mut frames {
        frame.start += start as u32;
        frame.end += start as u32;
    }
    let skipped = found.skipped.iter().filter(|skipped| skipped.end as usize <= taken);
    let skipped_bytes =
        cut_bytes + skipped.map(|skipped| (skipped.end - skipped.start) as usize).sum::<usize>();
    LineBlock { frames, skipped_bytes, taken: start + taken, cut, before_hole: before_hole.is_some() }
}

/// The length of the NULs at the beginning, if they are too many to belong to a line. They are left by a program that
/// continues to write at its old position in a truncated file, and in the last block by a system crash.
fn hole(bytes: &[u8], line_max: usize, is_last: bool) -> usize {
    let nuls_min = line_max / 2 + 1;
    match bytes.iter().position(|byte| *byte != 0) {
        Some(nuls) => {
            if nuls < nuls_min {
                0
            } else {
                nuls
            }
        }
        None if is_last && nuls_min <= bytes.len() => bytes.len(),
        // The hole may continue, so enough of it is left to recognise it.
        None => bytes.len().saturating_sub(nuls_min),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::Flags;
    use proptest::prelude::*;

    const LINE_MAX: usize = 10;

    /// The lines of `content`, read in pieces of `bytes_max`, and the final position.
    fn run(content: &[u8], bytes_max: usize, is_last: bool) -> (Vec<(String, Flags)>, usize) {
        let (found, (position, _)) = run_from(0, false, content, bytes_max, is_last);
        (found, position)
    }

    /// The lines from a position on, and the position at which they end. `cut` if the first position is within a line
    /// that was cut.
    fn run_from(
        mut position: usize,
        mut cut: bool,
        content: &[u8],
        bytes_max: usize,
        is_last: bool,
    ) -> (Vec<(String, Flags)>, (usize, bool)) {
        let mut found = Vec::new();
        loop {
            let bytes = &content[position..content.len().min(position + bytes_max)];
            let at_end = bytes.len() < bytes_max;
            let lines = lines(bytes, cut, LINE_MAX, is_last && at_end);
            for frame in &lines.frames {
                let text = String::from_utf8_lossy(&bytes[frame.start as usize..frame.end as usize]);
                found.push((text.into_owned(), frame.flags));
            }
            (position, cut) = (position + lines.taken, lines.cut);
            if at_end && !lines.before_hole {
                return (found, (position, cut));
            }
            assert!(0 < lines.taken, "reading stands still at {position}");
        }
    }

    fn check(content: &str, is_last: bool, expected: &[(&str, Flags)], expected_position: usize) {
        let expected: Vec<_> = expected.iter().map(|(text, flags)| ((*text).to_owned(), *flags)).collect();
        for bytes_max in [LINE_MAX + 1, LINE_MAX + 7, 1000] {
            let found = run(content.as_bytes(), bytes_max, is_last);
            assert_eq!(found, (expected.clone(), expected_position), "{content:?} {bytes_max}");
        }
    }

    const WHOLE: Flags = Flags(0);

    #[test]
    fn a_line_that_has_no_end_waits_for_it_or_for_the_file_s() {
        check("one\ntwo\nthr", false, &[("one", WHOLE), ("two", WHOLE)], 8);
        check("one\ntwo\nthr", true, &[("one", WHOLE), ("two", WHOLE), ("thr", Flags::INCOMPLETE)], 11);
        check("", true, &[], 0);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_once_wherever_reading_stops() {
        let long = "0123456789 and what is behind that is left out";
        let cut = ("0123456789", Flags::TRUNCATED);
        check(&format!("{long}\nnext\n"), false, &[cut, ("next", WHOLE)], long.len() + 6);
        check(long, false, &[cut], long.len());
        check(long, true, &[cut], long.len());
    }

    #[test]
    fn a_hole_is_no_line() {
        let hole = "\0".repeat(100);
        check(&format!("{hole}one\n"), false, &[("one", WHOLE)], 104);
        // The end of a hole is left, to recognise it if it continues.
        let left = LINE_MAX / 2 + 1;
        check(&format!("one\n{hole}two\n{hole}"), false, &[("one", WHOLE), ("two", WHOLE)], 208 - left);
        check(&format!("one\n{hole}two\n{hole}"), true, &[("one", WHOLE), ("two", WHOLE)], 208);
        check("\0a\0b\n", false, &[("\0a\0b", WHOLE)], 5);
    }

    proptest! {
        #[test]
        fn how_much_is_read_at_once_makes_no_difference(
            content in "([a-c]{1,3}|\n|\r|\0{1,30}|[d-f]{12,30}){0,20}", bytes_max in LINE_MAX + 1..80, is_last in any::<bool>(),
        ) {
            prop_assert_eq!(run(content.as_bytes(), bytes_max, is_last).0, run(content.as_bytes(), 10_000, is_last).0);
        }

        #[test]
        fn when_it_is_read_makes_no_difference(
            content in "([a-c]{1,3}|\n|\r|\0{1,30}|[d-f]{12,30}){0,20}", grown in 0_usize..200,
        ) {
            let content = content.as_bytes();
            let grown = &content[..grown.min(content.len())];
            let (mut found, (position, cut)) = run_from(0, false, grown, 10_000, false);
            found.extend(run_from(position, cut, content, 10_000, false).0);
            prop_assert_eq!(found, run(content, 10_000, false).0);
        }
    }
}
