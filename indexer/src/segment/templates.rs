//! The templates of a segment, and those of each group of rows.
//!
//! The section is compressed with zstd and contains:
//!
//! | bytes               | meaning                                                                     |
//! |---------------------|-----------------------------------------------------------------------------|
//! | u32, u32            | distinct templates, groups                                                  |
//! | u32 a template      | length of its key                                                           |
//! | the keys            | back to back                                                                |
//! | for each group      | u32 templates; u32 rows without one; then for each of its templates u32 its number in the list above, u32 its rows |
//!
//! All numbers are little endian, and each array of numbers is written in byte planes: first the lowest bytes of all
//! numbers, and so on.
//!
//! **Invariant:** the numbers of a group's templates are within the list.

use super::bundle::IndexError;
use hashbrown::HashMap;
use logstead_record::TextColumn;
use logstead_template::TemplateGroup;

const LEVEL: i32 = 3;
/// The greatest uncompressed size: groups have at most 16 MiB of keys each, and 60 000 templates.
const BYTES_MAX: usize = 256 << 20;

/// Gathers the templates of a segment.
#[derive(Default)]
pub(crate) struct TemplatesBuilder {
    known: HashMap<Vec<u8>, u32>,
    templates: Templates,
}

/// The templates of a segment.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Templates {
    /// The key of each template, with a byte for each slot.
    pub(crate) keys: TextColumn,
    pub(crate) groups: Vec<GroupTemplates>,
}

/// The templates of some rows.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub(crate) struct GroupTemplates {
    /// The number of rows without a template, whose text is kept unchanged.
    pub(crate) untemplated: u32,
    /// The number in the segment of each template of the group.
    pub(crate) numbers: Vec<u32>,
    /// The number of rows with each of these templates.
    pub(crate) counts: Vec<u32>,
}

impl TemplatesBuilder {
    /// Adds the next group.
    pub(crate) fn push(&mut self, texts: &TemplateGroup) {
        let TemplatesBuilder { known, templates } = self;
        let mut number = |key: &[u8]| match known.get(key) {
            Some(&number) => number,
            None => {
                let number = templates.keys.len() as u32;
                templates.keys.push(key);
                known.insert(key.to_vec(), number);
                number
            }
        };
        let numbers = texts.keys().iter().map(&mut number).collect();
        let (untemplated, counts) =
            texts.counts().split_first().map_or((0, &[][..]), |(untemplated, counts)| (*untemplated, counts));
        templates.groups.push(GroupTemplates { untemplated, numbers, counts: counts.to_vec() });
    }

    /// The approximate memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.allocation_size() + self.templates.memory_bytes() * 2
    }

    /// The templates that were gathered.
    pub(crate) fn finish(self) -> Templates {
        self.templates
    }
}

impl GroupTemplates {
    /// The number of rows that it has.
    pub(crate) fn rows(&self) -> u64 {
        u64::from(self.untemplated) + self.counts.iter().map(|&count| u64::from(count)).sum::<u64>()
    }
}

impl Templates {
    /// Writes the templates as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_planes(&[self.keys.len() as u32, self.groups.len() as u32].into_iter(), &mut out);
        let starts = std::iter::once(0).chain(self.keys.ends().iter().copied());
        let lengths: Vec<u32> = self.keys.ends().iter().zip(starts).map(|(end, start)| end - start).collect();
        write_planes(&lengths.iter().copied(), &mut out);
        out.extend_from_slice(self.keys.bytes());
        for group in &self.groups {
            write_planes(&[group.numbers.len() as u32, group.untemplated].into_iter(), &mut out);
            write_planes(&group.numbers.iter().copied(), &mut out);
            write_planes(&group.counts.iter().copied(), &mut out);
        }
        zstd::bulk::compress(&out, LEVEL).expect("the buffer has room for what zstd writes")
    }

    /// Reads the templates from their bytes.
    pub(crate) fn read(bytes: &[u8]) -> Result<Templates, IndexError> {
        let malformed = || IndexError::Format("its templates".to_owned());
        let bytes_max =
            zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten().ok_or_else(malformed)?;
        let bytes_max = usize::try_from(bytes_max).ok().filter(|&bytes| bytes <= BYTES_MAX);
        let plain =
            zstd::bulk::decompress(bytes, bytes_max.ok_or_else(malformed)?).map_err(|_| malformed())?;
        Templates::read_plain(&plain).ok_or_else(malformed)
    }

    fn read_plain(plain: &[u8]) -> Option<Templates> {
        let mut rest = plain;
        let head = read_planes(&mut rest, 2)?;
        let (count, groups) = (head[0] as usize, head[1] as usize);
        let mut end = 0_u32;
        let lengths = read_planes(&mut rest, count)?;
        let mut ends = Vec::with_capacity(count);
        for length in lengths {
            end = end.checked_add(length)?;
            ends.push(end);
        }
        let (bytes, after) = rest.split_at_checked(end as usize)?;
        rest = after;
        let keys = TextColumn::from_parts(bytes.to_vec(), ends).ok()?;
        let mut all = Vec::new();
        for _ in 0..groups {
            let head = read_planes(&mut rest, 2)?;
            let numbers = read_planes(&mut rest, head[0] as usize)?;
            let counts = read_planes(&mut rest, head[0] as usize)?;
            if numbers.iter().any(|&number| keys.len() <= number as usize) {
                return None;
            }
            all.push(GroupTemplates { untemplated: head[1], numbers, counts });
        }
        rest.is_empty().then_some(Templates { keys, groups: all })
    }

    /// The number of rows that have each template, over all groups.
    pub(crate) fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.keys.len()];
        for group in &self.groups {
            for (&number, &count) in group.numbers.iter().zip(&group.counts) {
                counts[number as usize] += u64::from(count);
            }
        }
        counts
    }

    /// The approximate memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let groups: usize = self.groups.iter().map(|group| size_of_val(group.numbers.as_slice()) * 2).sum();
        size_of::<Templates>() + self.keys.memory_bytes() + groups
    }
}

fn write_planes(numbers: &(impl Iterator<Item = u32> + Clone), out: &mut Vec<u8>) {
    for plane in 0..4 {
        out.extend(numbers.clone().map(|number| (number >> (8 * plane)) as u8));
    }
}

fn read_planes(rest: &mut &[u8], count: usize) -> Option<Vec<u32>> {
    let (planes, after) = rest.split_at_checked(count.checked_mul(4)?)?;
    *rest = after;
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|plane| planes[plane * count + at]));
    Some((0..count).map(number).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn templates() -> impl Strategy<Value = Templates> {
        vec("[a-z\\x01]{0,9}", 1..40).prop_flat_map(|texts| {
            let mut keys = TextColumn::default();
            texts.iter().for_each(|text| keys.push(text.as_bytes()));
            let of_group = (any::<u32>(), vec((0..keys.len() as u32, any::<u32>()), 0..20));
            vec(of_group, 0..4).prop_map(move |groups| {
                let group = |(untemplated, of): (u32, Vec<(u32, u32)>)| {
                    let (numbers, counts) = of.into_iter().unzip();
                    GroupTemplates { untemplated, numbers, counts }
                };
                Templates { keys: keys.clone(), groups: groups.into_iter().map(group).collect() }
            })
        })
    }

    proptest! {
        #[test]
        fn templates_come_back_and_others_are_refused(templates in templates(), bit in any::<prop::sample::Index>()) {
            let mut bytes = templates.to_bytes();
            prop_assert_eq!(&Templates::read(&bytes).unwrap(), &templates);
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(other) = Templates::read(&bytes) {
                drop(other.counts());
            }
        }
    }
}
