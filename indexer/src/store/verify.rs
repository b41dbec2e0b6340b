//! Reads the whole contents of a logspace, and compares them with their checksums and hashes.
//!
//! **Invariant:** a part reported as sound can be read in every detail: frames, blocks, columns and indexes, and
//! the chain of hashes goes on from each part to the next.

use crate::bounds::TimeBounds;
use crate::journal;
use crate::journal::frame::Hash;
use crate::journal::scan::{Scan, ScanItem};
use crate::segment::blocks::ReadScratch;
use crate::segment::id::SegmentId;
use crate::segment::{Segment, asked_in_time};
use crate::store::damage::Damage;
use crate::store::part::{StorePart, parts};
use crate::store::view::{FileView, LostSegment, View};
use logstead_record::{ColumnGroups, Timestamp};
use logstead_work::SearchContext;

/// The result of checking a part of a logspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyReport {
    /// The name of the file, in the folder of the logspace.
    pub file: String,
    /// Its messages.
    pub messages: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// The problems found in it.
    pub findings: Vec<Finding>,
}

/// A part that differs from the data that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The place of the damage, and its nature.
    pub what: String,
    /// Whether messages cannot be read. A damaged index loses none, because it can be rebuilt.
    pub loses_messages: bool,
    /// The times of the messages concerned, if known.
    pub times: Option<(Timestamp, Timestamp)>,
}

/// The number of bytes to check.
pub(crate) fn bytes(view: &View) -> u64 {
    parts(view).iter().map(StorePart::bytes).sum()
}

/// Checks everything, oldest first, and reports each part that was checked. Ends early if it is cancelled.
pub(crate) fn verify(view: &View, run: &SearchContext<'_>, visit: &mut dyn FnMut(VerifyReport)) {
    for gap in &view.gaps {
        let findings = vec![finding(gap.damage().to_string(), true)];
        visit(VerifyReport { file: gap.beside.clone(), messages: 0, bytes: 0, findings });
    }
    let mut chain = Chain::default();
    for part in parts(view) {
        if run.is_over() {
            return;
        }
        visit(match part {
            StorePart::Segment(segment) => check_segment(&segment, &mut chain, run),
            StorePart::Lost(lost) => check_lost(&lost, &mut chain),
            StorePart::File(file) => check_file(&file, &mut chain),
        });
    }
}

/// The end of the checked parts: the sequence and the hash with which the next part must begin.
#[derive(Default)]
struct Chain(Option<(u64, Hash)>);

impl Chain {
    /// Whether a part continues the chain of the part before it. Parts that are not adjacent are not compared.
    fn goes_on(&self, first_sequence: u64, previous_hash: Hash) -> bool {
        self.0.is_none_or(|(sequence, hash)| sequence != first_sequence || hash == previous_hash)
    }
}

fn finding(what: String, loses_messages: bool) -> Finding {
    Finding { what, loses_messages, times: None }
}

fn broken_chain() -> Finding {
    finding("the hash of what precedes it is not the one that it was written with".to_owned(), false)
}

fn check_segment(segment: &Segment, chain: &mut Chain, run: &SearchContext<'_>) -> VerifyReport {
    let Segment { id, blocks, .. } = segment;
    let mut findings = Vec::new();
    if !chain.goes_on(blocks.first_sequence, blocks.previous_hash) {
        findings.push(broken_chain());
    }
    check_blocks(segment, run, &mut findings);
    if let Err(error) = asked_in_time(|| segment.index()?.verify()) {
        findings.push(finding(format!("index: {error}"), false));
        // So the index is rebuilt.
        segment.distrust_index(error);
    }
    *chain = Chain(Some((id.sequences().end, blocks.hash)));
    checked(*id, segment.bytes(), findings)
}

fn check_lost(lost: &LostSegment, chain: &mut Chain) -> VerifyReport {
    *chain = Chain::default();
    checked(lost.id, lost.index_bytes, vec![finding(lost.damage.to_string(), true)])
}

fn checked(id: SegmentId, bytes: u64, findings: Vec<Finding>) -> VerifyReport {
    let file = format!("{}/{}", crate::store::SEGMENTS_DIR, id.blocks_name());
    VerifyReport { file, messages: u64::from(id.rows), bytes, findings }
}

