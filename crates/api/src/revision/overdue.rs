//! Takes back a revision before anything runs, if its time was over while the process was not running.

use super::AUTHOR;
use logstead_accounts::{Meta, Result, UnconfirmedRevision};
use logstead_record::Timestamp;

/// Makes the revision before the newest one again, if that one had to be confirmed and was not.
pub fn take_back_overdue(meta: &Meta, now: Timestamp) -> Result<()> {
    let Some(UnconfirmedRevision { revision, back_to, .. }) =
        meta.unconfirmed_revision()?.filter(|trial| trial.until <= now)
    else {
        return Ok(());
    };
    let Some(before) = meta.revision(back_to)? else {
        tracing::error!(
            "router document: revision {revision} was not confirmed, and revision {back_to} is gone: it stays"
        );
        return meta.confirm_revision(revision).map(drop);
    };
    let number = meta.add_revision(&before.toml, AUTHOR, &comment(revision, back_to), now)?;
    tracing::warn!(
        "router document: revision {revision} was not confirmed in time, so revision {number} is that of {back_to} again"
    );
    Ok(())
}

/// Why there is another revision.
pub(super) fn comment(revision: u64, back_to: u64) -> String {
    format!("back to revision {back_to}: revision {revision} was not confirmed in time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_accounts::RevisionDeadline;

    #[test]
    fn a_revision_whose_time_was_over_is_taken_back_once() {
        let folder = tempfile::tempdir().unwrap();
        let meta = Meta::open(&folder.path().join("logstead.db")).unwrap();
        let at = Timestamp::from_nanos;
        meta.add_revision("old", "ana", "", at(1)).unwrap();
        let trial = RevisionDeadline { until: at(9), back_if_worse: false };
        meta.add_unconfirmed_revision("new", "ana", "", at(2), Some(trial)).unwrap();
        take_back_overdue(&meta, at(8)).unwrap();
        assert_eq!(meta.latest_revision().unwrap().unwrap().toml, "new");
        for _ in 0..2 {
            take_back_overdue(&meta, at(9)).unwrap();
            let latest = meta.latest_revision().unwrap().unwrap();
            assert_eq!((latest.number, latest.toml.as_str()), (3, "old"));
        }
    }
}
