//! Appends the exact bytes of each message to a file, one line each. Files are opened for every batch, so that a file
//! that was moved away is not written to, and few are open at a time.
//!
//! **Invariant:** messages count as delivered when they are on the disk. The part of a batch that was written before it
//! is sent again is taken back, as far as the disk allows.

mod pack_rotated;
mod rotation;

use super::groups::groups;
use super::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::{FileSink as Config, NameTemplate, Packing, Size};
use logstead_flow::machine::clock;
use logstead_flow::machine::folder_entry::FolderEntry;
use logstead_flow::machine::folders::{self, Folders};
use pack_rotated::RotatedPacker;
use rotation::{FileFacts, is_due, suffix};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;

/// How many times to try to open a file that is moved away at the same moment.
const OPEN_ATTEMPTS_MAX: u32 = 10;

pub(super) struct FileWriter {
    folders: Arc<Folders>,
    config: Config,
    packer: Option<RotatedPacker>,
    lines: Vec<u8>,
}

impl FileWriter {
    pub(super) fn new(folders: Arc<Folders>, config: &Config) -> FileWriter {
        FileWriter { folders, config: config.clone(), packer: None, lines: Vec::new() }
    }

    /// Writes as many lines as the file may take; returns the number of messages in them.
    fn fill(&mut self, places: &[usize], messages: &[OutgoingMessage<'_>]) -> usize {
        let bytes_max = self.config.rotate.size.map_or(usize::MAX, Size::as_usize);
        self.lines.clear();
        for (taken, place) in places.iter().enumerate() {
            let OutgoingMessage { batch, row, .. } = messages[*place];
            let length = self.lines.len();
            batch.write_raw(row, &mut self.lines);
            self.lines.push(b'\n');
            if bytes_max < self.lines.len() && 0 < taken {
                self.lines.truncate(length);
                return taken;
            }
        }
        places.len()
    }

    /// Appends the lines to a file, and waits until they are on the disk.
    fn append(&mut self, sink: &folders::WritablePath) -> io::Result<()> {
        let place = sink.place()?;
        let mut file = open(sink, &place)?;
        if self.is_due(&file)? {
            // While locked, the file could not be compressed.
            drop(file);
            self.set_aside(&place)?;
            file = open(sink, &place)?;
        }
        write(&file, &self.lines)?;
        if file.metadata()?.len() == self.lines.len() as u64 {
            // The file is new, and its name has to be durable as well.
            place.sync_folder()?;
        }
        Ok(())
    }

    fn is_due(&self, file: &File) -> io::Result<bool> {
        let metadata = file.metadata()?;
        let written_ms = metadata.mtime().saturating_mul(1000) + metadata.mtime_nsec() / 1_000_000;
        let known = FileFacts { bytes: metadata.len(), written_ms };
        let now_ms = clock::now().nanos() / 1_000_000;
        Ok(is_due(&self.config.rotate, &known, self.lines.len() as u64, now_ms))
    }

    fn set_aside(&mut self, place: &FolderEntry) -> io::Result<()> {
        let now = clock::now();
        place.rename_free(|attempt| {
            let mut name = place.name.to_owned();
            name.push(suffix(now, attempt));
            name
        })?;
        let packing = self.config.rotate.compression;
        if packing != Packing::None {
            let packer = match self.packer.take() {
                Some(packer) => packer,
                None => RotatedPacker::start(packing)?,
            };
            self.packer.insert(packer).pack(place.beside(&place.name)?);
        }
        Ok(())
    }
}

impl MessageSink for FileWriter {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        // The folder does not depend on the messages.
        let sink = self.folders.sink(self.config.path.as_str()).map_err(SendFailure::wait)?;
        let template = NameTemplate::parse(&sink.below.to_string_lossy()).map_err(SendFailure::wait)?;
        let mut groups = groups(&template, messages).into_iter();
        let mut sent = SendReport::default();
        while let Some(group) = groups.next() {
            let sink = sink.named(&group.name);
            let mut left = &group.places[..];
            while !left.is_empty() {
                let taken = self.fill(left, messages);
                if let Err(error) = self.append(&sink) {
                    let failure = SendFailure::wait(format!("{}: {error}", sink.path().display()));
                    if sent.bytes == 0 {
                        return Err(failure);
                    }
                    sent.again = left.iter().copied().chain(groups.flat_map(|group| group.places)).collect();
                    sent.again.sort_unstable();
                    sent.busy = Some(failure);
                    return Ok(sent);
                }
                sent.bytes += self.lines.len();
                left = &left[taken..];
            }
        }
        Ok(sent)
    }
}

