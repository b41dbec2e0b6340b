//! The users' own accounts, tested with the real binary: sessions, second factors, and the command for a stopped
//! store.
//!
//! Keywords: account, session list, second factor, TOTP, recovery code, preferences, command line user.

use crate::support;

use ring::hmac;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};
use support::{ROUTER, Server, logstead, output, record};

const PASSWORD: &str = "correct horse";

/// A browser: its cookies, and the token that it sends with changes.
#[derive(Clone, Default)]
struct Browser {
    agent: &'static str,
    cookie: String,
    csrf: String,
}

impl Browser {
    fn call(&self, server: &Server, method: &str, path: &str, body: &Value) -> (u16, Value, Vec<String>) {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/api/v1{path}", server.web()))
            .header("User-Agent", self.agent)
            .header("Cookie", &self.cookie)
            .header("X-CSRF-Token", &self.csrf);
        if !body.is_null() {
            request = request.header("Content-Type", "application/json");
        }
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let mut answer = agent.run(request.body(text).unwrap()).unwrap();
        let cookies = answer.headers().get_all("set-cookie").iter();
        let cookies: Vec<String> = cookies.map(|cookie| cookie.to_str().unwrap().to_owned()).collect();
        let text = answer.body_mut().read_to_string().unwrap();
        record::note(method, &answer, &text);
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)), cookies)
    }

    /// Asserts the status of an answer and a part of its body.
    #[track_caller]
    fn check(&self, server: &Server, method: &str, path: &str, body: &Value, expected: (u16, &str)) -> Value {
        let (status, answer, _) = self.call(server, method, path, body);
        assert_eq!(status, expected.0, "{method} {path} {body}: {answer}");
        assert!(answer.to_string().contains(expected.1), "{method} {path} {body}: {answer}");
        answer
    }

    /// Logs in and returns the browser.
    #[track_caller]
    fn begin(server: &Server, agent: &'static str, login: &Value) -> Browser {
        let browser = Browser { agent, ..Browser::default() };
        let (status, answer, cookies) = browser.call(server, "POST", "/session", login);
        assert_eq!(status, 200, "{login}: {answer}");
        let cookies: Vec<&str> = cookies.iter().map(|cookie| cookie.split(';').next().unwrap()).collect();
        Browser {
            cookie: cookies.join("; "),
            csrf: answer["csrf_token"].as_str().unwrap().to_owned(),
            ..browser
        }
    }
}

fn login(name: &str, password: &str, code: Option<&str>) -> Value {
    let mut login = json!({"name": name, "password": password});
    if let Some(code) = code {
        login["code"] = json!(code);
    }
    login
}

fn add_user(server: &Server, name: &str, role: &str) {
    let user = json!({"name": name, "role": role, "password": PASSWORD});
    assert_eq!(server.post("/users", &user).0, 201);
}

/// The actions in the audit log, newest first.
fn actions(server: &Server, limit: usize) -> Vec<String> {
    let (_, audit) = server.call("GET", &format!("/audit?limit={limit}"), &[], b"");
    let entries = audit["entries"].as_array().unwrap().iter();
    entries.map(|entry| format!("{} {}", entry["user"], entry["action"]).replace('"', "")).collect()
}

/// An authenticator app, as RFC 6238 describes it.
struct App(Vec<u8>);

impl App {
    fn of(secret: &str) -> App {
        let bits: String = secret
            .bytes()
            .map(|letter| {
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".iter().position(|other| *other == letter).unwrap()
            })
            .map(|value| format!("{value:05b}"))
            .collect();
        App(bits
            .as_bytes()
            .chunks_exact(8)
            .map(|byte| u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap())
            .collect())
    }

    /// The current code, or that of a later time step.
    fn code(&self, later: u64) -> String {
        let step = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 30 + later;
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let tag = hmac::sign(&key, &step.to_be_bytes());
        let at = usize::from(tag.as_ref()[19] & 15);
        let word = u32::from_be_bytes(tag.as_ref()[at..at + 4].try_into().unwrap());
        format!("{:06}", (word & 0x7fff_ffff) % 1_000_000)
    }
}

