//! What can be run but is hardly meant.

use logstead_config::check_toml;

#[track_caller]
fn check(routes: &str, expected: &[&str]) {
    let text = format!(
        "version = 1\n\
         [[sources]]\nid = \"a\"\nkind = \"http\"\n\
         [[sources]]\nid = \"b\"\nkind = \"internal\"\n\
         [[logspaces]]\nid = \"main\"\nretention = {{ age = \"90d\" }}\n{routes}"
    );
    let (_, checked) = check_toml(&text).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(checked.warnings, expected, "{routes}");
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
    let never = "route `late`: it can never match, because route `all` takes everything before it";
    let late = |keys: &str| route("late", keys);
    check(&(route("all", "final = true") + &late("where = 'error'")), &[never]);
    check(&(route("all", "final = true") + &late("fallback = true")), &[never]);
    check(&(route("all", "") + &late("fallback = true")), &[never]);
    check(&(route("all", "") + &late("where = 'error'")), &[]);
    check(&(route("few", "where = 'x'") + &route("all", "final = true\nfallback = true") + &late("")), &[]);
    check(
        &(route("all", "from = [\"a\"]\nfinal = true") + &late("from = [\"a\"]") + &route("rest", "")),
        &[never],
    );
    check(&(route("all", "from = [\"a\"]\nfinal = true") + &late("")), &[]);
    let both = route("one", "from = [\"a\"]\nfinal = true") + &route("all", "from = [\"b\"]\nfinal = true");
    check(&(both + &late("")), &[never]);
}

#[test]
fn limits_that_are_not_there_or_too_high() {
    let all = route("all", "");
    check(
        &format!("{all}[[logspaces]]\nid = \"big\"\n{}", route("second", "").replace("main", "big")),
        &["logspace `big`: it grows until the disk is full; set `retention = { age = \"90d\" }`, or a size"],
    );
}
