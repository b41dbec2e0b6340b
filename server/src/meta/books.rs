//! What is recorded alongside a request and must never fail it: last uses, prolonged sessions, logins. It is kept in
//! memory until the database takes it: mere times for a few seconds, the rest only while the disk is full or cannot
//! be written.
//!
//! | what                                    | waits                        | bound                         |
//! |-----------------------------------------|------------------------------|-------------------------------|
//! | last uses, prolonged sessions           | for the next round           | what there is in the database |
//! | sessions that began, sessions that ended | while they cannot be written | [`SESSIONS_MAX`] each; then the login or logout fails |
//! | audit entries                           | while they cannot be written | [`AUDIT_ENTRIES_MAX`] and [`AUDIT_BYTES_MAX`]; then the newest are counted instead, and the count becomes an entry |
//!
//! **Invariant:** readers see what waits as if it were written. Only the end of the process makes a difference.

use super::account::Account;
use super::columns::Nanos;
use super::error::Result;
use logstead_record::Timestamp;
use rusqlite::{Connection, Transaction, params};
use std::collections::{HashMap, HashSet, VecDeque};

/// Maximum number of sessions that begin, or end, while they cannot be written.
pub(super) const SESSIONS_MAX: usize = 1000;
/// Maximum number of audit entries that wait.
const AUDIT_ENTRIES_MAX: usize = 10_000;
/// Maximum size of the audit entries that wait.
const AUDIT_BYTES_MAX: usize = 4 << 20;

/// An action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEntry {
    /// When.
    pub time: Timestamp,
    /// The account, if it is known.
    pub account: Option<Account>,
    /// The account's name at that time.
    pub user: String,
    /// What, such as `router.apply`.
    pub action: String,
    /// To what, from where.
    pub detail: String,
}

impl AuditEntry {
    /// Writes it.
    pub(super) fn insert(&self, connection: &Connection) -> Result<()> {
        let mut insert = connection.prepare_cached(
            "INSERT INTO audit (time, account, user, action, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        insert.execute(params![Nanos(self.time), self.account, self.user, self.action, self.detail])?;
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        size_of::<AuditEntry>() + self.user.len() + self.action.len() + self.detail.len()
    }
}

/// The hash of a session's secret.
pub(super) type SessionHash = [u8; 32];

/// What has a time of its last use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Used {
    Token(i64),
    Search(i64),
}

/// A session that is not in the database yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    pub(super) user_id: i64,
    pub(super) began_at: Timestamp,
    pub(super) expires_at: Timestamp,
}

/// What waits to be written.
#[derive(Default)]
pub(super) struct Books {
    used: HashMap<Used, Timestamp>,
    prolonged: HashMap<SessionHash, Timestamp>,
    begun: HashMap<SessionHash, Begun>,
    ended: HashSet<SessionHash>,
    audit: VecDeque<AuditEntry>,
    audit_bytes: usize,
    /// Entries that were counted instead of kept, since the last one was written.
    audit_dropped: u64,
    /// The same since the process started.
    pub(super) audit_dropped_total: u64,
}

impl Books {
    pub(super) fn used(&mut self, what: Used, at: Timestamp) {
        self.used.insert(what, at);
    }

    pub(super) fn last_used(&self, what: Used) -> Option<Timestamp> {
        self.used.get(&what).copied()
    }

    pub(super) fn prolong(&mut self, session: SessionHash, until: Timestamp) {
        self.prolonged.insert(session, until);
    }

    pub(super) fn prolonged(&self, session: &SessionHash) -> Option<Timestamp> {
        self.prolonged.get(session).copied()
    }

    /// Says whether there was room for it.
    pub(super) fn begin(&mut self, session: SessionHash, begun: Begun) -> bool {
        let has_room = self.begun.len() < SESSIONS_MAX;
        if has_room {
            self.begun.insert(session, begun);
        }
        has_room
    }

    pub(super) fn begun(&self, session: &SessionHash) -> Option<Begun> {
        self.begun.get(session).copied()
    }

    /// Forgets what waits of a session.
    pub(super) fn forget(&mut self, session: &SessionHash) {
        self.begun.remove(session);
        self.prolonged.remove(session);
    }

    /// Notes that a session in the database has ended. Says whether there was room for that.
    pub(super) fn end(&mut self, session: SessionHash) -> bool {
        let has_room = self.ended.len() < SESSIONS_MAX;
        if has_room {
            self.ended.insert(session);
        }
        has_room
    }

    pub(super) fn has_ended(&self, session: &SessionHash) -> bool {
        self.ended.contains(session)
    }

    /// Ends a user's waiting sessions, except one.
    pub(super) fn end_all(&mut self, user_id: i64, keep: Option<SessionHash>) {
        self.begun.retain(|hash, begun| begun.user_id != user_id || Some(*hash) == keep);
    }

    /// Whether entries wait, so that later ones have to wait behind them.
    pub(super) fn audit_waits(&self) -> bool {
        !self.audit.is_empty()
    }

