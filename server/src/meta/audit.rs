//! The audit log: who changed what and when, and who failed to log in.
//!
//! **Invariant:** entries are only added.

use super::books::AuditEntry;
use super::columns::Nanos;
use super::{Actor, Meta, Result};
use logstead_record::Timestamp;

impl Meta {
    /// Adds an entry. It waits in memory while it cannot be written: the action itself has been done.
    pub fn add_audit(&self, actor: &Actor, action: &str, detail: &str, now: Timestamp) {
        let Actor { account, name } = actor.clone();
        let (action, detail) = (action.to_owned(), detail.to_owned());
        let entry = AuditEntry { time: now, account, user: name, action, detail };
        let mut store = self.store();
        // In order: behind the entries that wait.
        if store.books.audit_waits() {
            store.books.keep_audit(entry);
        } else if let Err(error) = store.write(|connection| entry.insert(connection)) {
            store.must_wait(&error);
            store.books.keep_audit(entry);
        }
    }

    /// The newest entries, newest first.
    pub fn audit(&self, limit: u32) -> Result<Vec<AuditEntry>> {
        let store = self.store();
        let mut newest: Vec<AuditEntry> = store.books.audit().take(limit as usize).cloned().collect();
        let mut statement = store.connection.prepare_cached(
            "SELECT time, account, user, action, detail FROM audit ORDER BY id DESC LIMIT ?1",
        )?;
        let written = statement.query_map([limit - newest.len() as u32], |row| {
            Ok(AuditEntry {
                time: row.get::<_, Nanos>(0)?.0,
                account: row.get(1)?,
                user: row.get(2)?,
                action: row.get(3)?,
                detail: row.get(4)?,
            })
        })?;
        newest.extend(written.collect::<rusqlite::Result<Vec<_>>>()?);
        Ok(newest)
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
    }
}
