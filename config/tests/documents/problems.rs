//! Every problem that a router document can have, with its position and its message.
//!
//! Keywords: validation, error messages.

use logstead_config::{DOCUMENT_BYTES_MAX, PROBLEMS_MAX, Problem, check_toml, draft_json, from_json};

/// A valid document, except for the parts that `text` adds or changes.
fn with_basics(text: &str) -> String {
    let basics = [
        ("logspaces", "[[logspaces]]\nid = \"main\"\n"),
        ("sources", "[[sources]]\nid = \"in\"\nkind = \"http\"\n"),
        ("routes", "[[routes]]\nid = \"all\"\nto = [\"main\"]\n"),
    ];
    let missing = basics.iter().filter(|(noun, _)| !text.contains(noun));
    missing.fold(format!("version = 1\n{text}\n"), |text, (_, basic)| text + basic)
}

/// A problem as `line:column: path: message`, or without its position if it has none.
fn shown(problem: &Problem) -> String {
    match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!("{line}:{column}: {problem}"),
        _ => problem.to_string(),
    }
}

/// The first line of `text` is line 2.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_whole(&with_basics(text), expected);
}

#[track_caller]
fn check_whole(text: &str, expected: &[&str]) {
    let problems = check_toml(text).err().unwrap_or_default();
    let shown: Vec<String> = problems.iter().map(shown).collect();
    assert_eq!(shown, expected, "\n{text}");
}

fn syslog(keys: &str) -> String {
    format!("[[sources]]\nid = \"in\"\nkind = \"syslog\"\n{keys}")
}

#[test]
fn a_document_needs_a_version_that_we_know() {
    check_whole(
        "",
        &[
            "1:1: version: is missing",
            "1:1: logspaces: there must be at least one: add `[[logspaces]]` with `id = \"main\"`",
        ],
    );
    let newer = "2 is newer than this program, which reads 1: use a newer Logstead";
    check_whole("version = 2\nwhatever = 1\n", &[&format!("1:11: version: {newer}")]);
    check_whole("version = 0\n", &["1:11: version: must be 1, not 0"]);
    check_whole("version = 1\n[[logspaces]]\nid = \"main\"\n", &[]);
}

#[test]
fn what_is_no_toml_says_where() {
    let problems = check_toml("version = 1\nsources = \nroutes = 'a\n").expect_err("broken");
    assert!(problems.len() >= 2, "all of them: {problems:?}");
    assert!(problems.iter().all(|problem| problem.path.is_empty() && problem.line.is_some()));
    assert!(problems[0].message.starts_with("not TOML: "), "{problems:?}");
    assert_eq!(problems[0].line, Some(2));
}

#[test]
fn wrong_types_say_what_they_should_be() {
    check("sources = 3", &["2:11: sources: must be a list, not a number"]);
    check("[sources]\nid = \"a\"", &["2:1: sources: must be a list, not a table"]);
    check("routes = [1]", &["2:11: routes[0]: must be a table, not a number"]);
    check(
        &syslog("listen = \"udp://0.0.0.0:514\""),
        &["5:10: sources[0].listen: must be a list, not a string"],
    );
    check(&syslog("listen = [5514]"), &["5:11: sources[0].listen[0]: must be a string, not a number"]);
    let listen = "listen = [\"udp://0.0.0.0:514\"]\n";
    check(
        &syslog(&format!("{listen}message_max = 65536")),
        &["6:15: sources[0].message_max: must be a string, not a number"],
    );
    check(
        &syslog(&format!("{listen}connections_max = 1.5")),
        &["6:19: sources[0].connections_max: must be a whole number, not a number with a fraction"],
    );
    check(
        &syslog(&format!("{listen}connections_max = -1")),
        &["6:19: sources[0].connections_max: must be a whole number from 0 to 4294967295"],
    );
    check(
        &syslog(&format!("{listen}coalesce = \"5ms\"")),
        &["6:12: sources[0].coalesce: must be a table, not a string"],
    );
    check(
        "[[routes]]\nid = \"r\"\nto = [\"main\"]\nfinal = \"yes\"",
        &["5:9: routes[0].final: must be true or false, not a string"],
    );
    check(
        "[[routes]]\nid = \"r\"\nto = [\"main\"]\nwhere = 2026-01-02",
        &["5:9: routes[0].where: must be a string, not a date or time"],
    );
}

