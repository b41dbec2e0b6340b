//! Surveys a logspace: its files, the choice of the valid ones, and their damage.
//!
//! **Invariant:** nothing is changed. The changes needed before messages can be stored are a list of steps, which
//! opening carries out and looking does not; so both see the same.

use crate::disk::{Disk, LogspaceIdentity};
use crate::journal;
use crate::journal::frame::Hash;
use crate::segment::id::SegmentId;
use crate::segment::place::{PlacedSegment, SegmentPlace};
use crate::segment::{Folder, Segment};
use crate::store::choose::{Candidate, Choice, Fate, JournalFate, choose, covers};
use crate::store::damage::{Damage, DamageReason};
use crate::store::manifest::{self, Manifest, ManifestError, ManifestExtent};
use crate::store::orphans;
use crate::store::replay::{self, JournalReplay};
use crate::store::unopened::{OpenError, failed};
use crate::store::view::{FileView, Gap, LostSegment};
use crate::store::{JOURNAL_DIR, SEGMENTS_DIR};
use logstead_work::deadline::watch_late;
use logstead_work::lanes::{self, Lanes};
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;

/// The suffixes of the files that make up a logspace.
const PARTS: [&str; 3] = [".journal", ".blocks", ".index"];

/// The names in the folders of a logspace at one moment.
pub(crate) struct Listing {
    manifest: Result<Option<Manifest>, ManifestError>,
    journal: BTreeSet<String>,
    segments: BTreeSet<String>,
    /// The logspace that the files belong to, if one of them names it.
    identity: Option<LogspaceIdentity>,
    /// Journal files of another logspace or queue.
    foreign: BTreeSet<String>,
}

/// A step that must be carried out before messages can be stored.
#[derive(Debug)]
pub(crate) struct RepairStep {
    /// The folder within the logspace.
    pub(crate) folder: &'static str,
    pub(crate) name: String,
    pub(crate) fate: Fate,
}

/// The contents of a logspace.
pub(crate) struct Survey {
    pub(crate) segments: Vec<Segment>,
    pub(crate) lost: Vec<LostSegment>,
    pub(crate) files: Vec<FileView>,
    pub(crate) gaps: Vec<Gap>,
    /// The damage that is not part of the view.
    pub(crate) damaged: Vec<Damage>,
    pub(crate) end: JournalEnd,
    /// The manifest as it should be.
    pub(crate) manifest: Manifest,
    /// Whether the manifest on disk is already like this.
    pub(crate) is_settled: bool,
    pub(crate) steps: Vec<RepairStep>,
    /// The files that were set aside before, with their folder.
    pub(crate) aside: Vec<String>,
}

/// The point at which appending continues.
#[derive(Default)]
pub(crate) struct JournalEnd {
    pub(crate) next_sequence: u64,
    pub(crate) hash: Hash,
    /// Whether the last file can be appended to.
    pub(crate) is_open: bool,
    /// The remains of an interrupted append in it.
    pub(crate) cut: Option<Damage>,
    /// The first sequence of the newest file, if it is missing.
    pub(crate) newest_missing: Option<u64>,
}

impl Listing {
    /// Reads the names of the current files.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<Listing, OpenError> {
        let path = dir.join(manifest::NAME);
        let mut manifest = Manifest::read(disk, dir);
        if let Err(source @ (ManifestError::Version(_) | ManifestError::Place(_))) = manifest {
            return Err(OpenError::ManifestVersion { path, source });
        }
        let list = |folder| {
            let path = dir.join(folder);
            match disk.list(&path) {
                Ok(names) => Ok(names.into_iter().collect()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
                Err(source) => Err(failed("list", &path, source)),
            }
        };
        let (mut journal, segments): (BTreeSet<String>, _) = (list(JOURNAL_DIR)?, list(SEGMENTS_DIR)?);
        let journal_dir = dir.join(JOURNAL_DIR);
        let names = journal.iter().filter(|name| journal::first_sequence(name).is_some());
        let marked: Vec<(String, LogspaceIdentity)> = names
            .filter_map(|name| Some((name.clone(), replay::identity(disk, &journal_dir, name)?)))
            .collect();
        let noted = manifest.as_ref().ok().and_then(Option::as_ref).and_then(|manifest| manifest.identity);
        let identity = own(noted, &marked.iter().map(|(_, identity)| *identity).collect::<Vec<_>>());
        if noted.is_some() && noted != identity {
            manifest = Err(ManifestError::Foreign);
        }
        let others = marked.into_iter().filter(|(_, marked)| Some(*marked) != identity);
        let foreign: BTreeSet<String> = others.map(|(name, _)| name).collect();
        journal.retain(|name| !foreign.contains(name));
        Ok(Listing { manifest, journal, segments, identity, foreign })
    }

