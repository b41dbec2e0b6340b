//! The rights of others: files of the data directory belong to their owner, and a caller who may change the router
//! document reaches only the files allowed by the settings.
//!
//! Keywords: file permissions, umask, who may change what.

use crate::support;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use support::{ROUTER, Server, output, wait_until};

/// Every path below a folder that other users can access.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut open = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = fs::symlink_metadata(&path).unwrap();
        if file.permissions().mode() & 0o077 != 0 {
            open.push(path.display().to_string());
        }
        if file.is_dir() {
            open.extend(open_to_others(&path));
        }
    }
    open
}

#[test]
fn what_is_stored_is_its_owners_only() {
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"copy\"]")
        + "[[destinations]]\nid = \"copy\"\nkind = \"file\"\npath = \"all.log\"\n";
    let mut server = Server::start_with(&router, &["storage.segment_rows_max=1000"]);
    for _ in 0..3 {
        assert_eq!(server.ingest(&"a line\n".repeat(1000)), 1000);
    }
    wait_until("a segment is made", || 0.0 < server.metric("logspace_segments"));
    wait_until("the destination has written", || server.data().join("forward/all.log").exists());
    let mode = fs::metadata(server.data()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(open_to_others(server.data()), [] as [String; 0]);
    server.terminate();
    assert_eq!(open_to_others(server.data()), [] as [String; 0]);
}

#[test]
fn a_store_that_others_can_read_is_named_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir_all(data.join("logspaces")).unwrap();
    for path in [&data, &data.join("logspaces")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // The port is taken, so the process ends after the warning.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let web = format!("web.listen={}", taken.local_addr().unwrap());
    let (code, _, error) = output(&["serve", "--data", data.to_str().unwrap(), "--set", &web]);
    assert_eq!(code, 3);
    assert!(error.contains(&format!("chmod -R go-rwx {}", data.display())), "{error}");
}

fn source(path: &str) -> String {
    let file =
        format!("[[sources]]\nid = \"file\"\nkind = \"file\"\npaths = [\"{path}\"]\nstart = \"beginning\"\n");
    ROUTER.replace("[[logspaces]]", &format!("{file}\n[[logspaces]]"))
}

fn destination(path: &str) -> String {
    let file = format!("[[destinations]]\nid = \"copy\"\nkind = \"file\"\npath = \"{path}\"\n");
    ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"copy\"]") + &file
}

#[test]
fn an_operator_reaches_only_the_files_that_the_settings_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["logs", "secret"] {
        fs::create_dir(path(name)).unwrap();
        fs::write(path(&format!("{name}/file")), format!("root:{name}\n")).unwrap();
    }
    let server = Server::start_with(ROUTER, &[&format!("files.read={}", path("logs"))]);
    let data = server.data().display().to_string();
    let check = |document: &str, at: &str, setting: &str| {
        let (status, answer) = server.put_router(document);
        assert_eq!((status, answer["problems"][0]["path"].as_str()), (422, Some(at)), "{document} {answer}");
        assert!(answer["problems"][0]["message"].as_str().unwrap().contains(setting), "{answer}");
    };
    for file in ["/etc/shadow", &path("secret/file"), &format!("{data}/logstead.db"), "logspaces/*"] {
        check(&source(file), "sources[2].paths[0]", "`files.read`");
    }
    for file in ["/etc/cron.d/evil", &path("secret/file"), &format!("{data}/logspaces/main/manifest")] {
        check(&destination(file), "destinations[0].path", "`files.write`");
    }
    let socket = ROUTER.replace("udp://127.0.0.1:0", &format!("unix-dgram:{}", path("secret/log.sock")));
    check(&socket, "sources[0].listen[0]", "`files.sockets`");

    symlink(path("secret/file"), path("logs/link")).unwrap();
    let (status, answer) = server.put_router(&source(&path("logs/*")));
    assert_eq!(status, 200, "{answer}");
    server.wait_for("root", 1);
    wait_until("the link is complained about", || {
        server.source("file")["last_error"].as_str().is_some_and(|error| error.contains("`files.read`"))
    });
    assert_eq!(server.count("\"root:secret\""), 0);

    let database = fs::read(server.data().join("logstead.db")).unwrap();
    let (status, answer) = server.put_router(&destination("logstead.db"));
    assert_eq!(status, 200, "{answer}");
    server.ingest("to the destination");
    wait_until("it is written where destinations write", || {
        fs::read(server.data().join("forward/logstead.db")).is_ok_and(|text| text.ends_with(b"destination\n"))
    });
    assert_eq!(fs::read(server.data().join("logstead.db")).unwrap()[..16], database[..16]);
}

#[test]
fn a_stored_document_that_the_settings_no_longer_allow_keeps_no_server_down() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.log"), "first\n").unwrap();
    let path = folder.path().join("*.log");
    let allowed = format!("files.read={}", folder.path().display());
    let mut server = Server::start_with(&source(path.to_str().unwrap()), &[&allowed]);
    server.wait_for("first", 1);
    server.terminate();
    fs::write(folder.path().join("b.log"), "second\n").unwrap();
    server.set(&[]);
    server.restart();
    let listener = server.source("file")["listeners"][0].clone();
    assert_eq!(listener["state"], "failed");
    assert!(listener["error"].as_str().unwrap().contains("`files.read`"), "{listener}");
    server.ingest("the rest runs");
    assert_eq!((server.count("rest"), server.count("second")), (1, 0));
}

#[test]
fn what_a_wrong_certificate_holds_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    let server = Server::start(ROUTER);
    for content in
        ["root:$6$hash:19000\n", "-----BEGIN CERTIFICATE-----\nroot:$6$hash\n-----END CERTIFICATE-----\n"]
    {
        fs::write(&secret, content).unwrap();
        let secret = secret.display();
        let tls = format!(
            "listen = [\"tls://127.0.0.1:0\"]\ntls = {{ certificate = \"{secret}\", key = \"{secret}\" }}\n#"
        );
        let (status, answer) = server.put_router(&ROUTER.replacen("listen =", &tls, 1));
        assert_eq!(status, 422, "{answer}");
        assert!(!answer.to_string().contains("root") && !answer.to_string().contains("hash"), "{answer}");
    }
}
