//! Decides which paths a router document may use: the files that sources read and destinations write, the secrets
//! that destinations use, and unix sockets. The folders are settings of the process (`files.…`): the right to change
//! the router document does not include them.
//!
//! **Invariant:** below the data directory only the folders `forward` and `run` can be read, written or replaced this
//! way, and `secrets` can be read to authorise requests, whatever the settings say. **Invariant:** a path is checked
//! by its real location when it is opened, so creating a link later does not help an attacker.

use super::folder_entry::FolderEntry;
use logstead_config::settings::FileSettings;
use logstead_config::{Checked, DestinationKind, Problem, SourceKind};
use rustix::fs::{Mode, OFlags};
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// The folder in the data directory that destinations write and sources may read.
const FORWARD: &str = "forward";
/// The secrets of destinations in the data directory.
const SECRETS: &str = "secrets";
/// The greatest size of a file that contains a secret.
const SECRET_BYTES_MAX: u64 = 64 << 10;
/// The folder for unix sockets in the data directory.
const RUN: &str = "run";
/// The mode of folders for sockets: programs that may connect to a socket have to reach it.
const SOCKET_FOLDER_MODE: u32 = 0o755;

/// The folders that the settings name.
pub struct Folders {
    data: PathBuf,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    sockets: Vec<PathBuf>,
}

/// A file that a destination writes: a folder that it may write to, and the names below it.
#[derive(Debug, PartialEq, Eq)]
pub struct WritablePath {
    root: PathBuf,
    /// The names below the folder; parts of a message in them are still in braces.
    pub below: PathBuf,
}

impl Folders {
    /// The folders that the settings allow, and the data directory.
    pub fn new(data: &Path, files: &FileSettings) -> Folders {
        let paths = |list: &[String]| list.iter().map(PathBuf::from).collect();
        Folders {
            data: std::path::absolute(data).unwrap_or_else(|_| data.to_owned()),
            read: paths(&files.read),
            write: paths(&files.write),
            sockets: paths(&files.sockets),
        }
    }

    /// The parts of a document that the settings do not allow; parts that are not enabled touch no file.
    pub fn forbidden(&self, document: &Checked) -> Vec<Problem> {
        let problem = |path: String, message| Problem { path, message, line: None, column: None };
        let mut problems = Vec::new();
        for (index, source) in document.enabled_sources() {
            let refused = self.refused_paths(&source.kind).into_iter();
            problems.extend(
                refused.map(|(at, message)| problem(format!("sources[{index}].paths[{at}]"), message)),
            );
        }
        let enabled = document.destinations.iter().enumerate().filter(|(_, destination)| destination.enabled);
        for (index, destination) in enabled {
            let refused = self.refused_sink(&destination.kind);
            problems.extend(refused.map(|message| problem(format!("destinations[{index}].path"), message)));
        }
        problems
    }

    /// The paths of a source that may not be read, each with its position and what to do.
    pub fn refused_paths(&self, kind: &SourceKind) -> Vec<(usize, String)> {
        let SourceKind::File(files) = kind else { return Vec::new() };
        let refused =
            |(at, path): (usize, &String)| Some((at, self.may_look_for(&self.data.join(path)).err()?));
        files.paths.iter().enumerate().filter_map(refused).collect()
    }

    /// The reason why a destination may not be written to, and what to do about it.
    pub fn refused_sink(&self, kind: &DestinationKind) -> Option<String> {
        let DestinationKind::File(file) = kind else { return None };
        self.sink(file.path.as_str()).err()
    }

    /// Whether files may be searched for with this pattern: the part before `*` or `?` must be in a folder that may
    /// be read, so that the names in other folders stay hidden.
    pub fn may_look_for(&self, pattern: &Path) -> Result<(), String> {
        let path = std::path::absolute(pattern).unwrap_or_else(|_| pattern.to_owned());
        let is_plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?']);
        let plain: PathBuf = path.components().take_while(is_plain).collect();
        if self.may_read(&plain) || self.may_read(&real(&plain)) {
            Ok(())
        } else {
            Err(self.not_readable(&pattern.to_string_lossy()))
        }
    }

