//! Everything that can be searched at one moment: the files, and the stretches of messages in them.
//!
//! A file is divided into stretches of one or more frames. Small adjacent stretches are joined, and so are their
//! batches if they are in memory, so that a million frames with one message each cost a search no more than a few
//! large ones.
//!
//! **Invariant:** stretches of a file are in the order of their offsets and of their sequences. A view never
//! changes while it is held: the appender works on a copy.

use crate::bounds::TimeBounds;
use crate::disk::LogspaceIdentity;
use crate::journal::JournalFile;
use crate::journal::frame::FrameHeader;
use crate::segment::Segment;
use crate::segment::id::SegmentId;
use crate::store::damage::{Damage, DamageReason};
use logstead_record::{Batch, BatchBuilder, SHAPED_ROWS_MIN, Timestamp};
use parking_lot::RwLock;
use std::ops::Range;
use std::sync::Arc;

/// The length below which a stretch is joined with the next one.
const STRETCH_BYTES_MIN: u64 = 256 << 10;
/// The greatest number of batches kept in memory, however small they are.
const BATCHES_MAX: usize = 4096;
/// The number of adjacent batches in memory from which on they may be joined into one.
const JOINED_BATCHES_MIN: usize = 16;
/// The total number of rows that they must also have. A batch with that many rows is never joined again, so a row is
/// copied at most once.
const JOINED_ROWS_MIN: usize = SHAPED_ROWS_MIN;

/// The current view, published by the appender and read by searchers.
pub(crate) type SharedView = RwLock<Arc<View>>;

/// Everything that can be searched.
#[derive(Clone, Default)]
pub(crate) struct View {
    /// The segments, in the order of their sequences.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// Unreadable segments, in the same order.
    pub(crate) lost: Vec<LostSegment>,
    /// Journal files that are not sealed yet, in the same order. The last one is appended to.
    pub(crate) files: Vec<Arc<FileView>>,
    /// Messages that are in no file although they have not expired, in the same order.
    pub(crate) gaps: Vec<Gap>,
    pub(crate) next_sequence: u64,
    /// The first sequence of the newest journal file, if it is missing and there is no newer one yet.
    pub(crate) newest_missing: Option<u64>,
    /// The logspace that the files belong to.
    pub(crate) identity: LogspaceIdentity,
    /// The reason why the contents are unknown: the logspace cannot be opened at present.
    pub(crate) closed: Option<Damage>,
    /// The latest time at which an expired message was received; `None` if nothing has expired.
    pub(crate) expired: Option<Timestamp>,
}

/// The memory that batches take.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct MemoryUse {
    pub(crate) bytes: usize,
    pub(crate) batches: usize,
}

/// An unreadable segment. Its files, if any, stay until it expires.
#[derive(Clone, Debug)]
pub(crate) struct LostSegment {
    pub(crate) id: SegmentId,
    pub(crate) index_bytes: u64,
    pub(crate) damage: Damage,
}

/// Sequences that are in no file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Gap {
    pub(crate) sequences: Range<u64>,
    /// The file next to the gap.
    pub(crate) beside: String,
    /// The end of the messages known to have been stored; set if the file that contained them is missing.
    pub(crate) known_end: Option<u64>,
}

/// One journal file.
#[derive(Clone)]
pub(crate) struct FileView {
    pub(crate) journal: Arc<JournalFile>,
    pub(crate) first_sequence: u64,
    pub(crate) bytes: u64,
    pub(crate) messages: u64,
    pub(crate) batches: u64,
    pub(crate) held: MemoryUse,
    /// The bounds of the times of all its messages; the empty bounds if it has none.
    pub(crate) times: TimeBounds,
    pub(crate) received: Timestamp,
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) damaged: Vec<Damage>,
    /// The number of bytes at its end that are not part of it, from a failed append or from elsewhere.
    pub(crate) void_bytes: u64,
}

/// One or more adjacent frames.
#[derive(Clone)]
pub(crate) struct Stretch {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) sequences: Range<u64>,
    pub(crate) batches: u64,
    pub(crate) times: TimeBounds,
    /// Its messages, as long as they are in memory.
    pub(crate) batch: Option<Arc<Batch>>,
}

impl Gap {
    /// The gap as a part that cannot be read.
    pub(crate) fn damage(&self) -> Damage {
        let Range { start: first, end } = self.sequences;
        let (messages, why) = match self.known_end {
            None => (Some(end - first), DamageReason::Gap { first, last: end - 1 }),
            Some(known) if first < known => (None, DamageReason::GapAtLeast { first, last: known - 1 }),
            Some(_) => (None, DamageReason::GapUnknown { first }),
        };
        Damage { file: self.beside.clone(), offset: 0, bytes: 0, messages, why }
    }
}

