//! The words of a segment: which rows have a word, in tantivy's formats.
//!
//! [`write`] gives what an [`Inverter`](super::inverter::Inverter) made to tantivy's own serializers, so the
//! files are what tantivy writes for one text field without frequencies, positions and norms, and an empty
//! document store.
//!
//! A word longer than [`TERM_BYTES_MAX`] is in the dictionary by its first bytes only. What is found by a
//! term of that length may be another word: such answers are *not exact*, and have to be checked on the messages.
//!
//! **Invariant:** rows that have a word are never missing from an answer. An exact answer has no others.

use super::bundle::{Bundle, BundleWriter, IndexError};
use super::directory::{Gathered, Sections};
use super::inverter::{Inverted, TERM_BYTES_MAX};
use crate::work::Work;
use logstead_record::Selection;
use logstead_template::WordForm;
use std::ops::Bound;
use std::sync::Arc;
use tantivy::columnar::ColumnarWriter;
use tantivy::directory::{Directory, TerminatingWrite};
use tantivy::fieldnorm::FieldNormsSerializer;
use tantivy::index::{
    Index, IndexMeta, IndexSettings, InvertedIndexReader, Segment, SegmentComponent, SegmentId, SegmentReader,
};
use tantivy::postings::{BlockSegmentPostings, InvertedIndexSerializer, TermInfo};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::store::{Compressor, StoreWriter};

/// The words of texts that are kept as they are; in the first version of an index, of all messages and values.
pub(crate) const WORDS: &str = "words";
/// The only field of the schema.
const FIELD: Field = Field::from_field_id(0);
/// The only segment: an index file has no names to tell apart.
const SEGMENT: &str = "00000000000000000000000000000000";
const STORE_BLOCK_BYTES: usize = 16 << 10;
/// To look up a row in a word's rows costs as much as to decode about this many of them.
const SEEK_ROWS: usize = 64;
/// This many of a word's rows are decoded in the time of other work on one.
const DECODED_ROWS: usize = 8;

/// Writes the words of `rows` rows as sections of an index file, under the name of a dictionary.
pub(crate) fn write(
    dictionary: &'static str,
    (inverted, rows): (&Inverted, u32),
    writer: &mut BundleWriter,
) -> Result<(), IndexError> {
    let files = Gathered::new(dictionary);
    let index = Index::create(files.clone(), schema(), settings())?;
    let id = SegmentId::from_uuid_string(SEGMENT).map_err(|error| IndexError::Format(error.to_string()))?;
    let segment = index.segment(index.new_segment_meta(id, rows));
    write_postings(inverted, &segment)?;
    write_what_is_empty(rows, &segment)?;
    write_meta(&index, &segment)?;
    files.move_to(writer);
    Ok(())
}

/// The words of a segment, open for reading.
pub(crate) struct Words {
    inverted: Arc<InvertedIndexReader>,
    rows: u32,
}

/// A word that some rows have.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// How many rows.
    pub(crate) rows: u32,
    /// Whether these are the rows of this word and no other.
    pub(crate) exact: bool,
    term: TermInfo,
}

/// What a walk over the dictionary found.
#[derive(Debug, Clone)]
pub(crate) struct Walked<T = Selection> {
    /// The rows of the words that were accepted.
    pub(crate) rows: T,
    /// The rows of words that are longer than the dictionary keeps, and might have been.
    pub(crate) cut: Selection,
    /// How many terms were looked at.
    pub(crate) terms: usize,
    /// Whether these were all. If not, neither are the rows.
    pub(crate) complete: bool,
}

/// Sets of words that are looked for together.
pub(crate) trait WordSets {
    /// How many sets.
    fn sets(&self) -> usize;

    /// The places of a dictionary where to look, and whether all words there are in the only set.
    fn walks(&self) -> Vec<(&[u8], bool)>;

    /// Adds the sets that a word is in.
    fn sets_of(&self, word: &[u8], sets: &mut Vec<usize>);

