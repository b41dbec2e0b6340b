//! Router revisions: the documents that have been live, kept so that they can be compared and restored.
//!
//! **Invariant:** a revision never changes and its number is never reused.

use super::columns::Nanos;
use super::unconfirmed::{self, RevisionDeadline};
use super::{Meta, Result};
use logstead_record::Timestamp;
use rusqlite::{OptionalExtension, params};

/// How many revisions are kept; the oldest are removed.
const REVISIONS_MAX: i64 = 1000;

/// A router document that was stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Revision {
    /// The number of the revision: 1, 2, 3 …
    pub number: u64,
    /// The document as text.
    pub toml: String,
    /// The name of the user or token that stored it.
    pub author: String,
    /// The reason.
    pub comment: String,
    /// The time.
    pub created_at: Timestamp,
}

/// A stored router document without its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RevisionHead {
    /// The number of the revision.
    pub number: u64,
    /// The name of the user or token that stored it.
    pub author: String,
    /// The reason.
    pub comment: String,
    /// The time.
    pub created_at: Timestamp,
}

impl Meta {
    /// Stores a document as the newest revision and returns its number.
    pub fn add_revision(&self, toml: &str, author: &str, comment: &str, now: Timestamp) -> Result<u64> {
        self.add_unconfirmed_revision(toml, author, comment, now, None)
    }

    /// Like [`Meta::add_revision`], for a revision that may have to be confirmed.
    pub fn add_unconfirmed_revision(
        &self,
        toml: &str,
        author: &str,
        comment: &str,
        now: Timestamp,
        deadline: Option<RevisionDeadline>,
    ) -> Result<u64> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO revisions (toml, author, comment, created_at) VALUES (?1, ?2, ?3, ?4)",
                params![toml, author, comment, Nanos(now)],
            )?;
            let number = transaction.last_insert_rowid() as u64;
            transaction
                .execute("DELETE FROM revisions WHERE number <= ?1", [number as i64 - REVISIONS_MAX])?;
            unconfirmed::begin(transaction, number, deadline)?;
            Ok(number)
        })
    }

    /// The newest revision.
    pub fn latest_revision(&self) -> Result<Option<Revision>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT number, toml, author, comment, created_at FROM revisions ORDER BY number DESC LIMIT 1",
        )?;
        Ok(statement.query_row([], read).optional()?)
    }

    /// Restores revisions that the database has lost, under their own numbers.
    pub fn put_back(&self, revisions: &[Revision]) -> Result<()> {
        self.write(|transaction| {
            for Revision { number, toml, author, comment, created_at } in revisions {
                transaction.execute(
                    "INSERT INTO revisions (number, toml, author, comment, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![*number as i64, toml, author, comment, Nanos(*created_at)],
                )?;
            }
            Ok(())
        })
    }

    /// The newest revisions, up to `count`, newest first.
    pub fn newest_revisions(&self, count: usize) -> Result<Vec<Revision>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT number, toml, author, comment, created_at FROM revisions ORDER BY number DESC LIMIT ?1",
        )?;
        let revisions = statement.query_map([count as i64], read)?;
        Ok(revisions.collect::<rusqlite::Result<_>>()?)
    }

    /// A revision by its number.
    pub fn revision(&self, number: u64) -> Result<Option<Revision>> {
        let Ok(number) = i64::try_from(number) else { return Ok(None) };
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT number, toml, author, comment, created_at FROM revisions WHERE number = ?1",
        )?;
        Ok(statement.query_row([number], read).optional()?)
    }

    /// The newest revisions with a lower number, newest first.
    pub fn revisions_before(&self, number: u64, limit: usize) -> Result<Vec<RevisionHead>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT number, author, comment, created_at FROM revisions WHERE number < ?1 \
             ORDER BY number DESC LIMIT ?2",
        )?;
        let before = i64::try_from(number).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let revisions = statement.query_map(params![before, limit], |row| {
            Ok(RevisionHead {
                number: row.get::<_, i64>(0)? as u64,
                author: row.get(1)?,
                comment: row.get(2)?,
                created_at: row.get::<_, Nanos>(3)?.0,
            })
        })?;
        Ok(revisions.collect::<rusqlite::Result<_>>()?)
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Revision> {
    Ok(Revision {
        number: row.get::<_, i64>(0)? as u64,
        toml: row.get(1)?,
        author: row.get(2)?,
        comment: row.get(3)?,
        created_at: row.get::<_, Nanos>(4)?.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_numbered_from_one_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        assert_eq!(meta.latest_revision().unwrap(), None);
        let now = Timestamp::from_nanos(9);
        assert_eq!(meta.add_revision("a", "ana", "first", now).unwrap(), 1);
        assert_eq!(meta.add_revision("b", "bo", "second", now).unwrap(), 2);
        let authors = |before, limit| {
            let heads = meta.revisions_before(before, limit).unwrap().into_iter();
            heads.map(|head| (head.number, head.author)).collect::<Vec<_>>()
        };
        assert_eq!(authors(u64::MAX, 9), [(2, "bo".to_owned()), (1, "ana".to_owned())]);
        assert_eq!(
            (authors(u64::MAX, 1), authors(2, 9)),
            (vec![(2, "bo".to_owned())], vec![(1, "ana".to_owned())])
        );
        assert_eq!(meta.latest_revision().unwrap().unwrap().author, "bo");
        assert_eq!(meta.revision(1).unwrap().unwrap().comment, "first");
        assert_eq!(meta.revision(u64::MAX).unwrap(), None);
    }
}
