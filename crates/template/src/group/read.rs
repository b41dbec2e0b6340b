//! Opens a group.

use super::column::SlotColumn;
use super::others::may_hold_other_addresses;
use super::rows::Rows;
use crate::bytes::{ByteReader, DecodeError, PADDING, Result};
use crate::limits::{KEY_BYTES_MAX, TEMPLATES_MAX};
use crate::numbers::NumberColumn;
use crate::packet;
use crate::scan::VariableKind;
use crate::texts::TextBlocks;
use logstead_record::TextColumn;
use std::sync::Arc;

/// The maximum number of bytes of all keys and their lengths.
const KEYS_BYTES_MAX: usize = KEY_BYTES_MAX + 4 * TEMPLATES_MAX;

/// An open group.
pub struct TemplateGroup {
    pub(super) bytes: Vec<u8>,
    /// The template of each row.
    pub rows: Arc<Rows>,
    /// The key of each template.
    pub keys: TextColumn,
    pub(super) templates: Vec<GroupTemplate>,
    /// The [kinds](kinds_of) of the slots of each template, side by side, so that checking many templates reads
    /// little memory.
    pub(super) kinds: Vec<u8>,
    pub(super) addresses: Vec<u32>,
    pub(super) dictionary: TextColumn,
    pub(super) words: TextBlocks,
    pub(super) kept: TextBlocks,
}

/// A template of a group.
pub(super) struct GroupTemplate {
    /// The texts before each slot, and the text after the last one.
    pub(super) texts: TextColumn,
    pub(super) columns: Vec<SlotColumn>,
    pub(super) rows: usize,
}

/// The bit for a template that [may hold other addresses](may_hold_other_addresses); no kind uses it.
pub(super) const OTHER_ADDRESSES: u8 = 1;

/// The bit of a kind.
pub(super) fn kind_bit(kind: VariableKind) -> u8 {
    1 << kind as u8
}

/// The kinds of the slots of a key, as bits.
fn kinds_of(key: &[u8]) -> u8 {
    let kinds = key
        .iter()
        .filter_map(|&byte| VariableKind::of_marker(byte))
        .fold(0, |kinds, kind| kinds | kind_bit(kind));
    if may_hold_other_addresses(key) { kinds | OTHER_ADDRESSES } else { kinds }
}

impl TemplateGroup {
    /// Opens the texts of some rows.
    pub fn open(rows: Arc<Rows>, mut bytes: Vec<u8>) -> Result<TemplateGroup> {
        let end = bytes.len();
        // A growing vector would request twice the size of a section.
        bytes.reserve_exact(PADDING);
        bytes.resize(end + PADDING, 0);
        let mut input = ByteReader::new(&bytes[..end]);
        let keys = read_keys(&mut input)?;
        let counts = rows.counts();
        if keys.len() + 1 != counts.len() {
            return Err(DecodeError::Large("a number of templates"));
        }
        let addresses = read_addresses(&mut input, &bytes)?;
        let dictionary = TextBlocks::read(&mut input)?.all(&bytes)?;
        let mut words_before = 0;
        let mut templates = Vec::with_capacity(keys.len());
        for (key, &rows) in keys.iter().zip(&counts[1..]) {
            templates.push(GroupTemplate::read(&mut input, key, rows as usize, &mut words_before)?);
        }
        let words = TextBlocks::read(&mut input)?;
        let kept = TextBlocks::read(&mut input)?;
        input.end()?;
        if (words.len(), kept.len()) != (words_before, counts[0] as usize) {
            return Err(DecodeError::Short);
        }
        let kinds = keys.iter().map(kinds_of).collect();
        Ok(TemplateGroup { bytes, rows, keys, templates, kinds, addresses, dictionary, words, kept })
    }

    /// The texts that are kept unchanged, in the order of their rows.
    pub fn kept(&self) -> Result<TextColumn> {
        self.kept.all(&self.bytes)
    }

    /// Calls `each` with these texts, with only a few of them in memory at a time.
    pub fn for_each_kept(&self, mut each: impl FnMut(&[u8])) -> Result<()> {
        self.kept.for_each_block(&self.bytes, |_, texts| {
            texts.iter().for_each(&mut each);
            true
        })?;
        Ok(())
    }

