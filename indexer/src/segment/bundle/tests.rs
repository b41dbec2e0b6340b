//! Files of sections that are read in pieces, damaged, cut short, or have false values.

use super::header::HEADER_BYTES;
use super::tables::PAGE_BYTES;
use super::*;
use crate::segment::place::{LocalFile, SegmentFile};
use crate::{Disk, Fault, SimDisk};
use proptest::prelude::*;
use std::io::IoSlice;
use std::path::Path;
use std::sync::Arc;

pub(crate) const IDENTITY: BundleIdentity =
    BundleIdentity { first_sequence: 7, rows: 100, blocks_hash: [9; 32] };
const PATH: &str = "dir/a.index";

/// A disk with a file of these bytes.
pub(crate) fn disk_with(bytes: &[u8]) -> (SimDisk, Arc<dyn SegmentFile>) {
    let disk = SimDisk::new(0);
    disk.create_dir_all(Path::new("dir")).unwrap();
    let file = disk.create(Path::new(PATH)).unwrap();
    file.append(&mut [IoSlice::new(bytes)]).unwrap();
    (disk, Arc::new(LocalFile(file)))
}

fn file_bytes(sections: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = BundleWriter::new(BundleKind::Index, IDENTITY);
    for (name, bytes) in sections {
        writer.add(name.clone(), bytes.clone());
    }
    writer.finish().concat()
}

fn open(bytes: &[u8]) -> Result<Bundle, IndexError> {
    Bundle::open(BundleKind::Index, disk_with(bytes).1)
}

fn sections() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let size = prop_oneof![Just(0), Just(1), Just(PAGE_BYTES), 0..3 * PAGE_BYTES];
    let section = size.prop_map(|bytes| (0..bytes).map(|at| (at / 3) as u8).collect::<Vec<u8>>());
    proptest::collection::vec(section, 0..6).prop_map(|sections| {
        sections.into_iter().enumerate().map(|(at, bytes)| (format!("s{at}"), bytes)).collect()
    })
}

/// The file with a false value in a field of its header, but a correct checksum.
fn with_field(bytes: &[u8], offset: usize, value: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[8..HEADER_BYTES]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn what_was_added_is_read_in_any_piece(
        sections in sections(),
        pieces in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 8),
    ) {
        let bundle = open(&file_bytes(&sections)).unwrap();
        prop_assert_eq!(bundle.identity(), IDENTITY);
        prop_assert_eq!(bundle.verify(), Ok(()));
        for (name, bytes) in &sections {
            let section = bundle.section(name).unwrap();
            prop_assert_eq!(&section.read_all().unwrap(), bytes);
            for (from, to) in &pieces {
                let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
                let (from, to) = (from.min(to), from.max(to));
                prop_assert_eq!(&section.read(from as u64..to as u64).unwrap(), &bytes[from..to]);
            }
            let beyond = section.read(0..bytes.len() as u64 + 1);
            prop_assert!(matches!(beyond, Err(IndexError::Format(_))), "{:?}", beyond);
        }
    }

    #[test]
    fn a_flipped_bit_is_found(sections in sections(), bit in any::<prop::sample::Index>()) {
        let mut bytes = file_bytes(&sections);
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(open(&bytes).and_then(|bundle| bundle.verify()).is_err());
    }

    #[test]
    fn a_file_of_another_length_is_no_index(sections in sections(), cut in any::<prop::sample::Index>()) {
        let bytes = file_bytes(&sections);
        let cut = &bytes[..cut.index(bytes.len())];
        let longer = [&bytes[..], &[0]].concat();
        for bytes in [cut, &longer] {
            let refused = open(bytes).err();
            let expected = matches!(refused, Some(IndexError::Length { have_bytes, .. })
                if have_bytes == bytes.len() as u64);
            prop_assert!(expected, "{:?}", refused);
        }
    }

    #[test]
    fn tables_that_lie_are_refused(sections in sections(), garbage in any::<Vec<u8>>()) {
        let mut bytes = file_bytes(&sections);
        let body_end = HEADER_BYTES + sections.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        bytes.truncate(body_end);
        bytes.extend_from_slice(&garbage);
        let bytes = with_field(&bytes, 68, garbage.len() as u32);
        let bytes = with_field(&bytes, 72, crc32c::crc32c(&garbage));
        if let Ok(bundle) = open(&bytes) {
            prop_assert!(bundle.verify().is_err() || sections.iter().all(|(_, bytes)| bytes.is_empty()));
        }
    }
}

#[test]
fn what_can_not_be_is_a_clear_error() {
    let bytes = file_bytes(&[("a".to_owned(), vec![1; 100])]);
    let check = |bytes: &[u8], expected: IndexError| assert_eq!(open(bytes).err(), Some(expected));
    check(b"", IndexError::Length { have_bytes: 0, want_bytes: 80 });
    check(&[b'x'; 200], IndexError::Magic);
    for version in [3, 5] {
        check(&with_field(&bytes, 8, version), IndexError::Version(version));
    }
    check(
        &with_field(&bytes, 64, u32::MAX),
        IndexError::Format("its tables do not fit its header".to_owned()),
    );
    let huge = with_field(&with_field(&bytes, 56, u32::MAX), 60, u32::MAX);
    check(&huge, IndexError::Format(format!("{bytes} bytes of sections", bytes = u64::MAX)));
    let missing = open(&bytes).unwrap().section("b").err();
    assert_eq!(missing, Some(IndexError::Section("b".to_owned())));
}

#[test]
fn a_file_is_written_in_one_call_and_opened_in_three() {
    let disk = SimDisk::new(0);
    disk.create_dir_all(Path::new("dir")).unwrap();
    let file = disk.create(Path::new(PATH)).unwrap();
    let mut writer = BundleWriter::new(BundleKind::Index, IDENTITY);
    writer.add("a", vec![1; 100]);
    writer.add("b", vec![2; 40_000]);
    let calls = disk.calls();
    let bytes = writer.write_to(&*file).unwrap();
    assert_eq!(disk.calls() - calls, 1);
    let bundle = Bundle::open(BundleKind::Index, Arc::new(LocalFile(file))).unwrap();
    assert_eq!(disk.calls() - calls, 4, "the length, the header, the tables");
    assert_eq!(bundle.bytes(), bytes);
}

#[test]
fn a_disk_that_fails_is_an_error() {
    let (disk, file) = disk_with(&file_bytes(&[("a".to_owned(), vec![1; 100])]));
    let expected = Some(IndexError::Disk("the disk failed".to_owned()));
    for call in 0..3 {
        disk.fault_after(call, Fault::Fail);
        assert_eq!(Bundle::open(BundleKind::Index, Arc::clone(&file)).err(), expected);
    }
    let section = Bundle::open(BundleKind::Index, file).unwrap().section("a").unwrap();
    disk.fault_after(0, Fault::Fail);
    assert_eq!(section.read_all().err(), expected);
    assert_eq!(section.read_all(), Ok(vec![1; 100]));
}

#[test]
fn the_version_that_is_written_keeps_its_bytes() {
    let bytes = file_bytes(&[("a".to_owned(), b"hello".to_vec())]);
    let hash = blake3::hash(&bytes).to_hex().to_string();
    assert!(hash.starts_with("a1eed81234c3132a"), "{hash}");
}
