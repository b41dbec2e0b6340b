//! Writes the words of a segment, as an [`Inverter`](crate::segment::inverter::Inverter) has found them.

use super::table::{TermPlace, TermTable};
use super::{rows, rows_section, terms_section};
use crate::segment::bundle::{BundleWriter, IndexError};
use crate::segment::inverter::InvertedWords;
use tantivy_sstable::Dictionary;

/// Adds the sections of a dictionary to an index of this many rows.
pub(crate) fn write(
    dictionary: &'static str,
    inverted: &InvertedWords,
    rows: u32,
    writer: &mut BundleWriter,
) -> Result<(), IndexError> {
    let mut terms = Dictionary::<TermTable>::builder(Vec::new())?;
    let mut postings = rows.to_le_bytes().to_vec();
    for (term, of_term) in inverted.iter() {
        let start = postings.len() as u64;
        rows::write(of_term, &mut postings);
        let place = TermPlace { rows: of_term.len() as u32, bytes: start..postings.len() as u64 };
        terms.insert(term, &place)?;
    }
    writer.add(terms_section(dictionary), terms.finish()?);
    writer.add(rows_section(dictionary), postings);
    Ok(())
}
