//! Every kind of question leaves out the copies whose original is in another of its logspaces, and no others. This is
//! tested with random messages that are stored in several logspaces, and with random changes to these.

use super::{Copies, Logspaces, PageRequest, SearchCriteria};
use logstead_answer::{Aggregation, AnswerSettings, CellValue, Facets, Histogram, Width};
use logstead_indexer::{
    AnswerTarget, Disk, Expiry, FollowEvent, OpenLogspace, Options, Order, SimDisk, encode,
};
use logstead_query::{Context, Matcher, Query, TimeRange, parse, parse_pipeline};
use logstead_record::FieldName;
use logstead_record::{Batch, BatchBuilder, Field, Origin, Row, Selection, Timestamp};
use logstead_work::{Alone, SearchContext};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ids in the order of a document, which is not alphabetical.
const IDS: [&str; 3] = ["main", "audit", "fw"];
const NOW: Timestamp = Timestamp::from_nanos(1 << 50);
const MEMORY_MAX: usize = 16 << 20;

const QUESTIONS: [&str; 16] = [
    "*",
    "red",
    "NOT red",
    "host=a",
    "host=a red or host=b",
    "logspace=audit",
    "logspace=audit or red",
    "NOT logspace=main",
    "logspace in (audit, fw) red",
    "flag:copy",
    "NOT flag:copy",
    "flag:*",
    "copy_of=main",
    "copy_of:* or red",
    "copies:all",
    "copies:all host=a",
];

/// A message, and the logspaces in which routes store it.
#[derive(Clone, Debug)]
struct Message {
    later: i64,
    host: &'static str,
    text: &'static str,
    to: [bool; IDS.len()],
}

#[derive(Clone, Debug)]
enum Step {
    Store(Vec<Message>),
    Seal(usize),
    /// Removes, file by file, the messages received before one of the logspace's messages.
    Expire(usize, Index),
    Restart,
}

fn steps() -> impl Strategy<Value = Step> {
    let to = prop_oneof![2 => Just([true; IDS.len()]), 3 => any::<[bool; IDS.len()]>()];
    let message = (0_i64..3, select(vec!["a", "b"]), select(vec!["red", "blue"]), to)
        .prop_map(|(later, host, text, to)| Message { later, host, text, to });
    let of = || 0..IDS.len();
    prop_oneof![
        4 => vec(message, 1..12).prop_map(Step::Store),
        2 => of().prop_map(Step::Seal),
        1 => (of(), any::<Index>()).prop_map(|(of, which)| Step::Expire(of, which)),
        1 => Just(Step::Restart),
    ]
}

/// A message in a logspace.
struct Kept {
    sequence: u64,
    /// The batch as it was received, not marked as a copy.
    original: Arc<Batch>,
    noted: Arc<Batch>,
    /// For a copy, the position of its original's logspace.
    copy_of: Option<usize>,
}

struct Logspace {
    dir: PathBuf,
    opened: OpenLogspace,
    kept: Vec<Kept>,
    /// The time when the last of the logspace's expired messages was received.
    expired: Timestamp,
}

struct Store {
    disk: SimDisk,
    logspaces: Vec<Logspace>,
    received: i64,
}

fn open(disk: &SimDisk, dir: &Path) -> OpenLogspace {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    logstead_indexer::open(&disk, dir, Options::default(), &Alone).unwrap()
}

fn batch(message: &Message, received: i64) -> Batch {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"s", peer: b"", received: Timestamp::from_nanos(received) });
    builder.push(&Row::text(message.text.as_bytes()).with(Field::Host, message.host.as_bytes()));
    builder.seal()
}

