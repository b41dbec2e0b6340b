//! Browsers in which a user has logged in before. At the next login such a browser presents a secret; then only its
//! own failures slow it down, however often others try the user's name.
//!
//! **Invariant:** a user has at most [`DEVICES_MAX`]; a new one replaces the one unused for longest.

use super::columns::Nanos;
use super::{Meta, Result};
use logstead_record::Timestamp;
use rusqlite::params;

/// Maximum number of remembered browsers per user.
const DEVICES_MAX: u32 = 20;

impl Meta {
    /// Whether this user has logged in with this device before.
    pub fn knows_device(&self, name: &str, secret_hash: [u8; 32]) -> Result<bool> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM devices JOIN users ON users.id = user_id WHERE hash = ?1 AND name = ?2)",
        )?;
        Ok(statement.query_row(params![secret_hash, name], |row| row.get(0))?)
    }

    /// Whether anybody has logged in with this device before.
    pub fn is_device(&self, secret_hash: [u8; 32]) -> Result<bool> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM devices WHERE hash = ?1)")?;
        Ok(statement.query_row(params![secret_hash], |row| row.get(0))?)
    }

    /// Remembers that the user has just logged in with this device.
    pub fn add_device(&self, user_id: i64, secret_hash: [u8; 32], now: Timestamp) -> Result<()> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO devices (hash, user_id, seen_at) VALUES (?1, ?2, ?3)",
                params![secret_hash, user_id, Nanos(now)],
            )?;
            transaction.execute(
                "DELETE FROM devices WHERE user_id = ?1 AND hash NOT IN
                     (SELECT hash FROM devices WHERE user_id = ?1 ORDER BY seen_at DESC LIMIT ?2)",
                params![user_id, DEVICES_MAX],
            )?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, Secret};

    #[test]
    fn a_device_is_known_for_who_has_logged_in_with_it_until_there_are_too_many_or_another_password() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let at = Timestamp::from_nanos;
        for name in ["ana", "bo"] {
            meta.add_user(name, Role::Analyst, "h", at(0)).unwrap();
        }
        let id = meta.credentials("ana").unwrap().unwrap().id;
        let first = Secret::session().unwrap().hash();
        meta.add_device(id, first, at(1)).unwrap();
        assert!(meta.knows_device("ANA", first).unwrap());
        assert!(meta.is_device(first).unwrap() && !meta.is_device([7; 32]).unwrap());
        assert!(!meta.knows_device("bo", first).unwrap() && !meta.knows_device("cy", first).unwrap());
        let used_again = Secret::session().unwrap().hash();
        meta.add_device(id, used_again, at(0)).unwrap();
        meta.add_device(id, used_again, at(99)).unwrap();
        for number in 0..i64::from(DEVICES_MAX) - 1 {
            meta.add_device(id, Secret::session().unwrap().hash(), at(2 + number)).unwrap();
        }
        assert!(meta.knows_device("ana", used_again).unwrap() && !meta.knows_device("ana", first).unwrap());
        meta.set_password("ana", "other", None).unwrap();
        assert!(!meta.knows_device("ana", used_again).unwrap());
    }
}