/// Opens a file exclusively: another destination may write the same file, and rotate it.
fn open(sink: &folders::WritablePath, place: &FolderEntry) -> io::Result<File> {
    for _ in 0..OPEN_ATTEMPTS_MAX {
        let file = sink.open_to_append(place)?;
        if place.lock(&file)? {
            return Ok(file);
        }
    }
    Err(io::Error::other("it is moved away each time it is opened"))
}

/// Appends lines and waits until they are on the disk.
fn write(mut file: &File, lines: &[u8]) -> io::Result<()> {
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if 0 < length {
        file.read_exact_at(&mut last, length - 1)?;
    }
    // A power cut may have left an incomplete line, which must not become the beginning of another one.
    let begin: &[u8] = if last == *b"\n" { b"" } else { b"\n" };
    let written = file.write_all(begin).and_then(|()| file.write_all(lines)).and_then(|()| file.sync_data());
    if written.is_err() {
        // The batch will be sent again, so a part of it must not remain.
        file.set_len(length)?;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packing;
    use logstead_config::{Period, Rotation};
    use logstead_record::{Batch, BatchBuilder, Field, Row};
    use std::fs;
    use std::io::Read;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant, SystemTime};

    const NEVER: Rotation = Rotation { size: None, age: None, compression: Packing::None };

    fn sink(folder: &Path, path: &str, rotate: Rotation) -> FileWriter {
        let path = NameTemplate::parse(&format!("{}/{path}", folder.display())).unwrap();
        FileWriter::new(Arc::new(Folders::below(folder)), &Config { path, rotate })
    }

    fn batch(messages: &[(&str, &str)]) -> Batch {
        let mut builder = BatchBuilder::new();
        for (host, text) in messages {
            builder.push(&Row::text(text.as_bytes()).with(Field::Host, host.as_bytes()));
        }
        builder.seal()
    }

    fn send(sink: &mut FileWriter, messages: &[(&str, &str)]) -> Result<SendReport, SendFailure> {
        let batch = batch(messages);
        let messages: Vec<_> = (0..batch.rows())
            .map(|row| OutgoingMessage { batch: &batch, row, sequence: row as u64 })
            .collect();
        sink.send(&messages)
    }

    fn read(path: impl AsRef<Path>) -> String {
        fs::read_to_string(path).unwrap()
    }

    /// The rotated files of `all.log`, compressed or not, without those that are being written.
    fn asides(folder: &Path) -> Vec<PathBuf> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let is_aside = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name != "all.log" && !name.ends_with(".part")
        };
        let mut files: Vec<PathBuf> = files.filter(is_aside).collect();
        files.sort();
        files
    }

    #[test]
    fn every_message_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = sink(folder.path(), "out/archive.log", NEVER);
        let messages = [("", "<13>one\r"), ("", "two")];
        assert_eq!(send(&mut sink, &messages), Ok(SendReport::all(13)));
        send(&mut sink, &messages).unwrap();
        assert_eq!(read(folder.path().join("out/archive.log")), "<13>one\r\ntwo\n<13>one\r\ntwo\n");
    }

    #[test]
    fn messages_come_into_the_files_that_they_name_and_into_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join("logs");
        fs::create_dir(&logs).unwrap();
        fs::write(folder.path().join("secret"), "").unwrap();
        let mut sink = sink(&logs, "hosts/{host}/all.log", NEVER);
        send(&mut sink, &[("a", "1"), ("../../../secret", "2"), ("a", "3"), ("", "4")]).unwrap();
        assert_eq!(read(logs.join("hosts/a/all.log")), "1\n3\n");
        assert_eq!(read(logs.join("hosts/_._.._.._secret/all.log")), "2\n");
        assert_eq!(read(logs.join("hosts/-/all.log")), "4\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(read(folder.path().join("secret")), "");
    }

    #[test]
    fn a_relative_path_stays_in_its_folder_whatever_the_host_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let path = NameTemplate::parse("{host}/all.log").unwrap();
        let folders = Arc::new(Folders::of_data(folder.path()));
        let mut sink = FileWriter::new(folders, &Config { path, rotate: NEVER });
        send(&mut sink, &[("forward", "1"), ("secrets", "2")]).unwrap();
        assert_eq!(read(folder.path().join("forward/forward/all.log")), "1\n");
        assert_eq!(read(folder.path().join("forward/secrets/all.log")), "2\n");
    }

    #[test]
    fn a_file_that_somebody_else_is_writing_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = sink(folder.path(), "all.log", NEVER);
        send(&mut sink, &[("", "1")]).unwrap();
        let other = File::open(folder.path().join("all.log")).unwrap();
        other.lock().unwrap();
        let failure = send(&mut sink, &[("", "2")]).unwrap_err();
        assert!(
            failure.reason.ends_with("another destination or program has locked it for writing"),
            "{}",
            failure.reason
        );
        other.unlock().unwrap();
        send(&mut sink, &[("", "2")]).unwrap();
        assert_eq!(read(folder.path().join("all.log")), "1\n2\n");
    }

    #[test]
    fn a_line_that_was_cut_off_stays_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.log");
        fs::write(&path, "whole\ncut o").unwrap();
        let mut sink = sink(folder.path(), "all.log", NEVER);
        send(&mut sink, &[("", "next")]).unwrap();
        assert_eq!(read(&path), "whole\ncut o\nnext\n");
    }

    #[test]
    fn a_failure_names_the_file_and_leaves_the_other_messages() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = sink(folder.path(), "{host}.log", NEVER);
        fs::create_dir(folder.path().join("b.log")).unwrap();
        let sent = send(&mut sink, &[("a", "1"), ("b", "2"), ("c", "3"), ("b", "4")]).unwrap();
        assert_eq!((sent.bytes, &sent.again[..]), (2, &[1, 2, 3][..]));
        let reason = sent.busy.unwrap().reason;
        assert!(reason.contains("b.log: "), "{reason}");
        let failure = send(&mut sink, &[("b", "2")]).unwrap_err();
        assert!(failure.reason.contains("b.log: "), "{}", failure.reason);
        assert_eq!(read(folder.path().join("a.log")), "1\n");
    }

    #[test]
    fn a_file_is_set_aside_before_it_is_too_long() {
        let folder = tempfile::tempdir().unwrap();
        let rotate = Rotation { size: Some(Size::new(6)), ..NEVER };
        let mut sink = sink(folder.path(), "all.log", rotate);
        for texts in [&["one"][..], &["2"], &["three", "more than fits", "4", "5", "6", "7"], &["end"]] {
            let messages: Vec<_> = texts.iter().map(|text| ("", *text)).collect();
            let bytes = texts.iter().map(|text| text.len() + 1).sum();
            assert_eq!(send(&mut sink, &messages), Ok(SendReport::all(bytes)));
        }
        assert_eq!(read(folder.path().join("all.log")), "7\nend\n");
        let mut texts: Vec<String> = asides(folder.path()).iter().map(read).collect();
        texts.sort();
        assert_eq!(texts, ["4\n5\n6\n", "more than fits\n", "one\n2\n", "three\n"]);
    }

    #[test]
    fn a_file_of_another_day_is_set_aside_and_packed_with_what_a_crash_left() {
        for packing in [Packing::Gzip, Packing::Zstd] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("all.log");
            fs::write(&path, "yesterday\n").unwrap();
            let day = Duration::from_secs(86_400);
            File::options().append(true).open(&path).unwrap().set_modified(SystemTime::now() - day).unwrap();
            fs::write(folder.path().join("all.log.20200101T000000Z"), "left\n").unwrap();
            fs::write(folder.path().join("all.log.20200101T000000Z.gz.part"), "rubbish").unwrap();
            let taken = folder.path().join(format!("all.log.20200101T000000Z{}", packing::ending(packing)));
            fs::write(&taken, "of a host with that name").unwrap();
            let rotate = Rotation { size: None, age: Some(Period::days(1)), compression: packing };
            let mut sink = sink(folder.path(), "all.log", rotate);
            send(&mut sink, &[("", "today")]).unwrap();
            assert_eq!(read(&path), "today\n");
            let begin = Instant::now();
            let packed = || {
                let files = asides(folder.path());
                let is_packed =
                    |path: &PathBuf| path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
                (files.len() == 3 && files.iter().all(is_packed)).then_some(files)
            };
            let files = loop {
                if let Some(files) = packed() {
                    break files;
                }
                assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", asides(folder.path()));
                std::thread::yield_now();
            };
            let unpacked = files.iter().filter(|path| **path != taken).map(|path| {
                let (bytes, mut text) = (fs::read(path).unwrap(), String::new());
                match packing {
                    Packing::Gzip => {
                        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).map(drop)
                    }
                    _ => zstd::stream::read::Decoder::new(&bytes[..])
                        .unwrap()
                        .read_to_string(&mut text)
                        .map(drop),
                }
                .unwrap();
                text
            });
            assert_eq!(unpacked.collect::<Vec<_>>(), ["left\n", "yesterday\n"]);
            assert_eq!(read(&taken), "of a host with that name");
        }
    }
}