    /// The forms of the words of a set.
    fn forms(&self, set: usize) -> Vec<WordForm>;
}

impl Words {
    /// Opens a dictionary of an index file, of this many rows.
    pub(crate) fn open(dictionary: &'static str, rows: u32, bundle: &Bundle) -> Result<Words, IndexError> {
        let index = Index::open(Sections::new(dictionary, bundle))?;
        let segments = index.searchable_segments()?;
        let [segment] = segments.as_slice() else {
            return Err(IndexError::Format(format!("{} word indexes where one belongs", segments.len())));
        };
        if segment.meta().max_doc() != rows {
            let words_rows = segment.meta().max_doc();
            return Err(IndexError::Format(format!("words of {words_rows} rows in an index of {rows}")));
        }
        let inverted = SegmentReader::open(segment)?.inverted_index(FIELD)?;
        Ok(Words { inverted, rows })
    }

    /// How many different words there are, as far as the dictionary tells them apart.
    #[cfg(test)]
    pub(crate) fn terms(&self) -> usize {
        self.inverted.terms().num_terms()
    }

    /// Looks up one word in lower case.
    pub(crate) fn find(&self, word: &[u8]) -> Result<Option<Found>, IndexError> {
        let term = self.inverted.terms().get(&word[..word.len().min(TERM_BYTES_MAX)])?;
        Ok(term.map(|term| Found { rows: term.doc_freq, exact: word.len() < TERM_BYTES_MAX, term }))
    }

    /// The rows that have a word.
    pub(crate) fn rows(&self, found: &Found) -> Result<Selection, IndexError> {
        let mut rows = Selection::none(self.rows as usize);
        insert_all(&mut self.postings(&found.term)?, &mut rows)?;
        Ok(rows)
    }

    /// Of some rows, keeps those that have a word.
    pub(crate) fn retain(&self, found: &Found, rows: &mut Selection) -> Result<(), IndexError> {
        let count = rows.count();
        if count == 0 {
            return Ok(());
        }
        if found.rows as usize / SEEK_ROWS < count {
            rows.intersect(&self.rows(found)?);
            return Ok(());
        }
        let mut postings = self.postings(&found.term)?;
        let mut kept = Selection::none(rows.rows());
        for row in rows.iter() {
            let place = postings.seek(row as u32);
            if postings.doc(place) == row as u32 {
                kept.insert(row);
            }
        }
        *rows = kept;
        Ok(())
    }

