//! The real binary with valid and invalid input: what is accepted, what is refused, and that nothing is lost.
//!
//! Keywords: serve, settings errors, ports, sockets, shutdown, large messages.

use crate::support;

use serde_json::Value;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::{ROUTER, Server, logstead, output, wait_until};

fn messages(found: &[Value]) -> Vec<&str> {
    found.iter().map(|message| message["message"].as_str().unwrap()).collect()
}

#[test]
fn a_message_over_each_transport_is_found_with_its_exact_bytes() {
    let server = Server::start(ROUTER);
    let rfc5424 = r#"<165>1 2026-11-21T06:13:00.25Z web-1 app 42 ID7 [x@1 user="ana"] over tcp one"#;
    let rfc3164 = "<34>Oct  1 22:14:15 web-2 su[230]: over tcp two";
    server.send(format!("{rfc5424}\n{} {rfc3164}", rfc3164.len()).as_bytes());
    server.send_udp(&[b"<13>1 2026-11-21T06:13:00Z web-3 app - - - over udp"]);
    server.ingest("over http");
    server.wait_for("over", 4);
    let found = server.search("host:web-1 x@1.user=ana severity:notice");
    assert_eq!(found[0]["raw"], rfc5424);
    assert_eq!(found[0]["time"], "2026-11-21T06:13:00.250Z");
    assert_eq!(found[0]["fields"]["x@1.user"], "ana");
    assert_eq!(server.search("program=su pid=230")[0]["raw"], rfc3164);
    assert_eq!(server.count("peer=127.0.0.1 over udp"), 1);
}

#[test]
fn a_datagram_is_one_message_or_one_a_line_where_the_source_says_so() {
    let datagrams: &[&[u8]] = &[b"<13>one\n<14>two\n\n<15>three", b"<13>four\n", b"\n", b""];
    let whole = Server::start(ROUTER);
    whole.send_udp(datagrams);
    whole.wait_for("one two three", 1);
    whole.wait_for("four", 1);
    let server =
        Server::start(&ROUTER.replace("kind = \"syslog\"\n", "kind = \"syslog\"\nsplit_datagrams = true\n"));
    server.send_udp(datagrams);
    server.wait_for("one OR two OR three OR four", 4);
    assert_eq!(messages(&server.search("one OR two OR three")), ["one", "two", "three"]);
    assert_eq!(server.search("three")[0]["raw"], "<15>three");
    assert_eq!((server.count("flag:incomplete"), server.count("flag:truncated")), (0, 0));
}

#[test]
fn frames_that_can_not_be_read_are_kept_and_counted() {
    let server = Server::start(ROUTER);
    server.send(b"no header kept\n<999>kept\n\xff\xfe kept \x80\n<13>a\0b kept\n\n\r\n");
    server.wait_for("kept", 4);
    let found = server.search("flag:unparsed");
    assert_eq!(found.len(), 4);
    let raw = found.iter().find(|message| !message["raw_base64"].is_null()).unwrap();
    assert_eq!(raw["raw_base64"], "//4ga2VwdCCA");
    assert_eq!(found.iter().filter(|message| message["raw"] == "<13>a\0b kept").count(), 1);
    assert_eq!(server.status()["sources"][0]["unparsed"], 4);
}

#[test]
fn a_line_of_ten_megabytes_is_cut_once_and_the_next_one_is_clean() {
    let server = Server::start(ROUTER);
    let mut bytes = b"<13>huge ".to_vec();
    bytes.resize(10 << 20, b'x');
    bytes.extend_from_slice(b"\n<13>next\n");
    server.send(&bytes);
    server.wait_for("next", 1);
    let found = server.search("huge");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["raw"].as_str().unwrap().len(), 64 << 10);
    assert_eq!(found[0]["flags"][0], "truncated");
    assert_eq!(server.count("*"), 2);
    assert_eq!(server.status()["sources"][0]["truncated"], 1);
}

#[test]
fn half_a_frame_is_kept_when_its_sender_goes_away() {
    let server = Server::start(ROUTER);
    server.send(b"<13>whole\n<13>half");
    server.send(b"99 <13>counted half");
    server.wait_for("half", 2);
    assert_eq!(server.count("flag:incomplete"), 2);
    assert_eq!(server.count("whole -flag:incomplete"), 1);
}

