//! Whatever happens to a file of a store, inspecting the store changes nothing, opening it destroys no intact data,
//! damage is reported, and no incomplete answer claims to be complete.
//!
//! Every file of three stores (stopped in order, killed, killed while sealing and joining) is lost, emptied, replaced
//! by an earlier version, cut, or changed by one bit; then the store is inspected, searched, and opened to store
//! messages. This is repeated with a note elsewhere of how far the messages reach, and with every kind of retention,
//! under which no intact message within the limits may be lost.
//!
//! Keywords: recovery, missing file, truncated file, older file.
use crate::common;

use common::{DIR, JOURNAL, Message, SEGMENTS, encoded, everything, filter, noise, open_all, read};
use logstead_answer::{Facets, Histogram, Width};
use logstead_indexer::{
    AnswerTarget, DamageReason, Disk, ExpiredParts, Expiry, OpenLogspace, Options, ReadOnlyLogspace,
    Recovery, Searcher, SimDisk, look_witnessed, open_witnessed,
};
use logstead_query::TimeRange;
use logstead_record::FieldName;
use logstead_record::Timestamp;
use logstead_work::{Alone, Pool, SearchContext};
use std::collections::{BTreeMap, BTreeSet};
use std::io::IoSlice;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

const OPTIONS: Options = Options {
    memory_max: 0,
    index_memory_max: 1 << 20,
    journal_file_max: 4000,
    journal_rows_max: u32::MAX,
    segment_rows_max: 60,
    join_bytes_max: 64 << 20,
    durability: logstead_indexer::Durability::Fsync,
};
/// The number of bits that are flipped in each file.
const FLIPS: usize = 20;

type Files = BTreeMap<PathBuf, Vec<u8>>;
type Stored = BTreeMap<u64, Message>;

fn files(disk: &SimDisk) -> Files {
    let list = |dir: &str| {
        let names = disk.list(Path::new(dir)).unwrap();
        names.into_iter().map(|name| Path::new(dir).join(name)).collect::<Vec<_>>()
    };
    let paths = [list(DIR), list(JOURNAL), list(SEGMENTS)].concat();
    paths.into_iter().map(|path| (path.clone(), read(disk, &path))).collect()
}

fn write(disk: &SimDisk, path: &Path, bytes: &[u8]) {
    disk.create(path).unwrap().append(&mut [IoSlice::new(bytes)]).unwrap();
}

/// A store, its contents, and an earlier version of its files.
struct Store {
    name: &'static str,
    disk: SimDisk,
    stored: Stored,
    earlier: Files,
    /// Whether the end of the messages is known, because the store was stopped in order or a note was kept elsewhere.
    is_end_known: bool,
    /// The end of the messages according to a note elsewhere.
    reached: u64,
}

struct Building {
    disk: SimDisk,
    opened: OpenLogspace,
    stored: Stored,
}

impl Building {
    fn new() -> Building {
        Building::on(SimDisk::new(0))
    }

    fn on(disk: SimDisk) -> Building {
        let opened = open_all(&disk, OPTIONS).unwrap();
        Building { disk, opened, stored: Stored::new() }
    }

    /// Commits some frames together.
    fn commit(&mut self, frames: usize) {
        let next = self.stored.len();
        let messages = (next..next + frames * 2).map(|number| {
            (number as i64, format!("message {number} {}", noise(number as u64, 40 + number % 5 * 30)))
        });
        let messages: Vec<Message> = messages.collect();
        let ready: Vec<_> = messages.chunks(2).map(encoded).collect();
        let sequences = self.opened.appender.append(&ready).unwrap();
        self.stored.extend(sequences.zip(messages));
    }

    fn roll(&mut self) {
        self.opened.appender.close_old(Timestamp::MAX).unwrap();
    }

    fn keep(&mut self, idle: bool) {
        while let Some(task) = self.opened.keeper.next_task(idle) {
            self.opened.keeper.run(&task, &|| false).unwrap();
        }
    }

    fn killed(self, name: &'static str, earlier: Files) -> Store {
        let Building { disk, stored, .. } = self;
        Store { name, disk, stored, earlier, is_end_known: false, reached: 0 }
    }

    fn closed(mut self, name: &'static str, earlier: Files) -> Store {
        self.opened.appender.close().unwrap();
        Store { is_end_known: true, ..self.killed(name, earlier) }
    }

