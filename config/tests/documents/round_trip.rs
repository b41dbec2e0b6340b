//! A document survives TOML, JSON and being edited into a text with comments.
//!
//! Keywords: parse and print, comments kept.

use logstead_config::{
    Address, Addresses, Addressing, Admission, ClientTls, Coalesce, Compression, CountOrAuto, Destination,
    DestinationKind, DestinationToken, Document, Durability, FileSink, FileSource, ForwardFormat,
    ForwardFraming, Framing, GatherLimits, GelfSource, HttpFormat, HttpHeader, HttpMethod, HttpServer,
    HttpSource, Label, ListenAddress, Logspace, LokiServer, NameTemplate, NdjsonHttp, OtlpSource, Packing,
    ParseFormat, Period, Proxy, Queue, QueueDurability, Reception, RelpServer, RelpSource, Retention,
    Rotation, Route, RouteStep, S3, SampleShare, SenderZone, Size, Source, SourceFormat, SourceKind,
    StartPosition, StepAction, SyslogServer, SyslogSource, ThrottleRate, Tls, Transport, Url, VERSION,
    from_json, from_toml, merge_into_toml, to_toml,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Only a few ids are possible, so that two documents share some.
fn id() -> impl Strategy<Value = String> {
    "[a-d]"
}

fn listener() -> impl Strategy<Value = ListenAddress> {
    (any::<std::net::SocketAddr>(), any::<bool>()).prop_map(|(mut address, udp)| {
        if let std::net::SocketAddr::V6(v6) = &mut address {
            // The text of an address has neither a flow label nor a scope.
            (*v6).set_flowinfo(0);
            v6.set_scope_id(0);
        }
        if udp { ListenAddress::Udp(address) } else { ListenAddress::Tcp(address) }
    })
}

/// Addresses that a syslog source can listen on.
fn listeners() -> impl Strategy<Value = Vec<ListenAddress>> {
    let path = "[a-z/.# ]{1,9}".prop_filter("no way up", |path| !path.contains(".."));
    let path = path.prop_filter("no third slash", |path| !path.starts_with("//"));
    let unix = (path, any::<bool>()).prop_map(|(path, datagrams)| {
        if datagrams { ListenAddress::UnixDgram(path) } else { ListenAddress::UnixStream(path) }
    });
    let encrypted = any::<std::net::Ipv4Addr>().prop_map(|ip| ListenAddress::Tls((ip, 6514).into()));
    vec(prop_oneof![listener(), unix, encrypted], 0..3)
}

fn tls() -> impl Strategy<Value = Tls> {
    ("[a-z/.'\"]{1,9}", option::of("[a-z/.]{1,9}"), any::<bool>()).prop_map(|(path, client_ca, required)| {
        Tls {
            certificate: path.clone(),
            key: path,
            require_client_certificate: required && client_ca.is_some(),
            client_ca,
        }
    })
}

fn network() -> impl Strategy<Value = ipnet::IpNet> {
    (any::<std::net::Ipv4Addr>(), 0..=32u8).prop_map(|(address, bits)| {
        ipnet::IpNet::V4(ipnet::Ipv4Net::new(address, bits).expect("at most 32 bits"))
    })
}

fn count() -> impl Strategy<Value = CountOrAuto> {
    prop_oneof![Just(CountOrAuto::Auto), (1..=256u32).prop_map(CountOrAuto::Exactly)]
}

fn coalesce() -> impl Strategy<Value = Coalesce> {
    let other = (0..=1000u64, 4..=65_536u64)
        .prop_map(|(delay, buffer)| Coalesce { delay: Period::millis(delay), buffer: Size::kib(buffer) });
    prop_oneof![Just(Coalesce::default()), other]
}

fn reception() -> impl Strategy<Value = Reception> {
    let formats = [SourceFormat::Auto, SourceFormat::Rfc5424, SourceFormat::Rfc3164, SourceFormat::Raw];
    let sizes = prop_oneof![Just(65_536), 256..=16_777_216u64];
    let zones = select(vec!["UTC", "Europe/Berlin", "Etc/GMT+5", "-03:30"]);
    let sender_zone = ("[a-z:]{1,9}", zones.clone())
        .prop_map(|(sender, zone)| SenderZone { sender, zone: zone.to_owned() });
    let zones = (zones, vec(sender_zone, 0..3));
    let charsets = select(vec!["utf-8", "latin1"]);
    let reading = (select(formats.to_vec()), zones, charsets, sizes);
    let limits = (coalesce(), count(), 1..=100_000u32, vec(network(), 0..3), vec(network(), 0..3));
    (reading, limits, tls()).prop_map(|(reading, limits, tls)| {
        let (format, (timezone, timezones), charset, message_max) = reading;
        let (coalesce, partitions, connections_max, allow, proxy_protocol) = limits;
        Reception {
            format,
            timezone: timezone.to_owned(),
            timezones,
            charset: charset.to_owned(),
            message_max: Size::new(message_max),
            coalesce,
            partitions,
            admission: Admission { connections_max, allow, proxy_protocol, tls: Some(tls) },
        }
    })
}

fn syslog() -> impl Strategy<Value = SourceKind> {
    let framings =
        [Framing::Auto, Framing::Newline, Framing::Octet, Framing::Nul, Framing::Multiline].to_vec();
    (listeners(), select(framings), any::<bool>(), reception()).prop_map(
        |(listen, framing, split_datagrams, mut reception)| {
            reception.admission.tls =
                reception.admission.tls.filter(|_| listen.iter().any(ListenAddress::is_tls));
            SourceKind::Syslog(SyslogSource { listen, framing, split_datagrams, reception })
        },
    )
}

fn relp() -> impl Strategy<Value = SourceKind> {
    (any::<std::net::Ipv4Addr>(), any::<bool>(), reception()).prop_map(|(ip, encrypted, mut reception)| {
        let address = (ip, 2514).into();
        let listener = if encrypted { ListenAddress::RelpTls(address) } else { ListenAddress::Relp(address) };
        reception.admission.tls = reception.admission.tls.filter(|_| encrypted);
        SourceKind::Relp(RelpSource { listen: vec![listener], reception })
    })
}

fn gelf() -> impl Strategy<Value = SourceKind> {
    (listeners(), reception()).prop_map(|(listen, reception)| {
        let Reception { message_max, coalesce, partitions, mut admission, .. } = reception;
        admission.tls = admission.tls.filter(|_| listen.iter().any(ListenAddress::is_tls));
        SourceKind::Gelf(GelfSource { listen, message_max, coalesce, partitions, admission })
    })
}

fn otlp() -> impl Strategy<Value = SourceKind> {
    let kinds =
        [ListenAddress::Grpc, ListenAddress::GrpcTls, ListenAddress::Http, ListenAddress::Https].to_vec();
    (any::<std::net::Ipv4Addr>(), select(kinds), reception()).prop_map(|(ip, kind, reception)| {
        let (listener, mut admission) = (kind((ip, 4317).into()), reception.admission);
        admission.tls = admission.tls.filter(|_| listener.is_tls());
        SourceKind::Otlp(OtlpSource {
            listen: vec![listener],
            request_max: Size::kib(64),
            token: None,
            admission,
        })
    })
}

fn files() -> impl Strategy<Value = SourceKind> {
    let paths = vec("[a-z*?/'\"]{1,9}", 0..3);
    (paths, select(vec![StartPosition::Beginning, StartPosition::End])).prop_map(|(paths, start)| {
        SourceKind::File(FileSource {
            paths,
            start,
            format: SourceFormat::Rfc3164,
            timezone: "UTC".to_owned(),
            timezones: Vec::new(),
            charset: "utf-8".to_owned(),
            message_max: Size::kib(64),
        })
    })
}

fn sources() -> impl Strategy<Value = Vec<Source>> {
    let http = option::of("[a-z]{1,9}").prop_map(|token| SourceKind::Http(HttpSource { token }));
    let kind = prop_oneof![http, Just(SourceKind::Internal), syslog(), relp(), gelf(), otlp(), files()];
    shuffled((any::<bool>(), kind), |id, (enabled, kind)| Source { id, enabled, kind })
}

fn logspaces() -> impl Strategy<Value = Vec<Logspace>> {
    let age = option::of((3_600_000..10_000_000_000u64).prop_map(Period::millis));
    let size = option::of((1 << 20..1u64 << 50).prop_map(Size::new));
    let durability = select(vec![Durability::Fsync, Durability::Os]);
    shuffled((age, size, durability), |id, (age, size, durability)| Logspace {
        id,
        retention: Retention { age, size },
        durability,
    })
}

fn queue() -> impl Strategy<Value = Queue> {
    let sizes = (1024..1u64 << 30, 0..1u64 << 20);
    let age = option::of((60_000..10_000_000_000u64).prop_map(Period::millis));
    let durability = select(vec![QueueDurability::Fsync, QueueDurability::Delay, QueueDurability::Os]);
    let queue = (sizes, age, durability).prop_map(|((size, memory), age, durability)| Queue {
        size: Size::kib(size),
        memory: Size::kib(memory),
        age,
        durability,
    });
    prop_oneof![Just(Queue::default()), queue]
}

fn client_tls() -> impl Strategy<Value = ClientTls> {
    let file = || option::of("[a-z/.'\"]{1,9}");
    (file(), file(), option::of(select(vec!["siem.example", "10.0.0.1", "2001:db8::7"]))).prop_map(
        |(ca, pair, name)| ClientTls {
            ca,
            certificate: pair.clone(),
            key: pair,
            server_name: name.map(str::to_owned),
        },
    )
}

/// Servers with one of these transports.
fn addresses(transports: &[Transport]) -> impl Strategy<Value = Addresses> {
    let hosts = select(vec!["siem.example", "10.0.0.1", "2001:db8::7"]);
    (select(transports.to_vec()), vec((hosts, 1..=u16::MAX), 1..4)).prop_map(|(transport, servers)| {
        let address = |(host, port): (&str, u16)| Address { transport, host: host.to_owned(), port };
        Addresses::new(servers.into_iter().map(address).collect()).expect("servers")
    })
}

fn servers() -> impl Strategy<Value = DestinationKind> {
    let format = || select(vec![ForwardFormat::Rfc5424, ForwardFormat::Rfc3164, ForwardFormat::Raw]);
    let framings = select(vec![ForwardFraming::Octet, ForwardFraming::Newline]);
    let syslog = addresses(&[Transport::Udp, Transport::Tcp, Transport::Tls]);
    let syslog = (syslog, format(), framings, option::of(client_tls()));
    let relp = addresses(&[Transport::Relp, Transport::RelpTls]);
    let relp = (relp, format(), 1..=65_536u32, option::of(client_tls()));
    prop_oneof![
        syslog.prop_map(|(to, format, framing, tls)| {
            let tls = tls.filter(|_| to.transport().is_tls());
            DestinationKind::Syslog(SyslogServer { to, format, framing, tls })
        }),
        relp.prop_map(|(to, format, window, tls)| {
            let tls = tls.filter(|_| to.transport().is_tls());
            DestinationKind::Relp(RelpServer { to, format, window, tls })
        }),
    ]
}

fn destinations() -> impl Strategy<Value = Vec<Destination>> {
    let kind = prop_oneof![servers(), written(), objects(), http_destinations()];
    shuffled((any::<bool>(), kind, queue()), |id, (enabled, kind, queue)| Destination {
        id,
        enabled,
        kind,
        queue,
    })
}

fn written() -> impl Strategy<Value = DestinationKind> {
    let path = "[a-zäé '\"#]{1,9}".prop_map(|path| template(format!("{path}{{host}}{{{{")));
    let packings = select(vec![Packing::Gzip, Packing::Zstd, Packing::None]);
    let sizes = option::of((1..100u64).prop_map(Size::mib));
    (path, sizes, option::of((1..300u64).prop_map(Period::days)), packings).prop_map(
        |(path, size, age, compression)| {
            DestinationKind::File(FileSink { path, rotate: Rotation { size, age, compression } })
        },
    )
}

fn objects() -> impl Strategy<Value = DestinationKind> {
    let url = option::of(Just(Url::parse("https://s3.example").expect("a URL")));
    let addressing = select(vec![Addressing::Path, Addressing::Virtual]);
    let prefix = select(vec!["", "a/{host}/", "{received:%Y/%m}/"]).prop_map(template);
    let formats = select(vec![HttpFormat::Json, HttpFormat::Raw]);
    let key = any::<bool>()
        .prop_map(|in_file| (in_file.then(|| "a".to_owned()), (!in_file).then(|| "b".to_owned())));
    (url, addressing, prefix, formats, key, option::of(client_tls())).prop_map(
        |(url, addressing, prefix, format, (secret_key, secret_key_file), tls)| {
            DestinationKind::S3(S3 {
                url,
                bucket: "logs".to_owned(),
                region: "eu-central-1".to_owned(),
                addressing,
                access_key: "AKIA".to_owned(),
                secret_key,
                secret_key_file,
                prefix,
                object: GatherLimits { size: Size::mib(2), age: Period::seconds(3) },
                format,
                compression: Packing::Gzip,
                headers: Vec::new(),
                timeout: Period::seconds(7),
                proxy: Proxy::parse("none").ok(),
                tls,
            })
        },
    )
}

fn template(text: impl AsRef<str>) -> NameTemplate {
    NameTemplate::parse(text.as_ref()).expect("a template")
}

fn http_destinations() -> impl Strategy<Value = DestinationKind> {
    let server = (option::of(any::<String>()), any::<bool>()).prop_map(|(user, packed)| HttpServer {
        url: Url::parse("https://[::1]:9200/a?b=c").expect("a URL"),
        password_file: user.as_ref().map(|_| "a/b".to_owned()),
        user: user.map(|user| user.replace(':', "")),
        password: None,
        connections: 3,
        headers: vec![HttpHeader { name: "X-A".to_owned(), value: "b: c, d".to_owned() }],
        compression: if packed { Compression::Gzip } else { Compression::None },
        timeout: Period::seconds(7),
        proxy: packed.then(|| Proxy::parse("http://ann:a%40@proxy:3128").expect("a proxy")),
        tls: packed.then(|| ClientTls { ca: Some("ca.pem".to_owned()), ..ClientTls::default() }),
    });
    let labels = select(vec![vec![], vec![Label::Facility], vec![Label::Host, Label::Program]]);
    let formats = select(vec![HttpFormat::Json, HttpFormat::Raw, HttpFormat::Message]);
    (server, labels, formats).prop_map(|(server, labels, format)| {
        let token =
            DestinationToken { token: server.user.is_none().then(|| "t".to_owned()), token_file: None };
        if labels.is_empty() {
            return DestinationKind::NdjsonHttp(NdjsonHttp {
                server,
                token,
                method: HttpMethod::Put,
                format,
            });
        }
        let url = Url::parse("https://loki").expect("a URL");
        DestinationKind::Loki(LokiServer {
            server: HttpServer { url, ..server },
            token,
            tenant: None,
            labels,
            format,
        })
    })
}

fn routes() -> impl Strategy<Value = Vec<Route>> {
    let filter = prop_oneof![Just("*".to_owned()), any::<String>(), Just("a\n'''\"\"\"\\".to_owned())];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let parts = (vec(id(), 0..3), filter, vec(steps(), 0..4), vec(id(), 0..3), flags);
    shuffled(parts, |id, (from, filter, steps, to, (enabled, is_final, fallback, flow_control))| Route {
        id,
        enabled,
        from,
        filter,
        steps,
        to,
        is_final,
        fallback,
        flow_control,
    })
}

fn steps() -> impl Strategy<Value = RouteStep> {
    let names = || vec("[a-z.]{1,6}", 0..3);
    let texts = || {
        let texts = btree_map("[a-z@. \"]{1,6}", any::<String>(), 0..3);
        texts.prop_map(|texts| texts.into_iter().collect::<Vec<_>>())
    };
    let format = prop_oneof![
        Just(ParseFormat::Json),
        Just(ParseFormat::KeyValue),
        Just(ParseFormat::Cef),
        Just(ParseFormat::Leef),
        names().prop_map(ParseFormat::Csv),
        any::<String>().prop_map(ParseFormat::Regex),
        any::<String>().prop_map(ParseFormat::Extract),
    ];
    let pair = || (any::<String>(), any::<String>());
    let action = prop_oneof![
        (format, option::of(any::<String>()), any::<String>())
            .prop_map(|(format, field, prefix)| StepAction::Parse { format, field, prefix }),
        texts().prop_map(StepAction::Set),
        texts().prop_map(StepAction::Rename),
        names().prop_map(StepAction::Unset),
        names().prop_map(StepAction::Tag),
        (pair(), names()).prop_map(|((pattern, with), fields)| StepAction::Replace { pattern, with, fields }),
        pair().prop_map(|(pattern, with)| StepAction::Mask { pattern, with }),
        any::<String>().prop_map(StepAction::Drop),
        any::<String>().prop_map(StepAction::Keep),
        (1_u32..=1000, names()).prop_map(|(n, by)| StepAction::Sample {
            share: SampleShare::new(f64::from(n) / 1000.0).expect("a share"),
            by
        }),
        (1_u64..1000, 0_usize..3, names()).prop_map(|(messages, unit, by)| {
            StepAction::Throttle { rate: ThrottleRate { messages, seconds: [1, 60, 3600][unit] }, by }
        }),
        (names(), 1_u64..100_000)
            .prop_map(|(fields, millis)| StepAction::Dedup { fields, within: Period::millis(millis) }),
        (pair(), names()).prop_map(|((file, key), set)| StepAction::Lookup { file, key, set }),
    ];
    (option::of(any::<String>()), action).prop_map(|(filter, action)| RouteStep { filter, action })
}

/// Entries with different ids, in any order.
fn shuffled<P, T>(
    parts: impl Strategy<Value = P>,
    entry: impl Fn(String, P) -> T + Clone,
) -> impl Strategy<Value = Vec<T>>
where
    P: std::fmt::Debug,
    T: std::fmt::Debug + Clone,
{
    btree_map(id(), parts, 0..4)
        .prop_map(move |parts| parts.into_iter().map(|(id, parts)| entry(id, parts)).collect::<Vec<T>>())
        .prop_shuffle()
}

fn document() -> impl Strategy<Value = Document> {
    (sources(), logspaces(), destinations(), routes()).prop_map(
        |(sources, logspaces, destinations, routes)| Document {
            version: VERSION,
            sources,
            logspaces,
            destinations,
            routes,
        },
    )
}

/// The same text with a comment before and after every line that can have one.
fn commented(toml: &str) -> String {
    let line = |(number, line): (usize, &str)| {
        let plain = line.starts_with("[[") || (line.contains(" = ") && !line.contains(['\'', '\\']));
        if plain { format!("# before {number}\n{line} # behind {number}\n") } else { format!("{line}\n") }
    };
    toml.lines().enumerate().map(line).collect()
}

/// The same text with keys under the names that they had before.
fn with_old_names(toml: &str) -> String {
    let renamed = |line: &str| {
        let (key, value) = line.split_once("_max = ")?;
        ["message", "connections", "request"].contains(&key).then(|| format!("max_{key} = {value}\n"))
    };
    toml.lines().map(|line| renamed(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn toml_keeps_a_document(document in document()) {
        let toml = to_toml(&document);
        let read = from_toml(&toml);
        prop_assert_eq!(read.as_ref(), Ok(&document), "{}", toml);
        prop_assert_eq!(to_toml(&document), toml);
    }

    #[test]
    fn json_keeps_a_document(document in document()) {
        let json = serde_json::to_vec(&document).expect("as JSON");
        prop_assert_eq!(from_json(&json), Ok(document));
    }

    #[test]
    fn an_edited_text_says_the_new_document(old in document(), new in document()) {
        let merged = merge_into_toml(&commented(&to_toml(&old)), &new);
        prop_assert!(merged.starts_with("# before 0\nversion = 1 # behind 0\n"), "written afresh: {}", merged);
        prop_assert_eq!(from_toml(&merged), Ok(new), "{}", merged);
    }

    #[test]
    fn a_text_with_old_names_is_the_same_document(old in document(), new in document()) {
        let renamed = commented(&to_toml(&old));
        let text = with_old_names(&renamed);
        let read = from_toml(&renamed).expect("comments leave it a document");
        prop_assert_eq!(from_toml(&text), Ok(read.clone()), "{}", text);
        prop_assert_eq!(&merge_into_toml(&text, &read), &text);
        let merged = merge_into_toml(&text, &new);
        prop_assert!(merged.starts_with("# before 0\nversion = 1 # behind 0\n"), "written afresh: {}", merged);
        prop_assert_eq!(from_toml(&merged), Ok(new), "{}", merged);
    }

    #[test]
    fn an_edit_keeps_the_text_of_every_list_that_it_leaves_alone(old in document(), other in document()) {
        let text = commented(&to_toml(&old));
        let new = Document { routes: other.routes, ..old.clone() };
        let merged = merge_into_toml(&text, &new);
        let kept = text.split_once("[[routes]]").map_or(text.as_str(), |(kept, _)| kept);
        let kept = kept.rsplit_once("# before").map_or(kept, |(kept, _)| kept);
        prop_assert!(merged.starts_with(kept.trim_end()), "{}\n--- became ---\n{}", text, merged);
    }
}

const COMMENTED: &str = r#"# Our router.
version = 1

# Everything from the firewalls.
[[sources]]
id = "fw" # do not rename
kind = "syslog"
proxy_protocol = []
listen = [
    "udp://0.0.0.0:514", # old ones
    "tcp://0.0.0.0:514",
]
[sources.coalesce] # measured in May
delay = "2ms"

[[logspaces]]
id = "main"
retention = { age = "90d" } # the law

# Noise first.
[[routes]]
id = "noise"
where = 'severity>=debug'   # a lot
to = ["main"]
steps = []

# The rest.
[[routes]]
id = "rest"
where = '"all of it"'
to = ["main"]
# The end.
"#;

fn edited(edit: impl Fn(&mut Document)) -> String {
    let mut document = from_toml(COMMENTED).expect("a document");
    edit(&mut document);
    let merged = merge_into_toml(COMMENTED, &document);
    assert_eq!(from_toml(&merged).as_ref(), Ok(&document), "{merged}");
    merged
}

#[test]
fn an_edit_touches_the_lines_it_concerns() {
    let check = |old: &str, new: &str, edit: &dyn Fn(&mut Document)| {
        assert_eq!(edited(edit), COMMENTED.replace(old, new));
    };
    check("", "", &|_| {});
    check("\"90d\" }", "\"30d\" }", &|document| document.logspaces[0].retention.age = Some(Period::days(30)));
    check("\"2ms\"", "\"3ms\"", &|document| {
        let SourceKind::Syslog(syslog) = &mut document.sources[0].kind else { panic!("a syslog source") };
        syslog.reception.coalesce.delay = Period::millis(3);
    });
    check("'severity>=debug'", "\"error\"", &|document| document.routes[0].filter = "error".to_owned());
    check("steps = []\n", "steps = []\nfinal = true\n", &|document| document.routes[0].is_final = true);
    check("retention = { age = \"90d\" } # the law\n", "retention = {} # the law\n", &|document| {
        document.logspaces[0].retention.age = None;
    });
}

#[test]
fn an_edited_entry_gets_the_names_that_its_keys_have_now() {
    let text = r#"version = 1
[[sources]]
id = "one"
kind = "syslog"
# Long ones are cut.
max_message = "8KiB" # see the ticket
listen = ["tcp://0.0.0.0:514"] # for all
max_connections = 9
[[sources]]
id = "two"
kind = "syslog"
max_connections = 8 # few
listen = ["tcp://0.0.0.0:515"]
"#;
    let mut document = from_toml(text).expect("a document");
    assert_eq!(merge_into_toml(text, &document), text, "nothing was edited");
    let SourceKind::Syslog(syslog) = &mut document.sources[0].kind else { panic!("a syslog source") };
    syslog.reception.message_max = Size::kib(16);
    let expected = text
        .replace("max_message = \"8KiB\"", "message_max = \"16KiB\"")
        .replace("max_connections = 9", "connections_max = 9");
    assert_eq!(merge_into_toml(text, &document), expected);
}

#[test]
fn a_new_entry_stands_behind_the_others_of_its_kind() {
    let merged = edited(|document| {
        let id = "spare".to_owned();
        let logspace = Logspace { id, retention: Retention::default(), durability: Durability::Fsync };
        document.logspaces.push(logspace);
    });
    assert_eq!(merged, COMMENTED.replace("# the law\n", "# the law\n\n[[logspaces]]\nid = \"spare\"\n"));
    let merged = edited(|document| {
        document.sources.push(Source {
            id: "web".into(),
            enabled: true,
            kind: SourceKind::Http(HttpSource::default()),
        })
    });
    let new = "delay = \"2ms\"\n\n[[sources]]\nid = \"web\"\nkind = \"http\"\n";
    assert_eq!(merged, COMMENTED.replace("delay = \"2ms\"\n", new));
}

#[test]
fn moved_and_removed_entries_take_their_comments_along() {
    let merged = edited(|document| document.routes.reverse());
    let rest = merged.find("# The rest.\n[[routes]]\nid = \"rest\"").expect("the rest");
    let noise = merged.find("# Noise first.\n[[routes]]\nid = \"noise\"").expect("the noise");
    assert!(rest < noise, "{merged}");
    let merged = edited(|document| drop(document.routes.remove(0)));
    assert!(!merged.contains("Noise") && merged.contains("# The rest.\n") && merged.contains("# the law"));
}

#[test]
fn lists_written_in_one_line_can_be_edited() {
    let text = "version = 1 # one\nlogspaces = [{ id = \"a\" }, { id = \"b\" }]\n";
    let mut document = from_toml(text).expect("a document");
    document.logspaces.remove(0);
    let merged = merge_into_toml(text, &document);
    assert_eq!(from_toml(&merged), Ok(document));
    assert!(merged.starts_with("version = 1 # one\n"), "{merged}");
}

#[test]
fn a_text_that_is_no_document_is_replaced() {
    let document = from_toml("version = 1\n[[logspaces]]\nid = \"a\"\n").expect("a document");
    for broken in ["", "version = [", "version = 1\nlogspaces = 3\n"] {
        assert_eq!(merge_into_toml(broken, &document), "version = 1\n\n[[logspaces]]\nid = \"a\"\n");
    }
}