#[test]
fn a_sender_of_single_bytes_holds_nobody_up() {
    let server = Server::start(ROUTER);
    let mut slow = server.tcp();
    slow.set_nodelay(true).unwrap();
    for (number, byte) in b"<13>slow but sure\n".iter().enumerate() {
        slow.write_all(&[*byte]).unwrap();
        server.send(format!("<13>quick {number}\n").as_bytes());
        server.wait_for(&format!("\"quick {number}\""), 1);
    }
    server.wait_for("\"slow but sure\"", 1);
    assert_eq!(server.status()["sources"][0]["connections"], 1);
}

#[test]
fn bodies_that_never_come_hold_no_other_sender_up() {
    let server = Server::start(ROUTER);
    let address = server.web().strip_prefix("http://").unwrap();
    let trickle = |_| {
        let mut connection = TcpStream::connect(address).unwrap();
        let head = "POST /api/v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer administrator\r\n\
                    Content-Type: text/plain\r\nContent-Length: 67108864\r\n\r\nx";
        connection.write_all(head.as_bytes()).unwrap();
        connection
    };
    let held_open: Vec<TcpStream> = (0..8).map(trickle).collect();
    let start = Instant::now();
    for number in 0..20 {
        server.ingest(&format!("quick {number}"));
    }
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
    drop(held_open);
}

#[test]
fn what_is_ingested_is_found_at_the_first_try() {
    let server = Server::start(ROUTER);
    for number in 0..1000 {
        server.ingest(&format!("unique-{number}-token"));
        assert_eq!(server.count(&format!("unique-{number}-token")), 1, "number {number}");
    }
}

#[test]
fn with_one_partition_a_connection_keeps_its_order() {
    let server = Server::start(&ROUTER.replace("kind = \"syslog\"\n", "kind = \"syslog\"\npartitions = 1\n"));
    let lines: Vec<String> = (0..10_000).map(|number| format!("<13>in order {number}\n")).collect();
    let mut sender = server.tcp();
    for part in lines.chunks(7) {
        sender.write_all(part.concat().as_bytes()).unwrap();
    }
    server.wait_for("\"in order\"", 10_000);
    let found = server.search("\"in order\"");
    assert!(messages(&found).iter().enumerate().all(|(at, text)| *text == format!("in order {at}")));
}

#[test]
fn a_field_that_no_message_has_is_pointed_out() {
    let server = Server::start(ROUTER);
    server.send(b"<13>1 2026-11-21T06:13:00Z web-1 app - - [x@1 user=\"ana\"] hello\n");
    server.wait_for("hello", 1);
    let warnings = |query: &str| {
        let (_, answer) = server.post("/search", &serde_json::json!({ "query": query }));
        answer["warnings"].clone()
    };
    let warning = &warnings("usr:ana")[0];
    let message = "no message in this range has a field `usr`: did you mean `x@1.user`?";
    assert_eq!(warning["message"], message);
    assert_eq!(server.count(warning["suggestion"].as_str().unwrap()), 1);
    assert!(warnings("x@1.user:bob").as_array().unwrap().is_empty());

    let warning = &warnings("sevrity>=info web-1")[0];
    let message =
        "`sevrity` is not a field here, so its comparison was searched for as text: did you mean `severity`?";
    assert_eq!(warning["message"], message);
    assert_eq!(warning["suggestion"], "severity>=info web-1");
    assert_eq!(server.count(warning["suggestion"].as_str().unwrap()), 1);
    assert!(warnings("zebra>=info").as_array().unwrap().is_empty());
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let mut server = Server::start(ROUTER);
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        std::thread::scope(|scope| {
            let (server, pid) = (&server, server.pid().to_string());
            let senders: Vec<_> = (0..4)
                .map(|sender| {
                    scope.spawn(move || {
                        let mut acknowledged = Vec::new();
                        for number in 0.. {
                            let id = format!("r{round}s{sender}n{number}");
                            // The process ends during one of these requests.
                            match server.try_ingest(&format!("load {id}")) {
                                Ok(_) => acknowledged.push(id),
                                Err(_) => break,
                            }
                        }
                        acknowledged
                    })
                })
                .collect();
            wait_until("some load", || server.count(&format!("r{round}*")) > 40);
            assert!(std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
            for sender in senders {
                acknowledged.extend(sender.join().unwrap());
            }
        });
        server.kill_and_restart();
    }
    assert!(acknowledged.len() > 100);
    for id in acknowledged {
        assert_eq!(server.count(&id), 1, "{id}");
    }
}

