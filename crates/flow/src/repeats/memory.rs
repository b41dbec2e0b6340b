//! The memory of requests with an `Idempotency-Key` and of documents with an id. No I/O: the caller supplies the
//! time.
//!
//! It is kept in generations: new names are added to the newest one, and the oldest is forgotten as a whole.
//!
//! **Invariant:** a request or document that is remembered as stored is stored; one that is under way is neither stored
//! a second time nor forgotten.

use crate::ledger::JournalId;
use logstead_record::{SECOND, Timestamp};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// The hash of a key, a body or a document, together with its account.
pub type Id = [u8; 16];

/// The maximum number of names that are remembered.
pub(super) const NAMES_MAX: usize = 1_000_000;
const GENERATIONS: usize = 8;
/// The minimum time for which a name is remembered, unless there are too many.
const AGE_MAX_NANOS: i64 = 24 * 3600 * SECOND;
/// The time for which a generation takes new names.
const GENERATION_NANOS: i64 = AGE_MAX_NANOS / GENERATIONS as i64;

/// The progress of a request with a key.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct RequestProgress {
    /// The number of messages of its body that are stored or that the routes dropped: whole batches, from the first
    /// one on.
    pub taken: usize,
    /// The number of these messages that were dropped.
    pub dropped: usize,
    /// The journals that already have the batch that follows.
    pub had: Vec<JournalId>,
}

/// The decision on how to handle a request that begins.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestStart {
    /// Take the request, beginning after this progress.
    Take(RequestProgress),
    /// The same request is under way.
    UnderWay,
    /// The same request was answered, with this result.
    Again(RequestProgress),
    /// The key was used with another body before.
    Differs,
}

/// The result of claiming the documents of a batch, by their rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The rows that are to be stored.
    pub rows: Vec<usize>,
    /// The journals that already have these rows.
    pub had: Vec<JournalId>,
    /// Rows that are under way, or cannot be stored together with the others: they may be sent again.
    pub later: Vec<usize>,
    /// The names of the rows that are to be stored.
    pub(super) ids: Vec<Id>,
}

/// The origin of a batch: part of a request, or documents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BatchSubject {
    /// The next messages of the body of a request.
    Request {
        /// The hash of the key.
        key: Id,
        /// The hash of the body.
        body: Id,
    },
    /// Documents with ids.
    Documents(Vec<Id>),
}

/// A batch that is being stored. Its stamp is its time of receipt, which no other batch of its source has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreAttempt {
    /// The source's id.
    pub source: String,
    /// The origin of its messages.
    pub subject: BatchSubject,
}

/// The notes of the memory, in the order of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Note {
    /// A batch with this stamp is about to be stored.
    Begin(i64, StoreAttempt),
    /// The batch is stored: the number of its messages, and how many of them were dropped.
    Stored(i64, usize, usize),
    /// The batch could not be stored, except in these journals.
    Failed(i64, Vec<JournalId>),
    /// A request was answered.
    Answered(Id),
}

struct Request {
    body: Id,
    progress: RequestProgress,
    is_answered: bool,
}

struct Generation {
    number: u64,
    since: Timestamp,
    requests: HashMap<Id, Request>,
    stored: HashSet<Id>,
    /// Documents that some journals have and others lack.
    partly: HashMap<Id, Vec<JournalId>>,
}

#[derive(Default)]
pub(super) struct RepeatMemory {
    /// The generations, the newest last.
    generations: VecDeque<Generation>,
    /// Batches that are being stored, by their stamps.
    pub(super) open: BTreeMap<i64, StoreAttempt>,
    requests_under_way: HashSet<Id>,
    documents_under_way: HashSet<Id>,
}

impl Generation {
    fn names(&self) -> usize {
        self.requests.len() + self.stored.len() + self.partly.len()
    }
}

impl RepeatMemory {
    /// Whether new names should go into a new generation.
    pub(super) fn is_full(&self, now: Timestamp) -> bool {
        self.generations.back().is_none_or(|newest| {
            NAMES_MAX / GENERATIONS <= newest.names()
                || GENERATION_NANOS < now.nanos().saturating_sub(newest.since.nanos())
        })
    }

    /// Begins another generation, and forgets the oldest ones that are not needed any more; returns their numbers.
    pub(super) fn begin_generation(&mut self, number: u64, now: Timestamp) -> Vec<u64> {
        self.generations.push_back(Generation {
            number,
            since: now,
            requests: HashMap::new(),
            stored: HashSet::new(),
            partly: HashMap::new(),
        });
        let mut forgotten = Vec::new();
        // The names of a generation are at least as old as the beginning of the next one.
        while let Some(next) = self.generations.get(1)
            && (NAMES_MAX - NAMES_MAX / GENERATIONS < self.names()
                || AGE_MAX_NANOS < now.nanos().saturating_sub(next.since.nanos()))
        {
            forgotten.extend(self.generations.pop_front().map(|oldest| oldest.number));
        }
        forgotten
    }

    pub(super) fn names(&self) -> usize {
        self.generations.iter().map(Generation::names).sum()
    }