    /// Whether a row may contain an address whose hash is not among the [hashes](TemplateGroup::hashes).
    pub fn may_hold_other_addresses(&self) -> bool {
        self.kinds.iter().any(|kinds| kinds & OTHER_ADDRESSES != 0)
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        let template = |template: &GroupTemplate| {
            let columns: usize = template.columns.iter().map(SlotColumn::memory_bytes).sum();
            size_of::<GroupTemplate>() + template.texts.memory_bytes() + columns
        };
        self.bytes.capacity()
            + self.keys.memory_bytes()
            + size_of_val(self.addresses.as_slice())
            + self.templates.iter().map(template).sum::<usize>()
            + self.kinds.len()
            + self.dictionary.memory_bytes()
            + self.words.memory_bytes()
            + self.kept.memory_bytes()
    }
}

impl GroupTemplate {
    fn read(input: &mut ByteReader<'_>, key: &[u8], rows: usize, words: &mut usize) -> Result<GroupTemplate> {
        let (mut texts, mut columns) = (TextColumn::default(), Vec::new());
        for &byte in key {
            match VariableKind::of_marker(byte) {
                None => texts.open_row().push(byte),
                Some(kind) => {
                    texts.end_row();
                    columns.push(SlotColumn::read(input, kind, rows, words)?);
                }
            }
        }
        texts.end_row();
        Ok(GroupTemplate { texts, columns, rows })
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

/// Reads the addresses. `bytes` are those of the input and the padding.
fn read_addresses(input: &mut ByteReader<'_>, bytes: &[u8]) -> Result<Vec<u32>> {
    // The addresses are distinct, so each takes at least one bit.
    let count = input.count(bytes.len() * 8, "a number of addresses")?;
    let numbers = NumberColumn::read(input, count)?;
    let mut addresses = Vec::with_capacity(count);
    numbers.for_each(bytes, 0..count, |address| addresses.push(address as u32));
    Ok(addresses)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::automaton::tests::automata;
    use crate::group::{EncodedGroup, TemplateGroupWriter, WantedWord, WordForm, WordSet};
    use crate::scan::tests::texts;
    use proptest::prelude::*;

    fn written(writer: &mut TemplateGroupWriter, texts: &[Vec<u8>]) -> EncodedGroup {
        for text in texts {
            writer.push(text);
        }
        writer.finish()
    }

    pub(crate) fn opened(written: &EncodedGroup) -> Result<TemplateGroup> {
        TemplateGroup::open(Arc::new(Rows::open(&written.rows)?), written.texts.clone())
    }

    /// Texts of a few statements, with all kinds of variables in all lengths, and other texts.
    pub(crate) fn statements() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let one = prop_oneof![
            ("[0-9]{1,6}", "[a-z]{1,3}").prop_map(|(number, word)| format!("took {number} ms for {word}")),
            "id=(00)?[0-9a-f]{6,20} from 10\\.0\\.[01]\\.[0-9]{1,2}",
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12} (0x[0-9a-f]{1,16}|[0-9A-F]{6,16})",
            "key [A-Za-z0-9+/]{30} of user[0-9]{1,3}",
            "session of (user_)?[a-jéü]{1,2} opened at [0-9]{1,3}(\\.[0-9]{1,3}){2,5}",
            "(0?[0-9]{1,2}\\.){3}[0-9]{1,3}( [a-k]|\\.[é1x]|)",
            "[A-Za-z0-9+/]{24}(\\.[0-9]){3}",
            "1\\.2\\.3\\.[A-Za-z0-9+/]{24}",
            "É[0-9]{1,2} [0-9A-F]{6,9} \u{212A}[a-z] of [A-Z]{1,2}[0-9]",
            "count [1-9][0-9]{0,18}",
            "constant",
            "",
        ];
        let text = prop_oneof![8 => one.prop_map(String::into_bytes), 1 => texts()];
        proptest::collection::vec(text, 0..300)
    }

