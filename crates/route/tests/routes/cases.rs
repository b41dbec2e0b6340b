//! The meaning of routes and steps by example: documents, messages and results.
//!
//! Keywords: routes, filters, steps, targets.

use logstead_config::{Checked, RouteTarget, check_toml};
use logstead_record::{
    Batch, BatchBuilder, Field, Flags, Origin, Priority, Row, SECOND, Selection, Timestamp,
};
use logstead_route::{LookupTable, Lookups, Router, RoutingResult};
use proptest::prelude::*;
use std::sync::Arc;

const BASICS: &str = "version = 1\n[[sources]]\nid = \"in\"\nkind = \"http\"\n[[sources]]\nid = \"own\"\nkind = \"internal\"\n\
    [[logspaces]]\nid = \"main\"\n[[logspaces]]\nid = \"fw\"\n[[logspaces]]\nid = \"rest\"\n\
    [[destinations]]\nid = \"off\"\nkind = \"file\"\npath = \"x\"\nenabled = false\n";

/// A document with these routes, each as `id: keys; keys`.
fn document(routes: &str) -> Checked {
    let routes = routes.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| {
        let (id, keys) = line.split_once(": ").unwrap();
        format!("[[routes]]\nid = \"{id}\"\n{}\n", keys.replace("; ", "\n"))
    });
    let text = format!("{BASICS}{}", routes.collect::<String>());
    check_toml(&text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}")).1
}

fn lookups() -> Lookups {
    let lookups = Lookups::default();
    lookups.put("assets.csv", LookupTable::parse(b"host,owner,site\nweb-1,ann,ber\nweb-2,bob,\n").unwrap());
    lookups
}

/// Messages as `host severity message name=value …`, each received a second after the one before.
fn batch(messages: &[&str]) -> Arc<Batch> {
    let mut builder = BatchBuilder::new();
    for (number, message) in messages.iter().enumerate() {
        let received = Timestamp::from_nanos(number as i64 * SECOND);
        builder.origin(Origin { source: b"in", peer: b"10.0.0.9", received });
        let mut parts = message.splitn(3, ' ');
        let (host, severity, text) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let (text, fields) = text.split_once(" | ").unwrap_or((text, ""));
        for (name, value) in fields.split(' ').filter_map(|field| field.split_once('=')) {
            builder.field(name.as_bytes(), value.as_bytes());
        }
        let severity: logstead_record::Severity = severity.parse().unwrap();
        let priority = Priority::new(8 + severity.number());
        let raw = format!("{message}\n");
        let row = Row { priority, message_at: None, ..Row::text(raw.as_bytes()) };
        builder.push(&row.with(Field::Host, host.as_bytes()).with(Field::Message, text.as_bytes()));
    }
    Arc::new(builder.seal())
}

/// A message in the form that [`batch`] reads, with `!` if it is flagged.
fn shown(batch: &Batch, row: usize) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let severity = batch.priority(row).map_or("-", |priority| priority.severity().name());
    let fields: Vec<String> =
        batch.fields(row).map(|(name, value)| format!("{}={}", text(name), text(value))).collect();
    let fields = if fields.is_empty() { String::new() } else { format!(" | {}", fields.join(" ")) };
    let flag = if batch.flags(row).has(Flags::UNPARSED) { "!" } else { "" };
    format!("{flag}{} {severity} {}{fields}", text(batch.host(row)), text(batch.message(row)))
}

fn raw(batch: &Batch, row: usize) -> Vec<u8> {
    let mut raw = Vec::new();
    batch.write_raw(row, &mut raw);
    raw
}

