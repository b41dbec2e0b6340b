//! Passwords for commands: typed on a terminal that does not show them, or the first line of standard input.
//!
//! **Invariant:** no password is ever an argument, where other users of the machine could read it.

use super::failure::{CommandFailure, Result};
use super::text;
use logstead_accounts::password::{PASSWORD_BYTES_MAX, weakness};
use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};
use std::io::{self, BufRead, Read, Stdin};

/// Reads a new password for the user `name`. On a terminal it must be typed twice.
pub(super) fn new_password(name: &str) -> Result<String> {
    let stdin = io::stdin();
    let password = if isatty(&stdin) {
        let password = hidden(&stdin, &format!("New password of {name}: "))?;
        if hidden(&stdin, "Again: ")? != password {
            return Err(CommandFailure::no("the two passwords differ: nothing is changed"));
        }
        password
    } else {
        line(&stdin)?
    };
    match weakness(&password, name) {
        Some(weakness) => Err(CommandFailure::no(weakness)),
        None => Ok(password),
    }
}

fn hidden(stdin: &Stdin, prompt: &str) -> Result<String> {
    text::prompt(prompt);
    let _quiet = HiddenInput::new(stdin).map_err(CommandFailure::environment)?;
    let typed = line(stdin);
    // The line break that was typed was not shown either.
    text::error("");
    typed
}

/// Reads the first line, without its line break.
fn line(stdin: &Stdin) -> Result<String> {
    let mut bytes = Vec::new();
    let limit = PASSWORD_BYTES_MAX as u64 + 3;
    stdin.lock().take(limit).read_until(b'\n', &mut bytes).map_err(CommandFailure::environment)?;
    let line = String::from_utf8(bytes).map_err(|_| CommandFailure::no("the password is not UTF-8 text"))?;
    let line = line.strip_suffix('\n').map_or(line.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    if line.is_empty() {
        return Err(CommandFailure::no("there is no password on standard input"));
    }
    Ok(line.to_owned())
}

/// A terminal that does not show the input, until this is dropped.
struct HiddenInput<'a> {
    stdin: &'a Stdin,
    before: Termios,
}

impl HiddenInput<'_> {
    fn new(stdin: &Stdin) -> rustix::io::Result<HiddenInput<'_>> {
        let before = tcgetattr(stdin)?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(stdin, OptionalActions::Flush, &quiet)?;
        Ok(HiddenInput { stdin, before })
    }
}

impl Drop for HiddenInput<'_> {
    fn drop(&mut self) {
        // If the terminal is gone, nothing needs to be restored.
        tcsetattr(self.stdin, OptionalActions::Flush, &self.before).ok();
    }
}