impl Stretch {
    /// The frame at an offset.
    pub(crate) fn frame(offset: u64, header: &FrameHeader, batch: Option<Arc<Batch>>) -> Stretch {
        Stretch {
            offset,
            bytes: header.frame_bytes(),
            sequences: header.first_sequence..header.end_sequence(),
            batches: 1,
            times: TimeBounds { earliest: header.earliest, latest: header.latest },
            batch,
        }
    }

    fn follows(&self, before: &Stretch) -> bool {
        before.offset + before.bytes == self.offset && before.sequences.end == self.sequences.start
    }

    fn join(&mut self, next: &Stretch) {
        self.bytes += next.bytes;
        self.sequences.end = next.sequences.end;
        self.batches += next.batches;
        self.times.join(next.times);
    }
}

impl FileView {
    /// A file without any frames yet.
    pub(crate) fn new(journal: Arc<JournalFile>, first_sequence: u64, bytes: u64) -> FileView {
        FileView {
            journal,
            first_sequence,
            bytes,
            messages: 0,
            batches: 0,
            held: MemoryUse::default(),
            times: TimeBounds::NONE,
            received: Timestamp::from_nanos(i64::MIN),
            stretches: Vec::new(),
            damaged: Vec::new(),
            void_bytes: 0,
        }
    }

    /// Adds the frame at an offset.
    pub(crate) fn push(&mut self, offset: u64, header: &FrameHeader, batch: Option<Arc<Batch>>) {
        self.bytes = self.bytes.max(offset + header.frame_bytes());
        self.messages += u64::from(header.rows);
        self.batches += 1;
        if let Some(batch) = &batch {
            batch.find_shapes();
        }
        self.held.add(batch.as_deref());
        self.times.join(TimeBounds { earliest: header.earliest, latest: header.latest });
        self.received = self.received.max(header.received);
        let is_held = batch.is_some();
        self.push_stretch(Stretch::frame(offset, header, batch));
        if is_held {
            self.join_small();
        }
    }

    /// A part of the file that cannot be read.
    pub(crate) fn damage(&self, offset: u64, bytes: u64, why: DamageReason) -> Damage {
        Damage { file: self.journal.name.clone(), offset, bytes, messages: None, why }
    }

    fn push_stretch(&mut self, stretch: Stretch) {
        match self.stretches.last_mut() {
            Some(last)
                if last.batch.is_none()
                    && stretch.batch.is_none()
                    && last.bytes < STRETCH_BYTES_MIN
                    && stretch.follows(last) =>
            {
                last.join(&stretch);
            }
            _ => self.stretches.push(stretch),
        }
    }

    /// Joins the small batches at the end once there are enough of them.
    fn join_small(&mut self) {
        let (first, rows) = self.small_at_end();
        if self.stretches.len() - first < JOINED_BATCHES_MIN || rows < JOINED_ROWS_MIN {
            return;
        }
        let small: Vec<Stretch> = self.stretches.drain(first..).collect();
        let mut joined = Stretch { batch: None, ..small[0].clone() };
        let mut builder = BatchBuilder::new();
        let held = || small.iter().filter_map(|stretch| stretch.batch.as_deref());
        let message_bytes = held().map(|batch| batch.columns().message().bytes().len()).sum();
        builder.reserve(held().map(Batch::rows).sum(), message_bytes);
        for (at, stretch) in small.iter().enumerate() {
            if 0 < at {
                joined.join(stretch);
            }
            if let Some(batch) = &stretch.batch {
                builder.extend(batch, 0..batch.rows());
            }
            self.held.remove(stretch.batch.as_deref());
        }
        let batch = builder.seal();
        batch.find_shapes();
        joined.batch = Some(Arc::new(batch));
        self.held.add(joined.batch.as_deref());
        self.stretches.push(joined);
    }

    /// The index of the first of the small batches at the end of the file, and the total number of their rows.
    fn small_at_end(&self) -> (usize, usize) {
        let (mut first, mut rows) = (self.stretches.len(), 0);
        while let Some(at) = first.checked_sub(1)
            && let Some(batch) = &self.stretches[at].batch
            && batch.rows() < JOINED_ROWS_MIN
            && self.stretches.get(first).is_none_or(|next| next.follows(&self.stretches[at]))
        {
            (first, rows) = (at, rows + batch.rows());
        }
        (first, rows)
    }
}

