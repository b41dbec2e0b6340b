//! The users' preferences in the console. The server stores them without interpreting them.
//!
//! **Invariant:** a user's preferences are removed with the user.

use super::columns::JsonColumn;
use super::{Meta, Result};
use rusqlite::{OptionalExtension, params};
use serde_json::{Map, Value};

impl Meta {
    /// A user's preferences; an empty object at first.
    pub fn preferences(&self, user: i64) -> Result<Map<String, Value>> {
        let store = self.store();
        let mut statement =
            store.connection.prepare_cached("SELECT body FROM preferences WHERE user_id = ?1")?;
        let found: Option<JsonColumn<Map<String, Value>>> =
            statement.query_row([user], |row| row.get(0)).optional()?;
        Ok(found.map(|JsonColumn(preferences)| preferences).unwrap_or_default())
    }

    /// Replaces a user's preferences.
    pub fn set_preferences(&self, user: i64, preferences: &Map<String, Value>) -> Result<()> {
        self.write(|connection| {
            connection.execute(
                "INSERT INTO preferences (user_id, body) VALUES (?1, ?2)
                 ON CONFLICT (user_id) DO UPDATE SET body = excluded.body",
                params![user, JsonColumn(preferences)],
            )?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;
    use logstead_record::Timestamp;
    use serde_json::json;

    #[test]
    fn each_user_has_their_own_until_they_are_gone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logstead.db");
        let meta = Meta::open(&path).unwrap();
        for name in ["ada", "bo"] {
            meta.add_user(name, Role::Admin, "hash", Timestamp::from_nanos(0)).unwrap();
        }
        let [ada, bo] = ["ada", "bo"].map(|name| meta.credentials(name).unwrap().unwrap().id);
        let of = |preferences: Value| preferences.as_object().unwrap().clone();
        let dark = of(json!({"theme": "dark"}));
        assert_eq!(meta.preferences(ada).unwrap(), Map::new());
        meta.set_preferences(ada, &of(json!({"theme": "light", "live": true}))).unwrap();
        meta.set_preferences(ada, &dark).unwrap();
        drop(meta);

        let meta = Meta::open(&path).unwrap();
        assert_eq!((meta.preferences(ada).unwrap(), meta.preferences(bo).unwrap()), (dark, Map::new()));
        meta.remove_user("ada").unwrap();
        assert_eq!(meta.preferences(ada).unwrap(), Map::new());
        assert!(meta.set_preferences(ada, &Map::new()).is_err(), "nobody is there whose they are");
    }
}