#[test]
fn a_stop_stores_what_was_received_first() {
    let mut server = Server::start(ROUTER);
    let mut sender = server.tcp();
    for number in 0..20_000 {
        writeln!(sender, "<13>before the stop {number}").unwrap();
    }
    sender.flush().unwrap();
    server.wait_for("\"before the stop 0\"", 1);
    let start = Instant::now();
    assert_eq!(server.terminate().code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(10));
    drop(sender);
    server.restart();
    server.wait_for("\"before the stop\"", 20_000);
}

#[test]
fn a_stop_stores_all_that_a_sender_had_sent_before_it() {
    let mut server = Server::start(ROUTER);
    let line =
        "<13>sent before the stop, and waiting in the buffers of the kernel ".to_owned() + &"x".repeat(900);
    let mut sender = server.tcp();
    // This is more than one read takes.
    let lines = (line + "\n").repeat(100);
    (0..40).for_each(|_| sender.write_all(lines.as_bytes()).unwrap());
    drop(sender);
    assert_eq!(server.terminate().code(), Some(0));
    server.restart();
    server.wait_for("\"sent before the stop\"", 4000);
}

#[test]
fn a_stop_stores_what_short_connections_had_sent_before_it() {
    let mut server = Server::start(ROUTER);
    let (address, sent) = (server.address("tcp"), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for sender in 0..4 {
            let sent = &sent;
            scope.spawn(move || {
                for number in 0.. {
                    let Ok(mut stream) = TcpStream::connect(address) else { break };
                    if writeln!(stream, "<13>short s{sender}n{number}").is_err() {
                        break;
                    }
                    drop(stream);
                    sent.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        wait_until("some are sent", || 300 < sent.load(Ordering::SeqCst));
        let before = sent.load(Ordering::SeqCst);
        assert_eq!(server.terminate().code(), Some(0));
        server.restart();
        let stored = server.count("short");
        assert!(before <= stored, "{stored} are stored where {before} had been sent before the stop");
    });
}

#[test]
fn another_router_document_goes_live_without_losing_or_doubling_a_message() {
    let server = Server::start(ROUTER);
    let renamed = ROUTER.replace("id = \"syslog\"", "id = \"edge\"");
    let split = format!(
        "{}[[logspaces]]\nid = \"odd\"\n",
        ROUTER.replace(
            "[[routes]]",
            "[[routes]]\nid = \"odd\"\nwhere = 'message:/[13579]$/'\nto = [\"odd\"]\nfinal = true\n\n[[routes]]"
        )
    );
    let stop = AtomicBool::new(false);
    let sent = std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let mut stream = server.tcp();
            let mut sent = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                for _ in 0..50 {
                    writeln!(stream, "<13>reload {sent}").unwrap();
                    sent += 1;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            sent
        });
        for round in 0..6 {
            let (status, answer) = server.put_router(if round % 2 == 0 { &split } else { ROUTER });
            assert_eq!(status, 200, "{answer}");
            let before = server.count("reload");
            wait_until("messages arrive", || before < server.count("reload"));
        }
        stop.store(true, Ordering::Relaxed);
        sender.join().unwrap()
    });
    server.wait_for("reload", sent);
    assert!(0 < server.count("logspace:odd reload"));
    assert_eq!(server.count("logspace:odd message:/[02468]$/"), 0);
    let (status, answer) = server.put_router(&renamed);
    assert_eq!(status, 200, "{answer}");
}

#[test]
fn a_document_that_can_not_run_changes_nothing() {
    let server = Server::start(ROUTER);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let wanted = ROUTER.replace("tcp://127.0.0.1:0", &format!("tcp://127.0.0.1:{port}"));
    let (status, answer) = server.put_router(&wanted);
    assert!((400..500).contains(&status), "{status} {answer}");
    assert_eq!(answer["problems"][0]["path"], "sources[0].listen[1]");
    assert_eq!(server.status()["revision"], 1);
    server.send(b"<13>still here\n");
    server.wait_for("\"still here\"", 1);
}