#[test]
fn a_key_is_written_under_one_of_its_names() {
    let both = |key: &str, other: &str| {
        format!("`{key}` is the old name of `{other}`, which is there as well: leave one of them out")
    };
    let listen = "listen = [\"udp://0.0.0.0:514\"]\n";
    let (message, connections) =
        (both("max_message", "message_max"), both("max_connections", "connections_max"));
    check(
        &syslog(&format!(
            "{listen}max_message = \"8KiB\"\nmessage_max = \"8KiB\"\nconnections_max = 9\nmax_connections = 8"
        )),
        &[
            &format!("6:1: sources[0].max_message: {message}"),
            &format!("9:1: sources[0].max_connections: {connections}"),
        ],
    );
    // Other kinds of source do not have the key, under any name.
    check(
        "[[sources]]\nid = \"in\"\nkind = \"http\"\nmax_message = \"8KiB\"",
        &["5:1: sources[0].max_message: unknown key `max_message`; known here: id, enabled, kind, token"],
    );
}

#[test]
fn unknown_keys_are_told_with_the_nearest_known_one() {
    check(
        "colour = 1",
        &["2:1: colour: unknown key `colour`; known here: version, sources, logspaces, destinations, routes"],
    );
    check(
        &syslog("lisen = []"),
        &[
            "2:1: sources[0].listen: is missing",
            "5:1: sources[0].lisen: unknown key `lisen` (did you mean `listen`?)",
        ],
    );
    check(
        "[[logspaces]]\nid = \"main\"\nretention = { ages = \"1d\" }",
        &["4:15: logspaces[0].retention.ages: unknown key `ages` (did you mean `age`?)"],
    );
    check(
        "[[sources]]\nid = \"web\"\nkind = \"http\"\nlisten = []",
        &["5:1: sources[0].listen: unknown key `listen`; known here: id, enabled, kind, token"],
    );
}

#[test]
fn ids_are_short_plain_and_unique() {
    let grammar = "use up to 63 lower-case letters, digits, `_` and `-`, the first a letter or digit, or `_` for a \
        private one";
    for bad in ["", "A", "-a", "__a", "_", "a b", "ä", "a/b", &"a".repeat(64)] {
        check(
            &format!("[[logspaces]]\nid = \"main\"\n[[logspaces]]\nid = \"{bad}\""),
            &[&format!("5:6: logspaces[1].id: `{bad}` is not a valid id: {grammar}")],
        );
    }
    check(
        "[[logspaces]]\nid = \"main\"\n[[logspaces]]\nid = \"main\"",
        &["5:6: logspaces[1].id: `main` is already the id of logspaces[0]: choose another"],
    );
    check(
        "[[logspaces]]\nid = \"main\"\n[[logspaces]]\ndurability = \"os\"",
        &["4:1: logspaces[1].id: is missing"],
    );
    check(
        "[[destinations]]\nid = \"main\"\nkind = \"file\"\npath = \"x.log\"",
        &[
            "3:6: destinations[0].id: `main` is also the id of a logspace, and routes could not tell them apart: \
         choose another",
        ],
    );
}

#[test]
fn kinds_are_those_of_this_version() {
    check(
        "[[sources]]\nid = \"in\"\nkind = \"snmp\"",
        &[
            "4:8: sources[0].kind: `snmp` is not a kind of source: use `syslog`, `relp`, `gelf`, `otlp`, `file`, `http` or `internal`",
        ],
    );
    check(
        "[[sources]]\nid = \"in\"\nkind = \"sislog\"",
        &[
            "4:8: sources[0].kind: `sislog` is not a kind of source (did you mean `syslog`?): use `syslog`, `relp`, `gelf`, `otlp`, `file`, \
         `http` or `internal`",
        ],
    );
    check("[[sources]]\nid = \"in\"", &["2:1: sources[0].kind: is missing"]);
    check(
        "[[destinations]]\nid = \"siem\"\nkind = \"kafka\"\nurl = \"x\"",
        &[
            "4:8: destinations[0].kind: `kafka` is not a kind of destination: use `syslog`, `relp`, `file`, `s3`, \
           `elastic`, `loki`, `splunk_hec`, `otlp` or `ndjson_http`",
        ],
    );
    check(
        "[[sources]]\nid = \"a\"\nkind = \"http\"\n[[sources]]\nid = \"b\"\nkind = \"http\"",
        &[
            "5:1: sources[1].token: source `a` has no `token` either, and takes everything that no other source takes: name a token here",
        ],
    );
    let named = "kind = \"http\"\ntoken = \"shop\"";
    check(
        &format!("[[sources]]\nid = \"a\"\n{named}\n[[sources]]\nid = \"b\"\n{named}"),
        &["9:9: sources[1].token: source `a` already takes what comes with this token: name another"],
    );
    check(
        "[[sources]]\nid = \"a\"\nkind = \"internal\"\n[[sources]]\nid = \"b\"\nkind = \"internal\"",
        &["7:8: sources[1].kind: there can be only one source of this kind: remove this one"],
    );
}

