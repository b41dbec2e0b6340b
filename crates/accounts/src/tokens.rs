//! API tokens for programs. A token is shown once, and has a role and an optional end.

use super::books::UsedItem;
use super::columns::{JsonColumn, Nanos};
use super::{Actor, Error, Grant, Meta, Result, Role, Secret};
use logstead_record::{SECOND, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// `last_used` is recorded at most this often.
const LAST_USED_STEP: i64 = 60 * SECOND;

/// The limits of a token; an absent one does not apply.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TokenLimits {
    /// Average number of messages per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, nullable = false)]
    pub messages_per_second: Option<u64>,
    /// Average number of bytes per second, in unpacked bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, nullable = false)]
    pub bytes_per_second: Option<u64>,
    /// Size of one unpacked body in bytes. `limits.ingest_body_max` applies as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, nullable = false)]
    pub body_bytes: Option<u64>,
}

impl TokenLimits {
    /// Whether one of the limits is about the rate.
    pub fn limit_pace(&self) -> bool {
        self.messages_per_second.is_some() || self.bytes_per_second.is_some()
    }
}

/// A token, without its secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiToken {
    /// The id, needed to remove the token.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The messages that it may search.
    pub grant: Grant,
    /// The name of its creator.
    pub created_by: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used: Option<Timestamp>,
    /// How much it may send.
    pub limits: TokenLimits,
    /// The time when its previous secret stops working.
    pub former_until: Option<Timestamp>,
}

impl ApiToken {
    /// The part that can be changed.
    fn settings(&self) -> impl PartialEq {
        (self.name.clone(), self.grant.clone(), self.limits, self.expires_at)
    }
}

/// A token to create.
pub struct NewToken<'a> {
    /// Its name, unique among the tokens that have not ended.
    pub name: &'a str,
    /// Its role.
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
        self.add_limited_token(new, grant, &TokenLimits::default(), now)
    }

    /// Creates a token with limits on what it may send. Returns its id and its secret, which is not stored.
    pub fn add_limited_token(
        &self,
        new: &NewToken<'_>,
        grant: &Grant,
        limits: &TokenLimits,
        now: Timestamp,
    ) -> Result<(i64, Secret)> {
        let secret = Secret::token()?;
        let id = self.write(|transaction| {
            check_free(transaction, new.name, None, now)?;
            insert(transaction, new, grant, limits, secret.hash(), now)?;
            let id = transaction.last_insert_rowid();
            Ok(id)
        })?;
        Ok((id, secret))
    }

    /// All tokens, including those that have ended.
    pub fn tokens(&self) -> Result<Vec<ApiToken>> {
        let store = self.store();
        let mut statement = store.connection.prepare_cached(
            "SELECT id, name, role, created_by, created_at, expires_at, last_used, logspaces, scope, limits,
                    former_until
             FROM tokens ORDER BY id",
        )?;
        let mut tokens = statement.query_map([], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
        for token in &mut tokens {
            token.last_used = token.last_used.max(store.books.last_used(UsedItem::Token(token.id)));
        }
        Ok(tokens)
    }

    /// The token with this id, also if it has ended.
    pub fn token(&self, id: i64) -> Result<Option<ApiToken>> {
        let store = self.store();
        let mut found = token(&store.connection, id)?;
        if let Some(token) = &mut found {
            token.last_used = token.last_used.max(store.books.last_used(UsedItem::Token(id)));
        }
        Ok(found)
    }

    /// Gives a token the name, the grant, the limits and the end of `after`, if it still has those of `before`; returns
    /// whether it had. Its secret stays.
    pub fn change_token(&self, before: &ApiToken, after: &ApiToken, now: Timestamp) -> Result<bool> {
        self.write(|transaction| {
            let found = token(transaction, before.id)?;
            if found.is_none_or(|found| found.settings() != before.settings()) {
                return Ok(false);
            }
            check_free(transaction, &after.name, Some(before.id), now)?;
            let (expires_at, logspaces) = (after.expires_at.map(Nanos), after.grant.logspaces_column());
            transaction.execute(
                "UPDATE tokens SET name = ?2, logspaces = ?3, scope = ?4, limits = ?5, expires_at = ?6 WHERE id = ?1",
                params![before.id, after.name, logspaces, after.grant.scope, JsonColumn(&after.limits), expires_at],
            )?;
            Ok(true)
        })
    }

    /// The token that a secret belongs to; `None` if there is none or it has ended.
    pub fn use_token(&self, secret_hash: [u8; 32], now: Timestamp) -> Result<Option<ApiToken>> {
        let mut store = self.store();
        let found = store
            .connection
            .prepare_cached(
                "SELECT id, name, role, created_by, created_at, expires_at, last_used, logspaces, scope, limits,
                        former_until
                 FROM tokens WHERE (hash = ?1 OR former_hash = ?1 AND ?2 < former_until)
                             AND (expires_at IS NULL OR ?2 < expires_at)",
            )?
            .query_row(params![secret_hash, Nanos(now)], read)
            .optional()?;
        let Some(mut token) = found else { return Ok(None) };
        token.last_used = token.last_used.max(store.books.last_used(UsedItem::Token(token.id)));
        if token.last_used.is_none_or(|used| used.saturating_add(LAST_USED_STEP) < now) {
            store.books.used(UsedItem::Token(token.id), now);
        }
        Ok(Some(token))
    }

    /// Gives a token that has not ended a new secret. The present secret works until `former_until`; an older one
    /// stops working. Returns the token's name, its role and the new secret, which is not stored; `None` if there is
    /// no such token.
    pub fn rotate_token(
        &self,
        id: i64,
        former_until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<(String, Role, Secret)>> {
        let secret = Secret::token()?;
        let rotated = self.write(|connection| {
            let mut statement = connection.prepare_cached(
                "UPDATE tokens SET former_hash = hash, former_until = ?2, hash = ?3
                 WHERE id = ?1 AND (expires_at IS NULL OR ?4 < expires_at) RETURNING name, role",
            )?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            Ok(statement
                .query_row(params![id, Nanos(former_until), secret.hash(), Nanos(now)], row)
                .optional()?)
        })?;
        Ok(rotated.map(|(name, role)| (name, role, secret)))
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

fn token(connection: &Connection, id: i64) -> Result<Option<ApiToken>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, name, role, created_by, created_at, expires_at, last_used, logspaces, scope, limits, former_until
         FROM tokens WHERE id = ?1",
    )?;
    Ok(statement.query_row([id], read).optional()?)
}

/// Refuses a name that another token has which has not ended.
fn check_free(connection: &Connection, name: &str, own: Option<i64>, now: Timestamp) -> Result<()> {
    let is_taken = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM tokens WHERE name = ?1 COLLATE NOCASE AND id IS NOT ?3
                        AND (expires_at IS NULL OR ?2 < expires_at))",
        params![name, Nanos(now), own],
        |row| row.get(0),
    )?;
    if is_taken { Err(Error::TokenExists(name.to_owned())) } else { Ok(()) }
}

