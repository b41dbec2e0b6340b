//! Settings and their layers.
//!
//! Keywords: settings, environment, layers.

use logstead_config::settings::{
    DEFAULT_SETTINGS_TOML, EffectiveSetting, Layer, Layers, LogLevel, Settings, WebListener, in_force, load,
};
use logstead_config::{CountOrAuto, Period, Size, SizeOrAuto};

fn layers(file: &str, env: &[(&str, &str)], set: &[&str]) -> Layers {
    Layers {
        file: Some(file.to_owned()),
        env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        set: set.iter().map(|argument| (*argument).to_owned()).collect(),
    }
}

#[track_caller]
fn loaded(file: &str, env: &[(&str, &str)], set: &[&str]) -> Settings {
    load(&layers(file, env, set)).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn shown(listeners: &[WebListener]) -> String {
    listeners.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_problems(file: &str, env: &[(&str, &str)], set: &[&str], expected: &[&str]) {
    let problems = load(&layers(file, env, set)).expect_err("a problem");
    let shown = problems.iter().map(|problem| match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!("{line}:{column}: {problem}"),
        _ => problem.to_string(),
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn the_shipped_file_is_the_defaults() {
    let defaults = load(&Layers::default()).expect("the defaults are right");
    assert_eq!(shown(&defaults.web.listen), "127.0.0.1:8080");
    assert_eq!((&defaults.web.tls, &*defaults.web.redirect_listen), (&None, &[][..]));
    assert!(defaults.metrics.listen.is_empty());
    assert_eq!(defaults.data.to_str(), Some("data"));
    assert_eq!(defaults.limits.ingest_body_max, Size::mib(64));
    assert_eq!(defaults.threads.workers, CountOrAuto::Auto);
    assert_eq!(defaults.threads.sealers, CountOrAuto::Auto);
    assert_eq!(defaults.storage.seal_after, Period::seconds(3600));
    assert_eq!(defaults.storage.segment_rows_max, 1 << 22);
    assert_eq!(loaded(DEFAULT_SETTINGS_TOML, &[], &[]), defaults);
    assert_eq!(loaded("", &[], &[]), defaults);
}

#[test]
fn every_setting_of_the_shipped_file_has_a_comment() {
    let lines: Vec<&str> = DEFAULT_SETTINGS_TOML.lines().collect();
    let settings = lines.windows(2).filter(|pair| pair[1].contains(" = ") && !pair[1].starts_with('#'));
    settings.for_each(|pair| assert!(pair[0].starts_with('#'), "{}", pair[1]));
}

#[test]
fn a_later_layer_wins() {
    let file = "[web]\nlisten = \"127.0.0.1:1\"\nsession_lifetime = \"1h\"\n[log]\nlevel = \"warn\"\n";
    let env = [("LOGSTEAD_WEB__LISTEN", "127.0.0.1:2"), ("LOGSTEAD_LOG__LEVEL", "debug")];
    let settings = loaded(file, &env, &["web.listen=127.0.0.1:3"]);
    assert_eq!(shown(&settings.web.listen), "127.0.0.1:3");
    assert_eq!(settings.log.level, LogLevel::Debug);
    assert_eq!(settings.log.level.name(), "debug");
    assert_eq!(settings.web.session_lifetime, Period::seconds(3600));
    assert_eq!(settings.limits.searches_max, 8);
    let twice = loaded(file, &[], &["web.listen=127.0.0.1:3", "web.listen=[::1]:0"]);
    assert_eq!(shown(&twice.web.listen), "[::1]:0");
}

#[test]
fn the_environment_and_arguments_take_whatever_type_the_setting_has() {
    let env = [
        ("LOGSTEAD_DATA", "0"),
        ("LOGSTEAD_LIMITS__SEARCHES_MAX", "3"),
        ("LOGSTEAD_THREADS__WORKERS", "auto"),
        ("LOGSTEAD_MEMORY__TAIL_MAX", "1GiB"),
    ];
    let settings = loaded("", &env, &["threads.workers=2"]);
    assert_eq!(settings.data.to_str(), Some("0"));
    assert_eq!(settings.limits.searches_max, 3);
    assert_eq!(settings.memory.tail_max, SizeOrAuto::Exactly(Size::gib(1)));
    assert_eq!(settings.memory.index_max, SizeOrAuto::Auto);
    assert_eq!(settings.threads.workers, CountOrAuto::Exactly(2));
}

#[test]
fn a_list_is_written_without_brackets_where_there_are_none() {
    let shown = |settings: &Settings| {
        settings.web.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let file = "[web]\ntrusted_proxies = [\"10.0.0.0/8\", \"::1\"]\n";
    assert_eq!(shown(&loaded(file, &[], &[])), "10.0.0.0/8 ::1/128");
    let env = [("LOGSTEAD_WEB__TRUSTED_PROXIES", "127.0.0.1, fd00::/8")];
    assert_eq!(shown(&loaded(file, &env, &[])), "127.0.0.1/32 fd00::/8");
    assert_eq!(shown(&loaded(file, &[], &["web.trusted_proxies="])), "");
    let problems = load(&layers("", &[], &["web.trusted_proxies=::1,ten"])).expect_err("a problem");
    assert!(problems[0].to_string().contains("`ten` is not a network"), "{}", problems[0]);
}

#[test]
fn the_address_of_the_console_says_whether_it_is_encrypted() {
    assert!(!loaded("", &[], &[]).web.is_https());
    for (url, https) in
        [("https://logs.example.org", true), ("http://10.0.0.1:8080/", false), ("https://[::1]:8443", true)]
    {
        assert_eq!(loaded("", &[], &[&format!("web.public_url={url}")]).web.is_https(), https, "{url}");
    }
    for url in ["logs.example.org", "https://", "ftp://a", "https://a b"] {
        assert!(load(&layers("", &[], &[&format!("web.public_url={url}")])).is_err(), "{url}");
    }
}

#[test]
fn the_console_may_lie_below_a_path_that_is_none_of_its_own() {
    for (url, base) in [
        ("", ""),
        ("https://logs.example.org", ""),
        ("https://logs.example.org/", ""),
        ("https://intra/logs", "/logs"),
        ("http://intra:8080/logs/", "/logs"),
        ("https://intra/ops/log_store-2.x~", "/ops/log_store-2.x~"),
        ("https://intra/searches", "/searches"),
    ] {
        assert_eq!(loaded("", &[], &[&format!("web.public_url={url}")]).web.base(), base, "{url}");
    }
    let long = format!("https://intra/{}", "x".repeat(201));
    for url in [
        "https://intra//logs",
        "https://intra/logs//",
        "https://intra/a/../b",
        "https://intra/.",
        "https://intra/l%6Fgs",
        "https://intra/lögs",
        "https://intra/logs?a=b",
        "https://intra/logs#a",
        "https://intra/a b",
        "https://intra/\"><script>",
        "https:///logs",
        &long,
    ] {
        let problems = load(&layers("", &[], &[&format!("web.public_url={url}")])).expect_err(url);
        assert!(problems[0].to_string().contains("like `https://logs.example.org` or"), "{}", problems[0]);
    }
    for url in ["https://intra/search", "https://intra/api/logs", "https://intra/v1", "https://intra/_bulk"] {
        let problems = load(&layers("", &[], &[&format!("web.public_url={url}")])).expect_err(url);
        assert!(problems[0].to_string().contains("for its own paths"), "{}", problems[0]);
    }
}

#[test]
fn the_web_port_is_one_address_or_several_and_may_be_a_socket() {
    let listen = |file: &str, set: &[&str]| shown(&loaded(file, &[], set).web.listen);
    assert_eq!(listen("[web]\nlisten = \"[::]:80\"\n", &[]), "[::]:80");
    let file = "[web]\nlisten = [\"0.0.0.0:80\", \"unix:run/web.sock\"]\n";
    assert_eq!(listen(file, &[]), "0.0.0.0:80 unix:run/web.sock");
    assert_eq!(listen("", &["web.listen=127.0.0.1:0,unix:/run/web.sock"]), "127.0.0.1:0 unix:/run/web.sock");
    assert_eq!(shown(&loaded("", &[], &["metrics.listen=[::1]:9100"]).metrics.listen), "[::1]:9100");
    check_problems(
        "[web]\nlisten = []\nredirect_listen = 80\n",
        &[],
        &["metrics.listen=unix:../x"],
        &[
            "2:10: web.listen: must name at least one address, like `127.0.0.1:8080`",
            "3:19: web.redirect_listen: must be a list, not a number",
            "metrics.listen[0]: `unix:../x` must not contain `..`: write it like `unix:/dev/log`, or \
             `unix:run/log.sock` below the data directory (set by --set metrics.listen)",
        ],
    );
}

#[test]
fn encryption_needs_a_certificate_and_its_key_and_a_redirect_needs_encryption() {
    let tls = |set: &[&str]| loaded("", &[], set).web.tls.map(|tls| (tls.certificate, tls.key));
    let both = ["web.tls.certificate=a.pem", "web.tls.key=a.key", "web.redirect_listen=127.0.0.1:0"];
    assert_eq!(tls(&both), Some(("a.pem".to_owned(), "a.key".to_owned())));
    assert_eq!(tls(&[]), None);
    let file = "[web]\ntls = { certificate = \"a.pem\" }\n";
    check_problems(file, &[], &[], &["2:7: web.tls: needs both files: `certificate` and `key`"]);
    check_problems(
        "",
        &[],
        &["web.redirect_listen=127.0.0.1:80"],
        &[
            "web.redirect_listen: needs `web.tls`: without it, there is no encrypted address to redirect browsers to \
           (set by --set web.redirect_listen)",
        ],
    );
    check_problems(
        "[web]\ntls = { certificat = \"a.pem\", key = \"\" }\n",
        &[],
        &[],
        &["2:9: web.tls.certificat: unknown key `certificat` (did you mean `certificate`?)"],
    );
}

#[test]
fn a_list_is_written_with_commas_where_there_are_no_brackets() {
    let env = [("LOGSTEAD_FILES__READ", "/var/log, /srv/logs")];
    let settings = loaded("[files]\nsockets = [\"/run\"]\n", &env, &["files.write=/srv/out"]);
    assert_eq!(settings.files.read, ["/var/log", "/srv/logs"]);
    assert_eq!(settings.files.write, ["/srv/out"]);
    assert_eq!(settings.files.sockets, ["/run"]);
    assert!(loaded("", &[], &["files.read="]).files.read.is_empty());
    let message = |key: &str, folder: &str| {
        format!(
            "files.{key}: `{folder}` is not a folder: write it like `/var/log`, without `..` (set by --set \
                 files.{key})"
        )
    };
    let (read, write) = (message("read", "logs"), message("write", "/srv/../etc"));
    check_problems("", &[], &["files.read=/var/log,logs", "files.write=/srv/../etc"], &[&read, &write]);
}

#[test]
fn variables_that_are_no_settings_are_passed_over() {
    let env = [
        ("PATH", "/bin"),
        ("LOGSTEAD_ADMIN_PASSWORD", "secret"),
        ("LOGSTEAD_ADMIN_TOKEN", "secret"),
        ("LOGSTEAD_SERVICE_HOST", "10.0.0.1"),
        ("LOGSTEAD_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
    ];
    assert_eq!(loaded("", &env, &[]), loaded("", &[], &[]));
}

#[test]
fn problems_say_where_the_value_came_from() {
    check_problems(
        "[web]\nlisten = \"localhost\"\n",
        &[],
        &[],
        &["2:10: web.listen: `localhost` is not an address to listen on: write an address and a port, like \
         `127.0.0.1:8080` or `[::1]:8080`, or `unix:PATH`"],
    );
    check_problems(
        "[web]\nlissen = \"x\"\n[lok]\n",
        &[],
        &[],
        &[
            "2:1: web.lissen: unknown key `lissen` (did you mean `listen`?)",
            "3:2: lok: unknown key `lok` (did you mean `log`?)",
        ],
    );
    check_problems("web = 1\n", &[], &[], &["1:7: web: must be a table, not a number"]);
    check_problems(
        "x = \n",
        &[],
        &[],
        &["1:5: not TOML: string values must be quoted, expected literal string"],
    );
    let env = [("LOGSTEAD_LIMITS__SEARCHES_MAX", "many"), ("LOGSTEAD_WEB__PORT", "1")];
    check_problems(
        "",
        &env,
        &["log.level=loud", "data="],
        &[
            "data: must name a directory, like `data` (set by --set data)",
            "web.port: unknown key `port`; known here: listen, tls, redirect_listen, hsts, session_lifetime, \
             session_max, public_url, trusted_proxies, connections_max, header_timeout, idle_timeout, stall_timeout (set by LOGSTEAD_WEB__PORT)",
            "limits.searches_max: must be a whole number from 0 to 4294967295 (set by \
         LOGSTEAD_LIMITS__SEARCHES_MAX)",
            "log.level: `loud` is not a log level: use `error`, `warn`, `info`, `debug` or `trace` (set by --set \
         log.level)",
        ],
    );
    check_problems(
        "",
        &[],
        &["limits.searches_max=0", "web=1", "storage.segment_rows_max=10"],
        &[
            "web: must be a table, not a string (set by --set web)",
            "limits.searches_max: must be 1 to 1000, not 0 (set by --set limits.searches_max)",
            "storage.segment_rows_max: must be 1000 to 4194304, not 10 (set by --set storage.segment_rows_max)",
        ],
    );
}

#[test]
fn what_is_not_even_addressed_right_is_said_without_a_place() {
    check_problems(
        "[web]\n",
        &[("LOGSTEAD_WEB_LISTEN", "x")],
        &["weblisten", "=1"],
        &[
            "LOGSTEAD_WEB_LISTEN: is not a setting (did you mean `LOGSTEAD_WEB__LISTEN`?)",
            "--set: `weblisten` is not `key=value`, like `web.listen=127.0.0.1:8080`",
            "--set: `=1` is not `key=value`, like `web.listen=127.0.0.1:8080`",
        ],
    );
}

const OIDC: &str = "[web]\npublic_url = \"https://logs.example.org\"\n[[accounts.oidc]]\nid = \"corp\"\n\
    issuer = \"https://sso.example.org\"\nclient_id = \"logstead\"\n\
    grants = [{ group = \"a\", role = \"admin\" }, { group = \"b\", role = \"analyst\", scope = \"host:web-*\" }]\n";
const LDAP: &str = "[[accounts.ldap]]\nid = \"corp\"\nurl = \"ldaps://ldap.example.org\"\nuser_base = \"dc=example\"\n\
    grants = [{ group = \"*\", role = \"analyst\", logspaces = [\"main\"] }]\n";

#[test]
fn who_else_may_log_in_is_read_with_what_is_left_out() {
    let accounts = loaded(&format!("{OIDC}{LDAP}"), &[], &["accounts.second_factor=admin,operator"]).accounts;
    assert_eq!(accounts.second_factor.len(), 2);
    let oidc = accounts.provider("corp").expect("a provider");
    assert_eq!((oidc.label.as_str(), oidc.name_claim.as_str()), ("corp", "preferred_username"));
    assert_eq!(oidc.scopes, ["openid", "profile", "email"]);
    assert_eq!(oidc.timeout, Period::seconds(10));
    assert_eq!(oidc.grants[1].scope.as_deref(), Some("host:web-*"));
    assert!(accounts.provider("other").is_none());
    assert_eq!(accounts.ldap[0].user_filter, "(uid={name})");
    assert_eq!(accounts.ldap[0].id_attribute, "entryUUID");
}

#[test]
fn providers_that_would_let_in_the_wrong_ones_are_refused() {
    // Replacements in the settings, and the expected messages.
    let rows: [(&str, &str, &str); 19] = [
        ("public_url = \"https://logs.example.org\"", "", "needs `web.public_url`"),
        ("https://sso", "http://sso", "must begin with `https://`"),
        ("https://sso.example.org", "http://localhost.example.org", "must begin with `https://`"),
        ("https://sso.example.org", "https://sso.example.org?a", "neither `?` nor `#`"),
        ("client_id = \"logstead\"\n", "", "client_id: is missing"),
        ("id = \"corp\"\nissuer", "id = \"Corp!\"\nissuer", "lower-case letters"),
        ("client_id", "client_key = 1\nclient_id", "unknown key `client_key`"),
        ("role = \"admin\"", "role = \"king\"", "is not a role"),
        ("role = \"admin\"", "role = \"admin\", logspaces = []", "is empty: name at least one"),
        ("scope = \"host:web-*\"", "scope = \"((\"", "is invalid"),
        ("logspaces = [\"main\"]", "logspaces = []", "is empty: name at least one"),
        ("grants = [{ group = \"*\"", "other = [{ group = \"*\"", "nobody can log in"),
        ("client_id", "scopes = [\"email\"]\nclient_id", "must include `openid`"),
        ("ldaps://", "ldap://", "would send passwords unencrypted"),
        ("ldaps://ldap.example.org", "https://ldap.example.org", "must be like `ldaps://ldap.example.org`"),
        ("user_base = \"dc=example\"", "start_tls = true", "from the first byte"),
        ("user_base", "user_dn = \"uid=ana\"\nuser_filter = \"(a=b)\"\nuser_base", "must contain `{name}`"),
        ("user_base", "user_dn = \"uid={name}\"\nuser_base", "cannot be set together with `user_base`"),
        ("user_base", "bind_dn = \"cn=a\"\nuser_base", "must be set together"),
    ];
    for (from, to, expected) in rows {
        let text = format!("{OIDC}{LDAP}");
        assert!(text.contains(from), "{from}");
        let problems = load(&layers(&text.replacen(from, to, 1), &[], &[])).expect_err(expected);
        assert!(
            problems.iter().any(|problem| problem.to_string().contains(expected)),
            "{expected}: {problems:?}"
        );
    }
    let twice = format!("{OIDC}{}", OIDC.split_once("[[").map_or("", |(_, rest)| rest).replacen("", "[[", 1));
    let problems = load(&layers(&twice, &[], &[])).expect_err("two of one id");
    assert!(problems[0].to_string().contains("two providers with the id `corp`"), "{problems:?}");
}

/// The effective setting with this key.
fn told(layers: &Layers, key: &str) -> EffectiveSetting {
    let all = in_force(layers).unwrap_or_else(|problems| panic!("{problems:?}"));
    all.into_iter().find(|setting| setting.key == key).unwrap_or_else(|| panic!("there is no `{key}`"))
}

#[test]
fn each_setting_says_which_layer_it_is_from() {
    let file = "[web]\nlisten = [\"127.0.0.1:1\", \"unix:web.sock\"]\n\n[log]\nlevel = \"warn\"\n";
    let env = [("LOGSTEAD_LOG__LEVEL", "debug"), ("LOGSTEAD_MEMORY__TAIL_MAX", "1GiB")];
    let layers = layers(file, &env, &["memory.tail_max=2GiB", "web.tls.key=web.key"]);
    let check = |key: &str, value: &str, from: Layer| {
        let setting = told(&layers, key);
        assert_eq!((&*setting.value, setting.from), (value, from), "{key}");
    };
    check("web.listen", "[\"127.0.0.1:1\", \"unix:web.sock\"]", Layer::File(2));
    check("log.level", "debug", Layer::Named("LOGSTEAD_LOG__LEVEL".to_owned()));
    check("memory.tail_max", "2GiB", Layer::Named("--set memory.tail_max".to_owned()));
    check("web.tls.key", "web.key", Layer::Named("--set web.tls.key".to_owned()));
    check("web.tls.certificate", "", Layer::Default);
    check("threads.workers", "auto", Layer::Default);
    assert_eq!(told(&layers, "log.level").default, "info");
    assert_eq!(told(&layers, "web.listen").default, "127.0.0.1:8080");
}

#[test]
fn each_setting_says_what_it_means() {
    let all = in_force(&Layers::default()).expect("the defaults are right");
    assert!(30 < all.len(), "{}", all.len());
    for setting in &all {
        assert!(setting.about.ends_with(['.', '`', '}', ':']), "{}: {}", setting.key, setting.about);
        assert_eq!((&setting.value, &setting.from), (&setting.default, &Layer::Default), "{}", setting.key);
    }
    assert_eq!(
        all[0].about,
        "The directory that holds everything: messages, users, revisions of the router document."
    );
}
