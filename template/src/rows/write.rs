//! Batches in, the sections of a group out.

use super::{FIELDS_MAX, ROWS_MAX, SECTIONS, TEXT_BYTES_MAX};
use crate::bytes::put_varint;
use crate::group::TextGroupWriter;
use crate::interner::Interner;
use crate::{numbers, ordered, texts};
use logstead_record::columns::{FLAGS, HEAD, HEAD_FORM, MESSAGE, PID, PRIORITY, TAIL};
use logstead_record::{Batch, Field, Group, NameColumn};
use zstd::bulk::Compressor;

const LEVEL: i32 = 1;
/// Of a batch's value, that it was not looked up yet.
const UNKNOWN: u32 = u32::MAX;
/// Of a row, that it has no time.
const NO_TIME: i64 = i64::MIN;
/// Nanoseconds of a second, a millisecond and a microsecond: the last digits of most times are zeros.
const UNITS: [u64; 3] = [1_000_000_000, 1_000_000, 1_000];

/// Gathers the rows of a group. What it learned of templates stays for the next one.
#[derive(Default)]
pub struct RowGroupWriter {
    times: [Vec<i64>; 2],
    bytes: [Vec<u64>; 3],
    names: [NamesWriter; Field::NAMES],
    pid: TextGroupWriter,
    message: TextGroupWriter,
    head: TextGroupWriter,
    tail: TextGroupWriter,
    field_counts: Vec<u64>,
    field_names: NamesWriter,
    field_values: TextGroupWriter,
}

/// Gathers names.
#[derive(Default)]
struct NamesWriter {
    values: Interner,
    rows: Vec<u64>,
    /// Of the batch at hand, the number of each value.
    numbers: Vec<u32>,
}

impl RowGroupWriter {
    /// Adds rows of a batch from one on, as many as have room. Returns how many.
    pub fn push(&mut self, batch: &Batch, from: usize) -> usize {
        let to = batch.rows().min(from + ROWS_MAX - self.rows());
        let columns = batch.columns();
        let fields = from.checked_sub(1).map_or(0, |before| columns.field_ends[before]);
        // Ends in between only where rows are few and large.
        let mut end = to;
        if self.is_nearly_full() || TEXT_BYTES_MAX / 2 < batch.memory_bytes() {
            end = to.min(from + 1);
        }
        for (times, of) in self.times.iter_mut().zip(&columns.times) {
            times.extend_from_slice(&of[from..end]);
        }
        for (bytes, of) in self.bytes.iter_mut().zip(&columns.bytes) {
            bytes.extend(of[from..end].iter().map(|&byte| u64::from(byte)));
        }
        for (names, of) in self.names.iter_mut().zip(&columns.names) {
            names.push(of, from, end);
        }
        for row in from..end {
            self.pid.push(columns.texts[PID].get(row));
            self.message.push(columns.texts[MESSAGE].get(row));
            self.head.push(columns.texts[HEAD].get(row));
            self.tail.push(columns.texts[TAIL].get(row));
        }
        let mut before = fields;
        for &field_end in &columns.field_ends[from..end] {
            self.field_counts.push(u64::from(field_end - before));
            before = field_end;
        }
        let fields = fields as usize..before as usize;
        self.field_names.push(&columns.field_names, fields.start, fields.end);
        fields.for_each(|field| self.field_values.push(columns.field_values.get(field)));
        end - from
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.field_counts.len()
    }

    /// Whether nothing more should be added.
    pub fn is_full(&self) -> bool {
        ROWS_MAX <= self.rows()
            || FIELDS_MAX <= self.field_values.rows()
            || TEXT_BYTES_MAX <= self.text_bytes()
    }

