//! The commands that search for messages, as run by a shell.
//!
//! Keywords: command line, search, tail, output formats, exit codes.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitStatus;
use support::small_disk::SmallDisk;
use support::{ROUTER, Server, free_port, logstead, output, wait_until};

const TOKEN: &str = "administrator";

/// Stops a server; returns its data directory, which no process has open.
fn stopped(server: &mut Server) -> String {
    assert!(server.terminate().success());
    server.data().to_str().unwrap().to_owned()
}

#[test]
fn a_token_that_is_made_while_the_server_is_stopped_may_send_and_nothing_else() {
    let mut server = Server::start(ROUTER);
    let data = server.data().to_str().unwrap().to_owned();
    let create = ["token", "create", "shipper", "--role", "ingest", "--data", &data];
    let (code, out, error) = output(&create);
    assert_eq!((code, out.as_str()), (3, ""), "{error}");
    assert!(error.contains(&format!("pid {}", server.pid())), "{error}");
    stopped(&mut server);
    let (code, token, error) = output(&create);
    assert_eq!((code, error.as_str()), (0, ""));
    let (code, out, error) = output(&create);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.contains("there is already a token `shipper`"), "{error}");

    server.restart();
    let token = token.trim();
    let ingest = format!("{}/api/v1/ingest", server.web());
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let sent = agent.post(&ingest).header("Authorization", format!("Bearer {token}"));
    let sent = sent.header("Content-Type", "text/plain").send("a line of a shipper").unwrap();
    assert_eq!((sent.status().as_u16(), server.count("shipper")), (200, 1));
    let (code, out, error) = output(&["search", "*", "--server", server.web(), "--token", token]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.contains("this needs the role analyst"), "{error}");
}

#[test]
fn times_that_mean_nothing_are_refused_as_the_api_does() {
    let mut server = Server::start(ROUTER);
    server.ingest("one");
    let (status, refused) = server.post("/search", &json!({"from": "now", "to": "-1h"}));
    assert_eq!(status, 422, "{refused}");
    let data = stopped(&mut server);
    for command in ["search", "export"] {
        let (code, out, error) = output(&[command, "*", "--from", "now", "--to", "-1h", "--data", &data]);
        assert_eq!((code, out.as_str()), (1, ""), "{command}: {error}");
        assert!(
            error.contains("--from (") && error.contains(") must be before --to ("),
            "{command}: {error}"
        );
        let (code, _, error) = output(&[command, "*", "--limit", "0", "--data", &data]);
        assert_eq!(code, 2, "{command}: {error}");
        assert!(error.contains("--limit"), "{command}: {error}");
    }
    assert_eq!(output(&["search", "*", "--from", "-1h", "--data", &data]).0, 0);
}

#[test]
fn raw_messages_are_printed_as_they_were_received() {
    let mut server = Server::start(ROUTER);
    let sent: [&[u8]; 3] = [b"<13>caf\xe9 \xff\x00 end", "<13>\u{1b}[1m ä".as_bytes(), b"<13>  spaces  "];
    for (count, message) in sent.iter().enumerate() {
        server.send_udp(&[message]);
        server.wait_for("*", count as u64 + 1);
    }
    let expected: Vec<u8> = sent.iter().rev().flat_map(|message| [*message, b"\n"].concat()).collect();
    let search = |store: &[&str]| {
        let command = [&["search", "*", "--format", "raw"], store].concat();
        logstead(&command).output().unwrap().stdout
    };
    assert_eq!(search(&["--server", server.web(), "--token", TOKEN]), expected);
    let data = stopped(&mut server);
    assert_eq!(search(&["--data", &data]), expected);
}