    /// The rows of all words that begin with `prefix` and that `accepts` accepts. After `terms_max` terms it
    /// gives up: to scan the messages is then cheaper. It also ends where the work does.
    #[cfg(test)]
    fn walk(
        &self,
        prefix: &[u8],
        accepts: &mut dyn FnMut(&[u8]) -> bool,
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walked, IndexError> {
        let mut sets_of = |word: &[u8], sets: &mut Vec<usize>| {
            if accepts(word) {
                sets.push(0);
            }
        };
        let mut walked = self.walk_each((prefix, 1), &mut sets_of, terms_max, work)?;
        Ok(Walked {
            rows: walked.rows.remove(0),
            cut: walked.cut,
            terms: walked.terms,
            complete: walked.complete,
        })
    }

    /// The same for several sets of words at once: `sets_of` says in which of them a word is.
    pub(crate) fn walk_each(
        &self,
        (prefix, sets): (&[u8], usize),
        sets_of: &mut dyn FnMut(&[u8], &mut Vec<usize>),
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walked<Vec<Selection>>, IndexError> {
        let none = Selection::none(self.rows as usize);
        let mut walked = Walked { rows: vec![none.clone(); sets], cut: none, terms: 0, complete: true };
        let (mut postings, mut sets) = (BlockSegmentPostings::empty(), Vec::new());
        let mut terms = self.beginning_with(&prefix[..prefix.len().min(TERM_BYTES_MAX)])?;
        while terms.advance() {
            if walked.terms == terms_max || !work.go_on(1) {
                walked.complete = false;
                break;
            }
            walked.terms += 1;
            let is_cut = terms.key().len() == TERM_BYTES_MAX;
            sets.clear();
            if !is_cut {
                sets_of(terms.key(), &mut sets);
            }
            let found = sets.iter().map(Some).chain(is_cut.then_some(None));
            for set in found {
                if !work.go_on(terms.value().doc_freq as usize / DECODED_ROWS) {
                    walked.complete = false;
                    return Ok(walked);
                }
                self.inverted.reset_block_postings_from_terminfo(terms.value(), &mut postings)?;
                let rows = set.map_or(&mut walked.cut, |&set| &mut walked.rows[set]);
                insert_all(&mut postings, rows)?;
            }
        }
        Ok(walked)
    }

    /// The rows of each of some sets of words.
    pub(crate) fn walk_sets(
        &self,
        sets: &dyn WordSets,
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walked<Vec<Selection>>, IndexError> {
        let none = Selection::none(self.rows as usize);
        let mut all = Walked { rows: vec![none.clone(); sets.sets()], cut: none, terms: 0, complete: true };
        for (beginning, are_all_meant) in sets.walks() {
            let sets_of = &mut |word: &[u8], found: &mut Vec<usize>| {
                if are_all_meant { found.push(0) } else { sets.sets_of(word, found) }
            };
            let walked = self.walk_each((beginning, sets.sets()), sets_of, terms_max - all.terms, work)?;
            all.add(&walked.rows, &walked.cut, (walked.terms, walked.complete));
            if !all.complete {
                break;
            }
        }
        Ok(all)
    }

    fn postings(&self, term: &TermInfo) -> Result<BlockSegmentPostings, IndexError> {
        Ok(self.inverted.read_block_postings_from_terminfo(term, IndexRecordOption::Basic)?)
    }

    fn beginning_with(&self, prefix: &[u8]) -> Result<tantivy::termdict::TermStreamer<'_>, IndexError> {
        let from = self.inverted.terms().range().ge(prefix);
        let range = match after_prefix(prefix) {
            Bound::Excluded(end) => from.lt(end),
            _ => from,
        };
        Ok(range.into_stream()?)
    }
}

impl Walked<Vec<Selection>> {
    /// Adds what another dictionary has for the same sets.
    pub(crate) fn add(&mut self, rows: &[Selection], cut: &Selection, (terms, complete): (usize, bool)) {
        self.rows.iter_mut().zip(rows).for_each(|(all, rows)| all.union(rows));
        self.cut.union(cut);
        self.terms += terms;
        self.complete &= complete;
    }
}

impl Walked {
    /// Whether `rows` are all, and no word was too long to tell.
    #[cfg(test)]
    pub(crate) fn is_exact(&self) -> bool {
        self.complete && self.cut.is_empty()
    }
}

/// Adds the rows of a word that are not yet read.
fn insert_all(postings: &mut BlockSegmentPostings, rows: &mut Selection) -> Result<(), IndexError> {
    while !postings.docs().is_empty() {
        if !rows.try_insert_all(postings.docs()) {
            return Err(IndexError::Format(format!("a word's rows go beyond {}", rows.rows())));
        }
        postings.advance();
    }
    Ok(())
}

/// Where the words that begin with `prefix` end.
fn after_prefix(prefix: &[u8]) -> Bound<Vec<u8>> {
    let Some(last) = prefix.iter().rposition(|&byte| byte < u8::MAX) else { return Bound::Unbounded };
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Bound::Excluded(end)
}

fn schema() -> Schema {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    let mut schema = Schema::builder();
    schema.add_text_field("words", TextOptions::default().set_indexing_options(indexing));
    schema.build()
}

fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        docstore_blocksize: STORE_BLOCK_BYTES,
        ..IndexSettings::default()
    }
}

