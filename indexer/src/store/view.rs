//! What can be searched at one moment: which files there are, and what stands where in them.
//!
//! A file is divided into stretches. A stretch whose batch is in memory is one frame. One that is not may be
//! many: neighbours are joined until they are worth a read, so that a million small frames cost no more
//! memory than a few large ones.
//!
//! **Invariant:** stretches of a file are in the order of their offsets and of their sequences. A view never
//! changes while somebody holds it: the appender works on a copy.

use crate::bounds::TimeBounds;
use crate::journal::JournalFile;
use crate::journal::frame::Header;
use crate::segment::Segment;
use crate::segment::id::SegmentId;
use crate::store::damage::{Damage, DamageReason};
use logstead_record::{Batch, Timestamp};
use parking_lot::RwLock;
use std::ops::Range;
use std::sync::Arc;

/// Stretches that are shorter than this are joined with the next.
const STRETCH_BYTES_MIN: u64 = 256 << 10;
/// Most batches kept in memory, however small they are.
const BATCHES_MAX: usize = 4096;

/// The view of this moment, published by the appender and read by searchers.
pub(crate) type Shared = RwLock<Arc<View>>;

/// Everything that can be searched.
#[derive(Clone, Default)]
pub(crate) struct View {
    /// In the order of their sequences.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// Segments of which nothing can be read, likewise.
    pub(crate) lost: Vec<LostSegment>,
    /// Journal files that are no segments yet, likewise. The last is appended to.
    pub(crate) files: Vec<Arc<FileView>>,
    /// Messages that no file holds though they have not expired, likewise.
    pub(crate) gaps: Vec<Gap>,
    pub(crate) next_sequence: u64,
    pub(crate) memory_bytes: usize,
    pub(crate) memory_batches: usize,
}

/// A segment of which nothing can be read. Its files are there, perhaps, until it expires.
#[derive(Clone, Debug)]
pub(crate) struct LostSegment {
    pub(crate) id: SegmentId,
    pub(crate) index_bytes: u64,
    pub(crate) damage: Damage,
}

/// Sequences that no file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Gap {
    pub(crate) sequences: Range<u64>,
    /// The file that they should follow, or be before.
    pub(crate) beside: String,
}

/// One journal file.
#[derive(Clone)]
pub(crate) struct FileView {
    pub(crate) journal: Arc<JournalFile>,
    pub(crate) first_sequence: u64,
    pub(crate) bytes: u64,
    pub(crate) messages: u64,
    pub(crate) batches: u64,
    pub(crate) memory_batches: usize,
    /// Of all its messages; the bounds of nothing where it has none.
    pub(crate) times: TimeBounds,
    pub(crate) received: Timestamp,
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) damaged: Vec<Damage>,
}

/// One or more frames without anything between them.
#[derive(Clone)]
pub(crate) struct Stretch {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) sequences: Range<u64>,
    pub(crate) batches: u64,
    pub(crate) times: TimeBounds,
    /// Where there is one frame and its batch is still in memory.
    pub(crate) batch: Option<Arc<Batch>>,
}

impl Gap {
    /// As a part that cannot be read.
    pub(crate) fn damage(&self) -> Damage {
        let Range { start, end } = self.sequences;
        Damage {
            file: self.beside.clone(),
            offset: 0,
            bytes: 0,
            messages: Some(end - start),
            why: DamageReason::Gap { first: start, last: end - 1 },
        }
    }
}

impl Stretch {
    /// The frame at an offset.
    pub(crate) fn frame(offset: u64, header: &Header, batch: Option<Arc<Batch>>) -> Stretch {
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
    /// A file in which nothing was found yet.
    pub(crate) fn new(journal: Arc<JournalFile>, first_sequence: u64, bytes: u64) -> FileView {
        FileView {
            journal,
            first_sequence,
            bytes,
            messages: 0,
            batches: 0,
            memory_batches: 0,
            times: TimeBounds::NONE,
            received: Timestamp::from_nanos(i64::MIN),
            stretches: Vec::new(),
            damaged: Vec::new(),
        }
    }

    /// Adds the frame at an offset.
    pub(crate) fn push(&mut self, offset: u64, header: &Header, batch: Option<Arc<Batch>>) {
        self.bytes = self.bytes.max(offset + header.frame_bytes());
        self.messages += u64::from(header.rows);
        self.batches += 1;
        self.memory_batches += usize::from(batch.is_some());
        self.times.join(TimeBounds { earliest: header.earliest, latest: header.latest });
        self.received = self.received.max(header.received);
        self.push_stretch(Stretch::frame(offset, header, batch));
    }

    /// A part of it that cannot be read.
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
}

impl View {
    /// Adds a frame to the last file.
    pub(crate) fn push(&mut self, offset: u64, header: &Header, batch: Arc<Batch>) {
        let file = self.files.last_mut().expect("a frame is in a file");
        self.memory_bytes += batch.memory_bytes();
        self.memory_batches += 1;
        self.next_sequence = header.end_sequence();
        Arc::make_mut(file).push(offset, header, Some(batch));
    }