    /// Whether there is a manifest that is not valid.
    pub(crate) fn has_useless_manifest(&self) -> bool {
        self.manifest.is_err()
    }

    /// Whether the files that make up the logspace are the same as in another listing.
    pub(crate) fn is_as(&self, other: &Listing) -> bool {
        let parts = |names: &BTreeSet<String>| -> Vec<String> {
            let is_part = |name: &&String| PARTS.iter().any(|suffix| name.ends_with(suffix));
            names.iter().filter(is_part).cloned().collect()
        };
        self.manifest == other.manifest
            && self.foreign == other.foreign
            && parts(&self.journal) == parts(&other.journal)
            && parts(&self.segments) == parts(&other.segments)
    }

    fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref().ok()?.as_ref()
    }

    fn extent(&self) -> Option<ManifestExtent> {
        self.manifest()?.extent
    }

    fn journals(&self) -> Vec<u64> {
        // All names have the same length, so their order is that of their numbers.
        self.journal.iter().filter_map(|name| journal::first_sequence(name)).collect()
    }

    fn candidates(&self, folder: &Folder, lanes: &dyn Lanes) -> Vec<Candidate> {
        let named: BTreeSet<PlacedSegment> =
            self.manifest().into_iter().flat_map(|manifest| manifest.segments.iter().copied()).collect();
        let here = self.segments.iter().filter_map(|name| SegmentId::of_blocks_name(name));
        let here = here.map(|id| PlacedSegment { id, place: SegmentPlace::Local });
        let all: Vec<PlacedSegment> =
            named.iter().copied().chain(here).collect::<BTreeSet<_>>().into_iter().collect();
        lanes::map(lanes, all.len(), |at| Candidate::open(folder, all[at], named.contains(&all[at])))
    }

    /// Whether the blocks of a segment are there, as far as a look at the folders can tell.
    fn has_blocks(&self, PlacedSegment { id, place }: PlacedSegment) -> bool {
        match place {
            SegmentPlace::Local => self.segments.contains(&id.blocks_name()),
        }
    }

    fn aside(&self) -> Vec<String> {
        let aside = |folder, names: &BTreeSet<String>| -> Vec<String> {
            let is_aside = |name: &&String| orphans::is_cut(name) || orphans::is_orphan(name);
            names.iter().filter(is_aside).map(|name| format!("{folder}/{name}")).collect()
        };
        [aside(JOURNAL_DIR, &self.journal), aside(SEGMENTS_DIR, &self.segments)].concat()
    }
}

/// The logspace that the files of a folder belong to: that of the manifest, unless at least two journal files agree
/// on another; without a manifest, that of most journal files.
fn own(manifest: Option<LogspaceIdentity>, journals: &[LogspaceIdentity]) -> Option<LogspaceIdentity> {
    let count = |of: &LogspaceIdentity| journals.iter().filter(|identity| *identity == of).count();
    let first_of_most = || journals.iter().rev().max_by_key(|identity| count(identity)).copied();
    match (manifest, journals) {
        (Some(own), [first, _, ..]) if count(first) == journals.len() && *first != own => Some(*first),
        (Some(own), _) => Some(own),
        (None, _) => first_of_most(),
    }
}