/// The messages of each target, with their numbers: `main: 0 host severity message; …`.
fn told(router: &Router, batch: &Arc<Batch>, routed: &RoutingResult) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for delivery in &routed.deliveries {
        let RouteTarget::Logspace(id) = &router.targets[delivery.target] else { panic!("a logspace") };
        let own = delivery.batch.clone().unwrap_or_else(|| Arc::new(batch.take(&delivery.rows)));
        assert_eq!(own.rows(), delivery.rows.count());
        Batch::from_columns(own.columns().clone()).unwrap();
        let messages: Vec<String> =
            delivery.rows.iter().enumerate().map(|(at, row)| format!("{row} {}", shown(&own, at))).collect();
        told.push(format!("{id}{}: {}", if delivery.flow_control { "" } else { "?" }, messages.join("; ")));
    }
    for dropped in &routed.dropped {
        let rows: Vec<String> = dropped.rows.iter().map(|row| row.to_string()).collect();
        let id = router.routes().nth(dropped.route).unwrap();
        told.push(format!("{id}/{}: {}", dropped.step + 1, rows.join(" ")));
    }
    if !routed.disabled.is_empty() {
        let rows: Vec<String> = routed.disabled.iter().map(|row| row.to_string()).collect();
        told.push(format!("disabled: {}", rows.join(" ")));
    }
    if 0 < routed.unrouted {
        told.push(format!("unrouted: {}", routed.unrouted));
    }
    told
}

#[track_caller]
fn check(routes: &str, messages: &[&str], expected: &[&str]) {
    let router = Router::new(&document(routes), &lookups(), None);
    let batch = batch(messages);
    let routed = router.route(&batch, "in");
    assert_eq!(told(&router, &batch, &routed), expected, "{routes}");
}

/// One route to `main` with these steps.
#[track_caller]
fn steps(steps: &str, messages: &[&str], expected: &[&str]) {
    check(&format!("r: to = [\"main\"]; steps = [{steps}]"), messages, expected);
}

const TWO: [&str; 2] = ["web-1 err disk full", "web-2 info all is well"];

#[test]
fn routes_take_in_order() {
    let main = "main: 0 web-1 err disk full; 1 web-2 info all is well";
    check("all: to = [\"main\"]", &TWO, &[main]);
    check("all: to = [\"main\", \"fw\"]", &TWO, &[main, &main.replace("main", "fw")]);
    check("all: to = [\"main\"]\nmore: to = [\"main\"]", &TWO, &[main]);
    check("own: from = [\"own\"]; to = [\"main\"]", &TWO, &["unrouted: 2"]);
    check("in: from = [\"in\"]; to = [\"main\"]", &TWO, &[main]);
    check("off: enabled = false; to = [\"main\"]", &TWO, &["unrouted: 2"]);
    check("off: enabled = false; final = true; to = [\"fw\"]\nall: to = [\"main\"]", &TWO, &[main]);
    check("copy: to = [\"main\", \"off\"]", &TWO, &[main]);
    check("away: to = [\"off\"]", &TWO, &["disabled: 0 1"]);
    check(
        "away: to = [\"off\"]\nfew: where = 'disk'; to = [\"fw\"]",
        &TWO,
        &["fw: 0 web-1 err disk full", "disabled: 1"],
    );
    check("few: where = 'disk'; to = [\"fw\"]", &TWO, &["fw: 0 web-1 err disk full", "unrouted: 1"]);
    for (filter, expected) in [
        ("\"all well\"~1", &["fw: 1 web-2 info all is well", "unrouted: 1"][..]),
        ("message:\"all w\"~1*", &["fw: 1 web-2 info all is well", "unrouted: 1"]),
        ("\"all well\"~0", &["unrouted: 2"]),
    ] {
        check(&format!("few: where = '{filter}'; to = [\"fw\"]"), &TWO, expected);
    }
    let few = "few: where = 'disk'; final = true; to = [\"fw\"]";
    check(
        &format!("{few}\nall: to = [\"main\"]"),
        &TWO,
        &["fw: 0 web-1 err disk full", "main: 1 web-2 info all is well"],
    );
    check(
        &format!("{}\nall: to = [\"main\"]", few.replace("final = true; ", "")),
        &TWO,
        &["fw: 0 web-1 err disk full", main],
    );
    check(
        &format!("{}\nrest: fallback = true; to = [\"rest\"]", few.replace("final = true; ", "")),
        &TWO,
        &["fw: 0 web-1 err disk full", "rest: 1 web-2 info all is well"],
    );
    check(
        "rest: fallback = true; to = [\"rest\"]\nall: to = [\"main\"]",
        &TWO,
        &[&main.replace("main", "rest"), main],
    );
    check("one: where = 'disk'; to = [\"main\"]\ntwo: where = 'well'; to = [\"main\"]", &TWO, &[main]);
    check("all: to = [\"main\"]; flow_control = false", &TWO, &[&main.replace("main", "main?")]);
    check(
        "few: where = 'disk'; to = [\"main\"]; flow_control = false\nall: where = 'well'; to = [\"main\"]",
        &TWO,
        &[main],
    );
    check("old: where = 'received<now-1h'; to = [\"fw\"]\nall: to = [\"main\"]", &TWO, &[main]);
}