    /// Makes this many segments, and a journal file with or without messages.
    fn segments(mut self, segments: usize, is_filled: bool) -> (Building, Files) {
        let mut earlier = Files::new();
        for _ in 0..segments {
            self.commit(3);
            self.roll();
            earlier = files(&self.disk);
            self.keep(false);
        }
        if is_filled {
            self.commit(2);
        }
        (self, earlier)
    }

    /// Makes a joined segment, another segment, a closed journal file and an open one.
    fn everything(mut self) -> (Building, Files, Files) {
        for _ in 0..4 {
            self.commit(3);
            self.roll();
        }
        self.keep(false);
        let parts = files(&self.disk);
        self.keep(true);
        self.commit(4);
        let earlier = files(&self.disk);
        self.commit(1);
        self.roll();
        let journal = files(&self.disk);
        self.keep(false);
        self.commit(5);
        self.roll();
        for frames in [2, 1, 3] {
            self.commit(frames);
        }
        let mut leftovers = parts;
        leftovers.extend(journal);
        (self, earlier, leftovers)
    }
}

/// The files of a store that was killed when everything to be removed had been replaced, but before it was removed.
fn interrupted() -> Store {
    let (built, earlier, leftovers) = Building::new().everything();
    let now = files(&built.disk);
    for (path, bytes) in leftovers {
        let is_part =
            path.extension().is_some_and(|end| end == "journal" || end == "blocks" || end == "index");
        if is_part && !now.contains_key(&path) {
            write(&built.disk, &path, &bytes);
        }
    }
    built.killed("interrupted", earlier)
}

fn stores() -> Vec<Store> {
    let (built, earlier, _) = Building::new().everything();
    let killed = built.killed("killed", earlier);
    let (built, earlier, _) = Building::new().everything();
    let closed = built.closed("closed", earlier);
    vec![closed, killed, interrupted()]
}

/// The same stores, with a note elsewhere of the end of their messages.
fn witnessed() -> Vec<Store> {
    let witness = |store: Store| Store { reached: store.stored.len() as u64, is_end_known: true, ..store };
    stores().into_iter().map(witness).collect()
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Change {
    Missing,
    Empty,
    Earlier,
    Cut(usize),
    Flip(usize),
}

fn changes(bytes: usize) -> Vec<Change> {
    let mut changes = vec![Change::Missing, Change::Empty, Change::Earlier];
    let cuts = [1, 40, 56, 57, 100, bytes / 4, bytes / 2, bytes * 3 / 4, bytes.saturating_sub(57), bytes - 1];
    let cuts: BTreeSet<usize> = cuts.into_iter().filter(|cut| *cut < bytes).collect();
    changes.extend(cuts.into_iter().map(Change::Cut));
    changes.extend((0..FLIPS).map(|flip| Change::Flip((bytes * 8 - 1) * flip / (FLIPS - 1))));
    changes
}

/// The changed disk, if the change makes a difference.
fn changed(store: &Store, path: &Path, change: Change) -> Option<SimDisk> {
    let disk = store.disk.after_kill();
    let mut bytes = read(&disk, path);
    match change {
        Change::Missing => {
            disk.remove(path).unwrap();
            return Some(disk);
        }
        Change::Empty => bytes.clear(),
        Change::Earlier => {
            let earlier = store.earlier.get(path).filter(|earlier| **earlier != bytes)?;
            bytes.clone_from(earlier);
        }
        Change::Cut(length) => bytes.truncate(length),
        Change::Flip(bit) => bytes[bit / 8] ^= 1 << (bit % 8),
    }
    write(&disk, path, &bytes);
    Some(disk)
}

/// The sequences in the file with this name; none for an index or a manifest.
fn sequences(path: &Path, all: &Files, end: u64) -> Range<u64> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let first = |name: &str| name.get(..20).and_then(|digits| digits.parse::<u64>().ok());
    let Some(start) = first(name) else { return 0..0 };
    if let Some(rows) = name.strip_suffix(".blocks").and_then(|name| name.split('-').nth(1)) {
        return start..start + rows.parse::<u64>().unwrap();
    }
    if !name.ends_with(".journal") {
        return 0..0;
    }
    let names = all.keys().filter_map(|path| path.file_name()?.to_str());
    let starts = names.filter(|name| !name.ends_with(".index")).filter_map(first);
    start..starts.filter(|other| start < *other).min().unwrap_or(end)
}

