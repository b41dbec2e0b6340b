//! Questions of every kind that the grammar allows, likely to match some messages.

use crate::messages::{LONG_BYTES, alike_word};
use crate::strategies::{self, NOW};
use logstead_indexer::Order;
use logstead_query::{Context, Query, TimeRange, parse};
use logstead_record::Timestamp;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) const CONTEXT: Context<'_> = Context { now: NOW, logspace: "ab" };

/// Parts of words with wildcards; a query may contain many of them.
const WILDCARDS: [&str; 16] = [
    "dis*", "*isk", "*is*", "*sk", "*s*", "d*", "a*", "*a*", "*na", "w*", "*ww*", "*2*", "*rror",
    "shared:*s*", "id:*1*", "host:*eb*",
];

const LIKELY: [&str; 100] = [
    "disk",
    "full",
    "cs\"Disk\"",
    "\"disk full\"",
    "\"disk, full\"",
    "dis*",
    "*isk",
    "*is*",
    "d?sk",
    "10.0.0.1",
    "\"10.0.0.1 disk\"",
    "\"disk full\"~0",
    "\"disk full\"~2",
    "\"full disk\"~1",
    "cs\"Disk full\"~3",
    "\"disk disk\"~2",
    "\"disk f\"~1*",
    "\"disk e\"~2*",
    "\"error k\"~3*",
    "\"user an\"~0*",
    "\"user b\"*",
    "\"error 12\"~2",
    "\"error 1\"~2*",
    "\"a b c\"~1",
    "\"10 1 disk\"~3",
    "message:\"failed error\"~2",
    "shared:\"disk full\"~2",
    "host:\"web 1\"~0",
    "raw:\"disk full\"~1",
    "10.0.*",
    "user=anna",
    "\"user=anna\"",
    "\"user=*\"",
    "/dis[kc]/",
    "/disk full/",
    "/(error|failed) /i",
    "/^$/",
    "/ disk /",
    "ä",
    "äb",
    "kelvin",
    "k*",
    "eth0",
    "\"a-b_c\"",
    "a*",
    "b",
    "12",
    "日本",
    "zebra",
    "w*",
    "message:disk",
    "message=\"disk full\"",
    "message=\"\"",
    "message:\"a-b_c\"",
    "NOT message:full",
    "host:web",
    "host=web-1",
    "host:web*",
    "host:*",
    "host=\"\"",
    "program=sshd",
    "program:ss*",
    "program:*",
    "msgid=ID1",
    "msgid:id1",
    "shared:disk",
    "shared=disk",
    "SHARED:full",
    "shared:*",
    "rare:*",
    "rare=x",
    "id>=5000",
    "id:[10 TO 900]",
    "a>1",
    "shared=\"\"",
    "severity>=err",
    "severity=info",
    "facility=auth",
    "flag:unparsed",
    "flag:*",
    "flag:copy",
    "copy_of:*",
    "copy_of=main",
    "copy_of=\"\"",
    "copies:all",
    "peer=10.0.0.1",
    "source=syslog",
    "pid=77",
    "pid:77",
    "pid:7*",
    "pid:*7",
    "pid:*",
    "pid=\"\"",
    "pid:10.0.0.1",
    "pid:worker-7",
    "pid:*ork*",
    "NOT pid:w*",
    "raw:disk",
    "shared:[* TO *]",
    "id:/^$/",
];

#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) query: Query,
    pub(crate) range: TimeRange,
    pub(crate) limit: usize,
    pub(crate) order: Order,
    /// The position of one of the stored messages, if any.
    pub(crate) after: Option<prop::sample::Index>,
}

impl Question {
    /// A question for everything that matches a query.
    pub(crate) fn of(query: &str) -> Question {
        let query = parse(query).unwrap();
        Question { query, range: TimeRange::ALL, limit: 10, order: Order::Newest, after: None }
    }
}

pub(crate) fn questions() -> impl Strategy<Value = Question> {
    let order = select(vec![Order::Newest, Order::Oldest]);
    let limit = prop_oneof![4 => 0_usize..12, 1 => Just(usize::MAX)];
    let after = proptest::option::weighted(0.3, any::<prop::sample::Index>());
    (queries(), ranges(), limit, order, after).prop_map(|(query, range, limit, order, after)| Question {
        query,
        range,
        limit,
        order,
        after,
    })
}

fn queries() -> impl Strategy<Value = Query> {
    let long = (LONG_BYTES - 4..LONG_BYTES + 2, select(vec!["", "*", "x"]))
        .prop_map(|(bytes, end)| format!("{}{end}", "w".repeat(bytes)));
    let likely = prop_oneof![20 => select(&LIKELY[..]).prop_map(str::to_owned), 1 => long];
    let alike = (vec(alike_word(), 1..3), 0_usize..6).prop_map(|(words, kind)| match kind {
        0 => words[0].clone(),
        1 => format!("{}*", words[0]),
        2 => format!("*{}*", words[0]),
        3 => format!("\"{}\"", words.join(" ")),
        4 => format!("\"{}\"~2", words.join(" ")),
        _ => format!("message:{}", words[0]),
    });
    let written = prop_oneof![6 => likely, 1 => alike].prop_map(|text| parse(&text).unwrap());
    let leaf = prop_oneof![3 => written, 1 => strategies::queries()];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Query::and),
            vec(inner.clone(), 2..4).prop_map(Query::or),
            inner.prop_map(Query::negate),
            vec(wildcards(), 2..8).prop_map(Query::or),
            vec(wildcards(), 2..8).prop_map(|none| Query::and(none.into_iter().map(Query::negate).collect())),
            vec(vec(wildcards(), 1..3).prop_map(Query::or), 2..6).prop_map(Query::and),
        ]
    })
}

fn wildcards() -> impl Strategy<Value = Query> {
    select(&WILDCARDS[..]).prop_map(|text| parse(text).unwrap())
}

fn ranges() -> impl Strategy<Value = TimeRange> {
    let end = || {
        let near = (-45_i64..45).prop_map(|nanos| NOW.saturating_add(nanos));
        let minutes = (-1_i64..20).prop_map(|minutes| NOW.saturating_add(minutes * 60_000_000_000));
        let any = any::<i64>().prop_map(Timestamp::from_nanos);
        prop_oneof![4 => near, 2 => minutes, 1 => any]
    };
    prop_oneof![
        2 => Just(TimeRange::ALL),
        3 => (end(), end()).prop_map(|(first, last)| TimeRange { first, last }),
        1 => end().prop_map(|first| TimeRange { first, ..TimeRange::ALL }),
    ]
}
