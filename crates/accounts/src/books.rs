//! Records made alongside a request, which must never fail it: last uses, prolonged sessions, logins. They are kept
//! in memory until they are written to the database: last uses for a few seconds, the rest only while the disk is
//! full or cannot be written.
//!
//! | what                                    | waits                        | bound                         |
//! |-----------------------------------------|------------------------------|-------------------------------|
//! | last uses, prolonged sessions, used steps of second factors | for the next round           | what there is in the database |
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

/// Maximum number of sessions whose beginning or end is kept in memory because it cannot be written.
pub(super) const SESSIONS_MAX: usize = 1000;
/// Maximum number of audit entries kept in memory.
const AUDIT_ENTRIES_MAX: usize = 10_000;
/// Maximum size of the audit entries kept in memory.
const AUDIT_BYTES_MAX: usize = 4 << 20;

/// An entry of the audit log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEntry {
    /// Its number in the log, which is higher than those of earlier entries; `None` while it waits to be written.
    pub number: Option<i64>,
    /// The time.
    pub time: Timestamp,
    /// The account, if it is known.
    pub account: Option<Account>,
    /// The account's name at that time.
    pub user: String,
    /// The action, such as `router.apply`.
    pub action: String,
    /// The details, such as the object and the origin.
    pub detail: String,
}

impl AuditEntry {
    /// Inserts the entry into the database.
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

/// Something whose last use is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum UsedItem {
    Token(i64),
    Search(i64),
}

/// The browser in which a session began, as far as is known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Browser {
    /// Its address.
    pub address: Option<String>,
    /// Its User-Agent.
    pub agent: Option<String>,
}

/// The last use of a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct SessionUse {
    pub(super) until: Timestamp,
    pub(super) seen_at: Timestamp,
}

/// A session that is not in the database yet.
#[derive(Clone, Debug)]
pub(super) struct NewSession {
    pub(super) user_id: i64,
    pub(super) began_at: Timestamp,
    pub(super) expires_at: Timestamp,
    pub(super) browser: Browser,
}

/// The records that have yet to be written.
#[derive(Default)]
pub(super) struct Books {
    used: HashMap<UsedItem, Timestamp>,
    prolonged: HashMap<SessionHash, SessionUse>,
    used_steps: HashMap<i64, i64>,
    begun: HashMap<SessionHash, NewSession>,
    ended: HashSet<SessionHash>,
    audit: VecDeque<AuditEntry>,
    audit_bytes: usize,
    /// Audit entries that were dropped and only counted since the last one was written.
    audit_dropped: u64,
    /// Audit entries that were dropped and only counted since the process started.
    pub(super) audit_dropped_total: u64,
}

impl Books {
    pub(super) fn used(&mut self, what: UsedItem, at: Timestamp) {
        self.used.insert(what, at);
    }

    pub(super) fn last_used(&self, what: UsedItem) -> Option<Timestamp> {
        self.used.get(&what).copied()
    }

    pub(super) fn prolong(&mut self, session: SessionHash, prolonged: SessionUse) {
        self.prolonged.insert(session, prolonged);
    }

    pub(super) fn prolonged(&self, session: &SessionHash) -> Option<SessionUse> {
        self.prolonged.get(session).copied()
    }

    /// Adds a new session. Returns whether there was room for it.
    pub(super) fn begin(&mut self, session: SessionHash, begun: NewSession) -> bool {
        let has_room = self.begun.len() < SESSIONS_MAX;
        if has_room {
            self.begun.insert(session, begun);
        }
        has_room
    }

    pub(super) fn begun(&self, session: &SessionHash) -> Option<&NewSession> {
        self.begun.get(session)
    }

    /// The sessions of a user that are not in the database yet.
    pub(super) fn begun_by(&self, user_id: i64) -> impl Iterator<Item = (&SessionHash, &NewSession)> {
        self.begun.iter().filter(move |(_, begun)| begun.user_id == user_id)
    }

    /// Notes that a user has used the code of this time step.
    pub(super) fn used_step(&mut self, user_id: i64, step: i64) {
        self.used_steps.insert(user_id, step);
    }

    pub(super) fn last_step(&self, user_id: i64) -> i64 {
        self.used_steps.get(&user_id).copied().unwrap_or(i64::MIN)
    }

    pub(super) fn forget_step(&mut self, user_id: i64) {
        self.used_steps.remove(&user_id);
    }

