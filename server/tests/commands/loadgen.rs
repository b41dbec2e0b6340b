//! The load generator with the real server and with small receivers: the messages that it reports as sent are those
//! that arrive.
//!
//! Keywords: load generator, counts, acknowledgement.

use crate::support;

use rcgen::{CertifiedKey, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{ROUTER, Server, logstead, output, wait_until};

/// The URL of one of the server's listeners.
fn listener(server: &Server, scheme: &str) -> String {
    format!("{scheme}://{}", server.address(scheme))
}

/// The output of a successful run.
fn run(target: &str, options: &[&str]) -> String {
    let (code, out, error) = output(&[&["loadgen", target], options].concat());
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
    out
}

/// Returns a value of the summary.
fn value<'a>(out: &'a str, name: &str) -> &'a str {
    let found = out.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    found.unwrap_or_else(|| panic!("there is no {name} in {out}"))
}

#[test]
fn every_message_arrives_once_over_each_transport() {
    let server = Server::start(ROUTER);
    let check = |run_id: &str, target: String, more: &[&str]| {
        let options = ["--number", "5000", "--active-connections", "2", "--run-id", run_id, "--quiet"];
        let out = run(&target, &[&options, more].concat());
        assert_eq!((value(&out, "messages"), value(&out, "run id")), ("10000", run_id));
        server.wait_for(&format!("\"runid: {run_id}\""), 10_000);
        for thread in ["0001", "0002"] {
            assert_eq!(server.count(&format!("\"thread: {thread}, runid: {run_id}\"")), 5_000);
            assert_eq!(server.count(&format!("\"seq: 0000000000, thread: {thread}, runid: {run_id}\"")), 1);
            assert_eq!(server.count(&format!("\"seq: 0000004999, thread: {thread}, runid: {run_id}\"")), 1);
        }
        out
    };
    check("101", listener(&server, "tcp"), &[]);
    check("102", listener(&server, "tcp"), &["--framing", "octet", "--format", "rfc5424", "--size", "300"]);
    check("103", listener(&server, "tcp"), &["--rate", "20000/s"]);
    check("104", listener(&server, "udp"), &["--rate", "20000/s"]);
    let out = check("105", server.web().to_owned(), &["--token", "administrator", "--acknowledged"]);
    assert_eq!((value(&out, "acknowledged"), value(&out, "resent")), ("10000", "0"));
    assert!(out.contains("\nthread,0001,acknowledged,5000\nthread,0002,acknowledged,5000\n"), "{out}");
    assert!(value(&out, "latency p50").ends_with(" ms"));
    let found = server.search("\"seq: 0000000007, thread: 0002, runid: 102\"");
    assert_eq!(found[0]["raw"].as_str().unwrap().len(), 300);
    assert_eq!((&found[0]["program"], &found[0]["severity_name"]), (&"prg00002".into(), &"info".into()));
    assert_eq!(server.count("flag:unparsed OR flag:incomplete"), 0);
}

#[test]
fn lines_of_a_file_are_sent_as_they_are_by_each_connection() {
    let server = Server::start(ROUTER);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines");
    std::fs::write(&file, "<13>one a\n\n<13>no end b\r\n<13>last c").unwrap();
    let file = file.to_str().unwrap();
    let target = listener(&server, "tcp");
    let out =
        run(&target, &["--read-file", file, "--active-connections", "2", "--framing", "octet", "--quiet"]);
    assert_eq!(value(&out, "messages"), "6");
    server.wait_for("*", 6);
    assert_eq!(["one a", "\"no end b\"", "last c"].map(|query| server.count(query)), [2, 2, 2]);
    run(&target, &["--read-file", file, "--loop", "--number", "30", "--quiet"]);
    server.wait_for("*", 36);
    assert_eq!(["one a", "\"no end b\"", "last c"].map(|query| server.count(query)), [12, 12, 12]);
}

