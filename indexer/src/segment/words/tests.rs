//! Words compared with a naive index, and files that are damaged, invalid or unreadable.

use super::*;
use crate::Fault;
use crate::segment::bundle::tests::disk_with;
use crate::segment::bundle::{Bundle, BundleIdentity, BundleKind, BundleWriter, IndexError};
use crate::segment::inverter::TERM_BYTES_MAX;
use crate::segment::inverter::tests::{inverted, naive, texts};
use crate::segment::place::SegmentFile;
use logstead_record::Selection;
use logstead_work::Work;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

type Texts = [(u32, Vec<u8>)];
type Postings = BTreeMap<Vec<u8>, Vec<u32>>;

fn rows_of(texts: &Texts) -> u32 {
    texts.last().map_or(0, |(row, _)| row + 1)
}

fn file_of(texts: &Texts) -> Vec<u8> {
    let identity = BundleIdentity { first_sequence: 1, rows: rows_of(texts), blocks_hash: [0; 32] };
    let mut writer = BundleWriter::new(BundleKind::Index, identity);
    writer.add("before", vec![1; 100]);
    write(WORDS, &inverted(texts), identity.rows, &mut writer).unwrap();
    writer.add("after", vec![2; 100]);
    writer.finish().concat()
}

fn words_in(file: &Arc<dyn SegmentFile>) -> Result<WordDictionary, IndexError> {
    let bundle = Bundle::open(BundleKind::Index, Arc::clone(file))?;
    WordDictionary::open(WORDS, bundle.identity().rows, &bundle)
}

fn words_of(texts: &Texts) -> WordDictionary {
    words_in(&disk_with(&file_of(texts)).1).unwrap()
}

fn selection(rows: u32, of: &BTreeSet<u32>) -> Selection {
    Selection::from_fn(rows as usize, |row| of.contains(&(row as u32)))
}

/// All words with their rows.
fn all(words: &WordDictionary) -> Result<Postings, IndexError> {
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
    // The words `all` and `half` fill many blocks of rows, `few` only a part of one.
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
    let expected = naive(&texts).into_iter().map(|(term, rows)| (term, rows.into_iter().collect()));
    assert_eq!(all(&words).unwrap(), expected.collect());
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
    let texts: Vec<(u32, Vec<u8>)> = (0..30_000).map(|row| (row, format!("x{row}").into_bytes())).collect();
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
    // If these bytes change, the format has changed, but old files must still be readable.
    let hash = blake3::hash(&file_of(&texts)).to_hex().to_string();
    assert!(hash.starts_with("4d41598c07d2163e"), "{hash}");
}

#[test]
fn an_index_of_something_else_is_refused() {
    let check = |rows: u32, write_rows: Option<u32>, expected: &IndexError| {
        let mut writer = BundleWriter::new(
            BundleKind::Index,
            BundleIdentity { first_sequence: 1, rows, blocks_hash: [0; 32] },
        );
        if let Some(rows) = write_rows {
            write(WORDS, &inverted(&[(0, b"a".to_vec())]), rows, &mut writer).unwrap();
        }
        let refused = words_in(&disk_with(&writer.finish().concat()).1).err();
        assert_eq!(refused.as_ref(), Some(expected));
    };
    check(2, Some(1), &IndexError::Format("words of 1 rows in an index of 2 rows".to_owned()));
    check(2, None, &IndexError::Section("words.terms".to_owned()));
}

#[test]
fn a_word_in_a_row_that_the_segment_has_not_is_refused() {
    let mut writer = BundleWriter::new(
        BundleKind::Index,
        BundleIdentity { first_sequence: 1, rows: 2, blocks_hash: [0; 32] },
    );
    write(WORDS, &inverted(&[(5, b"a".to_vec())]), 2, &mut writer).unwrap();
    let words = words_in(&disk_with(&writer.finish().concat()).1).unwrap();
    let found = words.find(b"a").unwrap().unwrap();
    let refused = IndexError::Format("the rows of a word go beyond 2".to_owned());
    assert_eq!(words.rows(&found), Err(refused.clone()));
    assert_eq!(words.walk(b"", &mut |_| true, 9, &Work::until(&|| false)).err(), Some(refused));
}

#[test]
fn a_disk_that_fails_is_an_error_that_says_so() {
    // Each part has more than one page, because the page read last is cached.
    let texts: Vec<(u32, Vec<u8>)> = (0..30_000).map(|row| (row, format!("x{row}").into_bytes())).collect();
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
