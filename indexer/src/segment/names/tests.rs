//! Columns of names compared with their rows, and invalid bytes.

use super::{NamesBuilder, NamesColumn};
use crate::segment::packed::ColumnFault;
use logstead_record::{Batch, BatchBuilder, Field, Origin, Row, Selection, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;

type NameValues = Vec<Option<Vec<u8>>>;

/// A batch whose rows have these hosts; empty if they have none.
fn batch(hosts: &[Option<Vec<u8>>]) -> Batch {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
    for host in hosts {
        builder.push(&Row::text(b"x").with(Field::Host, host.as_deref().unwrap_or_default()));
    }
    builder.seal()
}

fn bytes_of(builder: NamesBuilder) -> Vec<u8> {
    let mut bytes = Vec::new();
    builder.finish(&mut bytes);
    bytes
}

fn written(rows: &NameValues) -> Vec<u8> {
    let mut builder = NamesBuilder::default();
    for value in rows {
        match value {
            Some(value) => builder.push(value),
            None => builder.push_absent(1),
        }
    }
    bytes_of(builder)
}

fn open(builder: NamesBuilder) -> NamesColumn {
    let rows = builder.rows() as u32;
    NamesColumn::new(&bytes_of(builder), rows).unwrap()
}

fn values_of(names: &NamesColumn) -> NameValues {
    let text = |id| (id != names.absent()).then(|| names.values().get(id as usize).to_vec());
    names.ids().into_iter().map(text).collect()
}

/// Rows in runs, some without a value.
fn rows() -> impl Strategy<Value = NameValues> {
    let value = prop_oneof![2 => Just(None), 5 => vec(97_u8..104, 1..3).prop_map(Some)];
    vec((value, prop_oneof![4 => 1_usize..4, 1 => 100_usize..400]), 0..40)
        .prop_map(|runs| runs.into_iter().flat_map(|(v, count)| std::iter::repeat_n(v, count)).collect())
}

/// Checks that all answers of a column are those found by examining each row.
fn check(names: &NamesColumn, rows: &NameValues, accepted: &Selection, selected: &Selection) {
    let id_of = |value: &Vec<u8>| names.values().iter().position(|known| known == value).unwrap();
    let ids: Vec<usize> =
        rows.iter().map(|value| value.as_ref().map_or(names.absent() as usize, id_of)).collect();
    let select = |test: &dyn Fn(usize) -> bool| Selection::from_fn(rows.len(), test);
    assert_eq!(values_of(names), *rows);
    assert_eq!(names.present(), select(&|row| rows[row].is_some()));
    assert_eq!(names.rows_with(accepted), select(&|row| accepted.contains(ids[row])));
    for (id, count) in names.counts(selected).into_iter().enumerate() {
        let expected = selected.iter().filter(|&row| ids[row] == id).count();
        assert_eq!(count, expected as u64, "of {id}");
    }
}

#[test]
fn bytes_are_values() {
    let mut builder = NamesBuilder::default();
    builder.push_bytes(&[13, 255, 0, 13], Some(255));
    builder.push_bytes(&[255], None);
    let expected =
        [Some(13), None, Some(0), Some(13), Some(255)].map(|byte: Option<u8>| byte.map(|b| vec![b]));
    assert_eq!(values_of(&open(builder)), expected);
}

#[test]
fn what_claims_more_than_it_holds_is_refused() {
    let check = |bytes: &[u8], rows, expected| {
        assert_eq!(NamesColumn::new(bytes, rows).err(), Some(expected), "{bytes:?}");
    };
    let one = written(&vec![Some(b"x".to_vec())]);
    check(&[], 0, ColumnFault::Short { bytes: 0 });
    check(&[1, 0xff, 0xff, 0xff, 0xff], 0, ColumnFault::Short { bytes: 5 });
    check(&[4, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0, ColumnFault::Kind(4));
    check(&[3, 0, 0, 0, 0, 5, 0], 0, ColumnFault::Width(5));
    check(&[3, 0, 0, 0, 0, 1, 0], 0, ColumnFault::Short { bytes: 2 });
    check(&[2, 1, 0, 0, 0, 0, 0, 0, 0, 0], 0, ColumnFault::Kind(2));
    check(&[0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 0, ColumnFault::Kind(0));
    check(&one, 2, ColumnFault::Rows { rows: 1, expected: 2 });
    let mut beyond = one;
    let number = beyond.len() - 4;
    beyond[number] = 2;
    check(&beyond, 1, ColumnFault::Id { id: 1, values: 1 });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_column_answers_as_its_rows_do(
        rows in rows(), accepted in vec(any::<bool>(), 64), selected in vec(any::<bool>(), 1..99), at_once in 1_usize..500,
    ) {
        let mut builder = NamesBuilder::default();
        rows.chunks(at_once).for_each(|hosts| builder.push_names(&batch(hosts).columns().names[Field::Host.number()]));
        let bytes = bytes_of(builder);
        prop_assert_eq!(&bytes, &written(&rows));
        let names = NamesColumn::new(&bytes, rows.len() as u32).unwrap();
        let mut builder = NamesBuilder::default();
        rows.chunks(at_once).for_each(|hosts| builder.push_names(&batch(hosts).columns().names[Field::Host.number()]));
        let mut compressed = Vec::new();
        builder.finish_compressed(&mut compressed);
        let same = NamesColumn::new(&compressed, rows.len() as u32).unwrap();
        prop_assert_eq!((same.values(), same.ids()), (names.values(), names.ids()));
        prop_assert_eq!(same.ids_of(rows.len() / 3..rows.len()), &names.ids()[rows.len() / 3..]);
        let values = names.values().len();
        let some = Selection::from_fn(rows.len(), |row| selected[row % selected.len()]);
        check(&names, &rows, &Selection::from_fn(values, |id| accepted[id]), &some);
        check(&names, &rows, &Selection::from_fn(values, |id| id == at_once % 7), &Selection::all(rows.len()));
    }

    #[test]
    fn changed_bytes_are_refused_or_are_a_sound_column(
        rows in rows(), changes in vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..40), end in any::<prop::sample::Index>(),
    ) {
        let bytes = written(&rows);
        prop_assert!(NamesColumn::new(&bytes[..end.index(bytes.len())], rows.len() as u32).is_err());
        let mut builder = NamesBuilder::default();
        for row in &rows {
            match row.as_deref() {
                None | Some([]) => builder.push_absent(1),
                Some(value) => builder.push(value),
            }
        }
        let mut compressed = Vec::new();
        builder.finish_compressed(&mut compressed);
        for (at, change) in &changes {
            let at = at.index(compressed.len());
            compressed[at] ^= change;
            if let Ok(names) = NamesColumn::new(&compressed, rows.len() as u32) {
                prop_assert_eq!(names.ids().len(), rows.len());
            }
        }
        for (at, change) in changes {
            let mut changed = bytes.clone();
            changed[at.index(bytes.len())] ^= change;
            let Ok(names) = NamesColumn::new(&changed, rows.len() as u32) else { continue };
            prop_assert!(names.memory_bytes() <= 100 + bytes.len() * 12);
            prop_assert!(names.ids().iter().all(|&id| id <= names.absent()));
            let all = Selection::all(rows.len());
            prop_assert_eq!(names.counts(&all).iter().sum::<u64>(), rows.len() as u64);
            prop_assert!(names.rows_with(&Selection::all(names.values().len())).rows() == rows.len());
        }
    }
}