struct Case<'a> {
    store: &'a Store,
    path: &'a Path,
    change: Change,
    before: Files,
    /// The messages that were only in the changed file.
    endangered: BTreeSet<u64>,
}

impl Case<'_> {
    fn context(&self) -> String {
        let name = self.path.file_name().unwrap().display();
        format!("{} store, {name} {:?}", self.store.name, self.change)
    }

    fn is(&self, suffix: &str) -> bool {
        self.path.to_str().unwrap().ends_with(suffix)
    }

    fn is_newest(&self) -> bool {
        let journals = self.before.keys().map(PathBuf::as_path).chain([self.path]);
        self.is(".journal") && journals.filter(|path| path.starts_with(JOURNAL)).max() == Some(self.path)
    }

    /// Whether the change cannot be detected: after a kill, nothing shows that the newest file was once longer, or
    /// that the bytes after its last complete frame had been acknowledged.
    fn is_beyond_knowledge(&self) -> bool {
        self.is_newest()
            && !self.store.is_end_known
            && !matches!(self.change, Change::Missing | Change::Empty)
    }

    fn check_answers(&self, searcher: &Searcher, recovery: &Recovery) {
        let (found, coverage) = everything(searcher);
        let context = || format!("{}: {recovery:?} {coverage:?}", self.context());
        let found: Stored = found.into_iter().collect();
        for (sequence, message) in &self.store.stored {
            let is_there = found.get(sequence) == Some(message);
            assert!(is_there || self.endangered.contains(sequence), "{sequence} is gone: {}", context());
        }
        assert!(
            found.iter().all(|(sequence, message)| self.store.stored.get(sequence) == Some(message)),
            "{}",
            context()
        );
        let is_all = found.len() == self.store.stored.len();
        // Only messages at the end can be missing without being noticed.
        let is_beginning = found.keys().copied().eq(0..found.len() as u64);
        let is_excused = self.is_beyond_knowledge() && is_beginning;
        assert!(is_all || !coverage.complete || is_excused, "claims to be complete: {}", context());
        assert_eq!(coverage.complete, coverage.damaged.is_empty());
        let all = self.store.stored.len() as u64;
        let may_be_short = |complete: bool| !complete || self.is_beyond_knowledge();
        for query in ["message", "/essag/", "host=web-1"] {
            let counted = searcher.count(&filter(query), TimeRange::ALL, &SearchContext::alone());
            assert!(
                counted.count == all || may_be_short(counted.coverage.complete),
                "{query}: {}",
                context()
            );
        }
        let everything = &filter("*");
        let range = TimeRange { first: Timestamp::from_nanos(0), last: Timestamp::from_nanos(10_000) };
        let mut histogram = Histogram::new(range, Width::AtMost(10), None, 1 << 20).unwrap();
        let mut facets = Facets::new(vec![FieldName::new("host")], 10, 1 << 20);
        let asked = &mut [AnswerTarget::Histogram(&mut histogram), AnswerTarget::Facets(&mut facets)];
        let answered = searcher.answer("main", everything, range, &SearchContext::alone(), asked).unwrap();
        let by_time: u64 = histogram.finish().counts.iter().sum();
        let by_host: u64 = facets.finish()[0].values.iter().map(|(_, count)| count).sum();
        assert!(by_time == all && by_host == all || may_be_short(answered.complete), "{}", context());
    }

    /// Checks that all damage is reported by opening or by reading everything.
    fn check_named(&self, searcher: &Searcher, recovery: &Recovery) {
        let mut named: Vec<String> =
            recovery.notes().into_iter().filter(|told| told.is_damage).map(|told| told.text).collect();
        searcher.verify(&SearchContext::alone(), &mut |checked| {
            named.extend(checked.findings.iter().map(|finding| finding.what.clone()));
        });
        let is_redundant = self.endangered.is_empty() && (self.is(".blocks") || self.is(".journal"))
            || self.is(".index") && self.is_leftover();
        // If the journal file still exists, a kill before its segment is in the manifest leaves the same files.
        let is_as_killed =
            self.store.name == "interrupted" && self.is("manifest") && self.change == Change::Earlier;
        let is_excused = is_redundant || is_as_killed || self.is_beyond_knowledge();
        assert!(
            !named.is_empty() || recovery.cut.is_some() || is_excused,
            "{} is not named: {recovery:?}",
            self.context()
        );
    }

    /// Whether it is a file of a segment that was joined with others.
    fn is_leftover(&self) -> bool {
        let manifest = &self.store.disk;
        let stem = self.path.file_stem().unwrap().to_str().unwrap();
        let told = logstead_indexer::inspect(manifest, &Path::new(DIR).join("manifest")).unwrap();
        !told.iter().any(|line| line.starts_with(stem))
    }

    /// Checks that every file is unchanged or has another name, or that all its messages are in the store.
    fn check_files(&self, disk: &SimDisk, searcher: &Searcher) {
        let after = files(disk);
        let found: BTreeSet<u64> = everything(searcher).0.into_iter().map(|(sequence, _)| sequence).collect();
        let (all, end) = (files(&self.store.disk), self.store.stored.len() as u64);
        for (path, bytes) in &self.before {
            let name = path.file_name().unwrap().to_str().unwrap();
            let is_derived = name == "manifest" || name.ends_with(".index");
            if is_derived || after.get(path) == Some(bytes) {
                continue;
            }
            let kept = |suffix: &str| after.get(&path.with_file_name(format!("{name}.{suffix}")));
            let is_cut_and_kept = after
                .get(path)
                .zip(kept("cut"))
                .is_some_and(|(head, tail)| *bytes == [head.as_slice(), tail].concat());
            let is_elsewhere = sequences(path, &all, end).all(|sequence| found.contains(&sequence));
            assert!(
                kept("orphan") == Some(bytes) || is_cut_and_kept || is_elsewhere,
                "{name} is not what it was: {}",
                self.context()
            );
        }
    }

    fn check_opening(&self, disk: &SimDisk, looked: &Recovery) {
        let mut opened = self.store.open(disk);
        assert_eq!(opened.recovery.damaged, looked.damaged, "{}", self.context());
        assert_eq!(opened.recovery.cut, looked.cut, "{}", self.context());
        self.check_answers(&opened.searcher, &opened.recovery);
        self.check_named(&opened.searcher, &opened.recovery);
        self.check_files(disk, &opened.searcher);
        let known: BTreeMap<u64, Message> = everything(&opened.searcher).0.into_iter().collect();
        let later = (1_000_000, "later".to_owned());
        let sequences = opened.appender.append(&[encoded([&later])]).unwrap();
        assert!(known.keys().all(|known| *known < sequences.start), "{}", self.context());
        // A loss is reported again by later inspections.
        let ReadOnlyLogspace { searcher, recovery } = self.store.look_at(disk);
        let (found, coverage) = everything(&searcher);
        assert_eq!(found.len(), known.len() + 1, "{}: {recovery:?}", self.context());
        let is_all = known.len() == self.store.stored.len();
        assert!(
            is_all || !coverage.complete || self.is_beyond_knowledge(),
            "{}: {recovery:?}",
            self.context()
        );
    }
}

