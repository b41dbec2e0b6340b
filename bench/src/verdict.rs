//! The end of a run: prints for each of its claims whether it holds.

use crate::measure::print;
use anyhow::{Result, ensure};

/// How far resident memory may differ from the amount that the settings allow or the server accounts for.
pub(crate) const MEMORY_TOLERANCE: f64 = 0.25;

/// Prints each claim with its figure and whether it holds; returns an error if one does not.
pub(crate) fn tell(rows: &[(&str, String, bool)]) -> Result<()> {
    for (what, figure, holds) in rows {
        print(&format!("{:<4} {what}: {figure}", if *holds { "ok" } else { "FAIL" }))?;
    }
    ensure!(rows.iter().all(|(_, _, holds)| *holds), "the run is not good");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_that_does_not_hold_spoils_the_run() {
        let row = |holds| ("memory", "7 MiB".to_owned(), holds);
        assert!(tell(&[row(true), row(true)]).is_ok());
        assert!(tell(&[row(true), row(false), row(true)]).is_err());
    }
}
