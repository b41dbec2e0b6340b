//! Divides the memory of the process among its parts, according to the settings and the [limit](super::limit). No
//! I/O.
//!
//! **Invariant:** shares that no setting names are together never more than the whole.

use super::limit::{self, LimitOrigin, MemoryLimit};
use logstead_config::settings::{Settings, StorageSettings};
use logstead_config::{CountOrAuto, Size};

/// The memory that is divided if neither a setting nor the machine states an amount.
const UNKNOWN_BYTES: u64 = 1 << 30;
/// A process without a limit shares the machine with others: it divides the machine's memory by this number, and uses
/// one part.
const OF_MACHINE: u64 = 2;
/// The memory that the process takes before it does anything: threads, tables, the database.
const BASE_BYTES: u64 = 24 << 20;
/// The number of parts into which the rest is divided.
const PARTS: u64 = 32;
const TAIL_PARTS: u64 = 3;
const INDEX_PARTS: u64 = 4;
const QUEUES_PARTS: u64 = 2;
const FORWARD_PARTS: u64 = 1;
const BODIES_PARTS: u64 = 3;
const SEALING_PARTS: u64 = 8;
const QUESTIONS_PARTS: u64 = 8;
/// The maximum of each share: a process with more memory has no use for it there.
const TAIL_BYTES_MAX: u64 = 512 << 20;
const INDEX_BYTES_MAX: u64 = 4 << 30;
const ANSWER_BYTES_MAX: u64 = 256 << 20;
const SOURCE_QUEUE_BYTES_MAX: u64 = 64 << 20;
const BODIES_BYTES_MAX: u64 = 512 << 20;
/// The default memory of a destination's queue.
const FORWARD_BYTES: u64 = 16 << 20;
const JOIN_BYTES_MAX: u64 = 64 << 20;
/// The minimum of a share.
const SHARE_BYTES_MIN: u64 = 1 << 20;
/// The memory of a thread that seals a journal file of the usual length.
const SEALER_BYTES: u64 = 48 << 20;
/// The memory of a thread that looks through messages for a question: a group of texts, and the batches made from it.
const LOOKER_BYTES: u64 = 16 << 20;
/// The number of answers that may have their full size at the same time: few have it, and if more do, the latest is
/// ended.
const ANSWERS: u64 = 2;
/// The memory of a thread that parses, routes and compresses.
const WORKER_BYTES: u64 = 8 << 20;

/// The division of the process's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares {
    /// The memory that is divided.
    pub bytes: u64,
    /// The origin of that figure.
    pub origin: String,
    /// The newest messages of all logspaces.
    pub tail: usize,
    /// The cache for the segments of all logspaces.
    pub index: usize,
    /// The limit on messages that all sources together received and have not stored; each source has an equal part.
    pub queues: usize,
    /// The limit of one source.
    pub(crate) source_queue: usize,
    /// The memory of one destination's queue.
    pub forward: usize,
    /// Bodies of requests, and the messages parsed from them.
    pub bodies: usize,
    /// Segments that are being made.
    pub sealing: usize,
    /// The groups and values of one answer.
    pub answer: usize,
    /// Messages that one question holds at once.
    pub held: usize,
    /// Threads that parse, route and compress.
    pub workers: usize,
    /// Threads that make segments.
    pub sealers: usize,
    /// Additional threads that look through messages, besides the one that each question begins on.
    pub lanes: usize,
    /// Questions that may run at the same time.
    pub searches: usize,
    /// Exports that may run at the same time.
    pub exports: usize,
    /// Warnings for the operator.
    pub warnings: Vec<String>,
}

impl Shares {
    /// Divides the memory that this process may use.
    pub fn of_process(settings: &Settings) -> Shares {
        Shares::of(settings, &limit::of_process(), crate::machine::cores())
    }