/// Sets up a second factor; returns the app, the code used for it, and the recovery codes.
fn enrol(server: &Server, browser: &Browser, password: &str) -> (App, String, Vec<String>) {
    let begun = browser.check(
        server,
        "POST",
        "/account/totp",
        &json!({ "current_password": password }),
        (200, "otpauth://totp/Logstead"),
    );
    let app = App::of(begun["secret"].as_str().unwrap());
    let first = app.code(0);
    let done = browser.check(server, "PUT", "/account/totp", &json!({ "code": first }), (200, "recovery"));
    let codes = done["recovery_codes"].as_array().unwrap().iter();
    (app, first, codes.map(|code| code.as_str().unwrap().to_owned()).collect())
}

#[test]
fn sessions_are_seen_and_ended_one_by_one_or_all_others_and_by_an_administrator() {
    let server = Server::start(ROUTER);
    add_user(&server, "ana", "analyst");
    add_user(&server, "bo", "analyst");
    let of = |agent| Browser::begin(&server, agent, &login("ana", PASSWORD, None));
    let (desk, phone, mine) = (of("desk"), of("phone"), of("mine"));
    let bo = Browser::begin(&server, "bo's", &login("bo", PASSWORD, None));
    let listed = mine.check(&server, "GET", "/account/sessions", &Value::Null, (200, "desk"));
    let listed = listed["sessions"].as_array().unwrap();
    assert_eq!(listed.len(), 3);
    let id = |agent: &str| {
        let found = listed.iter().find(|session| session["user_agent"] == agent).unwrap();
        assert_eq!((&found["address"], &found["current"]), (&json!("127.0.0.1"), &json!(agent == "mine")));
        found["id"].as_str().unwrap().to_owned()
    };
    let one = format!("/account/sessions/{}", id("desk"));
    bo.check(&server, "DELETE", &one, &Value::Null, (404, "you have no session"));
    mine.check(&server, "DELETE", &one, &Value::Null, (204, ""));
    mine.check(&server, "DELETE", &one, &Value::Null, (404, "it may have ended"));
    desk.check(&server, "GET", "/account", &Value::Null, (401, "log in"));
    phone.check(&server, "GET", "/account", &Value::Null, (200, "\"name\":\"ana\""));
    mine.check(&server, "DELETE", "/account/sessions", &Value::Null, (204, ""));
    phone.check(&server, "GET", "/account", &Value::Null, (401, "log in"));
    mine.check(&server, "GET", "/account", &Value::Null, (200, "\"origin\":null"));

    let (status, seen) = server.call("GET", "/users/ana/sessions", &[], b"");
    assert_eq!((status, seen["sessions"].as_array().unwrap().len()), (200, 1), "{seen}");
    let path = format!("/users/ana/sessions/{}", id("mine"));
    assert_eq!(server.call("DELETE", &path, &[], b"").0, 204);
    mine.check(&server, "GET", "/account", &Value::Null, (401, "log in"));
    assert_eq!(server.call("DELETE", "/users/bo/sessions", &[], b"").0, 204);
    bo.check(&server, "GET", "/account", &Value::Null, (401, "log in"));
    assert_eq!(server.call("GET", "/users/nobody/sessions", &[], b"").0, 404);
    let ended = actions(&server, 4);
    let expected = ["LOGSTEAD_ADMIN_TOKEN", "LOGSTEAD_ADMIN_TOKEN", "ana", "ana"];
    assert_eq!(ended, expected.map(|user| format!("{user} session.revoke")));
}