fn write_postings(inverted: &Inverted, segment: &Segment) -> Result<(), IndexError> {
    let mut serializer = InvertedIndexSerializer::open(segment)?;
    let mut field = serializer.new_field(FIELD, inverted.postings(), None)?;
    for (term, rows) in inverted.iter() {
        field.new_term(term, rows.len() as u32, false)?;
        for &row in rows {
            field.write_doc(row, 0, &[]);
        }
        field.close_term()?;
    }
    field.close()?;
    Ok(serializer.close()?)
}

/// The files that tantivy does not open a segment without.
fn write_what_is_empty(rows: u32, segment: &Segment) -> Result<(), IndexError> {
    let open = |component| segment.open_write(component).map_err(tantivy::TantivyError::from);
    FieldNormsSerializer::from_write(open(SegmentComponent::FieldNorms)?)?.close()?;
    let mut columns = open(SegmentComponent::FastFields)?;
    ColumnarWriter::default().serialize(rows, None, &mut columns)?;
    columns.terminate()?;
    let store = open(SegmentComponent::Store)?;
    Ok(StoreWriter::new(store, Compressor::None, STORE_BLOCK_BYTES, false)?.close()?)
}

fn write_meta(index: &Index, segment: &Segment) -> Result<(), IndexError> {
    let meta = IndexMeta {
        index_settings: index.settings().clone(),
        segments: vec![segment.meta().clone()],
        ..IndexMeta::with_schema(index.schema())
    };
    let json = serde_json::to_vec(&meta).map_err(|error| IndexError::Format(error.to_string()))?;
    Ok(index.directory().atomic_write("meta.json".as_ref(), &json)?)
}

#[cfg(test)]
mod tests {
    use super::super::bundle::tests::disk_with;
    use super::super::bundle::{Identity, Kind};
    use super::super::inverter::Inverter;
    use super::super::inverter::tests::{inverted, naive, texts};
    use super::*;
    use crate::{DiskFile, Fault};
    use logstead_record::word;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;
    use std::time::Duration;
    use tantivy::directory::RamDirectory;
    use tantivy::tokenizer::{PreTokenizedString, Token};
    use tantivy::{SingleSegmentIndexWriter, TantivyDocument};

    type Texts = [(u32, Vec<u8>)];
    type Postings = BTreeMap<Vec<u8>, Vec<u32>>;

    fn rows_of(texts: &Texts) -> u32 {
        texts.last().map_or(0, |(row, _)| row + 1)
    }

    fn file_of(texts: &Texts) -> Vec<u8> {
        let identity = Identity { first_sequence: 1, rows: rows_of(texts), blocks_hash: [0; 32] };
        let mut writer = BundleWriter::new(Kind::Index, identity);
        writer.add("before", vec![1; 100]);
        write(WORDS, (&inverted(texts), identity.rows), &mut writer).unwrap();
        writer.add("after", vec![2; 100]);
        writer.finish().concat()
    }

    fn words_in(file: &Arc<dyn DiskFile>) -> Result<Words, IndexError> {
        let bundle = Bundle::open(Kind::Index, Arc::clone(file))?;
        Words::open(WORDS, bundle.identity().rows, &bundle)
    }

    fn words_of(texts: &Texts) -> Words {
        words_in(&disk_with(&file_of(texts)).1).unwrap()
    }

    fn selection(rows: u32, of: &BTreeSet<u32>) -> Selection {
        Selection::from_fn(rows as usize, |row| of.contains(&(row as u32)))
    }

    /// Everything that the words answer.
    fn all(words: &Words) -> Result<Postings, IndexError> {
        let mut terms = Vec::new();
        let mut gather = |term: &[u8]| {
            terms.push(term.to_vec());
            false
        };
        words.walk(b"", &mut gather, usize::MAX, &Work::until(&|| false))?;
        terms
            .into_iter()
            .map(|term| {
                let found = words.find(&term)?.ok_or_else(|| IndexError::Format("lost".to_owned()))?;
                Ok((term, words.rows(&found)?.iter().map(|row| row as u32).collect()))
            })
            .collect()
    }

