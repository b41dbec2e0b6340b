//! The tables at the end of a file of sections: names and lengths of the sections, and a checksum for each page.
//!
//! **Invariant:** tables that were read fit their header: the sections fill the body, and each page of them has a
//! checksum.

use super::error::IndexError;
use super::header::{BundleHeader, CRC_BYTES};
use std::ops::Range;

pub(super) const PAGE_BYTES: usize = 16 << 10;

pub(super) fn write_page_table(section: &[u8], table: &mut Vec<u8>) {
    section.chunks(PAGE_BYTES).for_each(|page| table.extend_from_slice(&crc32c::crc32c(page).to_le_bytes()));
}

/// The start of each page, and the end of the last page.
fn page_starts(sections: &[(String, Range<u64>)], body_bytes: u64) -> Vec<u64> {
    let mut starts = Vec::new();
    sections.iter().for_each(|(_, range)| starts.extend(range.clone().step_by(PAGE_BYTES)));
    starts.push(body_bytes);
    starts
}

pub(super) fn write_section_table(sections: &[(String, Vec<u8>)], table: &mut Vec<u8>) {
    for (name, bytes) in sections {
        table.push(name.len() as u8);
        table.extend_from_slice(name.as_bytes());
        table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    }
}

/// The checksums of the pages, the starts of the pages, and the sections with their positions in the body.
pub(super) type Tables = (Vec<u32>, Vec<u64>, Vec<(String, Range<u64>)>);

pub(super) fn read_tables(tables: &[u8], header: &BundleHeader) -> Result<Tables, IndexError> {
    let read = || {
        let mut crcs = tables;
        let sections = read_sections(&mut crcs, header)?;
        let starts = page_starts(&sections, header.body_bytes);
        let is_whole = crcs.len() == (starts.len() - 1) * CRC_BYTES;
        let crcs = crcs.as_chunks().0.iter().map(|&crc| u32::from_le_bytes(crc)).collect();
        is_whole.then_some((crcs, starts, sections))
    };
    read().ok_or_else(|| IndexError::Format("its tables do not fit its header".to_owned()))
}

/// Reads the sections, which must fill the body.
fn read_sections(rest: &mut &[u8], header: &BundleHeader) -> Option<Vec<(String, Range<u64>)>> {
    let mut sections = Vec::new();
    let mut start = 0_u64;
    for _ in 0..header.sections {
        let (name, bytes) = read_section_entry(rest)?;
        let end = start.checked_add(bytes).filter(|end| *end <= header.body_bytes)?;
        sections.push((name, start..end));
        start = end;
    }
    (start == header.body_bytes).then_some(sections)
}

fn read_section_entry(rest: &mut &[u8]) -> Option<(String, u64)> {
    let (name_bytes, after) = rest.split_first()?;
    let (name, after) = after.split_at_checked(usize::from(*name_bytes))?;
    let (bytes, after) = after.split_first_chunk()?;
    *rest = after;
    Some((str::from_utf8(name).ok()?.to_owned(), u64::from_le_bytes(*bytes)))
}
