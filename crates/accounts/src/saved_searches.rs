//! Named searches: private, or shared with everyone.
//!
//! **Invariant:** it belongs to an account, and the owner's name is only shown.
//! **Invariant:** a search that is not shared is visible only to its owner.
//! **Invariant:** an owner has no two searches of the same name in a folder.

use super::books::UsedItem;
use super::columns::{JsonColumn, Nanos};
use super::{Account, Actor, Error, Meta, Result};
use logstead_record::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum number of searches of one owner.
pub const SAVED_SEARCHES_MAX: u32 = 1000;

const COLUMNS: &str = "id, owner, folder, name, tags, shared, query, from_time, to_time, logspaces, view, created_at, \
                       updated_at, last_used, account";

/// The place of a search in the list, which stays known when the search is removed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchKey {
    /// The name of its folder.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: i64,
}

/// How much of a list to return: it ends with the search that reaches either.
#[derive(Clone, Copy, Debug)]
pub struct ListSize {
    /// Maximum number of searches.
    pub searches: usize,
    /// Number of bytes of searches.
    pub bytes: usize,
}

impl ListSize {
    /// The whole list.
    const ALL: ListSize = ListSize { searches: usize::MAX, bytes: usize::MAX };
}

/// The parts of a saved search that its owner sets.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchToSave {
    /// Unique in the folder.
    pub name: String,
    /// The name of the folder; empty for none.
    pub folder: String,
    /// Words by which it can be found.
    pub tags: Vec<String>,
    /// Whether everyone may see it.
    pub shared: bool,
    /// The query, in the query language.
    pub query: String,
    /// The start of the time range, as it was written.
    pub from: Option<String>,
    /// Likewise.
    pub to: Option<String>,
    /// The ids of the logspaces; `None` for all.
    pub logspaces: Option<Vec<String>>,
    /// How its results are shown; opaque to the server.
    pub view: Value,
}

impl SearchToSave {
    /// Its approximate length.
    fn bytes(&self) -> usize {
        let texts = [&self.name, &self.folder, &self.query].into_iter().chain(&self.tags);
        let texts = texts.chain(self.logspaces.iter().flatten());
        texts.map(String::len).sum::<usize>() + self.view.to_string().len()
    }
}

/// A search that was saved.
#[derive(Clone, PartialEq, Debug)]
pub struct SavedSearch {
    /// The id, which is never reused.
    pub id: i64,
    /// Its owner; `None` if the account is gone.
    pub account: Option<Account>,
    /// The owner's name: that of a user, or `token:` and that of a token.
    pub owner: String,
    /// The parts that the owner sets.
    pub search: SearchToSave,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was last used by anyone.
    pub last_used: Option<Timestamp>,
}

impl SavedSearch {
    /// Its place in the list.
    pub fn key(&self) -> SearchKey {
        SearchKey { folder: self.search.folder.clone(), name: self.search.name.clone(), id: self.id }
    }
}

impl Meta {
    /// The searches that an account may see, by folder and name: its own, and the shared ones.
    pub fn saved_searches(&self, viewer: Account) -> Result<Vec<SavedSearch>> {
        self.saved_searches_after(viewer, None, ListSize::ALL).map(|(searches, _)| searches)
    }

