//! API tokens: for programs, shown once, with a role and an optional end.

use super::books::Used;
use super::columns::Nanos;
use super::{Actor, Error, Grant, Meta, Result, Role, Secret};
use logstead_record::{SECOND, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

/// `last_used` is recorded at most this often.
const LAST_USED_STEP: i64 = 60 * SECOND;

/// A token, without its secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Identifies it for removal.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// What it may search.
    pub grant: Grant,
    /// The name of its creator.
    pub created_by: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used: Option<Timestamp>,
}

/// A token to create.
pub struct NewToken<'a> {
    /// Its name, unique among the tokens that work.
    pub name: &'a str,
    /// What it may do.
    pub role: Role,
    /// Its creator.
    pub created_by: Actor,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
}

impl Meta {
    /// Creates a token that may search everything. Returns its id and its secret, which is not stored.
    pub fn add_token(&self, new: &NewToken<'_>, now: Timestamp) -> Result<(i64, Secret)> {
        self.add_granted_token(new, &Grant::default(), now)
    }

    /// Creates a token. Returns its id and its secret, which is not stored.
    pub fn add_granted_token(
        &self,
        new: &NewToken<'_>,
        grant: &Grant,
        now: Timestamp,
    ) -> Result<(i64, Secret)> {
        let secret = Secret::token()?;
        let id = self.write(|connection| {
            let transaction = connection.transaction()?;
            let is_taken = transaction.query_row(
                "SELECT EXISTS (SELECT 1 FROM tokens WHERE name = ?1 COLLATE NOCASE
                                AND (expires_at IS NULL OR ?2 < expires_at))",
                params![new.name, Nanos(now)],
                |row| row.get(0),
            )?;
            if is_taken {
                return Err(Error::TokenExists(new.name.to_owned()));
            }
            insert(&transaction, new, grant, secret.hash(), now)?;
            let id = transaction.last_insert_rowid();
            transaction.commit()?;
            Ok(id)
        })?;
        Ok((id, secret))
    }

    /// All tokens, including those that have ended.
    pub fn tokens(&self) -> Result<Vec<Token>> {
        let store = self.store();
        let mut statement = store.connection.prepare_cached(
            "SELECT id, name, role, created_by, created_at, expires_at, last_used, logspaces, scope
             FROM tokens ORDER BY id",
        )?;
        let mut tokens = statement.query_map([], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
        for token in &mut tokens {
            token.last_used = token.last_used.max(store.books.last_used(Used::Token(token.id)));
        }
        Ok(tokens)
    }

    /// The token of a secret; `None` if there is none or it has ended.
    pub fn use_token(&self, secret_hash: [u8; 32], now: Timestamp) -> Result<Option<Token>> {
        let mut store = self.store();
        let found = store
            .connection
            .prepare_cached(
                "SELECT id, name, role, created_by, created_at, expires_at, last_used, logspaces, scope
                 FROM tokens WHERE hash = ?1 AND (expires_at IS NULL OR ?2 < expires_at)",
            )?
            .query_row(params![secret_hash, Nanos(now)], read)
            .optional()?;
        let Some(mut token) = found else { return Ok(None) };
        token.last_used = token.last_used.max(store.books.last_used(Used::Token(token.id)));
        if token.last_used.is_none_or(|used| used.saturating_add(LAST_USED_STEP) < now) {
            store.books.used(Used::Token(token.id), now);
        }
        Ok(Some(token))
    }

    /// Removes a token. Returns its name, or `None` if there is none.
    pub fn remove_token(&self, id: i64) -> Result<Option<String>> {
        self.write(|connection| {
            let mut statement =
                connection.prepare_cached("DELETE FROM tokens WHERE id = ?1 RETURNING name")?;
            Ok(statement.query_row([id], |row| row.get(0)).optional()?)
        })
    }
}

fn insert(
    connection: &Connection,
    new: &NewToken<'_>,
    grant: &Grant,
    hash: [u8; 32],
    now: Timestamp,
) -> Result<()> {
    let NewToken { name, role, created_by, expires_at } = new;
    let Actor { account, name: author } = created_by;
    let (expires_at, logspaces) = (expires_at.map(Nanos), grant.logspaces_column());
    connection.execute(
        "INSERT INTO tokens (name, role, hash, created_by_account, created_by, created_at, expires_at, logspaces, scope)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![name, role, hash, account, author, Nanos(now), expires_at, logspaces, grant.scope],
    )?;
    Ok(())
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Token> {
    Ok(Token {
        id: row.get(0)?,
        name: row.get(1)?,
        role: row.get(2)?,
        grant: Grant::read(row, 7)?,
        created_by: row.get(3)?,
        created_at: row.get::<_, Nanos>(4)?.0,
        expires_at: row.get::<_, Option<Nanos>>(5)?.map(|nanos| nanos.0),
        last_used: row.get::<_, Option<Nanos>>(6)?.map(|nanos| nanos.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_works_until_it_ends_or_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let at = |seconds: i64| Timestamp::from_nanos(seconds * SECOND);
        let new =
            NewToken { name: "ci", role: Role::Analyst, created_by: "ana".into(), expires_at: Some(at(100)) };
        let grant = Grant { logspaces: None, scope: Some("host:web-1".to_owned()) };
        let (id, secret) = meta.add_granted_token(&new, &grant, at(1)).unwrap();
        let used = meta.use_token(secret.hash(), at(2)).unwrap().unwrap();
        assert_eq!((used.role, used.grant), (Role::Analyst, grant));
        meta.use_token(secret.hash(), at(3)).unwrap();
        assert_eq!(meta.tokens().unwrap()[0].last_used, Some(at(2)), "noted once a minute");
        assert_eq!(meta.use_token(secret.hash(), at(100)).unwrap(), None);
        assert_eq!(meta.remove_token(id).unwrap().as_deref(), Some("ci"));
        assert_eq!(meta.remove_token(id).unwrap(), None);
        assert_eq!(meta.use_token(secret.hash(), at(2)).unwrap(), None);
    }

    #[test]
    fn no_two_tokens_that_work_have_one_name() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let at = |seconds: i64| Timestamp::from_nanos(seconds * SECOND);
        let add = |name: &str, expires_at: Option<Timestamp>, now: Timestamp| {
            let new = NewToken { name, role: Role::Analyst, created_by: "ana".into(), expires_at };
            meta.add_token(&new, now).map(|(id, _)| id)
        };
        let first = add("ci", Some(at(100)), at(1)).unwrap();
        assert!(matches!(add("CI", None, at(99)), Err(Error::TokenExists(_))));
        let second = add("ci", None, at(100)).unwrap();
        meta.remove_token(second).unwrap();
        let third = add("ci", None, at(101)).unwrap();
        assert!(first < second && second < third, "an id is never given again");
    }
}
