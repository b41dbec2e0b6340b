//! Users and their rights.
//!
//! **Invariant:** once there is an administrator, there is always one who can log in with a password that we keep,
//! whatever happens to providers.

use super::columns::Nanos;
use super::{Account, Error, Grant, Meta, Result, password};
use logstead_record::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The role of an account. Each role includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// May send messages and nothing else. For tokens only.
    Ingest,
    /// May search messages.
    Analyst,
    /// May change the router.
    Operator,
    /// May manage users and tokens.
    Admin,
}

impl Role {
    const ALL: [Role; 4] = [Role::Ingest, Role::Analyst, Role::Operator, Role::Admin];

    /// The name used in the API and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Role::Ingest => "ingest",
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
    /// The user's role.
    pub role: Role,
    /// The messages that the user may search.
    pub grant: Grant,
    /// The provider that keeps the user's password, `oidc:ID` or `ldap:ID`; `None` if it is kept here.
    pub origin: Option<String>,
    /// Whether nobody can log in as this user.
    pub is_disabled: bool,
    /// Whether a login requires a second factor.
    pub has_second_factor: bool,
    /// When the user was created.
    pub created_at: Timestamp,
}

/// The data that a login is checked against.
pub struct Credentials {
    /// The id, which is never reused.
    pub id: i64,
    /// The name as stored, however it was typed.
    pub name: String,
    /// The user's role.
    pub role: Role,
    /// The messages that the user may search.
    pub grant: Grant,
    /// The hash to pass to [`password::verify`].
    pub password_hash: String,
    /// The provider that keeps the user's password; `None` if it is kept here.
    pub origin: Option<String>,
    /// Whether nobody can log in as this user.
    pub is_disabled: bool,
    /// Whether a login requires a second factor.
    pub has_second_factor: bool,
}

impl Meta {
    /// Whether there are users.
    pub fn has_users(&self) -> Result<bool> {
        Ok(self.connection().query_row("SELECT EXISTS (SELECT 1 FROM users)", [], |row| row.get(0))?)
    }

