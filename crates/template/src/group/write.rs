//! Turns messages into the bytes of a group.

use super::column::{write_numbers, write_places};
use super::effort::{Effort, Efforts};
use super::head::{self, DirectoryParts, WrittenColumn, column_numbers};
use super::rows;
use super::values::{RowValues, Starts, count_of};
use crate::interner::Interner;
use crate::scan::{Scanner, Variable, VariableKind};
use crate::table::{KeyMatch, TemplateTable, align};
use crate::{numbers, texts};
use hashbrown::HashMap;
use logstead_record::TextColumn;
use zstd::bulk::Compressor;

/// The level of the compressor for large parts.
const LEVEL: i32 = 1;
/// Slots with fewer values than this, or with more than a third of them distinct, have no dictionary.
const FEW_VALUES_MIN: usize = 8;
const FEW_WORDS: usize = 4;
/// The place of a row without a template.
const NO_TEMPLATE: u16 = 0;
/// Marks a template that this group does not have yet.
const UNKNOWN: u16 = u16::MAX;

/// A group as bytes.
#[derive(Clone, Default)]
pub struct EncodedGroup {
    /// The template of each row.
    pub rows: Vec<u8>,
    /// The templates, and their values.
    pub texts: Vec<u8>,
}

/// Gathers the texts of a group. It keeps the templates that it has learned for the next group.
#[derive(Default)]
pub struct TemplateGroupWriter {
    scanner: Scanner,
    templates: TemplateTable,
    efforts: Efforts,
    aligned: Vec<Variable>,
    /// The place in this group of each template of the table.
    places: Vec<u16>,
    /// The templates of this group, by place.
    group: Vec<u32>,
    rows: Vec<u16>,
    values: RowValues,
    addresses: HashMap<u32, u32>,
    words: Interner,
    /// Messages without a template.
    kept: TextColumn,
    plain: PlainTemplates,
}

/// The templates of an empty text and of a text that is a decimal number, once there are any. In some columns most
/// values are such texts: splitting them and looking up their keys would take longer than everything else.
#[derive(Default)]
struct PlainTemplates {
    empty: Option<u32>,
    decimal: Option<u32>,
}

impl TemplateGroupWriter {
    /// Adds the text of the next row. `false` if it has no template and is kept unchanged.
    pub fn push(&mut self, text: &[u8]) -> bool {
        if self.push_plain(text) {
            self.efforts.add(true);
            return true;
        }
        let found = match self.efforts.next() {
            Effort::Learn if self.scanner.scan(text) => self.templates.find(self.scanner.key()),
            Effort::LookUp if self.scanner.scan(text) => self.templates.find_known(self.scanner.key()),
            _ => KeyMatch::Nothing,
        };
        self.efforts.add(found != KeyMatch::Nothing);
        match found {
            KeyMatch::Nothing | KeyMatch::NotYet => {
                self.rows.push(NO_TEMPLATE);
                self.kept.push(text);
            }
            KeyMatch::Template(template) => {
                self.plain.learn(self.scanner.key(), template);
                self.push_variables(template, None, text);
            }
            KeyMatch::Alias(template) => {
                let mut aligned = std::mem::take(&mut self.aligned);
                align(self.templates.key(template), &self.scanner, &mut aligned);
                self.push_variables(template, Some(&aligned), text);
                self.aligned = aligned;
            }
        }
        !matches!(found, KeyMatch::Nothing | KeyMatch::NotYet)
    }

    /// Adds a text if it is empty or a number, and its template is known.
    #[inline]
    fn push_plain(&mut self, text: &[u8]) -> bool {
        let PlainTemplates { empty, decimal } = self.plain;
        if text.is_empty() {
            let Some(template) = empty else { return false };
            self.push_row(template);
            return true;
        }
        let Some(template) = decimal else { return false };
        let Some(variable) = Variable::only_decimal(text) else { return false };
        self.push_row(template);
        self.values.push(&variable, variable.low, text);
        true
    }