    /// Texts of a few statements whose words consist of few different letters, so that many words end with their own
    /// beginning, in all lengths.
    pub(crate) fn alike() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let word = prop_oneof![
            4 => "[aA1]{1,5}",
            4 => "[W1]{1,4}",
            2 => "[a0]{1,36}",
            2 => "[01]{1,24}",
            2 => "1?0{15,36}1?",
            1 => "0x0{0,3}[01]{1,16}",
            1 => "0{8}-0{4}-[01]{4}-0{4}-[01]{12}",
            1 => "[01]\\.[01]\\.[01]\\.(1[01]{0,2}|0)",
            1 => "[aé]{1,4}",
        ];
        let words = (
            proptest::collection::vec(word, 1..4),
            prop::sample::select(vec![" ", "  ", "\" \"", ",", "/", "+"]),
        );
        let text = (words, 0_usize..4).prop_map(|((words, separator), statement)| {
            let words = words.join(separator);
            match statement {
                0 => words,
                1 => format!("{{\"msg\":\"{words}\"}}"),
                2 => format!("{words} took 1 of 11"),
                _ => format!("trace={words}"),
            }
        });
        proptest::collection::vec(text.prop_map(String::into_bytes), 1..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn messages_come_back(
            groups in proptest::collection::vec(statements(), 1..4),
            from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
            scattered in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let mut writer = TemplateGroupWriter::default();
            for texts in groups {
                let group = opened(&written(&mut writer, &texts)).unwrap();
                prop_assert_eq!(group.rows.len(), texts.len());
                let all = group.read(0..texts.len()).unwrap();
                prop_assert!(all.iter().eq(texts.iter().map(Vec::as_slice)));
                let (from, to) = (from.index(texts.len() + 1), to.index(texts.len() + 1));
                let some = from.min(to)..from.max(to);
                let read = group.read(some.clone()).unwrap();
                prop_assert!(read.iter().eq(texts[some].iter().map(Vec::as_slice)));
                let rows: Vec<u32> =
                    scattered.iter().filter(|_| !texts.is_empty()).map(|row| row.index(texts.len()) as u32).collect();
                let read = group.read_rows(&rows).unwrap();
                prop_assert!(read.iter().eq(rows.iter().map(|&row| texts[row as usize].as_slice())));
            }
        }

        #[test]
        fn damaged_groups_are_faults_or_other_messages_but_never_a_panic(
            texts in statements(), bits in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
            cut in any::<prop::sample::Index>(),
        ) {
            let sound = written(&mut TemplateGroupWriter::default(), &texts);
            let mut damaged = [sound.rows, sound.texts];
            for bit in bits {
                let all = damaged[0].len() + damaged[1].len();
                let bit = bit.index(all * 8);
                let (of, byte) = if bit / 8 < damaged[0].len() { (0, bit / 8) } else { (1, bit / 8 - damaged[0].len()) };
                damaged[of][byte] ^= 1 << (bit % 8);
            }
            let [rows, texts] = damaged;
            for texts in [texts[..cut.index(texts.len())].to_vec(), texts] {
                if let Ok(group) = opened(&EncodedGroup { rows: rows.clone(), texts }) {
                    let rows = group.rows.len();
                    if let Ok(texts) = group.read(0..rows) {
                        prop_assert_eq!(texts.len(), rows);
                    }
                    for expression in [0, 1, 6, 8, 12, 19, 28, 34] {
                        for automaton in automata(expression) {
                            group.find_match(&automaton, &mut |_| true).ok();
                        }
                    }
                    let backwards: Vec<u32> = (0..rows as u32).rev().collect();
                    group.read_rows(&backwards).ok();
                    for word in [&b"7"[..], b"a", b"1.2.3.4", b"abcd", b"0x1"] {
                        group.find(&WantedWord::new(word)).ok();
                    }
                    let forms = [&b"1"[..], b"a", b""].map(<[u8]>::to_vec);
                    let forms = forms.map(|text| [WordForm::Begins(text.clone()), WordForm::Ends(text.clone()), WordForm::Holds(text)]);
                    let sets: Vec<WordSet> = forms.into_iter().flatten().map(|form| WordSet::new(vec![form])).collect();
                    group.find_words(&sets, &mut |_| true).ok();
                }
            }
        }
    }
}
