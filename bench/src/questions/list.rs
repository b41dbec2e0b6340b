//! The questions: forty-nine to logs of servers, and thirty-one to logs with many fields. Each is of a kind that people ask,
//! and most stress one part of the engine. Both lists belong to the lines that this command generates.

use clap::ValueEnum;

/// The lines that a question is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum QuestionSet {
    /// Texts of daemons and of the kernel
    Syslog,
    /// Access lines, JSON and key=value
    Fields,
}

/// The request that a question is sent as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RequestKind {
    Count,
    /// The newest 100 messages.
    Newest,
    /// The oldest 100 messages.
    Oldest,
    /// Counts in spans of this length.
    Histogram(&'static str),
    /// The ten most frequent values of these fields.
    Facets(&'static [&'static str]),
    /// A table, as the stages say.
    Aggregate,
}

/// The messages that a question may find, by their time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AskedTime {
    Day,
    /// The last fifteen minutes.
    Last,
}

/// One question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) name: &'static str,
    pub(super) query: &'static str,
    pub(super) kind: RequestKind,
    pub(super) time: AskedTime,
}

impl Question {
    /// The query without its stages.
    pub(super) fn filter(&self) -> &'static str {
        self.query.split_once(" | ").map_or(self.query, |(filter, _)| filter)
    }
}

impl RequestKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            RequestKind::Count => "count",
            RequestKind::Newest => "newest",
            RequestKind::Oldest => "oldest",
            RequestKind::Histogram(_) => "histogram",
            RequestKind::Facets(_) => "facets",
            RequestKind::Aggregate => "aggregate",
        }
    }
}

impl QuestionSet {
    pub(super) fn name(self) -> &'static str {
        match self {
            QuestionSet::Syslog => "syslog",
            QuestionSet::Fields => "fields",
        }
    }

    pub(super) fn questions(self) -> &'static [Question] {
        match self {
            QuestionSet::Syslog => &SYSLOG,
            QuestionSet::Fields => &FIELDS,
        }
    }

    /// The fields whose values are counted when a filter is asked again.
    pub(super) fn facets(self) -> [&'static str; 2] {
        match self {
            QuestionSet::Syslog => ["host", "program"],
            QuestionSet::Fields => ["program", "status"],
        }
    }
}

const fn ask(name: &'static str, kind: RequestKind, query: &'static str) -> Question {
    Question { name, query, kind, time: AskedTime::Day }
}

const fn count(name: &'static str, query: &'static str) -> Question {
    ask(name, RequestKind::Count, query)
}

const fn newest(name: &'static str, query: &'static str) -> Question {
    ask(name, RequestKind::Newest, query)
}

const fn table(name: &'static str, query: &'static str) -> Question {
    ask(name, RequestKind::Aggregate, query)
}

/// The same question about the last fifteen minutes.
const fn last(question: Question) -> Question {
    Question { time: AskedTime::Last, ..question }
}

