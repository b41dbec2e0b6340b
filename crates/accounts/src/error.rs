//! Why a call to the database was refused or failed, in words that an operator or a caller can act on.

use rusqlite::ErrorCode;
use std::path::PathBuf;

/// Why a call was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file is damaged: it is not as SQLite wrote it.
    #[error("{} is damaged: {what}; replace it with a backup, or start once with `serve --new-database`, \
             which sets it aside and begins a new one beside the messages", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// SQLite's description.
        what: String,
    },
    /// Another version of this program wrote the file.
    #[error("{} has schema version {found}, and this program reads version {known}; start the version that wrote it", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The file's version.
        found: u32,
        /// The version that this program knows.
        known: u32,
    },
    /// There is no room for a change.
    #[error(
        "the disk of the data directory is full, so nothing can be changed: make room there, for example with a \
         shorter retention ({0})"
    )]
    Full(rusqlite::Error),
    /// The disk refuses changes for a reason other than lack of space.
    #[error(
        "the database of users and revisions cannot be written, so nothing can be changed: check the disk of the \
         data directory ({0})"
    )]
    NotWritable(rusqlite::Error),
    /// The witness cannot be brought up to date, so the next start would not trust the database.
    #[error(
        "the witness of the database, `logstead.db.sum`, cannot be written: check the disk of the data directory, \
         and try again ({0})"
    )]
    Witness(std::io::Error),
    /// Reading or writing failed.
    #[error("the database of users and revisions failed: {0}")]
    Sqlite(rusqlite::Error),
    /// The system provides no random numbers, or the password cannot be hashed.
    #[error("a secret cannot be generated: {0}")]
    Secret(String),
    /// The password is too easy to guess.
    #[error(
        "the password of the first administrator, in LOGSTEAD_ADMIN_PASSWORD, is too weak: {0}. Set a better one, \
         or leave it out: the console then asks for one, with the set-up code that is printed here"
    )]
    WeakPassword(String),
    /// The name is taken.
    #[error("there is already a user `{0}`")]
    UserExists(String),
    /// The name is taken.
    #[error("there is already a token `{0}`: remove it first, or choose another name")]
    TokenExists(String),
    /// There is no user of this name.
    #[error("there is no user `{0}`")]
    NoSuchUser(String),
    /// It is the last administrator, without whom nobody could manage the server.
    #[error(
        "`{0}` is the last administrator with a password that Logstead keeps, and must remain one: create another \
         first"
    )]
    LastAdmin(String),
    /// There is no search with this number that the caller may see.
    #[error("there is no saved search {0}")]
    NoSuchSearch(i64),
    /// The search belongs to somebody else.
    #[error("the saved search {id} belongs to {owner}: save a copy under a name of your own")]
    OthersSearch {
        /// The id of the search.
        id: i64,
        /// The owner's name.
        owner: String,
    },
    /// The name is taken.
    #[error("{owner} has a saved search `{name}` in this folder already: choose another name or folder")]
    SearchExists {
        /// The owner's name.
        owner: String,
        /// The name of the search.
        name: String,
    },
    /// The limit is reached.
    #[error("{owner} has {max} saved searches, which is the most that is allowed: remove one first")]
    TooManySearches {
        /// The owner's name.
        owner: String,
        /// The limit.
        max: u32,
    },
    /// The password is kept by an OpenID provider or an LDAP directory.
    #[error("the password of `{name}` is kept by {origin}: change it there")]
    PasswordElsewhere {
        /// The user's name.
        name: String,
        /// The provider that keeps it.
        origin: String,
    },
    /// The name that the provider gives a person belongs to a user who was not created by this provider.
    #[error(
        "there is already a user `{0}` who was not created through this provider: remove or rename one of the two"
    )]
    NameTaken(String),
    /// The user already has a second factor.
    #[error("there is a second factor already: remove it first")]
    SecondFactorExists,
    /// It does not exist.
    #[error("there is no second factor")]
    NoSecondFactor,
    /// No enrolment was begun, or it was begun too long ago.
    #[error("no second factor is being set up, or it took longer than 15 minutes: begin again")]
    NoEnrolment,
    /// The first administrator was created before.
    #[error("the first administrator exists already: log in")]
    AlreadySetUp,
}

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether the disk is the reason, so that the call may succeed another time.
    pub(crate) fn is_of_the_disk(&self) -> bool {
        matches!(self, Error::Full(_) | Error::NotWritable(_) | Error::Witness(_))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error::Full(error),
            Some(ErrorCode::ReadOnly | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
                Error::NotWritable(error)
            }
            _ => Error::Sqlite(error),
        }
    }
}