#[test]
fn a_filter_may_look_into_messages() {
    const MESSAGES: [&str; 3] = ["a info {\"n\":7}", "b info {\"n\":70}", "c info plain"];
    let stages = |stages: &str, expected: &[&str]| {
        check(&format!("big: where = '* | {stages}'; to = [\"fw\"]"), &MESSAGES, expected);
    };
    // The stages decide which messages the route takes, and leave these unchanged.
    stages("parse json | where n>9", &["fw: 1 b info {\"n\":70}", "unrouted: 2"]);
    stages("parse json | eval half = n / 2 | where half<9", &["fw: 0 a info {\"n\":7}", "unrouted: 2"]);
    stages("where host=c", &["fw: 2 c info plain", "unrouted: 2"]);
    stages("extract \"pl<x>n\" | where x:*", &["fw: 2 c info plain", "unrouted: 2"]);
    stages("eval late = received > now() + 1s | where late=true", &["fw: 2 c info plain", "unrouted: 2"]);
    stages("parse json | fields n", &["fw: 0 a info {\"n\":7}; 1 b info {\"n\":70}; 2 c info plain"]);
}

#[test]
fn a_route_changes_messages_for_its_own_targets() {
    let masked = "fw: 0 web-1 err disk ****; 1 web-2 info all is well";
    let main = "main: 0 web-1 err disk full; 1 web-2 info all is well";
    let mask = "few: to = [\"fw\"]; steps = [{ mask = 'full' }]";
    check(&format!("{mask}\nall: to = [\"main\"]"), &TWO, &[masked, main]);
    check(&format!("all: to = [\"main\"]\n{mask}"), &TWO, &[main, masked]);
    check(
        &format!("{mask}\nlate: where = 'full'; to = [\"main\"]"),
        &TWO,
        &[masked, "main: 0 web-1 err disk full"],
    );
    // A target gets the first version of a message, in the order of receipt.
    check(
        "one: where = 'well'; to = [\"main\"]; steps = [{ tag = [\"t\"] }]\nall: to = [\"main\"]",
        &["a err x", "b err well", "c err y"],
        &["main: 0 a err x; 1 b err well | tags=t; 2 c err y"],
    );
    check(
        "all: to = [\"main\"]\none: where = 'well'; to = [\"main\"]; steps = [{ tag = [\"t\"] }]",
        &["a err x", "b err well"],
        &["main: 0 a err x; 1 b err well"],
    );
    // A message that a step drops in one route may be kept in another.
    let drop = "few: final = false; to = [\"fw\"]; steps = [{ drop = 'disk' }]";
    check(&format!("{drop}\nall: to = [\"main\"]"), &TWO, &["fw: 1 web-2 info all is well", main]);
    check(drop, &TWO, &["fw: 1 web-2 info all is well", "few/1: 0"]);
    check(
        &format!(
            "{drop}\nmore: where = 'disk'; to = [\"rest\"]; steps = [{{ tag = [\"a\"] }}, {{ drop = '*' }}]"
        ),
        &TWO,
        &["fw: 1 web-2 info all is well", "few/1: 0"],
    );
    check(
        &format!("{}\nall: to = [\"main\"]", drop.replace("false", "true")),
        &TWO,
        &["fw: 1 web-2 info all is well", "few/1: 0"],
    );
    check("all: to = [\"main\"]; steps = [{ drop = '*' }]", &TWO, &["all/1: 0 1"]);
    check(
        "all: to = [\"main\"]; steps = [{ keep = 'well' }, { drop = 'well' }]",
        &TWO,
        &["all/1: 0", "all/2: 1"],
    );
}