    /// All users by name.
    pub fn users(&self) -> Result<Vec<User>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached(&format!("SELECT {COLUMNS} FROM users ORDER BY name"))?;
        let users = statement.query_map([], read)?;
        Ok(users.collect::<rusqlite::Result<_>>()?)
    }

    /// Creates the first administrator if there is no user yet; returns whether it did.
    pub fn ensure_admin(&self, password: &str, now: Timestamp) -> Result<bool> {
        if self.has_users()? {
            return Ok(false);
        }
        if let Some(weakness) = password::weakness(password, "admin") {
            return Err(Error::WeakPassword(weakness.to_string()));
        }
        match self.add_first_admin("admin", &password::hash(password)?, now) {
            Ok(()) => Ok(true),
            Err(Error::AlreadySetUp) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Creates the first administrator. Refused once there is any user, so of two simultaneous callers only one
    /// succeeds.
    pub fn add_first_admin(&self, name: &str, password_hash: &str, now: Timestamp) -> Result<()> {
        let added = self.write(|connection| {
            Ok(connection.execute(
                "INSERT INTO users (name, role, password_hash, created_at)
                 SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM users)",
                params![name, Role::Admin, password_hash, Nanos(now)],
            )?)
        })?;
        if added == 1 { Ok(()) } else { Err(Error::AlreadySetUp) }
    }

    /// Creates a user who may search everything.
    pub fn add_user(&self, name: &str, role: Role, password_hash: &str, now: Timestamp) -> Result<()> {
        self.add_granted_user(name, role, &Grant::default(), password_hash, now)
    }

    /// Creates a user.
    pub fn add_granted_user(
        &self,
        name: &str,
        role: Role,
        grant: &Grant,
        password_hash: &str,
        now: Timestamp,
    ) -> Result<()> {
        let added = self.write(|connection| {
            Ok(connection.execute(
                "INSERT OR IGNORE INTO users (name, role, logspaces, scope, password_hash, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![name, role, grant.logspaces_column(), grant.scope, password_hash, Nanos(now)],
            )?)
        })?;
        if added == 1 { Ok(()) } else { Err(Error::UserExists(name.to_owned())) }
    }

    /// Changes the role and the grant of a user. Returns the user before and after.
    pub fn change_user(&self, name: &str, role: Role, grant: &Grant) -> Result<(User, User)> {
        self.write(|transaction| {
            let before = user(transaction, name)?;
            let after = set_rights(transaction, &before, role, grant)?;
            Ok((before, after))
        })
    }

    /// Changes the role and the grant of a user who still has those of `before`. Returns the user afterwards, or `None`
    /// if they were changed meanwhile.
    pub fn change_user_from(&self, before: &User, role: Role, grant: &Grant) -> Result<Option<User>> {
        self.write(|transaction| {
            let found = user(transaction, &before.name)?;
            if (found.role, &found.grant) != (before.role, &before.grant) {
                return Ok(None);
            }
            let after = set_rights(transaction, &found, role, grant)?;
            Ok(Some(after))
        })
    }

    /// Removes a user with all of their sessions and private searches.
    pub fn remove_user(&self, name: &str) -> Result<()> {
        let mut store = self.store();
        let id = store.write(|transaction| {
            another_admin(transaction, &user(transaction, name)?)?;
            let id = id(transaction, name)?;
            transaction.execute(
                "DELETE FROM saved_searches WHERE account = ?1 AND shared = 0",
                [Account::User(id)],
            )?;
            transaction.execute("DELETE FROM users WHERE id = ?1", [id])?;
            Ok(id)
        })?;
        store.books.end_all(id, None);
        store.books.forget_step(id);
        Ok(())
    }

    /// Disables a user, which ends the user's sessions, or enables the user again.
    pub fn set_disabled(&self, name: &str, disabled_at: Option<Timestamp>) -> Result<()> {
        let mut store = self.store();
        let id = store.write(|transaction| {
            let id = id(transaction, name)?;
            if disabled_at.is_some() {
                another_admin(transaction, &user(transaction, name)?)?;
                transaction.execute("DELETE FROM sessions WHERE user_id = ?1", [id])?;
                transaction.execute("DELETE FROM devices WHERE user_id = ?1", [id])?;
            }
            transaction.execute(
                "UPDATE users SET disabled_at = ?2 WHERE id = ?1",
                params![id, disabled_at.map(Nanos)],
            )?;
            Ok(id)
        })?;
        if disabled_at.is_some() {
            store.books.end_all(id, None);
        }
        Ok(())
    }

    /// Changes a password, forgets the user's devices and ends the user's sessions, except the one whose hash is
    /// `keep`.
    pub fn set_password(&self, name: &str, password_hash: &str, keep: Option<[u8; 32]>) -> Result<()> {
        let mut store = self.store();
        let id = store.write(|transaction| {
            let id = id(transaction, name)?;
            if let User { origin: Some(origin), name, .. } = user(transaction, name)? {
                return Err(Error::PasswordElsewhere { name, origin });
            }
            transaction
                .execute("UPDATE users SET password_hash = ?2 WHERE id = ?1", params![id, password_hash])?;
            transaction
                .execute("DELETE FROM sessions WHERE user_id = ?1 AND hash IS NOT ?2", params![id, keep])?;
            transaction.execute("DELETE FROM devices WHERE user_id = ?1", [id])?;
            Ok(id)
        })?;
        store.books.end_all(id, keep);
        Ok(())
    }

    /// The user with this name.
    pub fn user(&self, name: &str) -> Result<User> {
        user(&self.connection(), name)
    }

    /// Finds the credentials that a login of this user is checked against.
    pub fn credentials(&self, name: &str) -> Result<Option<Credentials>> {
        let connection = self.connection();
        credentials(&connection, "name = ?1", [name])
    }
}

/// The columns that [`read`] reads.
const COLUMNS: &str = "name, role, created_at, logspaces, scope, origin, disabled_at IS NOT NULL,
    EXISTS (SELECT 1 FROM totp WHERE totp.user_id = users.id AND confirmed_at IS NOT NULL)";

/// Finds the credentials of the user that meets the condition.
pub(super) fn credentials(
    connection: &Connection,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Option<Credentials>> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT {COLUMNS}, id, password_hash FROM users WHERE {condition}"))?;
    let found = statement.query_row(values, |row| {
        let User { name, role, grant, origin, is_disabled, has_second_factor, .. } = read(row)?;
        let (id, password_hash) = (row.get(8)?, row.get(9)?);
        Ok(Credentials { id, name, role, grant, password_hash, origin, is_disabled, has_second_factor })
    });
    Ok(found.optional()?)
}

fn user(connection: &Connection, name: &str) -> Result<User> {
    let found = connection.query_row(&format!("SELECT {COLUMNS} FROM users WHERE name = ?1"), [name], read);
    found.optional()?.ok_or_else(|| Error::NoSuchUser(name.to_owned()))
}

fn set_rights(connection: &Connection, before: &User, role: Role, grant: &Grant) -> Result<User> {
    if role != Role::Admin || !grant.is_everything() {
        another_admin(connection, before)?;
    }
    connection.execute(
        "UPDATE users SET role = ?2, logspaces = ?3, scope = ?4 WHERE name = ?1",
        params![before.name, role, grant.logspaces_column(), grant.scope],
    )?;
    user(connection, &before.name)
}