#[test]
fn a_tail_ends_when_nobody_reads_it_any_more() {
    let server = Server::start(ROUTER);
    server.ingest("one");
    let arguments = ["tail", "one", "--last", "1", "--server", server.web(), "--token", TOKEN];
    let mut tail = logstead(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(tail.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert!(line.contains("one"), "{line}");
    let mut status: Option<ExitStatus> = None;
    assert_eq!(tail.try_wait().unwrap(), None, "as long as it is read, it goes on");
    // This is what `| head -1` does. No further message matches.
    drop(lines);
    wait_until("the tail ends", || {
        status = tail.try_wait().unwrap();
        status.is_some()
    });
    assert!(status.unwrap().success());
}

#[test]
fn a_tail_to_a_file_goes_on() {
    let server = Server::start(ROUTER);
    let file = tempfile::NamedTempFile::new().unwrap();
    let arguments = ["tail", "*", "--server", server.web(), "--token", TOKEN];
    let mut command = logstead(&arguments);
    let mut tail = command.stdout(file.reopen().unwrap()).spawn().unwrap();
    let printed = || std::fs::read_to_string(file.path()).unwrap().lines().count();
    let mut sent = 0;
    wait_until("messages are printed", || {
        sent += server.ingest("one more");
        0 < printed()
    });
    assert_eq!(tail.try_wait().unwrap(), None);
    tail.kill().unwrap();
    tail.wait().unwrap();
}

/// Answers every request, with 400 if it contains `poison`, otherwise with 200. It runs until the test ends.
fn collector(port: u16) {
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer_all(stream.unwrap()));
        }
    });
}

fn answer_all(stream: TcpStream) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let is_refused = String::from_utf8_lossy(&body).contains("poison");
        let answer = if is_refused {
            "HTTP/1.1 400 Bad Request\r\nContent-Length: 8\r\n\r\nno thank"
        } else {
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        };
        reader.get_mut().write_all(answer.as_bytes()).unwrap();
    }
}

#[test]
fn an_operator_looks_after_a_destination() {
    let port = free_port();
    let destination = format!(
        "[[destinations]]\nid = \"siem\"\nkind = \"ndjson_http\"\nurl = \"http://127.0.0.1:{port}/in\"\n\
         format = \"message\"\ncompression = \"none\"\n"
    );
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"siem\"]") + &destination;
    let server = Server::start(&router);
    let destination = |arguments: &[&str]| {
        output(&[&["destination"], arguments, &["--server", server.web(), "--token", TOKEN]].concat())
    };
    let done = |arguments: &[&str], expected: &str| {
        let (code, out, error) = destination(arguments);
        assert_eq!((code, out.as_str()), (0, expected), "{arguments:?}: {error}");
    };
    let refused = |arguments: &[&str], expected_code: i32, expected: &str| {
        let (code, out, error) = destination(arguments);
        assert_eq!((code, out.as_str()), (expected_code, ""), "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    };
    let listed = || -> Value {
        let (code, out, error) = destination(&["list", "--format", "json"]);
        assert_eq!(code, 0, "{error}");
        serde_json::from_str(&out).unwrap()
    };

    assert_eq!(server.ingest("one\ntwo\npoison three"), 3);
    wait_until("the next attempt begins", || listed()["state"] == "retrying");
    let status = listed();
    assert_eq!((&status["destination"], &status["waiting"]), (&json!("siem"), &json!(3)));
    assert!(status["last_error"].as_str().unwrap().contains("Connection refused"), "{status}");
    let (_, table, _) = destination(&["list"]);
    assert!(table.starts_with("destination  state"), "{table}");

    refused(&["test", "siem"], 1, "check that the server runs");
    refused(&["pause", "nowhere"], 1, "there is no destination `nowhere`");
    refused(&["pause", "../router"], 2, "not a destination's name");
    refused(&["discard", "siem", "--messages", "0"], 2, "--messages");
    done(&["pause", "siem"], "siem: it is paused\n");
    assert_eq!(listed()["state"], "paused");

    let (code, out, error) = destination(&["queue", "siem", "--limit", "2"]);
    assert_eq!((code, error.as_str()), (0, "siem: 1 more\n"));
    assert!(out.lines().count() == 2 && out.contains("one") && out.contains("two"), "{out}");
    refused(&["discard", "siem", "--messages", "4"], 1, "there are only 3 messages, not 4");
    done(&["discard", "siem", "--messages", "1"], "siem: 1 message discarded\n");
    wait_until("it is discarded", || listed()["waiting"] == 2);

    collector(port);
    done(&["resume", "siem"], "siem: it sends again\n");
    done(&["retry", "siem"], "siem: the next attempt begins\n");
    wait_until("nothing waits", || listed()["waiting"] == 0);
    let (code, out, _) = destination(&["test", "siem"]);
    assert!(code == 0 && out.contains(": 200 OK: ok"), "{out}");
    let (_, out, _) = destination(&["quarantine", "siem"]);
    assert!(out.contains("poison three\n  refused: ") && out.contains("400 Bad Request: no thank"), "{out}");
    done(&["quarantine", "siem", "--replay", "1"], "siem: 1 message in the queue again\n");
    wait_until("it is refused again", || listed()["waiting"] == 0 && listed()["refused"] == 1);
    done(&["quarantine", "siem", "--discard", "1"], "siem: 1 message forgotten\n");
    let (code, out, error) = destination(&["quarantine", "siem"]);
    assert_eq!((code, out.as_str(), error.as_str()), (0, "", "siem: nothing was refused\n"));

    done(&["replay", "siem", "two"], "siem: 1 message in the queue\n");
    refused(&["replay", "siem", "* | stats count()"], 1, "the query has stages");
    let audit = server.call("GET", "/audit?limit=100", &[], b"").1.to_string();
    for action in ["test", "pause", "resume", "discard", "replay"] {
        assert!(audit.contains(&format!("destination.{action}")), "{action}: {audit}");
    }
}

#[test]
fn a_container_hears_whether_its_server_is_ready_also_behind_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    // Neither of these two folders exists yet.
    let keys = folder.path().join("etc/logstead");
    let make = ["tls", "self-signed", "--name", "logs.example", "--directory", keys.to_str().unwrap()];
    let (code, _, error) = output(&make);
    assert_eq!(code, 0, "{error}");
    let [certificate, key] = ["web.pem", "web.key"].map(|name| keys.join(name).display().to_string());
    let tls = [format!("web.tls.certificate={certificate}"), format!("web.tls.key={key}")];
    for settings in [&[][..], &[tls[0].as_str(), tls[1].as_str()]] {
        let server = Server::start_with(ROUTER, settings);
        let port = server.web().rsplit(':').next().unwrap().to_owned();
        let check = |host: &str| {
            let listen = format!("web.listen={host}:{port}");
            let sets = settings.iter().flat_map(|&setting| ["--set", setting]);
            output(&["healthcheck", "--set", &listen].into_iter().chain(sets).collect::<Vec<_>>())
        };
        for host in ["127.0.0.1", "0.0.0.0"] {
            let (code, told, error) = check(host);
            assert_eq!((code, told.as_str()), (0, "ready\n"), "{host} {settings:?}: {error}");
        }
        drop(server);
        let (code, _, error) = check("127.0.0.1");
        assert_eq!(code, 1, "{error}");
    }
}