impl MemoryUse {
    fn add(&mut self, batch: Option<&Batch>) {
        self.bytes += batch.map_or(0, Batch::memory_bytes);
        self.batches += usize::from(batch.is_some());
    }

    fn remove(&mut self, batch: Option<&Batch>) {
        self.bytes -= batch.map_or(0, Batch::memory_bytes);
        self.batches -= usize::from(batch.is_some());
    }

    fn is_within(self, bytes: usize, batches: usize) -> bool {
        self.bytes <= bytes && self.batches <= batches
    }
}

impl View {
    /// The view of a logspace that cannot be opened.
    pub(crate) fn closed(next_sequence: u64, why: &str) -> View {
        let why = DamageReason::Closed(why.to_owned());
        let closed = Damage { file: "the logspace".to_owned(), offset: 0, bytes: 0, messages: None, why };
        View { next_sequence, closed: Some(closed), ..View::default() }
    }

    /// The memory that its batches take.
    pub(crate) fn held(&self) -> MemoryUse {
        self.files.iter().fold(MemoryUse::default(), |held, file| MemoryUse {
            bytes: held.bytes + file.held.bytes,
            batches: held.batches + file.held.batches,
        })
    }

    /// Adds a frame to the last file.
    pub(crate) fn push(&mut self, offset: u64, header: &FrameHeader, batch: Arc<Batch>) {
        let file = Arc::make_mut(self.files.last_mut().expect("a frame is in a file"));
        self.next_sequence = header.end_sequence();
        file.push(offset, header, Some(batch));
    }

    /// Drops the oldest batches from memory if there are too many; afterwards they are read from the journal.
    pub(crate) fn evict(&mut self, memory_max: usize) {
        let mut held = self.held();
        if held.is_within(memory_max, BATCHES_MAX) {
            return;
        }
        // This frees a little more than needed, so that it is not repeated for every append.
        let (bytes, batches) = (memory_max / 8 * 7, BATCHES_MAX / 8 * 7);
        for file in &mut self.files {
            if held.is_within(bytes, batches) {
                break;
            }
            if file.held.batches == 0 {
                continue;
            }
            let file = Arc::make_mut(file);
            for mut stretch in std::mem::take(&mut file.stretches) {
                if !held.is_within(bytes, batches)
                    && let Some(batch) = stretch.batch.take()
                {
                    held.remove(Some(&batch));
                    file.held.remove(Some(&batch));
                }
                file.push_stretch(stretch);
            }
        }
    }

    /// The sequence of the oldest message that is not expired.
    pub(crate) fn first_sequence(&self) -> u64 {
        let filled = || self.files.iter().filter(|file| 0 < file.messages);
        let journal_first =
            filled().find_map(|file| file.stretches.first()).map(|first| first.sequences.start);
        let sealed_first = self.segment_ids().map(|id| id.first_sequence).min();
        journal_first.into_iter().chain(sealed_first).min().unwrap_or(self.next_sequence)
    }

    /// Removes a journal file from the view.
    pub(crate) fn drop_file(&mut self, first_sequence: u64) {
        self.files.retain(|file| file.first_sequence != first_sequence);
    }

