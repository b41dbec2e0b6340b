//! The changes of an edit, in words.
//!
//! Keywords: document diff.

use logstead_config::{Changes, check_toml, diff};

const BASE: &str = "\
version = 1
[[sources]]
id = 'in'
kind = 'syslog'
listen = ['udp://0.0.0.0:514']
[[logspaces]]
id = 'main'
retention = { age = '90d' }
[[routes]]
id = 'fw'
where = 'host:fw*'
to = ['main']
[[routes]]
id = 'rest'
to = ['main']
";

fn changes(edit: impl Fn(&str) -> String) -> Changes {
    let checked = |text: &str| check_toml(text).unwrap_or_else(|problems| panic!("{text}: {problems:?}")).1;
    diff(&checked(BASE), &checked(&edit(BASE)))
}

#[track_caller]
fn check(old: &str, new: &str, expected: &[&str]) {
    assert!(BASE.contains(old), "{old}");
    assert_eq!(changes(|text| text.replace(old, new)).changes, expected);
}

#[test]
fn an_edit_is_told_in_sentences() {
    check("host:fw*", "host:fw* error", &["route `fw`: where changed from `host:fw*` to `host:fw* error`"]);
    check(
        "'90d'",
        "'30d', size = '1GB'",
        &[
            "logspace `main`: retention.age changed from `90d` to `30d`",
            "logspace `main`: retention.size is set to `1GB`",
        ],
    );
    check(
        "retention = { age = '90d' }\n",
        "",
        &["logspace `main`: retention.age is no longer set (it was `90d`)"],
    );
    check(
        "['udp://0.0.0.0:514']",
        "['udp://0.0.0.0:514', 'tcp://0.0.0.0:514']",
        &["source `in`: listen changed from `udp://0.0.0.0:514` to `udp://0.0.0.0:514, tcp://0.0.0.0:514`"],
    );
    check(
        "'syslog'\nlisten = ['udp://0.0.0.0:514']",
        "'http'",
        &["source `in`: kind changed from `syslog` to `http`"],
    );
    check(
        "id = 'fw'",
        "id = 'firewall'",
        &[
            "route `fw` is removed (where `host:fw*`, to `main`)",
            "route `firewall` is added (where `host:fw*`, to `main`)",
        ],
    );
    check("id = 'fw'\n", "id = 'fw'\nfrom = ['in']\n", &["route `fw`: from changed from `[]` to `in`"]);
    check(
        "[[routes]]\nid = 'fw'",
        "[[destinations]]\nid = 'd'\nkind = 'file'\npath = 'x'\n[[routes]]\nid = 'fw'",
        &["destination `d` is added (kind `file`, path `x`)"],
    );
}

#[test]
fn what_is_turned_off_and_on_is_told_in_a_word() {
    check("id = 'in'\n", "id = 'in'\nenabled = false\n", &["source `in`: disabled"]);
    check("id = 'fw'\n", "id = 'fw'\nenabled = false\n", &["route `fw`: disabled"]);
    check(
        "[[routes]]\nid = 'fw'",
        "[[destinations]]\nid = 'd'\nkind = 'file'\npath = 'x'\nenabled = false\n[[routes]]\nid = 'fw'",
        &["destination `d` is added (kind `file`, path `x`, disabled)"],
    );
}

#[test]
fn what_means_the_same_is_no_change() {
    check("version = 1", "# a comment\nversion = 1", &[]);
    check("'90d' }", "'2160h' } # the same", &[]);
    check("to = ['main']", "to = ['main']\nfinal = false", &[]);
}

#[test]
fn the_order_of_routes_is_told() {
    let reversed = "\
        [[routes]]\nid = 'rest'\nto = ['main']\n[[routes]]\nid = 'fw'\nwhere = 'host:fw*'\nto = ['main']\n";
    let changes = changes(|text| text.split_once("[[routes]]").expect("routes").0.to_owned() + reversed);
    assert!(changes.reordered && changes.routes.changed.is_empty());
    assert_eq!(changes.changes, ["routes are now in another order: `rest`, `fw`"]);
}

#[test]
fn what_happens_to_steps_is_told_in_words() {
    let route = |steps: &str| format!("id = 'fw'\nsteps = [{steps}]\n");
    let told = |before: &str, after: &str, expected: &[&str]| {
        let document = |steps: &str| {
            let text = BASE.replace("id = 'fw'\n", &route(steps));
            check_toml(&text).unwrap_or_else(|problems| panic!("{text}: {problems:?}")).1
        };
        let expected: Vec<String> = expected.iter().map(|what| format!("route `fw`: {what}")).collect();
        assert_eq!(diff(&document(before), &document(after)).changes, expected);
    };
    let mask = r"{ mask = '\d{16}', with = '****' }";
    let set = "{ set = { zone = 'dmz', owner = '{host}' }, where = 'host=fw-1' }";
    told("", mask, &[r"step 1 is added: mask `\d{16}` with `****`"]);
    told(
        mask,
        &format!("{mask}, {set}"),
        &["step 2 is added: set `owner = {host}, zone = dmz` where `host=fw-1`"],
    );
    told(&format!("{mask}, {set}"), set, &[r"step 1 is removed: mask `\d{16}` with `****`"]);
    told(
        &format!("{mask}, {set}"),
        &format!("{set}, {mask}"),
        &["steps are now in another order: set, mask"],
    );
    told(
        "{ dedup = ['host', 'message'], within = '10s' }",
        "{ sample = 0.5, by = ['host'] }",
        &["step 1 changed from dedup `host, message` within `10s` to sample `0.5` by `host`"],
    );
    told(
        "",
        "{ lookup = 'assets.csv', key = 'host', set = ['owner'] }",
        &["step 1 is added: lookup `assets.csv` key `host` set `owner`"],
    );
    check(
        "id = 'rest'\n",
        "id = 'all'\nsteps = [{ parse = 'json' }, { tag = ['a'] }]\n",
        &[
            "route `rest` is removed (where `*`, to `main`)",
            "route `all` is added (where `*`, to `main`, steps `parse, tag`)",
        ],
    );
}

#[test]
fn ids_say_what_to_start_replace_and_stop() {
    let changes = changes(|text| text.replace("id = 'fw'", "id = 'new'").replace("514'", "515'"));
    assert_eq!(changes.sources.changed, ["in"]);
    assert_eq!((changes.routes.added, changes.routes.removed), (vec!["new".into()], vec!["fw".into()]));
    assert!(!changes.reordered);
}

#[test]
fn secrets_are_not_told() {
    let told = |before: &str, after: &str| {
        let document = |token: &str| {
            let text = format!(
                "version = 1\n[[logspaces]]\nid = 'main'\n[[destinations]]\nid = 'd'\nkind = 'otlp'\n\
                 url = 'http://a'\n{token}"
            );
            check_toml(&text).expect("a document").1
        };
        diff(&document(before), &document(after)).changes
    };
    assert_eq!(told("token = 'hunter2'", "token = 'hunter3'"), ["destination `d`: token changed"]);
    let changes = told("", "headers = ['X-Key: hunter2']");
    assert_eq!(changes, ["destination `d`: headers changed"]);
    assert_eq!(told("", "token_file = 'a'"), ["destination `d`: token_file is set to `a`"]);
    let changes = told("proxy = 'http://ann:hunter2@p:1'", "proxy = 'http://ann:hunter3@p:1'");
    assert_eq!(changes, ["destination `d`: proxy changed"]);
}