#[test]
fn steps_give_fields_values() {
    let one = |message: &'static str| [message];
    let m = |message: &str| format!("main: 0 {message}");
    let check =
        |step: &str, message: &'static str, expected: &str| steps(step, &one(message), &[&m(expected)]);
    check("{ set = { zone = \"dmz\" } }", "a err x", "a err x | zone=dmz");
    check("{ set = { zone = \"dmz\" } }", "a err x | zone=lan b=1", "a err x | b=1 zone=dmz");
    check("{ set = { Zone = \"dmz\" } }", "a err x | zone=dmz", "a err x | zone=dmz");
    check(
        "{ set = { who = \"{user}@{host} {{x}}\" } }",
        "a err x | user=ann",
        "a err x | user=ann who=ann@a {x}",
    );
    check("{ set = { host = \"{device}\" } }", "a err x | device=fw7", "fw7 err x | device=fw7");
    check("{ set = { host = \"{device}\" } }", "a err x", " err x");
    check("{ set = { message = \"{host}: {message}\" } }", "a err x", "a err a: x");
    check("{ set = { severity = \"debug\" } }", "a err x", "a debug x");
    check("{ set = { severity = 2 } }", "a err x", "a crit x");
    check("{ set = { severity = \"{level}\" } }", "a err x | level=high", "a err x | level=high");
    // A template writes all values of a field; a field that every message has is one text.
    check(
        "{ set = { all = \"{tags}\" } }",
        "a err x | tags=b tags=c Tags=d",
        "a err x | tags=b tags=c Tags=d all=b, c, d",
    );
    check("{ set = { host = \"{dev}\" } }", "a err x | dev=b dev=c", "b, c err x | dev=b dev=c");
    check("{ set = { a = \"{b}\", b = \"{a}\" } }", "h err x | a=1 b=2", "h err x | a=2 b=1");
    check("{ unset = [\"a\"] }", "h err x | a=1 b=2 A=3", "h err x | b=2");
    check("{ unset = [\"host\"] }", "h err x", " err x");
    check("{ unset = [\"c\"] }", "h err x | a=1", "h err x | a=1");
    check("{ rename = { src = \"src_ip\" } }", "h err x | src=1 b=2", "h err x | b=2 src_ip=1");
    check("{ rename = { c = \"d\" } }", "h err x | a=1", "h err x | a=1");
    check("{ rename = { dev = \"host\" } }", "h err x | dev=fw", "fw err x");
    check("{ rename = { src = \"ip\" } }", "h err x | src=1 b=2 Src=3 ip=0", "h err x | b=2 ip=1 ip=3");
    check("{ rename = { dev = \"host\" } }", "h err x | dev=fw dev=gw b=1", "fw, gw err x | b=1");
    check("{ rename = { a = \"b\", b = \"a\" } }", "h err x | a=1 a=2 b=3", "h err x | b=1 b=2 a=3");
    check("{ tag = [\"pci\", \"eu\"] }", "h err x | tags=eu", "h err x | tags=eu tags=pci");
    check(
        "{ lookup = \"assets.csv\", key = \"host\", set = [\"owner\", \"site\"] }",
        "web-1 err x",
        "web-1 err x | owner=ann site=ber",
    );
    check(
        "{ lookup = \"assets.csv\", key = \"host\", set = [\"owner\", \"site\"] }",
        "web-2 err x",
        "web-2 err x | owner=bob",
    );
    check("{ lookup = \"assets.csv\", key = \"host\", set = [\"owner\"] }", "web-9 err x", "web-9 err x");
    check("{ lookup = \"none.csv\", key = \"host\", set = [\"owner\"] }", "web-1 err x", "web-1 err x");
    check(
        "{ set = { a = \"1\" }, where = 'x' }, { set = { b = \"2\" }, where = 'a=1' }, { set = { c = \"3\" }, where = 'a=2' }",
        "h err x",
        "h err x | a=1 b=2",
    );
}