    /// Divides the memory that the process may use, on a machine with this many cores.
    pub fn of(settings: &Settings, limit: &MemoryLimit, cores: usize) -> Shares {
        let (bytes, origin) = whole(settings, limit);
        let parts = |parts: u64| bytes.saturating_sub(BASE_BYTES) / PARTS * parts;
        let share = |of: u64, bytes_max: u64| parts(of).clamp(SHARE_BYTES_MIN, bytes_max);
        let memory = &settings.memory;
        let said = |said: Option<Size>, share: u64| said.map_or(share, Size::bytes);
        let queues = parts(QUEUES_PARTS).max(SHARE_BYTES_MIN);
        let (sealing, questions) = (parts(SEALING_PARTS), parts(QUESTIONS_PARTS));
        let tail = said(memory.tail_max.exactly(), share(TAIL_PARTS, TAIL_BYTES_MAX));
        let index = said(memory.index_max.exactly(), share(INDEX_PARTS, INDEX_BYTES_MAX));
        let source_queue = said(memory.source_queue_max.exactly(), queues.min(SOURCE_QUEUE_BYTES_MAX));
        let threads =
            |share: u64, of_each: u64| usize::try_from(share / of_each).unwrap_or(usize::MAX).max(1);
        // Half of the memory for questions is for threads that look, the other half for their results.
        let lookers = threads(questions / 2, LOOKER_BYTES);
        let lanes = cores.min(lookers - 1);
        let searches = lookers.saturating_sub(lanes).clamp(1, settings.limits.searches_max.max(1) as usize);
        let answer = questions / 2 / (searches as u64).min(ANSWERS);
        let answer = answer.clamp(SHARE_BYTES_MIN, ANSWER_BYTES_MAX);
        let answer = said(settings.limits.query_memory_max.exactly(), answer);
        let count = |said: CountOrAuto, auto: usize| match said {
            CountOrAuto::Auto => auto,
            CountOrAuto::Exactly(count) => count as usize,
        };
        let sealers = (cores / 2 + 1).min(threads(sealing, SEALER_BYTES));
        let workers = cores.min(threads(parts(PARTS / 4), WORKER_BYTES));
        // If it is no less than the default, only the router document limits it.
        let forward = parts(FORWARD_PARTS).max(SHARE_BYTES_MIN);
        let forward = if forward < FORWARD_BYTES { forward } else { u64::MAX };
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let mut shares = Shares {
            bytes,
            origin,
            tail: size(tail),
            index: size(index),
            queues: size(queues),
            source_queue: size(source_queue),
            forward: size(forward),
            bodies: size(share(BODIES_PARTS, BODIES_BYTES_MAX)),
            sealing: size(sealing),
            answer: size(answer),
            held: size((questions / 4 / searches as u64).clamp(SHARE_BYTES_MIN, ANSWER_BYTES_MAX)),
            workers: count(settings.threads.workers, workers),
            sealers: count(settings.threads.sealers, sealers),
            lanes,
            searches,
            exports: searches.min(settings.limits.exports_max as usize),
            warnings: limit.unknown.iter().map(|why| not_known(why, bytes)).collect(),
        };
        shares.warn_of_sum(settings);
        shares
    }

    /// Logs how the memory is divided, and the warnings.
    pub(super) fn tell(&self) {
        let about = |bytes: usize| Size::about(bytes as u64);
        tracing::info!(
            tail = %about(self.tail),
            index = %about(self.index),
            queues = %about(self.queues),
            sealing = %about(self.sealing),
            answer = %about(self.answer),
            workers = self.workers,
            sealers = self.sealers,
            searches = self.searches,
            lanes = self.lanes,
            "memory budget {} ({})",
            Size::about(self.bytes),
            self.origin
        );
        self.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    }

    /// The maximum length of a journal file: making a segment of one takes up to five times as much memory, if no two
    /// messages are alike.
    pub fn journal_file(&self, storage: &StorageSettings) -> u64 {
        storage.journal_file_max.bytes().min((self.of_sealer() / 4).max(SHARE_BYTES_MIN))
    }

    /// The bytes of messages that are joined to a segment, which takes one and a half times as much memory, and more if
    /// no two messages are alike.
    pub fn join_bytes(&self) -> u64 {
        (self.of_sealer() / 2).clamp(SHARE_BYTES_MIN, JOIN_BYTES_MAX)
    }

