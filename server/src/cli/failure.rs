//! Why a command failed, which decides its exit code.

use logstead_accounts as accounts;
use logstead_flow::machine::lock::LockError;
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

impl From<accounts::Error> for Failure {
    /// The database itself is part of the environment; the rest are answers.
    fn from(error: accounts::Error) -> Failure {
        let is_of_the_database = matches!(
            error,
            accounts::Error::Sqlite(_)
                | accounts::Error::Full(_)
                | accounts::Error::NotWritable(_)
                | accounts::Error::Secret(_)
        );
        if is_of_the_database { Failure::environment(error) } else { Failure::no(error) }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Failure {
        Failure::environment(error)
    }
}