    /// The time since when everything is remembered.
    pub(super) fn since(&self, now: Timestamp) -> Timestamp {
        let oldest = self.generations.front().map_or(now, |oldest| oldest.since);
        oldest.max(now.saturating_add(-AGE_MAX_NANOS))
    }

    /// Begins a request with this key and body. If the result is to take it, [`RepeatMemory::end_request`] ends it.
    pub(super) fn begin_request(&mut self, key: Id, body: Id) -> RequestStart {
        let progress = match self.request(&key) {
            Some(known) if known.body != body => return RequestStart::Differs,
            Some(known) if known.is_answered => return RequestStart::Again(known.progress.clone()),
            Some(known) => known.progress.clone(),
            None => RequestProgress::default(),
        };
        if self.requests_under_way.insert(key) {
            RequestStart::Take(progress)
        } else {
            RequestStart::UnderWay
        }
    }

    pub(super) fn end_request(&mut self, key: &Id) {
        self.requests_under_way.remove(key);
    }

    fn request(&self, key: &Id) -> Option<&Request> {
        self.generations.iter().rev().find_map(|generation| generation.requests.get(key))
    }

    /// Decides what to do with the documents of a batch. Rows without an id are always stored.
    pub(super) fn claim(&self, ids: &[Option<Id>]) -> Claim {
        let mut claim = Claim::default();
        let mut had: Option<Vec<JournalId>> = None;
        let mut seen = HashSet::new();
        for (row, id) in ids.iter().enumerate() {
            let known = id.as_ref().map(|id| self.partly(id)).unwrap_or_default();
            let is_under_way =
                id.is_some_and(|id| self.documents_under_way.contains(&id) || !seen.insert(id));
            if id.as_ref().is_some_and(|id| self.is_stored(id)) {
                continue;
            }
            // Documents that only some journals have are stored separately.
            if is_under_way || had.as_ref().is_some_and(|had| had != known) {
                claim.later.push(row);
                continue;
            }
            had.get_or_insert_with(|| known.to_vec());
            claim.rows.push(row);
            claim.ids.extend(id);
        }
        claim.had = had.unwrap_or_default();
        claim
    }

    fn is_stored(&self, id: &Id) -> bool {
        self.generations.iter().any(|generation| generation.stored.contains(id))
    }

    fn partly(&self, id: &Id) -> &[JournalId] {
        let known = self.generations.iter().rev().find_map(|generation| generation.partly.get(id));
        known.map(Vec::as_slice).unwrap_or_default()
    }

    /// Something happened.
    pub(super) fn apply(&mut self, note: Note) {
        match note {
            Note::Begin(stamp, attempt) => {
                match &attempt.subject {
                    BatchSubject::Request { key, body } => self.change(*key, *body, |_| {}),
                    BatchSubject::Documents(ids) => self.documents_under_way.extend(ids),
                }
                self.open.insert(stamp, attempt);
            }
            Note::Stored(stamp, taken, dropped) => match self.close(stamp) {
                Some(BatchSubject::Request { key, body }) => self.change(key, body, |request| {
                    let RequestProgress { taken: before, dropped: dropped_before, .. } = request.progress;
                    request.progress = RequestProgress {
                        taken: before + taken,
                        dropped: dropped_before + dropped,
                        had: Vec::new(),
                    };
                }),
                Some(BatchSubject::Documents(ids)) => {
                    self.generations
                        .iter_mut()
                        .filter(|generation| !generation.partly.is_empty())
                        .for_each(|generation| ids.iter().for_each(|id| drop(generation.partly.remove(id))));
                    self.generations.back_mut().into_iter().for_each(|newest| newest.stored.extend(&ids));
                }
                None => {}
            },
            Note::Failed(stamp, had) => match self.close(stamp) {
                Some(BatchSubject::Request { key, body }) => {
                    self.change(key, body, |request| add(&mut request.progress.had, &had));
                }
                Some(BatchSubject::Documents(ids)) if !had.is_empty() => {
                    for id in ids {
                        let mut all = self.partly(&id).to_vec();
                        add(&mut all, &had);
                        self.generations.back_mut().into_iter().for_each(|newest| {
                            newest.partly.insert(id, all.clone());
                        });
                    }
                }
                Some(BatchSubject::Documents(_)) | None => {}
            },
            Note::Answered(key) => {
                let known = self
                    .generations
                    .iter_mut()
                    .rev()
                    .find_map(|generation| generation.requests.get_mut(&key));
                known.into_iter().for_each(|request| request.is_answered = true);
            }
        }
    }

    fn close(&mut self, stamp: i64) -> Option<BatchSubject> {
        let subject = self.open.remove(&stamp)?.subject;
        if let BatchSubject::Documents(ids) = &subject {
            for id in ids {
                self.documents_under_way.remove(id);
            }
        }
        Some(subject)
    }

    /// Changes the state of a request, in the newest generation.
    fn change(&mut self, key: Id, body: Id, change: impl FnOnce(&mut Request)) {
        let known = self.generations.iter_mut().rev().find_map(|generation| generation.requests.remove(&key));
        let mut request = known.unwrap_or_else(|| Request {
            body,
            progress: RequestProgress::default(),
            is_answered: false,
        });
        change(&mut request);
        if let Some(newest) = self.generations.back_mut() {
            newest.requests.insert(key, request);
        }
    }
}

