//! Checks tokens for sources that read sockets; the part that keeps the tokens answers.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Knows the tokens.
pub trait Gate: Send + Sync {
    /// The token in a header `Authorization`, if it may send. Blocks.
    fn token(&self, authorization: &str) -> Result<Box<dyn Pass>, Barred>;
}

/// A token that may send, within its limits.
pub trait Pass: Send + Sync {
    /// The gate's name in log lines.
    fn name(&self) -> &str;
    /// The longest body, unpacked, where it has a limit of its own.
    fn body_bytes_max(&self) -> Option<usize>;
    /// How long it has to wait, as it has sent more than it may.
    fn wait(&self) -> Option<Duration>;
    /// Notes what it sends.
    fn charge(&self, messages: usize, bytes: usize);
}

/// Why a sender is not admitted.
#[derive(Debug, PartialEq, Eq)]
pub enum Barred {
    /// There is no token, or it is wrong.
    Unknown(String),
    /// It may do other things.
    Forbidden(String),
    /// It may again after this time.
    TooFast(String, Duration),
    /// It cannot be found out now.
    Unavailable(String),
}

/// The gate, once there is one: sources start before it.
#[derive(Clone, Default)]
pub struct Gates(Arc<OnceLock<Arc<dyn Gate>>>);

impl Gates {
    /// Asks this one from now on; the first one stays.
    pub fn open(&self, gate: Arc<dyn Gate>) {
        self.0.get_or_init(|| gate);
    }

    /// The token in a header `Authorization`, if it is the one with this name, and may send now.
    pub fn admits(&self, authorization: &str, name: &str) -> Result<Box<dyn Pass>, Barred> {
        let gate = self.0.get().ok_or_else(|| Barred::Unavailable("the server is starting".to_owned()))?;
        let pass = gate.token(authorization)?;
        if pass.name() != name {
            let message = format!("this source takes the token `{name}`, not `{}`", pass.name());
            return Err(Barred::Forbidden(message));
        }
        match pass.wait() {
            None => Ok(pass),
            Some(wait) => {
                let message =
                    format!("the token `{name}` sends more than it may: wait {} s", wait.as_secs() + 1);
                Err(Barred::TooFast(message, wait))
            }
        }
    }
}
