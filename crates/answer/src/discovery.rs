//! Discovers the fields of messages: the number of messages with each, and the usefulness of its values for telling
//! them apart.
//!
//! The values of a field are not kept, but counted in [`CLASSES`] classes by a hash: the entropy of the classes is
//! enough to tell which fields are useful, and takes the same memory for any number of values.
//!
//! **Invariant:** the fields that are found do not depend on how messages are cut into parts, nor on their order;
//! unless the discovery may be [rough](Discovery::rough), the usefulness of a field does not either. Neither holds
//! beyond [`FIELDS_MAX`] fields, which is reported.

use hashbrown::HashMap;
use logstead_record::{Batch, Selection, TextColumn};
use std::cmp::Reverse;

/// The number of classes of values.
const CLASSES: usize = 256;
/// The greatest number of fields that are examined.
const FIELDS_MAX: usize = 4096;
/// The longest value that is kept, to be shown if it is the only one.
const ONLY_BYTES_MAX: usize = 256;
/// The entropy, in bits, that makes the values of a field most useful as a choice: that of about six equally frequent
/// values.
const BEST_BITS: f64 = 2.5;
/// The greatest possible entropy.
const BITS_MAX: f64 = 8.0;
/// The worth of a field whose values hardly ever repeat; the best field is worth 1.
const LEAST_WORTH: f64 = 0.3;

/// Finds the dynamic fields of messages.
#[derive(Default)]
pub struct Discovery {
    /// The fields by their names in lower case.
    fields: HashMap<Vec<u8>, FieldTally>,
    messages: u64,
    is_rough: bool,
    /// Whether there may be fields that were not examined.
    has_more: bool,
}

/// A field that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct DiscoveredField {
    /// The name, as spelled in one of the messages.
    pub name: String,
    /// The number of messages that have it.
    pub messages: u64,
    /// The usefulness, between 0 (all values are equal) and 1: the coverage times the worth of its values for telling
    /// messages apart.
    pub usefulness: f64,
    /// The value, if it is the same in all messages that have the field.
    pub only: Option<Box<[u8]>>,
}

/// The counts and values gathered for a field.
#[derive(Clone)]
pub struct FieldTally {
    name: Vec<u8>,
    messages: u64,
    only: SingleValue,
    classes: Box<[u64; CLASSES]>,
}

/// Whether all values are equal.
#[derive(Clone, PartialEq, Debug)]
enum SingleValue {
    Unknown,
    One(Box<[u8]>),
    Several,
}

impl Discovery {
    /// A discovery that reads messages if columns are not enough.
    pub fn exact() -> Discovery {
        Discovery::default()
    }

    /// A discovery that reads no messages. A segment keeps no values of a field that some message has twice, and only
    /// the first fields of hostile messages. Without such messages, the number of messages with a field is exact.
    pub fn rough() -> Discovery {
        Discovery { is_rough: true, ..Discovery::default() }
    }

    /// Whether it is based on a sample.
    pub fn is_rough(&self) -> bool {
        self.is_rough
    }

    /// Adds the selected rows of a batch.
    pub fn add(&mut self, batch: &Batch, selected: &Selection) {
        self.messages += selected.count() as u64;
        let columns = batch.columns();
        let names = columns.field_names.values();
        let alike = alike(names);
        // For each name, its field and the last row that has it. Hostile messages have many names.
        let mut seen: HashMap<u32, (FieldTally, usize)> = HashMap::new();
        for row in selected.iter() {
            for at in batch.field_range(row) {
                let value = columns.field_values.get(at);
                if value.is_empty() {
                    continue;
                }
                let id = alike[columns.field_names.ids()[at] as usize];
                if FIELDS_MAX <= seen.len() && !seen.contains_key(&id) {
                    self.has_more = true;
                    continue;
                }
                let (field, last) =
                    seen.entry(id).or_insert_with(|| (FieldTally::new(names.get(id as usize)), usize::MAX));
                field.add_value(value, 1);
                field.messages += u64::from(*last != row);
                *last = row;
            }
        }
        let mut seen: Vec<(u32, (FieldTally, usize))> = seen.into_iter().collect();
        seen.sort_unstable_by_key(|(id, _)| *id);
        seen.into_iter().for_each(|(_, (field, _))| self.add_field(field));
    }

    /// Adds the fields of `messages` other messages; `has_more` says whether those may have further fields.
    pub fn add_fields(&mut self, messages: u64, fields: impl Iterator<Item = FieldTally>, has_more: bool) {
        self.messages += messages;
        self.has_more |= has_more;
        fields.for_each(|field| self.add_field(field));
    }

