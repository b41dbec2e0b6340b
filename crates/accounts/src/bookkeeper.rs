//! The thread that writes the pending entries of the [books](super::books) and maintains the
//! [reserve](super::reserve).

use super::store::MetaStore;
use super::{Error, Meta, Result};
use logstead_flow::machine::clock;
use logstead_record::Timestamp;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often it writes. Last uses recorded within this time are lost if the process is killed.
const ROUND_INTERVAL: Duration = Duration::from_secs(5);

/// The state of the books.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BooksStatus {
    /// Sessions and audit entries that have yet to be written.
    pub waiting: usize,
    /// Audit entries that were dropped and only counted.
    pub audit_dropped: u64,
    /// Disk space that is reserved for the database.
    pub reserve_bytes: u64,
}

impl Meta {
    /// Writes the waiting entries, and fills the reserve if there is space. Entries that cannot be written keep
    /// waiting.
    pub fn keep_books(&self, now: Timestamp) -> Result<()> {
        let mut store = self.store();
        // The entries are written first: they are small, and a reserve is of no use while it is still being filled.
        let written = store.keep_books(now);
        if let Err(error) = &written {
            store.must_wait(error);
        } else if store.is_waiting {
            store.is_waiting = false;
            tracing::info!(
                "sessions and audit entries that waited in memory have been written to the database"
            );
        }
        if let Err(error) = store.reserve.fill() {
            tracing::debug!("the disk space reserved for the database cannot be replenished: {error}");
        }
        written
    }

    /// The state of the books.
    pub fn books_status(&self) -> BooksStatus {
        let store = self.store();
        BooksStatus {
            waiting: store.books.stuck(),
            audit_dropped: store.books.audit_dropped_total,
            reserve_bytes: store.reserve.held_bytes(),
        }
    }
}

impl MetaStore {
    /// Does not use the reserve: these entries can wait longer.
    pub(super) fn keep_books(&mut self, now: Timestamp) -> Result<()> {
        let mut written = self.books.write(&mut self.connection, now);
        if matches!(written, Err(Error::Full(_))) && self.reuse_log().is_ok() {
            written = self.books.write(&mut self.connection, now);
        }
        written?;
        self.settle()
    }
}

