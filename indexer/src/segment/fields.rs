//! The names of the dynamic fields of a segment. Their values are in the messages, or beside them in the blocks.
//!
//! Fields come and go with the messages, and hostile messages can have any number of them, so the names have a limit. Beyond
//! it, any name may be that of a field, and the blocks decide.
//!
//! | bytes       | meaning                                                     |
//! |-------------|-------------------------------------------------------------|
//! | u8          | 1 if it has all names, otherwise 0                          |
//! | u32         | the number of names                                         |
//! | for each    | u32 its length, and the name in its first spelling          |

use super::bundle::IndexError;
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::TextColumn;
use std::hash::BuildHasher;

/// The greatest total size of the names, with what each takes besides its text.
pub(crate) const NAMES_BYTES_MAX: usize = 4 << 20;
/// Even a short name takes an entry in each of the lists.
const NAME_BYTES: usize = 16;

/// The names of dynamic fields, found in any case.
#[derive(Debug)]
pub(crate) struct FieldNames {
    /// The names in the order in which they came, each in its first spelling.
    spelled: TextColumn,
    lower: TextColumn,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The number of bytes counted towards the limit.
    bytes: usize,
    /// Whether there are no others.
    is_complete: bool,
}

impl Default for FieldNames {
    fn default() -> FieldNames {
        FieldNames {
            spelled: TextColumn::default(),
            lower: TextColumn::default(),
            known: HashTable::default(),
            hasher: DefaultHashBuilder::default(),
            bytes: 0,
            is_complete: true,
        }
    }
}

impl FieldNames {
    /// Adds a name, if it is new.
    pub(crate) fn add(&mut self, name: &[u8]) {
        let lower = name.to_ascii_lowercase();
        if self.number(&lower).is_some() {
            return;
        }
        let bytes = name.len() + NAME_BYTES;
        if NAMES_BYTES_MAX < self.bytes + bytes {
            self.is_complete = false;
            return;
        }
        let FieldNames { spelled, lower: lowers, known, hasher, .. } = self;
        let number = lowers.len() as u32;
        spelled.push(name);
        lowers.push(&lower);
        let hash_of = |&number: &u32| hasher.hash_one(lowers.get(number as usize));
        known.insert_unique(hasher.hash_one(lower.as_slice()), number, hash_of);
        self.bytes += bytes;
    }

    /// The number of a name in lower case.
    pub(crate) fn number(&self, lower: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(lower);
        self.known.find(hash, |&number| self.lower.get(number as usize) == lower).copied()
    }

    /// The name with a number, in lower case.
    pub(crate) fn lower(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        (number < self.lower.len()).then(|| self.lower.get(number))
    }

    /// The names as first spelled.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.spelled.iter().map(String::from_utf8_lossy)
    }

    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.spelled.len()
    }

    /// Whether there are no others.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether no row has a dynamic field.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_complete && self.spelled.is_empty()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.allocation_size() + self.spelled.memory_bytes() + self.lower.memory_bytes()
    }

    /// The names as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![u8::from(self.is_complete)];
        out.extend_from_slice(&(self.spelled.len() as u32).to_le_bytes());
        for name in self.spelled.iter() {
            out.extend_from_slice(&(name.len() as u32).to_le_bytes());
            out.extend_from_slice(name);
        }
        out
    }

    /// Reads names from their bytes.
    pub(crate) fn read(bytes: &[u8]) -> Result<FieldNames, IndexError> {
        let mut rest = bytes;
        let names = FieldNames::read_from(&mut rest).filter(|_| rest.is_empty());
        names.ok_or_else(|| IndexError::Format("the names of its fields".to_owned()))
    }

    fn read_from(rest: &mut &[u8]) -> Option<FieldNames> {
        let is_complete = take(rest, 1)? == [1];
        let count = take_u32(rest)?;
        let mut names = FieldNames::default();
        for number in 0..count {
            let bytes = take_u32(rest)?;
            names.add(take(rest, bytes as usize)?);
            // Names that were written are different, and within the limit.
            if names.spelled.len() != number as usize + 1 {
                return None;
            }
        }
        names.is_complete = is_complete;
        Some(names)
    }
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(bytes)?;
    *rest = left;
    Some(taken)
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    take(rest, 4)?.first_chunk().copied().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_are_too_many_to_remember_are_said_to_be() {
        let mut names = FieldNames::default();
        names.add(&vec![b'n'; NAMES_BYTES_MAX - 2 * NAME_BYTES - 1]);
        names.add(b"a");
        assert!(names.is_complete());
        names.add(b"b");
        names.add(b"A");
        assert!(!names.is_complete());
        assert_eq!((names.number(b"a"), names.number(b"b")), (Some(1), None));
    }

    proptest! {
        #[test]
        fn names_come_back_and_others_are_refused(
            names in proptest::collection::vec("[aAbBc]{0,3}", 0..40), bit in any::<prop::sample::Index>(),
        ) {
            let mut written = FieldNames::default();
            names.iter().for_each(|name| written.add(name.as_bytes()));
            let mut bytes = written.to_bytes();
            let read = FieldNames::read(&bytes).unwrap();
            prop_assert!(read.spelled().eq(written.spelled()) && read.is_complete());
            for name in &names {
                let first = names.iter().find(|other| other.eq_ignore_ascii_case(name)).unwrap();
                let number = read.number(name.to_lowercase().as_bytes()).unwrap();
                prop_assert_eq!(read.spelled().nth(number as usize).unwrap(), first.as_str());
            }
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            FieldNames::read(&bytes).ok();
        }
    }
}