impl Store {
    fn look_at(&self, disk: &SimDisk) -> ReadOnlyLogspace {
        // Inspecting works in parallel and opening sequentially, and both must find the same.
        static LANES: LazyLock<Pool> = LazyLock::new(|| Pool::new(2));
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        look_witnessed(&disk, Path::new(DIR), self.reached, &*LANES).unwrap()
    }

    fn open(&self, disk: &SimDisk) -> OpenLogspace {
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        open_witnessed(&disk, Path::new(DIR), OPTIONS, self.reached, &Alone).unwrap()
    }

    /// The messages that are only in this file.
    fn held_alone(&self, path: &Path, all: &Files) -> BTreeSet<u64> {
        let end = self.stored.len() as u64;
        let others = all.keys().filter(|other| *other != path);
        let others: BTreeSet<u64> = others.flat_map(|other| sequences(other, all, end)).collect();
        sequences(path, all, end).filter(|sequence| !others.contains(sequence)).collect()
    }

    /// The messages that a retention keeps as long as nothing is damaged. The time of receipt of each message is its
    /// sequence.
    fn retained(&self, expiry: &Expiry) -> BTreeSet<u64> {
        let (all, end) = (files(&self.disk), self.stored.len() as u64);
        let mut parts: BTreeMap<u64, (Range<u64>, u64)> = BTreeMap::new();
        for (path, bytes) in &all {
            let stem = path.file_name().unwrap().to_str().unwrap().get(..20);
            let Some(first) = stem.and_then(|digits| digits.parse().ok()) else { continue };
            let (held, length) = parts.entry(first).or_insert((first..first, 0));
            held.end = held.end.max(sequences(path, &all, end).end);
            *length += bytes.len() as u64;
        }
        let mut retained = BTreeSet::new();
        let mut length = 0;
        for (held, bytes) in parts.values().rev() {
            length += bytes;
            // What has been joined into a larger part expires with that one.
            let is_joined =
                parts.values().any(|(other, _)| other.start < held.start && held.end <= other.end);
            // Files made meanwhile take some space as well.
            if !is_joined && expiry.bytes_max.is_none_or(|max| length + 200 <= max) {
                retained.extend(held.clone());
            }
        }
        let before = expiry.received_before.map_or(i64::MIN, Timestamp::nanos);
        retained.retain(|sequence| before <= *sequence as i64);
        retained
    }