#[test]
fn steps_parse_texts() {
    let check = |step: &str, message: &'static str, expected: &str| {
        steps(step, &[message], &[&format!("main: 0 {expected}")])
    };
    check(
        "{ parse = \"json\" }",
        "a err {\"x\":1,\"y\":{\"z\":\"w\"}}",
        "a err {\"x\":1,\"y\":{\"z\":\"w\"}} | x=1 y.z=w",
    );
    check(
        "{ parse = \"json\" }",
        "a err {\"host\":\"b\",\"msg\":\"m\"}",
        "a err {\"host\":\"b\",\"msg\":\"m\"} | json.host=b json.msg=m",
    );
    check(
        "{ parse = \"json\", prefix = \"app.\" }",
        "a err {\"host\":\"b\"}",
        "a err {\"host\":\"b\"} | app.host=b",
    );
    check("{ parse = \"json\" }", "a err no json", "!a err no json");
    check(
        "{ parse = \"kv\" }",
        "a err user=root from=\"x y\"",
        "a err user=root from=\"x y\" | user=root from=x y",
    );
    check("{ parse = \"kv\", field = \"f\" }", "a err x | f=user=root", "a err x | f=user=root user=root");
    // A missing value does not count as one in a wrong format.
    check("{ parse = \"kv\", field = \"g\" }", "a err x | f=1", "a err x | f=1");
    check("{ parse = \"json\", field = \"program\" }", "a err x", "a err x");
    check("{ parse = \"kv\", field = \"f\" }", "a err x | f=1", "!a err x | f=1");
    check(
        "{ parse = \"kv\" }",
        "a err bytes=1,000 n=2,m=3",
        "a err bytes=1,000 n=2,m=3 | bytes=1,000 n=2 m=3",
    );
    check(
        "{ parse = \"cef\" }",
        "a err CEF:0|v|p|1|7|n|5|src=1.2.3.4",
        "a err CEF:0|v|p|1|7|n|5|src=1.2.3.4 | cef.vendor=v cef.product=p cef.version=1 cef.id=7 cef.name=n cef.severity=5 src=1.2.3.4",
    );
    check(
        "{ parse = \"leef\" }",
        "a err LEEF:2.0|v|p|1|7|^|src=1^dst=2",
        "a err LEEF:2.0|v|p|1|7|^|src=1^dst=2 | leef.vendor=v leef.product=p leef.version=1 leef.id=7 src=1 dst=2",
    );
    check(
        "{ parse = \"csv\", columns = [\"a\", \"\", \"c\"] }",
        "h err 1,2,\"3,4\"",
        "h err 1,2,\"3,4\" | a=1 c=3,4",
    );
    check("{ parse = \"csv\", columns = [\"a\"] }", "h err 1,2", "!h err 1,2");
    check(
        "{ parse = \"regex\", pattern = '(?P<n>\\d+) times' }",
        "h err seen 12 times",
        "h err seen 12 times | n=12",
    );
    check(
        "{ parse = \"extract\", pattern = \"user=<user> from <ip>\" }",
        "h err user=bob from ::1",
        "h err user=bob from ::1 | user=bob ip=::1",
    );
    check("{ parse = \"extract\", pattern = \"user=<user> from <ip>\" }", "h err nobody", "!h err nobody");
    steps(
        "{ parse = \"json\", where = 'host=a' }",
        &["a err {\"x\":1}", "b err {\"x\":1}"],
        &["main: 0 a err {\"x\":1} | x=1; 1 b err {\"x\":1}"],
    );
}

