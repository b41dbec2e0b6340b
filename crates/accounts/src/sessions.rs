//! Browser sessions. A session ends when it is not used for the lifetime in the settings, and in any case some time
//! after the login.

use super::books::{Browser, NewSession, SessionHash, SessionUse};
use super::columns::Nanos;
use super::store::MetaStore;
use super::{Account, Grant, Meta, Result, Role};
use logstead_record::{SECOND, Timestamp};
use rusqlite::{OptionalExtension, Row, params};
use std::time::Duration;

/// Maximum number of sessions of a user; a new one replaces the one that would end first.
pub(super) const SESSIONS_OF_USER_MAX: u32 = 1000;
/// Using a session prolongs it, but its end is recorded at most this often.
const PROLONG_STEP: i64 = 60 * SECOND;

/// How long sessions last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionLimits {
    /// How long a session lasts without being used.
    pub idle_max: Duration,
    /// How long a session lasts even if it is used.
    pub age_max: Duration,
}

impl SessionLimits {
    /// The time when a session that is used now ends.
    fn expiry(&self, began_at: Timestamp, now: Timestamp) -> Timestamp {
        after(now, self.idle_max).min(after(began_at, self.age_max))
    }
}

fn after(time: Timestamp, duration: Duration) -> Timestamp {
    time.saturating_add(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
}

/// A session and its user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// The user's account.
    pub account: Account,
    /// The user's name.
    pub user: String,
    /// The user's current role, which may change while a session lasts.
    pub role: Role,
    /// The user's current grant, which may change as well.
    pub grant: Grant,
    /// The provider that keeps the user's password; `None` if it is kept here.
    pub origin: Option<String>,
    /// Whether the user has a second factor.
    pub has_second_factor: bool,
    /// When it ends if it is not used.
    pub expires_at: Timestamp,
    /// Whether this use has prolonged it, so that the browser has to be told.
    pub prolonged: bool,
}

/// A session as stored, before checking whether it has ended.
struct SessionRow {
    began_at: Timestamp,
    seen_at: Timestamp,
    session: Session,
}

impl Meta {
    /// Begins a session of a user and forgets those that have ended. Returns the time when it ends if it is not used.
    /// A session that cannot be written is kept in memory.
    pub fn add_session(
        &self,
        user_id: i64,
        secret_hash: SessionHash,
        browser: &Browser,
        limits: &SessionLimits,
        now: Timestamp,
    ) -> Result<Timestamp> {
        let expires_at = limits.expiry(now, now);
        let mut store = self.store();
        // Writes the books first: some sessions that seem to have ended may have been prolonged since the last round.
        let written = store.keep_books(now).and_then(|()| {
            store.write(|transaction| {
                transaction.execute("DELETE FROM sessions WHERE expires_at <= ?1", [Nanos(now)])?;
                transaction.execute(
                    "INSERT INTO sessions (hash, user_id, began_at, seen_at, expires_at, address, browser)
                     VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6)",
                    params![secret_hash, user_id, Nanos(now), Nanos(expires_at), browser.address, browser.agent],
                )?;
                transaction.execute(
                    "DELETE FROM sessions WHERE hash IN
                         (SELECT hash FROM sessions WHERE user_id = ?1 ORDER BY expires_at DESC LIMIT -1 OFFSET ?2)",
                    params![user_id, SESSIONS_OF_USER_MAX],
                )?;
                Ok(())
            })
        });
        match written {
            Err(error) if error.is_of_the_disk() => {
                store.must_wait(&error);
                let begun = NewSession { user_id, began_at: now, expires_at, browser: browser.clone() };
                if store.books.begin(secret_hash, begun) { Ok(expires_at) } else { Err(error) }
            }
            written => written.map(|()| expires_at),
        }
    }

    /// The session that a secret belongs to, prolonged; `None` if there is none or it has ended.
    pub fn use_session(
        &self,
        secret_hash: SessionHash,
        limits: &SessionLimits,
        now: Timestamp,
    ) -> Result<Option<Session>> {
        let mut store = self.store();
        let Some(SessionRow { began_at, seen_at, mut session }) = store.session(&secret_hash)? else {
            return Ok(None);
        };
        session.expires_at = session.expires_at.min(after(began_at, limits.age_max));
        if session.expires_at <= now {
            return Ok(None);
        }
        let prolonged = limits.expiry(began_at, now);
        let is_later = session.expires_at.saturating_add(PROLONG_STEP) < prolonged;
        if is_later || seen_at.saturating_add(PROLONG_STEP) < now {
            let until = session.expires_at.max(prolonged);
            store.books.prolong(secret_hash, SessionUse { until, seen_at: now });
            if is_later {
                (session.expires_at, session.prolonged) = (until, true);
            }
        }
        Ok(Some(session))
    }

    /// Ends a session; a missing one is not an error.
    pub fn remove_session(&self, secret_hash: SessionHash) -> Result<()> {
        let mut store = self.store();
        store.books.forget(&secret_hash);
        let written = store.write(|connection| {
            connection.execute("DELETE FROM sessions WHERE hash = ?1", [secret_hash])?;
            Ok(())
        });
        match written {
            Err(error) if error.is_of_the_disk() => {
                store.must_wait(&error);
                if store.books.end(secret_hash) { Ok(()) } else { Err(error) }
            }
            written => written,
        }
    }
}