    /// The searches that follow the one with this key, and whether there are more.
    pub fn saved_searches_after(
        &self,
        viewer: Account,
        after: Option<&SearchKey>,
        size: ListSize,
    ) -> Result<(Vec<SavedSearch>, bool)> {
        let store = self.store();
        let mut statement = store.connection.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM saved_searches
             WHERE (shared OR account = ?1) AND (?2 IS NULL OR (folder, name, id) > (?2, ?3, ?4))
             ORDER BY folder, name, id"
        ))?;
        let (folder, name) = after.map(|key| (&key.folder, &key.name)).unzip();
        let (mut searches, mut bytes) = (Vec::new(), 0);
        for search in statement.query_map(params![viewer, folder, name, after.map(|key| key.id)], read)? {
            if size.bytes <= bytes || size.searches <= searches.len() {
                return Ok((searches, true));
            }
            let mut search = search?;
            search.last_used = search.last_used.max(store.books.last_used(UsedItem::Search(search.id)));
            bytes += search.search.bytes();
            searches.push(search);
        }
        Ok((searches, false))
    }

    /// A search that an account may see.
    pub fn saved_search(&self, viewer: Account, id: i64) -> Result<SavedSearch> {
        let store = self.store();
        let mut search = seen(&store.connection, Some(viewer), id)?;
        search.last_used = search.last_used.max(store.books.last_used(UsedItem::Search(id)));
        Ok(search)
    }

    /// Saves a search for an actor that has an account.
    pub fn add_saved_search(&self, owner: &Actor, new: &SearchToSave, now: Timestamp) -> Result<SavedSearch> {
        self.write(|transaction| {
            let count: u32 = transaction.query_row(
                "SELECT count(*) FROM saved_searches WHERE account = ?1",
                [owner.account],
                |row| row.get(0),
            )?;
            if SAVED_SEARCHES_MAX <= count {
                return Err(Error::TooManySearches { owner: owner.name.clone(), max: SAVED_SEARCHES_MAX });
            }
            insert(transaction, owner, new, now).map_err(|error| taken(error, &owner.name, new))?;
            seen(transaction, owner.account, transaction.last_insert_rowid())
        })
    }

    /// Replaces a saved search. Its owner may do so and, if it is shared, an `admin`.
    pub fn replace_saved_search(
        &self,
        caller: Account,
        is_admin: bool,
        id: i64,
        new: &SearchToSave,
        now: Timestamp,
    ) -> Result<SavedSearch> {
        self.write(|transaction| {
            let SavedSearch { account, owner, .. } = changeable(transaction, caller, is_admin, id)?;
            update(transaction, id, new, now).map_err(|error| taken(error, &owner, new))?;
            // An administrator may have made the search private to its owner.
            seen(transaction, account.or(Some(caller)), id)
        })
    }

    /// Removes a saved search; allowed for those who may replace it.
    pub fn remove_saved_search(&self, caller: Account, is_admin: bool, id: i64) -> Result<SavedSearch> {
        self.write(|transaction| {
            let removed = changeable(transaction, caller, is_admin, id)?;
            transaction.execute("DELETE FROM saved_searches WHERE id = ?1", [id])?;
            Ok(removed)
        })
    }

    /// Notes that an account that may see the search has used it.
    pub fn use_saved_search(&self, viewer: Account, id: i64, now: Timestamp) -> Result<()> {
        let mut store = self.store();
        seen(&store.connection, Some(viewer), id)?;
        store.books.used(UsedItem::Search(id), now);
        Ok(())
    }
}

fn insert(
    connection: &Connection,
    owner: &Actor,
    new: &SearchToSave,
    now: Timestamp,
) -> rusqlite::Result<usize> {
    let (tags, logspaces, view) =
        (JsonColumn(&new.tags), new.logspaces.as_ref().map(JsonColumn), JsonColumn(&new.view));
    connection.execute(
        "INSERT INTO saved_searches (account, owner, folder, name, tags, shared, query, from_time, to_time, logspaces,
                                     view, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)",
        params![
            owner.account, owner.name, new.folder, new.name, tags, new.shared, new.query, new.from, new.to, logspaces,
            view, Nanos(now)
        ],
    )
}

fn update(connection: &Connection, id: i64, new: &SearchToSave, now: Timestamp) -> rusqlite::Result<usize> {
    let (tags, logspaces, view) =
        (JsonColumn(&new.tags), new.logspaces.as_ref().map(JsonColumn), JsonColumn(&new.view));
    connection.execute(
        "UPDATE saved_searches SET folder = ?2, name = ?3, tags = ?4, shared = ?5, query = ?6, from_time = ?7,
                                   to_time = ?8, logspaces = ?9, view = ?10, updated_at = ?11
         WHERE id = ?1",
        params![
            id, new.folder, new.name, tags, new.shared, new.query, new.from, new.to, logspaces, view, Nanos(now)
        ],
    )
}