    /// Opens a file that a source reads.
    pub fn open_to_read(&self, path: &Path) -> io::Result<File> {
        open_if(path, |real| match self.may_read(real) {
            true => Ok(()),
            false => Err(self.not_readable(&real.to_string_lossy())),
        })
    }

    /// The first line of a file in the folder for secrets; the path is relative to that folder, whether it says so or
    /// not. Errors name the file and reveal nothing of its content.
    pub fn secret(&self, path: &str) -> io::Result<String> {
        let folder = self.data.join(SECRETS);
        let below = Path::new(path.strip_prefix("./").unwrap_or(path));
        let path = folder.join(below.strip_prefix(SECRETS).unwrap_or(below));
        let named = |what: &dyn std::fmt::Display| io::Error::other(format!("{}: {what}", path.display()));
        let mut file = open_if(&path, |found| match found.starts_with(real(&folder)) {
            true => Ok(()),
            false => Err(format!("it is not in the folder {}", folder.display())),
        })
        .map_err(|error| named(&error))?;
        let mut text = String::new();
        let read = file.by_ref().take(SECRET_BYTES_MAX).read_to_string(&mut text);
        read.map_err(|error| named(&error))?;
        match text.lines().next().map(str::trim) {
            Some(secret) if !secret.is_empty() => Ok(secret.to_owned()),
            _ => Err(named(&"its first line is empty")),
        }
    }

    /// A file that is named by an absolute path or one relative to the data directory.
    pub fn named(&self, path: &str) -> PathBuf {
        self.data.join(path)
    }

    fn may_read(&self, path: &Path) -> bool {
        match path.strip_prefix(&self.data).or_else(|_| path.strip_prefix(real(&self.data))) {
            Ok(below) => below.starts_with(FORWARD),
            Err(_) => {
                self.read.iter().any(|folder| path.starts_with(folder) || path.starts_with(real(folder)))
            }
        }
    }

    fn not_readable(&self, path: &str) -> String {
        format!(
            "`{path}` is outside of the folders that sources may read, {}: move it, or add its folder to the setting \
             `files.read` and restart",
            listed(&self.read, &self.data.join(FORWARD))
        )
    }

    /// The file that a destination's path refers to. Relative paths are below `forward` in the data directory,
    /// whether they say so or not.
    pub fn sink(&self, path: &str) -> Result<WritablePath, String> {
        let path = Path::new(path);
        let forward = self.data.join(FORWARD);
        if path.is_relative() {
            let below = path.strip_prefix("./").unwrap_or(path);
            let below = below.strip_prefix(FORWARD).unwrap_or(below).to_owned();
            return Ok(WritablePath { root: forward, below });
        }
        let mut roots = self.write.iter().chain([&forward]);
        let sink = roots.find_map(|root| {
            let below = path.strip_prefix(root).ok().filter(|below| *below != Path::new(""))?;
            Some(WritablePath { root: root.clone(), below: below.to_owned() })
        });
        sink.filter(|sink| !self.is_ours(sink)).ok_or_else(|| {
            format!(
                "`{}` is outside of the folders that destinations may write to, {}: write it like `forward/all.log`, \
                 or add its folder to the setting `files.write` and restart",
                path.display(),
                listed(&self.write, &forward)
            )
        })
    }

    /// Whether the path is in the data directory, but outside the folder for outputs.
    fn is_ours(&self, sink: &WritablePath) -> bool {
        let path = real(&sink.root).join(&sink.below);
        [self.data.clone(), real(&self.data)]
            .iter()
            .any(|data| path.starts_with(data) && !path.starts_with(data.join(FORWARD)))
    }

