//! The reasons why a command failed, which decide its exit code.

use logstead_accounts as accounts;
use logstead_flow::machine::lock::LockError;
use std::fmt::Display;

/// The reason why a command failed.
#[derive(Debug)]
pub(super) enum CommandFailure {
    /// The answer is negative, or the input is invalid: exit code 1.
    No(String),
    /// The environment (a port, the disk, a lock) prevents it: exit code 3.
    Environment(String),
}

/// The result of a command, or of a part of it.
pub(super) type Result<T, E = CommandFailure> = std::result::Result<T, E>;

impl CommandFailure {
    pub(super) fn no(message: impl Display) -> CommandFailure {
        CommandFailure::No(message.to_string())
    }

    pub(super) fn environment(message: impl Display) -> CommandFailure {
        CommandFailure::Environment(message.to_string())
    }
}

impl From<accounts::Error> for CommandFailure {
    /// Errors of the database itself belong to the environment; all others are answers.
    fn from(error: accounts::Error) -> CommandFailure {
        let is_of_the_database = matches!(
            error,
            accounts::Error::Sqlite(_)
                | accounts::Error::Full(_)
                | accounts::Error::NotWritable(_)
                | accounts::Error::Secret(_)
        );
        if is_of_the_database { CommandFailure::environment(error) } else { CommandFailure::no(error) }
    }
}

impl From<LockError> for CommandFailure {
    fn from(error: LockError) -> CommandFailure {
        CommandFailure::environment(error)
    }
}