#[test]
fn steps_replace_and_mask() {
    let check = |step: &str, message: &'static str, expected: &str| {
        steps(step, &[message], &[&format!("main: 0 {expected}")])
    };
    check("{ replace = 'o+', with = \"0\" }", "h err foo bar", "h err f0 bar");
    check("{ replace = '(\\w+) (\\w+)', with = \"$2 $1\" }", "h err foo bar", "h err bar foo");
    check(
        "{ replace = 'o', with = \"0\", in = [\"host\", \"a\"] }",
        "foo err foo | a=oo b=o",
        "f00 err foo | b=o a=00",
    );
    check("{ replace = 'x', with = \"y\" }", "h err foo", "h err foo");
    check(
        "{ mask = '\\b\\d{13,16}\\b' }",
        "h err card 4929821157340412 ok | card=4929821157340412 n=7",
        "h err card **** ok | card=**** n=7",
    );
    check("{ mask = 'h\\d', with = \"#\" }", "h1 err from h1 | x=h1", "# err from # | x=#");
    check("{ mask = '^b$' }", "h err a b c | x=b", "h err a **** c | x=****");
    let router =
        Router::new(&document("r: to = [\"main\"]; steps = [{ mask = 'secret' }]"), &lookups(), None);
    let batch = batch(&["h err a secret b", "h err c"]);
    let routed = router.route(&batch, "in");
    let own = routed.deliveries[0].batch.as_ref().unwrap();
    assert_eq!(raw(own, 0), b"h err a **** b\n");
    assert_eq!(raw(own, 1), b"h err c\n");
}

#[test]
fn steps_thin() {
    let five = ["a err x", "a err x", "b err x", "a err y", "a err x"];
    steps("{ sample = 0.5 }", &five, &["main: 0 a err x; 2 b err x; 4 a err x", "r/1: 1 3"]);
    steps("{ sample = 0.5, by = [\"host\"] }", &five, &["main: 0 a err x; 2 b err x; 3 a err y", "r/1: 1 4"]);
    steps("{ throttle = \"1/m\", by = [\"host\"] }", &five, &["main: 0 a err x; 2 b err x", "r/1: 1 3 4"]);
    steps(
        "{ dedup = [\"host\", \"message\"], within = \"3s\" }",
        &five,
        &["main: 0 a err x; 2 b err x; 3 a err y; 4 a err x | repeated=1", "r/1: 1"],
    );
    // All values of a field count, and so do their boundaries.
    let tagged =
        ["a err x | t=1 t=2", "a err x | t=1 t=3", "a err x | t=1", "a err x | t=1 T=2", "a err x | t=12"];
    steps(
        "{ dedup = [\"t\"], within = \"1h\" }",
        &tagged,
        &["main: 0 a err x | t=1 t=2; 1 a err x | t=1 t=3; 2 a err x | t=1; 4 a err x | t=12", "r/1: 3"],
    );
    steps(
        "{ drop = 'severity:debug' }",
        &five,
        &["main: 0 a err x; 1 a err x; 2 b err x; 3 a err y; 4 a err x"],
    );
    steps("{ keep = 'y' }", &five, &["main: 3 a err y", "r/1: 0 1 2 4"]);
    steps("{ keep = 'y', where = 'host=a' }", &five, &["main: 2 b err x; 3 a err y", "r/1: 0 1 4"]);
}

