//! A number for each row of a group, in the order of places: programs have few statements, so the rows of a template
//! are similar, even if many others are between them.
//!
//! | bytes                             | meaning                                                            |
//! |-----------------------------------|--------------------------------------------------------------------|
//! | [numbers](crate::numbers) a place | for each place that has rows, the numbers of these, in their order |
//!
//! **Invariant:** each number is less than the bound that it was read with.

use super::rows::Rows;
use crate::bytes::{ByteReader, DecodeError, PADDING, Result};
use crate::numbers::{self, NumberColumn};

/// A number for each row of a group, in the order of places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedNumbers {
    numbers: Vec<u64>,
}

impl PlacedNumbers {
    /// Makes it from numbers in the order of rows, one for each.
    pub fn new(rows: &Rows, numbers: &[u32]) -> PlacedNumbers {
        assert_eq!(numbers.len(), rows.len(), "one for each row");
        let mut placed = vec![0; numbers.len()];
        orders(rows).zip(numbers).for_each(|(at, &number)| placed[at] = u64::from(number));
        PlacedNumbers { numbers: placed }
    }

    /// Reads stored numbers, each of which is less than `bound`.
    pub fn read(rows: &Rows, mut bytes: Vec<u8>, bound: usize) -> Result<PlacedNumbers> {
        let end = bytes.len();
        bytes.resize(end + PADDING, 0);
        let mut input = ByteReader::new(&bytes[..end]);
        let mut placed = Vec::with_capacity(rows.len());
        for &count in rows.counts().iter().filter(|&&count| count != 0) {
            let column = NumberColumn::read(&mut input, count as usize)?;
            column.for_each_run(&bytes, 0..column.len(), |_, run| placed.extend_from_slice(run));
        }
        input.end()?;
        match placed.iter().max() {
            Some(&most) if bound as u64 <= most => Err(DecodeError::Large("a number of a row")),
            _ => Ok(PlacedNumbers { numbers: placed }),
        }
    }

    /// Replaces each number by another.
    pub fn renumber(&mut self, mut other: impl FnMut(u32) -> u32) {
        self.numbers.iter_mut().for_each(|number| *number = u64::from(other(*number as u32)));
    }

    /// Appends the numbers. `rows` must be the ones that it was made from.
    pub fn write(&self, rows: &Rows, out: &mut Vec<u8>) {
        let mut rest = self.numbers.as_slice();
        for &count in rows.counts().iter().filter(|&&count| count != 0) {
            let (of_place, after) = rest.split_at(count as usize);
            numbers::write(of_place, out);
            rest = after;
        }
    }

    /// The numbers in the order of rows.
    pub fn in_rows<'p>(&'p self, rows: &'p Rows) -> impl Iterator<Item = u32> + 'p {
        orders(rows).map(|at| self.numbers[at] as u32)
    }
}

/// The position of each row in the order of places.
fn orders(rows: &Rows) -> impl Iterator<Item = usize> {
    let mut before = 0;
    let mut next: Vec<u32> = rows.counts().iter().map(|count| (before, before += count).0).collect();
    rows.places.iter().map(move |&place| {
        let next = &mut next[usize::from(place)];
        *next += 1;
        *next as usize - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::TemplateGroupWriter;
    use proptest::prelude::*;

    /// The rows of some templates and some rows without one, as bytes.
    fn rows() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(0_u8..6, 0..300).prop_map(|kinds| {
            let mut writer = TemplateGroupWriter::default();
            for kind in kinds {
                let text = [&b"one 1"[..], b"two 2 x", b"three", b"", b"control \x01", b"7"];
                writer.push(text[usize::from(kind)]);
            }
            writer.finish().rows
        })
    }

    proptest! {
        #[test]
        fn numbers_come_back_and_may_get_others(
            rows in rows(), values in proptest::collection::vec(0_u32..200, 300), alike in any::<bool>(),
        ) {
            let rows = Rows::open(&rows).unwrap();
            let numbers: Vec<u32> = values[..rows.len()].iter().map(|value| if alike { value / 60 } else { *value }).collect();
            let mut bytes = Vec::new();
            PlacedNumbers::new(&rows, &numbers).write(&rows, &mut bytes);
            let mut read = PlacedNumbers::read(&rows, bytes.clone(), 200).unwrap();
            prop_assert_eq!(&read.in_rows(&rows).collect::<Vec<u32>>(), &numbers);
            if let Some(&most) = numbers.iter().max() {
                prop_assert!(PlacedNumbers::read(&rows, bytes, most as usize).is_err());
            }
            read.renumber(|number| 1_000 - number);
            let expected: Vec<u32> = numbers.iter().map(|number| 1_000 - number).collect();
            prop_assert_eq!(&read, &PlacedNumbers::new(&rows, &expected));
        }

        #[test]
        fn damaged_bytes_are_faults_or_small_numbers_but_never_a_panic(
            rows in rows(), values in proptest::collection::vec(0_u32..200, 300),
            bits in proptest::collection::vec(any::<prop::sample::Index>(), 1..4), cut in any::<prop::sample::Index>(),
        ) {
            let rows = Rows::open(&rows).unwrap();
            let mut bytes = Vec::new();
            PlacedNumbers::new(&rows, &values[..rows.len()]).write(&rows, &mut bytes);
            for bit in bits.iter().filter(|_| !bytes.is_empty()).map(|bit| bit.index(bytes.len() * 8)).collect::<Vec<_>>() {
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            for bytes in [bytes[..cut.index(bytes.len() + 1)].to_vec(), bytes] {
                if let Ok(placed) = PlacedNumbers::read(&rows, bytes, 200) {
                    let numbers: Vec<u32> = placed.in_rows(&rows).collect();
                    prop_assert_eq!(numbers.len(), rows.len());
                    prop_assert!(numbers.iter().all(|number| *number < 200));
                }
            }
        }
    }
}
