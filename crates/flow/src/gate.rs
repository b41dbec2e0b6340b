//! Checks tokens for sources that read sockets. The crate that keeps the tokens implements it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Checks the tokens of senders.
pub trait Gate: Send + Sync {
    /// The token in an `Authorization` header, if it may send. This call blocks.
    fn token(&self, authorization: &str) -> Result<Box<dyn SendToken>, GateError>;
}

/// A token that may send, within its limits.
pub trait SendToken: Send + Sync {
    /// The gate's name in log lines.
    fn name(&self) -> &str;
    /// The limit on an unpacked body, if the token has its own.
    fn body_bytes_max(&self) -> Option<usize>;
    /// The time that it has to wait if it has sent more than it may.
    fn wait(&self) -> Option<Duration>;
    /// Counts sent messages and bytes against the token's limits.
    fn charge(&self, messages: usize, bytes: usize);
}

/// The reason why a sender is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum GateError {
    /// There is no token, or it is wrong.
    Unknown(String),
    /// It is a valid token, but may not send here.
    Forbidden(String),
    /// It has sent too much, and may send again after this time.
    TooFast(String, Duration),
    /// It cannot be checked now.
    Unavailable(String),
}

/// Holds the gate, which is set later, as sources start before it exists.
#[derive(Clone, Default)]
pub struct Gates(Arc<OnceLock<Arc<dyn Gate>>>);

impl Gates {
    /// Sets the gate, unless one is set already.
    pub fn open(&self, gate: Arc<dyn Gate>) {
        self.0.get_or_init(|| gate);
    }

    /// The token in an `Authorization` header, if it has this name and may send now.
    pub fn admits(&self, authorization: &str, name: &str) -> Result<Box<dyn SendToken>, GateError> {
        let gate = self.0.get().ok_or_else(|| GateError::Unavailable("the server is starting".to_owned()))?;
        let pass = gate.token(authorization)?;
        if pass.name() != name {
            let message = format!("this source accepts only the token `{name}`, not `{}`", pass.name());
            return Err(GateError::Forbidden(message));
        }
        match pass.wait() {
            None => Ok(pass),
            Some(wait) => {
                let message =
                    format!("the token `{name}` sends more than it may: wait {} s", wait.as_secs() + 1);
                Err(GateError::TooFast(message, wait))
            }
        }
    }
}