    /// The path of a unix socket, in a folder that exists.
    pub fn socket(&self, path: &str) -> io::Result<PathBuf> {
        let path = self.data.join(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::other("it is not the path of a socket"));
        };
        if !self.may_hold_socket(&path) && !self.may_hold_socket(&real(folder).join(name)) {
            return Err(self.no_socket(&path));
        }
        create_open(folder)?;
        // The targets of links are known only once all of the folders exist.
        let path = real(folder).join(name);
        if self.may_hold_socket(&path) { Ok(path) } else { Err(self.no_socket(&path)) }
    }

    fn may_hold_socket(&self, path: &Path) -> bool {
        match path.strip_prefix(&self.data).or_else(|_| path.strip_prefix(real(&self.data))) {
            Ok(below) => below.starts_with(RUN),
            Err(_) => {
                self.sockets.iter().any(|folder| path.starts_with(folder) || path.starts_with(real(folder)))
            }
        }
    }

    fn no_socket(&self, path: &Path) -> io::Error {
        io::Error::other(format!(
            "{} is outside of the folders for sockets, {}: write it like `run/log.sock`, or add its folder to the \
             setting `files.sockets` and restart",
            path.display(),
            listed(&self.sockets, &self.data.join(RUN))
        ))
    }
}

impl WritablePath {
    /// Other names below the same folder.
    pub fn named(&self, below: &str) -> WritablePath {
        WritablePath { root: self.root.clone(), below: below.into() }
    }

    /// The file's path.
    pub fn path(&self) -> PathBuf {
        self.root.join(&self.below)
    }

    /// Opens its folder; missing folders are created. Each name is opened in the folder before it and may not be a link,
    /// so nothing leads out.
    pub fn place(&self) -> io::Result<FolderEntry> {
        if !self.root.is_dir() {
            fs::create_dir_all(&self.root)?;
            self.root.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())?;
        }
        let mut folder = File::open(&self.root)?;
        let mut names = self.below.components().peekable();
        while let Some(name) = names.next() {
            let name = name.as_os_str();
            if names.peek().is_none() {
                return Ok(FolderEntry::new(folder, name.to_owned()));
            }
            match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o700)) {
                // The file is only safe once its name is, too.
                Ok(()) => folder.sync_all()?,
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
            let next = rustix::fs::openat(&folder, name, flags, Mode::empty());
            folder = next.map_err(|error| self.led_out(error))?.into();
        }
        Err(io::Error::other("it names no file"))
    }

    /// Opens the file to append to it; it is created if it is missing.
    pub fn open_to_append(&self, place: &FolderEntry) -> io::Result<File> {
        place.open_to_append().map_err(|error| {
            match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
                Some(errno) => self.led_out(errno),
                None => error,
            }
        })
    }

    fn led_out(&self, error: rustix::io::Errno) -> io::Error {
        let path = self.path();
        let root = self.root.display();
        match error {
            rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => io::Error::other(format!(
                "{}: a part of it below {root} is a link or not a folder, and links are not followed",
                path.display()
            )),
            error => error.into(),
        }
    }
}

/// Opens a file to read it, if its real location is allowed.
fn open_if(path: &Path, may_read: impl Fn(&Path) -> Result<(), String>) -> io::Result<File> {
    // Opening must have no effect, as the path may be a link to a device.
    let found = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let handle = format!("/proc/self/fd/{}", found.as_raw_fd());
    may_read(&fs::read_link(&handle)?).map_err(io::Error::other)?;
    // Opening a pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(handle, flags, Mode::empty())?.into())
}

/// The real location of a path, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    for there in path.ancestors() {
        if let Ok(real) = fs::canonicalize(there) {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        missing.extend(there.file_name());
    }
    path.to_owned()
}

/// Creates the folder of a socket if needed, so that other users can enter it.
fn create_open(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_open(parent)?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => fs::set_permissions(folder, Permissions::from_mode(SOCKET_FOLDER_MODE)),
    }
}

fn listed(folders: &[PathBuf], ours: &Path) -> String {
    let folders = folders.iter().map(PathBuf::as_path).chain([ours]);
    folders.map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Folders for tests.
impl Folders {
    /// The data directory is this folder.
    pub fn of_data(folder: &Path) -> Folders {
        Folders { data: folder.to_owned(), read: Vec::new(), write: Vec::new(), sockets: Vec::new() }
    }

    /// Everything below one folder may be read and hold sockets; the data directory is elsewhere.
    pub fn below(folder: &Path) -> Folders {
        let folders = vec![folder.to_owned()];
        Folders {
            data: "/nowhere/data".into(),
            read: folders.clone(),
            write: folders.clone(),
            sockets: folders,
        }
    }
}

#[cfg(test)]
mod tests;
