//! Finds and runs the programs of other projects.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A program from a Debian package. Its timestamps without a zone are in UTC, as the server's sources expect by
/// default.
pub(crate) fn program(name: &str, package: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let sbin = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    let found =
        std::env::split_paths(&path).chain(sbin).map(|folder| folder.join(name)).find(|f| f.is_file());
    let Some(found) = found else {
        panic!(
            "`{name}` is not here and this test is about it. Install the package {package}, or let `npm test` do so \
             as root: see \"Programs of others\" in CONTRIBUTING.md"
        )
    };
    let mut command = Command::new(found);
    command.env("TZ", "UTC").stdin(Stdio::null());
    // Programs must connect to our servers directly, whatever proxies this machine uses.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().to_ascii_lowercase().ends_with("_proxy") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a program with this input and waits for its end.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that rejects its input ends with a message that the caller checks.
    child.stdin.take().unwrap().write_all(input).ok();
    child.wait_with_output().unwrap()
}

/// A program that runs until it is dropped, and its output so far.
pub(crate) struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts the program, with its output in a file in `folder`.
    pub(crate) fn start(command: &mut Command, folder: &Path) -> Daemon {
        let log = folder.join("said.log");
        let file = std::fs::File::create(&log).unwrap();
        let child = command.stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap();
        Daemon { child, log }
    }

    /// All output so far.
    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }
}

#[expect(clippy::print_stderr, reason = "what the program said explains a test that failed")]
impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already, so errors are ignored.
        self.child.kill().ok();
        self.child.wait().ok();
        if std::thread::panicking() {
            eprintln!("{} said:\n{}", self.log.display(), self.said());
        }
    }
}

/// The `rsyslogd` of a Debian package, which is installed or was unpacked into a folder.
pub(crate) fn rsyslog() -> Command {
    let unpacked = std::env::var_os("LOGSTEAD_TEST_RSYSLOG").map(PathBuf::from);
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/rsyslog");
    let roots = unpacked.into_iter().chain([cache, PathBuf::from("/")]);
    let libraries = |root: &Path| root.join("usr/lib").join(format!("{}-linux-gnu", std::env::consts::ARCH));
    let found = roots.into_iter().find(|root| libraries(root).join("rsyslog/omrelp.so").is_file());
    let Some(root) = found else {
        panic!(
            "rsyslog with RELP is not here and this test is about it. `npm test` unpacks it into .cache/rsyslog; \
             LOGSTEAD_TEST_RSYSLOG names another folder with usr/sbin/rsyslogd: see \"Programs of others\" in \
             CONTRIBUTING.md"
        )
    };
    let mut command = Command::new(root.join("usr/sbin/rsyslogd"));
    command.env("TZ", "UTC").env("LD_LIBRARY_PATH", libraries(&root)).stdin(Stdio::null());
    command.args([OsStr::new("-M"), libraries(&root).join("rsyslog").as_os_str()]);
    command
}