    /// Forgets the oldest batches in memory where there are too many: they are read from the journal.
    pub(crate) fn evict(&mut self, memory_max: usize) {
        if self.memory_bytes <= memory_max && self.memory_batches <= BATCHES_MAX {
            return;
        }
        // A little more than needed, so that not every append comes here.
        let (bytes, batches) = (memory_max / 8 * 7, BATCHES_MAX / 8 * 7);
        for file in &mut self.files {
            if self.memory_bytes <= bytes && self.memory_batches <= batches {
                break;
            }
            if file.memory_batches == 0 {
                continue;
            }
            let file = Arc::make_mut(file);
            for mut stretch in std::mem::take(&mut file.stretches) {
                if (bytes < self.memory_bytes || batches < self.memory_batches)
                    && let Some(batch) = stretch.batch.take()
                {
                    self.memory_bytes -= batch.memory_bytes();
                    self.memory_batches -= 1;
                    file.memory_batches -= 1;
                }
                file.push_stretch(stretch);
            }
        }
    }

    /// Takes a journal file out.
    pub(crate) fn drop_file(&mut self, first_sequence: u64) {
        let Some(at) = self.files.iter().position(|file| file.first_sequence == first_sequence) else {
            return;
        };
        for batch in self.files.remove(at).stretches.iter().filter_map(|stretch| stretch.batch.as_ref()) {
            self.memory_bytes -= batch.memory_bytes();
            self.memory_batches -= 1;
        }
    }

    /// All segments, whether they can be read or not.
    pub(crate) fn segment_ids(&self) -> impl Iterator<Item = SegmentId> + '_ {
        self.segments.iter().map(|segment| segment.id).chain(self.lost.iter().map(|lost| lost.id))
    }

    /// The segment of which nothing can be read that holds a sequence.
    pub(crate) fn lost_at(&self, sequence: u64) -> Option<&LostSegment> {
        self.lost.iter().find(|lost| lost.id.sequences().contains(&sequence))
    }

    /// What is known to be missing or damaged, whatever is asked for.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = Damage> + '_ {
        let files = self.files.iter().flat_map(|file| file.damaged.iter().cloned());
        let segments = self.lost.iter().map(|lost| lost.damage.clone());
        files.chain(segments).chain(self.gaps.iter().map(Gap::damage))
    }

    /// Takes out everything that begins before a sequence.
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

    /// Takes a segment out.
    pub(crate) fn drop_segment(&mut self, id: SegmentId) {
        self.segments.retain(|segment| segment.id != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimDisk;
    use crate::disk::Disk;
    use std::path::Path;

    fn header(number: u64) -> Header {
        Header {
            body_crc: 0,
            body_bytes: 912,
            columns_bytes: 0,
            rows: 1,
            first_sequence: number,
            earliest: Timestamp::from_nanos(number as i64),
            latest: Timestamp::from_nanos(number as i64),
            received: Timestamp::from_nanos(0),
            previous_hash: [0; 32],
        }
    }

    #[test]
    fn small_neighbours_out_of_memory_become_one_stretch() {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("/")).unwrap();
        let file = disk.create(Path::new("/file")).unwrap();
        let journal = Arc::new(JournalFile { name: String::new(), file });
        let mut view = View { files: vec![Arc::new(FileView::new(journal, 0, 0))], ..View::default() };
        for number in 0..1000 {
            view.push(number * 1000, &header(number), Arc::new(Batch::default()));
        }
        assert_eq!(view.files[0].stretches.len(), 1000);
        view.evict(0);
        assert_eq!((view.memory_bytes, view.memory_batches), (0, 0));
        let stretches = &view.files[0].stretches;
        let bytes: Vec<u64> = stretches.iter().map(|stretch| stretch.bytes).collect();
        assert_eq!(bytes, [263_000, 263_000, 263_000, 211_000]);
        let ends: Vec<i64> = stretches.iter().map(|stretch| stretch.times.latest.nanos()).collect();
        assert_eq!(ends, [262, 525, 788, 999]);
        assert_eq!(stretches.iter().map(|stretch| stretch.batches).sum::<u64>(), 1000);
    }
}