    /// Retentions by age, by size and by both, some of which are not exceeded.
    fn retentions(&self) -> Vec<Expiry> {
        let end = self.stored.len() as i64;
        let bytes: u64 = files(&self.disk).values().map(|bytes| bytes.len() as u64).sum();
        let ages = [None, Some(0), Some(end / 2), Some(end)];
        let sizes = [None, Some(u64::MAX), Some(bytes / 2), Some(0)];
        let both = ages.into_iter().flat_map(|age| sizes.map(|size| (age, size)));
        let expiry = |(age, bytes_max): (Option<i64>, _)| Expiry {
            received_before: age.map(Timestamp::from_nanos),
            bytes_max,
            ..Expiry::default()
        };
        both.skip(1).map(expiry).collect()
    }
}

/// Checks all changes of a store; returns the number of combinations of a change and a way to open.
fn check_store(store: &Store) -> usize {
    let all = files(&store.disk);
    let mut combinations = 0;
    for (path, bytes) in &all {
        let held = store.held_alone(path, &all);
        for change in changes(bytes.len()) {
            let Some(disk) = changed(store, path, change) else { continue };
            let case = Case { store, path, change, before: files(&disk), endangered: held.clone() };
            let looked = store.look_at(&disk);
            case.check_named(&looked.searcher, &looked.recovery);
            case.check_answers(&looked.searcher, &looked.recovery);
            assert_eq!(files(&disk), case.before, "looking changed something: {}", case.context());
            case.check_opening(&disk, &looked.recovery);
            combinations += 3;
        }
    }
    combinations
}

#[test]
fn whatever_became_of_a_file_opening_harms_nothing_and_no_answer_claims_too_much() {
    let combinations: usize = stores().iter().map(check_store).sum();
    assert!(500 <= combinations, "{combinations}");
}

#[test]
fn where_the_end_is_known_elsewhere_no_answer_claims_too_much_without_it() {
    let combinations: usize = witnessed().iter().map(check_store).sum();
    assert!(500 <= combinations, "{combinations}");
}

/// Fewer cuts and flips than [`changes`], because each is combined with many retentions.
fn some_changes(bytes: usize) -> Vec<Change> {
    let cuts = [0, 56, bytes / 2, bytes.saturating_sub(1)].map(Change::Cut);
    let flips = [100, bytes * 4, bytes * 8 - 100].map(Change::Flip);
    let in_file = |change: &Change| match change {
        Change::Cut(length) => *length < bytes,
        Change::Flip(bit) => *bit < bytes * 8,
        Change::Missing | Change::Empty | Change::Earlier => true,
    };
    let whole = [Change::Missing, Change::Empty, Change::Earlier];
    whole.into_iter().chain(cuts).chain(flips).filter(in_file).collect()
}

/// Checks that no message in intact files is lost by a retention that it does not exceed, immediately and after
/// another start.
fn check_retentions(store: &Store) {
    let all = files(&store.disk);
    let retained: Vec<_> =
        store.retentions().into_iter().map(|expiry| (expiry, store.retained(&expiry))).collect();
    for (path, bytes) in &all {
        let endangered = store.held_alone(path, &all);
        for (change, (expiry, retained)) in
            some_changes(bytes.len()).iter().flat_map(|change| retained.iter().map(move |of| (*change, of)))
        {
            let Some(disk) = changed(store, path, change) else { continue };
            let context = || format!("{} store, {} {change:?}, {expiry:?}", store.name, path.display());
            for _ in 0..2 {
                let mut opened = store.open(&disk);
                let newest =
                    opened.recovery.damaged.iter().any(|damage| damage.why == DamageReason::NewestMissing);
                let expired = opened.appender.expire(expiry).unwrap();
                assert!(!newest || expired == ExpiredParts::default(), "something expired: {}", context());
                let found: BTreeMap<u64, Message> = everything(&opened.searcher).0.into_iter().collect();
                for sequence in retained.difference(&endangered) {
                    let is_there = found.get(sequence) == store.stored.get(sequence);
                    assert!(is_there, "{sequence} is gone: {}: {:?}", context(), opened.recovery);
                }
            }
        }
    }
}

