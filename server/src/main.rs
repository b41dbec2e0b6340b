//! The `logstead` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    logstead::cli::run()
}