#[test]
fn what_changes_nothing_is_not_copied() {
    for steps in [
        "",
        "{ drop = 'nothing' }",
        "{ mask = 'nothing' }",
        "{ replace = 'q', with = \"\" }",
        "{ set = { a = \"1\" }, where = 'nothing' }",
        "{ sample = 1 }",
    ] {
        let router = Router::new(
            &document(&format!("r: to = [\"main\", \"fw\"]; steps = [{steps}]")),
            &lookups(),
            None,
        );
        let routed = router.route(&batch(&TWO), "in");
        assert!(routed.deliveries.iter().all(|delivery| delivery.batch.is_none()), "{steps}");
    }
    let router =
        Router::new(&document("r: to = [\"main\", \"fw\"]; steps = [{ tag = [\"a\"] }]"), &lookups(), None);
    let routed = router.route(&batch(&TWO), "in");
    let [main, fw] = [0, 1].map(|at| routed.deliveries[at].batch.clone().unwrap());
    assert!(Arc::ptr_eq(&main, &fw), "both targets have one batch");
}

#[test]
fn what_a_step_remembers_survives_a_change_elsewhere() {
    let thin = "r: to = [\"main\"]; steps = [{ sample = 0.5 }]";
    let first = Router::new(&document(thin), &lookups(), None);
    first.route(&batch(&["a err x"]), "in");
    let second =
        Router::new(&document(&format!("new: where = 'q'; to = [\"fw\"]\n{thin}")), &lookups(), Some(&first));
    assert_eq!(second.route(&batch(&["a err x"]), "in").deliveries.len(), 0);
    let other = Router::new(&document(&thin.replace("0.5", "0.4")), &lookups(), Some(&second));
    assert_eq!(other.route(&batch(&["a err x"]), "in").deliveries.len(), 1, "another step begins anew");
}

/// The messages that each target gets, with their raw bytes, if they are routed in batches of this size.
fn outcome(document: &Checked, messages: &[String], sizes: usize) -> Vec<String> {
    let router = Router::new(document, &lookups(), None);
    let texts: Vec<&str> = messages.iter().map(String::as_str).collect();
    let whole = batch(&texts);
    let mut told = vec![Vec::new(); router.targets.len() + 1];
    for start in (0..messages.len()).step_by(sizes) {
        let end = (start + sizes).min(messages.len());
        let part =
            Arc::new(whole.take(&Selection::from_fn(messages.len(), |row| (start..end).contains(&row))));
        let routed = router.route(&part, "in");
        for delivery in &routed.deliveries {
            let own = delivery.batch.clone().unwrap_or_else(|| Arc::new(part.take(&delivery.rows)));
            for (at, row) in delivery.rows.iter().enumerate() {
                told[delivery.target].push(format!(
                    "{} {} {:?}",
                    start + row,
                    shown(&own, at),
                    raw(&own, at)
                ));
            }
        }
        for dropped in &routed.dropped {
            told.last_mut().unwrap().extend(
                dropped.rows.iter().map(|row| format!("{} {}.{}", start + row, dropped.route, dropped.step)),
            );
        }
    }
    told.last_mut().unwrap().sort();
    told.into_iter().map(|target| target.join("\n")).collect()
}

fn a_step() -> impl Strategy<Value = String> {
    let steps = [
        "{ parse = \"kv\" }",
        "{ parse = \"json\", where = 'a' }",
        "{ set = { zone = \"{host}\", host = \"n\" } }",
        "{ set = { message = \"{message}!\" }, where = 'host=a' }",
        "{ unset = [\"a\", \"host\"] }",
        "{ rename = { a = \"c\" } }",
        "{ replace = '[ab]', with = \"_\", in = [\"message\", \"a\"] }",
        "{ mask = 'a+' }",
        "{ drop = 'b' }",
        "{ keep = 'a or b' }",
        "{ sample = 0.5, by = [\"host\"] }",
        "{ throttle = \"2/m\" }",
        "{ dedup = [\"message\"], within = \"3s\" }",
        "{ tag = [\"t\"] }",
        "{ lookup = \"assets.csv\", key = \"host\", set = [\"owner\"] }",
    ];
    proptest::sample::select(steps.map(str::to_owned).to_vec())
}

