//! The server's own records, as opposed to messages: users, sessions, tokens, router revisions and the audit log, in
//! one SQLite file.
//!
//! | table     | holds                                                           |
//! |-----------|-----------------------------------------------------------------|
//! | users     | name, role, what it may search, argon2id hash of the password or where it is known from |
//! | sessions  | hash of a browser's session secret, when it began and when it ends, from where |
//! | totp, recovery_codes | second factors: secrets of authenticator apps, hashes of recovery codes |
//! | devices   | hash of the secret of a browser in which a user has logged in before |
//! | tokens    | hash of an API token, its role, what it may search, when it ends, when it was used |
//! | saved_searches | named searches, private or shared                          |
//! | preferences | what each user prefers in the console                  |
//! | revisions | every router document that was ever live, with author and comment |
//! | revision_on_trial | the revision that is taken back unless it is confirmed   |
//! | audit     | who changed what, and who failed to log in                      |
//!
//! **Invariant:** no password and no secret is stored, only hashes to compare them with. The one exception is the
//! secret of an authenticator app, from which both sides compute the codes.
//! **Invariant:** a change that a call has returned `Ok` for survives a power cut (`synchronous=FULL`). Entries that
//! are only recorded alongside a request ([`books`]) never fail it, and are written when the disk allows.
//! **Invariant:** the clock comes in as an argument. Calls block: async code makes them on a blocking thread.

mod account;
mod audit;
mod bookkeeper;
mod books;
mod columns;
mod devices;
pub mod document_backups;
mod error;
mod external;
mod grant;
pub mod identity;
mod integrity;
pub mod name;
mod one_time;
pub mod password;
mod preferences;
mod revisions;
mod saved_searches;
mod second_factor;
mod secret;
mod session_list;
mod sessions;
mod store;
mod tokens;
mod unconfirmed;
mod users;
mod wal;
mod witness;

pub use account::{Account, Actor};
pub use audit::AUDIT_ACTIONS;
pub use bookkeeper::{Bookkeeper, BooksStatus};
pub use books::{AuditEntry, Browser};
pub use error::{Error, Result};
pub use external::ExternalUser;
pub use grant::Grant;
pub use integrity::{CheckDepth, DatabaseState, IntactDatabase, inspect, remove_spare_log, set_aside};
pub use one_time::{TotpSecret, step_at, typed};
pub use revisions::{Revision, RevisionHead};
pub use saved_searches::{ListSize, SAVED_SEARCHES_MAX, SavedSearch, SearchKey, SearchToSave};
pub use second_factor::SecondFactor;
pub use secret::{Secret, setup_code};
pub use session_list::ListedSession;
pub use sessions::{Session, SessionLimits};
pub use store::Meta;
pub use tokens::{ApiToken, NewToken, TokenLimits};
pub use unconfirmed::{RevisionDeadline, UnconfirmedRevision};
pub use users::{Credentials, Role, User};
