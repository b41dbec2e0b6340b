//! Whatever happens to a logspace, its answers are the same as if every message were examined: random messages,
//! random questions, and a random history of appends, sealing, joining, expiry, lost indexes, restarts and power
//! cuts.
//!
//! Keywords: property test, search correctness, brute force.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answers;
#[path = "../common/mod.rs"]
mod common;
mod following;
mod logspace;
mod messages;
mod questions;
#[path = "../../../crates/query/tests/query/reference.rs"]
mod reference;
#[allow(dead_code, reason = "queries are asked here, no pipelines")]
#[path = "../../../crates/query/tests/query/strategies.rs"]
mod strategies;

use following::Following;
use logspace::{Logspace, Spoil, Step};
use logstead_indexer::{Durability, Options};
use logstead_record::SHAPED_ROWS_MIN;
use messages::Message;
use proptest::collection::vec;
use proptest::prelude::*;
use questions::{Question, questions};

/// Limits that are small enough for a history to fill many files and segments, or large enough for it to fill only
/// one.
fn options() -> impl Strategy<Value = Options> {
    let memory_max = prop_oneof![Just(0), Just(3000), Just(1 << 20)];
    let index_memory_max = prop_oneof![Just(0), Just(200_000), Just(1 << 30)];
    let journal_file_max = prop_oneof![Just(500), Just(4000), Just(1 << 30)];
    let segment_rows_max = prop_oneof![Just(3), Just(20), Just(1000)];
    (memory_max, index_memory_max, journal_file_max, segment_rows_max).prop_map(
        |(memory_max, index_memory_max, journal_file_max, segment_rows_max)| Options {
            memory_max,
            index_memory_max,
            journal_file_max,
            journal_rows_max: u32::MAX,
            segment_rows_max,
            join_bytes_max: 64 << 20,
            durability: Durability::Fsync,
        },
    )
}

fn steps() -> impl Strategy<Value = Step> {
    let spoil = prop_oneof![Just(Spoil::Remove), any::<prop::sample::Index>().prop_map(Spoil::Flip)];
    let place = any::<prop::sample::Index>;
    prop_oneof![
        6 => vec(vec(messages::messages(), 0..12), 1..4).prop_map(Step::Append),
        2 => Just(Step::Roll),
        4 => (1_usize..4, any::<bool>()).prop_map(|(tasks, idle)| Step::Keep { tasks, idle }),
        2 => Just(Step::Keep { tasks: usize::MAX, idle: true }),
        1 => place().prop_map(Step::ExpireOlder),
        1 => place().prop_map(Step::ExpireLarger),
        1 => (place(), spoil).prop_map(|(which, spoil)| Step::SpoilIndex(which, spoil)),
        1 => Just(Step::Reindex),
        1 => Just(Step::Restart),
        1 => any::<u64>().prop_map(Step::PowerCut),
    ]
}

/// The steps of a history, with the questions that are asked after each.
fn lives() -> impl Strategy<Value = Vec<(Step, Vec<Question>)>> {
    let first = vec(vec(messages::messages(), 1..12), 1..4).prop_map(Step::Append);
    let first = (first, vec(questions(), 0..3));
    (first, vec((steps(), vec(questions(), 0..3)), 0..14)).prop_map(|(first, mut rest)| {
        rest.insert(0, first);
        rest
    })
}

proptest! {
    #![proptest_config(common::cases(100))]

    #[test]
    fn search_equals_scan(options in options(), life in lives(), last in vec(questions(), 1..8)) {
        let mut logspace = Logspace::new(options);
        for (step, questions) in &life {
            logspace.take(step);
            questions.iter().for_each(|question| logspace.check(question));
        }
        logspace.check_each_message();
        logspace.take(&Step::Roll);
        logspace.take(&Step::Keep { tasks: usize::MAX, idle: false });
        last.iter().for_each(|question| logspace.check(question));
        logspace.take(&Step::Restart);
        last.iter().for_each(|question| logspace.check(question));
    }
}