fn routes() -> impl Strategy<Value = String> {
    let filter = proptest::sample::select(vec![
        "*",
        "a",
        "host=a",
        "-b",
        "severity>=err",
        "* | parse kv | where a=1",
        "a | parse json | where -a=b",
    ]);
    let to = proptest::sample::select(vec!["\"main\"", "\"fw\"", "\"main\", \"fw\"", "\"rest\", \"main\""]);
    let route = (filter, to, proptest::collection::vec(a_step(), 0..4), any::<[bool; 2]>());
    proptest::collection::vec(route, 1..4).prop_map(|routes| {
        let mut text = String::new();
        for (at, (filter, to, steps, [is_final, fallback])) in routes.iter().enumerate() {
            let steps = steps.join(", ");
            text += &format!(
                "r{at}: where = '{filter}'; to = [{to}]; final = {is_final}; fallback = {fallback}; steps = [{steps}]\n"
            );
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn routing_a_batch_is_routing_its_messages_one_by_one(
        routes in routes(),
        messages in proptest::collection::vec("(a|b|web-1) (err|info) (a=1 b|\\{\"a\":\"b\"\\}|aa|b|c)( \\| a=[ab])?", 1..12),
        size in 2_usize..6,
    ) {
        let document = document(&routes);
        let one_by_one = outcome(&document, &messages, 1);
        prop_assert_eq!(&outcome(&document, &messages, size), &one_by_one, "{}", routes);
        prop_assert_eq!(&outcome(&document, &messages, messages.len()), &one_by_one, "{}", routes);
    }

    #[test]
    fn a_masked_text_is_nowhere(
        messages in proptest::collection::vec("(a1b|x|h77) err ([a-c1-3 ]{0,8}|a1b2|1 2 3)( \\| (k|a1)=([a-c1-3]{1,5}|77))?", 1..6),
        pattern in proptest::sample::select(vec!["[0-9]+", "a1", "^a", "b\\d", "[0-9]", "\\b1\\b"]),
    ) {
        let router = Router::new(&document(&format!("r: to = [\"main\"]; steps = [{{ mask = '{pattern}', with = \"#\" }}]")), &lookups(), None);
        let texts: Vec<&str> = messages.iter().map(String::as_str).collect();
        let batch = batch(&texts);
        let regex = logstead_query::Regex::new(pattern, false).unwrap();
        let routed = router.route(&batch, "in");
        let own = routed.deliveries[0].batch.clone().unwrap_or(batch.clone());
        for row in 0..batch.rows() {
            let before = [batch.message(row), batch.host(row)].map(<[u8]>::to_vec).into_iter()
                .chain(batch.fields(row).flat_map(|(name, value)| [name.to_vec(), value.to_vec()]))
                .chain([raw(&batch, row)]);
            let secrets: Vec<Vec<u8>> =
                before.flat_map(|text| regex.compiled().find_iter(&text).map(|found| found.as_bytes().to_vec()).collect::<Vec<_>>()).collect();
            let mut after = raw(&own, row);
            for part in [own.message(row), own.host(row)] {
                after.push(b'\n');
                after.extend_from_slice(part);
            }
            own.fields(row).for_each(|(name, value)| { after.push(b'\n'); after.extend_from_slice(name); after.push(b'\n'); after.extend_from_slice(value); });
            for secret in secrets {
                // `err` is not a text of the message, but occurs in its raw bytes.
                prop_assert!(memchr::memmem::find(&after, &secret).is_none(), "{:?} in {:?}", String::from_utf8_lossy(&secret), String::from_utf8_lossy(&after));
            }
        }
        for names in &own.columns().names {
            let is_used = |id: u32| names.ids().contains(&id) || names.values().get(id as usize).is_empty();
            prop_assert!((0..names.values().len() as u32).all(is_used), "a value that no message has stays behind");
        }
    }
}
