//! `mask`: removes everything that an expression matches from the whole message: its texts, its fields and its raw
//! bytes.
//!
//! **Invariant:** no text that was found in a message is anywhere in the new message.

use super::change::{BatchChange, ChangeResult};
use super::fields::edited;
use logstead_query::{LooseRegex, Regex};
use logstead_record::{Batch, Field, Selection};
use std::collections::{BTreeMap, BTreeSet};

/// The texts of a message.
const TEXTS: [Field; 5] = [Field::Message, Field::Host, Field::Program, Field::Pid, Field::Msgid];

/// The number of bytes that are searched at once: they fit into the cache of a core.
const TEXTS_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Mask {
    regex: Regex,
    /// An expression that matches in every text in which `regex` does, whatever surrounds the match.
    loose: Option<LooseRegex>,
    with: Vec<u8>,
}

/// The parts of a message, with all matches replaced.
#[derive(Default)]
struct MaskedMessage {
    texts: [Option<Vec<u8>>; TEXTS.len()],
    fields: Option<Vec<(Vec<u8>, Vec<u8>)>>,
    raw: Vec<u8>,
}

impl Mask {
    pub(super) fn new(regex: &Regex, with: &str) -> Mask {
        Mask { regex: regex.clone(), loose: regex.without_looks(), with: with.as_bytes().to_vec() }
    }

    fn masked(&self, batch: &Batch, row: usize) -> MaskedMessage {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let mut secrets = BTreeSet::new();
        TEXTS.iter().for_each(|field| self.find(batch.text(*field, row), &mut secrets));
        for (name, value) in batch.fields(row) {
            self.find(name, &mut secrets);
            self.find(value, &mut secrets);
        }
        let is_elsewhere = secrets.iter().any(|secret| memchr::memmem::find(&raw, secret).is_none());
        self.find(&raw, &mut secrets);
        // The longest secrets come first, because one may be a part of another.
        let mut secrets: Vec<Vec<u8>> = secrets.into_iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let without = |text: &[u8]| self.without(text, &secrets);
        let texts = TEXTS.map(|field| without(batch.text(field, row)));
        let message = texts[0].clone().unwrap_or_else(|| batch.message(row).to_vec());
        let fields: Vec<_> = batch.fields(row).map(|(name, value)| (without(name), without(value))).collect();
        let fields = fields.iter().any(|(name, value)| name.is_some() || value.is_some()).then(|| {
            let old = batch.fields(row);
            let new = old.zip(fields).map(|((name, value), (new_name, new_value))| {
                (new_name.unwrap_or_else(|| name.to_vec()), new_value.unwrap_or_else(|| value.to_vec()))
            });
            new.collect()
        });
        // A secret that is escaped in the raw bytes cannot be replaced there, so the raw bytes are not kept.
        let raw = if is_elsewhere { message } else { without(&raw).unwrap_or(raw) };
        MaskedMessage { texts, fields, raw }
    }

    /// The rows that may contain a match. The texts of many rows are searched at once.
    fn likely(&self, batch: &Batch, rows: &Selection) -> Selection {
        let Some(loose) = &self.loose else { return rows.clone() };
        let mut likely = Selection::none(batch.rows());
        let (mut texts, mut ends) = (Vec::with_capacity(2 * TEXTS_BYTES), Vec::new());
        for row in rows.iter() {
            batch.write_raw(row, &mut texts);
            texts.push(b'\n');
            if !batch.has_written_head(row) {
                for field in TEXTS {
                    texts.extend_from_slice(batch.text(field, row));
                    texts.push(b'\n');
                }
            }
            for (name, value) in batch.fields(row) {
                for text in [name, value] {
                    texts.extend_from_slice(text);
                    texts.push(b'\n');
                }
            }
            ends.push((texts.len(), row));
            if TEXTS_BYTES <= texts.len() {
                insert_likely(loose, &texts, &ends, &mut likely);
                texts.clear();
                ends.clear();
            }
        }
        insert_likely(loose, &texts, &ends, &mut likely);
        likely
    }

    fn is_in(&self, text: &[u8]) -> bool {
        let start = self.loose.as_ref().map_or(Some(0), |loose| loose.earliest(text));
        start.is_some_and(|start| self.regex.compiled().is_match_at(text, start))
    }