impl Store {
    fn new() -> Store {
        let disk = SimDisk::new(0);
        let logspaces = IDS.iter().map(|id| {
            let dir = Path::new("/data").join(id);
            Logspace { opened: open(&disk, &dir), dir, kept: Vec::new(), expired: Timestamp::MIN }
        });
        let logspaces = logspaces.collect();
        Store { disk, logspaces, received: NOW.nanos() }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Store(messages) => self.store(messages),
            Step::Seal(of) => self.logspaces[*of].seal(),
            Step::Expire(of, which) => self.logspaces[*of].expire(which),
            Step::Restart => {
                for logspace in &mut self.logspaces {
                    logspace.opened = open(&self.disk, &logspace.dir);
                }
            }
        }
    }

    fn store(&mut self, messages: &[Message]) {
        let mut builders: Vec<(BatchBuilder, Vec<Kept>)> =
            IDS.iter().map(|_| (BatchBuilder::new(), Vec::new())).collect();
        for message in messages {
            self.received += message.later;
            let original = Arc::new(batch(message, self.received));
            let first = message.to.iter().position(|gets| *gets);
            for at in (0..IDS.len()).filter(|&at| message.to[at]) {
                let copy_of = first.filter(|&first| first != at);
                let noted = match copy_of {
                    Some(of) => Arc::new(original.with_copies(&[(Selection::all(1), IDS[of])])),
                    None => Arc::clone(&original),
                };
                let (builder, kept) = &mut builders[at];
                builder.extend(&noted, 0..1);
                kept.push(Kept { sequence: 0, original: Arc::clone(&original), noted, copy_of });
            }
        }
        for (logspace, (mut builder, kept)) in self.logspaces.iter_mut().zip(builders) {
            if kept.is_empty() {
                continue;
            }
            let sequences = logspace.opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
            logspace.kept.extend(sequences.zip(kept).map(|(sequence, kept)| Kept { sequence, ..kept }));
        }
    }

    fn asked(&self, asked: [bool; IDS.len()]) -> Logspaces {
        let which = (0..IDS.len()).filter(|&at| asked[at]);
        which.map(|at| (IDS[at].to_owned(), self.logspaces[at].opened.searcher.clone())).collect()
    }

    /// The messages that count, with their logspaces, and the number of copies that do not.
    fn judge(&self, query: &Query, asked: [bool; IDS.len()], copies: Copies) -> (Vec<(usize, &Kept)>, u64) {
        let means = |at: usize, batch: &Batch| {
            let context = Context { now: NOW, logspace: IDS[at] };
            !Matcher::new(query, &context).select(batch).is_empty()
        };
        let (mut counted, mut left_out) = (Vec::new(), 0);
        for at in (0..IDS.len()).filter(|&at| asked[at]) {
            for kept in self.logspaces[at].kept.iter().filter(|kept| means(at, &kept.noted)) {
                let is_asked_for = |of: usize| {
                    asked[of]
                        && means(of, &kept.original)
                        && self.logspaces[of].expired < kept.original.received(0)
                };
                if copies == Copies::LeftOut && kept.copy_of.is_some_and(is_asked_for) {
                    left_out += 1;
                } else {
                    counted.push((at, kept));
                }
            }
        }
        (counted, left_out)
    }

    fn check(&self, text: &str, asked: [bool; IDS.len()], copies: Copies, limit: usize) {
        let query = parse(text).unwrap();
        let copies = if query.counts_copies() { Copies::Counted } else { copies };
        let (counted, left_out) = self.judge(&query, asked, copies);
        let logspaces = self.asked(asked);
        let told = format!("{text} in {asked:?}, {copies:?}");
        let wanted = SearchCriteria { query: &query, range: TimeRange::ALL, now: NOW, copies };
        let run = SearchContext::alone();
        assert_eq!(logspaces.count(wanted, &run).0, counted.len() as u64, "count of {told}");
        assert_eq!(logspaces.count_copies(wanted, &run).0, left_out, "copies of {told}");
        let mut order: Vec<(Timestamp, &str, u64)> =
            counted.iter().map(|(at, kept)| (kept.original.time(0), IDS[*at], kept.sequence)).collect();
        order.sort_unstable();
        let expected: Vec<(String, u64)> =
            order.into_iter().map(|(_, id, sequence)| (id.to_owned(), sequence)).collect();
        let (mut found, mut request) = (Vec::new(), PageRequest { order: Order::Oldest, limit, after: None });
        loop {
            let page = logspaces.page(wanted, &request, &run);
            found.extend(page.hits.iter().map(|(id, hit)| (id.clone(), hit.sequence)));
            request.after = page.end();
            if request.after.is_none() {
                break;
            }
        }
        assert_eq!(found, expected, "pages of {told}");
        let mut reading = logspaces.clone().read(wanted, None, Order::Oldest, u64::MAX, &run).unwrap();
        assert_eq!((reading.left(), reading.copies()), (counted.len() as u64, left_out), "export of {told}");
        let mut lines = Vec::new();
        let line = |id: &str, hit: &logstead_indexer::Hit, out: &mut Vec<u8>| {
            let line = format!("{id} {}\n", hit.sequence);
            out.extend_from_slice(line.as_bytes());
            line.len()
        };
        while 0 < reading.left() {
            reading.next_piece(line, &run, &mut lines).unwrap();
        }
        let written: String = expected.iter().map(|(id, sequence)| format!("{id} {sequence}\n")).collect();
        assert_eq!(String::from_utf8(lines).unwrap(), written, "export of {told}");
        self.check_answers(&logspaces, wanted, &expected, &told);
        self.check_tail(&logspaces, wanted, expected, &told);
    }

    fn check_answers(
        &self,
        logspaces: &Logspaces,
        wanted: SearchCriteria<'_>,
        expected: &[(String, u64)],
        told: &str,
    ) {
        let range = TimeRange { first: NOW, last: NOW.saturating_add(1_000) };
        let mut histogram = Histogram::new(range, Width::AtMost(10), None, MEMORY_MAX).unwrap();
        let mut facets = Facets::new(vec![FieldName::Known(Field::Logspace)], usize::MAX, MEMORY_MAX);
        let settings = AnswerSettings { now: NOW, range, asked: range, memory_bytes_max: MEMORY_MAX };
        let pipeline = parse_pipeline("* | stats count() by logspace").unwrap();
        let mut table = Aggregation::compile(&pipeline, settings).unwrap();
        let answers = &mut [
            AnswerTarget::Histogram(&mut histogram),
            AnswerTarget::Facets(&mut facets),
            AnswerTarget::Table(&mut table),
        ];
        logspaces.answer(SearchCriteria { range, ..wanted }, &SearchContext::alone(), answers).unwrap();
        let mut by_logspace: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        expected.iter().for_each(|(id, _)| *by_logspace.entry(id.as_bytes().to_vec()).or_default() += 1);
        assert_eq!(histogram.finish().total, expected.len() as u64, "histogram of {told}");
        let text = |value: &CellValue| {
            let mut text = Vec::new();
            value.write(&mut text);
            text
        };
        let facet = facets.finish().remove(0);
        let of_facet: BTreeMap<Vec<u8>, u64> =
            facet.values.iter().map(|(value, count)| (text(value), *count)).collect();
        assert_eq!(of_facet, by_logspace, "facets of {told}");
        let rows = table.finish(&SearchContext::alone()).unwrap().rows;
        let counted = |row: &Vec<CellValue>| match row.as_slice() {
            [id, CellValue::Count(count)] => (text(id), *count),
            _ => panic!("{row:?} has no count"),
        };
        assert_eq!(rows.iter().map(counted).collect::<BTreeMap<_, _>>(), by_logspace, "table of {told}");
    }

    /// Checks that a tail from the first message on shows each message once.
    fn check_tail(
        &self,
        logspaces: &Logspaces,
        wanted: SearchCriteria<'_>,
        mut expected: Vec<(String, u64)>,
        told: &str,
    ) {
        let mut seen = Vec::new();
        for (id, mut follower) in logspaces.follow(wanted, |_, _| Some(0), &SearchContext::alone()).unwrap() {
            follower.read(&SearchContext::alone(), &mut |followed| {
                if let FollowEvent::Messages { matched: Some(matched), .. } = followed {
                    let sequences = matched.rows.iter().map(|row| matched.first_sequence + row as u64);
                    seen.extend(sequences.map(|sequence| (id.clone(), sequence)));
                }
                ControlFlow::Continue(())
            });
        }
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected, "tail of {told}");
    }
}