#[test]
fn what_is_acknowledged_survives_a_kill_of_the_server() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let setting = format!("web.listen=127.0.0.1:{port}");
    let mut server = Server::start_with(ROUTER, &[&setting]);
    let mut load = logstead(&["loadgen", &format!("http://127.0.0.1:{port}"), "--token", "administrator"]);
    load.args([
        "--permanent", "--interval", "4", "--active-connections", "3", "--rate", "500", "--batch", "50",
    ]);
    let load = load.args(["--run-id", "77", "--quiet", "--acknowledged"]).spawn().unwrap();
    for kills in 1..=2 {
        wait_until("load", || 500 * kills < server.count("\"runid: 77\""));
        server.kill_and_restart();
    }
    let ended = load.wait_with_output().unwrap();
    let out = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success() && out.contains("broken: "), "{out}");
    let mut acknowledged = 0;
    for line in out.lines().filter(|line| line.starts_with("thread,")) {
        let parts: Vec<&str> = line.split(',').collect();
        let (thread, count) = (parts[1], parts[3].parse::<u64>().unwrap());
        acknowledged += count;
        let stored = server.search(&format!("\"thread: {thread}, runid: 77\""));
        let numbers: BTreeSet<u64> =
            stored.iter().map(|message| number(message["raw"].as_str().unwrap())).collect();
        let lost: Vec<u64> = (0..count).filter(|number| !numbers.contains(number)).collect();
        assert!(lost.is_empty(), "thread {thread}: of {count} acknowledged, {lost:?} are lost");
    }
    assert_eq!(value(&out, "acknowledged"), acknowledged.to_string());
    assert!(1000 < acknowledged, "{out}");
}

/// The number of a message in its connection.
fn number(message: &str) -> u64 {
    message.split("seq: ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
}

#[test]
fn ten_thousand_a_second_are_ten_thousand_a_second() {
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = receiver.local_addr().unwrap();
    let reader =
        std::thread::spawn(move || std::io::copy(&mut receiver.accept().unwrap().0, &mut std::io::sink()));
    let options = ["--rate", "10000/s", "--interval", "2", "--size", "200", "--csv"];
    let (code, out, error) = output(&[&["loadgen", &format!("tcp://{address}")], &options[..]].concat());
    let sent: u64 = value(&error, "messages").parse().unwrap();
    assert!(code == 0 && (19_800..=20_000).contains(&sent), "{error}");
    assert_eq!(reader.join().unwrap().unwrap(), sent * 201);
    let mut rows = out.lines();
    assert_eq!(rows.next(), Some("seconds,sent,bytes,acknowledged,broken,messages_per_second"));
    let sent: f64 = rows.next().unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert!((9_000.0..11_000.0).contains(&sent), "{out}");
}

#[test]
fn an_interrupt_ends_with_the_summary() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = format!("udp://{}", receiver.local_addr().unwrap());
    let mut load = logstead(&["loadgen", &target, "--rate", "10", "--permanent"]).spawn().unwrap();
    receiver.recv(&mut [0; 1000]).unwrap();
    let start = Instant::now();
    assert!(support::signal("INT", load.id()));
    assert!(load.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(5));
    let mut out = String::new();
    load.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(1 <= value(&out, "messages").parse::<u64>().unwrap(), "{out}");
}