pub(super) fn id(connection: &Connection, name: &str) -> Result<i64> {
    let found = connection.query_row("SELECT id FROM users WHERE name = ?1", [name], |row| row.get(0));
    found.optional()?.ok_or_else(|| Error::NoSuchUser(name.to_owned()))
}

fn read(row: &Row<'_>) -> rusqlite::Result<User> {
    Ok(User {
        name: row.get(0)?,
        role: row.get(1)?,
        grant: Grant::read(row, 3)?,
        created_at: row.get::<_, Nanos>(2)?.0,
        origin: row.get(5)?,
        is_disabled: row.get(6)?,
        has_second_factor: row.get(7)?,
    })
}

/// Refuses a change if without this user no unrestricted administrator could log in with a password that we keep.
fn another_admin(connection: &Connection, user: &User) -> Result<()> {
    let admins: u32 = connection.query_row(
        "SELECT count(*) FROM users WHERE role = ?1 AND origin IS NULL AND disabled_at IS NULL
         AND logspaces IS NULL AND scope IS NULL",
        [Role::Admin],
        |row| row.get(0),
    )?;
    let is_one =
        user.role == Role::Admin && user.grant.is_everything() && user.origin.is_none() && !user.is_disabled;
    let is_last = is_one && admins == 1;
    if is_last { Err(Error::LastAdmin(user.name.clone())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExternalUser;

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
        for weak in ["", "abc", "admin123", "12345678", "password", &"x".repeat(2000)] {
            let refused = meta.ensure_admin(weak, NOW).unwrap_err().to_string();
            assert!(refused.contains("LOGSTEAD_ADMIN_PASSWORD"), "{weak}: {refused}");
            assert!(!meta.has_users().unwrap());
        }
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
        let demoted = meta.change_user("Admin", Role::Operator, &Grant::default());
        assert!(matches!(demoted, Err(Error::LastAdmin(name)) if name == "admin"));
        meta.add_user("bo", Role::Admin, "h", NOW).unwrap();
        meta.remove_user("admin").unwrap();
        assert!(matches!(meta.remove_user("admin"), Err(Error::NoSuchUser(_))));
        let names: Vec<_> = meta.users().unwrap().into_iter().map(|user| (user.name, user.role)).collect();
        assert_eq!(names, [("ana".to_owned(), Role::Analyst), ("bo".to_owned(), Role::Admin)]);
    }

    #[test]
    fn an_administrator_whose_password_we_keep_stays_able_to_log_in() {
        let (_directory, meta) = meta();
        meta.add_first_admin("admin", "h", NOW).unwrap();
        let known = |name: &str| ExternalUser {
            origin: "oidc:corp".to_owned(),
            subject: format!("subject of {name}"),
            name: name.to_owned(),
            role: Role::Admin,
            grant: Grant::default(),
        };
        meta.admit(&known("ana"), NOW).unwrap();
        assert!(matches!(meta.remove_user("admin"), Err(Error::LastAdmin(_))));
        assert!(matches!(meta.set_disabled("admin", Some(NOW)), Err(Error::LastAdmin(_))));
        meta.add_user("bo", Role::Admin, "h", NOW).unwrap();
        meta.set_disabled("admin", Some(NOW)).unwrap();
        assert!(meta.credentials("admin").unwrap().unwrap().is_disabled);
        assert!(matches!(meta.remove_user("bo"), Err(Error::LastAdmin(_))));
        meta.set_disabled("admin", None).unwrap();
        meta.remove_user("bo").unwrap();
        meta.remove_user("ana").unwrap();
    }

    #[test]
    fn a_change_says_how_it_was_and_how_it_is() {
        let (_directory, meta) = meta();
        let some = Grant { logspaces: Some(vec!["main".to_owned()]), scope: Some("host:web-1".to_owned()) };
        meta.add_granted_user("ana", Role::Analyst, &some, "h", NOW).unwrap();
        assert_eq!(meta.credentials("ana").unwrap().unwrap().grant, some);
        let (before, after) = meta.change_user("ANA", Role::Operator, &Grant::default()).unwrap();
        assert_eq!((before.role, &before.grant), (Role::Analyst, &some));
        assert_eq!((after.role, &after.grant), (Role::Operator, &Grant::default()));
        assert_eq!(meta.users().unwrap(), [after]);
        assert!(matches!(meta.change_user("bo", Role::Analyst, &some), Err(Error::NoSuchUser(_))));
    }

    #[test]
    fn a_grant_that_can_not_be_read_grants_nothing() {
        let (_directory, meta) = meta();
        meta.add_user("ana", Role::Analyst, "h", NOW).unwrap();
        for broken in ["", "all", "null", "{}", "[1]"] {
            meta.connection().execute("UPDATE users SET logspaces = ?1", [broken]).unwrap();
            assert!(meta.credentials("ana").is_err(), "{broken}");
        }
    }
}