#[test]
fn the_licences_of_all_that_is_in_the_binary_are_printed() {
    let (code, told, error) = output(&["licences"]);
    assert_eq!(code, 0, "{error}");
    let texts =
        ["Permission is hereby granted, free of charge", "Redistribution and use in source and binary"];
    for text in [&texts[..], &["tantivy", "tokio", "rustls"]].concat() {
        assert!(told.contains(text), "{text} is missing");
    }
}

/// The exit codes are those in the help of each command: 1 is an answer or invalid input, and 3 is a failure that may
/// not happen the next time.
#[test]
fn what_the_environment_prevents_is_told_from_an_answer() {
    let port = free_port();
    let refusals = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let statuses = [(503, 3), (429, 3), (500, 3), (403, 1), (404, 1)];
    let answering = std::thread::spawn(move || {
        for ((status, _), connection) in statuses.into_iter().zip(refusals.incoming()) {
            let mut connection = BufReader::new(connection.unwrap());
            let mut line = String::new();
            let mut length = 0;
            while line != "\r\n" {
                line.clear();
                connection.read_line(&mut line).unwrap();
                let header = line.to_ascii_lowercase();
                length =
                    header.strip_prefix("content-length: ").map_or(length, |n| n.trim().parse().unwrap());
            }
            connection.read_exact(&mut vec![0; length]).unwrap();
            let head = format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            connection.get_mut().write_all(head.as_bytes()).unwrap();
        }
    });
    let server = format!("http://127.0.0.1:{port}");
    for (status, expected) in statuses {
        let (code, _, error) = output(&["search", "*", "--server", &server, "--token", TOKEN]);
        assert_eq!(code, expected, "{status}: {error}");
    }
    answering.join().unwrap();

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("file"), "").unwrap();
    let (code, _, error) = output(&["check", "--config", &path("file/logstead.toml")]);
    assert_eq!(code, 3, "{error}");
    let (code, _, error) = output(&["check", "--config", &path("nowhere.toml")]);
    assert_eq!(code, 1, "{error}");
}