    fn of_sealer(&self) -> u64 {
        (self.sealing / self.sealers.max(1)) as u64
    }

    /// The limit of each source, for this number of sources.
    pub fn queue_of_one(&self, sources: usize) -> usize {
        self.source_queue.min((self.queues / sources.max(1)).max(SHARE_BYTES_MIN as usize))
    }

    /// Warns if the settings add up to more than the whole memory.
    fn warn_of_sum(&mut self, settings: &Settings) {
        let said = [
            ("memory.tail_max", settings.memory.tail_max.exactly(), 1),
            ("memory.index_max", settings.memory.index_max.exactly(), 1),
            ("memory.source_queue_max", settings.memory.source_queue_max.exactly(), 1),
            ("limits.query_memory_max", settings.limits.query_memory_max.exactly(), self.searches as u64),
        ];
        let said: Vec<(&str, u64)> =
            said.into_iter().filter_map(|(name, size, times)| Some((name, size?.bytes() * times))).collect();
        let sum: u64 = said.iter().map(|(_, bytes)| bytes).sum();
        let room = self.bytes.saturating_sub(BASE_BYTES) / 4 * 3;
        if room < sum {
            let names: Vec<&str> = said.iter().map(|(name, _)| *name).collect();
            self.warnings.push(format!(
                "{} together may use {} of the {} that the process may use ({}), which leaves too little for \
                 everything else: the system may kill it. Lower them, or leave them out to have the memory divided \
                 automatically",
                names.join(", "),
                Size::about(sum),
                Size::about(self.bytes),
                self.origin
            ));
        }
    }
}

/// The memory to divide, and the origin of the figure.
fn whole(settings: &Settings, limit: &MemoryLimit) -> (u64, String) {
    if let Some(size) = settings.memory.max.exactly() {
        // A setting cannot give more than the control group allows.
        return match (&limit.origin, limit.bytes) {
            (LimitOrigin::Group { .. }, Some(bytes)) if bytes < size.bytes() => {
                (bytes, limit.origin.to_string())
            }
            _ => (size.bytes(), "memory.max".to_owned()),
        };
    }
    match (&limit.origin, limit.bytes) {
        (LimitOrigin::Group { .. }, Some(bytes)) => (bytes, limit.origin.to_string()),
        (LimitOrigin::Machine, Some(bytes)) => {
            (bytes / OF_MACHINE, format!("half of the machine's {}", Size::about(bytes)))
        }
        (_, None) => (UNKNOWN_BYTES, "the machine does not say how much memory it has".to_owned()),
    }
}

