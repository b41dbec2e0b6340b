//! An open group, whose parts are read when they are first needed.

use super::column::{ColumnRun, OpenColumn, SlotColumn};
use super::head::{GroupHead, OTHER_ADDRESSES, StoredTexts};
use super::rows::Rows;
use super::source::{GroupPart, GroupSource, PartContent, WholeGroup};
use crate::bytes::{ByteReader, DecodeError, PADDING, Result};
use crate::numbers::NumberColumn;
use logstead_record::TextColumn;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// The numbers of the first parts. Those of runs of columns follow, then those of blocks of texts.
const ADDRESSES: u32 = 0;
const DICTIONARY: u32 = 1;
const RUNS: u32 = 2;

/// An open group. It holds the parts that were needed so far, so it should be dropped when it was asked.
pub struct TemplateGroup {
    pub(super) head: Arc<GroupHead>,
    source: Box<dyn GroupSource>,
    rows: OnceLock<Arc<Rows>>,
    /// The addresses, the dictionary and the columns that were needed so far.
    parts: Vec<OnceLock<Arc<GroupPart>>>,
    /// Blocks of texts and their numbers as parts, in no order.
    pub(super) open_blocks: Mutex<Vec<(u32, Arc<GroupPart>)>>,
}

impl TemplateGroup {
    /// A group with this head, whose other parts are read when they are needed.
    pub fn new(head: Arc<GroupHead>, source: Box<dyn GroupSource>) -> TemplateGroup {
        let parts = (0..RUNS as usize + head.runs.len()).map(|_| OnceLock::new()).collect();
        TemplateGroup { head, source, rows: OnceLock::new(), parts, open_blocks: Mutex::default() }
    }

    /// Opens the texts of some rows from memory, and checks all columns.
    pub fn open(rows: Arc<Rows>, bytes: Vec<u8>) -> Result<TemplateGroup> {
        let source = WholeGroup { bytes, rows };
        let head = Arc::new(GroupHead::read(&source)?);
        let group = TemplateGroup::new(head, Box::new(source));
        group.rows()?;
        (0..group.parts.len()).try_for_each(|part| group.part(part).map(drop))?;
        Ok(group)
    }