fn insert(
    connection: &Connection,
    new: &NewToken<'_>,
    grant: &Grant,
    limits: &TokenLimits,
    hash: [u8; 32],
    now: Timestamp,
) -> Result<()> {
    let NewToken { name, role, created_by, expires_at } = new;
    let Actor { account, name: author } = created_by;
    let (expires_at, logspaces) = (expires_at.map(Nanos), grant.logspaces_column());
    connection.execute(
        "INSERT INTO tokens (name, role, hash, created_by_account, created_by, created_at, expires_at, logspaces, scope, limits)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![name, role, hash, account, author, Nanos(now), expires_at, logspaces, grant.scope, JsonColumn(limits)],
    )?;
    Ok(())
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<ApiToken> {
    Ok(ApiToken {
        id: row.get(0)?,
        name: row.get(1)?,
        role: row.get(2)?,
        grant: Grant::read(row, 7)?,
        created_by: row.get(3)?,
        created_at: row.get::<_, Nanos>(4)?.0,
        expires_at: row.get::<_, Option<Nanos>>(5)?.map(|nanos| nanos.0),
        last_used: row.get::<_, Option<Nanos>>(6)?.map(|nanos| nanos.0),
        limits: row.get::<_, Option<JsonColumn<TokenLimits>>>(9)?.map(|json| json.0).unwrap_or_default(),
        former_until: row.get::<_, Option<Nanos>>(10)?.map(|nanos| nanos.0),
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
    fn the_former_secret_works_until_the_overlap_ends_and_no_longer_than_its_token() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let at = |seconds: i64| Timestamp::from_nanos(seconds * SECOND);
        let new =
            NewToken { name: "web", role: Role::Ingest, created_by: "ana".into(), expires_at: Some(at(100)) };
        let limits = TokenLimits { bytes_per_second: Some(5), ..TokenLimits::default() };
        let (id, first) = meta.add_limited_token(&new, &Grant::default(), &limits, at(1)).unwrap();
        let (name, role, second) = meta.rotate_token(id, at(50), at(10)).unwrap().unwrap();
        assert_eq!((name.as_str(), role), ("web", Role::Ingest));
        let works =
            |secret: &Secret, seconds: i64| meta.use_token(secret.hash(), at(seconds)).unwrap().is_some();
        assert!(works(&first, 49) && works(&second, 49));
        assert!(!works(&first, 50) && works(&second, 99) && !works(&second, 100));
        assert_eq!(meta.tokens().unwrap()[0].limits, limits);
        let (_, _, third) = meta.rotate_token(id, at(90), at(20)).unwrap().unwrap();
        assert!(!works(&first, 21) && works(&second, 21) && works(&third, 21), "two at most");
        assert!(meta.rotate_token(id, at(200), at(100)).unwrap().is_none(), "it has ended");
        assert!(meta.rotate_token(id + 1, at(90), at(20)).unwrap().is_none());
        meta.remove_token(id).unwrap();
        assert!(!works(&second, 21) && !works(&third, 21));
    }

    #[test]
    fn a_token_is_changed_only_as_it_was_seen() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let at = |seconds: i64| Timestamp::from_nanos(seconds * SECOND);
        let new = |name| NewToken { name, role: Role::Analyst, created_by: "ana".into(), expires_at: None };
        let (id, secret) = meta.add_token(&new("ci"), at(1)).unwrap();
        meta.add_token(&new("web"), at(1)).unwrap();
        let before = meta.token(id).unwrap().unwrap();
        let grant = Grant { logspaces: None, scope: Some("host:a".to_owned()) };
        let after = ApiToken { name: "build".to_owned(), grant, expires_at: Some(at(9)), ..before.clone() };
        assert!(meta.change_token(&before, &after, at(2)).unwrap());
        assert_eq!(meta.use_token(secret.hash(), at(3)).unwrap().unwrap().grant, after.grant);
        assert!(!meta.change_token(&before, &after, at(3)).unwrap(), "it was changed meanwhile");
        let taken = ApiToken { name: "WEB".to_owned(), ..after.clone() };
        assert!(matches!(meta.change_token(&after, &taken, at(3)), Err(Error::TokenExists(_))));
        assert_eq!(meta.use_token(secret.hash(), at(9)).unwrap(), None);
        assert_eq!(meta.token(id + 2).unwrap(), None);
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