    /// All segments, whether they can be read or not.
    pub(crate) fn segment_ids(&self) -> impl Iterator<Item = SegmentId> + '_ {
        self.segments.iter().map(|segment| segment.id).chain(self.lost.iter().map(|lost| lost.id))
    }

    /// The unreadable segment that contains a sequence.
    pub(crate) fn lost_at(&self, sequence: u64) -> Option<&LostSegment> {
        self.lost.iter().find(|lost| lost.id.sequences().contains(&sequence))
    }

    /// The parts that are known to be missing or damaged, whatever is searched for.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = Damage> + '_ {
        let files = self.files.iter().flat_map(|file| file.damaged.iter().cloned());
        let segments = self.lost.iter().map(|lost| lost.damage.clone());
        files.chain(segments).chain(self.gaps.iter().map(Gap::damage)).chain(self.closed.clone())
    }

    /// Removes everything before a sequence.
    pub(crate) fn drop_before(&mut self, first: u64) {
        self.segments.retain(|segment| first <= segment.id.first_sequence);
        self.lost.retain(|lost| first <= lost.id.first_sequence);
        self.gaps.retain(|gap| first < gap.sequences.end);
        let old = self.files.iter().map(|file| file.first_sequence).filter(|sequence| *sequence < first);
        old.collect::<Vec<u64>>().into_iter().for_each(|sequence| self.drop_file(sequence));
    }

    /// Adds segments.
    pub(crate) fn add_segments(&mut self, segments: impl IntoIterator<Item = Arc<Segment>>) {
        self.segments.extend(segments);
        self.segments.sort_by_key(|segment| segment.id.first_sequence);
    }

    /// Removes a segment.
    pub(crate) fn drop_segment(&mut self, id: SegmentId) {
        self.segments.retain(|segment| segment.id != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimDisk;
    use crate::disk::Disk;
    use logstead_record::{Origin, Row};
    use std::path::Path;

    fn header(number: u64) -> FrameHeader {
        FrameHeader {
            body_crc: 0,
            body_bytes: 912,
            columns_bytes: 0,
            rows: 1,
            first_sequence: number,
            earliest: Timestamp::from_nanos(number as i64),
            latest: Timestamp::from_nanos(number as i64),
            received: Timestamp::from_nanos(0),
            previous_hash: [0; 32],
            copies: 0,
        }
    }

    fn view() -> View {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("/")).unwrap();
        let file = disk.create(Path::new("/file")).unwrap();
        let journal = Arc::new(JournalFile { name: String::new(), file });
        View { files: vec![Arc::new(FileView::new(journal, 0, 0))], ..View::default() }
    }

    fn batch(texts: impl IntoIterator<Item = String>) -> Arc<Batch> {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"", received: Timestamp::from_nanos(1) });
        texts.into_iter().for_each(|text| builder.push(&Row::text(text.as_bytes())));
        Arc::new(builder.seal())
    }

    #[test]
    fn small_neighbours_out_of_memory_become_one_stretch() {
        let mut view = view();
        for number in 0..1000 {
            view.push(number * 1000, &header(number), Arc::new(Batch::default()));
        }
        assert_eq!(view.files[0].stretches.len(), 1000);
        view.evict(0);
        assert_eq!(view.held(), MemoryUse::default());
        let stretches = &view.files[0].stretches;
        let bytes: Vec<u64> = stretches.iter().map(|stretch| stretch.bytes).collect();
        assert_eq!(bytes, [263_000, 263_000, 263_000, 211_000]);
        let ends: Vec<i64> = stretches.iter().map(|stretch| stretch.times.latest.nanos()).collect();
        assert_eq!(ends, [262, 525, 788, 999]);
        assert_eq!(stretches.iter().map(|stretch| stretch.batches).sum::<u64>(), 1000);
    }

    #[test]
    fn small_neighbours_in_memory_become_one_batch() {
        let mut view = view();
        for number in 0..1000 {
            view.push(number * 1000, &header(number), batch([format!("message {number}")]));
        }
        let stretches = &view.files[0].stretches;
        assert!(stretches.len() < JOINED_ROWS_MIN + 1000 / JOINED_ROWS_MIN, "{}", stretches.len());
        let batches = || stretches.iter().map(|stretch| stretch.batch.as_ref().unwrap());
        let texts = batches().flat_map(|batch| (0..batch.rows()).map(|row| batch.message(row)));
        let texts: Vec<&[u8]> = texts.collect();
        let expected: Vec<String> = (0..1000).map(|number| format!("message {number}")).collect();
        assert_eq!(texts, expected.iter().map(String::as_bytes).collect::<Vec<_>>());
        for pair in stretches.windows(2) {
            assert!(pair[1].follows(&pair[0]));
        }
        assert_eq!((stretches[0].times.earliest.nanos(), stretches[0].times.latest.nanos()), (0, 255));
        let bytes = batches().map(|batch| batch.memory_bytes()).sum();
        assert_eq!(view.held(), MemoryUse { bytes, batches: stretches.len() });
        assert_eq!(stretches.iter().map(|stretch| stretch.batches).sum::<u64>(), 1000);
    }

    #[test]
    fn large_batches_and_those_with_something_between_them_stay_as_they_are() {
        let mut view = view();
        let large = || batch((0..JOINED_ROWS_MIN).map(|row| row.to_string()));
        for number in 0..100 {
            let rows = JOINED_ROWS_MIN as u64;
            let header = FrameHeader { rows: rows as u32, ..header(number * rows) };
            view.push(number * 1000, &header, large());
        }
        assert_eq!(view.held().batches, 100);
        for number in 0..1000 {
            // Only every second offset has a frame.
            view.push(1_000_000 + number * 2000, &header(100_000 + number), batch(["x".to_owned()]));
        }
        assert_eq!(view.held().batches, 1100);
    }
}