#[test]
fn idle_connections_are_held_for_the_whole_run() {
    let server =
        Server::start(&ROUTER.replace("kind = \"syslog\"\n", "kind = \"syslog\"\nmax_connections = 300\n"));
    let target = listener(&server, "tcp");
    let options = ["--active-connections", "0", "--idle-connections", "200", "--interval", "1.5", "--quiet"];
    let load = logstead(&[&["loadgen", &target], &options[..]].concat()).spawn().unwrap();
    wait_until("all are open", || server.status()["sources"][0]["connections"] == 200);
    let out = String::from_utf8(load.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(value(&out, "idle connections"), "200");
    assert_eq!(value(&out, "idle connections closed by the receiver"), "0");
}

#[test]
fn unix_sockets_of_both_kinds_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (stream, datagram) = (folder.path().join("stream.sock"), folder.path().join("datagram.sock"));
    let listener = UnixListener::bind(&stream).unwrap();
    let reader = std::thread::spawn(move || BufReader::new(listener.accept().unwrap().0).lines().count());
    let options = ["--number", "100", "--quiet"];
    run(&format!("unix:{}", stream.display()), &options);
    assert_eq!(reader.join().unwrap(), 100);
    let receiver = UnixDatagram::bind(&datagram).unwrap();
    let reader = std::thread::spawn(move || {
        (0..100).map(|_| receiver.recv(&mut [0; 1000]).unwrap()).filter(|length| *length == 256).count()
    });
    run(&format!("unix:{}", datagram.display()), &options);
    assert_eq!(reader.join().unwrap(), 100);
}

/// A receiver that speaks RELP. It acknowledges `answers_max` messages of its first connection and then closes it; it
/// acknowledges all messages of the next one. Returns the messages of each connection.
fn relp_receiver(listener: &TcpListener, answers_max: usize) -> Vec<Vec<String>> {
    let mut sessions = Vec::new();
    for answers_max in [answers_max, usize::MAX] {
        let (connection, _) = listener.accept().unwrap();
        let (mut reader, mut writer) = (BufReader::new(&connection), &connection);
        let mut messages = Vec::new();
        while let Some((txnr, command, data)) = relp_frame(&mut reader) {
            let answer = if command == "open" { format!("200 OK\n{data}") } else { "200 OK".to_owned() };
            if command == "syslog" {
                messages.push(data);
                if answers_max < messages.len() {
                    break;
                }
            }
            writeln!(writer, "{txnr} rsp {} {answer}", answer.len()).unwrap();
            if command == "close" {
                break;
            }
        }
        sessions.push(messages);
        if answers_max == usize::MAX {
            break;
        }
    }
    sessions
}

fn relp_frame(reader: &mut BufReader<&TcpStream>) -> Option<(String, String, String)> {
    let mut word = || {
        let mut word = Vec::new();
        reader.read_until(b' ', &mut word).ok().filter(|&length| 0 < length)?;
        // A frame without data ends here.
        Some(String::from_utf8(word).unwrap().trim_end().to_owned())
    };
    let (txnr, command) = (word()?, word()?);
    if command == "close" {
        return Some((txnr, command, String::new()));
    }
    let length: usize = word()?.parse().unwrap();
    let mut data = vec![0; length + 1];
    reader.read_exact(&mut data).ok()?;
    assert_eq!(data.pop(), Some(b'\n'));
    Some((txnr, command, String::from_utf8(data).unwrap()))
}