proptest! {
    #![proptest_config(common::cases(100))]

    #[test]
    fn who_follows_sees_each_message_once_whatever_becomes_of_the_files(
        options in options(),
        life in vec((steps(), 0_usize..6), 1..20),
        question in questions(),
        rows_max in 1_usize..9,
    ) {
        let mut logspace = Logspace::new(options);
        let mut following = Following::new(&question.query, rows_max);
        for (step, parts_max) in &life {
            logspace.take(step);
            following.remember(&logspace);
            following.read(&logspace, *parts_max);
        }
        following.read(&logspace, usize::MAX);
        following.check(&logspace);
    }
}

proptest! {
    #![proptest_config(common::cases(60))]

    #[test]
    fn who_searches_for_a_value_finds_as_many_as_were_counted(
        options in options(), batches in vec(vec(messages::messages(), 0..12), 1..6),
    ) {
        let names = [&messages::NAMES[..], &["host", "flag"]].concat();
        let mut logspace = Logspace::new(options);
        logspace.take(&Step::Append(batches));
        answers::check_values(logspace.searcher(), &names);
        logspace.take(&Step::Roll);
        logspace.take(&Step::Keep { tasks: usize::MAX, idle: false });
        answers::check_values(logspace.searcher(), &names);
    }
}

/// This needs more values than a column keeps, and more fields than can have a column.
#[test]
fn what_has_no_column_is_found_in_the_blocks() {
    let mut logspace = Logspace::new(Options { segment_rows_max: 1 << 20, ..Options::default() });
    let batches: Vec<Vec<Message>> = (0..70)
        .map(|batch| (0..1000).map(|number| Message::numbered(batch * 1000 + number)).collect())
        .collect();
    logspace.take(&Step::Append(batches));
    logspace.take(&Step::Append(vec![vec![Message::with_fields(1100)], vec![Message::numbered(69_999)]]));
    logspace.take(&Step::Roll);
    logspace.take(&Step::Keep { tasks: usize::MAX, idle: false });
    for query in [
        "host=h12345", "NOT host=h12345", "host:h6999*", "h69999", "NOT h69999", "late=69999",
        "NOT late=69999", "late:*", "NOT late:*", "n1099:v", "NOT n1099:v", "number>69990",
        "NOT number<69990",
    ] {
        logspace.check(&Question::of(query));
    }
}

/// Without fields, the shapes of messages decide if they can: in a large batch, in small batches that were joined, in
/// batches read again, and in a segment.
#[test]
fn words_are_found_in_shapes_and_in_texts() {
    let texts = [
        "", "disk x full", "Disk-full", "full disk", "disk 7 8 full", "disk eth0 full", "disk x y z full",
        "disks full",
    ];
    let messages = |count: usize| texts.iter().cycle().take(count).map(|text| Message::text(text.as_bytes()));
    let mut logspace = Logspace::new(Options::default());
    logspace.take(&Step::Append(vec![messages(SHAPED_ROWS_MIN + 40).collect()]));
    (0..30).for_each(|_| logspace.take(&Step::Append(vec![messages(10).collect()])));
    let check = |logspace: &Logspace| {
        for query in [
            "full",
            "message:disk -full",
            "eth",
            "eth0",
            "\"disk full\"",
            "\"disk full\"~0",
            "\"disk full\"~1",
            "\"disk full\"~2",
            "message:\"disk full\"~3",
            "NOT \"disk full\"~1",
            "cs\"disk full\"~1",
            "\"disk et\"~0*",
            "\"disk f\"~2*",
            "\"disk 8 full\"~1",
            "\"disk 8\"~1*",
        ] {
            logspace.check(&Question::of(query));
        }
    };
    check(&logspace);
    logspace.take(&Step::Restart);
    check(&logspace);
    logspace.take(&Step::Roll);
    logspace.take(&Step::Keep { tasks: usize::MAX, idle: false });
    check(&logspace);
}