#[test]
fn the_audit_log_is_searched_in_the_query_language() {
    let server = Server::start(ROUTER);
    add_user(&server, "ana", "analyst");
    add_user(&server, "bo", "operator");
    Browser::begin(&server, "ana's", &login("ana", PASSWORD, None));
    let stranger = Browser::default();
    stranger.check(&server, "POST", "/session", &login("bo", "a guess", None), (401, ""));
    let check = |query: &str, expected: &[&str], complete: bool| {
        let query: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let (status, answer) = server.call("GET", &format!("/audit?limit=3&query={query}"), &[], b"");
        assert_eq!(status, 200, "{answer}");
        let entries = answer["entries"].as_array().unwrap().iter();
        let found: Vec<_> = entries.map(|entry| entry["action"].as_str().unwrap()).collect();
        assert_eq!((found.as_slice(), &answer["complete"]), (expected, &json!(complete)), "{answer}");
    };
    check("", &["session.refused", "session.begin", "user.create"], false);
    check("action:session.*", &["session.refused", "session.begin"], true);
    check("user:ana", &["session.begin"], true);
    check("account:environment operator", &["user.create"], true);
    check("127.0.0.1 -user:ana", &["session.refused"], true);
    check("time>now-1h action:user.create", &["user.create", "user.create"], true);
    check("time<now-1h", &[], true);
    for (path, expected, refused) in [
        ("/audit?query=((", "a term is missing", 400),
        ("/audit?from=soon", "from is not a time", 422),
        ("/audit?from=now&to=-1h", "from must be before to", 422),
        ("/audit?limit=0", "limit is 0", 422),
        ("/audit?other=1", "other", 400),
    ] {
        let (status, answer) = server.call("GET", path, &[], b"");
        assert_eq!(status, refused, "{path}: {answer}");
        assert!(answer["detail"].as_str().unwrap().contains(expected), "{path}: {answer}");
    }
    let (_, later) = server.call("GET", "/audit?from=now", &[], b"");
    assert_eq!(later["entries"], json!([]));
}

#[test]
fn a_new_password_takes_the_old_one_and_ends_other_sessions() {
    let server = Server::start(ROUTER);
    add_user(&server, "ana", "analyst");
    let mine = Browser::begin(&server, "mine", &login("ana", PASSWORD, None));
    let other = Browser::begin(&server, "other", &login("ana", PASSWORD, None));
    let path = "/users/ana/password";
    for (body, expected) in [
        (json!({"password": "another horse"}), (422, "current_password")),
        (json!({"password": "another horse", "current_password": "a guess"}), (422, "not your current")),
        (json!({"password": "short", "current_password": PASSWORD}), (422, "at least 8")),
        (json!({"password": "another horse", "current_password": PASSWORD}), (204, "")),
    ] {
        mine.check(&server, "PUT", path, &body, expected);
    }
    mine.check(&server, "GET", "/account", &Value::Null, (200, ""));
    other.check(&server, "GET", "/account", &Value::Null, (401, ""));
    Browser::begin(&server, "mine", &login("ana", "another horse", None));
}