    /// What tantivy's own writer makes of the texts: its reader's answers.
    fn by_tantivy(texts: &Texts) -> Postings {
        let builder = Index::builder().schema(schema()).settings(settings());
        let mut writer: SingleSegmentIndexWriter =
            builder.single_segment_index_writer(RamDirectory::create(), 15_000_000).unwrap();
        for row in 0..rows_of(texts) {
            let mut document = TantivyDocument::new();
            for (_, text) in texts.iter().filter(|(of, _)| *of == row) {
                document.add_pre_tokenized_text(FIELD, tokens(text));
            }
            writer.add_document(document).unwrap();
        }
        let index = writer.finalize().unwrap();
        let segment = index.searchable_segments().unwrap().remove(0);
        let inverted = SegmentReader::open(&segment).unwrap().inverted_index(FIELD).unwrap();
        let mut terms = inverted.terms().stream().unwrap();
        let mut found = Postings::new();
        while let Some((term, info)) = terms.next() {
            let mut postings =
                inverted.read_block_postings_from_terminfo(info, IndexRecordOption::Basic).unwrap();
            let rows = found.entry(term.to_vec()).or_default();
            while !postings.docs().is_empty() {
                rows.extend_from_slice(postings.docs());
                postings.advance();
            }
            assert_eq!(rows.len(), info.doc_freq as usize);
        }
        found
    }

    fn tokens(text: &[u8]) -> PreTokenizedString {
        let token = |range| {
            let mut folded = Vec::new();
            word::fold(&text[range], &mut folded);
            Token { text: String::from_utf8(folded).unwrap(), position: 0, ..Token::default() }
        };
        let tokens = word::words(text).map(token).filter(|token| token.text.len() < TERM_BYTES_MAX).collect();
        PreTokenizedString { text: String::new(), tokens }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn every_word_is_found_with_exactly_its_rows(
            texts in texts(),
            others in proptest::collection::btree_set(0_u32..150, 0..40),
        ) {
            let words = words_of(&texts);
            let rows = rows_of(&texts);
            let expected = naive(&texts);
            prop_assert_eq!(words.terms(), expected.len());
            for (term, of) in &expected {
                let found = words.find(term).unwrap().unwrap();
                prop_assert_eq!((found.rows as usize, found.exact), (of.len(), term.len() < TERM_BYTES_MAX));
                let of = selection(rows, of);
                prop_assert_eq!(&words.rows(&found).unwrap(), &of);
                let mut kept = selection(rows, &others);
                words.retain(&found, &mut kept).unwrap();
                let mut both = selection(rows, &others);
                both.intersect(&of);
                prop_assert_eq!(kept, both);
            }
            for absent in [&b""[..], b"a-b", b"A", b"zzzz", &[0xFF], &[b'a'; 500]] {
                let known = &absent[..absent.len().min(TERM_BYTES_MAX)];
                prop_assert_eq!(words.find(absent).unwrap().is_some(), expected.contains_key(known));
            }
        }

        #[test]
        fn a_walk_finds_the_rows_of_all_words_that_begin_so_and_are_accepted(
            texts in texts(),
            prefix in prop_oneof![Just(String::new()), "[a-c]{1,2}", "[äa]{1,3}", "a{126,130}", "\\PC"],
            accepted in "[abä]",
            terms_max in prop_oneof![0_usize..20, Just(usize::MAX)],
        ) {
            let words = words_of(&texts);
            let prefix = &prefix.as_bytes()[..prefix.len().min(TERM_BYTES_MAX)];
            let accepts = |term: &[u8]| term.ends_with(accepted.as_bytes());
            let seen: Vec<_> = naive(&texts).into_iter().filter(|(term, _)| term.starts_with(prefix)).collect();
            let union = |of: &dyn Fn(&[u8]) -> bool| {
                let rows = seen.iter().take(terms_max).filter(|(term, _)| of(term)).flat_map(|(_, rows)| rows.clone());
                selection(rows_of(&texts), &rows.collect())
            };
            let walked = words.walk(prefix, &mut { accepts }, terms_max, &Work::until(&|| false)).unwrap();
            prop_assert_eq!(walked.terms, seen.len().min(terms_max));
            prop_assert_eq!(walked.complete, seen.len() <= terms_max);
            prop_assert_eq!(&walked.rows, &union(&|term| term.len() < TERM_BYTES_MAX && accepts(term)));
            prop_assert_eq!(&walked.cut, &union(&|term| term.len() == TERM_BYTES_MAX));
            prop_assert_eq!(walked.is_exact(), walked.complete && walked.cut.is_empty());
        }

        #[test]
        fn what_is_written_is_what_tantivy_writes(texts in texts()) {
            let short: Postings = all(&words_of(&texts)).unwrap()
                .into_iter().filter(|(term, _)| term.len() < TERM_BYTES_MAX).collect();
            prop_assert_eq!(short, by_tantivy(&texts));
        }

        #[test]
        fn a_flipped_bit_is_an_error_or_changes_no_answer(
            texts in texts(),
            bits in proptest::collection::vec(any::<prop::sample::Index>(), 20),
        ) {
            let file = file_of(&texts);
            let expected = all(&words_of(&texts)).unwrap();
            let (disk, open) = disk_with(&file);
            let before = words_in(&open).unwrap();
            for bit in bits {
                let bit = bit.index(file.len() * 8);
                disk.flip(Path::new("dir/a.index"), bit);
                for answer in [words_in(&open).and_then(|words| all(&words)), all(&before)] {
                    prop_assert!(answer.as_ref().is_err() || answer == Ok(expected.clone()), "bit {}: {:?}", bit, answer);
                }
                disk.flip(Path::new("dir/a.index"), bit);
            }
        }
    }