#[test]
fn listeners_are_addresses_that_can_be_open_together() {
    let urls = "use `udp://`, `tcp://`, `tls://`, `relp://`, `relp+tls://`, `grpc://`, `grpc+tls://`, `http://` or \
        `https://` with ADDRESS:PORT, or \
        `unix-dgram:PATH` or `unix-stream:PATH`";
    let row = |listen: &str, problem: &str| {
        check(
            &syslog(&format!("listen = [\"{listen}\"]")),
            &[&format!("5:11: sources[0].listen[0]: {problem}")],
        );
    };
    row(
        "ucp://0.0.0.0:514",
        &format!("`ucp://0.0.0.0:514` is not something to listen on (did you mean `tcp`?): {urls}"),
    );
    row("0.0.0.0:514", &format!("`0.0.0.0:514` is not something to listen on: {urls}"));
    let path = "write it like `unix-dgram:/dev/log`, or `unix-dgram:run/log.sock` below the data directory";
    row("unix-dgram:", &format!("`unix-dgram:` has no path: {path}"));
    row("unix-dgram:../log", &format!("`unix-dgram:../log` must not contain `..`: {path}"));
    row(
        "udp://localhost:514",
        "`udp://localhost:514` is not an address and port to listen on: write \
        `udp://0.0.0.0:5514` or `udp://[::]:5514`",
    );
    row(
        "tcp://0.0.0.0",
        "`tcp://0.0.0.0` is not an address and port to listen on: write `tcp://0.0.0.0:5514` or \
        `tcp://[::]:5514`",
    );
    check(
        &syslog("listen = []"),
        &["5:10: sources[0].listen: must name at least one, like `[\"tcp://0.0.0.0:5514\"]`"],
    );
    check(
        &syslog("listen = [\"tcp://0.0.0.0:514\", \"udp://0.0.0.0:514\", \"tcp://127.0.0.1:514\"]"),
        &[
            "5:53: sources[0].listen[2]: `tcp://127.0.0.1:514` overlaps `tcp://0.0.0.0:514` of source `in`: choose \
         another port",
        ],
    );
    let twin =
        "[[sources]]\nid = \"twin\"\nkind = \"syslog\"\nenabled = false\nlisten = [\"tcp://127.0.0.1:514\"]";
    check(&syslog(&format!("listen = [\"tcp://0.0.0.0:514\"]\n{twin}")), &[]);
    check(&syslog("listen = [\"unix-dgram:/dev/log\", \"unix-stream:run/log.sock\"]"), &[]);
}

#[test]
fn each_listener_belongs_to_its_kind_of_source() {
    let in_relp = |line: &str| format!("[[sources]]\nid = \"in\"\nkind = \"relp\"\n{line}");
    check(&in_relp("listen = [\"relp://0.0.0.0:2514\"]"), &[]);
    check(
        &in_relp("listen = [\"tcp://0.0.0.0:2514\"]"),
        &["5:10: sources[0].listen: `tcp://0.0.0.0:2514` belongs in a source of `kind = \"syslog\"`"],
    );
    check(
        &syslog("listen = [\"relp://0.0.0.0:2514\"]"),
        &["5:10: sources[0].listen: `relp://0.0.0.0:2514` belongs in a source of `kind = \"relp\"`"],
    );
}

#[test]
fn what_is_encrypted_needs_a_certificate_and_nothing_else_does() {
    let tls = "tls = { certificate = \"a.pem\", key = \"a.key\" }";
    check(&syslog(&format!("listen = [\"tls://0.0.0.0:6514\"]\n{tls}")), &[]);
    let hint = "write `tls = { certificate = \"server.pem\", key = \"server.key\" }`";
    check(
        &syslog("listen = [\"tls://0.0.0.0:6514\"]"),
        &[&format!("2:1: sources[0].tls: is missing: `tls://0.0.0.0:6514` needs a certificate; {hint}")],
    );
    check(
        &syslog(&format!("listen = [\"tcp://0.0.0.0:6514\"]\n{tls}")),
        &[
            "6:7: sources[0].tls: is only for encrypted addresses, such as `tls://`: listen on one, or leave it out",
        ],
    );
    check(
        &syslog(
            "listen = [\"tls://0.0.0.0:6514\"]\n\
             tls = { certificate = \"a\", key = \"b\", require_client_certificate = true }",
        ),
        &[
            "6:68: sources[0].tls.require_client_certificate: needs `client_ca`: the file of the authorities that \
           sign senders' certificates",
        ],
    );
}

#[test]
fn a_file_source_names_files() {
    let in_file = |line: &str| format!("[[sources]]\nid = \"in\"\nkind = \"file\"\n{line}");
    check(&in_file("paths = [\"/var/log/*.log\"]\nstart = \"beginning\""), &[]);
    check(
        &in_file("paths = []"),
        &["5:9: sources[0].paths: must name at least one file, like `[\"/var/log/nginx/*.log\"]`"],
    );
    check(
        &in_file("paths = [\"../etc/shadow\"]"),
        &["5:9: sources[0].paths: must name files, without `..`, like `[\"/var/log/nginx/*.log\"]`"],
    );
}

