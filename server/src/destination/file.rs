//! Appends the exact bytes of each message to a file, a line each. The file is opened for every batch, so that
//! a rotated file is left alone.

use super::sink::Sink;
use crate::machine::folders::Folders;
use logstead_record::Batch;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) struct File {
    folders: Arc<Folders>,
    path: String,
    lines: Vec<u8>,
}

impl File {
    pub(super) fn new(folders: Arc<Folders>, path: &str) -> File {
        File { folders, path: path.to_owned(), lines: Vec::new() }
    }
}

impl Sink for File {
    fn send(&mut self, batch: &Batch) -> io::Result<usize> {
        self.lines.clear();
        for row in 0..batch.rows() {
            batch.write_raw(row, &mut self.lines);
            self.lines.push(b'\n');
        }
        let mut file = self.folders.open_to_append(&self.path)?;
        let length = file.metadata()?.len();
        if let Err(error) = file.write_all(&self.lines) {
            // The batch will be sent again: half of it must not stay.
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
        let path = folder.path().join("out/archive.log");
        let mut sink = File::new(Arc::new(Folders::below(folder.path())), path.to_str().unwrap());
        let batch = builder.seal();
        assert_eq!(sink.send(&batch).unwrap(), 13);
        sink.send(&batch).unwrap();
        let text = std::fs::read_to_string(folder.path().join("out/archive.log")).unwrap();
        assert_eq!(text, "<13>one\r\ntwo\n<13>one\r\ntwo\n");
    }
}
