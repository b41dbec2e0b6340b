//! Appends the exact bytes of each message to a file, a line each. The file is opened for every batch, so that
//! a rotated file is left alone.

use super::sink::{Failure, Message, Sent, Sink};
use crate::machine::folders::Folders;
use std::io::Write;
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
    fn send(&mut self, messages: &[Message<'_>]) -> Result<Sent, Failure> {
        self.lines.clear();
        for Message { batch, row, .. } in messages {
            batch.write_raw(*row, &mut self.lines);
            self.lines.push(b'\n');
        }
        let mut file = self.folders.open_to_append(&self.path)?;
        let length = file.metadata()?.len();
        if let Err(error) = file.write_all(&self.lines) {
            // The batch will be sent again: half of it must not stay.
            file.set_len(length)?;
            return Err(error.into());
        }
        Ok(Sent::all(self.lines.len()))
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
        let messages = [0, 1].map(|row| Message { batch: &batch, row, sequence: row as u64 });
        assert_eq!(sink.send(&messages), Ok(Sent::all(13)));
        sink.send(&messages).unwrap();
        let text = std::fs::read_to_string(folder.path().join("out/archive.log")).unwrap();
        assert_eq!(text, "<13>one\r\ntwo\n<13>one\r\ntwo\n");
    }
}