#[test]
fn values_have_a_grammar_and_a_range() {
    let row = |line: &str, problem: &str| {
        let text = format!("listen = [\"udp://0.0.0.0:514\"]\n{line}");
        let column = line.find("= ").expect("an assignment") + 3;
        let key = line.split(' ').next().expect("a key");
        check(&syslog(&text), &[&format!("6:{column}: sources[0].{key}: {problem}")]);
    };
    row("message_max = \"255B\"", "must be 256B to 16MiB, not 255B");
    row("message_max = \"1GB\"", "must be 256B to 16MiB, not 1GB");
    row(
        "message_max = \"64k\"",
        "`64k` is not a size: write a whole number and one of B, KB, MB, GB, TB, KiB, \
        MiB, GiB or TiB, like `64KiB`",
    );
    row("connections_max = 0", "must be 1 to 100000, not 0");
    row("max_message = \"255B\"", "must be 256B to 16MiB, not 255B");
    row("max_connections = true", "must be a whole number, not true or false");
    row("partitions = 0", "must be `auto` or a number from 1 to 256, not `0`");
    row("partitions = \"many\"", "must be `auto` or a number from 1 to 256, not `many`");
    row(
        "framing = \"octets\"",
        "`octets` is not a framing (did you mean `octet`?): use `auto`, `newline`, `octet`, \
        `nul` or `multiline`",
    );
    row("format = \"json\"", "`json` is not a format: use `auto`, `rfc5424`, `rfc3164` or `raw`");
    row(
        "timezone = \"+25:00\"",
        "`+25:00` is not a time zone: write an IANA name such as `UTC` or `Europe/Berlin`, \
        or an offset such as `+02:00`",
    );
    let in_source = |line: &str| syslog(&format!("listen = [\"udp://0.0.0.0:514\"]\n{line}"));
    check(
        &in_source("coalesce = { delay = \"2s\" }"),
        &["6:22: sources[0].coalesce.delay: must be 0ms to 1s, not 2s"],
    );
    check(
        &in_source("coalesce = { delay = \"5\" }"),
        &[
            "6:22: sources[0].coalesce.delay: `5` is not a duration: write a whole number and one of ms, s, m, h, d, w \
         or y, like `5ms` or `90d`",
        ],
    );
    check(
        &in_source("allow = [\"10.0.0.0/8\", \"10.0.0.0/33\"]"),
        &[
            "6:24: sources[0].allow[1]: `10.0.0.0/33` is not a network: write it like `10.0.0.0/8`, `192.0.2.7` or \
         `2001:db8::/32`",
        ],
    );
    check(
        &in_source("proxy_protocol = [\"10.0.0.0/8\"]\nallow = [\"192.0.2.7\", \"::/0\"]\npartitions = 4"),
        &[],
    );
}

#[test]
fn logspaces_have_limits_that_make_sense() {
    let row = |line: &str, problem: &str| {
        check(&format!("[[logspaces]]\nid = \"main\"\n{line}"), &[problem]);
    };
    row("retention = { age = \"5m\" }", "4:21: logspaces[0].retention.age: must be at least 1h");
    row("retention = { size = \"5KB\" }", "4:22: logspaces[0].retention.size: must be at least 1MiB");
    row(
        "durability = \"sync\"",
        "4:14: logspaces[0].durability: `sync` is not a durability (did you mean \
        `fsync`?): use `fsync` or `os`",
    );
    row(
        "encryption = \"key-file\"",
        "4:14: logspaces[0].encryption: is not supported by this version: leave it \
        out, or write `\"none\"`",
    );
    check("[[logspaces]]\nid = \"main\"\nencryption = \"none\"\nretention = { age = \"90d\" }", &[]);
    check_whole(
        "version = 1\nlogspaces = []\n",
        &["2:13: logspaces: there must be at least one: add `[[logspaces]]` with `id = \"main\"`"],
    );
}

