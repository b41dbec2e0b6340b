//! Warnings of documents that can run but are probably mistakes.
//!
//! Keywords: warnings, unreachable route.

use logstead_config::{DocumentWarning, DocumentWarningCode, check_toml, draft_json};

fn messages(warnings: &[DocumentWarning]) -> Vec<&str> {
    warnings.iter().map(|warning| warning.message.as_str()).collect()
}

#[track_caller]
fn check(routes: &str, expected: &[&str]) {
    let text = format!(
        "version = 1\n\
         [[sources]]\nid = \"a\"\nkind = \"http\"\n\
         [[sources]]\nid = \"b\"\nkind = \"internal\"\n\
         [[logspaces]]\nid = \"main\"\nretention = {{ age = \"90d\" }}\n{routes}"
    );
    let (_, checked) = check_toml(&text).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(messages(&checked.warnings), expected, "{routes}");
}

fn route(id: &str, keys: &str) -> String {
    format!("[[routes]]\nid = \"{id}\"\nto = [\"main\"]\n{keys}\n")
}

const LOST: &str = "its messages that no route matches are dropped; add a last route with `where = '*'` and \
                    `fallback = true` to keep them";

#[test]
fn messages_that_go_nowhere() {
    check(&route("all", ""), &[]);
    check(&(route("few", "where = 'error'") + &route("rest", "fallback = true")), &[]);
    check(
        &route("some", "from = [\"a\"]"),
        &["source `b`: no route takes its messages, so they are dropped"],
    );
    check(
        &route("few", "where = 'error'"),
        &[&format!("source `a`: {LOST}"), &format!("source `b`: {LOST}")],
    );
}

#[test]
fn things_that_no_message_reaches() {
    let all = route("all", "");
    check(
        &format!("[[logspaces]]\nid = \"spare\"\nretention = {{ size = \"1GB\" }}\n{all}"),
        &["logspace `spare`: no route sends to it"],
    );
    check(
        &format!("[[destinations]]\nid = \"d\"\nkind = \"file\"\npath = \"x\"\n{all}"),
        &["destination `d`: no route sends to it"],
    );
}

#[test]
fn routes_behind_one_that_takes_everything() {
    let never = |who: &str, advice: &str| {
        format!("route `late`: it can never match, because {who} before it: {advice}")
    };
    let all = never("route `all` takes everything", "move it up, or remove `final` there");
    let rest = never("route `all` takes everything", "remove it");
    let late = |keys: &str| route("late", keys);
    check(&(route("all", "final = true") + &late("where = 'error'")), &[&all]);
    check(&(route("all", "final = true") + &late("fallback = true")), &[&rest]);
    check(&(route("all", "") + &late("fallback = true")), &[&rest]);
    check(&(route("all", "") + &late("where = 'error'")), &[]);
    check(&(route("few", "where = 'x'") + &route("all", "final = true\nfallback = true") + &late("")), &[]);
    check(
        &(route("all", "from = [\"a\"]\nfinal = true") + &late("from = [\"a\"]") + &route("rest", "")),
        &[&all],
    );
    check(&(route("all", "from = [\"a\"]\nfinal = true") + &late("")), &[]);
    let both = route("one", "from = [\"a\"]\nfinal = true") + &route("all", "from = [\"b\"]\nfinal = true");
    let together =
        never("routes `one` and `all` together take everything", "move it up, or remove `final` there");
    check(&(both + &late("")), &[&together]);
}

#[test]
fn routes_behind_one_that_takes_all_of_theirs() {
    let rest = route("rest", "");
    let late = |filter: &str| route("late", &format!("where = '{filter}'"));
    let ends = |id: &str, filter: &str| route(id, &format!("where = '{filter}'\nfinal = true"));
    let advice = "before it: move it up, or remove `final` there";
    let one =
        format!("route `late`: it can never match, because route `bad` takes all of its messages {advice}");
    check(&(ends("bad", "severity>=error") + &late("severity=critical host=fw1") + &rest), &[&one]);
    check(&(ends("bad", "severity>=error") + &late("severity>=warning") + &rest), &[]);
    let two = format!(
        "route `late`: it can never match, because routes `a` and `b` together take all of its messages {advice}"
    );
    check(&(ends("a", "host=a") + &ends("b", "host=b") + &late("host in (a, b)") + &rest), &[&two]);
    let none = "route `late`: it can never match, because no message meets all of `host=a host=b`: remove a condition, or \
                write `or` between them";
    check(&(late("host=a host=b") + &rest), &[none]);
}

