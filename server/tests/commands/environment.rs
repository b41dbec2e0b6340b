//! The effect of the environment on the real binary: settings file, secrets, server and token, and the form of its
//! log.
//!
//! Keywords: environment variables, settings file, secrets.

use crate::support;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::channel;
use support::{ROUTER, Server, TOKEN, WAIT_MAX, logstead, output};

/// Runs a command with environment variables; returns its exit code, output and errors.
fn run(arguments: &[&str], environment: &[(&str, &str)]) -> (i32, String, String) {
    let output = logstead(arguments).envs(environment.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A server that runs until it is dropped, and its address.
struct Serving(Child, String);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a server with environment variables; `Err` is its output if it ends instead.
fn serve(data: &Path, environment: &[(&str, &str)]) -> Result<Serving, String> {
    let data = data.to_str().unwrap();
    let mut command = logstead(&["serve", "--data", data, "--set", "web.listen=127.0.0.1:0"]);
    command.args(["--router", &written(Path::new(data).parent().unwrap(), "router.toml", ROUTER)]);
    let mut child = command.envs(environment.iter().copied()).spawn().unwrap();
    let (mut errors, (tell, told)) = (child.stderr.take().unwrap(), channel());
    std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).ok();
        tell.send(text).ok();
    });
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
        if let Some(url) = line.strip_prefix("ready: console ") {
            return Ok(Serving(child, url.split(' ').next().unwrap().to_owned()));
        }
    }
    child.wait().unwrap();
    Err(told.recv_timeout(WAIT_MAX).unwrap())
}

fn status(server: &Serving, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> u16 {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let mut request = ureq::http::Request::builder().uri(format!("{}/api/v1{path}", server.1));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let method = if body.is_some() { "POST" } else { "GET" };
    let request = request.method(method).body(body.unwrap_or_default()).unwrap();
    agent.run(request).unwrap().status().as_u16()
}

#[test]
fn the_settings_file_may_be_named_by_the_environment_and_the_log_says_which_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = written(folder.path(), "wrong.toml", "log.level = \"loud\"\n");
    let right = written(folder.path(), "right.toml", "log.level = \"warn\"\n");
    let (code, _, error) = run(&["check"], &[("LOGSTEAD_CONFIG", &wrong)]);
    assert!(code == 1 && error.starts_with(&format!("{wrong}:1:")), "{error}");
    let (code, out, _) = run(&["check", "--config", &right], &[("LOGSTEAD_CONFIG", &wrong)]);
    assert_eq!((code, out.as_str()), (0, "ok\n"), "an argument counts instead");
    let (code, _, error) = run(&["check"], &[("LOGSTEAD_CONFIG", "/nowhere/logstead.toml")]);
    assert!(code == 1 && error.contains("/nowhere/logstead.toml: "), "{error}");
    let named = written(
        folder.path(),
        "named.toml",
        "web.listen = \"127.0.0.1:1\"\nmetrics.listen = \"192.0.2.1:1\"\n",
    );
    let error = serve(&folder.path().join("data"), &[("LOGSTEAD_CONFIG", &named)]).err().unwrap();
    assert!(error.contains(&format!("settings are read from {named}")), "{error}");
    let variables = ["CONFIG", "SERVER", "TOKEN", "TOKEN_FILE", "CA_FILE", "ADMIN_TOKEN", "ADMIN_TOKEN_FILE"];
    let set: Vec<(String, &str)> =
        variables.iter().map(|name| (format!("LOGSTEAD_{name}"), right.as_str())).collect();
    let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let (code, out, error) = run(&["check"], &set);
    assert_eq!((code, out.as_str(), error.as_str()), (0, "ok\n", ""), "none of them is taken for a setting");
}