#[test]
fn destinations_can_be_reached() {
    let row = |keys: &str, problem: &str| {
        let text = format!("[[destinations]]\nid = \"d\"\n{keys}");
        check(&text, &[&format!("5:{problem}")]);
    };
    row(
        "kind = \"syslog\"\nto = \"siem:6514\"",
        "6: destinations[0].to: `siem:6514` is not a URL: use `udp://`, `tcp://`, `tls://`, `relp://` or \
        `relp+tls://` with HOST:PORT",
    );
    row(
        "kind = \"syslog\"\nto = \"tpc://siem:6514\"",
        "6: destinations[0].to: `tpc://siem:6514` has an unknown scheme (did you mean `tcp`?): use `udp://`, `tcp://`, \
        `tls://`, `relp://` or `relp+tls://` with HOST:PORT",
    );
    row(
        "kind = \"syslog\"\nto = \"relp://siem:2514\"",
        "6: destinations[0].to: `relp://siem:2514` belongs in a destination of `kind = \"relp\"`",
    );
    row(
        "kind = \"relp\"\nto = [\"tcp://siem:514\"]",
        "6: destinations[0].to: `tcp://siem:514` belongs in a destination of `kind = \"syslog\"`",
    );
    row(
        "kind = \"syslog\"\nto = []",
        "6: destinations[0].to: must name 1 to 8 servers, like `[\"tcp://siem.example:514\"]`",
    );
    row(
        "kind = \"syslog\"\nto = [\"tcp://a:514\", \"tls://b:6514\"]",
        "6: destinations[0].to: the servers of one destination have the same scheme, but `tcp://a:514` and \
        `tls://b:6514` differ",
    );
    row(
        "kind = \"syslog\"\nto = \"tcp://siem\"",
        "6: destinations[0].to: `tcp://siem` is not a host and port to \
        connect to: write one like `tcp://siem.example:514` or `tcp://[2001:db8::7]:514`",
    );
    row(
        "kind = \"file\"\npath = \"\"",
        "8: destinations[0].path: `` names no file: write one like \
        `forward/all.log`",
    );
    row(
        "kind = \"file\"\npath = \"../x\"",
        "8: destinations[0].path: `../x` leads out of its directory: write it \
        without `..`",
    );
    row(
        "kind = \"file\"\npath = \"a\\u0000b\"",
        "8: destinations[0].path: must be one line of at most 4000 bytes",
    );
    row(
        "kind = \"file\"\npath = \"a/{received:../%Y}\"",
        "8: destinations[0].path: `a/{received:../%Y}` leads out of its directory: write it without `..`",
    );
    row(
        "kind = \"file\"\npath = \"{host}-{program}-{source}.log\"",
        "8: destinations[0].path: `{host}-{program}-{source}.log` can become longer than a file name may be: put a \
        `/` between its parts",
    );
    row(
        "kind = \"file\"\npath = \"{app}.log\"",
        "8: destinations[0].path: `app` is not a part of a message: use `host`, `program`, `severity`, `facility`, \
        `source`, `received:%Y-%m-%d` or `time:%Y-%m-%d` in braces",
    );
    check(
        "[[destinations]]\nid = \"d\"\nkind = \"syslog\"\nto = \"tcp://siem:514\"\nqueue = { size = \"1KB\" }",
        &["6:18: destinations[0].queue.size: must be 1MiB to 16TiB, not 1KB"],
    );
    check(
        "[[destinations]]\nid = \"d\"\nkind = \"syslog\"\nto = \"tcp://siem:514\"\nformat = \"json\"",
        &["6:10: destinations[0].format: `json` is not a format: use `rfc5424`, `rfc3164` or `raw`"],
    );
    check(
        "[[destinations]]\nid = \"d\"\nkind = \"syslog\"\nto = \"tcp://siem:514\"\ntls = { ca = \"ca.pem\" }",
        &[
            "6:7: destinations[0].tls: is only for `tls://` and `relp+tls://`: use one of these, or leave it out",
        ],
    );
    check(
        "[[destinations]]\nid = \"d\"\nkind = \"relp\"\nto = \"relp+tls://siem:2514\"\nwindow = 0\n\
         tls = { certificate = \"a.pem\", server_name = \"a b\" }",
        &[
            "6:10: destinations[0].window: must be 1 to 65536, not 0",
            "7:23: destinations[0].tls.certificate: needs `key`, the file with its private key",
            "7:46: destinations[0].tls.server_name: `a b` is not a name that a certificate can be issued for",
        ],
    );
    check("[[destinations]]\nid = \"d\"\nkind = \"syslog\"", &["2:1: destinations[0].to: is missing"]);
}

#[test]
fn routes_name_what_there_is() {
    let row = |keys: &str, problem: &str| check(&format!("[[routes]]\nid = \"r\"\n{keys}"), &[problem]);
    row("to = []", "4:6: routes[0].to: must name at least one logspace or destination");
    row("", "2:1: routes[0].to: is missing");
    row(
        "to = [\"mian\"]",
        "4:7: routes[0].to[0]: there is no logspace or destination `mian` (did you mean \
        `main`?)",
    );
    row(
        "to = [\"elsewhere\"]",
        "4:7: routes[0].to[0]: there is no logspace or destination `elsewhere`; there \
        are: main",
    );
    row("to = [\"main\", \"main\"]", "4:15: routes[0].to[1]: `main` is named twice: remove one of them");
    row(
        "from = [\"syslog\"]\nto = [\"main\"]",
        "4:9: routes[0].from[0]: there is no source `syslog`; there \
        are: in",
    );
    check("[[routes]]\nid = \"r\"\nto = [\"main\"]\nsteps = []", &[]);
}