#[test]
fn a_login_with_a_second_factor_takes_a_code_that_was_not_used_before() {
    let server = Server::start(ROUTER);
    add_user(&server, "ana", "analyst");
    let mine = Browser::begin(&server, "mine", &login("ana", PASSWORD, None));
    for (body, expected) in [
        (json!({}), (422, "current_password")),
        (json!({"current_password": "a guess"}), (422, "not your current")),
    ] {
        mine.check(&server, "POST", "/account/totp", &body, expected);
    }
    mine.check(&server, "PUT", "/account/totp", &json!({"code": "123456"}), (409, "begin again"));
    let (app, first, codes) = enrol(&server, &mine, PASSWORD);
    mine.check(&server, "GET", "/account", &Value::Null, (200, "\"recovery_codes_left\":10"));
    let again = json!({"current_password": PASSWORD});
    let exists = mine.check(&server, "POST", "/account/totp", &again, (409, "already"));
    assert_eq!(exists["type"], "urn:logstead:problem:second-factor-exists");

    let stranger = Browser { agent: "stranger", ..Browser::default() };
    let refused = |code: Option<&str>, expected: (u16, &str)| {
        let answer = stranger.check(&server, "POST", "/session", &login("ana", PASSWORD, code), expected);
        let name = if code.is_none_or(str::is_empty) { "needs-second-factor" } else { "wrong-code" };
        assert_eq!(answer["type"], format!("urn:logstead:problem:{name}"));
        assert_eq!(answer["path"], "code");
    };
    refused(None, (401, "authenticator app"));
    refused(Some(""), (401, "authenticator app"));
    refused(Some("000000"), (401, "wrong"));
    refused(Some(&first), (401, "used before"));
    stranger.check(
        &server,
        "POST",
        "/session",
        &login("ana", "a guess", Some(&app.code(1))),
        (401, "password"),
    );
    // The clock of the app may be ahead.
    let code = app.code(1);
    Browser::begin(&server, "new", &login("ana", PASSWORD, Some(&code)));
    refused(Some(&code), (401, "used before"));
    Browser::begin(&server, "new", &login("ana", PASSWORD, Some(&codes[3].to_lowercase())));
    refused(Some(&codes[3]), (401, "used before"));
    mine.check(&server, "GET", "/account", &Value::Null, (200, "\"recovery_codes_left\":9"));

    let renewed = mine.check(&server, "POST", "/account/recovery-codes", &again, (200, "recovery"));
    refused(Some(&codes[4]), (401, "wrong"));
    let off = |code: &str| json!({"current_password": PASSWORD, "code": code});
    mine.check(&server, "POST", "/account/totp/remove", &off("000000"), (422, "wrong"));
    let code = renewed["recovery_codes"][0].as_str().unwrap().to_owned();
    mine.check(&server, "POST", "/account/totp/remove", &off(&code), (204, ""));
    Browser::begin(&server, "new", &login("ana", PASSWORD, None));
    let done = actions(&server, 100);
    for action in ["totp.enable", "totp.refused", "totp.recovery", "totp.codes", "totp.disable"] {
        assert!(done.contains(&format!("ana {action}")), "{action} is not in {done:?}");
    }
}

#[test]
fn guessing_codes_becomes_slow_however_often_the_password_is_right() {
    let server = Server::start(ROUTER);
    add_user(&server, "ana", "analyst");
    let mine = Browser::begin(&server, "mine", &login("ana", PASSWORD, None));
    let (app, ..) = enrol(&server, &mine, PASSWORD);
    let stranger = Browser { agent: "stranger", ..Browser::default() };
    for guess in 0..5 {
        let code = format!("{guess:06}");
        stranger.check(&server, "POST", "/session", &login("ana", PASSWORD, Some(&code)), (401, "wrong"));
        if guess < 4 {
            // A successful login in another browser does not reset the failures.
            stranger.check(
                &server,
                "POST",
                "/session",
                &login("ana", PASSWORD, None),
                (401, "authenticator"),
            );
        }
    }
    let right = login("ana", PASSWORD, Some(&app.code(1)));
    stranger.check(&server, "POST", "/session", &right, (429, "too many"));
    // The user's own browser is known, and does not have to wait because of other failures.
    let known = Browser { csrf: String::new(), ..mine };
    let (status, answer, _) = known.call(&server, "POST", "/session", &right);
    assert_eq!(status, 200, "{answer}");
}