#[test]
fn what_is_disabled() {
    let off =
        |keys: &str| format!("[[destinations]]\nkind = \"file\"\npath = \"x\"\nenabled = false\n{keys}\n");
    let to = |id: &str, to: &str| route(id, "").replace("\"main\"", to);
    let all = route("all", "");
    check(
        &(to("copy", "\"main\", \"d\"") + &off("id = \"d\"")),
        &["destination `d`: it is disabled, so messages that route `copy` would send to it are not queued"],
    );
    check(
        &(to("away", "\"d\"") + &all + &off("id = \"d\"")),
        &[
            "route `away`: messages that no other route takes are dropped, because its destination `d` is disabled",
        ],
    );
    check(
        &(to("away", "\"d\", \"e\"") + &all + &off("id = \"d\"") + &off("id = \"e\"")),
        &[
            "route `away`: messages that no other route takes are dropped, because all of its destinations are disabled",
        ],
    );
    let source =
        "[[sources]]\nid = \"c\"\nkind = \"relp\"\nlisten = [\"relp://0.0.0.0:2514\"]\nenabled = false\n";
    // A source that sends nothing needs no route for its messages.
    check(&(route("few", "from = [\"a\", \"b\"]") + source), &[]);
    check(
        &(route("few", "from = [\"c\"]") + &all + source),
        &["route `few`: it takes nothing, because its source `c` is disabled"],
    );
}

#[test]
fn limits_that_are_not_there_or_too_high() {
    let all = route("all", "");
    check(
        &format!("{all}[[logspaces]]\nid = \"big\"\n{}", route("second", "").replace("main", "big")),
        &["logspace `big`: it grows until the disk is full; set `retention = { age = \"90d\" }`, or a size"],
    );
}

#[test]
fn keys_under_the_names_that_they_had_before() {
    let sources = "[[sources]]\nid = \"edge\"\nkind = \"syslog\"\nlisten = [\"tcp://0.0.0.0:514\"]\n\
                   max_message = \"8KiB\"\nmax_connections = 9\n\
                   [[sources]]\nid = \"spans\"\nkind = \"otlp\"\nlisten = [\"grpc://0.0.0.0:4317\"]\n\
                   max_request = \"1MiB\"\nconnections_max = 9\n";
    let all = route("all", "");
    let warnings = [
        "source `edge`: `max_message` is now called `message_max`, so rename it",
        "source `edge`: `max_connections` is now called `connections_max`, so rename it",
        "source `spans`: `max_request` is now called `request_max`, so rename it",
    ];
    check(&format!("{sources}{all}"), &warnings);
    let renamed = ["message", "connections", "request"].iter().fold(sources.to_owned(), |text, limit| {
        text.replace(&format!("max_{limit}"), &format!("{limit}_max"))
    });
    check(&format!("{renamed}{all}"), &[]);
}

#[test]
fn keys_of_json_under_the_names_that_they_had_before() {
    let check = |keys: &str, expected: &[&str]| {
        let json = format!(
            r#"{{"version": 1, "logspaces": [{{"id": "main", "retention": {{"age": "90d"}}}}],
                "sources": [{{"id": "log", "kind": "file", "paths": ["/var/log/*.log"], {keys}}}],
                "routes": [{{"id": "all", "to": ["main"]}}]}}"#
        );
        let draft = draft_json(json.as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}"));
        assert_eq!(messages(&draft.checked.expect("it can run").warnings), expected, "{keys}");
        let document = serde_json::to_value(&draft.document).expect("as JSON");
        assert_eq!(document["sources"][0]["message_max"], "8KiB", "{keys}");
        assert_eq!(document["sources"][0]["max_message"], serde_json::Value::Null, "{keys}");
    };
    let old = "source `log`: `max_message` is now called `message_max`, so rename it";
    check(r#""max_message": "8KiB""#, &[old]);
    check(r#""max_message": "8KiB", "message_max": null"#, &[old]);
    check(r#""max_message": null, "message_max": "8KiB""#, &[]);
}

#[test]
fn each_warning_has_a_code_and_the_path_of_its_entry() {
    use DocumentWarningCode::{Endless, MessagesDropped, NeverMatches, NotQueued, Unused};
    let text = "version = 1\n\
                [[sources]]\nid = \"off\"\nkind = \"internal\"\nenabled = false\n\
                [[sources]]\nid = \"a\"\nkind = \"http\"\n\
                [[logspaces]]\nid = \"main\"\n\
                [[logspaces]]\nid = \"rest\"\nretention = { age = \"90d\" }\n\
                [[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nenabled = false\n\
                to = [\"tcp://siem:514\"]\n\
                [[routes]]\nid = \"unused\"\nenabled = false\nto = [\"main\"]\n\
                [[routes]]\nid = \"first\"\nwhere = \"error\"\nto = [\"main\", \"siem\"]\nfinal = true\n\
                [[routes]]\nid = \"late\"\nwhere = \"error\"\nto = [\"main\"]\n";
    let (_, checked) = check_toml(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let warnings = checked.warnings.iter().map(|warning| (warning.code, warning.path.as_str()));
    assert_eq!(
        warnings.collect::<Vec<_>>(),
        [
            (MessagesDropped, "sources[1]"),
            (Endless, "logspaces[0]"),
            (Unused, "logspaces[1]"),
            (NotQueued, "destinations[0]"),
            (NeverMatches, "routes[2]"),
        ]
    );
}