#[test]
fn steps_do_one_thing_to_fields_that_can_be_changed() {
    let step = |step: &str, expected: &str| {
        let route = format!("[[routes]]\nid = \"r\"\nto = [\"main\"]\nsteps = [\n{step}\n]");
        check(&route, if expected.is_empty() { &[] } else { std::slice::from_ref(&expected) });
    };
    for right in [
        "{ parse = \"json\" }",
        "{ parse = \"csv\", columns = [\"a\", \"\", \"c\"], field = \"x\", prefix = \"p.\" }",
        "{ parse = \"regex\", pattern = '(?P<user>\\w+)' }",
        "{ parse = \"extract\", pattern = \"user=<user> from <ip>\" }",
        "{ set = { zone = \"dmz\", host = \"{device}\", n = 7 }, where = 'severity>=error' }",
        "{ mask = '\\b\\d{13,16}\\b' }",
        "{ sample = 0.1, by = [\"host\"] }",
        "{ sample = \"10%\" }",
        "{ throttle = \"100/s\" }",
        "{ dedup = [\"host\", \"message\"], within = \"10s\" }",
        "{ lookup = \"assets.csv\", key = \"host\", set = [\"owner\"] }",
    ] {
        step(right, "");
    }
    let at = "6:1: routes[0].steps[0]";
    let message =
        |key: &str, place: &str, message: &str| format!("6:{place}: routes[0].steps[0]{key}: {message}");
    step(
        "{ where = 'x' }",
        &format!(
            "{at}: has no action: give it one of the keys `lookup`, `parse`, `set`, `unset`, `rename`, `replace`, `mask`, `drop`, `keep`, `sample`, `throttle`, `dedup` or `tag`"
        ),
    );
    step(
        "{ drop = 'a', tag = [\"b\"] }",
        &format!("{at}: has two actions, `drop` and `tag`: split it into two steps"),
    );
    step(
        "{ drop = 'a', with = \"b\" }",
        &message(".with", "15", "unknown key `with`; known here: drop, where"),
    );
    step("{ drop = '(a' }", &message(".drop", "11", "this parenthesis is never closed"));
    step("{ mask = '(a' }", &message(".mask", "10", "the regular expression is invalid: unclosed group"));
    step(
        "{ mask = 'a*' }",
        &message(".mask", "10", "also matches the empty text: make it require a character"),
    );
    step(
        "{ mask = 'a', with = \"bab\" }",
        &message(".with", "22", "is itself matched by the expression: choose another text"),
    );
    step(
        "{ set = { peer = \"x\" } }",
        &message(
            ".set",
            "9",
            "`peer` records how the message was received, and cannot be changed: choose another name",
        ),
    );
    step(
        "{ set = { a = \"{b\" } }",
        &message(".set.a", "15", "has an unmatched brace: write `{{` or `}}` for a literal brace"),
    );
    // A text that cannot be a value of the field is refused. A field's value is only known when there is a message.
    for (field, text, like) in [
        ("severity", "bad", "a severity like `warning` or `4`"),
        ("severity", "8", "a severity like `warning` or `4`"),
        ("severity", "", "a severity like `warning` or `4`"),
        ("facility", "local8", "a facility like `local0` or `16`"),
        ("time", "yesterday", "a time like `2026-11-20T08:00:00Z`, or seconds since 1970"),
        ("time", "2026-02-30T00:00:00Z", "a time like `2026-11-20T08:00:00Z`, or seconds since 1970"),
    ] {
        let place = (14 + field.len()).to_string();
        let expected = message(
            &format!(".set.{field}"),
            &place,
            &format!("`{text}` is not a valid value: write {like}"),
        );
        step(&format!("{{ set = {{ {field} = \"{text}\" }} }}"), &expected);
    }
    for right in [
        "severity = 4", "level = \"WARN\"", "facility = \"local7\"", "time = 1795262400", "pid = \"any\"",
        "severity = \"{x}\"",
    ] {
        step(&format!("{{ set = {{ {right} }} }}"), "");
    }
    step(
        "{ replace = 'a', with = \"\", in = [\"time\"] }",
        &message(".in", "34", "`time` is not a text field: use `set`"),
    );
    step(
        "{ sample = 2 }",
        &message(".sample", "12", "must be a share above 0 and at most 1, like `0.1` or `\"10%\"`"),
    );
    step(
        "{ throttle = \"5\" }",
        &message(".throttle", "14", "`5` is not a rate: write it like `100/s`, `50/m` or `10/h`"),
    );
    step(
        "{ parse = \"jsn\" }",
        &message(
            ".parse",
            "11",
            "`jsn` is not a format (did you mean `json`?): use `json`, `kv`, `cef`, `leef`, `csv`, `regex` or `extract`",
        ),
    );
    step(
        "{ lookup = \"../a\", key = \"host\", set = [\"a\"] }",
        &message(
            ".lookup",
            "12",
            "`../a` is not the name of a lookup file: write it like `assets.csv`, without a folder",
        ),
    );
}