    /// The template of each row.
    pub fn rows(&self) -> Result<&Arc<Rows>> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let rows = self.source.rows()?;
        if rows.counts() != self.counts() {
            return Err(DecodeError::Large("a number of rows of a template"));
        }
        Ok(self.rows.get_or_init(|| rows))
    }

    /// The key of each template.
    pub fn keys(&self) -> &TextColumn {
        &self.head.keys
    }

    /// The number of rows of each place: of those without a template, and of each template.
    pub fn counts(&self) -> &[u32] {
        &self.head.counts
    }

    /// Whether a row may contain an address whose hash is not among the [hashes](TemplateGroup::hashes).
    pub fn may_hold_other_addresses(&self) -> bool {
        self.head.kinds.iter().any(|kinds| kinds & OTHER_ADDRESSES != 0)
    }

    /// The memory that it takes with the parts that it holds.
    pub fn memory_bytes(&self) -> usize {
        let parts = self.parts.iter().filter_map(OnceLock::get).map(|part| part.memory_bytes());
        self.head.memory_bytes() + parts.sum::<usize>()
    }

    pub(super) fn addresses(&self) -> Result<&[u32]> {
        self.part(ADDRESSES as usize)?.addresses()
    }

    /// The words of slots with few.
    pub(super) fn dictionary(&self) -> Result<&TextColumn> {
        self.part(DICTIONARY as usize)?.texts()
    }

    /// The values of a slot of a template. Nothing but these and their neighbours is read.
    pub(crate) fn column(&self, template: usize, slot: usize) -> Result<OpenColumn<'_>> {
        self.column_at(self.head.columns_of(template)[slot])
    }

    /// A column, by its number among all.
    #[inline]
    pub(super) fn column_at(&self, number: u32) -> Result<OpenColumn<'_>> {
        let run = self.head.columns[number as usize].run as usize;
        let first = self.head.runs[run].columns.start;
        self.part(RUNS as usize + run)?.column(number as usize - first)
    }

    #[inline]
    fn part(&self, number: usize) -> Result<&GroupPart> {
        match self.parts[number].get() {
            Some(part) => Ok(part),
            None => self.hold(number),
        }
    }

    #[cold]
    fn hold(&self, number: usize) -> Result<&GroupPart> {
        let part = match number as u32 {
            ADDRESSES => self.source.part(ADDRESSES, &mut || self.open_addresses())?,
            DICTIONARY => {
                let dictionary = &self.head.dictionary;
                let place = dictionary.place(0..dictionary.blocks());
                self.open_texts(DICTIONARY, place, &|packed| dictionary.all_of(packed))?
            }
            run => self.source.part(run, &mut || self.open_run((run - RUNS) as usize))?,
        };
        Ok(self.parts[number].get_or_init(|| part))
    }

    fn open_addresses(&self) -> Result<GroupPart> {
        let bytes = self.read_padded(&self.head.addresses_place)?;
        let mut input = ByteReader::new(&bytes[..bytes.len() - PADDING]);
        let count = self.head.addresses;
        let numbers = NumberColumn::read(&mut input, count)?;
        input.end()?;
        if 1 < count && numbers.bounds.0 == numbers.bounds.1 {
            // A few bytes would stand for any number of addresses, but they are distinct.
            return Err(DecodeError::Large("a number of addresses"));
        }
        let mut addresses = Vec::with_capacity(count);
        numbers.for_each(&bytes, 0..count, |address| addresses.push(address as u32));
        Ok(GroupPart(PartContent::Addresses(addresses)))
    }

    fn open_run(&self, run: usize) -> Result<GroupPart> {
        let run = &self.head.runs[run];
        let bytes = self.read_padded(&run.place)?;
        let mut input = ByteReader::new(&bytes[..bytes.len() - PADDING]);
        let mut columns = Vec::with_capacity(run.columns.len());
        for entry in &self.head.columns[run.columns.clone()] {
            let end = input.at + entry.bytes as usize;
            columns.push(match entry.words_before {
                Some(words) => SlotColumn::Many(words),
                None => SlotColumn::read(&mut input, entry.kind, entry.rows as usize)?,
            });
            if input.at != end {
                return Err(DecodeError::Large("the bytes of a column"));
            }
        }
        input.end()?;
        Ok(GroupPart(PartContent::Columns(ColumnRun { bytes, columns })))
    }

    /// Opens texts as the part with this number.
    pub(super) fn open_texts(
        &self,
        part: u32,
        place: Range<usize>,
        decode: &dyn Fn(&[u8]) -> Result<TextColumn>,
    ) -> Result<Arc<GroupPart>> {
        self.source.part(part, &mut || {
            let packed = self.source.read(place.start as u64..place.end as u64)?;
            Ok(GroupPart(PartContent::Texts(decode(&packed)?)))
        })
    }

    /// The number of a block of texts as a part.
    pub(super) fn part_of_block(&self, of: StoredTexts, block: usize) -> u32 {
        let first = match of {
            StoredTexts::Words => self.parts.len(),
            StoredTexts::Kept => self.parts.len() + self.head.words.blocks(),
        };
        (first + block) as u32
    }

    /// Reads bytes that are to be unpacked.
    fn read_padded(&self, place: &Range<usize>) -> Result<Vec<u8>> {
        let mut bytes = self.source.read(place.start as u64..place.end as u64)?;
        // A growing vector would request twice the size.
        bytes.reserve_exact(PADDING);
        bytes.resize(place.len() + PADDING, 0);
        Ok(bytes)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::automaton::tests::automata;
    use crate::group::{EncodedGroup, Ranks, TemplateGroupWriter, WantedWord, WordForm, WordSet};
    use crate::scan::tests::texts;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn written(writer: &mut TemplateGroupWriter, texts: &[Vec<u8>]) -> EncodedGroup {
        for text in texts {
            writer.push(text);
        }
        writer.finish()
    }

    pub(crate) fn opened(written: &EncodedGroup) -> Result<TemplateGroup> {
        TemplateGroup::open(Arc::new(Rows::open(&written.rows)?), written.texts.clone())
    }

    /// A group on a disk, of which some bytes may be unreadable. It keeps parts, and notes what was read.
    pub(crate) struct LateGroup {
        bytes: Vec<u8>,
        rows: Vec<u8>,
        unreadable: Range<u64>,
        kept: Mutex<BTreeMap<u32, Arc<GroupPart>>>,
        reads: Mutex<Vec<Range<u64>>>,
    }

    /// The error of such a disk.
    #[derive(Debug, PartialEq, thiserror::Error)]
    #[error("bytes {0:?} are unreadable")]
    struct UnreadableBytes(Range<u64>);

    impl LateGroup {
        pub(crate) fn new(written: &EncodedGroup) -> LateGroup {
            let EncodedGroup { rows, texts } = written.clone();
            LateGroup {
                bytes: texts,
                rows,
                unreadable: 0..0,
                kept: Mutex::default(),
                reads: Mutex::default(),
            }
        }

        /// Opens the group, which reads the head alone.
        pub(crate) fn open(self: &Arc<LateGroup>) -> Result<TemplateGroup> {
            let source = Box::new(Arc::clone(self));
            Ok(TemplateGroup::new(Arc::new(GroupHead::read(&*source)?), source))
        }

        fn read_so_far(&self) -> Vec<Range<u64>> {
            std::mem::take(&mut self.reads.lock().unwrap())
        }
    }

    impl GroupSource for Arc<LateGroup> {
        fn bytes(&self) -> Result<u64> {
            Ok(self.bytes.len() as u64)
        }

        fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
            self.reads.lock().unwrap().push(range.clone());
            if range.start < self.unreadable.end && self.unreadable.start < range.end {
                return Err(DecodeError::unread(UnreadableBytes(self.unreadable.clone())));
            }
            Ok(self.bytes.get(range.start as usize..range.end as usize).ok_or(DecodeError::Short)?.to_vec())
        }

        fn rows(&self) -> Result<Arc<Rows>> {
            Rows::open(&self.rows).map(Arc::new)
        }

        fn part(&self, number: u32, open: &mut dyn FnMut() -> Result<GroupPart>) -> Result<Arc<GroupPart>> {
            if let Some(part) = self.kept.lock().unwrap().get(&number) {
                return Ok(Arc::clone(part));
            }
            let part = Arc::new(open()?);
            self.kept.lock().unwrap().insert(number, Arc::clone(&part));
            Ok(part)
        }
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
                let encoded = written(&mut writer, &texts);
                let late = Arc::new(LateGroup::new(&encoded));
                let read = late.open().unwrap().read(0..texts.len()).unwrap();
                prop_assert!(read.iter().eq(texts.iter().map(Vec::as_slice)));
                let read = late.open().unwrap().read(0..texts.len()).unwrap();
                prop_assert!(read.iter().eq(texts.iter().map(Vec::as_slice)));
                let group = opened(&encoded).unwrap();
                prop_assert_eq!(group.rows().unwrap().len(), texts.len());
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
                let encoded = EncodedGroup { rows: rows.clone(), texts };
                let late = Arc::new(LateGroup::new(&encoded));
                for group in [opened(&encoded), late.open()].into_iter().flatten() {
                    let rows = group.head.rows();
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
                    group.hashes(7, |_| {}).ok();
                }
            }
        }

        #[test]
        fn what_cannot_be_read_is_noticed_when_it_is_needed_and_never_answered_otherwise(
            texts in statements(), start in any::<prop::sample::Index>(), length in 1_u64..40,
        ) {
            let encoded = written(&mut TemplateGroupWriter::default(), &texts);
            let sound = opened(&encoded).unwrap();
            let start = start.index(encoded.texts.len()) as u64;
            let unreadable = start..(start + length).min(encoded.texts.len() as u64);
            let late = Arc::new(LateGroup { unreadable: unreadable.clone(), ..LateGroup::new(&encoded) });
            let is_told = |fault: DecodeError| match fault {
                DecodeError::Unread(reason) => reason.downcast() == Some(&UnreadableBytes(unreadable.clone())),
                _ => false,
            };
            match late.open() {
                Err(fault) => prop_assert!(is_told(fault)),
                Ok(group) => {
                    // Each byte after the head belongs to a part that some row needs.
                    let read = group.read(0..texts.len());
                    prop_assert!(read.is_err_and(is_told));
                    for word in [&b"7"[..], b"a", b"1.2.3.4", b"10.0.0.1", b"0x1", b"user", b"took"] {
                        let wanted = WantedWord::new(word);
                        match group.find(&wanted) {
                            Ok(found) => prop_assert_eq!(found, sound.find(&wanted).unwrap()),
                            Err(fault) => prop_assert!(is_told(fault)),
                        }
                    }
                }
            }
        }
    }

    /// A number, an address and words in most rows, and 300 templates with few rows.
    fn many_columns() -> Vec<Vec<u8>> {
        let mut texts = Vec::new();
        for row in 0..20_000_u32 {
            let mixed = row.wrapping_mul(0x9e37_79b9);
            let (host, user) = (mixed >> 24, ["ana1", "bo2", "cem3"][row as usize % 3]);
            texts.push(format!("login of {user} from 10.0.{host}.1 took {mixed} ms").into_bytes());
        }
        for kind in 0..300_u32 {
            // Keys that differ in letters alone would become one.
            let mark = |at: u32| char::from(b"!#$%&*=:;,"[(kind / 10_u32.pow(at) % 10) as usize]);
            let marks: String = (0..3).map(mark).collect();
            texts.extend((0..3).map(|row| format!("{marks} {row} of {kind}").into_bytes()));
        }
        texts
    }

    #[test]
    fn a_question_reads_the_columns_that_it_is_about_and_none_twice() {
        let texts = many_columns();
        let encoded = written(&mut TemplateGroupWriter::default(), &texts);
        let late = Arc::new(LateGroup::new(&encoded));
        let bytes = |ranges: &[Range<u64>]| ranges.iter().map(|range| range.end - range.start).sum::<u64>();
        let all = encoded.texts.len() as u64;
        let found = late.open().unwrap().find(&WantedWord::new(b"bo2")).unwrap();
        let reads = late.read_so_far();
        assert!(bytes(&reads) < all / 4, "{} of {all} bytes: {reads:?}", bytes(&reads));
        assert!(found.iter().any(|ranks| matches!(ranks, Ranks::Some(_))));
        late.open().unwrap().find(&WantedWord::new(b"bo2")).unwrap();
        assert_eq!(late.read_so_far().len(), 2, "only the head is read again: nobody keeps it here");
        late.open().unwrap().column(0, 2).unwrap();
        assert_eq!(late.read_so_far().len(), 3, "the head, and a column");
        assert_eq!(late.open().unwrap().read(0..texts.len()).unwrap().len(), texts.len());
        let (columns, reads) = (late.open().unwrap().head.columns.len(), late.read_so_far().len());
        assert!(600 < columns && reads < 20, "{reads} reads for {columns} columns");
    }

    #[test]
    fn other_rows_than_those_of_the_directory_are_a_fault() {
        let mut writer = TemplateGroupWriter::default();
        let [one, other] = [["a 1", "b x"], ["a 1", "a 2"]].map(|texts| {
            let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
            written(&mut writer, &texts)
        });
        let late = Arc::new(LateGroup::new(&EncodedGroup { rows: other.rows, texts: one.texts }));
        assert!(late.open().unwrap().read(0..2).is_err());
    }
}