#[test]
fn messages_are_forwarded_in_order_also_after_the_peer_was_away() {
    let peer = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = peer.local_addr().unwrap();
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"siem\", \"copy\"]")
        + &format!(
            "[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://{address}\"\nformat = \"raw\"\nframing = \"newline\"\n\
             [[destinations]]\nid = \"copy\"\nkind = \"file\"\npath = \"copy.log\"\n"
        );
    let server = Server::start(&router);
    let mut sender = server.tcp();
    let mut expected = Vec::new();
    let mut send = |range: std::ops::Range<u32>| {
        for number in range {
            writeln!(sender, "<13>forward {number}").unwrap();
            expected.push(format!("<13>forward {number}"));
        }
    };
    send(0..100);
    let (connection, _) = peer.accept().unwrap();
    let mut received: Vec<String> =
        BufReader::new(connection).lines().take(100).map(|line| line.unwrap()).collect();
    drop(peer);
    send(100..200);
    server.wait_for("forward", 200);
    let siem = |field: &str| server.status()["destinations"][0][field].clone();
    send(200..300);
    wait_until("the destination notices", || siem("state") == "retrying");
    let peer = TcpListener::bind(address).unwrap();
    send(300..400);
    let (connection, _) = peer.accept().unwrap();
    let last = "<13>forward 399";
    for line in BufReader::new(connection).lines() {
        received.push(line.unwrap());
        if received.last().unwrap() == last {
            break;
        }
    }
    // Plain TCP has no acknowledgements: a part written to the connection before its end was noticed is lost as a
    // whole, or comes twice. Everything else is there once, and in order.
    let mut seen = HashSet::new();
    received.retain(|line| seen.insert(line.clone()));
    let lost = expected.len() - received.len();
    assert!(lost <= 200, "{lost} messages are gone");
    assert_eq!(received[..100], expected[..100]);
    assert_eq!(received[100..], expected[100 + lost..]);
    wait_until("the file holds all", || {
        std::fs::read_to_string(server.data().join("forward/copy.log"))
            .is_ok_and(|text| text.lines().eq(&expected))
    });
    // The peer has closed the connection again, so the last messages may be sent once more.
    wait_until("the destination is well", || siem("state") == "ok");
}

#[test]
fn senders_that_are_not_allowed_or_too_many_are_refused_and_counted() {
    let router = ROUTER.replace("kind = \"syslog\"\n", "kind = \"syslog\"\nmax_connections = 1\n");
    let server = Server::start(&router);
    let mut first = server.tcp();
    first.write_all(b"<13>first\n").unwrap();
    server.wait_for("first", 1);
    let mut second = server.tcp();
    assert_eq!(second.read(&mut [0]).unwrap_or(0), 0, "closed at once");
    let dropped = |reason: &str| server.status()["sources"][0]["dropped"][reason].as_u64().unwrap_or(0);
    assert_eq!(dropped("connection_limit"), 1);
    let (status, answer) = server
        .put_router(&ROUTER.replace("kind = \"syslog\"\n", "kind = \"syslog\"\nallow = [\"10.0.0.0/8\"]\n"));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(server.tcp().read(&mut [0]).unwrap_or(0), 0, "closed at once");
    server.send_udp(&[b"<13>not allowed"]);
    wait_until("the datagram is counted", || dropped("not_allowed") == 1);
    assert_eq!(dropped("connection_not_allowed"), 1);
    assert_eq!(server.count("*"), 1);
}

#[test]
fn the_second_server_on_a_data_directory_hears_who_has_it() {
    let server = Server::start(ROUTER);
    let data = server.data().to_str().unwrap();
    let (code, _, error) = output(&["serve", "--data", data, "--set", "web.listen=127.0.0.1:0"]);
    assert_eq!(code, 3);
    assert!(error.contains(&format!("pid {}", server.pid())), "{error}");
    // Reading needs no lock: the search finds an empty store, and says so.
    let (code, _, error) = output(&["search", "*", "--data", data]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("no message matches"), "{error}");
}