/// Writes the books regularly until it is dropped, and then once more.
pub struct Bookkeeper {
    meta: Meta,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bookkeeper {
    /// Starts the thread.
    pub fn start(meta: Meta) -> std::io::Result<Bookkeeper> {
        let (stop, stopped) = channel();
        let books = meta.clone();
        let rounds = move || {
            // The call itself logs, once, why entries have to wait.
            books.keep_books(clock::now()).ok();
            while stopped.recv_timeout(ROUND_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                books.keep_books(clock::now()).ok();
            }
        };
        let thread = std::thread::Builder::new().name("bookkeeper".to_owned()).spawn(rounds)?;
        Ok(Bookkeeper { meta, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Bookkeeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic has already been reported.
            thread.join().ok();
        }
        if self.meta.keep_books(clock::now()).is_err() {
            let waiting = self.meta.books_status().waiting;
            tracing::error!(
                "{waiting} sessions and audit entries could not be written before the server stopped, and are lost"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Browser, Grant, NewToken, Role, Secret, SessionLimits};
    use logstead_record::SECOND;

    const LIMITS: SessionLimits =
        SessionLimits { idle_max: Duration::from_hours(12), age_max: Duration::from_hours(48) };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_nanos(seconds * SECOND)
    }

    fn meta() -> (tempfile::TempDir, Meta) {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        meta.add_first_admin("admin", "hash", at(0)).unwrap();
        (directory, meta)
    }

    /// Makes the database refuse every change from now on, either because it is full or because it is read-only.
    fn refuse(meta: &Meta, full: bool) {
        let connection = meta.connection();
        if full {
            let pages: u32 = connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
            connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).unwrap();
            // Fills the free space in the existing pages.
            let mut filled = Ok(0);
            while filled.is_ok() {
                filled = connection
                    .execute("INSERT INTO audit (time, user, action, detail) VALUES (0, '', '', ?1)", ["x"]);
            }
        } else {
            connection.pragma_update(None, "query_only", true).unwrap();
        }
    }

    fn allow(meta: &Meta) {
        let connection = meta.connection();
        connection.query_row("PRAGMA max_page_count = 1000000", [], |_| Ok(())).unwrap();
        connection.pragma_update(None, "query_only", false).unwrap();
    }

    #[test]
    fn nothing_that_is_only_noted_fails_a_request_and_all_of_it_is_written_in_the_end() {
        for full in [true, false] {
            let (directory, meta) = meta();
            let new =
                NewToken { name: "ci", role: Role::Analyst, created_by: "admin".into(), expires_at: None };
            let (_, token) = meta.add_token(&new, at(1)).unwrap();
            let old = Secret::session().unwrap();
            meta.add_session(1, old.hash(), &Browser::default(), &LIMITS, at(1)).unwrap();
            refuse(&meta, full);

            // This is more than a minute after the last use that was recorded, so the use is written again.
            assert!(meta.use_token(token.hash(), at(100)).unwrap().is_some());
            let session = meta.use_session(old.hash(), &LIMITS, at(100)).unwrap().unwrap();
            assert!(session.prolonged && session.expires_at == at(100 + 12 * 3600));
            // An update that takes no more room than the row it replaces succeeds on a full disk, too.
            assert!(meta.keep_books(at(101)).is_err() || full);
            let new = Secret::session().unwrap();
            meta.add_audit(&"admin".into(), "session.begin", "on a full disk", at(102));
            meta.add_session(1, new.hash(), &Browser::default(), &LIMITS, at(102)).unwrap();
            assert!(meta.use_session(new.hash(), &LIMITS, at(103)).unwrap().is_some());
            meta.remove_session(old.hash()).unwrap();
            assert!(meta.use_session(old.hash(), &LIMITS, at(104)).unwrap().is_none());
            assert_eq!(meta.audit(1).unwrap()[0].detail, "on a full disk");
            assert!(meta.books_status().waiting == 3 || full);
            let refused = meta.add_user("ana", Role::Analyst, &"h".repeat(10_000), at(105)).unwrap_err();
            assert!(refused.is_of_the_disk(), "{refused}");

            allow(&meta);
            meta.keep_books(at(106)).unwrap();
            assert_eq!(meta.books_status().waiting, 0);
            drop(meta);
            let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
            assert_eq!(meta.tokens().unwrap()[0].last_used, Some(at(100)));
            assert_eq!(meta.audit(1).unwrap()[0].detail, "on a full disk");
            assert!(meta.use_session(old.hash(), &LIMITS, at(107)).unwrap().is_none());
            assert!(meta.use_session(new.hash(), &LIMITS, at(107)).unwrap().is_some());
        }
    }

    #[test]
    fn audit_entries_stay_in_their_order_and_those_that_were_dropped_are_counted() {
        let (_directory, meta) = meta();
        refuse(&meta, false);
        for number in 0..3 {
            meta.add_audit(&"ana".into(), "session.refused", &number.to_string(), at(number));
        }
        allow(&meta);
        meta.add_audit(&"ana".into(), "session.refused", "3", at(3));
        let details = |meta: &Meta| -> Vec<String> {
            meta.audit(10).unwrap().into_iter().map(|entry| entry.detail).collect()
        };
        assert_eq!(details(&meta), ["3", "2", "1", "0"]);
        meta.keep_books(at(4)).unwrap();
        assert_eq!(details(&meta), ["3", "2", "1", "0"]);
        assert_eq!(meta.audit(2).unwrap().len(), 2);

        refuse(&meta, false);
        meta.add_audit(&"ana".into(), "session.refused", &"x".repeat(5 << 20), at(5));
        allow(&meta);
        assert_eq!(meta.books_status().audit_dropped, 1);
        meta.keep_books(at(6)).unwrap();
        let newest = meta.audit(1).unwrap().remove(0);
        assert_eq!((newest.action.as_str(), newest.user.as_str()), ("audit.dropped", "system"));
        meta.keep_books(at(7)).unwrap();
        assert_eq!(details(&meta).len(), 5, "said once");
    }

    #[test]
    fn a_session_that_waits_ends_with_its_user_and_with_a_new_password() {
        let (_directory, meta) = meta();
        meta.add_user("ana", Role::Analyst, "h", at(0)).unwrap();
        let id = meta.credentials("ana").unwrap().unwrap().id;
        let begin = || {
            let secret = Secret::session().unwrap();
            refuse(&meta, false);
            meta.add_session(id, secret.hash(), &Browser::default(), &LIMITS, at(1)).unwrap();
            allow(&meta);
            secret
        };
        let lives = |secret: &Secret| meta.use_session(secret.hash(), &LIMITS, at(2)).unwrap().is_some();
        let (mine, other) = (begin(), begin());
        meta.change_user("ana", Role::Operator, &Grant::default()).unwrap();
        assert_eq!(meta.use_session(mine.hash(), &LIMITS, at(2)).unwrap().unwrap().role, Role::Operator);
        meta.set_password("ana", "other", Some(mine.hash())).unwrap();
        assert_eq!((lives(&mine), lives(&other)), (true, false));
        meta.remove_user("ana").unwrap();
        assert!(!lives(&mine));
        meta.keep_books(at(3)).unwrap();
        assert!(!lives(&mine));
    }
}
