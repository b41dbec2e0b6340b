//! Sessions of browsers: they end when nobody has used them for the lifetime that the settings say.

use super::{Grant, Meta, Nanos, Result, Role};
use logstead_record::{SECOND, Timestamp};
use rusqlite::{OptionalExtension, params};
use std::time::Duration;

/// Using a session prolongs it, but its end is written at most this often.
const PROLONG_STEP: i64 = 60 * SECOND;

/// Whose session it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// The user's name.
    pub user: String,
    /// What the user may do now; changes while a session lasts.
    pub role: Role,
    /// What the user may search now, likewise.
    pub grant: Grant,
    /// When it ends if nobody uses it.
    pub expires_at: Timestamp,
    /// Whether this use has made it end later, which its holder should be told.
    pub prolonged: bool,
}

impl Meta {
    /// Begins a session of a user and forgets those that have ended: when it ends if nobody uses it.
    pub fn add_session(
        &self,
        user: &str,
        secret_hash: [u8; 32],
        lifetime: Duration,
        now: Timestamp,
    ) -> Result<Timestamp> {
        let expires_at = expiry(lifetime, now);
        let connection = self.connection();
        connection.execute("DELETE FROM sessions WHERE expires_at <= ?1", [Nanos(now)])?;
        connection.execute(
            "INSERT INTO sessions VALUES (?1, ?2, ?3)",
            params![secret_hash, user, Nanos(expires_at)],
        )?;
        Ok(expires_at)
    }

    /// The session of a secret, prolonged; `None` where there is none or it has ended.
    pub fn use_session(
        &self,
        secret_hash: [u8; 32],
        lifetime: Duration,
        now: Timestamp,
    ) -> Result<Option<Session>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT users.name, role, expires_at, logspaces, scope FROM sessions JOIN users ON users.name = user
             WHERE hash = ?1 AND ?2 < expires_at",
        )?;
        let found = statement
            .query_row(params![secret_hash, Nanos(now)], |row| {
                Ok(Session {
                    user: row.get(0)?,
                    role: row.get(1)?,
                    grant: Grant::read(row, 3)?,
                    expires_at: row.get::<_, Nanos>(2)?.0,
                    prolonged: false,
                })
            })
            .optional()?;
        let Some(mut session) = found else { return Ok(None) };
        let prolonged = expiry(lifetime, now);
        if session.expires_at.saturating_add(PROLONG_STEP) < prolonged {
            connection.execute(
                "UPDATE sessions SET expires_at = ?2 WHERE hash = ?1",
                params![secret_hash, Nanos(prolonged)],
            )?;
            (session.expires_at, session.prolonged) = (prolonged, true);
        }
        Ok(Some(session))
    }

    /// Ends a session; one that is not there is no error.
    pub fn remove_session(&self, secret_hash: [u8; 32]) -> Result<()> {
        self.connection().execute("DELETE FROM sessions WHERE hash = ?1", [secret_hash])?;
        Ok(())
    }
}

fn expiry(lifetime: Duration, now: Timestamp) -> Timestamp {
    now.saturating_add(i64::try_from(lifetime.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::Secret;

    const LIFETIME: Duration = Duration::from_hours(12);

    fn check(meta: &Meta, secret: &Secret, at: Timestamp, expected: Option<&str>) {
        let session = meta.use_session(secret.hash(), LIFETIME, at).unwrap();
        assert_eq!(session.map(|session| session.user).as_deref(), expected, "at {at}");
    }

    #[test]
    fn a_session_lasts_as_long_as_it_is_used() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let begin = Timestamp::from_nanos(1_000 * SECOND);
        let after = |hours: i64| begin.saturating_add(hours * 3600 * SECOND);
        meta.add_first_admin("admin", "hash", begin).unwrap();
        let (used, idle) = (Secret::session().unwrap(), Secret::session().unwrap());
        meta.add_session("admin", used.hash(), LIFETIME, begin).unwrap();
        meta.add_session("admin", idle.hash(), LIFETIME, begin).unwrap();
        check(&meta, &used, after(11), Some("admin"));
        check(&meta, &used, after(22), Some("admin"));
        check(&meta, &idle, after(12), None);
        check(&meta, &used, after(34), None);
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
        assert_eq!(meta.add_session("ana", secret.hash(), LIFETIME, at(0)).unwrap(), at(hours));
        let seen = |seconds: i64| {
            let session = meta.use_session(secret.hash(), LIFETIME, at(seconds)).unwrap().unwrap();
            (session.expires_at, session.prolonged)
        };
        assert_eq!(seen(60), (at(hours), false));
        assert_eq!(seen(61), (at(61 + hours), true));
        assert_eq!(seen(62), (at(61 + hours), false));
        let grant = Grant { logspaces: Some(vec!["main".to_owned()]), scope: None };
        meta.change_user("ana", Role::Operator, &grant).unwrap();
        let session = meta.use_session(secret.hash(), LIFETIME, at(63)).unwrap().unwrap();
        assert_eq!((session.role, session.grant), (Role::Operator, grant));
    }

    #[test]
    fn a_new_password_ends_every_other_session() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let now = Timestamp::from_nanos(5);
        meta.add_first_admin("admin", "hash", now).unwrap();
        let (mine, stolen) = (Secret::session().unwrap(), Secret::session().unwrap());
        meta.add_session("admin", mine.hash(), LIFETIME, now).unwrap();
        meta.add_session("admin", stolen.hash(), LIFETIME, now).unwrap();
        meta.set_password("Admin", "other", Some(mine.hash())).unwrap();
        check(&meta, &mine, now, Some("admin"));
        check(&meta, &stolen, now, None);
        meta.set_password("admin", "third", None).unwrap();
        check(&meta, &mine, now, None);
    }
}
