//! The head of a group: the keys, and the directory, which says where everything else is.
//!
//! The directory consists of varints:
//!
//! | varints            | meaning                                                                               |
//! |--------------------|---------------------------------------------------------------------------------------|
//! | one a place        | its rows: first those without a template, then those of each template                 |
//! | two                | bytes of the addresses, and their number                                              |
//! | a table of [texts](crate::texts) | of the dictionary                                                       |
//! | one or two a column | its bytes; 0 if its words are in no dictionary; of numbers, the length of each text, or 0 if they differ |
//! | two tables         | of these words, and of the messages that are kept as they are                         |
//!
//! The columns are in the order of the kinds of their slots, then of templates, then of slots: a question is usually
//! about one kind. Neighbours are read together, as a *run*.
//!
//! **Invariant:** all ranges lie within the group, and have the numbers of rows and words that belong to them.

use super::TEXTS_MAX;
use super::others::may_hold_other_addresses;
use super::source::GroupSource;
use crate::bytes::{ByteReader, DecodeError, Result, put_varint};
use crate::limits::{KEY_BYTES_MAX, TEMPLATES_MAX};
use crate::packet;
use crate::scan::{MARKERS, VariableKind};
use crate::texts::TextBlocks;
use logstead_record::{TextColumn, bits};
use std::ops::Range;
use std::sync::OnceLock;
use zstd::bulk::Compressor;

/// The level of the compressor: heads are small and read often.
const LEVEL: i32 = 3;
/// The bytes before the head, which are its length.
const LENGTH_BYTES: u64 = 4;
/// The maximum number of bytes of all keys and their lengths.
const KEYS_BYTES_MAX: usize = KEY_BYTES_MAX + 4 * TEMPLATES_MAX;
/// The maximum number of bytes of the directory: a slot, which takes a byte of a key, takes at most four here, and the
/// rest is small.
const DIRECTORY_BYTES_MAX: usize = 4 * KEYS_BYTES_MAX;
/// The number of bytes and of columns at which a run ends.
const RUN_BYTES: usize = 16 << 10;
const RUN_COLUMNS: usize = 256;
/// The number of slots that an address may extend over.
const ADDRESS_SLOTS: usize = 4;

/// The head of a group.
pub struct GroupHead {
    /// The key of each template.
    pub(super) keys: TextColumn,
    /// The number of rows of each place.
    pub(super) counts: Vec<u32>,
    /// The [kinds](kind_bit) of the slots of each template, side by side, so that checking many templates reads little
    /// memory.
    pub(super) kinds: Vec<u8>,
    /// The number of slots before each template, and of all slots.
    slots_before: Vec<u32>,
    /// The column of each slot of each template.
    column_of: Vec<u32>,
    /// The columns in the order in which they are stored.
    pub(super) columns: Vec<ColumnEntry>,
    pub(super) runs: Vec<RunEntry>,
    pub(super) addresses: usize,
    pub(super) addresses_place: Range<usize>,
    pub(super) dictionary: TextBlocks,
    pub(super) words: TextBlocks,
    pub(super) kept: TextBlocks,
    /// The texts before each slot of a template, and the text after the last one; for all templates, made when they are
    /// first needed.
    pieces: OnceLock<TextColumn>,
}

/// The entry of a column in the head.
pub(super) struct ColumnEntry {
    pub(super) kind: VariableKind,
    pub(super) rows: u32,
    pub(super) bytes: u32,
    pub(super) run: u32,
    /// The length of each text if they are numbers of the same length, otherwise 0.
    pub(super) length: u8,
    /// If its words are in no dictionary: how many such words are before them.
    pub(super) words_before: Option<usize>,
}

/// Some columns that are read together.
pub(super) struct RunEntry {
    pub(super) columns: Range<usize>,
    pub(super) place: Range<usize>,
}

/// Some texts of a group.
#[derive(Clone, Copy)]
pub(super) enum StoredTexts {
    /// The words that are in no dictionary.
    Words,
    /// The messages that are kept as they are.
    Kept,
}

/// The bit for a template that [may hold other addresses](may_hold_other_addresses); no kind uses it.
pub(super) const OTHER_ADDRESSES: u8 = 1;

/// The maximum length of the text of a number: that of a UUID.
const LENGTH_MAX: usize = 36;