    pub(super) fn keep_audit(&mut self, entry: AuditEntry) {
        let bytes = entry.memory_bytes();
        if self.audit.len() < AUDIT_ENTRIES_MAX && self.audit_bytes + bytes <= AUDIT_BYTES_MAX {
            self.audit_bytes += bytes;
            self.audit.push_back(entry);
        } else {
            self.audit_dropped += 1;
            self.audit_dropped_total += 1;
        }
    }

    /// What waits, newest first.
    pub(super) fn audit(&self) -> impl Iterator<Item = &AuditEntry> {
        self.audit.iter().rev()
    }

    /// How much waits because it could not be written, and not because its round has not come.
    pub(super) fn stuck(&self) -> usize {
        self.begun.len() + self.ended.len() + self.audit.len()
    }

    fn is_empty(&self) -> bool {
        self.stuck() + self.used.len() + self.prolonged.len() == 0 && self.audit_dropped == 0
    }

    /// Writes everything that waits, in one transaction. After an error it still waits.
    pub(super) fn write(&mut self, connection: &mut Connection, now: Timestamp) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let transaction = connection.transaction()?;
        self.write_times(&transaction)?;
        self.write_sessions(&transaction)?;
        self.audit.iter().try_for_each(|entry| entry.insert(&transaction))?;
        if 0 < self.audit_dropped {
            self.dropped_entry(now).insert(&transaction)?;
        }
        transaction.commit()?;
        *self = Books { audit_dropped_total: self.audit_dropped_total, ..Books::default() };
        Ok(())
    }

    fn write_times(&self, transaction: &Transaction<'_>) -> Result<()> {
        for (what, at) in &self.used {
            let (sql, id) = match what {
                Used::Token(id) => ("UPDATE tokens SET last_used = ?2 WHERE id = ?1", id),
                Used::Search(id) => ("UPDATE saved_searches SET last_used = ?2 WHERE id = ?1", id),
            };
            transaction.prepare_cached(sql)?.execute(params![id, Nanos(*at)])?;
        }
        let mut prolong =
            transaction.prepare_cached("UPDATE sessions SET expires_at = ?2 WHERE hash = ?1")?;
        for (hash, until) in &self.prolonged {
            prolong.execute(params![hash, Nanos(*until)])?;
        }
        Ok(())
    }

    fn write_sessions(&self, transaction: &Transaction<'_>) -> Result<()> {
        // A user who was removed in the meantime has no sessions.
        let mut begin = transaction.prepare_cached(
            "INSERT OR IGNORE INTO sessions SELECT ?1, id, ?3, ?4 FROM users WHERE id = ?2",
        )?;
        for (hash, Begun { user_id, began_at, expires_at }) in &self.begun {
            let expires_at = self.prolonged(hash).unwrap_or(*expires_at);
            begin.execute(params![hash, user_id, Nanos(*began_at), Nanos(expires_at)])?;
        }
        let mut end = transaction.prepare_cached("DELETE FROM sessions WHERE hash = ?1")?;
        for hash in &self.ended {
            end.execute([hash])?;
        }
        Ok(())
    }

    fn dropped_entry(&self, now: Timestamp) -> AuditEntry {
        AuditEntry {
            time: now,
            account: None::<Account>,
            user: "system".to_owned(),
            action: "audit.dropped".to_owned(),
            detail: format!("{} entries before this could be neither written nor kept", self.audit_dropped),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(detail: &str) -> AuditEntry {
        let (user, action, detail) = (String::new(), "session.refused".to_owned(), detail.to_owned());
        AuditEntry { time: Timestamp::default(), account: None, user, action, detail }
    }

    #[test]
    fn what_waits_has_a_bound_and_what_is_over_it_is_counted() {
        let mut books = Books::default();
        (0..AUDIT_ENTRIES_MAX + 7).for_each(|at| books.keep_audit(entry(&at.to_string())));
        assert_eq!((books.stuck(), books.audit_dropped_total), (AUDIT_ENTRIES_MAX, 7));
        assert_eq!(
            books.audit().next().map(|entry| entry.detail.as_str()),
            Some("9999"),
            "the first ones stay"
        );

        let mut books = Books::default();
        let long = "x".repeat(AUDIT_BYTES_MAX / 10);
        (0..20).for_each(|_| books.keep_audit(entry(&long)));
        assert!(books.audit_bytes <= AUDIT_BYTES_MAX);
        assert_eq!(books.stuck() as u64 + books.audit_dropped_total, 20);

        let begun = Begun { user_id: 1, began_at: Timestamp::default(), expires_at: Timestamp::default() };
        let hash = |at: usize| *blake3::hash(&at.to_le_bytes()).as_bytes();
        assert!((0..SESSIONS_MAX).all(|at| books.begin(hash(at), begun) && books.end(hash(at))));
        assert!(!books.begin(hash(SESSIONS_MAX), begun) && !books.end(hash(SESSIONS_MAX)));
    }
}
