//! A password for a command: typed on a terminal that does not show it, or the first line of standard input.
//!
//! **Invariant:** no password is ever an argument, where other users of the machine could read it.

use super::failure::Failure;
use super::text;
use logstead_accounts::password::{PASSWORD_BYTES_MAX, weakness};
use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};
use std::io::{self, BufRead, Read, Stdin};

/// Reads a new password of the user `name`. On a terminal it is typed twice.
pub(super) fn new_password(name: &str) -> Result<String, Failure> {
    let stdin = io::stdin();
    let password = if isatty(&stdin) {
        let password = hidden(&stdin, &format!("New password of {name}: "))?;
        if hidden(&stdin, "Again: ")? != password {
            return Err(Failure::no("the two are not the same: nothing is changed"));
        }
        password
    } else {
        line(&stdin)?
    };
    match weakness(&password, name) {
        Some(weakness) => Err(Failure::no(weakness)),
        None => Ok(password),
    }
}

fn hidden(stdin: &Stdin, prompt: &str) -> Result<String, Failure> {
    text::prompt(prompt);
    let _quiet = Quiet::new(stdin).map_err(Failure::environment)?;
    let typed = line(stdin);
    // What ended the line was not shown either.
    text::error("");
    typed
}

/// The first line, without its end.
fn line(stdin: &Stdin) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = PASSWORD_BYTES_MAX as u64 + 3;
    stdin.lock().take(limit).read_until(b'\n', &mut bytes).map_err(Failure::environment)?;
    let line = String::from_utf8(bytes).map_err(|_| Failure::no("the password is not UTF-8 text"))?;
    let line = line.strip_suffix('\n').map_or(line.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    if line.is_empty() {
        return Err(Failure::no("there is no password on standard input"));
    }
    Ok(line.to_owned())
}

/// A terminal that does not show what is typed, until this is dropped.
struct Quiet<'a> {
    stdin: &'a Stdin,
    before: Termios,
}

impl Quiet<'_> {
    fn new(stdin: &Stdin) -> rustix::io::Result<Quiet<'_>> {
        let before = tcgetattr(stdin)?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(stdin, OptionalActions::Flush, &quiet)?;
        Ok(Quiet { stdin, before })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // A terminal that has gone away needs nothing.
        tcsetattr(self.stdin, OptionalActions::Flush, &self.before).ok();
    }
}