/// Surveys all files of a listing. According to others, all messages before the sequence `reached` were stored.
pub(crate) fn survey(
    disk: &dyn Disk,
    dir: &Path,
    folder: &Folder,
    lanes: &dyn Lanes,
    listing: &Listing,
    reached: u64,
) -> Result<Survey, OpenError> {
    let journal_dir = dir.join(JOURNAL_DIR);
    let read = |at: usize, sequences: &[u64], skipped: &[Range<u64>]| match sequences.get(at + 1) {
        Some(&limit) => replay::closed(disk, &journal_dir, sequences[at], limit, skipped),
        None => replay::newest(disk, &journal_dir, sequences[at], skipped),
    };
    let sequences = listing.journals();
    let journals = (0..sequences.len()).map(|at| read(at, &sequences, &[])).collect::<Result<Vec<_>, _>>()?;
    let ((expired, choice), is_late) = watch_late(|| {
        let candidates = listing.candidates(folder, lanes);
        let expired = expired(listing, &candidates, &journals);
        (expired, choose(candidates, &journals, expired))
    });
    if is_late {
        // Nobody knows what counts.
        return Err(failed("read", &dir.join(SEGMENTS_DIR), io::ErrorKind::TimedOut.into()));
    }
    let mut held: Vec<Range<u64>> = journals.iter().flat_map(JournalReplay::found).collect();
    held.extend(choice.segments.iter().map(|candidate| candidate.range()));
    held.push(0..expired);
    let mut steps = unfinished(listing, disk, &journal_dir);
    steps.extend(without_use(listing, &choice, &held));
    let orphan = |name: &String| RepairStep { folder: JOURNAL_DIR, name: name.clone(), fate: Fate::Orphan };
    steps.extend(listing.foreign.iter().map(orphan));
    let (mut kept, mut newest) = (Vec::new(), None);
    for ((at, journal), fate) in journals.into_iter().enumerate().zip(&choice.journals) {
        let journal = match fate {
            JournalFate::Goes(fate) => {
                let name = journal.view.journal.name.clone();
                steps.push(RepairStep { folder: JOURNAL_DIR, name, fate: *fate });
                continue;
            }
            JournalFate::Counts { skipped } if skipped.is_empty() => journal,
            JournalFate::Counts { skipped } => read(at, &sequences, skipped)?,
        };
        if at + 1 < sequences.len() { kept.push(journal) } else { newest = Some(journal) }
    }
    Ok(SurveyBuilder { listing, reached, expired, segments: choice.segments }.finish(kept, newest, steps))
}

/// The sequence before which all messages have expired. A manifest that claims more than the folder contains is from
/// elsewhere, and is not believed, unless the rest may be what cannot be read at the end of the file that it names: a
/// disk may lose what it failed to write even after a later sync, and a restart in between finds it in memory.
fn expired(listing: &Listing, candidates: &[Candidate], journals: &[JournalReplay]) -> u64 {
    let Some(ManifestExtent { first, next, newest, .. }) = listing.extent() else { return 0 };
    let mut named =
        candidates.iter().filter(|candidate| candidate.is_named).map(|candidate| candidate.placed);
    let has_all = named.all(|segment| listing.has_blocks(segment));
    let ends = candidates.iter().map(|candidate| candidate.range().end);
    let end = ends.chain(journals.iter().map(|journal| journal.end)).max().unwrap_or(0);
    let ends_unread = |journal: &JournalReplay| {
        journal.view.first_sequence == newest && (journal.tail.is_some() || !journal.view.damaged.is_empty())
    };
    let is_ours = next <= end || journals.last().is_some_and(ends_unread);
    if has_all && is_ours { first } else { 0 }
}

/// Files that never got their final names.
fn unfinished(listing: &Listing, disk: &dyn Disk, journal_dir: &Path) -> Vec<RepairStep> {
    let step = |folder, name: &String, fate| RepairStep { folder, name: name.clone(), fate };
    let fate = |name: &String| {
        // A file without its final name is never appended to.
        let bytes = || disk.open(&journal_dir.join(name)).and_then(|file| file.bytes());
        let is_header =
            orphans::is_unfinished(name) || bytes().is_ok_and(|bytes| bytes <= journal::HEADER_BYTES);
        if is_header { Fate::Redundant } else { Fate::Orphan }
    };
    let new = |name: &&String| name.ends_with(".new");
    let in_journal = listing.journal.iter().filter(new).map(|name| step(JOURNAL_DIR, name, fate(name)));
    // The unnamed files of a segment are removed only once the segment has its final name.
    let in_segments =
        listing.segments.iter().filter(new).map(|name| step(SEGMENTS_DIR, name, Fate::Redundant));
    in_journal.chain(in_segments).collect()
}

/// The files of segments that are not chosen, and indexes without a segment. An index is of little use without its
/// blocks, and can be rebuilt if its messages are in `held`.
fn without_use(listing: &Listing, choice: &Choice, held: &[Range<u64>]) -> Vec<RepairStep> {
    let mut steps = Vec::new();
    let mut add = |name: String, fate| {
        if listing.segments.contains(&name) {
            steps.push(RepairStep { folder: SEGMENTS_DIR, name, fate });
        }
    };
    for (id, fate) in &choice.dropped {
        add(id.blocks_name(), *fate);
        add(id.index_name(), *fate);
    }
    let known = choice.segments.iter().map(|candidate| candidate.placed.id);
    let known: BTreeSet<SegmentId> = known.chain(choice.dropped.iter().map(|(id, _)| *id)).collect();
    let indexes = listing.segments.iter().filter_map(|name| SegmentId::of_index_name(name));
    for id in indexes.filter(|id| !known.contains(id)) {
        let is_held = covers(&id.sequences(), held.to_vec());
        add(id.index_name(), if is_held { Fate::Redundant } else { Fate::Orphan });
    }
    steps
}