/// This test needs the right to mount, like the tests of a full disk: it mounts a folder over `/etc` for one process.
#[test]
fn the_settings_file_of_an_installation_is_read_where_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("logstead")).unwrap();
    written(&folder.path().join("logstead"), "logstead.toml", "log.level = \"loud\"\n");
    let inside = "mount --bind \"$1\" /etc && exec \"$0\" check";
    let output = std::process::Command::new("unshare")
        .args(["--mount", "sh", "-c", inside, env!("CARGO_BIN_EXE_logstead")])
        .arg(folder.path())
        .env_remove("LOGSTEAD_CONFIG")
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("/etc/logstead/logstead.toml:1:13: log.level"), "{error}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_first_administrator_and_the_token_of_automation_come_from_files_or_credentials_too() {
    let folder = tempfile::tempdir().unwrap();
    let password = written(folder.path(), "admin_password", "correct horse 42\n");
    let token = written(folder.path(), "admin_token", "a token of the machine\r\n");
    let unit = folder.path().to_str().unwrap();
    let json = ("Content-Type", "application/json");
    let ways = [
        vec![
            ("LOGSTEAD_ADMIN_PASSWORD_FILE", password.as_str()),
            ("LOGSTEAD_ADMIN_TOKEN_FILE", token.as_str()),
        ],
        vec![("CREDENTIALS_DIRECTORY", unit)],
    ];
    for (number, environment) in ways.iter().enumerate() {
        let server = serve(&folder.path().join(format!("data{number}")), environment).ok().unwrap();
        let login = r#"{"name": "admin", "password": "correct horse 42"}"#;
        assert_eq!(status(&server, "/session", &[json], Some(login)), 200, "{environment:?}");
        let bearer = ("Authorization", "Bearer a token of the machine");
        assert_eq!(status(&server, "/users", &[bearer], None), 200, "{environment:?}");
    }
    let empty = written(folder.path(), "empty", "\n");
    let huge = written(folder.path(), "huge", &"x".repeat(70_000));
    for (environment, expected) in [
        (
            [("LOGSTEAD_ADMIN_TOKEN", "hunter2"), ("LOGSTEAD_ADMIN_TOKEN_FILE", token.as_str())],
            "both give a secret",
        ),
        (
            [("LOGSTEAD_ADMIN_PASSWORD", "hunter2"), ("LOGSTEAD_ADMIN_PASSWORD_FILE", &password)],
            "both give a secret",
        ),
        ([("LOGSTEAD_ADMIN_TOKEN", "hunter2"), ("CREDENTIALS_DIRECTORY", unit)], "both give a secret"),
        (
            [("LOGSTEAD_ADMIN_TOKEN_FILE", "/nowhere/x"), ("x", "")],
            "LOGSTEAD_ADMIN_TOKEN_FILE: /nowhere/x: No such file",
        ),
        ([("LOGSTEAD_ADMIN_TOKEN_FILE", &empty), ("x", "")], "the file is empty"),
        ([("LOGSTEAD_ADMIN_PASSWORD_FILE", &huge), ("x", "")], "longer than"),
    ] {
        let data = folder.path().join("refused");
        let error = serve(&data, &environment).err().expect("it does not start");
        assert!(error.contains(expected) && !error.contains("hunter2"), "{environment:?}: {error}");
    }
}

