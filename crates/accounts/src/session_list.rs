//! The sessions of a user as a list, from which they can be ended.
//!
//! **Invariant:** the id of a session tells nothing about its secret, and is good for nothing but ending it.

use super::books::{Browser, NewSession, SessionHash};
use super::columns::Nanos;
use super::sessions::SESSIONS_OF_USER_MAX;
use super::users::id;
use super::{Meta, Result};
use logstead_record::Timestamp;
use rusqlite::params;

/// A session, for its owner or an administrator to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedSession {
    /// The id by which it can be ended.
    pub id: String,
    /// The hash of its secret.
    pub hash: [u8; 32],
    /// When it began.
    pub began_at: Timestamp,
    /// When it was last used, to the minute.
    pub seen_at: Timestamp,
    /// When it ends if it is not used.
    pub expires_at: Timestamp,
    /// The browser in which it began.
    pub browser: Browser,
}

impl Meta {
    /// The sessions of a user that have not ended, the last used first.
    pub fn sessions_of(&self, name: &str, now: Timestamp) -> Result<Vec<ListedSession>> {
        let store = self.store();
        let user_id = id(&store.connection, name)?;
        let mut statement = store.connection.prepare_cached(
            "SELECT hash, began_at, coalesce(seen_at, began_at), expires_at, address, browser
             FROM sessions WHERE user_id = ?1 ORDER BY expires_at DESC LIMIT ?2",
        )?;
        let written = statement.query_map(params![user_id, SESSIONS_OF_USER_MAX], |row| {
            let time = |at| row.get::<_, Nanos>(at).map(|nanos| nanos.0);
            let browser = Browser { address: row.get(4)?, agent: row.get(5)? };
            Ok(listed(row.get(0)?, time(1)?, time(2)?, time(3)?, browser))
        })?;
        let mut sessions = written.collect::<rusqlite::Result<Vec<_>>>()?;
        let begun = store.books.begun_by(user_id);
        sessions.extend(begun.map(|(hash, NewSession { began_at, expires_at, browser, .. })| {
            listed(*hash, *began_at, *began_at, *expires_at, browser.clone())
        }));
        for session in &mut sessions {
            if let Some(used) = store.books.prolonged(&session.hash) {
                session.seen_at = used.seen_at;
                session.expires_at = session.expires_at.max(used.until);
            }
        }
        sessions.retain(|session| now < session.expires_at && !store.books.has_ended(&session.hash));
        sessions.sort_unstable_by_key(|session| (std::cmp::Reverse(session.seen_at), session.hash));
        Ok(sessions)
    }

    /// Ends one session of a user; returns whether there was one with this id.
    pub fn end_session_of(&self, name: &str, session: &str, now: Timestamp) -> Result<bool> {
        let sessions = self.sessions_of(name, now)?;
        let Some(found) = sessions.iter().find(|listed| listed.id == session) else { return Ok(false) };
        self.remove_session(found.hash).map(|()| true)
    }

    /// Ends all sessions of a user, except the one whose hash is `keep`. Returns the number of sessions ended.
    pub fn end_sessions_of(&self, name: &str, keep: Option<SessionHash>, now: Timestamp) -> Result<usize> {
        let sessions = self.sessions_of(name, now)?;
        let mut store = self.store();
        let user_id = store.write(|connection| {
            let user_id = id(connection, name)?;
            connection.execute(
                "DELETE FROM sessions WHERE user_id = ?1 AND hash IS NOT ?2",
                params![user_id, keep],
            )?;
            Ok(user_id)
        })?;
        store.books.end_all(user_id, keep);
        Ok(sessions.iter().filter(|session| Some(session.hash) != keep).count())
    }
}