    fn add_field(&mut self, field: FieldTally) {
        let lower = field.name.to_ascii_lowercase();
        if let Some(known) = self.fields.get_mut(&lower) {
            known.plus(field);
        } else if self.fields.len() < FIELDS_MAX {
            self.fields.insert(lower, field);
        } else {
            self.has_more = true;
        }
    }

    /// The number of fields, and whether there may be more.
    pub fn count(&self) -> (usize, bool) {
        (self.fields.len(), self.has_more)
    }

    /// The number of messages.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// The most useful fields, most useful first.
    pub fn most_useful(&self, limit: usize) -> Vec<DiscoveredField> {
        let found = self.fields.values().map(|seen| seen.found(self.messages));
        let mut found: Vec<DiscoveredField> = found.collect();
        found.sort_by(|a, b| {
            let by_use = b.usefulness.total_cmp(&a.usefulness);
            by_use.then_with(|| (Reverse(a.messages), &a.name).cmp(&(Reverse(b.messages), &b.name)))
        });
        found.truncate(limit);
        found
    }
}

impl FieldTally {
    /// A tally for a field with this name that no row has had yet.
    pub fn new(name: &[u8]) -> FieldTally {
        FieldTally {
            name: name.to_vec(),
            messages: 0,
            only: SingleValue::Unknown,
            classes: Box::new([0; CLASSES]),
        }
    }

    /// The tally of a column: `counts` has the number of messages with each of `values`.
    pub fn of_counts(name: &[u8], values: &TextColumn, counts: &[u64]) -> FieldTally {
        let mut seen = FieldTally::new(name);
        for (value, &count) in values.iter().zip(counts) {
            if 0 < count && !value.is_empty() {
                seen.messages += count;
                seen.add_value(value, count);
            }
        }
        seen
    }

    /// The tally of a column without values.
    pub fn of_presence(name: &[u8], messages: u64) -> FieldTally {
        let only = if messages == 0 { SingleValue::Unknown } else { SingleValue::Several };
        FieldTally { messages, only, ..FieldTally::new(name) }
    }

    /// Whether no row had a value.
    pub fn is_empty(&self) -> bool {
        self.messages == 0
    }

    fn add_value(&mut self, value: &[u8], messages: u64) {
        self.classes[class_of(value)] += messages;
        self.only.add(value);
    }

    fn plus(&mut self, other: FieldTally) {
        self.messages += other.messages;
        self.classes.iter_mut().zip(other.classes.iter()).for_each(|(sum, count)| *sum += count);
        match other.only {
            SingleValue::Unknown => {}
            SingleValue::One(value) => self.only.add(&value),
            SingleValue::Several => self.only = SingleValue::Several,
        }
    }

    fn found(&self, messages: u64) -> DiscoveredField {
        let coverage = self.messages as f64 / messages.max(1) as f64;
        let only = match &self.only {
            SingleValue::One(value) => Some(value.clone()),
            SingleValue::Unknown | SingleValue::Several => None,
        };
        DiscoveredField {
            name: String::from_utf8_lossy(&self.name).into_owned(),
            messages: self.messages,
            usefulness: coverage * worth(entropy(&*self.classes)),
            only,
        }
    }
}

impl SingleValue {
    fn add(&mut self, value: &[u8]) {
        match self {
            SingleValue::Unknown if value.len() <= ONLY_BYTES_MAX => *self = SingleValue::One(value.into()),
            SingleValue::One(known) if **known == *value => {}
            _ => *self = SingleValue::Several,
        }
    }
}

/// For each name, the index of the first one that differs at most in case.
fn alike(names: &TextColumn) -> Vec<u32> {
    let mut firsts: HashMap<Vec<u8>, u32> = HashMap::new();
    let lower = names.iter().map(<[u8]>::to_ascii_lowercase).enumerate();
    lower.map(|(id, name)| *firsts.entry(name).or_insert(id as u32)).collect()
}