fn check_blocks(segment: &Segment, run: &SearchContext<'_>, findings: &mut Vec<Finding>) {
    let blocks = &segment.blocks;
    let root = blocks.verify_root();
    let (mut scratch, mut stretches) = (ReadScratch::default(), Vec::<DamagedBlocks>::new());
    for block in (0..blocks.len()).take_while(|_| !run.is_over()) {
        let Err(error) = blocks.read(block, ColumnGroups::ALL, &mut scratch) else { continue };
        let damage = Damage::of_block(segment, error);
        let (why, is_late) = (damage.to_string(), damage.is_late());
        let times = blocks.span_of(block).times();
        match stretches.last_mut() {
            Some(last) if last.last + 1 == block && last.why == why => {
                last.last = block;
                last.times.join(times);
            }
            _ => stretches.push(DamagedBlocks { first: block, last: block, why, is_late, times }),
        }
    }
    if let (Err(error), []) = (root, stretches.as_slice()) {
        findings.push(finding(error.to_string(), false));
    }
    findings.extend(stretches.into_iter().map(DamagedBlocks::finding));
}

/// Adjacent blocks that cannot be read for the same reason, because a damaged page of a group affects all of its
/// blocks.
struct DamagedBlocks {
    first: usize,
    last: usize,
    why: String,
    is_late: bool,
    times: TimeBounds,
}

impl DamagedBlocks {
    fn finding(self) -> Finding {
        let DamagedBlocks { first, last, why, is_late, times } = self;
        let what = if first == last {
            format!("block {first}: {why}")
        } else {
            format!("blocks {first} to {last}: {why}")
        };
        Finding { what, loses_messages: !is_late, times: Some((times.earliest, times.latest)) }
    }
}

fn check_file(file: &FileView, chain: &mut Chain) -> VerifyReport {
    let mut findings: Vec<Finding> =
        file.damaged.iter().map(|damage| finding(damage.to_string(), true)).collect();
    match file.journal.header() {
        Ok(Ok(header)) if chain.goes_on(header.first_sequence, header.previous_hash) => {
            *chain = Chain(Some((header.first_sequence, header.previous_hash)));
        }
        Ok(Ok(header)) => {
            findings.push(broken_chain());
            *chain = Chain(Some((header.first_sequence, header.previous_hash)));
        }
        Ok(Err(_)) => *chain = Chain::default(),
        Err(error) => findings.push(finding(error.to_string(), true)),
    }
    if let Err(error) = check_frames(file, chain, &mut findings) {
        findings.push(finding(format!("{}: the disk cannot read it: {error}", file.journal.name), true));
    }
    let is_told = |damage: &Damage| file.bytes <= damage.offset + damage.bytes;
    if 0 < file.void_bytes && !file.damaged.iter().any(is_told) {
        let what = format!(
            "{}: {} bytes at its end are no part of it: a failed append left them, or another program \
             wrote there",
            file.journal.name, file.void_bytes
        );
        findings.push(finding(what, false));
    }
    let name = format!("{}/{}", crate::store::JOURNAL_DIR, file.journal.name);
    VerifyReport { file: name, messages: file.messages, bytes: file.bytes, findings }
}

fn check_frames(file: &FileView, chain: &mut Chain, findings: &mut Vec<Finding>) -> std::io::Result<()> {
    let Some(last) = file.stretches.last() else { return Ok(()) };
    let end = last.offset + last.bytes;
    let mut scan = Scan::frames(&*file.journal.file, journal::HEADER_BYTES, end);
    while let Some((offset, item)) = scan.next()? {
        match item {
            ScanItem::Bad { bytes, why, .. } => {
                let damage = file.damage(offset, bytes, why.into());
                if !file.damaged.iter().any(|known| known.offset == offset) {
                    findings.push(finding(damage.to_string(), true));
                }
                *chain = Chain::default();
            }
            ScanItem::Frame { header, body } => {
                let times = Some((header.earliest, header.latest));
                let at = |what: &str| format!("{}: frame at {offset}: {what}", file.journal.name);
                if !chain.goes_on(header.first_sequence, header.previous_hash) {
                    findings.push(Finding { times, ..finding(at(&broken_chain().what), false) });
                }
                if let Err(error) = header.decode(body) {
                    findings.push(Finding { times, ..finding(at(&error.to_string()), true) });
                }
                *chain = Chain(Some((header.end_sequence(), header.hash(body))));
            }
        }
    }
    Ok(())
}