    #[test]
    fn frequent_and_rare_words_are_found_by_decoding_and_by_seeking() {
        // `all` and `half` have many blocks of rows, `few` one that is not full.
        let rows = 20_000;
        let text = |row: u32| {
            format!(
                "all r{row} {} {}",
                ["half", "other"][row as usize % 2],
                if row % 3000 == 7 { "few" } else { "" }
            )
        };
        let texts: Vec<(u32, Vec<u8>)> = (0..rows).map(|row| (row, text(row).into_bytes())).collect();
        let words = words_of(&texts);
        assert_eq!(all(&words).unwrap(), by_tantivy(&texts));
        let lists: [&[u32]; 6] =
            [&[], &[0], &[19_999], &[0, 1, 127, 128, 129, 256], &[7, 3007, 12_345, 18_007], &[5000, 19_998]];
        let every_third: Vec<u32> = (0..rows).step_by(3).collect();
        for list in lists.into_iter().chain([every_third.as_slice()]) {
            for term in ["all", "half", "few", "r5000"] {
                let found = words.find(term.as_bytes()).unwrap().unwrap();
                let mut kept = selection(rows, &list.iter().copied().collect());
                let mut expected = kept.clone();
                expected.intersect(&words.rows(&found).unwrap());
                words.retain(&found, &mut kept).unwrap();
                assert_eq!(kept, expected, "{term} of {list:?}");
            }
        }
    }

    #[test]
    fn a_dictionary_of_many_blocks_gives_every_prefix_its_words() {
        let texts: Vec<(u32, Vec<u8>)> =
            (0..30_000).map(|row| (row, format!("x{row}").into_bytes())).collect();
        let words = words_of(&texts);
        let check = |prefix: &str, expected: usize| {
            let walked =
                words.walk(prefix.as_bytes(), &mut |_| true, usize::MAX, &Work::until(&|| false)).unwrap();
            assert_eq!((walked.terms, walked.rows.count()), (expected, expected), "{prefix}");
        };
        for (prefix, expected) in
            [("", 30_000), ("x", 30_000), ("x1", 11_111), ("x299", 111), ("x29999", 1), ("y", 0), ("a", 0)]
        {
            check(prefix, expected);
        }
    }