/// The chosen parts, before the view is made from them.
struct SurveyBuilder<'a> {
    listing: &'a Listing,
    reached: u64,
    expired: u64,
    segments: Vec<Candidate>,
}

impl SurveyBuilder<'_> {
    fn finish(
        self,
        mut kept: Vec<JournalReplay>,
        newest: Option<JournalReplay>,
        steps: Vec<RepairStep>,
    ) -> Survey {
        let kept_end = kept.iter().map(|journal| journal.end).max().unwrap_or(0);
        let has_parts = !kept.is_empty() || !self.segments.is_empty();
        let (newest, end) = self.end(newest, kept_end);
        for at in 0..kept.len() {
            let starts = kept[at + 1..].iter().chain(&newest).map(|journal| journal.view.first_sequence);
            let goes_on = self.goes_on_at(kept[at].end, starts, end.next_sequence);
            kept[at].goes_on_at(goes_on);
        }
        let has_parts = has_parts || newest.is_some();
        kept.extend(newest);
        let mut gaps = self.gaps(&kept, end.next_sequence);
        if end.newest_missing.is_some()
            && let Some(last) = gaps.last_mut().filter(|gap| gap.sequences.end == end.next_sequence)
        {
            last.known_end = Some(self.noted());
        }
        let damaged = self.damaged(has_parts, &end);
        let placed = self.segments.iter().map(|candidate| candidate.placed).collect();
        let missing = gaps.first().map(|gap| gap.sequences.start);
        let first = self.first_part(&kept).or(missing).unwrap_or(end.next_sequence);
        let first = self.listing.extent().map_or(first, |extent| extent.first.min(first));
        let newest = kept.last().map_or(0, |journal| journal.view.first_sequence);
        let newest = end.newest_missing.unwrap_or(newest);
        let expired = self.listing.extent().and_then(|extent| extent.expired);
        let extent = ManifestExtent { first, next: end.next_sequence, newest, expired };
        let manifest = Manifest { extent: Some(extent), identity: self.listing.identity, segments: placed };
        let (mut segments, mut lost) = (Vec::new(), Vec::new());
        for candidate in self.segments {
            match candidate.segment {
                Ok(segment) => segments.push(segment),
                Err(segment) => lost.push(segment),
            }
        }
        Survey {
            is_settled: self.listing.manifest().is_some_and(|written| *written == manifest),
            segments,
            lost,
            files: kept.into_iter().map(|journal| journal.view).collect(),
            gaps,
            damaged,
            end,
            manifest,
            steps,
            aside: self.listing.aside(),
        }
    }

    fn sealed_end(&self) -> u64 {
        self.segments.iter().map(|candidate| candidate.range().end).max().unwrap_or(0)
    }

    /// The sequence before which all messages were stored, according to the manifest or a note elsewhere.
    fn noted(&self) -> u64 {
        self.listing.extent().map_or(0, |extent| extent.next).max(self.reached)
    }

    /// The end of the journal, and of the logspace.
    fn end(&self, newest: Option<JournalReplay>, kept_end: u64) -> (Option<JournalReplay>, JournalEnd) {
        let extent = self.listing.extent();
        let noted = self.noted();
        let before = self.sealed_end().max(kept_end).max(self.expired);
        let last = self.segments.last().and_then(|candidate| candidate.segment.as_ref().ok());
        let sealed_hash = last.map_or([0; 32], |segment| segment.blocks.hash);
        let begins = newest.as_ref().map(|newest| newest.view.first_sequence);
        // A file to append to is made before the manifest names it.
        let missing = extent.filter(|extent| begins.is_none_or(|first| first < extent.newest));
        if let Some(ManifestExtent { newest: missing, .. }) = missing {
            let end = newest.as_ref().map_or(0, |newest| newest.end);
            // The number of its messages is unknown; at least one counts as missing.
            let next_sequence = noted.max(before.max(end).max(missing) + 1);
            let newest = newest.map(|mut newest| {
                newest.goes_on_at(self.goes_on_at(end, std::iter::once(missing), next_sequence));
                newest
            });
            return (
                newest,
                JournalEnd {
                    next_sequence,
                    hash: sealed_hash,
                    newest_missing: Some(missing),
                    ..JournalEnd::default()
                },
            );
        }
        let Some(mut newest) = newest else {
            let next_sequence = before.max(noted);
            return (None, JournalEnd { next_sequence, hash: sealed_hash, ..JournalEnd::default() });
        };
        let (is_sound, is_last) = (newest.header.is_some(), before <= newest.end);
        let hash = if is_last { newest.hash } else { sealed_hash };
        let lost = newest.tail.as_ref().filter(|tail| !tail.is_torn() || newest.end < noted);
        let is_lost = lost.is_some() || !is_sound && newest.view.messages == 0;
        if is_lost {
            // The file stays unchanged. The next file begins after all sequences that it may have contained, so the
            // gap shows the loss.
            let claimed = lost.map_or(0, |tail| tail.end);
            let next_sequence = (newest.end + 1).max(claimed).max(noted).max(before);
            newest.goes_on_at(next_sequence.min(self.next_segment(newest.end).unwrap_or(u64::MAX)));
            return (Some(newest), JournalEnd { next_sequence, hash, ..JournalEnd::default() });
        }
        let next_sequence = newest.end.max(noted).max(before);
        let is_open = is_sound && is_last && next_sequence == newest.end;
        let cut = newest.tail.take().map(|tail| tail.damage).filter(|_| is_open);
        (Some(newest), JournalEnd { next_sequence, hash, is_open, cut, newest_missing: None })
    }

    /// The sequence at which the messages continue after the end of a file; those in between are missing.
    fn goes_on_at(&self, end: u64, starts: impl Iterator<Item = u64>, next_sequence: u64) -> u64 {
        let is_covered =
            self.segments.iter().any(|candidate| candidate.range().contains(&end)) || end < self.expired;
        if is_covered {
            return end;
        }
        let next = starts.chain(self.next_segment(end)).filter(|start| end <= *start).min();
        next.unwrap_or(next_sequence)
    }

    fn next_segment(&self, end: u64) -> Option<u64> {
        let starts = self.segments.iter().map(|candidate| candidate.range().start);
        starts.filter(|start| end <= *start).min()
    }

    fn first_part(&self, files: &[JournalReplay]) -> Option<u64> {
        let segments = self.segments.iter().map(|candidate| candidate.range().start);
        segments.chain(files.iter().map(|journal| journal.view.first_sequence)).min()
    }

    /// The sequences that are in no part. Messages that are missing within a file are damage of that file.
    fn gaps(&self, files: &[JournalReplay], next_sequence: u64) -> Vec<Gap> {
        let segments = self.segments.iter().map(|candidate| {
            let id = candidate.placed.id;
            (id.sequences(), id.blocks_name())
        });
        let files = files.iter().map(|journal| (journal.accounted(), journal.view.journal.name.clone()));
        let mut parts: Vec<(Range<u64>, String)> = segments.chain(files).collect();
        parts.sort_by_key(|(range, _)| range.start);
        // If no part is left, it is unknown how many of the messages had expired.
        let (first, name) = parts.first().cloned().unwrap_or((0..0, JOURNAL_DIR.to_owned()));
        let start = self.listing.extent().map_or(first.start, |extent| extent.first);
        let (mut at, mut beside, mut gaps) = (start, name, Vec::new());
        for (range, name) in parts {
            if at < range.start {
                gaps.push(Gap { sequences: at..range.start, beside, known_end: None });
            }
            beside = name;
            at = at.max(range.end);
        }
        if at < next_sequence {
            gaps.push(Gap { sequences: at..next_sequence, beside, known_end: None });
        }
        gaps
    }

    fn damaged(&self, has_parts: bool, end: &JournalEnd) -> Vec<Damage> {
        let manifest =
            |why| Damage { file: manifest::NAME.to_owned(), offset: 0, bytes: 0, messages: None, why };
        let is_older = || {
            let is_unnamed = self.segments.iter().any(|candidate| !candidate.is_named);
            let here =
                |named: &PlacedSegment| self.segments.iter().any(|candidate| candidate.placed == *named);
            let is_gone = |manifest: &Manifest| {
                manifest.segments.iter().any(|named| !here(named) && !self.listing.has_blocks(*named))
            };
            is_unnamed || self.listing.manifest().is_some_and(is_gone)
        };
        let about_manifest = match &self.listing.manifest {
            Err(why) => Some(manifest((*why).into())),
            Ok(None) if !self.segments.is_empty() => Some(manifest(DamageReason::Missing)),
            Ok(_) if has_parts && is_older() => Some(manifest(DamageReason::OldManifest)),
            Ok(_) => None,
        };
        let newest = end.newest_missing.map(|_| Damage {
            file: JOURNAL_DIR.to_owned(),
            offset: 0,
            bytes: 0,
            messages: None,
            why: DamageReason::NewestMissing,
        });
        about_manifest.into_iter().chain(newest).collect()
    }
}