#[test]
fn filters_are_queries_and_errors_point_into_them() {
    let row = |filter: &str, column: u32, words: &str| {
        let text = with_basics(&format!("[[routes]]\nid = \"r\"\nto = [\"main\"]\nwhere = {filter}"));
        let problems = check_toml(&text).expect_err(filter);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].path, "routes[0].where");
        assert_eq!((problems[0].line, problems[0].column), (Some(5), Some(column)), "{filter}: {problems:?}");
        assert!(problems[0].message.contains(words), "{filter}: {problems:?}");
    };
    row("'logspace:main error'", 9, "leave out `logspace:`");
    row("'über /(/'", 15, "");
    row("'severity>=wurning'", 20, "");
    row("\"error \\\"x\\\" /(/\"", 9, "");
}

#[test]
fn all_problems_are_told_at_once_and_none_that_follows_from_another() {
    let text = "\
        version = 1\n\
        [[sources]]\n\
        id = \"in\"\n\
        kind = \"syslog\"\n\
        listen = [\"udp://0.0.0.0:514\", \"udp:514\"]\n\
        framing = \"line\"\n\
        [[logspaces]]\n\
        id = \"main\"\n\
        [[routes]]\n\
        id = \"A\"\n\
        from = [\"in\"]\n\
        where = '/(/'\n\
        to = [\"mian\"]\n";
    let problems = check_toml(text).expect_err("five problems");
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    let expected =
        ["sources[0].listen[1]", "sources[0].framing", "routes[0].id", "routes[0].where", "routes[0].to[0]"];
    assert_eq!(paths, expected);
}

#[test]
fn limits_are_problems_too() {
    let huge = format!("version = 1\n#{}", "x".repeat(DOCUMENT_BYTES_MAX));
    let expected = format!("the document has {} bytes, and the limit is 1048576 (1 MiB)", huge.len());
    check_whole(&huge, &[&expected]);
    let many: String = (0..1001).map(|n| format!("[[logspaces]]\nid = \"l{n}\"\n")).collect();
    check_whole(
        &format!("version = 1\n{many}"),
        &["2:1: logspaces: has 1001 entries, and the limit is 1000"],
    );
    let wrong: String = (0..1000).map(|n| format!("k{n} = 1\n")).collect();
    let problems = check_toml(&with_basics(&wrong)).expect_err("a thousand problems");
    assert_eq!(problems.len(), PROBLEMS_MAX + 1);
    assert_eq!(problems[PROBLEMS_MAX].message, "and 800 more problems: correct these first");
    let deep = format!("version = {}", "[".repeat(100_000));
    check_toml(&deep).expect_err("too deep");
}