#[test]
fn a_role_that_needs_a_second_factor_does_nothing_before_it_has_one() {
    let server = Server::start_with(ROUTER, &["accounts.second_factor=operator,admin"]);
    add_user(&server, "ana", "analyst");
    add_user(&server, "ops", "operator");
    let ana = Browser::begin(&server, "ana's", &login("ana", PASSWORD, None));
    ana.check(&server, "GET", "/logspaces", &Value::Null, (200, ""));
    let ops = Browser::begin(&server, "ops'", &login("ops", PASSWORD, None));
    ops.check(&server, "GET", "/session", &Value::Null, (200, "\"second_factor_required\":true"));
    for (method, path) in [("GET", "/logspaces"), ("GET", "/router"), ("POST", "/search"), ("GET", "/users")]
    {
        ops.check(&server, method, path, &Value::Null, (403, "need a second factor"));
    }
    let (_, _, codes) = enrol(&server, &ops, PASSWORD);
    ops.check(&server, "GET", "/session", &Value::Null, (200, "\"second_factor_required\":false"));
    ops.check(&server, "GET", "/router/status", &Value::Null, (200, ""));
    ops.check(&server, "GET", "/account", &Value::Null, (200, "\"second_factor_demanded\":true"));
    // Removing the second factor brings back the earlier state.
    let off = json!({"current_password": PASSWORD, "code": codes[0]});
    ops.check(&server, "POST", "/account/totp/remove", &off, (204, ""));
    ops.check(&server, "GET", "/logspaces", &Value::Null, (403, "need a second factor"));
    // Tokens are for programs, which need no second factor.
    let new = json!({"name": "ci", "role": "operator"});
    let (_, made) = server.post("/tokens", &new);
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let url = format!("{}/api/v1/router/status", server.web());
    assert_eq!(agent.get(url).header("Authorization", bearer).call().unwrap().status(), 200);
}

#[test]
fn an_administrator_resets_a_lost_second_factor_and_disables_users() {
    let server = Server::start(ROUTER);
    add_user(&server, "ana", "analyst");
    add_user(&server, "ada", "admin");
    let mine = Browser::begin(&server, "mine", &login("ana", PASSWORD, None));
    enrol(&server, &mine, PASSWORD);
    let (_, users) = server.call("GET", "/users", &[], b"");
    assert_eq!(
        (&users["users"][1]["name"], &users["users"][1]["second_factor"]),
        (&json!("ana"), &json!(true))
    );
    assert_eq!(server.call("DELETE", "/users/ana/totp", &[], b"").0, 204);
    assert_eq!(server.call("DELETE", "/users/ana/totp", &[], b"").0, 404);
    let mine = Browser::begin(&server, "mine", &login("ana", PASSWORD, None));

    assert_eq!(server.call("POST", "/users/ana/disable", &[], b"").0, 204);
    mine.check(&server, "GET", "/account", &Value::Null, (401, "log in"));
    mine.check(&server, "POST", "/session", &login("ana", PASSWORD, None), (401, "wrong"));
    assert_eq!(server.call("POST", "/users/ana/enable", &[], b"").0, 204);
    Browser::begin(&server, "mine", &login("ana", PASSWORD, None));
    let (status, refused) = server.call("POST", "/users/ada/disable", &[], b"");
    assert_eq!(status, 409, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("last administrator"), "{refused}");
}