/// Whether the values of a kind are written as numbers, not as places of texts.
fn is_number(kind: VariableKind) -> bool {
    !matches!(kind, VariableKind::Text | VariableKind::Address)
}

/// The bit of a kind.
pub(super) fn kind_bit(kind: VariableKind) -> u8 {
    1 << kind as u8
}

/// The parts of the directory, to be written.
pub(super) struct DirectoryParts<'d> {
    pub(super) counts: &'d [u32],
    pub(super) addresses: usize,
    pub(super) address_bytes: usize,
    /// The tables of texts.
    pub(super) dictionary: &'d [u8],
    pub(super) words: &'d [u8],
    pub(super) kept: &'d [u8],
    pub(super) columns: &'d [WrittenColumn],
}

/// A column that was written.
pub(super) struct WrittenColumn {
    pub(super) kind: VariableKind,
    pub(super) bytes: usize,
    /// The length of all its texts if they are numbers, or 0 if it differs.
    pub(super) length: usize,
}

/// Appends the head of a group, with its length.
pub(super) fn write<'k>(
    keys: impl Iterator<Item = &'k [u8]> + Clone,
    directory: &DirectoryParts<'_>,
    out: &mut Vec<u8>,
) {
    let mut compressor = Compressor::new(LEVEL).expect("zstd has a level 3");
    let mut text = Vec::new();
    keys.clone().for_each(|key| put_varint(key.len() as u64, &mut text));
    keys.for_each(|key| text.extend_from_slice(key));
    let mut head = Vec::new();
    // The places are those of the templates and one more.
    put_varint(directory.counts.len() as u64 - 1, &mut head);
    put_varint(text.len() as u64, &mut head);
    packet::write(&text, &mut compressor, &mut head);
    let text = directory.to_bytes();
    put_varint(text.len() as u64, &mut head);
    packet::write(&text, &mut compressor, &mut head);
    out.extend_from_slice(&(head.len() as u32).to_le_bytes());
    out.extend_from_slice(&head);
}

impl DirectoryParts<'_> {
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.counts.iter().for_each(|&count| put_varint(count.into(), &mut out));
        put_varint(self.address_bytes as u64, &mut out);
        put_varint(self.addresses as u64, &mut out);
        out.extend_from_slice(self.dictionary);
        for &WrittenColumn { kind, bytes, length } in self.columns {
            put_varint(bytes as u64, &mut out);
            if is_number(kind) {
                put_varint(length as u64, &mut out);
            }
        }
        out.extend_from_slice(self.words);
        out.extend_from_slice(self.kept);
        out
    }
}

impl GroupHead {
    /// Reads the head, and nothing else.
    pub fn read(source: &dyn GroupSource) -> Result<GroupHead> {
        let all = source.bytes()?;
        let length = source.read(0..LENGTH_BYTES.min(all))?;
        let length = ByteReader::new(&length).u32()?;
        let end = LENGTH_BYTES + u64::from(length);
        if all < end {
            return Err(DecodeError::Short);
        }
        let bytes = source.read(LENGTH_BYTES..end)?;
        let mut input = ByteReader::new(&bytes);
        let keys = read_keys(&mut input)?;
        let directory = input.count(DIRECTORY_BYTES_MAX, "a directory")?;
        let directory = packet::read(&mut input, directory)?;
        input.end()?;
        let all = usize::try_from(all).map_err(|_| DecodeError::Large("a group"))?;
        GroupHead::read_directory(keys, &directory, end as usize..all)
    }