fn seen(connection: &Connection, viewer: Option<Account>, id: i64) -> Result<SavedSearch> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM saved_searches WHERE id = ?1 AND (shared OR account = ?2)"
    ))?;
    statement.query_row(params![id, viewer], read).optional()?.ok_or(Error::NoSuchSearch(id))
}

fn changeable(connection: &Connection, caller: Account, is_admin: bool, id: i64) -> Result<SavedSearch> {
    let found = seen(connection, Some(caller), id)?;
    let may = found.account == Some(caller) || is_admin;
    if may { Ok(found) } else { Err(Error::OthersSearch { id, owner: found.owner }) }
}

/// Translates the only error that the database itself reports: the name is taken.
fn taken(error: rusqlite::Error, owner: &str, new: &SearchToSave) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => {
            Error::SearchExists { owner: owner.to_owned(), name: new.name.clone() }
        }
        _ => error.into(),
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<SavedSearch> {
    let logspaces: Option<JsonColumn<Vec<String>>> = row.get(9)?;
    let search = SearchToSave {
        folder: row.get(2)?,
        name: row.get(3)?,
        tags: row.get::<_, JsonColumn<_>>(4)?.0,
        shared: row.get(5)?,
        query: row.get(6)?,
        from: row.get(7)?,
        to: row.get(8)?,
        logspaces: logspaces.map(|list| list.0),
        view: row.get::<_, JsonColumn<_>>(10)?.0,
    };
    Ok(SavedSearch {
        id: row.get(0)?,
        // If the owner is gone, only the name is left.
        account: row.get(14).ok(),
        owner: row.get(1)?,
        search,
        created_at: row.get::<_, Nanos>(11)?.0,
        updated_at: row.get::<_, Nanos>(12)?.0,
        last_used: row.get::<_, Option<Nanos>>(13)?.map(|nanos| nanos.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    const NOW: Timestamp = Timestamp::from_nanos(7);
    const LATER: Timestamp = Timestamp::from_nanos(8);
    const ANA: Account = Account::User(1);
    const BO: Account = Account::User(2);

    fn actor(account: Account, name: &str) -> Actor {
        Actor { account: Some(account), name: name.to_owned() }
    }

    fn meta() -> (tempfile::TempDir, Meta) {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        (directory, meta)
    }

    fn search(name: &str, shared: bool) -> SearchToSave {
        SearchToSave {
            name: name.to_owned(),
            folder: "ops".to_owned(),
            tags: vec!["on call".to_owned()],
            shared,
            query: "severity>=err".to_owned(),
            from: Some("-1h".to_owned()),
            to: None,
            logspaces: Some(vec!["main".to_owned()]),
            view: serde_json::json!({"columns": ["time"]}),
        }
    }

    #[test]
    fn a_search_is_kept_as_it_was_saved() {
        let (_directory, meta) = meta();
        let saved = meta.add_saved_search(&actor(ANA, "ana"), &search("errors", false), NOW).unwrap();
        assert_eq!((saved.created_at, saved.updated_at, saved.last_used), (NOW, NOW, None));
        assert_eq!(saved.search, search("errors", false));
        let changed = SearchToSave { logspaces: None, view: Value::Null, ..search("faults", true) };
        let replaced = meta.replace_saved_search(ANA, false, saved.id, &changed, LATER).unwrap();
        assert_eq!((replaced.id, replaced.created_at, replaced.updated_at), (saved.id, NOW, LATER));
        assert_eq!(replaced.search, changed);
        meta.use_saved_search(BO, saved.id, LATER).unwrap();
        let seen = meta.saved_search(BO, saved.id).unwrap();
        assert_eq!(seen.last_used, Some(LATER));
        assert_eq!(meta.saved_searches(BO).unwrap(), [seen]);
        meta.remove_saved_search(ANA, false, saved.id).unwrap();
        assert_eq!(meta.saved_searches(ANA).unwrap(), []);
    }

    #[test]
    fn only_its_owner_sees_and_changes_what_is_not_shared() {
        let (_directory, meta) = meta();
        let own = meta.add_saved_search(&actor(ANA, "ana"), &search("own", false), NOW).unwrap().id;
        let shared = meta.add_saved_search(&actor(ANA, "ana"), &search("shared", true), NOW).unwrap().id;
        let new = search("new", true);
        for admin in [false, true] {
            let replaced = meta.replace_saved_search(BO, admin, own, &new, NOW);
            assert!(matches!(replaced, Err(Error::NoSuchSearch(_))));
            let removed = meta.remove_saved_search(BO, admin, own);
            assert!(matches!(removed, Err(Error::NoSuchSearch(_))));
        }
        assert!(matches!(meta.use_saved_search(BO, own, NOW), Err(Error::NoSuchSearch(_))));
        let refused = meta.replace_saved_search(BO, false, shared, &new, NOW);
        assert!(matches!(refused, Err(Error::OthersSearch { owner, .. }) if owner == "ana"));
        assert!(meta.remove_saved_search(BO, false, shared).is_err());
        let replaced = meta.replace_saved_search(BO, true, shared, &new, NOW).unwrap();
        assert_eq!((replaced.owner.as_str(), replaced.search.name.as_str()), ("ana", "new"));
        meta.replace_saved_search(ANA, false, own, &search("own", true), NOW).unwrap();
    }

    #[test]
    fn a_name_is_taken_once_by_an_owner_in_a_folder() {
        let (_directory, meta) = meta();
        meta.add_saved_search(&actor(ANA, "ana"), &search("errors", false), NOW).unwrap();
        let again = meta.add_saved_search(&actor(ANA, "ana"), &search("errors", true), NOW);
        assert!(matches!(again, Err(Error::SearchExists { .. })));
        let elsewhere = SearchToSave { folder: String::new(), ..search("errors", false) };
        let other = meta.add_saved_search(&actor(ANA, "ana"), &elsewhere, NOW).unwrap();
        let moved = meta.replace_saved_search(ANA, false, other.id, &search("errors", false), NOW);
        assert!(matches!(moved, Err(Error::SearchExists { .. })));
        meta.add_saved_search(&actor(BO, "bo"), &search("errors", false), NOW).unwrap();
    }

    #[test]
    fn an_owner_has_so_many_and_no_more() {
        let (_directory, meta) = meta();
        meta.connection().pragma_update(None, "synchronous", "OFF").unwrap();
        for number in 0..SAVED_SEARCHES_MAX {
            meta.add_saved_search(&actor(ANA, "ana"), &search(&number.to_string(), false), NOW).unwrap();
        }
        let more = meta.add_saved_search(&actor(ANA, "ana"), &search("more", false), NOW);
        assert!(matches!(more, Err(Error::TooManySearches { .. })));
        meta.add_saved_search(&actor(BO, "bo"), &search("more", false), NOW).unwrap();
    }

    #[test]
    fn what_is_shared_outlives_its_owner_and_what_is_not_does_not() {
        let (_directory, meta) = meta();
        meta.add_user("ana", Role::Analyst, "h", NOW).unwrap();
        meta.add_saved_search(&actor(ANA, "ana"), &search("own", false), NOW).unwrap();
        meta.add_saved_search(&actor(ANA, "ana"), &search("shared", true), NOW).unwrap();
        meta.remove_user("Ana").unwrap();
        let left: Vec<_> = meta.saved_searches(ANA).unwrap().into_iter().map(|s| s.search.name).collect();
        assert_eq!(left, ["shared"]);
    }

    #[test]
    fn who_has_the_same_name_later_owns_nothing_of_the_one_before() {
        let (_directory, meta) = meta();
        let shared = meta.add_saved_search(&actor(ANA, "ana"), &search("shared", true), NOW).unwrap();
        let again = Account::User(3);
        let removed = meta.remove_saved_search(again, false, shared.id);
        assert!(matches!(removed, Err(Error::OthersSearch { owner, .. }) if owner == "ana"));
        // A token does not own the searches of an administrator with the same name either.
        assert!(meta.remove_saved_search(Account::Token(1), false, shared.id).is_err());
        meta.add_saved_search(&actor(again, "ana"), &search("shared", true), NOW).unwrap();
    }
}