/// Words, addresses, expressions, newest messages, columns, histograms, tables, and values taken out of texts.
const SYSLOG: [Question; 49] = [
    count("w1", "error"),
    count("w2", "error host=host-007"),
    count("w3", "password program=sshd severity<=4"),
    count("w4", "(failed OR refused OR broken) -program=KERNEL -program=apache -\"session opened\""),
    count("w5", "authentication failure root"),
    count("w6", "\"connection from\""),
    count("w7", "\"id = 2\""),
    count("w8", "\"connection broken\"~3"),
    count("w9", "conn*"),
    count("w10", "*nect*"),
    count("w11", "*5070*"),
    count("w12", "cs\"Failed\""),
    newest("w13", "needle-99999"),
    count("w14", "zzznosuchtoken"),
    count("w15", "-program=sshd"),
    count("i1", "10.7.10.12"),
    newest("i2", "10.7.10.12"),
    count("i3", "\"10.7.10\""),
    table("i4", "\"Failed password\" | extract \"from <ip> \" | where ip:10.7.0.0/16 | stats count()"),
    count("r1", "/fail[a-z]+ for/"),
    count("r2", "/[0-9]{5,}/"),
    count("r3", "/blk_-?[0-9]+5$/"),
    newest("r4", "/user=[a-z]{4}/"),
    newest("n1", "failed"),
    newest("n2", "host=host-150 severity<=3 \"connection broken\""),
    last(newest("n3", "host=host-007")),
    last(table("n4", "host=host-007 | top 10 program")),
    newest("n5", "*"),
    ask("n6", RequestKind::Oldest, "failed"),
    count("f1", "host=host-007"),
    count("f2", "host=host-000 severity<=3"),
    count(
        "f3",
        "error host in (host-011,host-012,host-013,host-014,host-015,host-016,host-017,host-018,host-019,host-020)",
    ),
    count("f4", "program=sshd pid>30000"),
    ask("h1", RequestKind::Histogram("10m"), "session"),
    ask("h2", RequestKind::Histogram("1h"), "error"),
    table("h3", "error | timechart span=1h count() by host"),
    table("h4", "* | timechart span=1h count() by program"),
    table("t1", "* | stats count() by host"),
    table("t2", "* | stats count() by host, program"),
    table("t3", "severity<=3 | stats count() by host"),
    ask("t4", RequestKind::Facets(&["host", "program", "severity"]), "failed"),
    table("t5", "* | rare 10 program"),
    table("t6", "error | stats dc(host)"),
    table("t7", "* | stats dc(host), dc(program) by severity"),
    table("t8", "\"session opened\" | stats count() by host | where count>100 | sort -count"),
    table("x1", "\"connection from\" | extract \"from <ip> \" | top 10 ip"),
    table(
        "x2",
        "\"Failed password\" | extract \"for <user> from <ip> port\" | stats count() by user, ip | sort -count | limit 10",
    ),
    table("x3", "\"Finished task\" | extract \"). <bytes> bytes\" | stats p95(bytes) by host"),
    table("x4", "\"Failed password\" | extract \"from <ip> \" | stats dc(ip)"),
];

/// Fields of access lines, JSON and key=value, and the texts around them.
const FIELDS: [Question; 31] = [
    table("m1", "status>=500 | top 10 path"),
    table("m2", "program=java | stats p95(duration_ms) by http.route"),
    count("m3", "http.status>=500 http.method=POST"),
    count("m4", "http.client.ip:10.18.0.0/16"),
    count("m5", "srcip:10.7.0.0/16 action=deny"),
    newest("m6", "user=lunaji"),
    newest("m7", "trace_id=3c1eba8b4dccc148d07a9d82d4f4bbaf"),
    count("m8", "3c1eba8b4dccc148d07a9d82d4f4bbaf"),
    table("m9", "json.level=ERROR | timechart span=1h count() by logger"),
    table("m10", "action=deny dstport=22 | top 10 srcip"),
    table("m11", "sentbyte>100000 | stats sum(sentbyte) as s by srcip | sort -s | limit 10"),
    table("m12", "* | stats count() by status"),
    table("m13", "program=java | stats dc(user_id) by http.route"),
    table("m14", "agent:*firefox* | stats count() by status"),
    count("m15", "path:/search*"),
    newest("m16", "duration_ms>500 json.level=WARN"),
    count("m17", "status=404 referer:*example.com*"),
    ask("m18", RequestKind::Facets(&["status", "method", "path"]), "*"),
    table("m19", "program=httpd | timechart span=10m count() by status"),
    table("m20", "program=httpd | timechart span=1h avg(bytes) by method"),
    table("m21", "user:* -user=root | top 10 user"),
    table("m22", "* | rare 10 http.route"),
    count("m23", "path:/\\/v[12]\\/[a-z]+\\/[0-9]+$/"),
    count("m24", "timeout"),
    newest("m25", "stack:*"),
    table("m26", "program=java | stats avg(duration_ms), max(duration_ms), p95(duration_ms)"),
    table("m27", "program=traffic | stats sum(sentbyte), sum(rcvdbyte) by dstcountry"),
    last(newest("m28", "host=web-03 status>=500")),
    count("m29", "\"queued in\""),
    newest("m30", "*"),
    table(
        "m31",
        "program=java \"http-nio-8080-exec-2\" | parse json | where http.status>=500 | stats count() by http.method",
    ),
];
