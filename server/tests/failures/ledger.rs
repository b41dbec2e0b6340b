//! The ledger accounts for every message that a server has received, across kills, and agrees with the stored
//! messages.
//!
//! Keywords: ledger, accounting, lost, dropped, kill -9.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use support::books::{assert_closed, flow};
use support::small_disk::SmallDisk;
use support::{Server, free_port, wait_until};

/// Each message names its fate: `main` is stored, `both` is stored in two logspaces, `siem` is only forwarded, `fan`
/// goes to two destinations, and `none` is taken by no route.
const KINDS: [&str; 5] = ["main", "both", "siem", "fan", "none"];

fn router(siem: SocketAddr) -> String {
    let route =
        |id: &str, to: &str| format!("[[routes]]\nid = \"{id}\"\nwhere = \"message:{id}\"\nto = [{to}]\n");
    let routes = [
        route("main", "\"main\""),
        route("both", "\"main\", \"second\""),
        route("siem", "\"siem\""),
        route("fan", "\"siem\", \"copy\""),
    ];
    format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n\
         [[sources]]\nid = \"tcp\"\nkind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]\n\
         [[logspaces]]\nid = \"main\"\n[[logspaces]]\nid = \"second\"\n\
         [[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://{siem}\"\nformat = \"raw\"\n\
         framing = \"newline\"\n[[destinations]]\nid = \"copy\"\nkind = \"file\"\npath = \"copy.log\"\n{}",
        routes.concat()
    )
}

fn nowhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], free_port()))
}

/// Lines with this many messages of each kind.
fn lines(of_each: usize) -> String {
    KINDS.map(|kind| format!("{kind}\n").repeat(of_each)).concat()
}

#[test]
fn every_message_counts_once() {
    let siem = nowhere();
    let server = Server::start(&router(siem));
    assert_eq!(server.ingest(&lines(10)), 40, "no route takes the rest");
    wait_until("the file has its copy", || flow(&server)["destinations"][0]["delivered"] == 10);
    let answer = flow(&server);
    let total = &answer["total"];
    let of = |name: &str| total[name].as_u64().unwrap();
    assert_eq!((of("received"), of("stored"), of("forwarded")), (50, 20, 20), "{answer}");
    assert_eq!(total["stored_in"], json!({ "main": 20 }), "in the first one that has it");
    assert_eq!(total["dropped"], json!({ "no_route": 10 }));
    let forwarded = total["forwarded_to"].as_object().unwrap();
    assert!(10 <= forwarded["siem"].as_u64().unwrap(), "{forwarded:?}");
    let rows: Vec<&Value> = answer["rows"].as_array().unwrap().iter().map(|row| &row["source"]).collect();
    assert_eq!(rows, ["http"]);
    let [copy, siem_row] = [0, 1].map(|at| answer["destinations"][at].clone());
    assert_eq!((&copy["id"], &copy["waiting"], &copy["delivered"]), (&json!("copy"), &json!(0), &json!(10)));
    assert_eq!((&siem_row["queued"], &siem_row["waiting"]), (&json!(20), &json!(20)));
    assert_closed(&server);
    let listener = TcpListener::bind(siem).unwrap();
    let (connection, _) = listener.accept().unwrap();
    assert_eq!(BufReader::new(connection).lines().take(20).count(), 20);
    wait_until("they are delivered", || flow(&server)["destinations"][1]["delivered"] == 20);
    assert_closed(&server);
    let (discarded, _) = server.post("/destinations/siem/discard", &json!({ "messages": 1 }));
    assert_ne!(discarded, 200, "there is nothing to discard");
    assert_eq!(server.labelled_metric("flow_remainder{source=\"http\"}"), 0.0);
    assert_eq!(server.labelled_metric("flow_received_messages_total{source=\"http\"}"), 50.0);
}

/// Frames of a sender that uses octet counting; the frame with the number `plain` has no priority.
fn counted(frames: usize, plain: usize) -> Vec<u8> {
    let frame = |number: usize| {
        let priority = if number == plain { "" } else { "<13>1 2026-11-27T06:00:00Z edge app - - - " };
        let message = format!("{priority}frame of number n{number}");
        format!("{} {message}", message.len())
    };
    (0..frames).map(frame).collect::<String>().into_bytes()
}

/// Checks that every byte read from a source's streams is in a message, between messages, or skipped.
fn assert_every_byte(server: &Server, source: &str, sent: usize) {
    let all = || {
        let status = server.source(source);
        let number = |name: &str| status[name].as_u64().unwrap_or(0);
        let skipped = status["skipped_bytes"].as_object().into_iter().flat_map(|reasons| reasons.values());
        let skipped = skipped.filter_map(Value::as_u64);
        number("bytes") + number("framing_bytes") + skipped.sum::<u64>()
    };
    wait_until("every byte is accounted for", || all() == sent as u64);
}

