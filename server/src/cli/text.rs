//! Prints the output of commands. A reader that has gone away (`| head`) is not an error.

use super::failure::{CommandFailure, Result};
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::Value;
use std::io::{self, Write};

/// Prints a line.
pub(super) fn line(text: &str) -> Result<()> {
    bytes(text.as_bytes())
}

/// Prints a line that need not be UTF-8.
pub(super) fn bytes(line: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(line).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => done.map_err(CommandFailure::environment),
    }
}

/// Prints a line of a process that continues whether or not anyone reads it.
pub(super) fn notice(text: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).ok();
}

/// Ends the process as soon as its output can no longer be read, even if there is nothing to print.
pub(super) fn end_with_reader() -> io::Result<()> {
    let wait = || {
        let out = io::stdout();
        loop {
            // No event is requested, so only errors and a closed reader are reported.
            let mut waiting = [PollFd::new(&out, PollFlags::empty())];
            match poll(&mut waiting, None) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(1..) => std::process::exit(0),
                Ok(0) | Err(_) => return,
            }
        }
    };
    std::thread::Builder::new().name("stdout".to_owned()).spawn(wait).map(drop)
}

/// Prints to standard error, if that is still open.
pub(super) fn error(text: &str) {
    writeln!(io::stderr(), "{text}").ok();
}

/// Prints the warnings of a server's answer.
pub(super) fn warn_of(answer: &Value) {
    for warning in answer["warnings"].as_array().into_iter().flatten() {
        error(&format!("warning: {}", warning["message"].as_str().unwrap_or_default()));
    }
}

/// Prints the number of copies that are left out, if there are any.
pub(super) fn tell_copies(copies: u64) {
    match copies {
        0 => {}
        1 => error("1 copy is left out, as another logspace has it too; --copies all shows it"),
        copies => error(&format!(
            "{copies} copies are left out, as other logspaces have them too; --copies all shows them"
        )),
    }
}

/// Prints a prompt on standard error, without a line break.
pub(super) fn prompt(text: &str) {
    let mut out = io::stderr();
    write!(out, "{text}").and_then(|()| out.flush()).ok();
}

/// A row of comma-separated values.
pub(super) fn csv<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let mut row = Vec::new();
    logstead_questions::wire::csv::row(values, &mut row);
    String::from_utf8_lossy(&row).into_owned()
}

/// The text without control characters, which are made visible so that a log cannot control the terminal.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\t' { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}