fn listed(
    hash: SessionHash,
    began_at: Timestamp,
    seen_at: Timestamp,
    expires_at: Timestamp,
    browser: Browser,
) -> ListedSession {
    let id = blake3::Hash::from(blake3::derive_key("logstead 2026 id of a session", &hash)).to_hex();
    ListedSession { id: id.chars().take(24).collect(), hash, began_at, seen_at, expires_at, browser }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Role, Secret, SessionLimits};
    use logstead_record::SECOND;
    use std::time::Duration;

    const LIMITS: SessionLimits =
        SessionLimits { idle_max: Duration::from_hours(12), age_max: Duration::from_hours(30) };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_nanos(seconds * SECOND)
    }

    fn begin(meta: &Meta, user_id: i64, agent: &str, seconds: i64) -> Secret {
        let secret = Secret::session().unwrap();
        let browser = Browser { address: Some("192.0.2.1".to_owned()), agent: Some(agent.to_owned()) };
        meta.add_session(user_id, secret.hash(), &browser, &LIMITS, at(seconds)).unwrap();
        secret
    }

    fn agents(meta: &Meta, name: &str, seconds: i64) -> Vec<String> {
        let sessions = meta.sessions_of(name, at(seconds)).unwrap().into_iter();
        sessions.map(|session| session.browser.agent.unwrap()).collect()
    }

    #[test]
    fn sessions_are_listed_with_their_last_use_and_end_one_by_one_or_together() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        meta.add_user("ana", Role::Analyst, "h", at(0)).unwrap();
        meta.add_user("bo", Role::Analyst, "h", at(0)).unwrap();
        let (_desk, phone) = (begin(&meta, 1, "desk", 1), begin(&meta, 1, "phone", 2));
        let mine = begin(&meta, 1, "mine", 3);
        begin(&meta, 2, "other", 4);
        assert_eq!(agents(&meta, "ana", 5), ["mine", "phone", "desk"]);
        meta.use_session(phone.hash(), &LIMITS, at(500)).unwrap().unwrap();
        assert_eq!(agents(&meta, "Ana", 501), ["phone", "mine", "desk"]);
        assert_eq!(meta.sessions_of("ana", at(501)).unwrap()[0].seen_at, at(500));
        meta.keep_books(at(502)).unwrap();
        assert_eq!(meta.sessions_of("ana", at(503)).unwrap()[0].seen_at, at(500));

        let others = meta.sessions_of("bo", at(503)).unwrap();
        assert!(!meta.end_session_of("ana", &others[0].id, at(503)).unwrap(), "somebody else's");
        let desk = meta.sessions_of("ana", at(503)).unwrap().pop().unwrap();
        assert!(meta.end_session_of("ana", &desk.id, at(503)).unwrap());
        assert!(!meta.end_session_of("ana", &desk.id, at(503)).unwrap());
        assert_eq!(agents(&meta, "ana", 504), ["phone", "mine"]);
        assert_eq!(meta.end_sessions_of("ana", Some(mine.hash()), at(504)).unwrap(), 1);
        assert_eq!(meta.use_session(phone.hash(), &LIMITS, at(505)).unwrap(), None);
        assert_eq!(agents(&meta, "ana", 505), ["mine"]);
        assert_eq!(agents(&meta, "bo", 505), ["other"]);
        assert!(agents(&meta, "ana", 13 * 3600).is_empty(), "they have ended");
        assert!(matches!(meta.sessions_of("cy", at(505)), Err(Error::NoSuchUser(_))));
    }

    #[test]
    fn a_user_has_only_so_many_sessions_and_the_newest_stay() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        meta.add_user("ana", Role::Analyst, "h", at(0)).unwrap();
        {
            let connection = meta.connection();
            connection.execute_batch("BEGIN").unwrap();
            for number in 0..SESSIONS_OF_USER_MAX {
                let (hash, end) =
                    (*blake3::hash(&number.to_le_bytes()).as_bytes(), at(10_000 + i64::from(number)));
                connection
                    .execute(
                        "INSERT INTO sessions (hash, user_id, began_at, expires_at) VALUES (?1, 1, 0, ?2)",
                        params![hash, Nanos(end)],
                    )
                    .unwrap();
            }
            connection.execute_batch("COMMIT").unwrap();
        }
        let newest = begin(&meta, 1, "newest", 1);
        let sessions = meta.sessions_of("ana", at(2)).unwrap();
        assert_eq!(sessions.len(), SESSIONS_OF_USER_MAX as usize);
        assert!(sessions.iter().any(|session| session.hash == newest.hash()));
        assert!(sessions.iter().all(|session| session.expires_at != at(10_000)), "the first to end has");
    }

    #[test]
    fn a_disabled_user_has_no_sessions() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        meta.add_user("ana", Role::Analyst, "h", at(0)).unwrap();
        let secret = begin(&meta, 1, "desk", 1);
        meta.set_disabled("ana", Some(at(2))).unwrap();
        assert_eq!(meta.use_session(secret.hash(), &LIMITS, at(3)).unwrap(), None);
        // A session that a login begins at the same moment ends, too.
        let late = begin(&meta, 1, "desk", 2);
        assert_eq!(meta.use_session(late.hash(), &LIMITS, at(3)).unwrap(), None);
    }
}