#[test]
fn commands_find_the_server_and_the_token_in_the_environment_and_arguments_count_instead() {
    let mut server = Server::start(ROUTER);
    server.ingest("one");
    let folder = tempfile::tempdir().unwrap();
    let (token, wrong) =
        (written(folder.path(), "token", &format!("{TOKEN}\n")), written(folder.path(), "wrong", "x\n"));
    let at = ("LOGSTEAD_SERVER", server.web().to_owned());
    let at = (at.0, at.1.as_str());
    let found = |arguments: &[&str], environment: &[(&str, &str)]| {
        let (code, out, error) =
            run(&[&["search", "one", "--format", "raw"], arguments].concat(), environment);
        (code, if out == "one\n" { String::new() } else { format!("{out}{error}") })
    };
    let good = (0, String::new());
    assert_eq!(found(&[], &[at, ("LOGSTEAD_TOKEN", TOKEN)]), good);
    assert_eq!(found(&[], &[at, ("LOGSTEAD_TOKEN_FILE", &token)]), good);
    assert_eq!(found(&["--token-file", &token], &[at, ("LOGSTEAD_TOKEN", "x")]), good);
    assert_eq!(found(&["--token", TOKEN], &[at, ("LOGSTEAD_TOKEN_FILE", "/nowhere")]), good);
    assert_eq!(
        found(&["--server", server.web(), "--token", TOKEN], &[("LOGSTEAD_SERVER", "http://127.0.0.1:1")]),
        good
    );
    let data = server.data().to_str().unwrap().to_owned();
    assert_eq!(found(&["--data", &data], &[at, ("LOGSTEAD_TOKEN", "x"), ("LOGSTEAD_TOKEN_FILE", "x")]), good);
    let (code, error) = found(&[], &[at, ("LOGSTEAD_TOKEN", TOKEN), ("LOGSTEAD_TOKEN_FILE", &token)]);
    assert!(code == 1 && error.contains("both give a secret"), "{error}");
    let (code, error) = found(&["--token-file", &wrong], &[at]);
    assert!(code == 1 && error.contains("401"), "{error}");
    assert_eq!(found(&["--token", TOKEN, "--token-file", &token], &[at]).0, 2);
    assert_eq!(found(&["--data", &data, "--server", server.web()], &[]).0, 2);
    let (code, _, error) = output(&["search", "one"]);
    assert!(code == 2 && error.contains("LOGSTEAD_SERVER"), "{error}");
    for command in
        [&["router", "get"][..], &["destination", "list"], &["export", "one"], &["context", "main:0"]]
    {
        let (code, _, error) = run(command, &[at, ("LOGSTEAD_TOKEN_FILE", &token)]);
        assert_eq!((code, error.as_str()), (0, ""), "{command:?}");
    }
    let lines = written(folder.path(), "lines", "two\n");
    let (code, out, _) = run(&["import", &lines, "--logspace", "main"], &[at, ("LOGSTEAD_TOKEN", TOKEN)]);
    assert!(code == 0 && out.starts_with("1 messages"), "{out}");
    let load = ["loadgen", server.web(), "--number", "3", "--quiet", "--token-file", &token];
    assert!(output(&load).1.contains("acknowledged: 3\n"));
    server.terminate();
    let (code, out, error) = run(&["router", "get", "--data", &data], &[at]);
    assert!(code == 0 && out.contains("version = 1"), "the data directory is what was asked for: {error}");
}

