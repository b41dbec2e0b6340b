//! The output of a command: standard output, a file, or anything else with a name.
//!
//! | the name is that of           | the output                                                                     |
//! |-------------------------------|--------------------------------------------------------------------------------|
//! | nothing, or a regular file    | `FILE.part` is written, and gets the name once everything is in it             |
//! | a link                        | the same with its target                                                       |
//! | a pipe, a device, a socket    | it is written to; it is what it was afterwards                                 |
//! | a folder                      | is refused                                                                     |
//!
//! **Invariant:** a regular file gets its name only once everything is in it, and nothing but a regular file is replaced.

use super::failure::{CommandFailure, Result};
use super::progress::ByteProgress;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The greatest number of links followed to a file that does not exist yet.
const LINKS_MAX: usize = 40;

/// The output of a command.
pub(super) enum Output {
    /// Standard output.
    Standard(io::Stdout),
    /// A file, or anything else with a name.
    Named { file: BufWriter<File>, path: PathBuf, part: Option<PartialFile>, progress: ByteProgress },
}

/// A file that does not have its final name yet. It is removed unless it gets it.
pub(super) struct PartialFile(PathBuf);

impl Drop for PartialFile {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

/// The kind of the target of a path.
enum OutputKind {
    /// A regular file, or a file that does not exist yet.
    File(PathBuf),
    /// A pipe, a device or a socket.
    Other,
    Folder,
}

/// Determines the kind of a path's target.
fn target(path: &Path) -> io::Result<OutputKind> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path).map(OutputKind::File),
        Ok(found) if found.is_dir() => Ok(OutputKind::Folder),
        Ok(_) => Ok(OutputKind::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => missing(path).map(OutputKind::File),
        Err(error) => Err(error),
    }
}

/// The missing file to which links lead.
fn missing(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(to) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or(to.clone(), |folder| folder.join(&to));
    }
    Err(io::Error::other("too many links lead to it"))
}

impl Output {
    /// Opens the output of a command. A file is not visible before the output is [finished](Output::finish).
    /// `command` is the name under which progress is shown.
    pub(super) fn open(command: &str, path: Option<&Path>) -> Result<Output> {
        let Some(path) = path else { return Ok(Output::Standard(io::stdout())) };
        let failed = |path: &Path, error| CommandFailure::environment(format!("{}: {error}", path.display()));
        let (file, path, part) = match target(path).map_err(|error| failed(path, error))? {
            OutputKind::Folder => {
                return Err(CommandFailure::no(format!("{} is a folder: name a file in it", path.display())));
            }
            OutputKind::Other => {
                let file = OpenOptions::new().write(true).open(path);
                (file.map_err(|error| failed(path, error))?, path.to_owned(), None)
            }
            OutputKind::File(path) => {
                let mut part = path.clone().into_os_string();
                part.push(".part");
                let part = PartialFile(PathBuf::from(part));
                let file = File::create(&part.0).map_err(|error| failed(&part.0, error))?;
                (file, path, Some(part))
            }
        };
        Ok(Output::Named {
            file: BufWriter::new(file),
            path,
            part,
            progress: ByteProgress::new(command, None),
        })
    }

    /// Adds bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Output::Standard(out) => match out.write_all(bytes) {
                // The reader, such as `| head`, does not want more.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
                written => written.map_err(CommandFailure::environment),
            },
            Output::Named { file, path, progress, .. } => {
                let written = file.write_all(bytes);
                written
                    .map_err(|error| CommandFailure::environment(format!("{}: {error}", path.display())))?;
                progress.add(bytes.len() as u64);
                Ok(())
            }
        }
    }

    /// Ends the output, and gives a file its final name.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Output::Standard(mut out) => match out.flush() {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                flushed => flushed.map_err(CommandFailure::environment),
            },
            Output::Named { mut file, path, part, .. } => {
                let done = file.flush().and_then(|()| match part {
                    Some(part) => {
                        file.get_ref().sync_all()?;
                        fs::rename(&part.0, &path)
                    }
                    None => Ok(()),
                });
                done.map_err(|error| CommandFailure::environment(format!("{}: {error}", path.display())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};

    fn write(path: &Path, text: &str) -> Result<()> {
        let mut output = Output::open("test", Some(path))?;
        output.write(text.as_bytes())?;
        output.finish()
    }

    /// The names in a folder.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_once_it_is_whole_and_a_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("deep")).unwrap();
        write(&path("a"), "one").unwrap();
        symlink("a", path("link")).unwrap();
        symlink("deep/new", path("dangling")).unwrap();
        let inode = fs::metadata(path("a")).unwrap().ino();
        let mut output = Output::open("test", Some(&path("link"))).unwrap();
        output.write(b"two").unwrap();
        assert_eq!(fs::read_to_string(path("a")).unwrap(), "one", "it is not whole");
        output.finish().unwrap();
        write(&path("dangling"), "three").unwrap();
        assert_eq!(fs::read_to_string(path("a")).unwrap(), "two");
        assert_ne!(fs::metadata(path("a")).unwrap().ino(), inode);
        assert_eq!(fs::read_to_string(path("deep/new")).unwrap(), "three");
        for link in ["link", "dangling"] {
            assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink(), "{link}");
        }
        drop(Output::open("test", Some(&path("b"))).unwrap());
        assert_eq!(names(folder.path()), ["a", "dangling", "deep", "link"], "an unfinished one is of no use");
        assert!(matches!(write(&path("deep"), ""), Err(CommandFailure::No(_))));
        symlink("circle", path("circle")).unwrap();
        assert!(matches!(write(&path("circle"), ""), Err(CommandFailure::Environment(_))));
    }

    #[test]
    fn what_is_no_regular_file_is_written_to_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        write(&pipe, "through").unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["pipe"]);
        // If this ran as root, a mistake could replace these devices.
        write(Path::new("/dev/null"), "away").unwrap();
        let full = write(Path::new("/dev/full"), "no room");
        assert!(matches!(full, Err(CommandFailure::Environment(_))), "{full:?}");
        for device in ["/dev/null", "/dev/full"] {
            assert!(fs::symlink_metadata(device).unwrap().file_type().is_char_device(), "{device}");
        }
    }
}
