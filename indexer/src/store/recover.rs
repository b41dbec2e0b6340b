//! Reads the contents of a logspace, either to store messages in it or only to inspect it.
//!
//! In both cases the contents are the same ([`survey`]). Inspecting changes nothing, needs no lock, and works while a
//! server has the logspace open, and on read-only media. Opening prepares for the next append: it cuts off an
//! incomplete append, removes files whose contents are complete elsewhere, and sets aside files that are not part of
//! the logspace.
//!
//! **Invariant:** nothing readable is removed unless its messages were read elsewhere. Only the newest journal file is
//! ever cut, behind its last whole frame, where one interrupted append can have left the rest, and the cut is kept.
//! Damaged parts stay in place, and are reported.

use crate::disk::{Disk, ReadOnly};
use crate::journal::JournalFile;
use crate::journal::frame::Hash;
use crate::segment::Folder;
use crate::store::choose::Fate;
use crate::store::damage::Damage;
use crate::store::keep::Keeper;
use crate::store::manifest::{self, Manifest};
use crate::store::options::Options;
use crate::store::orphans;
use crate::store::readers;
use crate::store::retention::expired_until;
use crate::store::survey::{Listing, RepairStep, Survey, survey};
use crate::store::unopened::{LOOKS_MAX, OpenError, failed};
use crate::store::view::View;
use crate::store::{JOURNAL_DIR, SEGMENTS_DIR};
use logstead_work::Lanes;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The report of opening a logspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// The number of sealed segments.
    pub segments: usize,
    /// The number of their messages.
    pub sealed_messages: u64,
    /// The number of journal files.
    pub files: usize,
    /// The number of batches in them.
    pub batches: u64,
    /// The number of their messages.
    pub messages: u64,
    /// The incomplete append that was cut off at the end.
    pub cut: Option<Damage>,
    /// The name under which the cut was kept.
    pub cut_kept: Option<String>,
    /// The parts that are and remain unreadable or missing.
    pub damaged: Vec<Damage>,
    /// The number of damaged parts, at the beginning of the list, that are not files of messages.
    pub damaged_beside_parts: usize,
    /// Files that are not part of the logspace and may contain messages, under the names that they got when they were
    /// set aside.
    pub orphans: Vec<String>,
    /// The name under which a manifest was kept that is unreadable or from elsewhere.
    pub manifest_kept: Option<String>,
    /// The parts that were ever cut off and kept.
    pub cuts: Vec<String>,
    /// Files that were removed because all their messages could be read elsewhere.
    pub removed: Vec<String>,
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryNote {
    /// Whether messages are missing or may be missing.
    pub is_damage: bool,
    /// The finding as a line of text.
    pub text: String,
}

impl Recovery {
    /// The notes for the owner of the logspace.
    pub fn notes(&self) -> Vec<RecoveryNote> {
        self.notes_of(&self.damaged)
    }

    /// The same notes, without the damage that verifying finds.
    pub fn notes_beside_parts(&self) -> Vec<RecoveryNote> {
        self.notes_of(&self.damaged[..self.damaged_beside_parts])
    }

    fn notes_of(&self, damaged: &[Damage]) -> Vec<RecoveryNote> {
        let damage = |text| RecoveryNote { is_damage: true, text };
        let note = |text| RecoveryNote { is_damage: false, text };
        let mut notes: Vec<RecoveryNote> =
            damaged.iter().map(|part| damage(format!("damaged: {part}"))).collect();
        notes.extend(self.orphans.iter().map(|name| {
            damage(format!(
                "{name} is not part of the logspace, and parts of it exist nowhere else: look at it with `logstead \
                 inspect`, and remove it when it is not needed"
            ))
        }));
        notes.extend(self.manifest_kept.iter().map(|kept| {
            note(format!(
                "the manifest was rebuilt from the files that are there, and the old one is kept as {kept}"
            ))
        }));
        notes.extend(self.cut.iter().map(|cut| match &self.cut_kept {
            Some(kept) => note(format!(
                "the last write was not finished: its part was cut off and is kept as {kept}: {cut}"
            )),
            None => note(format!("the last write was not finished: {cut}")),
        }));
        let older = self.cuts.iter().filter(|name| self.cut_kept.as_ref() != Some(name));
        notes.extend(older.map(|name| {
            note(format!(
                "{name} is the part that was cut off after an unfinished write: remove it when it is not needed"
            ))
        }));
        notes.extend(
            self.removed
                .iter()
                .map(|name| note(format!("removed {name}, because all of it is stored elsewhere"))),
        );
        notes
    }
}

