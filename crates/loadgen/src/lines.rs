//! The lines of a file as messages, unchanged. Every connection reads the whole file.
//!
//! **Invariant:** empty lines are left out, since no receiver counts them.

use super::chunk::{ChunkLimits, FrameChunk, Framing};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

const READ_BYTES: usize = 256 << 10;
const LINE_BYTES_MAX: usize = 16 << 20;

/// A file that is read line by line.
pub(super) struct FileLines {
    path: PathBuf,
    reader: BufReader<File>,
    framing: Framing,
    limits: ChunkLimits,
    /// Whether reading starts over at its end.
    repeats: bool,
    line: Vec<u8>,
    /// Whether the current pass has found a line.
    had_line: bool,
}

impl FileLines {
    pub(super) fn open(
        path: &Path,
        repeats: bool,
        framing: Framing,
        limits: ChunkLimits,
    ) -> Result<FileLines, String> {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(format!(
                "{} is not a regular file, and each connection has to read all of it",
                path.display()
            ));
        }
        let reader = BufReader::with_capacity(READ_BYTES, file);
        Ok(FileLines {
            path: path.to_owned(),
            reader,
            framing,
            limits,
            repeats,
            line: Vec::new(),
            had_line: false,
        })
    }

    /// Fills the chunk with up to `wanted` messages; an empty chunk means the end.
    pub(super) fn fill(&mut self, chunk: &mut FrameChunk, wanted: usize) -> Result<(), String> {
        chunk.clear();
        let wanted = wanted.min(self.limits.messages_max);
        while chunk.ends.len() < wanted && chunk.bytes.len() < self.limits.bytes_max {
            if !self.read_line().map_err(|error| format!("{}: {error}", self.path.display()))? {
                break;
            }
            self.framing.write(&self.line, &mut chunk.bytes);
            chunk.ends.push(chunk.bytes.len());
        }
        chunk.begin(chunk.ends.len());
        Ok(())
    }

    /// Reads the next line that is not empty; `false` at the end.
    fn read_line(&mut self) -> io::Result<bool> {
        loop {
            self.line.clear();
            let mut limited = (&mut self.reader).take(LINE_BYTES_MAX as u64 + 1);
            let read = limited.read_until(b'\n', &mut self.line)?;
            if read == 0 {
                if !self.repeats || !self.had_line {
                    return Ok(false);
                }
                self.had_line = false;
                self.reader.rewind()?;
                continue;
            }
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            } else if LINE_BYTES_MAX < read {
                return Err(io::Error::other(format!("a line is longer than {LINE_BYTES_MAX} bytes")));
            }
            if !self.line.is_empty() {
                self.had_line = true;
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const LIMITS: ChunkLimits = ChunkLimits { messages_max: 2, bytes_max: 1 << 20 };

    /// Checks the contents of the first chunks.
    fn check(text: &[u8], repeats: bool, framing: Framing, expected: &[&str]) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let mut lines = FileLines::open(file.path(), repeats, framing, LIMITS).unwrap();
        let mut chunk = FrameChunk::default();
        for expected in expected {
            lines.fill(&mut chunk, 100).unwrap();
            assert_eq!(String::from_utf8_lossy(chunk.pending_bytes()), *expected);
        }
    }

    #[test]
    fn lines_go_as_they_are_and_empty_ones_stay() {
        check(b"one\n\ntwo\r\nthree", false, Framing::Newline, &["one\ntwo\r\n", "three\n", "", ""]);
        check(b"one\ntwo\nthree\n", false, Framing::Octet, &["3 one3 two", "5 three", ""]);
    }

    #[test]
    fn a_file_that_repeats_begins_again_but_not_for_nothing() {
        check(b"one\ntwo\nthree\n", true, Framing::None, &["onetwo", "threeone", "twothree"]);
        check(b"\n\n\n", true, Framing::None, &[""]);
        check(b"", true, Framing::None, &[""]);
    }

    #[test]
    fn what_is_no_file_of_lines_is_refused() {
        let open = |path: &Path| FileLines::open(path, false, Framing::None, LIMITS);
        assert!(open(Path::new("/")).is_err() && open(Path::new("/nonexistent")).is_err());
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(LINE_BYTES_MAX as u64 + 1).unwrap();
        let error = open(file.path()).unwrap().fill(&mut FrameChunk::default(), 1).unwrap_err();
        assert!(error.contains("longer than"), "{error}");
    }
}