#[test]
fn a_counted_frame_without_a_priority_takes_no_other_with_it() {
    const FRAMES: usize = 5002;
    for plain in [2500, 0] {
        let server = Server::start(support::ROUTER);
        let bytes = counted(FRAMES, plain);
        server.send(&bytes);
        server.wait_for("\"frame of number\"", FRAMES as u64);
        assert_eq!(server.count("*"), FRAMES as u64);
        assert_eq!(server.count(&format!("n{plain}")), 1);
        assert_eq!(server.count("host:edge"), FRAMES as u64 - 1);
        // Before the first frame, the framing was not certain.
        assert_eq!(server.count("flag:out_of_step"), u64::from(plain == 0));
        assert_closed(&server);
        let total = &flow(&server)["total"];
        assert_eq!((&total["stored"], &total["skipped_bytes"]), (&json!(FRAMES), &json!({})), "{total}");
        assert_every_byte(&server, "syslog", bytes.len());
    }
}

#[test]
fn bytes_that_no_message_holds_are_said_wherever_one_looks_also_after_a_kill() {
    const MESSAGE_MAX: usize = 64 << 10;
    let mut server = Server::start(&format!(
        "{}\n[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]\n",
        support::ROUTER
    ));
    // Skipped bytes: between the frames of a sender that counts, after a line, and in a message that its sender did
    // not finish.
    let noise = [counted(3, 9), vec![b'x'; 200 << 10], counted(3, 9)].concat();
    server.send(&noise);
    let long = [b"<13>long ", &*vec![b'y'; 100 << 10], b"\n<13>short\n"].concat();
    server.send(&long);
    let relp = b"1 open 15 relp_version=0\n\n2 syslog 40 <13>half";
    let mut sender = std::net::TcpStream::connect(server.address_of("relp", "relp")).unwrap();
    sender.write_all(relp).unwrap();
    sender.shutdown(std::net::Shutdown::Write).unwrap();
    server.wait_for("\"frame of number\"", 6);
    server.wait_for("short", 1);
    assert_every_byte(&server, "syslog", noise.len() + long.len());
    assert_every_byte(&server, "relp", relp.len());
    assert_eq!(server.count("flag:out_of_step flag:truncated"), 1);

    let (out_of_step, too_long) = ((200 << 10) - MESSAGE_MAX, b"<13>long ".len() + (100 << 10) - MESSAGE_MAX);
    let syslog = json!({ "out_of_step": out_of_step, "too_long": too_long });
    let unfinished = "2 syslog 40 <13>half".len();
    let all = json!({ "out_of_step": out_of_step, "too_long": too_long, "unfinished": unfinished });
    let said = |server: &Server| {
        let answer = flow(server);
        assert_eq!(answer["total"]["skipped_bytes"], all, "{answer}");
        assert_eq!(server.status()["totals"]["skipped_bytes"], all);
        let metric = "flow_skipped_bytes_total{source=\"syslog\",reason=\"out_of_step\"}";
        assert_eq!(server.labelled_metric(metric), out_of_step as f64);
        assert_closed(server);
    };
    wait_until("the ledger has them", || flow(&server)["total"]["skipped_bytes"] == all);
    said(&server);
    assert_eq!(server.source("syslog")["skipped_bytes"], syslog);
    let (_, senders) = server.call("GET", "/senders", &[], b"");
    let [first, second] = [0, 1].map(|at| &senders["skipped"][at]);
    assert_eq!((&first["source"], &first["host"]), (&json!("syslog"), &json!("127.0.0.1")), "{senders}");
    assert_eq!((&first["reasons"], &second["source"]), (&syslog, &json!("relp")), "{senders}");
    let edge = senders["senders"].as_array().unwrap().iter().find(|sender| sender["host"] == "edge").unwrap();
    assert_eq!(edge["skipped_bytes"], out_of_step + too_long, "it has this address: {edge}");
    let (_, pieces) = server.call("GET", "/senders/relp/127.0.0.1/skipped", &[], b"");
    assert_eq!(pieces["pieces"][0]["reason"], "unfinished");
    assert_eq!(pieces["pieces"][0]["head"], "MiBzeXNsb2cgNDAgPDEzPmhhbGY=");

    // The parts of the ledger that are on disk by then stay there.
    wait_until("the ledger is written", || {
        let files = std::fs::read_dir(server.data().join("ledger")).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default());
        texts.collect::<String>().contains("\"skipped:unfinished\":")
    });
    server.kill_and_restart();
    said(&server);
}