impl MetaStore {
    /// The session as stored, updated with the records that are not written yet.
    fn session(&self, hash: &SessionHash) -> Result<Option<SessionRow>> {
        if self.books.has_ended(hash) {
            return Ok(None);
        }
        let found = match self.books.begun(hash) {
            Some(begun) => self.begun(begun)?,
            None => self.written(hash)?,
        };
        Ok(found.map(|mut found| {
            if let Some(SessionUse { until, seen_at }) = self.books.prolonged(hash) {
                found.session.expires_at = found.session.expires_at.max(until);
                found.seen_at = seen_at;
            }
            found
        }))
    }

    fn written(&self, hash: &SessionHash) -> Result<Option<SessionRow>> {
        let sql = format!(
            "SELECT {USER_COLUMNS}, began_at, expires_at, coalesce(seen_at, began_at)
             FROM sessions JOIN users ON users.id = user_id WHERE hash = ?1 AND disabled_at IS NULL"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row([hash], read).optional()?)
    }

    fn begun(&self, begun: &NewSession) -> Result<Option<SessionRow>> {
        let sql =
            format!("SELECT {USER_COLUMNS}, ?2, ?3, ?2 FROM users WHERE id = ?1 AND disabled_at IS NULL");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params![begun.user_id, Nanos(begun.began_at), Nanos(begun.expires_at)];
        Ok(statement.query_row(values, read).optional()?)
    }
}

/// The user columns that [`read`] reads.
const USER_COLUMNS: &str = "users.id, users.name, role, logspaces, scope, origin,
    EXISTS (SELECT 1 FROM totp WHERE totp.user_id = users.id AND confirmed_at IS NOT NULL)";

fn read(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let session = Session {
        account: Account::User(row.get(0)?),
        user: row.get(1)?,
        role: row.get(2)?,
        grant: Grant::read(row, 3)?,
        origin: row.get(5)?,
        has_second_factor: row.get(6)?,
        expires_at: row.get::<_, Nanos>(8)?.0,
        prolonged: false,
    };
    let time = |at| row.get::<_, Nanos>(at).map(|nanos| nanos.0);
    Ok(SessionRow { began_at: time(7)?, seen_at: time(9)?, session })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Secret;

    const LIMITS: SessionLimits =
        SessionLimits { idle_max: Duration::from_hours(12), age_max: Duration::from_hours(30) };

    fn check(meta: &Meta, secret: &Secret, at: Timestamp, expected: Option<&str>) {
        let session = meta.use_session(secret.hash(), &LIMITS, at).unwrap();
        assert_eq!(session.map(|session| session.user).as_deref(), expected, "at {at}");
    }

    #[test]
    fn a_session_lasts_as_long_as_it_is_used_but_not_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let begin = Timestamp::from_nanos(1_000 * SECOND);
        let after = |hours: i64| begin.saturating_add(hours * 3600 * SECOND);
        meta.add_first_admin("admin", "hash", begin).unwrap();
        let (used, idle) = (Secret::session().unwrap(), Secret::session().unwrap());
        meta.add_session(1, used.hash(), &Browser::default(), &LIMITS, begin).unwrap();
        meta.add_session(1, idle.hash(), &Browser::default(), &LIMITS, begin).unwrap();
        check(&meta, &used, after(11), Some("admin"));
        check(&meta, &used, after(22), Some("admin"));
        check(&meta, &idle, after(12), None);
        check(&meta, &used, after(29), Some("admin"));
        check(&meta, &used, after(30), None);
        check(&meta, &Secret::presented("guess"), begin, None);
    }

    #[test]
    fn a_session_says_when_it_ends_and_what_its_user_may_do_now() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let at = |seconds: i64| Timestamp::from_nanos(seconds * SECOND);
        meta.add_user("ana", Role::Analyst, "hash", at(0)).unwrap();
        let secret = Secret::session().unwrap();
        let hours = 12 * 3600;
        assert_eq!(
            meta.add_session(1, secret.hash(), &Browser::default(), &LIMITS, at(0)).unwrap(),
            at(hours)
        );
        let seen = |seconds: i64| {
            let session = meta.use_session(secret.hash(), &LIMITS, at(seconds)).unwrap().unwrap();
            (session.expires_at, session.prolonged)
        };
        assert_eq!(seen(60), (at(hours), false));
        assert_eq!(seen(61), (at(61 + hours), true));
        assert_eq!(seen(62), (at(61 + hours), false));
        let grant = Grant { logspaces: Some(vec!["main".to_owned()]), scope: None };
        meta.change_user("ana", Role::Operator, &grant).unwrap();
        let session = meta.use_session(secret.hash(), &LIMITS, at(63)).unwrap().unwrap();
        assert_eq!((session.role, session.grant), (Role::Operator, grant));
    }

    #[test]
    fn a_new_password_ends_every_other_session() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let now = Timestamp::from_nanos(5);
        meta.add_first_admin("admin", "hash", now).unwrap();
        let (mine, stolen) = (Secret::session().unwrap(), Secret::session().unwrap());
        meta.add_session(1, mine.hash(), &Browser::default(), &LIMITS, now).unwrap();
        meta.add_session(1, stolen.hash(), &Browser::default(), &LIMITS, now).unwrap();
        meta.set_password("Admin", "other", Some(mine.hash())).unwrap();
        check(&meta, &mine, now, Some("admin"));
        check(&meta, &stolen, now, None);
        meta.set_password("admin", "third", None).unwrap();
        check(&meta, &mine, now, None);
    }
}