#[test]
fn what_stands_against_a_start_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let under_a_file = file.join("data");
    let (code, _, error) = output(&["serve", "--data", under_a_file.to_str().unwrap()]);
    assert_eq!(code, 3);
    assert!(error.contains("file/data cannot be written"), "{error}");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let data = folder.path().join("data");
    let web = format!("web.listen={address}");
    let (code, _, error) = output(&["serve", "--data", data.to_str().unwrap(), "--set", &web]);
    assert_eq!(code, 3);
    assert!(error.contains(&format!("web.listen: cannot listen on {address}")), "{error}");

    let router = folder.path().join("router.toml");
    std::fs::write(&router, ROUTER.replace("tcp://127.0.0.1:0", &format!("tcp://{address}"))).unwrap();
    let arguments = ["serve", "--data", data.to_str().unwrap(), "--router", router.to_str().unwrap()];
    let (code, _, error) = output(&[&arguments[..], &["--set", "web.listen=127.0.0.1:0"]].concat());
    assert_eq!(code, 3);
    assert!(error.contains("sources[0].listen[1]"), "{error}");
}

/// The exit codes are those in the help of each command: 1 is an answer or invalid input, and 3 is data that cannot
/// be read.
#[test]
fn a_store_that_is_not_there_is_no_answer() {
    for command in [
        &["search", ""][..],
        &["export", ""],
        &["tail", ""],
        &["context", "main:1"],
        &["verify"],
        &["reindex"],
    ] {
        let (code, _, error) = output(&[command, &["--data", "/nowhere/at/all"]].concat());
        assert_eq!(code, 3, "{command:?}: {error}");
    }
    let (code, _, error) = output(&["check", "--router", "/nowhere/at/all.toml"]);
    assert_eq!(code, 1, "{error}");
}

#[test]
fn check_names_file_line_and_column_of_every_problem() {
    let folder = tempfile::tempdir().unwrap();
    let router = folder.path().join("router.toml");
    std::fs::write(
        &router,
        ROUTER.replace("listen =", "lisen =").replace("to = [\"main\"]", "to = [\"mian\"]"),
    )
    .unwrap();
    let (code, _, error) = output(&["check", "--router", router.to_str().unwrap()]);
    assert_eq!(code, 1);
    assert!(error.contains("router.toml:7:"), "{error}");
    assert!(error.contains("did you mean `listen`"), "{error}");
    assert!(error.contains("did you mean `main`"), "{error}");

    // Problems that only the server can find have a position too: unknown zones and character sets, and forbidden
    // folders.
    let wrong = [
        ("timezone = \"Europe/Nowhere\"", "timezone", 12),
        ("charset = \"klingon\"", "charset", 11),
        ("timezones = [\"edge=Mars/Base\"]", "timezones", 13),
    ];
    for (line, key, column) in wrong {
        std::fs::write(&router, ROUTER.replace("listen =", &format!("{line}\nlisten ="))).unwrap();
        let (code, _, error) = output(&["check", "--router", router.to_str().unwrap()]);
        let place = format!("router.toml:7:{column}: sources[0].{key}: ");
        assert!(code == 1 && error.contains(&place), "{place}{code} {error}");
    }
    let files = "[[sources]]\nid = \"files\"\nkind = \"file\"\npaths = [\"a.log\",\n  \"/etc/shadow\"]\n";
    std::fs::write(&router, ROUTER.to_owned() + files).unwrap();
    let (code, _, error) = output(&["check", "--router", router.to_str().unwrap()]);
    let line = ROUTER.lines().count() + 5;
    let place = format!("router.toml:{line}:3: sources[2].paths[1]: ");
    assert!(code == 1 && error.contains(&place), "{place}{code} {error}");

    let settings = folder.path().join("logstead.toml");
    std::fs::write(&settings, "[web]\nlisten = \"127.0.0.1:0\"\nport = 5\n").unwrap();
    let (code, _, error) = output(&["check", "--config", settings.to_str().unwrap()]);
    assert_eq!(code, 1);
    assert!(error.contains("logstead.toml:3:1: web.port"), "{error}");
    assert_eq!(output(&["check"]).0, 0);
    assert_eq!(output(&["check", "--no-such-option"]).0, 2);
}

