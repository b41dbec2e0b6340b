//! Messages in, the bytes of a group out.

use super::column::Values;
use super::effort::{Effort, Efforts};
use super::rows;
use crate::bytes::put_varint;
use crate::interner::Interner;
use crate::scan::{Kind, Scanner, Variable};
use crate::table::{Found, Templates, align};
use crate::{numbers, packet, texts};
use hashbrown::HashMap;
use logstead_record::TextColumn;
use zstd::bulk::Compressor;

/// Of the compressor for what is large, and for what is small and read often.
const LEVEL: i32 = 1;
const KEYS_LEVEL: i32 = 3;
/// Slots with fewer values than this, or with more than a third of them distinct, have no dictionary.
const FEW_VALUES_MIN: usize = 8;
const FEW_WORDS: usize = 4;
/// A row without a template.
const NO_TEMPLATE: u16 = 0;
/// A template that this group does not have yet.
const UNKNOWN: u16 = u16::MAX;

/// A group as bytes.
#[derive(Clone, Default)]
pub struct Written {
    /// Which template each row has.
    pub rows: Vec<u8>,
    /// The templates, and their values.
    pub texts: Vec<u8>,
}

/// Gathers the texts of a group. What it learned of templates stays for the next one.
#[derive(Default)]
pub struct TextGroupWriter {
    scanner: Scanner,
    templates: Templates,
    efforts: Efforts,
    aligned: Vec<Variable>,
    /// For each template of the table its place in this group.
    places: Vec<u16>,
    /// And for each of those the template, and its first column.
    group: Vec<(u32, usize)>,
    rows: Vec<u16>,
    columns: Vec<Values>,
    addresses: HashMap<u32, u32>,
    words: Interner,
    /// Messages without a template.
    kept: TextColumn,
}

impl TextGroupWriter {
    /// Adds the text of the next row. `false` where it has no template and is kept as it is.
    pub fn push(&mut self, text: &[u8]) -> bool {
        let found = match self.efforts.next() {
            Effort::Learn if self.scanner.scan(text) => self.templates.find(self.scanner.key()),
            Effort::LookUp if self.scanner.scan(text) => self.templates.find_known(self.scanner.key()),
            _ => Found::Nothing,
        };
        self.efforts.add(found != Found::Nothing);
        match found {
            Found::Nothing => {
                self.rows.push(NO_TEMPLATE);
                self.kept.push(text);
            }
            Found::Template(template) => self.push_variables(template, None, text),
            Found::Alias(template) => {
                let mut aligned = std::mem::take(&mut self.aligned);
                align(self.templates.key(template), &self.scanner, &mut aligned);
                self.push_variables(template, Some(&aligned), text);
                self.aligned = aligned;
            }
        }
        found != Found::Nothing
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many bytes there are of texts without a template and of words.
    pub fn text_bytes(&self) -> usize {
        self.kept.bytes().len() + self.words.memory_bytes()
    }

    /// Memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.templates.memory_bytes()
            + self.columns.iter().map(Values::memory_bytes).sum::<usize>()
            + self.words.memory_bytes()
            + self.kept.memory_bytes()
            + self.addresses.allocation_size()
            + (self.rows.capacity() + self.places.capacity()) * size_of::<u16>()
            + self.group.capacity() * size_of::<(u32, usize)>()
    }

    /// The group, and begins the next one.
    pub fn finish(&mut self) -> Written {
        let mut compressor = Compressor::new(LEVEL).expect("zstd has a level 1");
        let mut written = Written::default();
        rows::write(&self.rows, self.group.len(), &mut compressor, &mut written.rows);
        let out = &mut written.texts;
        self.write_keys(out);
        self.write_addresses(out);
        let many = self.write_columns(&mut compressor, out);
        texts::write(many.iter().map(|&word| self.words.get(word)), &mut compressor, out);
        texts::write(self.kept.iter(), &mut compressor, out);
        self.clear();
        written
    }

    fn clear(&mut self) {
        self.group.drain(..).for_each(|(template, _)| self.places[template as usize] = UNKNOWN);
        self.rows.clear();
        self.columns.clear();
        self.addresses.clear();
        self.words.clear();
        self.kept.truncate(0);
    }

