//! `logstead apply`: a server becomes like the files of a folder, once, and nothing is lost by a wrong file.
//!
//! Keywords: apply, configuration as code, prune, plan, users, tokens, saved searches.

use super::support::{ROUTER, Server, TOKEN, logstead, output};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

const USERS: &str = r#"
[[users]]
name = "ana"
role = "analyst"
logspaces = ["main"]
scope = "host:web-*"
password_file = "ana.password"

[[users]]
name = "oli"
role = "operator"
disabled = true
password_env = "OLI_PASSWORD"
"#;

const TOKENS: &str = r#"
[[tokens]]
name = "ci"
role = "ingest"
limits = { messages_per_second = 1000 }
expires_at = "2126-01-31T00:00:00+01:00"
secret_file = "ci.token"
"#;

const SEARCHES: &str = r#"
[[saved_searches]]
name = "errors"
folder = "ops"
query = "severity>=err"
from = "-1h"
tags = ["night"]
"#;

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("router.toml", &format!("{ROUTER}\n# from a folder\n"));
        folder.write("users.toml", USERS);
        folder.write("ana.password", "correct horse battery\n");
        folder.write("tokens.toml", TOKENS);
        folder.write("saved-searches.toml", SEARCHES);
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// The exit code, output and errors of the command.
    fn apply(&self, server: &Server, arguments: &[&str]) -> (i32, String, String) {
        let folder = self.path().to_str().unwrap();
        let all = [&["apply", folder, "--server", server.web(), "--token", TOKEN], arguments].concat();
        let mut command = logstead(&all);
        let output = command.env("OLI_PASSWORD", "another long secret").output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn applied(&self, server: &Server, arguments: &[&str]) -> String {
        let (code, out, error) = self.apply(server, arguments);
        assert_eq!(code, 0, "{out}{error}");
        out
    }
}

/// Everything that the files are about.
fn state(server: &Server) -> Vec<Value> {
    let lists = ["/router/revisions", "/users", "/tokens", "/saved-searches"];
    lists
        .iter()
        .map(|path| {
            let mut list = server.call("GET", path, &[], b"").1;
            for token in list["tokens"].as_array_mut().into_iter().flatten() {
                token["last_used"].take();
            }
            list
        })
        .collect()
}

#[test]
fn a_second_time_changes_nothing() {
    let (server, folder) = (Server::start(ROUTER), Folder::new());
    let before = state(&server);
    let plan = folder.applied(&server, &["--plan"]);
    for line in [
        "~ router",
        "+ user ana",
        "+ user oli",
        "~ user oli\n    disable",
        "+ token ci",
        "+ saved search ops/errors",
    ] {
        assert!(plan.contains(line), "`{line}` is not in {plan}");
    }
    assert!(state(&server) == before && !folder.path().join("ci.token").exists());

    assert!(folder.applied(&server, &[]).ends_with("changed: 6\n"));
    let after = state(&server);
    let (users, tokens) = (&after[1]["users"], &after[2]["tokens"]);
    assert_eq!((&users[0]["name"], &users[0]["scope"]), (&"ana".into(), &"host:web-*".into()), "{users}");
    assert_eq!((&users[1]["name"], &users[1]["disabled"]), (&"oli".into(), &true.into()), "{users}");
    assert_eq!(tokens[0]["limits"]["messages_per_second"], 1000, "{tokens}");
    assert_eq!(after[3]["saved_searches"][0]["query"], "severity>=err");
    let secret = folder.path().join("ci.token");
    assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
    let secret = fs::read_to_string(secret).unwrap();
    let (code, _, error) = output(&["search", "*", "--server", server.web(), "--token", secret.trim()]);
    assert!(code == 1 && error.contains("403"), "a token to send with may not search: {code} {error}");

    assert_eq!(folder.applied(&server, &[]), "nothing to change\n");
    assert_eq!(state(&server), after);
}

#[test]
fn what_changed_is_changed_and_removed_only_when_asked() {
    let (server, folder) = (Server::start(ROUTER), Folder::new());
    folder.applied(&server, &[]);
    folder.write("users.toml", &USERS.replace("web-*", "db-*").replace("disabled = true", ""));
    folder.write("tokens.toml", &TOKENS.replace("messages_per_second = 1000", "body_bytes = 2000"));
    folder.write("saved-searches.toml", "");
    let secret = fs::read(folder.path().join("ci.token")).unwrap();
    let out = folder.applied(&server, &[]);
    for line in [
        "~ user ana\n    scope: \"host:web-*\" becomes \"host:db-*\"",
        "~ user oli\n    enable",
        "~ token ci\n    limits: {\"messages_per_second\":1000} becomes {\"body_bytes\":2000}",
    ] {
        assert!(out.contains(line), "`{line}` is not in {out}");
    }
    assert_eq!(fs::read(folder.path().join("ci.token")).unwrap(), secret, "the secret stays");
    assert_eq!(state(&server)[3]["saved_searches"].as_array().unwrap().len(), 1);
    let (_, out, error) = folder.apply(&server, &[]);
    assert!(
        out == "nothing to change\n" && error.contains("1 users, tokens and searches are in no file"),
        "{error}"
    );
    assert!(folder.applied(&server, &["--prune"]).contains("- saved search ops/errors"));
    assert_eq!(state(&server)[3]["saved_searches"].as_array().unwrap().len(), 0);
}