#[test]
fn the_command_line_searches_a_stopped_and_a_running_store() {
    let mut server = Server::start(ROUTER);
    server.send(
        b"<13>1 2026-11-21T06:13:00Z web-1 app 7 - - say \"hi\", ana\n<13>Nov 21 06:13:01 web-1 app: bye\n",
    );
    server.wait_for("host:web-1", 2);
    let token = ["--server", server.web(), "--token", "administrator"];
    let running = output(&[&["search", "host:web-1 say"][..], &token].concat());
    let text = "2026-11-21T06:13:00Z web-1 app[7]: say \"hi\", ana\n";
    assert_eq!((running.0, running.1.as_str()), (0, text), "{}", running.2);
    let denied = output(&["search", "*", "--server", server.web(), "--token", "wrong"]);
    assert_eq!(denied.0, 1);
    server.terminate();

    let data = server.data().to_str().unwrap().to_owned();
    let search =
        |query: &str, more: &[&str]| output(&[&["search", query, "--data", &data][..], more].concat());
    assert_eq!(search("say", &[]).1, text);
    let csv = search("say", &["--format", "csv"]).1;
    assert!(csv.ends_with("web-1,app,7,notice,user,\"say \"\"hi\"\", ana\"\n"), "{csv}");
    let json: Value = serde_json::from_str(&search("bye", &["--format", "json"]).1).unwrap();
    assert_eq!(json["raw"], "<13>Nov 21 06:13:01 web-1 app: bye");
    assert_eq!(search("nothing", &[]).0, 1);
    assert_eq!(search("/(/", &[]).0, 1);
    assert_eq!(search("app", &["--limit", "1", "--format", "raw"]).1.lines().count(), 1);
    assert_eq!(search("app", &["--logspace", "nowhere"]).0, 1);
}

#[test]
fn help_shows_an_example_for_every_command() {
    for command in ["serve", "check", "router", "search", "import", "verify", "reindex", "inspect", "tls"] {
        let (code, help, _) = output(&[command, "--help"]);
        assert_eq!(code, 0);
        assert!(help.contains(&format!("logstead {command}")) && help.contains("Examples:"), "{help}");
    }
    assert!(output(&["--version"]).1.starts_with("logstead "));
    assert!(logstead(&[]).output().unwrap().status.code() == Some(2));
}

#[test]
fn messages_of_a_sender_without_delimiters_are_told_apart_and_flagged() {
    let server = Server::start(ROUTER);
    let mut sender = server.tcp();
    for number in 0..3 {
        let message = format!("<14>1 2026-11-22T05:11:0{number}Z web-1 app 7 - - message {number}");
        sender.write_all(message.as_bytes()).unwrap();
        sender.flush().unwrap();
    }
    // The connection stays open; the silence after them shows that the messages are complete.
    server.wait_for("flag:undelimited", 3);
    sender.write_all(b"<14>1 2026-11-22T05:11:09Z web-1 app 7 - - message 3").unwrap();
    server.wait_for("flag:undelimited host=web-1 program=app", 4);
    assert_eq!((server.count("\"message 1\""), server.count("flag:incomplete")), (1, 0));
    assert!(server.status()["sources"].to_string().contains("\"undelimited\":4"), "{}", server.status());
}

#[test]
fn what_does_not_fit_the_machine_is_said_before_it_is_applied() {
    let server = Server::start(ROUTER);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let headers = [("Content-Type", "application/toml")];
    let validate = |toml: &str| server.call("POST", "/router/validate", &headers, toml.as_bytes()).1;
    let other = ROUTER.replace("udp://127.0.0.1:0", &format!("tcp://127.0.0.1:{port}"));
    let answer = validate(&other);
    assert_eq!(answer["valid"], false);
    let problem = &answer["problems"][0];
    assert_eq!(problem["path"], "sources[0].listen[0]");
    let message = problem["message"].as_str().unwrap();
    assert!(
        message.contains("Address already in use") && message.ends_with("choose another port"),
        "{message}"
    );
    drop(taken);
    assert_eq!(validate(&other)["valid"], true, "nothing was left open");
    assert_eq!(validate(ROUTER)["valid"], true, "its own sockets are not in its way");
    let tls = ROUTER.replace("udp://127.0.0.1:0\"", "tls://127.0.0.1:0\"").replace(
        "kind = \"syslog\"\n",
        "kind = \"syslog\"\ntls = { certificate = \"none.pem\", key = \"none.key\" }\n",
    );
    assert_eq!(validate(&tls)["problems"][0]["path"], "sources[0].tls");
}