    /// Reads the directory of a group in which the rest of the bytes is this range.
    fn read_directory(keys: TextColumn, directory: &[u8], rest: Range<usize>) -> Result<GroupHead> {
        let mut input = ByteReader::new(directory);
        let counts = read_counts(&mut input, keys.len() + 1)?;
        let (kinds, slots_before, slot_kinds) = slots_of(&keys);
        let mut next = rest.start;
        let address_bytes = input.count(rest.len(), "addresses")?;
        // The addresses are distinct, so each takes at least one bit.
        let addresses = input.count(address_bytes * 8, "a number of addresses")?;
        let addresses_place = next..next + address_bytes;
        next = addresses_place.end;
        let dictionary = TextBlocks::read_table(&mut input, &mut next)?;
        let (column_of, mut columns) = order(&slot_kinds, &slots_before, &counts);
        let mut words_before = 0;
        for column in &mut columns {
            column.bytes = input.count(rest.len().min(u32::MAX as usize), "a column")? as u32;
            if is_number(column.kind) {
                column.length = input.count(LENGTH_MAX, "the length of a number")? as u8;
            }
            if column.kind == VariableKind::Text && column.bytes == 0 {
                column.words_before = Some(words_before);
                words_before += column.rows as usize;
            }
        }
        let runs = runs_of(&mut columns, &mut next);
        let words = TextBlocks::read_table(&mut input, &mut next)?;
        let kept = TextBlocks::read_table(&mut input, &mut next)?;
        input.end()?;
        if (words.len(), kept.len(), next) != (words_before, counts[0] as usize, rest.end) {
            return Err(DecodeError::Short);
        }
        let pieces = OnceLock::new();
        Ok(GroupHead {
            keys,
            counts,
            kinds,
            slots_before,
            column_of,
            columns,
            runs,
            addresses,
            addresses_place,
            dictionary,
            words,
            kept,
            pieces,
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).sum()
    }

    /// The table of some texts.
    pub(super) fn texts(&self, of: StoredTexts) -> &TextBlocks {
        match of {
            StoredTexts::Words => &self.words,
            StoredTexts::Kept => &self.kept,
        }
    }

    /// The number of templates.
    pub(super) fn templates(&self) -> usize {
        self.keys.len()
    }

    /// The number of rows of a template.
    pub(super) fn rows_of(&self, template: usize) -> usize {
        self.counts[template + 1] as usize
    }

    /// The length of the values of a slot, if it is the same for all.
    pub(super) fn length(&self, template: usize, slot: usize) -> Option<usize> {
        let column = *self.columns_of(template).get(slot)?;
        let length = self.columns[column as usize].length;
        (length != 0).then_some(length.into())
    }

    /// The columns of the slots of a template.
    pub(super) fn columns_of(&self, template: usize) -> &[u32] {
        &self.column_of[self.slots_before[template] as usize..self.slots_before[template + 1] as usize]
    }

    /// The numbers of the [pieces](GroupHead::pieces) of a template.
    pub(super) fn pieces_of(&self, template: usize) -> Range<usize> {
        let before = |template: usize| self.slots_before[template] as usize + template;
        before(template)..before(template + 1)
    }

    /// The texts before each slot of a template, and the text after the last one; for all templates.
    pub(super) fn pieces(&self) -> &TextColumn {
        self.pieces.get_or_init(|| {
            let pieces = self.column_of.len() + self.keys.len();
            let mut all = TextColumn::with_capacity(pieces, self.keys.bytes().len());
            for key in self.keys.iter() {
                key.split(|&byte| VariableKind::of_marker(byte).is_some()).for_each(|piece| all.push(piece));
            }
            all
        })
    }

    /// The memory that it takes, also when it has its pieces.
    pub fn memory_bytes(&self) -> usize {
        let pieces = self.keys.bytes().len() + (self.column_of.len() + self.keys.len()) * size_of::<u32>();
        size_of::<GroupHead>()
            + self.keys.memory_bytes()
            + pieces
            + size_of_val(self.counts.as_slice())
            + self.kinds.len()
            + size_of_val(self.slots_before.as_slice())
            + size_of_val(self.column_of.as_slice())
            + size_of_val(self.columns.as_slice())
            + size_of_val(self.runs.as_slice())
            + [&self.dictionary, &self.words, &self.kept].map(TextBlocks::memory_bytes).iter().sum::<usize>()
    }
}

fn read_keys(input: &mut ByteReader<'_>) -> Result<TextColumn> {
    let count = input.count(TEMPLATES_MAX, "a number of templates")?;
    let bytes = input.count(KEYS_BYTES_MAX, "keys")?;
    let text = packet::read(input, bytes)?;
    let mut input = ByteReader::new(&text);
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        lengths.push(input.count(text.len(), "a key")?);
    }
    let mut keys = TextColumn::with_capacity(count, text.len());
    for length in lengths {
        keys.push(input.take(length)?);
    }
    input.end()?;
    Ok(keys)
}

fn read_counts(input: &mut ByteReader<'_>, places: usize) -> Result<Vec<u32>> {
    let (mut counts, mut left) = (Vec::with_capacity(places), TEXTS_MAX);
    for _ in 0..places {
        let count = input.count(left, "a number of rows")?;
        left -= count;
        counts.push(count as u32);
    }
    Ok(counts)
}