/// At that level libraries log the data that they send, and an address may contain a secret.
#[test]
fn a_trace_of_the_server_shows_no_address_that_messages_are_sent_to() {
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = receiver.local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let destination = format!(
        "[[destinations]]\nid = \"siem\"\nkind = \"ndjson_http\"\nurl = \"http://{to}/in?signature=s3cret\"\n"
    );
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"siem\"]") + &destination;
    std::fs::write(path("router.toml"), router).unwrap();
    let (data, router) = (path("data"), path("router.toml"));
    let serve = ["serve", "--data", &data, "--router", &router, "--set", "web.listen=127.0.0.1:0"];
    let mut command = logstead(&[&serve[..], &["--set", "log.level=trace"]].concat());
    let log = std::fs::File::create(path("log")).unwrap();
    let mut server = command.env("LOGSTEAD_ADMIN_TOKEN", TOKEN).stderr(log).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let web = lines.find_map(|line| line.strip_prefix("ready: console ").map(str::to_owned)).unwrap();
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let sent = agent.post(format!("{web}/api/v1/ingest")).header("Authorization", format!("Bearer {TOKEN}"));
    assert_eq!(sent.header("Content-Type", "text/plain").send("one").unwrap().status().as_u16(), 200);
    let (connection, _) = receiver.accept().unwrap();
    let mut request = String::new();
    BufReader::new(&connection).read_line(&mut request).unwrap();
    assert!(request.contains("/in?signature=s3cret"), "{request}");
    drop((connection, receiver));
    assert!(support::signal("TERM", server.id()));
    server.wait().unwrap();
    let log = std::fs::read_to_string(path("log")).unwrap();
    assert!(!log.is_empty() && !log.contains("s3cret"), "{log}");
}

#[test]
fn what_only_this_machine_knows_of_a_document_has_a_place_on_the_server_and_off_it() {
    let server = Server::start(ROUTER);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("router.toml");
    std::fs::write(&file, ROUTER.replace("listen =", "timezone = \"Europe/Nowhere\"\nlisten =")).unwrap();
    for more in [&[][..], &["--server", server.web(), "--token", TOKEN]] {
        let (code, _, error) = output(&[&["router", "check", file.to_str().unwrap()], more].concat());
        let place = "router.toml:7:12: sources[0].timezone: ";
        assert!(code == 1 && error.contains(place), "{more:?}: {code} {error}");
    }
}

#[test]
fn a_full_disk_is_no_answer_of_a_command() {
    let (folder, mounted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = SmallDisk::mount(mounted.path());
    let settings = ["storage.segment_rows_max=1000", "storage.journal_file_max=1MiB"];
    let mut server = Server::start_in(folder, mounted.path().join("data"), ROUTER, &settings);
    (0..20).for_each(|_| assert_eq!(server.ingest(&"one\ntwo\n".repeat(100)), 200));
    let sealed = || server.call("GET", "/logspaces", &[], b"").1["logspaces"][0]["segments"].as_u64();
    wait_until("there are segments", || 0 < sealed().unwrap());
    let data = stopped(&mut server);
    disk.fill();
    let (code, _, error) = output(&["reindex", "--data", &data]);
    assert_eq!(code, 3, "{error}");
}

#[test]
fn a_database_that_somebody_else_holds_is_no_answer_of_a_command() {
    let mut server = Server::start(ROUTER);
    let data = stopped(&mut server);
    let holder = rusqlite::Connection::open(server.data().join("logstead.db")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let (code, _, error) = output(&["token", "create", "shipper", "--role", "ingest", "--data", &data]);
    assert!(code == 3 && error.contains("locked"), "{code} {error}");
}