    #[inline]
    fn push_variables(&mut self, template: u32, aligned: Option<&[Variable]>, text: &[u8]) {
        let place = self.place(template);
        self.rows.push(place + 1);
        let TextGroupWriter { group, columns, addresses, words, scanner, .. } = self;
        let variables = aligned.unwrap_or(scanner.variables());
        let first = group[usize::from(place)].1;
        for (column, variable) in columns[first..first + variables.len()].iter_mut().zip(variables) {
            let low = match variable.kind {
                Kind::Address => {
                    let next = addresses.len() as u32;
                    u64::from(*addresses.entry(variable.low as u32).or_insert(next))
                }
                Kind::Text => u64::from(words.number(&text[variable.range()])),
                _ => variable.low,
            };
            column.push(variable, low);
        }
    }

    /// The place of a template in this group.
    #[inline]
    fn place(&mut self, template: u32) -> u16 {
        if self.places.len() <= template as usize {
            self.places.resize(template as usize + 1, UNKNOWN);
        }
        let known = self.places[template as usize];
        if known != UNKNOWN {
            return known;
        }
        let place = self.group.len() as u16;
        self.places[template as usize] = place;
        self.group.push((template, self.columns.len()));
        self.columns.extend(self.templates.slots(template).iter().map(|&kind| Values::new(kind)));
        place
    }

    fn write_keys(&self, out: &mut Vec<u8>) {
        put_varint(self.group.len() as u64, out);
        let keys = || self.group.iter().map(|&(template, _)| self.templates.key(template));
        let mut text = Vec::new();
        keys().for_each(|key| put_varint(key.len() as u64, &mut text));
        keys().for_each(|key| text.extend_from_slice(key));
        put_varint(text.len() as u64, out);
        let mut compressor = Compressor::new(KEYS_LEVEL).expect("zstd has a level 3");
        packet::write(&text, &mut compressor, out);
    }

    /// In their order, so that those with one prefix are neighbours.
    fn write_addresses(&mut self, out: &mut Vec<u8>) {
        let mut addresses: Vec<(u32, u32)> =
            self.addresses.iter().map(|(&address, &id)| (address, id)).collect();
        addresses.sort_unstable();
        let mut places = vec![0; addresses.len()];
        addresses.iter().enumerate().for_each(|(place, &(_, id))| places[id as usize] = place as u64);
        for column in self.columns.iter_mut().filter(|column| column.kind == Kind::Address) {
            column.low.iter_mut().for_each(|id| *id = places[*id as usize]);
        }
        put_varint(addresses.len() as u64, out);
        let addresses: Vec<u64> = addresses.iter().map(|&(address, _)| u64::from(address)).collect();
        numbers::write(&addresses, out);
    }

    /// The dictionary and all columns. Returns the words that are in no dictionary.
    fn write_columns(&mut self, compressor: &mut Compressor<'_>, out: &mut Vec<u8>) -> Vec<u32> {
        let few: Vec<bool> = self.columns.iter().map(has_few_words).collect();
        let mut places = vec![None; self.words.len()];
        for (column, _) in self.columns.iter().zip(&few).filter(|(_, few)| **few) {
            column.low.iter().for_each(|&word| places[word as usize] = Some(0));
        }
        let mut dictionary: Vec<u32> =
            (0..self.words.len() as u32).filter(|&word| places[word as usize].is_some()).collect();
        dictionary.sort_unstable_by(|&one, &other| self.words.get(one).cmp(self.words.get(other)));
        dictionary.iter().enumerate().for_each(|(place, &word)| places[word as usize] = Some(place as u64));
        texts::write(dictionary.iter().map(|&word| self.words.get(word)), compressor, out);
        let mut many = Vec::new();
        for (column, few) in self.columns.iter_mut().zip(few) {
            if column.kind == Kind::Text && !few {
                Values::write_many(out);
                many.extend(column.low.iter().map(|&word| word as u32));
                continue;
            }
            if column.kind == Kind::Text {
                column.low.iter_mut().for_each(|word| *word = places[*word as usize].unwrap_or(0));
            }
            column.write(out);
        }
        many
    }
}

fn has_few_words(column: &Values) -> bool {
    if column.kind != Kind::Text || column.low.len() < FEW_VALUES_MIN {
        return false;
    }
    let mut distinct = column.low.clone();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() <= FEW_WORDS || distinct.len() * 3 <= column.low.len()
}