#[test]
fn a_log_of_json_has_an_object_in_each_line_and_a_request_has_one_id_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command =
        logstead(&["serve", "--data", data.to_str().unwrap(), "--set", "web.listen=127.0.0.1:0"]);
    command.args(["--set", "log.format=json", "--router", &written(folder.path(), "router.toml", ROUTER)]);
    let mut child = command.env("LOGSTEAD_ADMIN_TOKEN", TOKEN).spawn().unwrap();
    let errors = child.stderr.take().unwrap();
    let lines =
        std::thread::spawn(move || BufReader::new(errors).lines().map(Result::unwrap).collect::<Vec<_>>());
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let url = out.find_map(|line| line.strip_prefix("ready: console ").map(str::to_owned)).unwrap();
    let url = url.split(' ').next().unwrap().to_owned();
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let ask = |path: &str, ids: &[&str], body: Option<&str>| -> (u16, String, Value) {
        let mut request = ureq::http::Request::builder().uri(format!("{url}{path}"));
        request = request.header("Authorization", format!("Bearer {TOKEN}"));
        for id in ids {
            request = request.header("X-Request-Id", *id);
        }
        let answer = match body {
            Some(body) => {
                let request = request.method("POST").header("Content-Type", "application/json");
                agent.run(request.body(body.to_owned()).unwrap())
            }
            None => agent.run(request.body(()).unwrap()),
        };
        let mut answer = answer.unwrap();
        let ids: Vec<_> = answer.headers().get_all("x-request-id").iter().collect();
        assert_eq!(ids.len(), 1, "{path}");
        let id = ids[0].to_str().unwrap().to_owned();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), id, serde_json::from_str(&text).unwrap_or_default())
    };
    for path in ["/", "/healthz", "/metrics", "/api/v1/router", "/api/v1/search?query=x", "/no/such/place"] {
        let (_, id, _) = ask(path, &["a.b-c:1"], None);
        assert_eq!(id, "a.b-c:1", "{path}");
        let (one, other) = (ask(path, &[], None).1, ask(path, &[], None).1);
        assert!(one != other && one.len() == 32, "{path}: {one} {other}");
    }
    let long = "x".repeat(129);
    for bad in [&["a b"][..], &["<x>"], &[&long], &[""], &["one", "two"]] {
        let (_, id, _) = ask("/healthz", bad, None);
        assert_eq!(id.len(), 32, "{bad:?}: {id}");
    }
    for path in ["/api/v1/search?query=(a", "/api/v1/no/such", "/api/v1/messages/main:99/context"] {
        let (status, id, problem) = ask(path, &["mine"], None);
        assert!(400 <= status, "{path}");
        assert_eq!((id.as_str(), &problem["request_id"]), ("mine", &Value::from("mine")), "{problem}");
    }
    // Bytes that are not a request are answered too, with a request id of its own.
    let mut socket = std::net::TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    socket.write_all(b"\x16\x03\x01 this is not HTTP\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let problem: Value = serde_json::from_str(body).unwrap();
    let id = problem["request_id"].as_str().unwrap();
    assert!(head.contains(&format!("x-request-id: {id}\r\n")) && id.len() == 32, "{answer}");
    // Makes an audited change, and a request that fails because of an internal error.
    let (status, ..) = ask(
        "/api/v1/users",
        &["new-user"],
        Some(r#"{"name": "ana", "password": "correct horse 42", "role": "analyst"}"#),
    );
    assert!((200..300).contains(&status), "{status}");
    std::fs::write(data.join("logspaces/main/unrelated"), "").ok();
    assert!(std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    child.wait().unwrap();
    let lines: Vec<Value> =
        lines.join().unwrap().iter().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(
        lines.iter().any(|line| line["message"].as_str().unwrap().starts_with("there is no settings file")
            || line["message"].as_str().unwrap().starts_with("settings are read from"))
    );
    let audited =
        lines.iter().find(|line| line["request_id"] == "new-user").expect("the audit names the request");
    assert_eq!((&audited["level"], &audited["action"]), (&Value::from("info"), &Value::from("user.create")));
    assert!(
        lines.iter().all(|line| line["time"].as_str().unwrap().ends_with('Z') && line["target"].is_string())
    );
}

#[test]
fn a_terminal_gets_colours_unless_it_wants_none() {
    let folder = tempfile::tempdir().unwrap();
    let said = |no_color: Option<&str>| {
        let data = folder.path().join("data");
        // The process ends because nothing can listen at this address.
        let command = format!(
            "{} serve --data {} --set web.listen=192.0.2.1:1",
            env!("CARGO_BIN_EXE_logstead"),
            data.display()
        );
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).env("LOGSTEAD_CONFIG", "/dev/null").env("TERM", "xterm");
        match no_color {
            Some(value) => script.env("NO_COLOR", value),
            None => script.env_remove("NO_COLOR"),
        };
        let output = script.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("settings are read from /dev/null"), "{text}");
        text.contains('\u{1b}')
    };
    assert!(said(None));
    assert!(said(Some("")), "an empty variable says nothing");
    assert!(!said(Some("1")));
}