    /// Forgets everything recorded about a session.
    pub(super) fn forget(&mut self, session: &SessionHash) {
        self.begun.remove(session);
        self.prolonged.remove(session);
    }

    /// Notes that a session in the database has ended. Returns whether there was room for the note.
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

    /// Ends a user's sessions that are not in the database yet, except one.
    pub(super) fn end_all(&mut self, user_id: i64, keep: Option<SessionHash>) {
        self.begun.retain(|hash, begun| begun.user_id != user_id || Some(*hash) == keep);
    }

    /// Whether audit entries are still to be written, so that later ones have to queue behind them.
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

    /// The audit entries that are not written yet, newest first.
    pub(super) fn audit(&self) -> impl Iterator<Item = &AuditEntry> {
        self.audit.iter().rev()
    }

    /// How many records could not be written; those that only wait for the next round are not counted.
    pub(super) fn stuck(&self) -> usize {
        self.begun.len() + self.ended.len() + self.audit.len()
    }

    fn is_empty(&self) -> bool {
        self.stuck() + self.used.len() + self.prolonged.len() + self.used_steps.len() == 0
            && self.audit_dropped == 0
    }

    /// Writes all records in one transaction. After an error they are kept.
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
                UsedItem::Token(id) => ("UPDATE tokens SET last_used = ?2 WHERE id = ?1", id),
                UsedItem::Search(id) => ("UPDATE saved_searches SET last_used = ?2 WHERE id = ?1", id),
            };
            transaction.prepare_cached(sql)?.execute(params![id, Nanos(*at)])?;
        }
        let mut prolong = transaction
            .prepare_cached("UPDATE sessions SET expires_at = ?2, seen_at = ?3 WHERE hash = ?1")?;
        for (hash, SessionUse { until, seen_at }) in &self.prolonged {
            prolong.execute(params![hash, Nanos(*until), Nanos(*seen_at)])?;
        }
        let mut use_step = transaction
            .prepare_cached("UPDATE totp SET last_step = max(last_step, ?2) WHERE user_id = ?1")?;
        for (user_id, step) in &self.used_steps {
            use_step.execute(params![user_id, step])?;
        }
        Ok(())
    }

    fn write_sessions(&self, transaction: &Transaction<'_>) -> Result<()> {
        // A user who was removed in the meantime has no sessions.
        let mut begin = transaction.prepare_cached(
            "INSERT OR IGNORE INTO sessions (hash, user_id, began_at, expires_at, seen_at, address, browser)
             SELECT ?1, id, ?3, ?4, ?5, ?6, ?7 FROM users WHERE id = ?2",
        )?;
        for (hash, NewSession { user_id, began_at, expires_at, browser: Browser { address, agent } }) in
            &self.begun
        {
            let unused = SessionUse { until: *expires_at, seen_at: *began_at };
            let SessionUse { until, seen_at } = self.prolonged(hash).unwrap_or(unused);
            let (began_at, until, seen_at) = (Nanos(*began_at), Nanos(until), Nanos(seen_at));
            begin.execute(params![hash, user_id, began_at, until, seen_at, address, agent])?;
        }
        let mut end = transaction.prepare_cached("DELETE FROM sessions WHERE hash = ?1")?;
        for hash in &self.ended {
            end.execute([hash])?;
        }
        Ok(())
    }

    fn dropped_entry(&self, now: Timestamp) -> AuditEntry {
        AuditEntry {
            number: None,
            time: now,
            account: None::<Account>,
            user: "system".to_owned(),
            action: "audit.dropped".to_owned(),
            detail: format!(
                "{} audit entries before this one were lost: they could be neither written nor kept in memory",
                self.audit_dropped
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(detail: &str) -> AuditEntry {
        let (user, action, detail) = (String::new(), "session.refused".to_owned(), detail.to_owned());
        AuditEntry { number: None, time: Timestamp::default(), account: None, user, action, detail }
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

        let begun = NewSession {
            user_id: 1,
            began_at: Timestamp::default(),
            expires_at: Timestamp::default(),
            browser: Browser::default(),
        };
        let hash = |at: usize| *blake3::hash(&at.to_le_bytes()).as_bytes();
        assert!((0..SESSIONS_MAX).all(|at| books.begin(hash(at), begun.clone()) && books.end(hash(at))));
        assert!(!books.begin(hash(SESSIONS_MAX), begun) && !books.end(hash(SESSIONS_MAX)));
    }
}
