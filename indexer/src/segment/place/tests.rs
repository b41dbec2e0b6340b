//! Files that are far away: each read takes its time, and what was read is kept within a limit.
//!
//! Keywords: page cache, eviction, timeout, remote storage.

use super::*;
use crate::segment::bundle::tests::{IDENTITY, disk_with};
use crate::segment::bundle::{Bundle, BundleKind, BundleWriter, IndexError};
use logstead_work::deadline::{NO_DEADLINE, watch_late};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A clock that stands still between reads, in milliseconds.
type Clock = Arc<AtomicU64>;

/// A file in another place. Every read takes ten milliseconds, and one that takes longer than there is time for is given up.
struct FarFile {
    bytes: Vec<u8>,
    clock: Clock,
    reads: AtomicU64,
}

const READ_TIME: u64 = 10;

impl FarFile {
    fn new(bytes: Vec<u8>, clock: &Clock) -> Arc<FarFile> {
        Arc::new(FarFile { bytes, clock: Arc::clone(clock), reads: AtomicU64::new(0) })
    }
}

impl SegmentFile for FarFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8], deadline: &Deadline) -> io::Result<()> {
        self.reads.fetch_add(1, Relaxed);
        let takes = Duration::from_millis(READ_TIME);
        let time = takes.min(deadline.left());
        self.clock.fetch_add(time.as_millis() as u64, Relaxed);
        if time < takes {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let bytes = self.bytes.get(offset as usize..).and_then(|bytes| bytes.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }
}

fn within(millis: u64, clock: &Clock) -> Deadline {
    let (clock, start) = (Arc::clone(clock), clock.load(Relaxed));
    Deadline::after(Duration::from_millis(millis), move || Duration::from_millis(clock.load(Relaxed) - start))
}

fn content(seed: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at / 7 * (seed + 3)) as u8).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn cached_files_read_as_they_are_and_take_no_more_than_they_may(
        lengths in vec(0..5 * PAGE_BYTES, 1..4),
        pages_max in 0_usize..8,
        reads in vec((any::<prop::sample::Index>(), any::<[prop::sample::Index; 2]>(), 0..15_u64), 1..60),
    ) {
        let (clock, cache) = (Clock::default(), Arc::new(Cache::new(pages_max * PAGE_BYTES)));
        let files: Vec<_> =
            lengths.iter().enumerate().map(|(seed, &bytes)| FarFile::new(content(seed, bytes), &clock)).collect();
        let cached: Vec<_> =
            files.iter().map(|file| CachedFile::open(Arc::clone(file) as _, &cache).unwrap()).collect();
        for (which, ends, millis) in reads {
            let at = which.index(files.len());
            let bytes = &files[at].bytes;
            let mut ends = ends.map(|end| end.index(bytes.len() + 1));
            ends.sort_unstable();
            let [start, end] = ends;
            let mut buffer = vec![0; end - start];
            let before = files[at].reads.load(Relaxed);
            let read = cached[at].read_at(start as u64, &mut buffer, &within(millis, &clock));
            let asked = files[at].reads.load(Relaxed) - before;
            prop_assert!(asked <= 1, "{} reads for one", asked);
            match read {
                Ok(()) => prop_assert_eq!(&buffer, &bytes[start..end]),
                Err(error) => {
                    prop_assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                    prop_assert!(millis < READ_TIME && asked == 1, "pages that are known take no time");
                }
            }
            prop_assert!(cache.bytes() <= pages_max * PAGE_BYTES);
            let beyond = cached[at].read_at(start as u64, &mut vec![0; bytes.len() - start + 1], &NO_DEADLINE);
            prop_assert_eq!(beyond.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        drop(cached);
        prop_assert_eq!(cache.bytes(), 0, "pages go with their files");
    }
}

#[test]
fn what_is_used_all_the_time_is_read_once() {
    let (clock, cache) = (Clock::default(), Arc::new(Cache::new(4 * PAGE_BYTES)));
    let file = FarFile::new(content(0, 20 * PAGE_BYTES), &clock);
    let cached = CachedFile::open(Arc::clone(&file) as _, &cache).unwrap();
    let read = |page: usize| {
        cached.read_at((page * PAGE_BYTES) as u64, &mut [0; 100], &NO_DEADLINE).unwrap();
        file.reads.load(Relaxed)
    };
    for page in 1..20 {
        assert_eq!(read(page), page as u64 + u64::from(1 < page), "it was not read before");
        assert_eq!(read(0), page as u64 + 1, "it is used all the time");
    }
    assert!(cache.uses().hits == 18 && cache.bytes() <= 4 * PAGE_BYTES, "{:?}", cache.uses());
    let again = (1..20).map(read).max();
    assert!(Some(20 + 19 - 3) <= again, "only three of the others fit: {again:?} reads");
}

#[test]
fn a_file_that_is_late_is_late_and_nothing_else() {
    let mut writer = BundleWriter::new(BundleKind::Index, IDENTITY);
    writer.add("a", content(1, 40_000));
    let clock = Clock::default();
    let file = FarFile::new(writer.finish().concat(), &clock);
    let late =
        |millis| within(millis, &clock).during(|| Bundle::open(BundleKind::Index, Arc::clone(&file) as _));
    for millis in [0, 5, 15] {
        let (opened, is_late) = watch_late(|| late(millis));
        assert_eq!((opened.err(), is_late), (Some(IndexError::Late), true), "{millis} ms for two reads");
    }
    let (opened, is_late) = watch_late(|| late(20));
    let section = opened.unwrap().section("a").unwrap();
    assert!(!is_late);
    assert_eq!(within(9, &clock).during(|| section.read_all()), Err(IndexError::Late));
    assert_eq!(within(10, &clock).during(|| section.read_all()), Ok(content(1, 40_000)));
    assert_eq!(section.read(100..300), Ok(content(1, 300)[100..].to_vec()));
}

#[test]
fn no_read_of_the_disk_begins_after_the_deadline_and_what_comes_after_it_is_late() {
    let mut writer = BundleWriter::new(BundleKind::Index, IDENTITY);
    writer.add("a", content(1, 100));
    let (disk, file) = disk_with(&writer.finish().concat());
    disk.set_read_time(Duration::from_millis(READ_TIME));
    let clock = disk.clone();
    let kind = |millis| {
        let (clock, start) = (clock.clone(), clock.now());
        let deadline = Deadline::after(Duration::from_millis(millis), move || clock.now() - start);
        file.read_at(0, &mut [0; 10], &deadline).map_err(|error| error.kind())
    };
    assert_eq!(kind(READ_TIME + 1), Ok(()));
    assert_eq!(kind(READ_TIME), Err(io::ErrorKind::TimedOut));
    let reads = disk.now();
    assert_eq!(kind(0), Err(io::ErrorKind::TimedOut));
    assert_eq!(disk.now(), reads, "it did not ask the disk");
}