/// The kinds of the slots of each key, as bits; the number of slots before each key, and of all; and the kind of each
/// slot.
fn slots_of(keys: &TextColumn) -> (Vec<u8>, Vec<u32>, Vec<VariableKind>) {
    let (mut kinds, mut before) = (Vec::with_capacity(keys.len()), Vec::with_capacity(keys.len() + 1));
    let places = marker_places(keys.bytes());
    let kind_at = |place: &u32| VariableKind::of_marker(keys.bytes()[*place as usize]);
    let mut slots = Vec::with_capacity(places.len());
    let mut rest = places.as_slice();
    for (key, &end) in keys.iter().zip(keys.ends()) {
        before.push(slots.len() as u32);
        let (own, after) = rest.split_at(rest.iter().take_while(|&&place| place < end).count());
        rest = after;
        let first = slots.len();
        slots.extend(own.iter().filter_map(kind_at));
        let mut of_key = slots[first..].iter().fold(0, |kinds, &kind| kinds | kind_bit(kind));
        // Few keys have slots so close to each other, and most are long.
        let are_close = |places: &[u32]| places.windows(2).all(|pair| pair[0] + 2 == pair[1]);
        if own.windows(ADDRESS_SLOTS).any(are_close) && may_hold_other_addresses(key) {
            of_key |= OTHER_ADDRESSES;
        }
        kinds.push(of_key);
    }
    before.push(slots.len() as u32);
    (kinds, before, slots)
}

/// The places of the bytes that stand for slots.
fn marker_places(bytes: &[u8]) -> Vec<u32> {
    let mut places = Vec::new();
    for (number, chunk) in bytes.chunks(u64::BITS as usize).enumerate() {
        // The bits are computed first, so that bytes that are not markers, as most are, need no branch each.
        let mut are_markers = [0; u64::BITS as usize];
        are_markers.iter_mut().zip(chunk).for_each(|(is_one, &byte)| *is_one = u8::from(byte <= MARKERS));
        let mut found = bits::gather(&are_markers);
        while found != 0 {
            places.push(number as u32 * u64::BITS + found.trailing_zeros());
            found &= found - 1;
        }
    }
    places
}

/// The column of each slot, and the columns in their order, of which their bytes are not known yet.
fn order(kinds: &[VariableKind], slots_before: &[u32], counts: &[u32]) -> (Vec<u32>, Vec<ColumnEntry>) {
    let numbers = column_numbers(kinds);
    let mut columns: Vec<ColumnEntry> = Vec::with_capacity(kinds.len());
    columns.extend(kinds.iter().map(|&kind| ColumnEntry {
        kind,
        rows: 0,
        bytes: 0,
        run: 0,
        length: 0,
        words_before: None,
    }));
    for (slots, &rows) in slots_before.windows(2).zip(&counts[1..]) {
        for slot in slots[0] as usize..slots[1] as usize {
            let column = &mut columns[numbers[slot] as usize];
            (column.kind, column.rows) = (kinds[slot], rows);
        }
    }
    (numbers, columns)
}

/// The position of the column of each slot, given the kinds of all slots: by kind, and then in their order.
pub(super) fn column_numbers(kinds: &[VariableKind]) -> Vec<u32> {
    let mut next = [0; MARKERS as usize + 1];
    kinds.iter().for_each(|&kind| next[kind as usize] += 1);
    let mut before = 0;
    for next in &mut next {
        before += *next;
        *next = before - *next;
    }
    let number = |&kind: &VariableKind| {
        let next = &mut next[kind as usize];
        *next += 1;
        *next - 1
    };
    kinds.iter().map(number).collect()
}

/// Divides columns into runs. The first of them starts at `next`, which becomes the end of the last one.
fn runs_of(columns: &mut [ColumnEntry], next: &mut usize) -> Vec<RunEntry> {
    let mut runs: Vec<RunEntry> = Vec::new();
    for (number, column) in columns.iter_mut().enumerate() {
        let end = *next + column.bytes as usize;
        match runs.last_mut() {
            Some(run) if end - run.place.start <= RUN_BYTES && run.columns.len() < RUN_COLUMNS => {
                (run.columns.end, run.place.end) = (number + 1, end);
            }
            _ => runs.push(RunEntry { columns: number..number + 1, place: *next..end }),
        }
        column.run = runs.len() as u32 - 1;
        *next = end;
    }
    runs
}