/// The class of a value, which is the same on every machine and in every run.
fn class_of(value: &[u8]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, bytes: u64| (hash ^ bytes).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = value.as_chunks::<8>();
    let hash = words.iter().fold(value.len() as u64, |hash, &word| mix(hash, u64::from_le_bytes(word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    (mix(mix(hash, u64::from_le_bytes(last)), 1) >> 32) as usize % CLASSES
}

/// The entropy in bits.
fn entropy(counts: &[u64]) -> f64 {
    let sum = counts.iter().sum::<u64>() as f64;
    let bits = |&count: &u64| {
        let part = count as f64 / sum;
        -part * part.log2()
    };
    counts.iter().filter(|count| 0 < **count).map(bits).sum::<f64>().max(0.0)
}

/// The worth of an entropy: highest for a few different values, low if each message has its own, and zero for a
/// single value.
fn worth(bits: f64) -> f64 {
    if bits <= BEST_BITS {
        return bits / BEST_BITS;
    }
    1.0 - (1.0 - LEAST_WORTH) * (bits - BEST_BITS) / (BITS_MAX - BEST_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Origin, Row, Timestamp};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Named = Vec<(String, String)>;

    fn batch(rows: &[Named]) -> Batch {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
        for fields in rows {
            fields.iter().for_each(|(name, value)| builder.field(name.as_bytes(), value.as_bytes()));
            builder.push(&Row::text(b"x"));
        }
        builder.seal()
    }

    fn found(rows: &[Named], at_once: usize) -> Vec<DiscoveredField> {
        let mut discovery = Discovery::exact();
        for rows in rows.chunks(at_once) {
            discovery.add(&batch(rows), &Selection::all(rows.len()));
        }
        assert_eq!(discovery.messages(), rows.len() as u64);
        discovery.most_useful(usize::MAX)
    }

    /// Converts names to lower case, because their spelling may come from any message.
    fn lower(mut found: Vec<DiscoveredField>) -> Vec<DiscoveredField> {
        found.iter_mut().for_each(|found| found.name.make_ascii_lowercase());
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn rows(value: impl Fn(usize) -> Named) -> Vec<Named> {
        (0..1000).map(value).collect()
    }

    fn field(name: &str, value: &impl ToString) -> (String, String) {
        (name.to_owned(), value.to_string())
    }

    #[test]
    fn fields_that_tell_messages_apart_come_first() {
        let rows = rows(|row| {
            let mut fields = vec![field("id", &row), field("status", &(row % 5)), field("version", &"1.2")];
            if row % 10 == 0 {
                fields.push(field("rare", &(row % 50)));
            }
            fields
        });
        let found = found(&rows, 300);
        let names: Vec<(&str, u64)> =
            found.iter().map(|found| (found.name.as_str(), found.messages)).collect();
        assert_eq!(names, [("status", 1000), ("id", 1000), ("rare", 100), ("version", 1000)]);
        assert_eq!(found[3].only.as_deref(), Some(b"1.2".as_slice()));
        assert_eq!((found[3].usefulness, &found[0].only), (0.0, &None));
        assert!(found.iter().all(|found| found.usefulness <= 1.0));
    }

    #[test]
    fn no_more_fields_are_kept_than_the_limit() {
        let mut discovery = Discovery::exact();
        let rows: Vec<Named> = (0..FIELDS_MAX + 1).map(|row| vec![field(&format!("f{row}"), &1)]).collect();
        discovery.add(&batch(&rows[..FIELDS_MAX]), &Selection::all(FIELDS_MAX));
        assert_eq!(discovery.count(), (FIELDS_MAX, false));
        discovery.add(&batch(&rows[FIELDS_MAX..]), &Selection::all(1));
        assert_eq!(discovery.count(), (FIELDS_MAX, true));
        assert_eq!(discovery.most_useful(40).len(), 40);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn messages_that_have_a_field_are_counted_once(
            rows in vec(vec(("[aAbc]", "[x-z]{0,2}"), 0..4), 1..200), at_once in 1_usize..200,
        ) {
            let mut expected: BTreeMap<String, Vec<Vec<&str>>> = BTreeMap::new();
            for fields in &rows {
                let mut of_row: BTreeMap<String, Vec<&str>> = BTreeMap::new();
                for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
                    of_row.entry(name.to_lowercase()).or_default().push(value);
                }
                of_row.into_iter().for_each(|(name, values)| expected.entry(name).or_default().push(values));
            }
            let found = found(&rows, at_once);
            prop_assert_eq!(found.len(), expected.len());
            for field in &found {
                let of_rows = &expected[&field.name.to_lowercase()];
                prop_assert_eq!(field.messages, of_rows.len() as u64);
                let mut values = of_rows.concat();
                values.sort_unstable();
                values.dedup();
                let only = (values.len() == 1).then(|| values[0].as_bytes());
                prop_assert_eq!(field.only.as_deref(), only);
            }
            let at_once = tests::found(&rows, rows.len());
            prop_assert_eq!(lower(found), lower(at_once));
        }
    }
}
