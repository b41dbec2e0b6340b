//! Checks tokens for sources that read sockets; the part that keeps the tokens answers.

use std::sync::{Arc, OnceLock};

/// Knows the tokens.
pub(crate) trait Gate: Send + Sync {
    /// The name of the token in a header `Authorization`, if it may send. Blocks.
    fn token(&self, authorization: &str) -> Result<String, Barred>;
}

/// Why a sender is not admitted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Barred {
    /// There is no token, or it is wrong.
    Unknown(String),
    /// It may do other things.
    Forbidden(String),
    /// It cannot be found out now.
    Unavailable(String),
}

/// The gate, once there is one: sources start before it.
#[derive(Clone, Default)]
pub(crate) struct Gates(Arc<OnceLock<Arc<dyn Gate>>>);

impl Gates {
    /// Asks this one from now on; the first one stays.
    pub(crate) fn open(&self, gate: Arc<dyn Gate>) {
        self.0.get_or_init(|| gate);
    }

    /// Whether the token in a header `Authorization` is the one with this name, and may send.
    pub(crate) fn admits(&self, authorization: &str, name: &str) -> Result<(), Barred> {
        let gate = self.0.get().ok_or_else(|| Barred::Unavailable("the server is starting".to_owned()))?;
        match gate.token(authorization)? {
            found if found == name => Ok(()),
            other => Err(Barred::Forbidden(format!("this source takes the token `{name}`, not `{other}`"))),
        }
    }
}