impl Logspace {
    fn seal(&mut self) {
        self.opened.appender.close_old(Timestamp::MAX).unwrap();
        while let Some(task) = self.opened.keeper.next_task(true) {
            self.opened.keeper.run(&task, &|| false).unwrap();
        }
    }

    fn expire(&mut self, which: &Index) {
        if self.kept.is_empty() {
            return;
        }
        let before = which.get(&self.kept).original.received(0);
        self.opened.appender.close_old(before).unwrap();
        let expiry = Expiry { received_before: Some(before), ..Expiry::default() };
        let expired = self.opened.appender.expire(&expiry).unwrap().messages as usize;
        let gone = self.kept.drain(..expired);
        self.expired = gone.map(|kept| kept.original.received(0)).fold(self.expired, Ord::max);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_question_counts_each_message_once_whatever_became_of_its_logspaces(
        life in vec(steps(), 1..12),
        asked in vec((select(&QUESTIONS[..]), any::<[bool; IDS.len()]>(), any::<bool>(), 1_usize..9), 4..12),
    ) {
        let mut store = Store::new();
        for step in &life {
            store.take(step);
        }
        for (text, of, is_all, limit) in &asked {
            let copies = if *is_all { Copies::Counted } else { Copies::LeftOut };
            store.check(text, *of, copies, *limit);
            store.check(text, [true; IDS.len()], Copies::LeftOut, *limit);
        }
    }
}

/// It depends on the logspaces of a question whether a copy counts: a readable example.
#[test]
fn a_copy_counts_where_its_original_does_not() {
    let mut store = Store::new();
    let message = |to| Message { later: 1, host: "a", text: "red", to };
    store.take(&Step::Store(vec![message([true, true, false]), message([false, true, true])]));
    store.take(&Step::Store(vec![message([true, true, true])]));
    let counted = |store: &Store, text: &str, asked| {
        let query = parse(text).unwrap();
        let copies = if query.counts_copies() { Copies::Counted } else { Copies::LeftOut };
        let wanted = SearchCriteria { query: &query, range: TimeRange::ALL, now: NOW, copies };
        let logspaces = store.asked(asked);
        (
            logspaces.count(wanted, &SearchContext::alone()).0,
            logspaces.count_copies(wanted, &SearchContext::alone()).0,
        )
    };
    let all = [true; IDS.len()];
    assert_eq!(counted(&store, "*", all), (3, 4));
    assert_eq!(counted(&store, "copies:all", all), (7, 0));
    assert_eq!(counted(&store, "*", [false, true, false]), (3, 0));
    assert_eq!(counted(&store, "logspace=audit", all), (3, 0));
    // The last message is a copy in both, and the logspace of its original is not searched.
    assert_eq!(counted(&store, "*", [false, true, true]), (4, 1));
    assert_eq!(counted(&store, "flag:copy", all), (4, 0));
    // The first file of `main` is removed, and with it the original of the first message.
    store.logspaces[0].seal();
    store.take(&Step::Store(vec![message([true, true, false])]));
    let expired =
        store.logspaces[0].opened.appender.expire(&Expiry { bytes_max: Some(0), ..Expiry::default() });
    assert_eq!(expired.unwrap().messages, 2);
    assert_eq!(counted(&store, "*", all), (5, 2));
}
