//! The audit log: who changed what and when, and who failed to log in.
//!
//! **Invariant:** entries are only added.

use super::books::AuditEntry;
use super::columns::Nanos;
use super::{Actor, Meta, Result};
use logstead_record::Timestamp;
use rusqlite::params;

/// Every action that an entry can have.
pub const AUDIT_ACTIONS: [&str; 40] = [
    "audit.dropped", "destination.discard", "destination.pause", "destination.replay", "destination.resume",
    "destination.test", "job.cancel", "job.delete", "job.end", "job.start", "lookup.remove", "lookup.store",
    "quarantine.discard", "quarantine.replay", "retention.resume", "router.apply", "router.confirm",
    "sender.forget", "session.begin", "session.end", "session.refused", "session.revoke", "setup",
    "setup.refused", "token.change", "token.create", "token.remove", "token.rotate", "totp.codes",
    "totp.disable", "totp.enable", "totp.recovery", "totp.refused", "totp.reset", "user.change",
    "user.create", "user.disable", "user.enable", "user.password", "user.remove",
];

impl Meta {
    /// Adds an entry. An entry that cannot be written is kept in memory until it can, because the action itself has
    /// already happened.
    pub fn add_audit(&self, actor: &Actor, action: &str, detail: &str, now: Timestamp) {
        debug_assert!(AUDIT_ACTIONS.contains(&action), "{action} is not listed");
        let Actor { account, name } = actor.clone();
        let (action, detail) = (action.to_owned(), detail.to_owned());
        let entry = AuditEntry { number: None, time: now, account, user: name, action, detail };
        let mut store = self.store();
        // Keeps the order: the entry goes behind those that are still to be written.
        if store.books.audit_waits() {
            store.books.keep_audit(entry);
        } else if let Err(error) = store.write(|connection| entry.insert(connection)) {
            store.must_wait(&error);
            store.books.keep_audit(entry);
        }
    }

    /// The newest entries, newest first.
    pub fn audit(&self, limit: u32) -> Result<Vec<AuditEntry>> {
        let (mut newest, _) = self.audit_before(None, limit)?;
        newest.truncate(limit as usize);
        Ok(newest)
    }

    /// The entries before a position, newest first, and the position at which the next call continues; `None` at the
    /// end. Without a position, the list begins with the entries that are not written yet, on top of the limit.
    pub fn audit_before(&self, before: Option<i64>, limit: u32) -> Result<(Vec<AuditEntry>, Option<i64>)> {
        let store = self.store();
        let mut entries: Vec<AuditEntry> = match before {
            None => store.books.audit().cloned().collect(),
            Some(_) => Vec::new(),
        };
        let mut statement = store.connection.prepare_cached(
            "SELECT time, account, user, action, detail, id FROM audit WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
        )?;
        let written = statement.query_map(params![before.unwrap_or(i64::MAX), limit], |row| {
            let entry = AuditEntry {
                number: row.get(5)?,
                time: row.get::<_, Nanos>(0)?.0,
                account: row.get(1)?,
                user: row.get(2)?,
                action: row.get(3)?,
                detail: row.get(4)?,
            };
            Ok(entry)
        })?;
        let (mut count, mut last) = (0, None);
        for row in written {
            let entry = row?;
            (count, last) = (count + 1, entry.number);
            entries.push(entry);
        }
        Ok((entries, last.filter(|_| count == limit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_entries_come_first() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        for (user, at) in [("ana", 1), ("bo", 2), ("cy", 3)] {
            meta.add_audit(&user.into(), "session.begin", "from 10.0.0.1", Timestamp::from_nanos(at));
        }
        let users: Vec<_> = meta.audit(2).unwrap().into_iter().map(|entry| entry.user).collect();
        assert_eq!(users, ["cy", "bo"]);
        let (mut all, mut before) = (Vec::new(), None);
        loop {
            let (page, next) = meta.audit_before(before, 2).unwrap();
            all.extend(page.into_iter().map(|entry| entry.user));
            before = next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(all, ["cy", "bo", "ana"]);
    }
}
