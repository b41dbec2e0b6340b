//! Callers, logins, accounts, and their rights.
//!
//! | module         | owns                                                     |
//! |----------------|----------------------------------------------------------|
//! | `caller`, `call` | the caller, and the part of the store it may see; the state beside it |
//! | `throttle`     | the wait after failed attempts                           |
//! | `cookie`       | the cookies of a browser, and the CSRF token             |
//! | `authenticate` | from the headers of a request to its caller, and once more later |
//! | `credentials`  | names and passwords: the rules for them, and checking them |
//! | `gate`         | tokens of senders to sources with sockets of their own   |
//! | `grants`       | the parts of the store that can be granted               |
//! | `session`      | logging in and out, the first administrator              |
//! | `external`, `oidc` | people whom providers know: their rights here, logging in with an OpenID provider |
//! | `account`      | users' own accounts: sessions, second factor             |
//! | `users`, `tokens`, `audit` | accounts, and the log of what they did       |
//!
//! **Invariant:** a route is reached only through [`authenticate::require`] with its requirement, or is one of the few
//! that answer everybody; see the table in [`super::routes`].

pub(super) mod account;
pub(super) mod audit;
pub(super) mod authenticate;
mod call;
mod caller;
pub(super) mod cookie;
mod credentials;
mod external;
pub(super) mod gate;
pub(super) mod grants;
pub(super) mod oidc;
pub(super) mod preferences;
pub(super) mod session;
pub(super) mod throttle;
pub(super) mod token_change;
pub(super) mod tokens;
pub(super) mod users;

pub(super) use call::Call;
pub(super) use caller::{Caller, Needs};
