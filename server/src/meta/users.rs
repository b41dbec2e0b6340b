//! Users and what they may do.
//!
//! **Invariant:** once there is an administrator, there is always one.

use super::{Error, Meta, Nanos, Result, password};
use logstead_record::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What somebody may do. Each role may do what those before it may.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Searches.
    Analyst,
    /// Changes the router.
    Operator,
    /// Manages users and tokens.
    Admin,
}

impl Role {
    const ALL: [Role; 3] = [Role::Analyst, Role::Operator, Role::Admin];

    /// The name that the API and the database use.
    pub fn name(self) -> &'static str {
        match self {
            Role::Analyst => "analyst",
            Role::Operator => "operator",
            Role::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ToSql for Role {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

impl FromSql for Role {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Role> {
        let name = value.as_str()?;
        Role::ALL.into_iter().find(|role| role.name() == name).ok_or(FromSqlError::InvalidType)
    }
}

/// A user, without the password.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct User {
    /// Unique without regard to ASCII case.
    pub name: String,
    /// What the user may do.
    pub role: Role,
    /// When the user was made.
    pub created_at: Timestamp,
}

/// What a login is checked against.
pub struct Credentials {
    /// The name as it is stored, however it was typed.
    pub name: String,
    /// What the user may do.
    pub role: Role,
    /// For [`password::verify`].
    pub password_hash: String,
}

impl Meta {
    /// Whether anybody can log in.
    pub fn has_users(&self) -> Result<bool> {
        Ok(self.connection().query_row("SELECT EXISTS (SELECT 1 FROM users)", [], |row| row.get(0))?)
    }

    /// All users by name.
    pub fn users(&self) -> Result<Vec<User>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT name, role, created_at FROM users ORDER BY name")?;
        let users = statement.query_map([], |row| {
            Ok(User { name: row.get(0)?, role: row.get(1)?, created_at: row.get::<_, Nanos>(2)?.0 })
        })?;
        Ok(users.collect::<rusqlite::Result<_>>()?)
    }

    /// Makes the first administrator where there is no user yet; says whether it did.
    pub fn ensure_admin(&self, password: &str, now: Timestamp) -> Result<bool> {
        if self.has_users()? {
            return Ok(false);
        }
        if password.is_empty() || password::PASSWORD_BYTES_MAX < password.len() {
            return Err(Error::UnfitPassword {
                bytes: password.len(),
                bytes_max: password::PASSWORD_BYTES_MAX,
            });
        }
        match self.add_first_admin("admin", &password::hash(password)?, now) {
            Ok(()) => Ok(true),
            Err(Error::AlreadySetUp) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes the first administrator; refused as soon as there is any user, also for the second of two callers
    /// at the same time.
    pub fn add_first_admin(&self, name: &str, password_hash: &str, now: Timestamp) -> Result<()> {
        let added = self.connection().execute(
            "INSERT INTO users SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM users)",
            params![name, Role::Admin, password_hash, Nanos(now)],
        )?;
        if added == 1 { Ok(()) } else { Err(Error::AlreadySetUp) }
    }

    /// Makes a user.
    pub fn add_user(&self, name: &str, role: Role, password_hash: &str, now: Timestamp) -> Result<()> {
        let added = self.connection().execute(
            "INSERT OR IGNORE INTO users VALUES (?1, ?2, ?3, ?4)",
            params![name, role, password_hash, Nanos(now)],
        )?;
        if added == 1 { Ok(()) } else { Err(Error::UserExists(name.to_owned())) }
    }

    /// Removes a user with all sessions.
    pub fn remove_user(&self, name: &str) -> Result<()> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let role = role_of(&transaction, name)?.ok_or_else(|| Error::NoSuchUser(name.to_owned()))?;
        let admins: u32 =
            transaction
                .query_row("SELECT count(*) FROM users WHERE role = ?1", [Role::Admin], |row| row.get(0))?;
        if role == Role::Admin && admins == 1 {
            return Err(Error::LastAdmin(name.to_owned()));
        }
        transaction.execute("DELETE FROM users WHERE name = ?1", [name])?;
        Ok(transaction.commit()?)
    }

    /// Changes a password and ends the user's sessions, but for the one whose hash is `keep`.
    pub fn set_password(&self, name: &str, password_hash: &str, keep: Option<[u8; 32]>) -> Result<()> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let changed = transaction
            .execute("UPDATE users SET password_hash = ?2 WHERE name = ?1", params![name, password_hash])?;
        if changed == 0 {
            return Err(Error::NoSuchUser(name.to_owned()));
        }
        transaction.execute(
            "DELETE FROM sessions WHERE user = ?1 COLLATE NOCASE AND hash IS NOT ?2",
            params![name, keep],
        )?;
        Ok(transaction.commit()?)
    }

    /// What a login is checked against.
    pub fn credentials(&self, name: &str) -> Result<Option<Credentials>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT name, role, password_hash FROM users WHERE name = ?1")?;
        let found = statement.query_row([name], |row| {
            Ok(Credentials { name: row.get(0)?, role: row.get(1)?, password_hash: row.get(2)? })
        });
        Ok(found.optional()?)
    }
}

fn role_of(connection: &Connection, name: &str) -> rusqlite::Result<Option<Role>> {
    connection.query_row("SELECT role FROM users WHERE name = ?1", [name], |row| row.get(0)).optional()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_nanos(7);

    fn meta() -> (tempfile::TempDir, Meta) {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        (directory, meta)
    }

    #[test]
    fn there_is_one_first_administrator() {
        let (_directory, meta) = meta();
        assert!(!meta.has_users().unwrap());
        assert!(meta.ensure_admin("correct horse", NOW).unwrap());
        assert!(!meta.ensure_admin("another horse", NOW).unwrap());
        assert!(matches!(meta.add_first_admin("eve", "hash", NOW), Err(Error::AlreadySetUp)));
        let found = meta.credentials("ADMIN").unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.role), ("admin", Role::Admin));
        assert!(password::verify("correct horse", Some(&found.password_hash)));
    }

    #[test]
    fn the_last_administrator_stays() {
        let (_directory, meta) = meta();
        meta.add_first_admin("admin", "h", NOW).unwrap();
        meta.add_user("ana", Role::Analyst, "h", NOW).unwrap();
        assert!(matches!(meta.add_user("Ana", Role::Admin, "h", NOW), Err(Error::UserExists(_))));
        assert!(matches!(meta.remove_user("admin"), Err(Error::LastAdmin(_))));
        meta.add_user("bo", Role::Admin, "h", NOW).unwrap();
        meta.remove_user("admin").unwrap();
        assert!(matches!(meta.remove_user("admin"), Err(Error::NoSuchUser(_))));
        let names: Vec<_> = meta.users().unwrap().into_iter().map(|user| (user.name, user.role)).collect();
        assert_eq!(names, [("ana".to_owned(), Role::Analyst), ("bo".to_owned(), Role::Admin)]);
    }
}
