//! The audit log: who changed what and when, and who failed to log in.
//!
//! **Invariant:** entries are only added.

use super::{Meta, Nanos, Result};
use logstead_record::Timestamp;
use rusqlite::params;

/// One thing that somebody did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEntry {
    /// When.
    pub time: Timestamp,
    /// Who, as far as known.
    pub user: String,
    /// What, such as `router.apply`.
    pub action: String,
    /// To what, from where.
    pub detail: String,
}

impl Meta {
    /// Adds an entry.
    pub fn add_audit(&self, user: &str, action: &str, detail: &str, now: Timestamp) -> Result<()> {
        self.connection().execute(
            "INSERT INTO audit (time, user, action, detail) VALUES (?1, ?2, ?3, ?4)",
            params![Nanos(now), user, action, detail],
        )?;
        Ok(())
    }

    /// The newest entries, newest first.
    pub fn audit(&self, limit: u32) -> Result<Vec<AuditEntry>> {
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached("SELECT time, user, action, detail FROM audit ORDER BY id DESC LIMIT ?1")?;
        let entries = statement.query_map([limit], |row| {
            Ok(AuditEntry {
                time: row.get::<_, Nanos>(0)?.0,
                user: row.get(1)?,
                action: row.get(2)?,
                detail: row.get(3)?,
            })
        })?;
        Ok(entries.collect::<rusqlite::Result<_>>()?)
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
            meta.add_audit(user, "session.begin", "from 10.0.0.1", Timestamp::from_nanos(at)).unwrap();
        }
        let users: Vec<_> = meta.audit(2).unwrap().into_iter().map(|entry| entry.user).collect();
        assert_eq!(users, ["cy", "bo"]);
    }
}
