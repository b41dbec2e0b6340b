//! Gathers sections and writes them as one file.

use super::header::{BundleHeader, BundleIdentity};
use super::kind::BundleKind;
use super::tables::{write_page_table, write_section_table};
use crate::disk::DiskFile;
use std::io::{self, IoSlice};

/// Gathers the sections of a file.
pub(crate) struct BundleWriter {
    kind: BundleKind,
    identity: BundleIdentity,
    sections: Vec<(String, Vec<u8>)>,
}

impl BundleWriter {
    /// A file without sections.
    pub(crate) fn new(kind: BundleKind, identity: BundleIdentity) -> BundleWriter {
        BundleWriter { kind, identity, sections: Vec::new() }
    }

    /// The sections that were added so far.
    pub(crate) fn sections(&self) -> impl Iterator<Item = &[u8]> {
        self.sections.iter().map(|(_, bytes)| bytes.as_slice())
    }

    /// Sets the identity, once it is known.
    pub(crate) fn set_identity(&mut self, identity: BundleIdentity) {
        self.identity = identity;
    }

    /// Adds a section.
    ///
    /// # Panics
    /// Panics if the name is longer than 255 bytes or there is already a section with that name; names are never user
    /// input.
    pub(crate) fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        let name = name.into();
        assert!(name.len() <= usize::from(u8::MAX), "section {name:?} has too long a name");
        assert!(self.sections.iter().all(|(other, _)| *other != name), "section {name:?} exists twice");
        self.sections.push((name, bytes));
    }

    /// The parts of the file, in order.
    pub(crate) fn finish(self) -> Vec<Vec<u8>> {
        let mut tables = Vec::new();
        write_section_table(&self.sections, &mut tables);
        self.sections().for_each(|bytes| write_page_table(bytes, &mut tables));
        let header = BundleHeader {
            identity: self.identity,
            body_bytes: self.sections.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
            sections: self.sections.len() as u32,
            tables_bytes: u32::try_from(tables.len()).expect("an index is far below 16 TiB"),
            tables_crc: crc32c::crc32c(&tables),
        };
        let sections = self.sections.into_iter().map(|(_, bytes)| bytes);
        std::iter::once(header.to_bytes(self.kind).to_vec()).chain(sections).chain([tables]).collect()
    }

    /// Appends the contents to an empty file, in one call. Returns the length.
    pub(crate) fn write_to(self, file: &dyn DiskFile) -> io::Result<u64> {
        let parts = self.finish();
        let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
        file.append(&mut slices)?;
        Ok(parts.iter().map(|part| part.len() as u64).sum())
    }
}
