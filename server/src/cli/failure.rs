//! Why a command failed, which decides its exit code.

use crate::machine::lock::LockError;
use std::fmt::Display;

/// Why a command failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The answer is no, or the input is bad: exit code 1.
    No(String),
    /// The environment (port, disk, lock) prevents it: exit code 3.
    Environment(String),
}

impl Failure {
    pub(super) fn no(message: impl Display) -> Failure {
        Failure::No(message.to_string())
    }

    pub(super) fn environment(message: impl Display) -> Failure {
        Failure::Environment(message.to_string())
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Failure {
        Failure::environment(error)
    }
}