fn not_known(why: &str, bytes: u64) -> String {
    format!(
        "the memory limit of the process is not known ({why}), so {} are assumed. If the process may use less, set \
         memory.max",
        Size::about(bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::settings::{Layers, load};

    const MIB: u64 = 1 << 20;

    fn shares(mib: u64, set: &[&str], cores: usize) -> Shares {
        let set = set.iter().map(|setting| (*setting).to_owned()).collect();
        let settings = load(&Layers { set, ..Layers::default() }).expect("settings");
        let origin = LimitOrigin::Group { version: 2, file: "/limit".to_owned() };
        Shares::of(&settings, &MemoryLimit { bytes: Some(mib * MIB), origin, unknown: None }, cores)
    }

    /// The sum of all shares.
    fn sum(shares: &Shares) -> u64 {
        let answers = shares.answer * shares.searches.min(ANSWERS as usize);
        let lookers = (shares.lanes + shares.searches) as u64 * LOOKER_BYTES;
        let sizes = [shares.tail, shares.index, shares.queues, shares.bodies, shares.sealing, answers];
        BASE_BYTES + lookers + sizes.into_iter().sum::<usize>() as u64
    }

    #[test]
    fn the_shares_are_together_no_more_than_the_whole() {
        for mib in [96, 128, 256, 300, 512, 1 << 10, 1 << 12, 1 << 16, 1 << 24] {
            for cores in [1, 2, 8, 64, 256] {
                let shares = shares(mib, &[], cores);
                assert!(
                    sum(&shares) <= mib * MIB,
                    "{mib} MiB, {cores} cores: {} {shares:?}",
                    sum(&shares) / MIB
                );
                assert_eq!((shares.bytes, shares.warnings.len()), (mib * MIB, 0));
                assert!(1 <= shares.searches && 1 <= shares.sealers && 1 <= shares.workers);
            }
        }
        // If there is less than the process itself takes, the shares are as small as they can be.
        let least = shares(8, &[], 64);
        assert_eq!((least.tail, least.lanes, least.searches, least.sealers), (1 << 20, 0, 1, 1));
    }

    #[test]
    fn a_large_machine_gives_parts_no_more_than_they_can_use() {
        let shares = shares(64 << 10, &[], 8);
        assert_eq!([shares.tail, shares.index, shares.answer].map(|bytes| bytes >> 20), [512, 4096, 256]);
        assert_eq!((shares.source_queue >> 20, shares.queue_of_one(4) >> 20), (64, 64));
        assert_eq!((shares.workers, shares.sealers, shares.lanes, shares.searches), (8, 5, 8, 8));
    }

    #[test]
    fn many_sources_share_what_one_may_have() {
        let shares = shares(256, &[], 2);
        let all = shares.queues;
        assert_eq!(shares.queue_of_one(1), all);
        assert_eq!(shares.queue_of_one(4), all / 4);
        assert_eq!(shares.queue_of_one(10_000), SHARE_BYTES_MIN as usize);
        assert_eq!(shares.queue_of_one(0), all);
    }

    #[test]
    fn a_setting_wins_and_a_sum_that_does_not_fit_is_told() {
        let shares_of = |set: &[&str]| shares(256, set, 2);
        let said = shares_of(&["memory.tail_max=16MiB", "limits.query_memory_max=8MiB", "threads.sealers=7"]);
        assert_eq!((said.tail, said.answer, said.sealers), (16 << 20, 8 << 20, 7));
        assert_eq!(said.warnings, [""; 0]);
        let before = shares_of(&["memory.tail_max=512MiB", "memory.index_max=256MiB"]);
        assert_eq!((before.tail, before.index), (512 << 20, 256 << 20));
        let [warning] = &before.warnings[..] else { panic!("{:?}", before.warnings) };
        for part in ["memory.tail_max, memory.index_max", "768MiB", "256MiB", "/limit", "Lower them"] {
            assert!(warning.contains(part), "{warning}");
        }
    }

    #[test]
    fn the_whole_is_the_limit_or_what_the_setting_says_of_it() {
        let of = |limit: &MemoryLimit, set: &[String]| {
            let settings = load(&Layers { set: set.to_vec(), ..Layers::default() }).expect("settings");
            Shares::of(&settings, limit, 2)
        };
        let machine = MemoryLimit { bytes: Some(16 << 30), origin: LimitOrigin::Machine, unknown: None };
        let half = of(&machine, &[]);
        assert_eq!((half.bytes, &*half.origin), (8 << 30, "half of the machine's 16GiB"));
        let said = ["memory.max=12GiB".to_owned()];
        assert_eq!(of(&machine, &said).bytes, 12 << 30);
        let origin = LimitOrigin::Group { version: 1, file: "/a".to_owned() };
        let group = MemoryLimit { bytes: Some(1 << 30), origin, unknown: None };
        assert_eq!(of(&group, &said).bytes, 1 << 30, "the group has no more");
        assert_eq!(of(&group, &["memory.max=512MiB".to_owned()]).bytes, 512 << 20);
        let nothing =
            MemoryLimit { bytes: None, origin: LimitOrigin::Machine, unknown: Some("/a: no".to_owned()) };
        let unknown = of(&nothing, &[]);
        assert_eq!(unknown.bytes, UNKNOWN_BYTES);
        assert!(unknown.warnings[0].contains("/a: no"), "{:?}", unknown.warnings);
    }
}