fn add(had: &mut Vec<JournalId>, more: &[JournalId]) {
    had.extend(more.iter().filter(|place| !had.contains(place)).cloned().collect::<Vec<_>>());
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: Id = [1; 16];

    fn id(number: usize) -> Id {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.to_le_bytes());
        id
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_nanos(seconds * SECOND)
    }

    fn memory() -> RepeatMemory {
        let mut memory = RepeatMemory::default();
        assert!(memory.is_full(at(0)));
        assert!(memory.begin_generation(1, at(0)).is_empty());
        memory
    }

    fn begin(memory: &mut RepeatMemory, stamp: i64, subject: BatchSubject) {
        memory.apply(Note::Begin(stamp, StoreAttempt { source: "http".to_owned(), subject }));
    }

    fn main() -> Vec<JournalId> {
        vec![JournalId::Logspace("main".into())]
    }

    #[test]
    fn a_request_goes_on_where_it_stopped_and_is_answered_as_before() {
        let mut memory = memory();
        let subject = BatchSubject::Request { key: id(1), body: BODY };
        assert_eq!(memory.begin_request(id(1), BODY), RequestStart::Take(RequestProgress::default()));
        assert_eq!(memory.begin_request(id(1), BODY), RequestStart::UnderWay);
        begin(&mut memory, 10, subject.clone());
        memory.apply(Note::Stored(10, 8192, 2));
        begin(&mut memory, 11, subject.clone());
        memory.apply(Note::Failed(11, main()));
        memory.end_request(&id(1));
        assert_eq!(memory.begin_request(id(1), [2; 16]), RequestStart::Differs);
        let rest = RequestProgress { taken: 8192, dropped: 2, had: main() };
        assert_eq!(memory.begin_request(id(1), BODY), RequestStart::Take(rest));
        begin(&mut memory, 12, subject);
        memory.apply(Note::Stored(12, 8, 0));
        memory.apply(Note::Answered(id(1)));
        memory.end_request(&id(1));
        let all = RequestProgress { taken: 8200, dropped: 2, had: vec![] };
        assert_eq!(memory.begin_request(id(1), BODY), RequestStart::Again(all));
        assert!(memory.open.is_empty());
    }

    #[test]
    fn a_document_is_stored_once_and_only_by_those_who_lack_it() {
        let mut memory = memory();
        let ids = [Some(id(1)), None, Some(id(2)), Some(id(1))];
        let claim = memory.claim(&ids);
        assert_eq!(
            (claim.rows.as_slice(), claim.later.as_slice()),
            (&[0, 1, 2][..], &[3][..]),
            "twice in one body"
        );
        begin(&mut memory, 1, BatchSubject::Documents(claim.ids));
        assert_eq!(memory.claim(&ids[..1]).later, [0], "it is under way");
        memory.apply(Note::Failed(1, main()));
        let claim = memory.claim(&[Some(id(3)), Some(id(1))]);
        assert_eq!((claim.rows, claim.later, claim.had), (vec![0], vec![1], vec![]));
        let claim = memory.claim(&[Some(id(1)), Some(id(2)), Some(id(3))]);
        assert_eq!((claim.rows, claim.later, claim.had), (vec![0, 1], vec![2], main()));
        begin(&mut memory, 2, BatchSubject::Documents(claim.ids));
        memory.apply(Note::Stored(2, 2, 0));
        assert_eq!(memory.claim(&[Some(id(1)), Some(id(2))]), Claim::default());
    }

    #[test]
    fn names_are_remembered_for_a_day_unless_there_are_too_many() {
        let mut memory = memory();
        let documents = |memory: &mut RepeatMemory, numbers: std::ops::Range<usize>| {
            let messages = numbers.len();
            begin(memory, 1, BatchSubject::Documents(numbers.map(id).collect()));
            memory.apply(Note::Stored(1, messages, 0));
        };
        documents(&mut memory, 1..2);
        for generation in 1..12 {
            let now = at(generation * 3 * 3601);
            assert!(memory.is_full(now));
            let forgotten = memory.begin_generation(generation as u64 + 1, now);
            assert_eq!(forgotten.is_empty(), generation < 9, "{generation}");
            assert_eq!(memory.is_stored(&id(1)), generation < 9, "{generation}");
            assert!(memory.since(now) <= now.saturating_add(-AGE_MAX_NANOS) || generation < 8);
        }
        let (mut memory, mut number) = (RepeatMemory::default(), 0);
        for generation in 1..=10 {
            memory.begin_generation(generation, at(generation as i64));
            while !memory.is_full(at(generation as i64)) {
                documents(&mut memory, number..number + 1000);
                number += 1000;
            }
            assert!(memory.names() <= NAMES_MAX);
        }
        assert_eq!((number, memory.names()), (10 * NAMES_MAX / GENERATIONS, NAMES_MAX));
        assert_eq!(memory.since(at(10)), at(3), "it says since when");
    }
}