#[test]
fn over_relp_what_was_not_acknowledged_is_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("relp://{}", listener.local_addr().unwrap());
    let receiver = std::thread::spawn(move || relp_receiver(&listener, 130));
    let options = ["--number", "1000", "--window", "50", "--permanent", "--quiet", "--acknowledged"];
    let out = run(&target, &options);
    let sessions = receiver.join().unwrap();
    assert_eq!((value(&out, "messages"), value(&out, "acknowledged")), ("1000", "1000"));
    assert!(out.ends_with("thread,0001,acknowledged,1000\n"), "{out}");
    let numbers = |session: &[String]| session.iter().map(|message| number(message)).collect::<Vec<_>>();
    assert_eq!(numbers(&sessions[0]), (0..131).collect::<Vec<_>>());
    let again = number(&sessions[1][0]);
    assert!(again <= 130, "nothing that was not acknowledged is left out: {again}");
    assert_eq!(numbers(&sessions[1]), (again..1000).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_done_is_reported_in_a_line() {
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let (found, _, error) = output(&[&["loadgen"], arguments].concat());
        assert_eq!(found, code, "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = format!("tcp://127.0.0.1:{port}");
    check(&[&nobody], 3, "no connection reached its end");
    check(&[&nobody], 3, "connection 1: 127.0.0.1:");
    check(&[&format!("relp://127.0.0.1:{port}")], 3, "refused");
    check(&[&format!("http://127.0.0.1:{port}")], 3, "refused");
    check(&["unix:/nonexistent/socket"], 3, "/nonexistent/socket");
    check(&[&nobody, "--idle-connections", "2"], 3, "only 0 of 2 idle connections");
    check(&[&nobody, "--size", "20"], 1, "at least 1");
    check(&["udp://127.0.0.1:9", "--size", "70000"], 1, "65507");
    check(&["udp://127.0.0.1:9", "--framing", "octet"], 1, "--framing applies to byte streams");
    check(&["udp://127.0.0.1:9", "--idle-connections", "1"], 1, "has no connections");
    check(&[&nobody, "--active-connections", "0"], 1, "nothing to do");
    check(&[&nobody, "--batch", "0"], 1, "--batch");
    check(&[&nobody, "--read-file", "/nonexistent"], 1, "/nonexistent");
    check(&[&nobody, "--read-file", "/"], 1, "not a regular file");
    check(&["tls://127.0.0.1:9", "--ca", "/nonexistent"], 1, "/nonexistent");
    check(&["ftp://h:1"], 2, "not a transport");
    check(&[&nobody, "--rate", "0"], 2, "a rate of 0");
    check(&[&nobody, "--interval", "0"], 2, "interval");
    check(&[&nobody, "--interval", "nan"], 2, "interval");
    check(&[&nobody, "--loop"], 2, "--read-file");
    check(&[], 2, "TARGET");
    let server = Server::start(ROUTER);
    check(&[server.web(), "--token", "wrong", "--number", "1"], 3, "401");
}

#[test]
fn a_receiver_that_speaks_something_else_is_noticed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("relp://{}", listener.local_addr().unwrap());
    let receiver = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        std::io::copy(&mut connection, &mut std::io::sink()).ok();
    });
    let mut command = logstead(&["loadgen", &target, "--number", "10"]);
    let ended = command.stdout(Stdio::null()).output().unwrap();
    assert_eq!(ended.status.code(), Some(3));
    let error = String::from_utf8(ended.stderr).unwrap();
    assert!(error.starts_with("connection 1: ") && error.lines().count() == 2, "{error}");
    receiver.join().unwrap();
}

/// A receiver that speaks TLS and counts the lines of each connection, until it is closed properly.
fn tls_receiver(listener: &TcpListener, certified: &CertifiedKey<KeyPair>, connections: usize) -> Vec<usize> {
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config =
        builder.with_no_client_auth().with_single_cert(vec![certified.cert.der().clone()], key).unwrap();
    let config = Arc::new(config);
    let receive = |_| {
        let (socket, _) = listener.accept().unwrap();
        let stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), socket);
        // A sender that does not trust the certificate sends nothing.
        BufReader::new(stream).lines().map_while(Result::ok).count()
    };
    (0..connections).map(receive).collect()
}

#[test]
fn tls_is_spoken_to_whom_is_trusted() {
    let certified = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, certified.cert.pem()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("tls://{}", listener.local_addr().unwrap());
    let receiver = std::thread::spawn(move || tls_receiver(&listener, &certified, 3));
    let options = ["--number", "5000", "--quiet"];
    let trusting = run(&target, &[&options[..], &["--ca", authority.to_str().unwrap()]].concat());
    assert_eq!(value(&trusting, "messages"), "5000");
    run(&target, &[&options[..], &["--insecure"]].concat());
    let (code, _, error) = output(&[&["loadgen", &target], &options[..]].concat());
    assert!(code == 3 && error.contains("TLS: invalid peer certificate"), "{code} {error}");
    assert_eq!(receiver.join().unwrap(), [5000, 5000, 0]);
}
