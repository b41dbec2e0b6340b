//! Builds an index.
//!
//! **Invariant:** an index is made of the contents of the blocks file, both at first and when it is made again: so it
//! gives the same answers.

use super::layout::{FIELDS, TEMPLATES, field_section, identity, seed};
use crate::journal::frame::Hash;
use crate::segment::blocks::{Blocks, IndexedTexts};
use crate::segment::bundle::{BundleKind, BundleWriter, IndexError};
use crate::segment::fields::FieldNames;
use crate::segment::inverter::Inverter;
use crate::segment::lexicon::{KEYS, PLACES, PlaceNumbers, VALUES};
use crate::segment::memory::MemoryShare;
use crate::segment::names::write_compressed;
use crate::segment::templates::{Templates, TemplatesBuilder};
use crate::segment::words::{self, WORDS};
use logstead_record::word;
use logstead_template::{
    ColumnRequest, DecodeError, FieldColumn, FieldParts, FieldTexts, RareWriter, TemplateGroup, word_hash,
};
use std::collections::BTreeSet;

/// Builds an index.
pub(crate) struct IndexBuilder {
    seed: u64,
    /// The words of values of dynamic fields that are not parts of messages.
    values: Inverter,
    /// The words of messages that have no template.
    untemplated: Inverter,
    templates: TemplatesBuilder,
    places: RareWriter,
    groups: u16,
    /// The first row of the next group, which is the number of rows so far.
    group_start: u32,
    fields: FieldNames,
    /// The sections of columns of fields, and their bytes together.
    columns: Vec<(String, Vec<u8>)>,
    columns_bytes: usize,
    memory: MemoryShare,
}

/// The maximum number of values of a column that is stored. Its rows are a byte each, before they are compressed.
const VALUES_MAX: usize = u8::MAX as usize;
/// The number of fields of a group for which a column is tried.
const FIELDS_MAX: usize = 64;

impl IndexBuilder {
    /// An index of the messages after the journal frame with this hash.
    pub(crate) fn new(first_sequence: u64, previous_hash: &Hash, memory: MemoryShare) -> IndexBuilder {
        IndexBuilder {
            seed: seed(first_sequence, previous_hash),
            values: Inverter::with_room(0),
            untemplated: Inverter::with_room(0),
            templates: TemplatesBuilder::default(),
            places: RareWriter::default(),
            groups: 0,
            group_start: 0,
            fields: FieldNames::default(),
            columns: Vec::new(),
            columns_bytes: 0,
            memory,
        }
    }

    /// Adds the texts of the next group of messages.
    pub(crate) fn push_group(
        &mut self,
        IndexedTexts { messages: texts, values, fields }: &IndexedTexts,
    ) -> Result<(), DecodeError> {
        self.templates.push(texts);
        if let Some(fields) = fields {
            self.push_fields(fields, texts, values.as_ref().map(|values| &*values.texts))?;
        }
        if let Some(values) = values {
            let texts = values.texts.read(0..values.rows.len())?;
            for (&row, text) in values.rows.iter().zip(texts.iter()) {
                push_text(&mut self.values, self.group_start + row, text);
            }
        }
        let IndexBuilder { seed, places, groups, untemplated, group_start, .. } = self;
        texts.hashes(*seed, &mut |hash| places.add(hash, *groups))?;
        let mut without = (*group_start..).zip(&texts.rows()?.places).filter(|(_, place)| **place == 0);
        texts.for_each_kept(|text| {
            if let Some((row, _)) = without.next() {
                push_text(untemplated, row, text);
            }
        })?;
        *group_start += texts.rows()?.len() as u32;
        *groups += 1;
        self.memory.set(self.memory_bytes());
        Ok(())
    }

    /// Adds the fields of the next group: their names, and the columns of those with few values, which questions ask for
    /// most and which take little space.
    fn push_fields(
        &mut self,
        fields: &FieldParts,
        messages: &TemplateGroup,
        elsewhere: Option<&TemplateGroup>,
    ) -> Result<(), DecodeError> {
        fields.names.iter().for_each(|name| self.fields.add(name));
        let texts = FieldTexts { rows: messages.rows()?, messages, elsewhere };
        let request = ColumnRequest { values_max: Some(VALUES_MAX), ..ColumnRequest::default() };
        let mut tried = BTreeSet::new();
        for name in fields.names.iter().take(FIELDS_MAX).map(<[u8]>::to_ascii_lowercase) {
            let Some(number) = self.fields.number(&name).filter(|&number| tried.insert(number)) else {
                continue;
            };
            if let Some(FieldColumn { values, rows }) = fields.column(&name, &texts, request)? {
                let mut bytes = Vec::new();
                write_compressed(&values, &rows, &mut bytes);
                self.columns_bytes += bytes.len();
                self.columns.push((field_section(number, usize::from(self.groups)), bytes));
            }
        }
        Ok(())
    }

    /// The approximate memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.memory_bytes()
            + self.untemplated.memory_bytes()
            + self.templates.memory_bytes()
            + self.places.memory_bytes()
            + self.fields.memory_bytes()
            + self.columns_bytes
    }

    /// The file of the index of these blocks.
    pub(crate) fn finish(mut self, blocks: &Blocks) -> Result<BundleWriter, IndexError> {
        let finishing = self.values.finishing_memory_bytes() + self.untemplated.finishing_memory_bytes();
        self.memory.set(self.memory_bytes() + finishing);
        let mut file = BundleWriter::new(BundleKind::Index, identity(blocks));
        let templates = self.templates.finish();
        write_keys(&templates, &mut file)?;
        let places = PlaceNumbers::of(self.groups);
        for (dictionary, place, inverter) in
            [(WORDS, places.untemplated, self.untemplated), (VALUES, places.values, self.values)]
        {
            let inverted = inverter.finish();
            if inverted.postings() != 0 {
                words::write(dictionary, &inverted, self.group_start, &mut file)?;
                inverted.terms().for_each(|term| self.places.add(word_hash(term, self.seed), place));
            }
        }
        file.add(TEMPLATES, templates.to_bytes());
        let mut places = Vec::new();
        self.places.finish(&mut places);
        file.add(PLACES, places);
        file.add(FIELDS, self.fields.to_bytes());
        self.columns.into_iter().for_each(|(section, bytes)| file.add(section, bytes));
        Ok(file)
    }
}

/// Writes the words of keys; in this dictionary, a row is a template.
fn write_keys(templates: &Templates, file: &mut BundleWriter) -> Result<(), IndexError> {
    let mut inverter = Inverter::with_room(0);
    for (number, key) in templates.keys.iter().enumerate() {
        inverter.add_text(number as u32, key);
    }
    words::write(KEYS, &inverter.finish(), templates.keys.len() as u32, file)
}

fn push_text(inverter: &mut Inverter, row: u32, text: &[u8]) {
    inverter.add_text(row, text);
    word::addresses(text).for_each(|range| inverter.add_term(row, &text[range]));
}