    /// The place of the last row: 0 if its text is kept unchanged.
    pub fn last_place(&self) -> u16 {
        self.rows.last().copied().unwrap_or(NO_TEMPLATE)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of bytes of texts without a template and of words.
    pub fn text_bytes(&self) -> usize {
        self.kept.bytes().len() + self.words.memory_bytes()
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.templates.memory_bytes()
            + self.values.memory_bytes()
            + self.words.memory_bytes()
            + self.kept.memory_bytes()
            + self.addresses.allocation_size()
            + (self.rows.capacity() + self.places.capacity()) * size_of::<u16>()
            + self.group.capacity() * size_of::<u32>()
    }

    /// Returns the group, and begins the next one.
    pub fn finish(&mut self) -> EncodedGroup {
        let mut compressor = Compressor::new(LEVEL).expect("zstd has a level 1");
        let mut written = EncodedGroup::default();
        rows::write(&self.rows, self.group.len(), &mut compressor, &mut written.rows);
        self.write_texts(&mut compressor, &mut written.texts);
        self.clear();
        written
    }

    fn write_texts(&self, compressor: &mut Compressor<'_>, out: &mut Vec<u8>) {
        let mut body = Vec::new();
        let places = self.write_all_addresses(&mut body);
        let address_bytes = body.len();
        let [mut dictionary, mut words, mut kept] = [(); 3].map(|()| Vec::new());
        let (columns, many) = self.write_columns(&places, compressor, &mut dictionary, &mut body);
        let many = many.iter().map(|&word| self.words.get(word));
        texts::write_apart(many, compressor, &mut words, &mut body);
        texts::write_apart(self.kept.iter(), compressor, &mut kept, &mut body);
        let mut counts = vec![0; self.group.len() + 1];
        self.rows.iter().for_each(|&place| counts[usize::from(place)] += 1);
        let directory = DirectoryParts {
            counts: &counts,
            addresses: places.len(),
            address_bytes,
            dictionary: &dictionary,
            words: &words,
            kept: &kept,
            columns: &columns,
        };
        let keys = self.group.iter().map(|&template| self.templates.key(template));
        head::write(keys, &directory, out);
        out.reserve_exact(body.len());
        out.extend_from_slice(&body);
    }

    fn clear(&mut self) {
        self.group.drain(..).for_each(|template| self.places[template as usize] = UNKNOWN);
        self.rows.clear();
        self.values.clear();
        self.addresses.clear();
        self.words.clear();
        self.kept.truncate(0);
    }

    #[inline]
    fn push_variables(&mut self, template: u32, aligned: Option<&[Variable]>, text: &[u8]) {
        self.push_row(template);
        let TemplateGroupWriter { values, addresses, words, scanner, .. } = self;
        for variable in aligned.unwrap_or(&scanner.variables) {
            let low = match variable.kind {
                VariableKind::Address => {
                    let next = addresses.len() as u32;
                    u64::from(*addresses.entry(variable.low as u32).or_insert(next))
                }
                VariableKind::Text => u64::from(words.number(&text[variable.range()])),
                _ => variable.low,
            };
            values.push(variable, low, text);
        }
    }

    /// Adds a row, whose values follow.
    #[inline]
    fn push_row(&mut self, template: u32) {
        let place = match self.places.get(template as usize) {
            Some(&place) if place != UNKNOWN => place,
            _ => self.new_place(template),
        };
        self.rows.push(place + 1);
    }

    /// Gives a place in this group to a template that it does not have yet.
    #[cold]
    fn new_place(&mut self, template: u32) -> u16 {
        if self.places.len() <= template as usize {
            self.places.resize(template as usize + 1, UNKNOWN);
        }
        let place = self.group.len() as u16;
        self.places[template as usize] = place;
        self.group.push(template);
        place
    }

    /// Writes the addresses in their order, so that those with the same prefix are neighbours. Returns the position
    /// of each.
    fn write_all_addresses(&self, out: &mut Vec<u8>) -> Vec<u64> {
        let mut addresses: Vec<(u32, u32)> =
            self.addresses.iter().map(|(&address, &id)| (address, id)).collect();
        addresses.sort_unstable();
        let mut places = vec![0; addresses.len()];
        addresses.iter().enumerate().for_each(|(place, &(_, id))| places[id as usize] = place as u64);
        let addresses: Vec<u64> = addresses.iter().map(|&(address, _)| u64::from(address)).collect();
        numbers::write(&addresses, out);
        places
    }

    /// Writes the dictionary, its table, and all columns. Returns the bytes of each column, and the words that are in no
    /// dictionary.
    fn write_columns(
        &self,
        addresses: &[u64],
        compressor: &mut Compressor<'_>,
        dictionary: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> (Vec<WrittenColumn>, Vec<u32>) {
        let counts =
            |&template: &u32| self.templates.slots(template).iter().map(|&kind| count_of(kind)).sum();
        let counts = self.group.iter().map(counts).map(|count: usize| count as u32);
        let starts = Starts::new(&self.rows, &[0].into_iter().chain(counts).collect::<Vec<u32>>());
        let (few, words) = self.write_dictionary(&starts, compressor, dictionary, out);
        let mut few = few.into_iter();
        let (mut low, mut high, mut lengths, mut many) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut columns = Vec::new();
        for (starts, kind, slot) in self.slots_by_kind(&starts) {
            let (start, mut length) = (out.len(), 0);
            self.values.gather(starts, slot, &mut low);
            match kind {
                VariableKind::Text if few.next() == Some(true) => {
                    low.iter_mut().for_each(|word| *word = u64::from(words[*word as usize]));
                    write_places(&low, out);
                }
                // Nothing else is written for them here.
                VariableKind::Text => many.extend(low.iter().map(|&word| word as u32)),
                VariableKind::Address => {
                    low.iter_mut().for_each(|id| *id = addresses[*id as usize]);
                    write_places(&low, out);
                }
                kind => {
                    if kind == VariableKind::Wide {
                        self.values.gather(starts, slot + 1, &mut high);
                    }
                    self.values.gather_lengths(starts, slot, &mut lengths);
                    length = write_numbers(kind, &low, &high, &lengths, out);
                }
            }
            columns.push(WrittenColumn { kind, bytes: out.len() - start, length });
        }
        (columns, many)
    }

    /// The [slots](Self::slots) in the order of their columns.
    fn slots_by_kind<'a>(&'a self, starts: &'a Starts) -> Vec<(&'a [u32], VariableKind, usize)> {
        let slots: Vec<_> = self.slots(starts).collect();
        let kinds: Vec<VariableKind> = slots.iter().map(|(_, kind, _)| *kind).collect();
        let mut ordered = slots.clone();
        slots.into_iter().zip(column_numbers(&kinds)).for_each(|(slot, at)| ordered[at as usize] = slot);
        ordered
    }

    /// For each slot of each template, the starts of its rows among the values, its kind, and its position in a row.
    fn slots<'a>(&'a self, starts: &'a Starts) -> impl Iterator<Item = (&'a [u32], VariableKind, usize)> {
        self.group.iter().enumerate().flat_map(move |(place, &template)| {
            let slots = self.templates.slots(template).iter().scan(0, |next, &kind| {
                let slot = *next;
                *next += count_of(kind);
                Some((kind, slot))
            });
            slots.map(move |(kind, slot)| (starts.at(place + 1), kind, slot))
        })
    }