    #[test]
    fn an_index_without_words_or_rows_answers_nothing() {
        for texts in [vec![], vec![(5, b"--".to_vec())]] {
            let words = words_of(&texts);
            assert_eq!(words.terms(), 0);
            assert!(words.find(b"a").unwrap().is_none());
            let walked = words.walk(b"", &mut |_| true, 10, &Work::until(&|| false)).unwrap();
            assert!(walked.is_exact() && walked.rows.is_empty());
        }
    }

    #[test]
    fn the_same_texts_give_the_same_bytes() {
        let texts = [(0, b"a b c".to_vec()), (1, b"something longer".to_vec())];
        assert_eq!(file_of(&texts), file_of(&texts));
        // A change of these bytes is a change of the format: old files must still be read.
        let hash = blake3::hash(&file_of(&texts)).to_hex().to_string();
        assert!(hash.starts_with("72367e2db9c37b7f"), "{hash}");
    }

    #[test]
    fn an_index_of_something_else_is_refused() {
        let check = |rows: u32, write_rows: Option<u32>, expected: &IndexError| {
            let mut writer =
                BundleWriter::new(Kind::Index, Identity { first_sequence: 1, rows, blocks_hash: [0; 32] });
            if let Some(rows) = write_rows {
                write(WORDS, (&inverted(&[(0, b"a".to_vec())]), rows), &mut writer).unwrap();
            }
            let refused = words_in(&disk_with(&writer.finish().concat()).1).err();
            assert_eq!(refused.as_ref(), Some(expected));
        };
        check(2, Some(1), &IndexError::Format("words of 1 rows in an index of 2".to_owned()));
        check(2, None, &IndexError::Section("words.meta".to_owned()));
    }

    #[test]
    fn a_word_in_a_row_that_the_segment_has_not_is_refused() {
        let mut writer =
            BundleWriter::new(Kind::Index, Identity { first_sequence: 1, rows: 2, blocks_hash: [0; 32] });
        write(WORDS, (&inverted(&[(5, b"a".to_vec())]), 2), &mut writer).unwrap();
        let words = words_in(&disk_with(&writer.finish().concat()).1).unwrap();
        let found = words.find(b"a").unwrap().unwrap();
        let refused = IndexError::Format("a word's rows go beyond 2".to_owned());
        assert_eq!(words.rows(&found), Err(refused.clone()));
        assert_eq!(words.walk(b"", &mut |_| true, 9, &Work::until(&|| false)).err(), Some(refused));
    }

    #[test]
    fn a_disk_that_fails_is_an_error_that_says_so() {
        // More than a page of each: what was read last is remembered.
        let texts: Vec<(u32, Vec<u8>)> =
            (0..30_000).map(|row| (row, format!("x{row}").into_bytes())).collect();
        let (disk, file) = disk_with(&file_of(&texts));
        let open = disk.calls();
        let words = words_in(&file).unwrap();
        let (opened, failed) = (disk.calls() - open, IndexError::Disk("the disk failed".to_owned()));
        for call in 0..opened {
            disk.fault_after(call, Fault::Fail);
            assert_eq!(words_in(&file).err(), Some(failed.clone()), "call {call}");
        }
        disk.fault_after(0, Fault::Fail);
        assert_eq!(words.find(b"x5").err(), Some(failed.clone()));
        let found = words.find(b"x5").unwrap().unwrap();
        disk.fault_after(0, Fault::Fail);
        assert_eq!(words.rows(&found), Err(failed.clone()));
        for call in 0..2 {
            disk.fault_after(call, Fault::Fail);
            assert_eq!(
                words.walk(b"", &mut |_| true, usize::MAX, &Work::until(&|| false)).err(),
                Some(failed.clone()),
                "call {call}"
            );
        }
    }