    fn find(&self, text: &[u8], secrets: &mut BTreeSet<Vec<u8>>) {
        let found = self.regex.compiled().find_iter(text).filter(|found| !found.is_empty());
        secrets.extend(found.map(|found| found.as_bytes().to_vec()));
    }

    /// The text without any of these secrets; `None` if it contains none.
    fn without(&self, text: &[u8], secrets: &[Vec<u8>]) -> Option<Vec<u8>> {
        let mut new: Option<Vec<u8>> = None;
        for secret in secrets {
            let old = new.as_deref().unwrap_or(text);
            let mut places = memchr::memmem::find_iter(old, secret).peekable();
            if places.peek().is_none() {
                continue;
            }
            let (mut replaced, mut after) = (Vec::with_capacity(old.len()), 0);
            for at in places {
                replaced.extend_from_slice(&old[after..at]);
                replaced.extend_from_slice(&self.with);
                after = at + secret.len();
            }
            replaced.extend_from_slice(&old[after..]);
            // The parts on both sides, with or without the new text between them, may form the secret again.
            while let Some(at) =
                memchr::memmem::find(&replaced, secret).filter(|_| !contains(&self.with, secret))
            {
                replaced.drain(at..at + secret.len());
            }
            new = Some(replaced);
        }
        new
    }
}

/// Adds the rows whose texts contain a match or a part of one. `ends` has the end of each row's texts.
fn insert_likely(loose: &LooseRegex, texts: &[u8], ends: &[(usize, usize)], likely: &mut Selection) {
    let (mut rest, mut at) = (ends, 0);
    while let Some(found) = loose.find_at(texts, at) {
        // Rows before the match contain none; every row that it extends into may.
        let before = rest.partition_point(|(end, _)| *end <= found.start);
        rest = &rest[before..];
        let reached = rest.partition_point(|(end, _)| *end < found.end) + 1;
        for (end, row) in rest.iter().take(reached) {
            likely.insert(*row);
            at = *end;
        }
        rest = rest.get(reached..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

impl BatchChange for Mask {
    fn candidates(&self, batch: &Batch, rows: &Selection) -> Selection {
        let mut raw = Vec::new();
        let likely = self.likely(batch, rows);
        Selection::from_fn(batch.rows(), |row| {
            if !likely.contains(row) {
                return false;
            }
            raw.clear();
            batch.write_raw(row, &mut raw);
            self.is_in(&raw)
                || TEXTS.iter().any(|field| self.is_in(batch.text(*field, row)))
                || batch.fields(row).any(|(name, value)| self.is_in(name) || self.is_in(value))
        })
    }

    fn change(&self, batch: &Batch, rows: &Selection) -> ChangeResult {
        let masked: BTreeMap<usize, MaskedMessage> =
            rows.iter().map(|row| (row, self.masked(batch, row))).collect();
        let mut rewrite = batch.rewrite();
        for (number, field) in TEXTS.into_iter().enumerate() {
            let has = |row: usize| masked.get(&row).is_some_and(|masked| masked.texts[number].is_some());
            let changed = Selection::from_fn(batch.rows(), has);
            if !changed.is_empty() {
                rewrite.text(field, &changed, |row| {
                    masked.get(&row).and_then(|masked| masked.texts[number].as_deref()).unwrap_or_default()
                });
            }
        }
        if masked.values().any(|masked| masked.fields.is_some()) {
            // All fields are written anew, because old names and values would otherwise stay in their columns.
            let fields = edited(batch, rows, |row, edit| {
                let new = masked.get(&row).and_then(|masked| masked.fields.as_ref());
                if let Some(new) = new {
                    batch.fields(row).for_each(|(name, _)| edit.remove(name));
                    new.iter().for_each(|(name, value)| edit.set(name, value));
                }
            });
            if let Some((fields, _)) = fields {
                rewrite.fields(fields);
            }
        }
        for (row, masked) in masked {
            rewrite.raw(row, masked.raw);
        }
        let new = rewrite.finish();
        ChangeResult { batch: Some(new), changed: rows.clone(), failed: Selection::none(batch.rows()) }
    }
}