/// The parts needed to open a logspace. Opening it also opens it for its keeper and its searchers.
#[derive(Clone)]
pub(crate) struct LogspaceFiles {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) dir: PathBuf,
    pub(crate) options: Options,
    /// According to others, all messages before this sequence were stored.
    pub(crate) reached: u64,
    pub(crate) keeper: Keeper,
}

/// The point at which appending continues.
pub(crate) struct AppendPoint {
    pub(crate) open: Option<OpenFile>,
    pub(crate) next_sequence: u64,
    pub(crate) hash: Hash,
}

/// Inspects a logspace at one moment, without changing anything.
pub(crate) fn look(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    reached: u64,
    lanes: &dyn Lanes,
) -> Result<(View, Recovery), OpenError> {
    let disk: Arc<dyn Disk> = Arc::new(ReadOnly(Arc::clone(disk)));
    let folder =
        Folder::of_another(Arc::clone(&disk), &dir.join(SEGMENTS_DIR), Options::default().index_memory_max);
    let mut last = OpenError::Busy { dir: dir.to_owned() };
    for _ in 0..LOOKS_MAX {
        let listing = Listing::read(&*disk, dir)?;
        let found = survey(&*disk, dir, &folder, lanes, &listing, reached);
        // Files that are missing because they were sealed, joined or expired meanwhile are not damaged.
        if !listing.is_as(&Listing::read(&*disk, dir)?) {
            continue;
        }
        match found {
            Ok(survey) => return Ok(looked(survey)),
            // A failed append was cut off while the file was read.
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn looked(mut survey: Survey) -> (View, Recovery) {
    let recovery = Recovery {
        orphans: names(survey.steps.iter().filter(|step| step.fate == Fate::Orphan)),
        ..recovery(&survey)
    };
    (view(&mut survey).0, recovery)
}

/// Prepares a logspace for the next append.
pub(crate) fn recover(
    place: &LogspaceFiles,
    lanes: &dyn Lanes,
) -> Result<(AppendPoint, Recovery), OpenError> {
    let LogspaceFiles { disk, dir, options, reached, keeper } = place;
    let (segments_dir, journal_dir) = (dir.join(SEGMENTS_DIR), dir.join(JOURNAL_DIR));
    prepare(&**disk, dir, [&segments_dir, &journal_dir])?;
    let listing = Listing::read(&**disk, dir)?;
    let mut survey = survey(&**disk, dir, keeper.folder(), lanes, &listing, *reached)?;
    let mut recovery = recovery(&survey);
    if listing.has_useless_manifest() {
        let kept = orphans::set_aside(&**disk, dir, manifest::NAME);
        let kept = kept.map_err(|source| failed("set aside", &dir.join(manifest::NAME), source))?;
        recovery.manifest_kept = Some(kept);
    }
    if survey.manifest.identity.is_none() {
        let new = disk.new_identity().map_err(|source| failed("generate an identity for", dir, source))?;
        survey.manifest.identity = Some(new);
    }
    carry_out(&**disk, dir, &survey.steps, &mut recovery)?;
    make_ready(&**disk, &journal_dir, &mut survey, &mut recovery)?;
    let (mut view, open) = view(&mut survey);
    view.evict(options.memory_max);
    let readers = readers::find(disk, dir, &view)?;
    let has_parts = !view.files.is_empty() || view.segment_ids().next().is_some();
    let end = AppendPoint { open, next_sequence: view.next_sequence, hash: survey.end.hash };
    keeper.begin(view, survey.manifest, survey.is_settled, readers);
    if has_parts {
        // If the disk is full, this is done later.
        keeper.settle().ok();
    }
    Ok((end, recovery))
}

/// Makes missing folders, and completes the work of a process that was killed.
fn prepare(disk: &dyn Disk, dir: &Path, folders: [&Path; 2]) -> Result<(), OpenError> {
    for folder in folders {
        disk.create_dir_all(folder).map_err(|source| failed("create", folder, source))?;
    }
    // The process may have named a journal file or replaced the manifest without syncing the folder. Files that have
    // become redundant by this are removed below, so it must be durable.
    let [_, journal_dir] = folders;
    for folder in [dir, journal_dir] {
        disk.sync_dir(folder).map_err(|source| failed("sync", folder, source))?;
    }
    let unfinished = Manifest::remove_unfinished(disk, dir);
    unfinished.map_err(|source| failed("remove the unfinished copy of", &dir.join(manifest::NAME), source))
}

fn recovery(survey: &Survey) -> Recovery {
    let (cuts, orphans) = survey.aside.iter().cloned().partition(|name| orphans::is_cut(name));
    let in_files = survey.files.iter().flat_map(|file| file.damaged.iter().cloned());
    let in_segments = survey.lost.iter().map(|lost| lost.damage.clone());
    let segments = survey.manifest.segments.iter();
    let gaps = survey.gaps.iter().map(crate::store::view::Gap::damage);
    Recovery {
        segments: segments.len(),
        sealed_messages: segments.map(|segment| u64::from(segment.id.rows)).sum(),
        files: survey.files.len(),
        batches: survey.files.iter().map(|file| file.batches).sum(),
        messages: survey.files.iter().map(|file| file.messages).sum(),
        cut: survey.end.cut.clone(),
        cut_kept: None,
        damaged: survey.damaged.iter().cloned().chain(in_segments).chain(in_files).chain(gaps).collect(),
        damaged_beside_parts: survey.damaged.len(),
        orphans,
        manifest_kept: None,
        cuts,
        removed: Vec::new(),
    }
}

fn names<'a>(steps: impl Iterator<Item = &'a RepairStep>) -> Vec<String> {
    steps.map(|step| format!("{}/{}", step.folder, step.name)).collect()
}

/// Removes files whose contents are complete elsewhere, and sets aside files that are not part of the logspace.
fn carry_out(
    disk: &dyn Disk,
    dir: &Path,
    steps: &[RepairStep],
    recovery: &mut Recovery,
) -> Result<(), OpenError> {
    for RepairStep { folder, name, fate } in steps {
        let dir = dir.join(folder);
        match fate {
            Fate::Redundant => {
                disk.remove(&dir.join(name)).map_err(|source| failed("remove", &dir.join(name), source))?;
                let is_part = !name.ends_with(".new") && !name.ends_with(".index");
                recovery.removed.extend(is_part.then(|| format!("{folder}/{name}")));
            }
            Fate::Orphan => {
                let renamed = orphans::set_aside(disk, &dir, name);
                let renamed = renamed.map_err(|source| failed("set aside", &dir.join(name), source))?;
                recovery.orphans.push(format!("{folder}/{renamed}"));
            }
        }
    }
    let changed =
        [JOURNAL_DIR, SEGMENTS_DIR].map(|folder| (folder, steps.iter().any(|step| step.folder == folder)));
    for (folder, _) in changed.into_iter().filter(|(_, is_changed)| *is_changed) {
        disk.sync_dir(&dir.join(folder)).map_err(|source| failed("sync", &dir.join(folder), source))?;
    }
    Ok(())
}

/// Prepares the newest journal file for the next append.
fn make_ready(
    disk: &dyn Disk,
    journal_dir: &Path,
    survey: &mut Survey,
    recovery: &mut Recovery,
) -> Result<(), OpenError> {
    let Some(newest) = survey.files.last_mut() else { return Ok(()) };
    let journal = Arc::clone(&newest.journal);
    let path = journal_dir.join(&journal.name);
    if let Some(cut) = &survey.end.cut {
        let kept = orphans::cut(disk, journal_dir, &journal.name, &*journal.file, cut.offset);
        match kept {
            Ok(Some(kept)) => {
                newest.bytes = cut.offset;
                recovery.cut_kept = Some(format!("{JOURNAL_DIR}/{kept}"));
            }
            // If the part cannot be kept, it is not cut off, and a new file is begun.
            Ok(None) => survey.end.is_open = false,
            Err(error) if error.kind() == io::ErrorKind::StorageFull => survey.end.is_open = false,
            Err(source) => return Err(failed("keep the part cut off from", &path, source)),
        }
    }
    // Messages that can be found from now on must not be lost in a power cut.
    journal.file.sync().map_err(|source| failed("sync", &path, source))
}

/// The journal file that is appended to, and its length.
pub(crate) struct OpenFile {
    pub(crate) journal: Arc<JournalFile>,
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
}

/// The view for searches, and the file for appending.
fn view(survey: &mut Survey) -> (View, Option<OpenFile>) {
    let files: Vec<_> = std::mem::take(&mut survey.files).into_iter().map(Arc::new).collect();
    let newest = files.last().filter(|_| survey.end.is_open);
    let open = newest.map(|newest| OpenFile {
        journal: Arc::clone(&newest.journal),
        bytes: newest.bytes,
        rows: newest.messages,
    });
    let segments = std::mem::take(&mut survey.segments).into_iter().map(Arc::new).collect();
    let (lost, gaps) = (std::mem::take(&mut survey.lost), std::mem::take(&mut survey.gaps));
    let (next_sequence, newest_missing) = (survey.end.next_sequence, survey.end.newest_missing);
    let identity = survey.manifest.identity.unwrap_or_default();
    let mut view = View {
        segments,
        lost,
        files,
        gaps,
        next_sequence,
        newest_missing,
        identity,
        closed: None,
        expired: None,
    };
    view.expired = expired_until(survey.manifest.extent.unwrap_or_default(), &view);
    (view, open)
}