    /// Writes the dictionary and its table; returns whether each slot of texts has few words, and the position of each of these
    /// words in the dictionary.
    fn write_dictionary(
        &self,
        starts: &Starts,
        compressor: &mut Compressor<'_>,
        table: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> (Vec<bool>, Vec<u32>) {
        const NOWHERE: u32 = u32::MAX;
        // For each word, the last slot in which it was seen.
        let mut seen = vec![NOWHERE; self.words.len()];
        let mut places = vec![NOWHERE; self.words.len()];
        let (mut few, mut values, mut distinct) = (Vec::new(), Vec::new(), Vec::new());
        for (starts, _, slot) in self.slots(starts).filter(|(_, kind, _)| *kind == VariableKind::Text) {
            distinct.clear();
            if FEW_VALUES_MIN <= starts.len() {
                self.values.gather(starts, slot, &mut values);
                for &word in &values {
                    let seen = &mut seen[word as usize];
                    if *seen != few.len() as u32 {
                        *seen = few.len() as u32;
                        distinct.push(word as usize);
                    }
                }
            }
            let is_few = !distinct.is_empty() && are_few(distinct.len(), starts.len());
            few.push(is_few);
            if is_few {
                distinct.iter().for_each(|&word| places[word] = 0);
            }
        }
        let mut dictionary: Vec<u32> =
            (0..self.words.len() as u32).filter(|&word| places[word as usize] != NOWHERE).collect();
        dictionary.sort_unstable_by(|&one, &other| self.words.get(one).cmp(self.words.get(other)));
        dictionary.iter().zip(0..).for_each(|(&word, place)| places[word as usize] = place);
        texts::write_apart(dictionary.iter().map(|&word| self.words.get(word)), compressor, table, out);
        (few, places)
    }
}

fn are_few(distinct: usize, values: usize) -> bool {
    distinct <= FEW_WORDS || distinct * 3 <= values
}

impl PlainTemplates {
    /// The template of a key that is neither an alias nor unknown.
    #[inline]
    fn learn(&mut self, key: &[u8], template: u32) {
        match key {
            [] => self.empty = Some(template),
            [marker] if *marker == VariableKind::Decimal as u8 => self.decimal = Some(template),
            _ => {}
        }
    }
}