#[test]
fn a_wrong_file_changes_nothing() {
    let (server, folder) = (Server::start(ROUTER), Folder::new());
    let before = state(&server);
    let check = |name: &str, text: &str, expected: &str| {
        let kept = fs::read_to_string(folder.path().join(name)).ok();
        folder.write(name, text);
        let (code, out, error) = folder.apply(&server, &[]);
        assert_eq!(code, 1, "{name}: {out}{error}");
        assert!(error.contains(expected), "{name}: `{expected}` is not in {error}");
        match kept {
            Some(kept) => folder.write(name, &kept),
            None => fs::remove_file(folder.path().join(name)).unwrap(),
        }
    };
    check("router.toml", "version = 1\n[[routes]]\nid = \"a\"\nto = [\"nowhere\"]\n", "nowhere");
    check("users.toml", "[[users]]\nname = \"ana\"\nrole = \"king\"\n", "king");
    check("users.toml", "[[users]]\nname = \"ana\"\nrole = \"analyst\"\ncolour = \"red\"\n", "colour");
    check("users.toml", "[[users]]\nname = \"ana\"\nrole = \"analyst\"\n", "password_file");
    check("users.toml", &[USERS, USERS].concat(), "`ana` is there twice");
    check("tokens.toml", &TOKENS.replace("secret_file = \"ci.token\"", ""), "secret_file");
    check("tokens.toml", &TOKENS.replace("2126-01-31T00:00:00+01:00", "soon"), "`soon` is not a time");
    check("ana.password", "", "ana");
    check("token.toml", TOKENS, "token.toml is unknown");
    folder.write("ci.token", "an older secret\n");
    let (code, _, error) = folder.apply(&server, &[]);
    assert!(code == 1 && error.contains("has a secret already"), "{error}");
    assert_eq!(fs::read_to_string(folder.path().join("ci.token")).unwrap(), "an older secret\n");
    assert_eq!(state(&server), before);
    let empty = Folder(tempfile::tempdir().unwrap());
    let (code, _, error) = empty.apply(&server, &[]);
    assert!(code == 1 && error.contains("nothing to apply"), "{error}");
}

#[test]
fn a_secret_that_was_lost_when_its_token_was_created_is_told() {
    let (server, folder) = (Server::start(ROUTER), Folder::new());
    // Killed before the request: the file is there, and the token is not.
    folder.write("ci.token", "");
    folder.applied(&server, &[]);
    assert!(!fs::read_to_string(folder.path().join("ci.token")).unwrap().trim().is_empty());
    // Killed after it, or on a full disk: the token is there, and its secret nowhere.
    folder.write("ci.token", "");
    let (code, out, error) = folder.apply(&server, &[]);
    assert!(code == 1 && error.contains("its secret was lost"), "{out}{error}");
}

#[test]
fn of_two_at_once_one_is_told_to_look_again() {
    let server = Server::start(ROUTER);
    let folders = [Folder::new(), Folder::new()];
    folders[1].write("router.toml", &format!("{ROUTER}\n# from another folder\n"));
    let start = std::sync::Barrier::new(2);
    let done = std::thread::scope(|scope| {
        let run = |folder| {
            let (start, server) = (&start, &server);
            scope.spawn(move || {
                start.wait();
                Folder::apply(folder, server, &[])
            })
        };
        folders.each_ref().map(run).map(|thread| thread.join().unwrap())
    });
    // They may also have come one after the other; then the second one has changed the router again.
    let refused = done.iter().filter(|(code, ..)| *code != 0);
    for (code, out, error) in refused {
        assert_eq!(*code, 1, "{out}{error}");
        assert!(error.contains("412") || error.contains("409"), "{error}");
    }
    assert!(done.iter().any(|(code, ..)| *code == 0), "{done:?}");
    let users = state(&server)[1]["users"].as_array().unwrap().len();
    assert_eq!(users, 2);
}

#[test]
fn a_server_starts_like_the_files() {
    let folder = Folder::new();
    let environment =
        [("LOGSTEAD_APPLY", folder.path().to_str().unwrap()), ("OLI_PASSWORD", "another long secret")];
    let mut server = Server::start_in_environment(ROUTER, &[], &environment);
    let first = state(&server);
    let named =
        |list: &Value| list.as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>();
    assert_eq!(named(&first[1]["users"]), ["ana", "oli"]);
    assert_eq!(named(&first[2]["tokens"]), ["ci"]);
    assert_eq!(named(&first[3]["saved_searches"]), ["errors"]);
    let secret = fs::read_to_string(folder.path().join("ci.token")).unwrap();
    assert!(secret.trim().len() > 20, "{secret}");
    let audit = server.call("GET", "/audit", &[], b"").1;
    let users = audit["entries"].as_array().unwrap().iter().map(|entry| &entry["user"]);
    assert!(users.clone().any(|user| user == "serve --apply"), "{audit}");

    server.terminate();
    server.restart();
    assert!(state(&server) == first, "a second start changes nothing");

    // The document is right and comes before the users; still, nothing is changed.
    folder.write("router.toml", &format!("{ROUTER}\n# once more\n"));
    folder.write("users.toml", &USERS.replace("\"operator\"", "\"operatr\""));
    server.terminate();
    let data = server.data().to_str().unwrap().to_owned();
    let mut command = logstead(&["serve", "--data", &data, "--set", "web.listen=127.0.0.1:0"]);
    let output = command.envs(environment).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("users.toml") && error.contains("operatr"), "{error}");
    assert!(!String::from_utf8(output.stdout).unwrap().contains("ready:"));
    folder.write("router.toml", &format!("{ROUTER}\n# from a folder\n"));
    folder.write("users.toml", USERS);
    server.restart();
    assert!(state(&server) == first, "a wrong file changes nothing");
}