#[test]
fn no_start_with_a_retention_removes_what_is_whole_and_not_beyond_it() {
    for (segments, is_filled) in [(1, false), (1, true), (2, false), (2, true), (8, false)] {
        let build = || Building::new().segments(segments, is_filled);
        let (built, earlier) = build();
        check_retentions(&built.killed("killed", earlier));
        let (built, earlier) = build();
        check_retentions(&built.closed("closed", earlier));
    }
    stores().iter().for_each(check_retentions);
}

#[test]
fn whole_stores_are_complete_and_nothing_is_wrong_with_them() {
    for store in stores() {
        let before = files(&store.disk);
        let ReadOnlyLogspace { searcher, recovery } = store.look_at(&store.disk);
        let told = recovery.notes();
        assert!(told.iter().all(|told| !told.is_damage), "{}: {told:?}", store.name);
        let opened = open_all(&store.disk, OPTIONS).unwrap();
        for searcher in [searcher, opened.searcher] {
            let (found, coverage) = everything(&searcher);
            assert!(found.into_iter().eq(store.stored.clone()) && coverage.complete, "{}", store.name);
            searcher.verify(&SearchContext::alone(), &mut |checked| {
                assert_eq!(checked.findings, [], "{}", store.name)
            });
        }
        let leftovers = before.len() - files(&store.disk).len();
        assert_eq!(
            leftovers,
            opened.recovery.removed.len() + if store.name == "interrupted" { 4 } else { 0 }
        );
    }
}

/// The damage reported by inspecting a store.
fn told(store: &Store, disk: &SimDisk) -> Vec<String> {
    let ReadOnlyLogspace { searcher, recovery } = store.look_at(disk);
    let mut told: Vec<String> =
        recovery.notes().into_iter().filter(|told| told.is_damage).map(|told| told.text).collect();
    searcher.verify(&SearchContext::alone(), &mut |checked| {
        told.extend(checked.findings.iter().map(|finding| finding.what.clone()));
    });
    told
}

/// The newest journal file may have contained more messages than any note says.
#[test]
fn without_the_newest_journal_file_no_more_is_said_than_is_known() {
    let (built, _) = Building::new().segments(1, true);
    let sealed = 6;
    let Store { disk, stored, .. } = built.killed("killed", Files::new());
    assert_eq!(stored.len(), sealed + 4);
    let newest = files(&disk).into_keys().rfind(|path| path.starts_with(JOURNAL)).unwrap();
    disk.remove(&newest).unwrap();
    for (reached, expected) in [
        (0, "messages from the sequence 6 on may be missing"),
        (6, "messages from the sequence 6 on may be missing"),
        (7, "the messages with the sequences 6 to 6 are missing"),
        (9, "the messages with the sequences 6 to 8 are missing"),
    ] {
        let store = Store {
            name: "cut",
            disk: disk.after_kill(),
            stored: stored.clone(),
            earlier: Files::new(),
            is_end_known: false,
            reached,
        };
        let told = told(&store, &store.disk).join("\n");
        assert!(told.contains(expected) && told.contains("is not known"), "{reached}: {told}");
        assert!(!told.contains("messages)") && !told.contains("message)"), "nobody counted them: {told}");
        assert!(!everything(&store.open(&store.disk).searcher).1.complete);
    }
}

/// The files of an equal store with another identity.
fn another() -> Files {
    let (built, ..) = Building::on(SimDisk::new(1)).everything();
    files(&built.disk)
}

