//! Lines with many fields, mixed by time: access lines of web servers, JSON of applications, and key=value of
//! firewalls. Trace ids are unique, and there are hundreds of thousands of users, clients and paths, as where many
//! people are served: what has few values and what has many lie side by side in a store.

use super::made::{
    Random, address_of, clock, log_uniform, micros_at, pick, skewed, time_text, trace_id, user_name, weighted,
};
use crate::corpus::START_SECOND;
use std::io::{self, Write};

const CLIENTS: u64 = 300_000;
const USERS: u64 = 200_000;
const SOURCES: u64 = 250_000;
const SITES: [&str; 4] = ["www.example.com", "shop.example.com", "search.example.net", "news.example.org"];
const NOUNS: [&str; 24] = [
    "order", "invoice", "basket", "customer", "parcel", "refund", "voucher", "product", "stock", "price",
    "review", "address", "session", "message", "report", "tariff", "contract", "booking", "ticket",
    "account", "payment", "shipment", "supplier", "rating",
];
const VERBS: [&str; 8] =
    ["created", "fetched", "updated", "deleted", "retried", "rejected", "sent", "queued"];
const COUNTRIES: [&str; 9] =
    ["United States", "Germany", "Japan", "Brazil", "India", "France", "Kenya", "Canada", "Viet Nam"];
/// Services of a firewall: port, number of the protocol, name.
const SERVICES: [(u16, u8, &str); 8] = [
    (443, 6, "HTTPS"),
    (53, 17, "DNS"),
    (80, 6, "HTTP"),
    (123, 17, "NTP"),
    (22, 6, "SSH"),
    (445, 6, "SMB"),
    (25, 6, "SMTP"),
    (3389, 6, "RDP"),
];

/// The moment of a line.
struct Moment {
    /// Microseconds since 1970.
    micros: u64,
}

impl Moment {
    fn seconds(&self) -> u64 {
        self.micros / 1_000_000 - START_SECOND
    }

    fn head(&self, out: &mut impl Write, priority: u8, process: &str) -> io::Result<()> {
        write!(out, "<{priority}>1 {} {process} - - ", time_text(self.micros))
    }
}

/// The values that are drawn from a list by weight.
struct Weights {
    statuses: Vec<usize>,
    levels: Vec<usize>,
    actions: Vec<usize>,
}

