//! The part of `logstead verify` for the database and the copies of router documents next to it.

use super::failure::{CommandFailure, Result};
use super::{starting, text};
use logstead_accounts as accounts;
use logstead_accounts::document_backups;
use logstead_accounts::{CheckDepth, DatabaseState};
use std::path::Path;

/// Prints the problems that are found and returns their number. Changes nothing.
pub(super) fn verify(data: &Path) -> Result<usize> {
    let unreadable = |error| CommandFailure::environment(format!("{}: {error}", data.display()));
    let mut problems = Vec::new();
    match accounts::inspect(&starting::database(data), CheckDepth::Full).map_err(unreadable)? {
        DatabaseState::Intact(whole) => {
            problems
                .extend(starting::older(data, &whole)?.map(|what| format!("is damaged or older: {what}")));
            if !whole.is_witnessed {
                let what = "has no witness `logstead.db.sum`, so there is no telling whether it is what was \
                            written last";
                problems.push(what.to_owned());
            }
        }
        DatabaseState::Other(what) => {
            problems
                .push(format!("is not the database that ran last: {what}; `logstead serve` says what to do"));
        }
        DatabaseState::Missing => problems.push("is missing: `logstead serve` says what to do".to_owned()),
        DatabaseState::Empty => problems.push("is empty: `logstead serve` says what to do".to_owned()),
        DatabaseState::Damaged(what) => problems.push(format!("is damaged, but no message is lost: {what}")),
    }
    let mut lines: Vec<String> = problems.into_iter().map(|what| format!("logstead.db: {what}")).collect();
    for (number, state) in document_backups::load(data).map_err(unreadable)? {
        if let Err(what) = state {
            let name = document_backups::path(Path::new(""), number);
            lines.push(format!("{}: {what}: the next start rewrites it from the database", name.display()));
        }
    }
    let count = lines.len();
    if count == 0 {
        lines.push("logstead.db: intact".to_owned());
    }
    lines.iter().try_for_each(|line| text::line(line))?;
    Ok(count)
}