    /// Memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        let texts = [&self.pid, &self.message, &self.head, &self.tail, &self.field_values];
        let names = self.names.iter().chain([&self.field_names]);
        texts.iter().map(|texts| texts.memory_bytes()).sum::<usize>()
            + names
                .map(|names| names.values.memory_bytes() + names.rows.capacity() * size_of::<u64>())
                .sum::<usize>()
            + self.times.iter().map(|times| times.capacity() * size_of::<i64>()).sum::<usize>()
            + self
                .bytes
                .iter()
                .chain([&self.field_counts])
                .map(|all| all.capacity() * size_of::<u64>())
                .sum::<usize>()
    }

    /// The sections, in the order of [`Group::ALL`], and begins the next group.
    pub fn finish(&mut self) -> [Vec<u8>; SECTIONS] {
        let mut compressor = Compressor::new(LEVEL).expect("zstd has a level 1");
        let sections = Group::ALL.map(|group| self.section(group, &mut compressor));
        self.times.iter_mut().for_each(Vec::clear);
        self.bytes.iter_mut().for_each(Vec::clear);
        self.field_counts.clear();
        sections
    }

    fn section(&mut self, group: Group, compressor: &mut Compressor<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        match group {
            Group::Stamps => {
                self.times.iter().for_each(|times| write_times(times, compressor, &mut out));
                ordered::write(&self.bytes[PRIORITY], compressor, &mut out);
                ordered::write(&self.bytes[FLAGS], compressor, &mut out);
            }
            Group::Names => self.names.iter_mut().for_each(|names| names.finish(compressor, &mut out)),
            Group::Pid => self.pid.finish(&mut out),
            Group::Message => self.message.finish(&mut out),
            Group::Fields => {
                ordered::write(&self.field_counts, compressor, &mut out);
                self.field_names.finish(compressor, &mut out);
                self.field_values.finish(&mut out);
            }
            Group::Head => {
                ordered::write(&self.bytes[HEAD_FORM], compressor, &mut out);
                for texts in [&mut self.head, &mut self.tail] {
                    let mut bytes = Vec::new();
                    texts.finish(&mut bytes);
                    put_varint(bytes.len() as u64, &mut out);
                    out.append(&mut bytes);
                }
            }
        }
        out
    }

    fn text_bytes(&self) -> usize {
        let texts = [&self.pid, &self.message, &self.head, &self.tail, &self.field_values];
        texts.iter().map(|texts| texts.text_bytes()).sum()
    }

    fn is_nearly_full(&self) -> bool {
        FIELDS_MAX / 2 <= self.field_values.rows() || TEXT_BYTES_MAX / 2 <= self.text_bytes()
    }
}

impl NamesWriter {
    fn push(&mut self, names: &NameColumn, from: usize, to: usize) {
        self.numbers.clear();
        self.numbers.resize(names.values().len(), UNKNOWN);
        for &id in &names.ids()[from..to] {
            let number = &mut self.numbers[id as usize];
            if *number == UNKNOWN {
                *number = self.values.number(names.values().get(id as usize));
            }
            self.rows.push(u64::from(*number));
        }
    }

    fn finish(&mut self, compressor: &mut Compressor<'_>, out: &mut Vec<u8>) {
        let values = (0..self.values.len() as u32).map(|number| self.values.get(number));
        texts::write(values, compressor, out);
        ordered::write(&self.rows, compressor, out);
        self.values.clear();
        self.rows.clear();
    }
}

fn write_times(times: &[i64], compressor: &mut Compressor<'_>, out: &mut Vec<u8>) {
    let are_missing = times.contains(&NO_TIME);
    out.push(u8::from(are_missing));
    if are_missing {
        let present: Vec<u64> = times.iter().map(|&time| u64::from(time != NO_TIME)).collect();
        ordered::write(&present, compressor, out);
    }
    let present = || times.iter().copied().filter(|&time| time != NO_TIME);
    let least = present().min().unwrap_or(0);
    let beyond = |time: i64| time.wrapping_sub(least) as u64;
    let divides = |unit: &&u64| present().all(|time| beyond(time).is_multiple_of(**unit));
    let unit = UNITS.iter().find(divides).copied().unwrap_or(1);
    out.extend_from_slice(&least.to_le_bytes());
    out.extend_from_slice(&unit.to_le_bytes());
    let mut before = 0;
    let filled = times.iter().map(|&time| {
        before = if time == NO_TIME { before } else { beyond(time) / unit };
        before
    });
    numbers::write(&filled.collect::<Vec<u64>>(), out);
}