#[test]
fn what_is_cut_from_long_messages_is_counted_by_every_transport() {
    const MESSAGE_MAX: usize = 1 << 10;
    const LONG: usize = 3000;
    let logs = tempfile::tempdir().unwrap();
    let source =
        |id: &str, rest: &str| format!("[[sources]]\nid = \"{id}\"\nmax_message = \"1 KiB\"\n{rest}\n");
    let router = [
        "version = 1\n[[logspaces]]\nid = \"main\"\n[[routes]]\nid = \"all\"\nto = [\"main\"]\n".to_owned(),
        source("udp", "kind = \"syslog\"\nlisten = [\"udp://127.0.0.1:0\"]"),
        source("relp", "kind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]"),
        source("files", &format!("kind = \"file\"\npaths = [\"{}/*.log\"]", logs.path().display())),
        "[[sources]]\nid = \"http\"\nkind = \"http\"\n".to_owned(),
    ];
    let read = format!("files.read={}", logs.path().display());
    let server = Server::start_with(&router.concat(), &[&read]);
    let long = "y".repeat(LONG);
    server.send_udp(&[long.as_bytes()]);
    let mut session = std::net::TcpStream::connect(server.address_of("relp", "relp")).unwrap();
    write!(session, "1 open 15 relp_version=0\n\n2 syslog {LONG} {long}\n").unwrap();
    std::fs::write(logs.path().join("a.log"), format!("{long}\n")).unwrap();
    server.wait_for("flag:truncated", 3);
    for id in ["udp", "relp", "files"] {
        let cut = || server.source(id)["skipped_bytes"]["too_long"].as_u64().unwrap_or(0) as usize;
        wait_until("what was cut is counted", || 0 < cut());
        assert_eq!(cut(), LONG - MESSAGE_MAX, "{id}");
    }
    assert_closed(&server);
}

#[test]
fn a_range_that_makes_no_sense_is_refused() {
    let server = Server::start(support::ROUTER);
    let ask = |query: &str| server.call("GET", &format!("/flow?{query}"), &[], b"");
    for (query, refused) in
        [("from=now&to=-1h", 422), ("from=yesterday-ish", 422), ("step=5m", 422), ("form=-1h", 400)]
    {
        let (status, answer) = ask(query);
        assert_eq!(status, refused, "{query}: {answer}");
    }
    let (status, answer) = ask("from=1970-01-01T00:00:00Z&to=2200-01-01T00:00:00Z&step=1m");
    assert_eq!((status, &answer["step"]), (200, &json!("1d")), "{answer}");
}

/// Sends all kinds of messages over HTTP until told to stop, and counts the acknowledged ones; and some over TCP,
/// which has no acknowledgements.
struct Senders<'a> {
    server: &'a Server,
    accepted: &'a AtomicU64,
    dropped: &'a AtomicU64,
    stopping: &'a AtomicBool,
}

impl Senders<'_> {
    fn run(&self) {
        let body = lines(20);
        let mut tcp = self.server.tcp();
        while !self.stopping.load(Ordering::Relaxed) {
            // Messages without an answer may be stored or not.
            if let Ok(accepted) = self.server.try_ingest(&body) {
                self.accepted.fetch_add(accepted, Ordering::Relaxed);
                self.dropped.fetch_add(20 * KINDS.len() as u64 - accepted, Ordering::Relaxed);
            }
            // It fails when the server is gone.
            tcp.write_all("<13>main\n<13>none\n<13>siem\n".repeat(30).as_bytes()).ok();
        }
    }
}

#[test]
fn it_closes_after_every_kill_and_has_what_was_acknowledged() {
    let mut server = Server::start(&router(nowhere()));
    let (accepted, dropped) = (AtomicU64::new(0), AtomicU64::new(0));
    for round in 1..=6 {
        let stopping = AtomicBool::new(false);
        thread::scope(|scope| {
            let senders =
                Senders { server: &server, accepted: &accepted, dropped: &dropped, stopping: &stopping };
            scope.spawn(move || senders.run());
            let enough = round * 2000;
            wait_until("some are acknowledged", || enough < accepted.load(Ordering::Relaxed));
            assert!(support::signal("KILL", server.pid()));
            stopping.store(true, Ordering::Relaxed);
        });
        server.restart();
        assert_closed(&server);
        let answer = flow(&server);
        let total = &answer["total"];
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let kept = number(&total["stored"]) + number(&total["forwarded"]);
        assert!(accepted.load(Ordering::Relaxed) <= kept, "round {round}: {total}");
        assert!(
            dropped.load(Ordering::Relaxed) <= number(&total["dropped"]["no_route"]),
            "round {round}: {total}"
        );
        let count = |logspace: &str| {
            let (_, answer) = server.post("/count", &json!({ "query": "*", "logspaces": [logspace] }));
            answer["count"].as_u64().unwrap()
        };
        assert_eq!(number(&total["stored_in"]["main"]), count("main"), "round {round}");
        let copied = number(&total["stored_in"]["second"]);
        assert!(copied <= count("second"), "round {round}: it has mostly copies");
    }
}