/// Runs a command with this text on its standard input.
fn with_input(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = logstead(arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[test]
fn users_of_a_stopped_store_are_made_and_changed_by_a_command() {
    let mut server = Server::start(ROUTER);
    add_user(&server, "ada", "admin");
    let mine = Browser::begin(&server, "mine", &login("ada", PASSWORD, None));
    enrol(&server, &mine, PASSWORD);
    let data = server.data().to_str().unwrap().to_owned();
    let (code, _, error) = output(&["user", "list", "--data", &data]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains(&format!("pid {}", server.pid())), "{error}");
    server.terminate();

    let add = ["user", "add", "bo", "--role", "analyst", "--logspace", "main", "--scope", "host:web-1"];
    let rows: [(&[&str], &str, i32, &str); 19] = [
        (&["user", "list"], "", 0, "ada"),
        (
            &add,
            "another horse\n",
            0,
            "bo is created, with the role analyst, logspaces main, scope host:web-1",
        ),
        (&add, "another horse\n", 1, "already a user `bo`"),
        (&["user", "add", "cy", "--role", "operator"], "", 1, "no password on standard input"),
        (&["user", "add", "cy", "--role", "operator"], "password1\n", 1, "easy to guess"),
        (&["user", "add", "Cy", "--role", "operator"], "another horse\n", 1, "lower-case letters"),
        (&["user", "add", "cy", "--role", "operator", "--scope", "(("], "x", 1, "invalid --scope"),
        (&["user", "add", "cy", "--role", "analyst", "--scope", "(("], "x", 1, "invalid --scope"),
        (&["user", "add", "cy", "--role", "king"], "another horse\n", 2, "king"),
        (&["user", "list", "--format", "json"], "", 0, "\"scope\":\"host:web-1\""),
        (&["user", "password", "ada"], "third horse\r\n", 0, "the password of ada is changed"),
        (&["user", "password", "nobody"], "third horse\n", 1, "no user `nobody`"),
        (&["user", "disable", "ada"], "", 1, "last administrator"),
        (&["user", "remove", "ada"], "", 1, "last administrator"),
        (&["user", "disable", "bo"], "", 0, "bo can no longer log in"),
        (&["user", "list", "--format", "csv"], "", 0, "disabled"),
        (&["user", "enable", "bo"], "", 0, "bo can log in again"),
        (&["user", "reset-totp", "ada"], "", 0, "the password alone"),
        (&["user", "reset-totp", "ada"], "", 1, "no second factor"),
    ];
    for (arguments, input, code, expected) in rows {
        let all = [arguments, &["--data", &data]].concat();
        let (found, out, error) = with_input(&all, input);
        assert_eq!(found, code, "{arguments:?}: {out}{error}");
        assert!(format!("{out}{error}").contains(expected), "{arguments:?}: {out}{error}");
    }
    let (code, _, error) = output(&["user", "list", "--data", &format!("{data}/nowhere")]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("not a data directory"), "{error}");
    assert!(!server.data().join("nowhere").exists());

    server.restart();
    Browser::begin(&server, "mine", &login("ada", "third horse", None));
    let bo = Browser::begin(&server, "bo's", &login("bo", "another horse", None));
    bo.check(&server, "GET", "/account", &Value::Null, (200, "\"scope\":\"host:web-1\""));
    let done = actions(&server, 9);
    for action in ["user.create", "user.password", "user.disable", "user.enable", "totp.reset"] {
        assert!(done.contains(&format!("cli {action}")), "{action} is not in {done:?}");
    }
}

#[test]
fn the_command_for_users_shows_how_it_is_used() {
    for arguments in [&["user", "--help"][..], &["user", "add", "--help"], &["user", "password", "--help"]] {
        let (code, out, _) = output(arguments);
        assert_eq!(code, 0);
        assert!(out.contains("Examples:") && out.contains("logstead user add"), "{out}");
        assert!(!out.contains("--password"), "no password is an argument: {out}");
    }
}

#[test]
fn preferences_are_their_users_own_and_small() {
    let server = Server::start(ROUTER);
    add_user(&server, "ana", "analyst");
    add_user(&server, "bo", "analyst");
    let ana = Browser::begin(&server, "ana's", &login("ana", PASSWORD, None));
    let bo = Browser::begin(&server, "bo's", &login("bo", PASSWORD, None));
    let path = "/account/preferences";
    ana.check(&server, "GET", path, &Value::Null, (200, "{}"));
    ana.check(&server, "PUT", path, &json!({"theme": "dark", "columns": ["host"]}), (204, ""));
    ana.check(&server, "GET", path, &Value::Null, (200, r#""theme":"dark""#));
    bo.check(&server, "GET", path, &Value::Null, (200, "{}"));
    for malformed in [json!([1]), json!("dark"), json!(7)] {
        ana.check(&server, "PUT", path, &malformed, (400, ""));
    }
    ana.check(&server, "PUT", path, &json!({"big": "x".repeat(16 << 10)}), (413, "at most 16384"));
    // In another browser, and after the refused changes, the preferences are unchanged.
    let elsewhere = Browser::begin(&server, "another", &login("ana", PASSWORD, None));
    let kept = elsewhere.check(&server, "GET", path, &Value::Null, (200, ""));
    assert_eq!(kept, json!({"theme": "dark", "columns": ["host"]}));
    assert_eq!(server.call("GET", path, &[], b"").0, 403, "a token has none");
}
