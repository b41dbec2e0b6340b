//! The revision that is reverted unless somebody confirms it in time.
//!
//! **Invariant:** only the newest revision can be unconfirmed: storing another one ends the wait of the one before, in
//! the same transaction. If that one was unconfirmed as well, both go back to the same revision.

use super::columns::Nanos;
use super::{Meta, Result};
use logstead_record::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

/// A revision that has to be confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnconfirmedRevision {
    /// The live revision.
    pub revision: u64,
    /// The revision to go back to.
    pub back_to: u64,
    /// The time at which the previous revision becomes live again, unless this one is confirmed before.
    pub until: Timestamp,
    /// Whether it is reverted earlier if fewer messages are received, or more are dropped, than before.
    pub back_if_worse: bool,
}

/// The time until which a revision may stay unconfirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RevisionDeadline {
    /// The time when it is reverted.
    pub until: Timestamp,
    /// Whether it is reverted earlier if fewer messages are received, or more are dropped, than before.
    pub back_if_worse: bool,
}

impl Meta {
    /// The revision that has to be confirmed.
    pub fn unconfirmed_revision(&self) -> Result<Option<UnconfirmedRevision>> {
        read(&self.connection())
    }

    /// Confirms a revision; `false` if it was not waiting to be confirmed.
    pub fn confirm_revision(&self, revision: u64) -> Result<bool> {
        self.write(|connection| {
            let ended =
                connection.execute("DELETE FROM revision_on_trial WHERE revision = ?1", [revision as i64])?;
            Ok(0 < ended)
        })
    }
}

/// Notes that the revision just stored is unconfirmed, or that none is.
pub(super) fn begin(
    connection: &Connection,
    revision: u64,
    deadline: Option<RevisionDeadline>,
) -> Result<()> {
    let before = read(connection)?;
    connection.execute("DELETE FROM revision_on_trial", [])?;
    let Some(RevisionDeadline { until, back_if_worse }) = deadline else { return Ok(()) };
    let last: Option<i64> = connection.query_row(
        "SELECT max(number) FROM revisions WHERE number < ?1",
        [revision as i64],
        |row| row.get(0),
    )?;
    let back_to = before.map(|before| before.back_to as i64).or(last);
    // The first revision has no predecessor to go back to.
    if let Some(back_to) = back_to {
        connection.execute(
            "INSERT INTO revision_on_trial (only, revision, back_to, until, back_if_worse) VALUES (1, ?1, ?2, ?3, ?4)",
            params![revision as i64, back_to, Nanos(until), back_if_worse],
        )?;
    }
    Ok(())
}

fn read(connection: &Connection) -> Result<Option<UnconfirmedRevision>> {
    let mut statement =
        connection.prepare_cached("SELECT revision, back_to, until, back_if_worse FROM revision_on_trial")?;
    let row = statement.query_row([], |row| {
        Ok(UnconfirmedRevision {
            revision: row.get::<_, i64>(0)? as u64,
            back_to: row.get::<_, i64>(1)? as u64,
            until: row.get::<_, Nanos>(2)?.0,
            back_if_worse: row.get(3)?,
        })
    });
    Ok(row.optional()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_nanos(5);

    #[test]
    fn a_revision_is_on_trial_until_it_is_confirmed_or_another_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let meta = Meta::open(&folder.path().join("logstead.db")).unwrap();
        let trial =
            |until| RevisionDeadline { until: Timestamp::from_nanos(until), back_if_worse: until == 70 };
        let add = |trial| meta.add_unconfirmed_revision("", "ana", "", NOW, trial).unwrap();
        add(Some(trial(1)));
        assert_eq!(meta.unconfirmed_revision().unwrap(), None, "the first has nothing to go back to");
        add(Some(trial(70)));
        let unconfirmed = |revision, until| UnconfirmedRevision {
            revision,
            back_to: 1,
            until: Timestamp::from_nanos(until),
            back_if_worse: until == 70,
        };
        assert_eq!(meta.unconfirmed_revision().unwrap(), Some(unconfirmed(2, 70)));
        add(Some(trial(80)));
        assert_eq!(
            meta.unconfirmed_revision().unwrap(),
            Some(unconfirmed(3, 80)),
            "nobody confirmed the one between"
        );
        assert!(!meta.confirm_revision(2).unwrap());
        assert!(meta.confirm_revision(3).unwrap());
        assert_eq!(meta.unconfirmed_revision().unwrap(), None);
        add(Some(trial(90)));
        add(None);
        assert_eq!(
            meta.unconfirmed_revision().unwrap(),
            None,
            "whoever applies the next revision confirms this one"
        );
    }
}