    /// Prints what words cost for the messages of a file: `LOGSTEAD_CORPUS=lines cargo test --release -- --ignored`.
    #[test]
    #[ignore = "measures, and needs a file of lines"]
    #[expect(clippy::disallowed_methods, reason = "a measurement reads a file and the clock")]
    fn measure_words_of_a_corpus() {
        let path = std::env::var("LOGSTEAD_CORPUS").expect("LOGSTEAD_CORPUS names a file of lines");
        let corpus = std::fs::read(path).unwrap();
        // The seventh space of a line of RFC 5424 without structured data is where its message begins.
        let message = |line| memchr::memchr_iter(b' ', line).nth(6).map_or(line, |at| &line[at + 1..]);
        let messages: Vec<&[u8]> = corpus.split(|&byte| byte == b'\n').map(message).collect();
        let clock = std::time::Instant::now();
        let mut inverter = Inverter::new();
        for (row, message) in messages.iter().enumerate() {
            inverter.add_text(row as u32, message);
        }
        let added = clock.elapsed();
        let memory = inverter.memory_bytes();
        let inverted = inverter.finish();
        let finished = clock.elapsed();
        let rows = messages.len() as u32;
        let mut writer =
            BundleWriter::new(Kind::Index, Identity { first_sequence: 0, rows, blocks_hash: [0; 32] });
        write(WORDS, (&inverted, rows), &mut writer).unwrap();
        let written = clock.elapsed();
        let file = writer.finish().concat();
        let each = |time: Duration| time.as_nanos() / messages.len() as u128;
        println!(
            "add {} ns, finish {} ns, write {} ns a message",
            each(added),
            each(finished - added),
            each(written - finished)
        );
        println!(
            "{rows} messages, {} terms, {} postings, {memory} bytes of memory",
            inverted.iter().count(),
            inverted.postings()
        );
        let bundle = Bundle::open(Kind::Index, disk_with(&file).1).unwrap();
        for section in [
            "words.term",
            "words.idx",
            "words.pos",
            "words.fast",
            "words.fieldnorm",
            "words.store",
            "words.meta",
        ] {
            let bytes = bundle.section(section).unwrap().bytes();
            println!("{section} {bytes} bytes, {:.2} a message", bytes as f64 / messages.len() as f64);
        }
        measure_answers(&bundle);
    }

    #[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
    fn measure_answers(bundle: &Bundle) {
        const TIMES: u32 = 20;
        let measure = |name: &str, work: &mut dyn FnMut() -> usize| {
            let result = work();
            let clock = std::time::Instant::now();
            for _ in 0..TIMES {
                assert_eq!(work(), result);
            }
            println!("{name}: {result} in {:?}", clock.elapsed() / TIMES);
        };
        measure("open", &mut || Words::open(WORDS, bundle.identity().rows, bundle).unwrap().terms());
        let words = Words::open(WORDS, bundle.identity().rows, bundle).unwrap();
        for word in ["error", "for", "authentication", "needle", "798", "nosuchword"] {
            measure(&format!("find {word}"), &mut || {
                words.find(word.as_bytes()).unwrap().map_or(0, |found| found.rows as usize)
            });
            if let Some(found) = words.find(word.as_bytes()).unwrap() {
                measure(&format!("rows {word}"), &mut || words.rows(&found).unwrap().count());
                let few = Selection::from_fn(bundle.identity().rows as usize, |row| row % 10_000 == 0);
                measure(&format!("retain 100 of {word}"), &mut || {
                    let mut rows = few.clone();
                    words.retain(&found, &mut rows).unwrap();
                    rows.count()
                });
            }
        }
        for prefix in ["auth", "3499", "1"] {
            measure(&format!("walk {prefix}*"), &mut || {
                words
                    .walk(prefix.as_bytes(), &mut |_| true, usize::MAX, &Work::until(&|| false))
                    .unwrap()
                    .rows
                    .count()
            });
        }
        let mut finder = |term: &[u8]| memchr::memmem::find(term, b"quorum").is_some();
        measure("walk *quorum*", &mut || {
            words.walk(b"", &mut finder, usize::MAX, &Work::until(&|| false)).unwrap().rows.count()
        });
    }
}