#[test]
fn a_journal_file_of_another_logspace_is_named_set_aside_and_not_shown() {
    for store in stores().into_iter().filter(|store| store.name != "interrupted") {
        let all = files(&store.disk);
        for (path, bytes) in another().iter().filter(|(path, _)| path.starts_with(JOURNAL)) {
            let disk = store.disk.after_kill();
            write(&disk, path, bytes);
            let name = path.file_name().unwrap().to_str().unwrap();
            let told = told(&store, &disk);
            assert!(
                told.iter().any(|text| text.contains(name) && text.contains("not part of the logspace")),
                "{told:?}"
            );
            let opened = store.open(&disk);
            let (found, coverage) = everything(&opened.searcher);
            let found: BTreeSet<u64> = found.into_iter().map(|(sequence, _)| sequence).collect();
            let others: BTreeSet<u64> = store.stored.keys().copied().collect();
            assert_eq!(found, others.difference(&store.held_alone(path, &all)).copied().collect());
            assert!(!coverage.complete, "{name}: {coverage:?}");
            assert!(read(&disk, &path.with_file_name(format!("{name}.orphan"))) == *bytes);
        }
    }
}

#[test]
fn the_manifest_of_another_logspace_costs_no_message_and_is_kept() {
    let path = Path::new(DIR).join("manifest");
    let foreign = another().remove(&path).unwrap();
    for store in stores() {
        let disk = store.disk.after_kill();
        write(&disk, &path, &foreign);
        let told = told(&store, &disk);
        assert!(told.iter().any(|text| text.contains("manifest: it belongs to another")), "{told:?}");
        let opened = store.open(&disk);
        let found = everything(&opened.searcher).0;
        assert!(found.into_iter().eq(store.stored.clone()), "{} store: {:?}", store.name, opened.recovery);
        let kept = opened.recovery.manifest_kept.unwrap();
        assert!(read(&disk, &path.with_file_name(kept)) == foreign);
        assert!(store.open(&disk).recovery.damaged.is_empty(), "it was written anew");
    }
}

#[test]
fn bytes_that_were_added_to_any_journal_file_are_named() {
    for store in stores().into_iter().filter(|store| store.name != "interrupted") {
        assert_eq!(told(&store, &store.disk), Vec::<String>::new());
        let all = files(&store.disk);
        let journals: Vec<&PathBuf> = all.keys().filter(|path| path.starts_with(JOURNAL)).collect();
        assert!(1 < journals.len());
        for path in journals {
            for added in [&b"x"[..], &[0; 300], &all[path][80..]] {
                let disk = store.disk.after_kill();
                disk.open(path).unwrap().append(&mut [IoSlice::new(added)]).unwrap();
                let is_cut = store.look_at(&disk).recovery.cut.is_some();
                let told = told(&store, &disk);
                assert!(is_cut || !told.is_empty(), "{}: {} bytes", path.display(), added.len());
                let (found, _) = everything(&store.open(&disk).searcher);
                assert!(found.into_iter().eq(store.stored.clone()), "{}", path.display());
            }
        }
    }
}

#[test]
fn a_newest_file_that_is_missing_is_missed_also_after_segments_were_made_without_it() {
    let (mut built, earlier) = Building::new().segments(2, true);
    for _ in 0..2 {
        built.roll();
        built.commit(2);
    }
    let store = built.killed("killed", earlier);
    let disk = store.disk.after_kill();
    let newest = files(&disk).into_keys().filter(|path| path.starts_with(JOURNAL)).max().unwrap();
    disk.remove(&newest).unwrap();
    let opened = store.open(&disk);
    let mut made = 0;
    while let Some(task) = opened.keeper.next_task(false) {
        opened.keeper.run(&task, &|| false).unwrap();
        made += 1;
    }
    assert!(0 < made, "a manifest is written");
    drop(opened);
    let mut opened = store.open(&disk.after_kill());
    let is_missed =
        |recovery: &Recovery| recovery.damaged.iter().any(|damage| damage.why == DamageReason::NewestMissing);
    assert!(is_missed(&opened.recovery), "{:?}", opened.recovery);
    let all = Expiry { bytes_max: Some(0), ..Expiry::default() };
    assert_eq!(opened.appender.expire(&all).unwrap(), ExpiredParts::default());
}

#[test]
fn where_no_file_is_left_sequences_go_on_behind_what_is_known_elsewhere() {
    let store = &witnessed()[0];
    let mut opened = store.open(&SimDisk::new(2));
    let later = (1_000_000, "later".to_owned());
    let sequences = opened.appender.append(&[encoded([&later])]).unwrap();
    assert!(store.reached <= sequences.start, "{sequences:?}");
}
