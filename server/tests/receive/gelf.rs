//! A GELF source: all messages in datagrams, chunks and streams arrive, each once.
//!
//! Keywords: GELF, chunks, UDP, zlib.

use crate::support;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::Write;
use support::Server;

const ROUTER: &str = "version = 1\n[[sources]]\nid = \"gelf\"\nkind = \"gelf\"\n\
    listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]\n[[logspaces]]\nid = \"main\"\n\
    [[routes]]\nid = \"default\"\nto = [\"main\"]\n";

fn message(host: &str, text: &str) -> Vec<u8> {
    serde_json::json!({
        "version": "1.1", "host": host, "short_message": text, "timestamp": 1_700_000_000.25, "level": 4,
        "_app": "shop", "_user": "ann",
    })
    .to_string()
    .into_bytes()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

/// A message in chunks of this length.
fn chunks(id: u8, message: &[u8], bytes: usize) -> Vec<Vec<u8>> {
    let parts: Vec<&[u8]> = message.chunks(bytes).collect();
    let head = |number: usize| [&b"\x1e\x0f"[..], &[id; 8], &[number as u8, parts.len() as u8]].concat();
    parts.iter().enumerate().map(|(number, part)| [&head(number), *part].concat()).collect()
}

#[test]
fn datagrams_are_messages_however_they_are_packed_and_cut() {
    let server = Server::start(ROUTER);
    let long = "long ".repeat(20_000);
    let mut datagrams =
        vec![message("plain", "one"), gzip(&message("gzip", "two")), zlib(&message("zlib", "three"))];
    // The chunks come in any order, and one of them twice.
    let mut cut = chunks(1, &message("chunked", &long), 1400);
    cut.reverse();
    cut.push(cut[3].clone());
    datagrams.extend(cut);
    datagrams.extend(chunks(2, &gzip(&message("both", &long)), 100));
    datagrams.push(b"not GELF at all".to_vec());
    server.send_udp(&datagrams.iter().map(Vec::as_slice).collect::<Vec<_>>());
    server.wait_for("*", 6);
    for (host, text) in
        [("plain", "one"), ("gzip", "two"), ("zlib", "three"), ("chunked", &long), ("both", &long)]
    {
        let found = server.search(&format!("host={host}"));
        assert_eq!((found.len(), found[0]["message"].as_str()), (1, Some(text)), "{host}");
        assert_eq!(found[0]["time"], "2023-11-14T22:13:20.250Z");
        assert_eq!((&found[0]["program"], &found[0]["severity_name"]), (&"shop".into(), &"warning".into()));
        assert_eq!(found[0]["fields"]["user"], "ann");
    }
    assert_eq!(server.search("flag=unparsed")[0]["raw"], "not GELF at all");
}

#[test]
fn of_a_message_that_lacks_a_chunk_the_rest_is_stored_when_the_server_stops() {
    let mut server = Server::start(ROUTER);
    let cut = chunks(1, &message("chunked", "text"), 20);
    let all_but_one: Vec<&[u8]> = cut.iter().skip(1).map(Vec::as_slice).collect();
    server.send_udp(&all_but_one);
    // A later datagram on the same socket has been read, so the chunks have been read as well.
    server.send_udp(&[&message("plain", "behind")]);
    server.wait_for("host=plain", 1);
    assert!(server.terminate().success());
    server.restart();
    let incomplete = server.search("flag=incomplete");
    let expected: Vec<u8> = all_but_one.iter().flat_map(|chunk| chunk[12..].to_vec()).collect();
    assert_eq!((incomplete.len(), incomplete[0]["raw"].as_str().unwrap().as_bytes()), (1, &expected[..]));
}

#[test]
fn a_stream_is_messages_with_nul_between_them() {
    let server = Server::start(ROUTER);
    let mut stream = Vec::new();
    for number in 0..1000 {
        stream.extend_from_slice(&message("stream", &format!("number {number}\nof \"many\"")));
        stream.push(0);
    }
    server.send(&stream);
    server.wait_for("host=stream", 1000);
    let mut found: Vec<String> =
        server.search("*").iter().map(|found| found["message"].to_string()).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 1000);
}
