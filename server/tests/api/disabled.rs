//! Sources and destinations that are disabled in the router document, and enabled again.
//!
//! Keywords: enabled = false, disable source, disable destination.

use crate::support;

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use support::{Server, books, free_port, wait_until};

/// A document that stores messages received over TCP and forwards those received over HTTP, with additional keys for
/// the source and the destination.
fn router([tcp, siem]: [u16; 2], of_tcp: &str, of_siem: &str) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n\
         [[sources]]\nid = \"tcp\"\nkind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:{tcp}\"]\n{of_tcp}\n\
         [[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:{siem}\"\nformat = \"raw\"\n\
         framing = \"newline\"\n{of_siem}\n\
         [[routes]]\nid = \"stored\"\nfrom = [\"tcp\"]\nto = [\"main\", \"siem\"]\n\
         [[routes]]\nid = \"forwarded\"\nfrom = [\"http\"]\nto = [\"siem\"]\n"
    )
}

const OFF: &str = "enabled = false";

fn apply(server: &Server, document: &str) -> Vec<String> {
    let (status, answer) = server.put_router(document);
    assert_eq!(status, 200, "{answer}");
    let warnings = answer["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["message"].as_str().unwrap().to_owned()).collect()
}

fn send(port: u16, text: &str) -> std::io::Result<()> {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port))?.write_all(format!("<13>{text}\n").as_bytes())
}

#[test]
fn a_source_that_is_off_refuses_its_senders_and_comes_back() {
    let ports = [free_port(), free_port()];
    let server = Server::start(&router(ports, "", ""));
    send(ports[0], "before").unwrap();
    server.wait_for("before", 1);
    let mut open = TcpStream::connect((Ipv4Addr::LOCALHOST, ports[0])).unwrap();
    open.write_all(b"<13>still open\n").unwrap();
    server.wait_for("still", 1);

    apply(&server, &router(ports, OFF, ""));
    send(ports[0], "refused").unwrap_err();
    // An open connection is closed.
    assert_eq!(std::io::Read::read(&mut open, &mut [0]).unwrap_or(0), 0);
    let source = server.source("tcp");
    assert_eq!(source["enabled"], false);
    assert_eq!((&source["messages"], &source["listeners"]), (&2.into(), &serde_json::json!([])));
    assert_eq!(server.ready().0, 200);
    // The port is free for others.
    drop(TcpListener::bind((Ipv4Addr::LOCALHOST, ports[0])).unwrap());

    apply(&server, &router(ports, "", ""));
    send(ports[0], "after").unwrap();
    server.wait_for("after", 1);
    assert_eq!(server.source("tcp")["messages"], 3);
    assert_eq!(server.count("refused"), 0);
}

#[test]
fn an_http_source_that_is_off_asks_its_senders_to_come_again() {
    let ports = [free_port(), free_port()];
    let server = Server::start(&router(ports, "", ""));
    let off = router(ports, "", "").replace("kind = \"http\"", &format!("kind = \"http\"\n{OFF}"));
    apply(&server, &off);
    let refused = server.try_ingest("one\n").unwrap_err();
    assert!(refused.contains("source `http` is disabled"), "{refused}");
    apply(&server, &router(ports, "", ""));
    assert_eq!(server.try_ingest("two\n"), Ok(1));
}

#[test]
fn a_destination_that_is_off_takes_nothing_new_and_keeps_its_queue() {
    let ports = [free_port(), free_port()];
    let mut server = Server::start(&router(ports, "", ""));
    assert_eq!(server.ingest("first\nsecond\n"), 2);
    wait_until("it is known to be away", || server.status()["destinations"][0]["state"] == "retrying");
    assert!(server.status()["destinations"][0]["failing_since"].is_string());

    let warnings = apply(&server, &router(ports, "", OFF));
    let expected = [
        "destination `siem`: it is disabled, so messages that route `stored` would send to it are not queued",
        "route `forwarded`: messages that no other route takes are dropped, because its destination `siem` is disabled",
    ];
    assert!(expected.iter().all(|one| warnings.iter().any(|warning| warning == one)), "{warnings:?}");
    // Messages that also go to a logspace are stored; those that go only to this destination are dropped, and that is
    // reported.
    send(ports[0], "stored").unwrap();
    server.wait_for("stored", 1);
    let (status, taken) = server.call("POST", "/ingest", &[("Content-Type", "text/plain")], b"missed\n");
    assert_eq!((status, &taken["accepted"], &taken["dropped"]), (200, &0.into(), &1.into()));
    assert_eq!(books::flow(&server)["total"]["dropped"], serde_json::json!({ "destination_disabled": 1 }));
    let (status, refused) = server.post("/destinations/siem/replay", &serde_json::json!({ "query": "*" }));
    assert_eq!(status, 409, "{refused}");

    server.kill_and_restart();
    let siem = server.status()["destinations"][0].clone();
    assert_eq!((&siem["state"], &siem["queue_messages"]), (&"disabled".into(), &2.into()));
    books::assert_closed(&server);

    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, ports[1])).unwrap();
    apply(&server, &router(ports, "", ""));
    assert_eq!(server.ingest("third\n"), 1);
    let lines = BufReader::new(listener.accept().unwrap().0).lines().map(Result::unwrap);
    assert_eq!(lines.take(3).collect::<Vec<_>>(), ["first", "second", "third"]);
    wait_until("the queue is empty", || server.status()["destinations"][0]["queue_messages"] == 0);
    books::assert_closed(&server);
}
