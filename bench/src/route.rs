//! The CPU time that routes and steps take per message.

use crate::measure::cpu;
use crate::verdict::tell;
use anyhow::{Result, anyhow};
use logstead_config::{Framing, SourceFormat, check_toml};
use logstead_record::{Batch, BatchBuilder, Origin, Timestamp};
use logstead_route::{Lookups, Router};
use logstead_syslog::format::{FrameContext, SyslogParser};
use logstead_syslog::framing::{Framer, SplitResult};
use std::fmt::Write as _;
use std::sync::Arc;

/// How many bytes a source reads at once.
const CHUNK_BYTES: usize = 1 << 20;
const FRAME_BYTES_MAX: usize = 64 << 10;
const BASICS: &str = "version = 1\n[[sources]]\nid = \"syslog\"\nkind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]\n[[logspaces]]\nid = \"main\"\n";
/// Filters as people write them.
const FILTERS: [&str; 10] = [
    "program=sshd",
    "host:web-* severity<=warning",
    "\"connection reset\"",
    "severity>=error",
    "program in (kernel, cron, postfix)",
    "host=db-7 -debug",
    "user=root failed",
    "/port [0-9]+/",
    "10.0.0.5",
    "facility=mail",
];

/// The cases to measure: a name, a document, and the maximum time in microseconds.
fn rows() -> Vec<(&'static str, String, f64)> {
    let route = |id: &str, keys: &str| format!("[[routes]]\nid = \"{id}\"\nto = [\"main\"]\n{keys}\n");
    let fifty = (0..50).fold(String::new(), |mut text, number| {
        // Writing to a string cannot fail.
        write!(
            text,
            "{}",
            route(&format!("r{number}"), &format!("where = '{}'", FILTERS[number % FILTERS.len()]))
        )
        .ok();
        text
    });
    vec![
        ("one route that takes all", route("all", ""), 0.03),
        ("50 routes with mixed filters", fifty, 0.5),
        ("set of a field", route("all", "steps = [{ set = { zone = \"dmz\" } }]"), 0.1),
        ("set of the host", route("all", "steps = [{ set = { host = \"{program}\" } }]"), 0.1),
        ("mask that finds nothing", route("all", "steps = [{ mask = '\\b\\d{15,16}\\b' }]"), 0.3),
        (
            "mask that finds something in most",
            route("all", "steps = [{ mask = '\\d+\\.\\d+\\.\\d+\\.\\d+|[0-9]{4}' }]"),
            f64::INFINITY,
        ),
        ("drop", route("all", "steps = [{ drop = 'severity=debug' }]"), f64::INFINITY),
        (
            "dedup by host and message",
            route("all", "steps = [{ dedup = [\"host\", \"message\"] }]"),
            f64::INFINITY,
        ),
    ]
}

/// Measures all cases, and prints a row for each.
pub(crate) fn run(lines: &[u8], runs: usize) -> Result<()> {
    let syslog = batches(lines);
    let json = json_batches();
    let mut found = Vec::new();
    let mut add = |name: &'static str, document: &str, most: f64, batches: &[Arc<Batch>]| -> Result<()> {
        let (_, checked) =
            check_toml(&format!("{BASICS}{document}")).map_err(|problems| anyhow!("{problems:?}"))?;
        let mut best = f64::INFINITY;
        for _ in 0..runs.max(1) {
            let router = Router::new(&checked, &Lookups::default(), None);
            let start = cpu();
            for batch in batches {
                std::hint::black_box(router.route(batch, "syslog"));
            }
            let messages: usize = batches.iter().map(|batch| batch.rows()).sum();
            best = best.min((cpu() - start) as f64 / messages as f64 / 1000.0);
        }
        let limit = if most.is_finite() { format!(", at most {most}") } else { String::new() };
        found.push((name, format!("{best:.3} us a message{limit}"), best <= most));
        Ok(())
    };
    for (name, document, most) in rows() {
        add(name, &document, most, &syslog)?;
    }
    let parse = "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ parse = \"json\" }]\n";
    add("parse of a JSON object of 300 bytes", parse, 1.0, &json)?;
    tell(&found)
}

/// The messages of the lines, in batches like those that workers build.
pub(crate) fn batches(lines: &[u8]) -> Vec<Arc<Batch>> {
    let syslog = SyslogParser::new(SourceFormat::Auto, jiff::tz::TimeZone::UTC);
    let mut framer = Framer::new(Framing::Auto, FRAME_BYTES_MAX);
    let now = Timestamp::from_nanos(1_793_600_000_000_000_000);
    let (mut batches, mut builder, mut at) = (Vec::new(), BatchBuilder::new(), 0);
    while at < lines.len() {
        let end = lines.len().min(at + CHUNK_BYTES);
        let mut found = SplitResult::default();
        let taken = framer.split(&lines[at..end], &mut found);
        builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1", received: now });
        for frame in &found.frames {
            let known = FrameContext { flags: frame.flags, peer: b"10.0.0.1", ..FrameContext::at(now) };
            syslog.parse(&lines[at + frame.start as usize..at + frame.end as usize], known, &mut builder);
        }
        batches.push(Arc::new(builder.seal()));
        at += if taken == 0 { end - at } else { taken };
    }
    batches
}

/// Messages with JSON objects of about 300 bytes, each preceded by a word so that only the step parses them.
fn json_batches() -> Vec<Arc<Batch>> {
    let line = |number: usize| {
        format!(
            "<14>1 2026-11-22T10:11:12Z web-{} api 7 - - request {{\"id\":\"{number:016x}\",\"method\":\"GET\",\"path\":\"/api/v1/orders/{number}\",\
             \"status\":{},\"duration_ms\":{}.25,\"user\":{{\"id\":{number},\"name\":\"user-{number}\",\"roles\":[\"a\",\"b\"]}},\
             \"client\":\"10.1.{}.7\",\"agent\":\"Mozilla/5.0 (X11; Linux x86_64) Gecko\",\"cached\":false,\"trace\":\"{number:032x}\"}}\n",
            number % 9,
            200 + number % 3 * 100,
            number % 900,
            number % 250,
        )
    };
    batches((0..200_000).map(line).collect::<String>().as_bytes())
}