/// Writes this many lines in the format of RFC 5424.
pub(super) fn write_lines(count: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random(50);
    let weights = Weights {
        statuses: weighted(&STATUSES.map(|status| status.1)),
        levels: weighted(&LEVELS.map(|level| level.2)),
        actions: weighted(&ACTIONS.map(|action| action.1)),
    };
    // The number of lines in JSON: their traces are numbered.
    let mut objects = 0;
    for number in 0..count {
        let moment = Moment { micros: micros_at(number, count) };
        match random.below(100) {
            0..34 => access(&mut random, &weights, &moment, out)?,
            34..68 => {
                json(&mut random, &weights, objects, &moment, out)?;
                objects += 1;
            }
            _ => firewall(&mut random, &weights, number, &moment, out)?,
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

const STATUSES: [(u16, u64); 10] = [
    (200, 800),
    (304, 90),
    (302, 40),
    (404, 30),
    (301, 15),
    (206, 8),
    (403, 6),
    (500, 14),
    (401, 4),
    (503, 6),
];

fn access(random: &mut Random, weights: &Weights, moment: &Moment, out: &mut impl Write) -> io::Result<()> {
    let host = random.below(24).min(random.below(24));
    moment.head(out, 190, &format!("web-{host:02} httpd {}", 1200 + host * 8 + random.below(8)))?;
    let client = address_of(skewed(random, 4000, CLIENTS));
    let user = match random.below(40) {
        0..20 => "-".to_owned(),
        20 => "root".to_owned(),
        _ => user_name(skewed(random, 800, USERS)),
    };
    let method = pick(random, &["GET", "GET", "GET", "GET", "GET", "GET", "GET", "POST", "PUT", "DELETE"]);
    let status = STATUSES[pick(random, &weights.statuses)].0;
    let bytes = if random.below(10) < 3 { 4523 } else { log_uniform(random, 20) };
    write!(out, "{client} - {user} [01/Nov/2026:{} +0000] \"{method} ", clock(moment.seconds()))?;
    path(random, out)?;
    write!(out, " HTTP/1.1\" {status} {bytes} \"")?;
    match random.below(10) {
        0..4 => write!(out, "-")?,
        _ => {
            let name = pick(random, &NOUNS);
            write!(out, "https://{}/{name}/{}.html", pick(random, &SITES), skewed(random, 40, 2000))?;
        }
    }
    write!(out, "\" \"")?;
    agent(random, out)?;
    write!(out, "\"")
}

/// A path: of a file, of a thing with a number, or of a search.
fn path(random: &mut Random, out: &mut impl Write) -> io::Result<()> {
    let noun = pick(random, &NOUNS);
    match random.below(100) {
        0..10 => {
            write!(out, "{}", pick(random, &["/", "/login", "/health", "/cart", "/search", "/feed.xml"]))
        }
        10..45 => {
            let end = pick(random, &["js", "css", "png", "svg", "woff2"]);
            write!(out, "/static/{noun}.{:03x}.{end}", skewed(random, 8, 64))
        }
        45..60 => write!(out, "/{noun}s/{}.html", skewed(random, 20, 600)),
        60..90 => {
            let before = pick(random, &["", "/api/v1", "/v1", "/v2"]);
            let after = pick(random, &["", "", "/edit", "/lines"]);
            write!(out, "{before}/{noun}s/{}{after}", log_uniform(random, 22))
        }
        _ => {
            let others = [pick(random, &NOUNS), pick(random, &NOUNS)];
            write!(out, "/search?page={}&q={noun}+{}+{}", 1 + random.below(9), others[0], others[1])
        }
    }
}

fn agent(random: &mut Random, out: &mut impl Write) -> io::Result<()> {
    let system = pick(
        random,
        &["Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64"],
    );
    let major = 138 + random.below(9);
    match random.below(20) {
        0..11 => write!(
            out,
            "Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"
        ),
        11..14 => write!(out, "Mozilla/5.0 ({system}; rv:{major}.0) Gecko/20100101 Firefox/{major}.0"),
        14..17 => write!(
            out,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_{} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)",
            random.below(6)
        ),
        _ => write!(out, "{}", pick(random, &["curl/8.5.0", "okhttp/4.12.0", "kube-probe/1.31", "-"])),
    }
}

/// Levels: priority, name, weight.
const LEVELS: [(u8, &str, u64); 4] =
    [(14, "INFO", 700), (15, "DEBUG", 200), (12, "WARN", 60), (11, "ERROR", 25)];

fn json(
    random: &mut Random,
    weights: &Weights,
    trace: u64,
    moment: &Moment,
    out: &mut impl Write,
) -> io::Result<()> {
    const SERVICES: [&str; 7] = ["orders", "payments", "users", "search", "gateway", "stock", "mail"];
    let (priority, level, _) = LEVELS[pick(random, &weights.levels)];
    let service = pick(random, &SERVICES);
    let replica = random.below(6);
    moment.head(out, priority, &format!("{service}-{replica} java {}", 7 + replica))?;
    let within = moment.micros % 1_000_000 / 1000;
    let role = pick(random, &["Service", "Client", "Controller", "Repository"]);
    let thread = match random.below(30) {
        0 => "scheduler-1".to_owned(),
        _ => format!("http-nio-8080-exec-{}", 1 + random.below(32)),
    };
    write!(
        out,
        "{{\"ts\":\"2026-11-01T{}.{within:03}Z\",\"level\":\"{level}\",\"logger\":\"com.example.{service}.{}{role}\",\
         \"thread\":\"{thread}\",\"message\":\"",
        clock(moment.seconds()),
        pick(random, &["Order", "Stock", "Ledger", "Index", "Login"]),
    )?;
    said(random, out)?;
    let span = random.next();
    let micros = log_uniform(random, 21);
    write!(
        out,
        "\",\"trace_id\":\"{}\",\"span_id\":\"{span:016x}\",\"user_id\":{},\"duration_ms\":{}.{:03}",
        trace_id(trace),
        100_000 + skewed(random, 5000, USERS),
        micros / 1000,
        micros % 1000
    )?;
    request(random, out)?;
    if level == "ERROR" && random.below(2) == 0 {
        stack(random, out)?;
    }
    write!(out, "}}")
}

/// The request that a JSON line is about.
fn request(random: &mut Random, out: &mut impl Write) -> io::Result<()> {
    let method = pick(random, &["GET", "GET", "POST", "PUT"]);
    let status = pick(random, &[200, 200, 200, 201, 201, 200, 404, 500]);
    let [version, noun] = [pick(random, &["api", "v1", "v2"]), NOUNS[random.below(14) as usize]];
    write!(
        out,
        ",\"http\":{{\"method\":\"{method}\",\"route\":\"/{version}/{noun}s/{{id}}\",\"status\":{status},\
         \"client\":{{\"ip\":\"10.{}.{}.{}\",\"tls\":true}}}}",
        random.below(40),
        random.below(10),
        1 + random.below(254)
    )
}

/// The text of a JSON line.
fn said(random: &mut Random, out: &mut impl Write) -> io::Result<()> {
    let [thing, other] = [pick(random, &NOUNS), pick(random, &NOUNS)];
    let verb = pick(random, &VERBS);
    let id = log_uniform(random, 26);
    let number = log_uniform(random, 14);
    match random.below(6) {
        0 => write!(out, "{thing} {id} {verb} in {number} ms"),
        1 => write!(out, "{verb} {thing} {id} with {number} {other} entries"),
        2 => write!(out, "{thing}={id} {other}={number} {verb}"),
        3 => write!(out, "Request for \\\"{thing}/{id}\\\" took {number} us"),
        4 => write!(out, "Cache {other}: {id} hits, {number} misses"),
        _ => write!(out, "Überweisung {thing} {id} → {other} {number} € {verb}"),
    }
}

fn stack(random: &mut Random, out: &mut impl Write) -> io::Result<()> {
    let error = pick(random, &["NullPointerException", "SocketTimeoutException", "IllegalStateException"]);
    write!(out, ",\"stack\":\"java.lang.{error}: {} {}", pick(random, &NOUNS), random.below(10_000))?;
    for _ in 0..6 + random.below(20) {
        let [package, class] = [pick(random, &NOUNS), pick(random, &NOUNS)];
        let verb = pick(random, &VERBS);
        write!(
            out,
            "\\n\\tat com.example.{package}.{class}.{verb}({class}.java:{})",
            10 + random.below(900)
        )?;
    }
    write!(out, "\"")
}

const ACTIONS: [(&str, u64); 4] = [("accept", 60), ("close", 25), ("deny", 12), ("timeout", 3)];

fn firewall(
    random: &mut Random,
    weights: &Weights,
    number: u64,
    moment: &Moment,
    out: &mut impl Write,
) -> io::Result<()> {
    let device = random.below(12);
    let action = ACTIONS[pick(random, &weights.actions)].0;
    let priority = if action == "deny" { 188 } else { 189 };
    moment.head(out, priority, &format!("fw-{device:02} traffic 411"))?;
    let (port, protocol, service) = pick(random, &SERVICES);
    let interfaces = ["port1", "port2", "dmz", "wan1", "wan2"];
    let inside = skewed(random, 3000, SOURCES);
    write!(
        out,
        "date=2026-11-01 time={} devname=\"fw-{device:02}\" devid=\"FG{:08}\" type=traffic subtype=forward \
         srcip=10.{}.{}.{} srcport={} srcintf=\"{}\" dstip={} dstport={port} dstintf=\"{}\" proto={protocol} \
         service=\"{service}\" action={action} policyid={} sessionid={}",
        clock(moment.seconds()),
        4_000_000 + device * 77,
        inside % 13,
        inside / 13 % 256,
        1 + inside / 3328 % 254,
        1024 + random.below(64_512),
        pick(random, &interfaces),
        address_of(skewed(random, 2000, CLIENTS)),
        pick(random, &interfaces),
        1 + random.below(120),
        70_000_000 + number * 7,
    )?;
    if random.below(4) == 0 {
        write!(out, " user=\"{}\"", user_name(skewed(random, 800, USERS)))?;
    }
    write!(
        out,
        " srccountry=\"Reserved\" dstcountry=\"{}\" duration={} sentbyte={} rcvdbyte={} sentpkt={}",
        pick(random, &COUNTRIES),
        log_uniform(random, 12),
        log_uniform(random, 24),
        log_uniform(random, 25),
        log_uniform(random, 13)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_formats_are_mixed_and_contain_what_is_asked() {
        let made = || {
            let mut out = Vec::new();
            write_lines(60_000, &mut out).expect("a vector");
            String::from_utf8(out).expect("text")
        };
        let lines = made();
        assert_eq!(lines, made());
        assert_eq!(lines.lines().count(), 60_000);
        let asked = [
            " httpd ", " java ", " traffic ", "queued in ", "action=deny", "dstport=22", " 503 ", "Firefox/",
            "\"ERROR\"", "\"stack\"", "http-nio-8080-exec-2\"", " root [", "action=timeout", "\"10.18.",
        ];
        let missing: Vec<_> = asked.iter().filter(|text| !lines.contains(**text)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(lines.contains(&trace_id(1000)), "the line with this trace is one in JSON");
    }

    #[test]
    fn json_is_json() {
        let mut out = Vec::new();
        write_lines(2000, &mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        let objects =
            text.lines().filter_map(|line| line.split_once(" - - {")).map(|(_, rest)| format!("{{{rest}"));
        let objects: Vec<_> = objects.collect();
        assert!(300 < objects.len());
        for object in objects {
            let read: Result<serde_json::Value, _> = serde_json::from_str(&object);
            assert!(read.is_ok(), "{object}");
        }
    }
}