/// A sender may forget messages once they are accepted. By then it must be on disk that a destination did not get
/// them, whether or not a logspace has them.
#[test]
fn what_a_full_queue_drops_is_known_after_a_kill_right_behind_the_answer() {
    for to in ["\"siem\"", "\"main\", \"siem\""] {
        let router = router(nowhere())
            .replace("framing = \"newline\"", "framing = \"newline\"\nqueue = { size = \"1MiB\" }")
            .replace(
                "where = \"message:siem\"\nto = [\"siem\"]",
                &format!("where = \"siem\"\nflow_control = false\nto = [{to}]"),
            );
        let mut server = Server::start(&router);
        let noise = |number: u64| (0..2000).map(|word| format!("{:x} ", word * number)).collect::<String>();
        let siem = |server: &Server| {
            let flow = flow(server);
            let rows = flow["destinations"].as_array().unwrap();
            rows.iter().find(|row| row["id"] == "siem").cloned().unwrap_or_default()
        };
        let dropped = |row: &Value| row["dropped"]["queue_full"].as_u64().unwrap_or(0);
        let mut accepted = 0;
        while dropped(&siem(&server)) == 0 {
            accepted += server.ingest(&format!("siem {}\n", noise(accepted)).repeat(20));
        }
        for _ in 0..3 {
            accepted += server.ingest(&"siem\n".repeat(1000));
            accepted += server.ingest(&"siem\n".repeat(1000));
            server.kill_and_restart();
            let row = siem(&server);
            let known = row["waiting"].as_u64().unwrap() + dropped(&row);
            assert_eq!((known, &row["remainder"]), (accepted, &json!(0)), "{row}");
            let total = flow(&server)["total"].clone();
            assert_eq!((&total["received"], &total["remainder"]), (&json!(accepted), &json!(0)), "{total}");
        }
    }
}

#[test]
fn it_closes_when_the_disk_is_full() {
    let (folder, mounted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = SmallDisk::mount(mounted.path());
    let settings = ["memory.source_queue_max=1MiB", "storage.journal_file_max=1MiB"];
    let mut server = Server::start_in(folder, mounted.path().join("data"), &router(nowhere()), &settings);
    for round in 0..2 {
        assert_eq!(server.ingest(&lines(10)), 40);
        disk.fill();
        wait_until("messages are refused", || server.try_ingest("main\n").is_err());
        assert_closed(&server);
        assert!(0 < flow(&server)["total"]["dropped"]["refused"].as_u64().unwrap(), "round {round}");
        server.kill_and_restart();
        assert_closed(&server);
        disk.free();
        wait_until("more is taken", || server.ready().0 == 200);
    }
    assert_eq!(server.ingest(&lines(10)), 40);
    assert_closed(&server);
    assert_eq!(
        flow(&server)["total"]["stored"].as_u64(),
        Some(server.count("message:main") + server.count("message:both"))
    );
}

/// The datagrams that were received do not reveal that later ones were dropped.
#[test]
fn what_the_kernel_drops_in_the_moment_of_a_stop_is_in_the_ledger() {
    const SENT: u64 = 100_000;
    let mut server = Server::start(support::ROUTER);
    let (udp, socket) = (server.address("udp"), std::net::UdpSocket::bind("127.0.0.1:0").unwrap());
    assert!(support::signal("STOP", server.pid()));
    // This is more than any socket buffers.
    let datagram = [b"<13>".to_vec(), vec![b'x'; 1000]].concat();
    (0..SENT).for_each(|_| assert_eq!(socket.send_to(&datagram, udp).unwrap(), datagram.len()));
    assert!(support::signal("TERM", server.pid()) && support::signal("CONT", server.pid()));
    assert!(server.ended().success());
    server.restart();
    let answer = flow(&server);
    let lost = answer["total"]["lost_before"]["socket_buffer_full"].as_u64().unwrap_or(0);
    assert!(0 < lost && server.count("*") + lost == SENT, "{lost} of {SENT}: {answer}");
}
