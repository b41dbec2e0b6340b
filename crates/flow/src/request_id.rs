//! The id of the request that causes a piece of work. It is in the answer, in problems, and in every line of our own
//! log that the work causes, so that these can be matched.
//!
//! It belongs to the task that answers the request. Work in other threads and tasks gets it through [`carried`] or
//! [`followed`].

use ring::rand::{SecureRandom, SystemRandom};
use std::fmt::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::Instrument;

/// The name of the id in log lines and problems.
pub const FIELD: &str = "request_id";
/// The longest id that a client may give.
const BYTES_MAX: usize = 128;
/// The number of random bytes in an id that we generate.
const RANDOM_BYTES: usize = 16;

/// The id of a request.
///
/// **Invariant:** it has 1 to 128 characters, each of which is a letter, a digit or a sign that means nothing to headers,
/// Its characters need no escapes in JSON, logs or shells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Id(Arc<str>);

tokio::task_local! {
    static CURRENT: Id;
}

impl Id {
    /// A new id that no other request has.
    pub fn random() -> Id {
        /// The substitute if the system has no randomness.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut bytes = [0; RANDOM_BYTES];
        if SystemRandom::new().fill(&mut bytes).is_err() {
            bytes[..8].copy_from_slice(&COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        }
        let mut text = String::with_capacity(2 * RANDOM_BYTES);
        for byte in bytes {
            // Writing to a string cannot fail.
            write!(text, "{byte:02x}").ok();
        }
        Id(text.into())
    }

    /// The id that a client gives, if it is valid.
    pub fn from_client(bytes: &[u8]) -> Option<Id> {
        let is_harmless = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:+/=@~".contains(byte);
        let fits = (1..=BYTES_MAX).contains(&bytes.len()) && bytes.iter().all(is_harmless);
        fits.then(|| Id(String::from_utf8_lossy(bytes).into()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of the request that this work is for, if there is one.
pub fn current() -> Option<Id> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Runs work on behalf of a request.
pub async fn within<T>(id: Id, work: impl Future<Output = T>) -> T {
    // A span at the level of errors is kept at every log level.
    let span = tracing::error_span!("request", request_id = %id);
    CURRENT.scope(id, work.instrument(span)).await
}

/// Wraps work for another thread, so that it runs on behalf of this request.
pub fn carried<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let (id, span) = (current(), tracing::Span::current());
    move || match id {
        Some(id) => span.in_scope(|| CURRENT.sync_scope(id, work)),
        None => work(),
    }
}

/// Wraps work for another task, so that it runs on behalf of this request.
pub fn followed<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    let id = current();
    async move {
        match id {
            Some(id) => within(id, work).await,
            None => work.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_a_client_is_kept_if_it_is_harmless() {
        for good in ["1", "01JDQ-7.a_b:c", "Root=1-67-abc@x+y/z=~", &"x".repeat(128)] {
            assert_eq!(Id::from_client(good.as_bytes()).unwrap().as_str(), good);
        }
        for bad in
            ["", "a b", "a\"b", "a\tb", "<b>", "a;b", "$(a)", "a\\b", "\u{1b}[31m", "ä", &"x".repeat(129)]
        {
            assert_eq!(Id::from_client(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(Id::from_client(b"\xff"), None);
        let (one, other) = (Id::random(), Id::random());
        assert_ne!(one, other);
        assert_eq!(Id::from_client(one.as_str().as_bytes()), Some(one));
    }

    #[tokio::test]
    async fn an_id_goes_along_with_the_work_for_its_request() {
        assert_eq!(current(), None);
        let id = Id::from_client(b"a").unwrap();
        let elsewhere = within(id.clone(), async {
            assert_eq!(current().unwrap().as_str(), "a");
            let thread = std::thread::spawn(carried(current));
            let task = tokio::spawn(followed(async { current() }));
            let forgetful = tokio::spawn(async { current() }).await.unwrap();
            (thread.join().unwrap(), task.await.unwrap(), forgetful)
        });
        assert_eq!(elsewhere.await, (Some(id.clone()), Some(id), None));
        assert_eq!(current(), None);
        assert_eq!(std::thread::spawn(carried(current)).join().unwrap(), None);
    }
}