#[test]
fn json_has_the_same_problems_without_a_place() {
    let check = |json: &str, expected: &[&str]| {
        let checked = draft_json(json.as_bytes()).and_then(|draft| draft.checked);
        let problems = checked.err().unwrap_or_default();
        assert_eq!(problems.iter().map(shown).collect::<Vec<_>>(), expected, "{json}");
    };
    check(r#"{"version": 1, "logspaces": [{"id": "main"}], "routes": null}"#, &[]);
    check(
        r#"{"version": 1, "logspaces": [{"id": "main"}], "routes": [{"id": "r", "to": ["mian"]}]}"#,
        &["routes[0].to[0]: there is no logspace or destination `mian` (did you mean `main`?)"],
    );
    check(
        r#"{"version": 1, "logspaces": [{"id": 1.5}]}"#,
        &["logspaces[0].id: must be a string, not a number with a fraction"],
    );
    check("[]", &["must be a table, not a list"]);
    check("{\n \"version\": }", &["2:13: not JSON: expected value at line 2 column 13"]);
    from_json(b"\xFF\xFE").expect_err("not even text");
    from_json(b"").expect_err("empty");
    from_json("[".repeat(100_000).as_bytes()).expect_err("too deep");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn a_hostile_document_is_judged_quickly() {
    let sources: String = (0..1000).map(|n| format!("[[sources]]\nid='s{n}'\nkind='http'\n")).collect();
    let names = "'zz',".repeat(1000);
    let routes: String =
        (0..150).map(|n| format!("[[routes]]\nid='r{n}'\nfrom=[{names}]\nto=['x']\nfinal=true\n")).collect();
    let text = format!("version = 1\n{sources}{routes}");
    assert!(text.len() < DOCUMENT_BYTES_MAX);
    let begun = std::time::Instant::now();
    check_toml(&text).expect_err("hardly anything is right");
    // This normally takes a third of a second. The limit leaves room for a busy machine.
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "took {:?}", begun.elapsed());
    check(
        &format!("[[routes]]\nid = \"r\"\nto = [{}]", "\"main\", ".repeat(1001)),
        &["4:6: routes[0].to: has 1001 entries, and the limit is 1000"],
    );
}

#[test]
fn an_object_store_says_what_is_wrong_with_it() {
    let check = |keys: &str, expected: &[&str]| {
        check(&format!("[[destinations]]\nid = \"d\"\nkind = \"s3\"\n{keys}"), expected);
    };
    check(
        "",
        &[
            "2:1: destinations[0].bucket: is missing",
            "2:1: destinations[0].access_key: is missing",
            "2:1: destinations[0].secret_key_file: is missing: requests must be signed",
        ],
    );
    let right = "bucket = \"logs\"\naccess_key = \"A\"\nsecret_key_file = \"s3.key\"\n";
    check(right, &[]);
    check(
        &format!("{right}url = \"http://10.0.0.1:9000\"\nprefix = \"/x/\"\ntls = {{ ca = \"ca.pem\" }}"),
        &[
            "9:10: destinations[0].prefix: `/x/` begins with `/`, or has `//`, `.` or `..` in it: write it like \
             `logs/{received:%Y/%m/%d}/`",
            "2:1: destinations[0].addressing: must be `path`, because a bucket's name cannot stand in front of an IP \
             address",
            "10:7: destinations[0].tls: is for `https://`: change the URL, or leave it out",
        ],
    );
    check(
        &format!("{right}object = {{ size = \"1GiB\", age = \"5m\" }}\nqueue = {{ age = \"5m\" }}"),
        &[
            "8:19: destinations[0].object.size: must be 1MiB to 64MiB, not 1GiB",
            "9:9: destinations[0].queue: `age` must be more than `object.age`, which is 5m",
        ],
    );
}

#[test]
fn http_destinations_say_what_is_wrong_with_them() {
    let check = |kind: &str, keys: &str, expected: &[&str]| {
        check(&format!("[[destinations]]\nid = \"d\"\nkind = \"{kind}\"\n{keys}"), expected);
    };
    check("elastic", "", &["2:1: destinations[0].url: is missing", "2:1: destinations[0].index: is missing"]);
    check(
        "elastic",
        "url = \"es:9200\"\nindex = \"Logs\"",
        &[
            "5:7: destinations[0].url: `es:9200` does not begin with `http://` or `https://`: write one like \
             `https://logs.example:9200`",
            "6:9: destinations[0].index: `Logs` cannot be an index: write a lower-case name like `logs` or \
             `logs-logstead-default`",
        ],
    );
    let elastic = "url = \"http://es\"\nindex = \"logs\"\n";
    check(
        "elastic",
        &format!(
            "{elastic}user = \"ann\"\napi_key = \"k\"\napi_key_file = \"k\"\ntls = {{ ca = \"ca.pem\" }}"
        ),
        &[
            "7:8: destinations[0].user: needs `password_file` or `password`",
            "10:7: destinations[0].tls: is for `https://`: change the URL, or leave it out",
            "8:11: destinations[0].api_key: cannot be used together with `api_key_file`",
            "7:8: destinations[0].user: cannot be used together with an API key",
        ],
    );
    let place = "must name a file in the folder `secrets` of the data directory, like `siem.token`";
    for file in ["/etc/shadow", "../logstead.db", "a/../b", "a//b", ""] {
        let keys = format!("url = \"http://a\"\ntoken_file = \"{file}\"");
        check("otlp", &keys, &[&format!("6:14: destinations[0].token_file: {place}")]);
    }
    check(
        "splunk_hec",
        "url = \"http://a/?b\"\nchannel = \"1\"",
        &[
            "5:7: destinations[0].url: must not have a query: write it without `?` and what follows",
            "2:1: destinations[0].token_file: is missing: Splunk accepts nothing without a token",
            "6:11: destinations[0].channel: `1` is not a GUID: write one like `fe0ecfad-13d5-401b-847d-77833bd77131`",
        ],
    );
    check(
        "loki",
        "url = \"http://a\"\nlabels = [\"hosts\"]\ntenant = \"a b\"",
        &[
            "7:10: destinations[0].tenant: must consist of letters, digits and punctuation, without spaces",
            "6:11: destinations[0].labels[0]: `hosts` is not a label (did you mean `host`?): use `host`, `program`, \
             `severity`, `facility` or `source`",
        ],
    );
    check(
        "ndjson_http",
        "url = \"http://a\"\nheaders = [\"Host: b\"]\nmethod = \"GET\"\ntimeout = \"1ms\"",
        &[
            "6:12: destinations[0].headers[0]: `Host` cannot be set: Logstead sets it itself in every request",
            "8:11: destinations[0].timeout: must be 1s to 10m, not 1ms",
            "7:10: destinations[0].method: `GET` is not a method: use `POST`, `PUT` or `PATCH`",
        ],
    );
}
