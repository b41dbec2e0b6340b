//! Appends the exact bytes of each message to a file, a line each. The file is opened for every batch, so that
//! a rotated file is left alone.

use super::Sink;
use logstead_record::Batch;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(super) struct File {
    path: PathBuf,
    lines: Vec<u8>,
}

impl File {
    pub(super) fn new(data: &Path, path: &str) -> File {
        File { path: data.join(path), lines: Vec::new() }
    }
}

impl Sink for File {
    fn send(&mut self, batch: &Batch) -> io::Result<usize> {
        self.lines.clear();
        for row in 0..batch.rows() {
            batch.write_raw(row, &mut self.lines);
            self.lines.push(b'\n');
        }
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
        let length = file.metadata()?.len();
        if let Err(error) = file.write_all(&self.lines) {
            // The batch comes again: half of it must not stay.
            file.set_len(length)?;
            return Err(error);
        }
        Ok(self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Origin, Row, Timestamp};

    #[test]
    fn every_message_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::default() });
        builder.push(&Row::text(b"<13>one\r"));
        builder.push(&Row::text(b"two"));
        let mut sink = File::new(folder.path(), "out/archive.log");
        let batch = builder.seal();
        assert_eq!(sink.send(&batch).unwrap(), 13);
        sink.send(&batch).unwrap();
        let text = std::fs::read_to_string(folder.path().join("out/archive.log")).unwrap();
        assert_eq!(text, "<13>one\r\ntwo\n<13>one\r\ntwo\n");
    }
}
