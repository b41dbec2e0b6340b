//! The registry of senders: the data about each host, the detection of silent ones, and the correction of a zone.
//!
//! Keywords: silent host, last seen, clock skew, sender registry.

use crate::support;

use serde_json::{Value, json};
use std::time::{Duration, SystemTime};
use support::{ROUTER, Server, wait_until};

/// A message as a device writes it, in a zone this many hours east of UTC.
fn line(host: &str, hours_east: i64, text: &str) -> String {
    let now = SystemTime::now() + Duration::from_secs(3600) * u32::try_from(hours_east).unwrap();
    let stamp = jiff::Timestamp::try_from(now).unwrap().strftime("%b %e %H:%M:%S").to_string();
    format!("<13>{stamp} {host} app: {text}\n")
}

fn senders(server: &Server, parameters: &str) -> Value {
    let (status, told) = server.call("GET", &format!("/senders{parameters}"), &[], b"");
    assert_eq!(status, 200, "{told}");
    told
}

/// The registered data about a host.
fn sender(server: &Server, host: &str) -> Value {
    let told = senders(server, &format!("?query={host}"));
    told["senders"][0].clone()
}

#[test]
fn each_host_that_sends_is_known_also_after_a_restart() {
    let mut server = Server::start(ROUTER);
    for _ in 0..5 {
        server.send(line("edge-1", 0, "hello").as_bytes());
    }
    server.send_udp(&[b"<13>1 2026-11-20T10:00:00Z edge-2 app - - - late", b"nothing that anybody knows"]);
    server.ingest("over HTTP\n");
    wait_until("all are counted", || senders(&server, "")["total"] == 4);
    let edge = sender(&server, "edge-1");
    for (key, expected) in [
        ("source", json!("syslog")),
        ("protocol", json!("tcp")),
        ("address", json!("127.0.0.1")),
        ("messages", json!(5)),
        ("unparsed", json!(0)),
        ("silent", json!(false)),
        ("new", json!(false)),
        ("skewed", json!(false)),
    ] {
        assert_eq!(edge[key], expected, "{key} of {edge}");
    }
    let late = sender(&server, "edge-2");
    assert_eq!((&late["protocol"], &late["skewed"]), (&json!("udp"), &json!(true)));
    // A message without a host belongs to its address.
    let told = senders(&server, "?query=127.0.0.1");
    let unparsed: Vec<&Value> =
        told["senders"].as_array().unwrap().iter().filter(|sender| sender["unparsed"] == 1).collect();
    assert_eq!(unparsed.len(), 1, "{told}");
    assert_eq!(senders(&server, "?from=-1h&limit=1")["senders"].as_array().unwrap().len(), 1);
    assert_eq!(senders(&server, "?to=-1h")["total"], 0);
    for (wrong, refused) in
        [("?limit=0", 422), ("?limit=10001", 422), ("?from=yesterdayish", 422), ("?limit=x", 400)]
    {
        assert_eq!(server.call("GET", &format!("/senders{wrong}"), &[], b"").0, refused, "{wrong}");
    }

    assert!(server.terminate().success());
    server.restart();
    let after = sender(&server, "edge-1");
    assert_eq!((&after["messages"], &after["first_seen"]), (&edge["messages"], &edge["first_seen"]));

    assert_eq!(server.call("DELETE", "/senders/syslog/edge-2", &[], b"").0, 204);
    assert_eq!(server.call("DELETE", "/senders/syslog/edge-2", &[], b"").0, 404);
    assert_eq!(senders(&server, "?query=edge")["total"], 1);
    assert_eq!(server.count("host=edge-2"), 1, "its messages stay");
}

#[test]
fn a_sender_that_stops_against_its_habit_is_silent() {
    let server = Server::start_with(ROUTER, &["senders.silent_after=1s"]);
    let mut regular = server.tcp();
    let mut say =
        |host: &str| std::io::Write::write_all(&mut regular, line(host, 0, "tick").as_bytes()).unwrap();
    for _ in 0..20 {
        say("regular");
        say("steady");
    }
    wait_until("the one that stopped is silent", || {
        say("steady");
        sender(&server, "regular")["silent"] == true
    });
    assert_eq!(sender(&server, "steady")["silent"], false);
    let told = senders(&server, "");
    assert_eq!(told["silent"], 1);
    say("regular");
    wait_until("it is back", || sender(&server, "regular")["silent"] == false);
}

#[test]
fn a_zone_that_is_wrong_is_seen_and_set_right_by_a_revision() {
    let server = Server::start(ROUTER);
    let ahead: String = (0..20).map(|_| line("helsinki", 2, "two hours ahead")).collect();
    server.send(ahead.as_bytes());
    wait_until("its zone is guessed", || sender(&server, "helsinki")["zone"]["of"] == 20);
    let zone = sender(&server, "helsinki")["zone"].clone();
    assert_eq!((&zone["guess"], &zone["messages"]), (&json!("+02:00"), &json!(20)));

    let path = "/senders/syslog/helsinki/timezone";
    let put = |path: &str, zone: Value| {
        server.call(
            "PUT",
            path,
            &[("content-type", "application/json")],
            json!({ "timezone": zone }).to_string().as_bytes(),
        )
    };
    let (status, change) = put(path, json!("+02:00"));
    assert_eq!((status, &change["revision"]), (200, &json!(2)), "{change}");
    server.send(line("helsinki", 2, "now right").as_bytes());
    server.wait_for("\"now right\"", 1);
    let (status, told) = server.call("GET", "/senders/syslog/helsinki/frames?limit=2", &[], b"");
    assert_eq!(status, 200, "{told}");
    let frames = told["frames"].as_array().unwrap();
    assert_eq!((frames.len(), &frames[0]["recognised"]), (2, &json!("rfc3164")));
    assert_eq!(frames[0]["fields"]["message"], "now right");
    let seconds = |time: &Value| time.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
    let off = |frame: &Value| seconds(&frame["device_time"]) - seconds(&frame["received"]);
    assert!(off(&frames[0]).abs() < 60 && 7000 < off(&frames[1]), "{told}");
    wait_until("no zone is guessed any more", || sender(&server, "helsinki").get("zone").is_none());

    // The zone is set again and then removed: there is one entry, then none.
    assert_eq!(put(path, json!("Europe/Helsinki")).0, 200);
    let (_, document) = server.call("GET", "/router", &[], b"");
    assert_eq!(document["sources"][0]["timezones"], json!(["helsinki=Europe/Helsinki"]), "{document}");
    assert_eq!(put(path, Value::Null).0, 200);
    let (_, document) = server.call("GET", "/router", &[], b"");
    assert!(document["sources"][0].get("timezones").is_none(), "{document}");
    for (path, zone, status) in [
        (path, json!("Mars/Olympus"), 422),
        (path, json!(""), 422),
        (path, json!("+25:00"), 422),
        ("/senders/nothing/helsinki/timezone", json!("UTC"), 404),
        ("/senders/http/helsinki/timezone", json!("UTC"), 422),
        ("/senders/syslog/a=b/timezone", json!("UTC"), 422),
    ] {
        assert_eq!(put(path, zone.clone()).0, status, "{path} {zone}");
    }
}

#[test]
fn names_that_were_invented_are_forgotten_together() {
    let server = Server::start(ROUTER);
    for number in 0..30 {
        server.send(line(&format!("invented-{number}"), 0, "once").as_bytes());
    }
    server.send(line("edge-1", 0, "hello").as_bytes());
    wait_until("all are counted", || senders(&server, "")["total"] == 31);
    let forget = |parameters: &str| server.call("DELETE", &format!("/senders{parameters}"), &[], b"");
    assert_eq!(forget("").0, 422);
    assert_eq!(forget("?query=Invented"), (200, json!({"senders": 30})));
    assert_eq!(senders(&server, "")["total"], 1);
    assert_eq!(forget("?once=true"), (200, json!({"senders": 1})));
}

/// Names that occurred only once are removed first for the address with the most of them, however recent they are.
#[test]
fn a_flood_of_names_from_one_address_leaves_the_few_of_another() {
    let server = Server::start(ROUTER);
    let line =
        |host: &str, number: usize| format!("<13>1 2026-11-20T10:00:00Z {host}-{number} app - - - m\n");
    let few = std::net::UdpSocket::bind("127.0.0.2:0").unwrap();
    for number in 0..20 {
        few.send_to(line("few", number).as_bytes(), server.address("udp")).unwrap();
    }
    wait_until("the few are known", || senders(&server, "?query=few")["total"] == 20);
    for part in 0..14 {
        let names: String = (0..1000).map(|number| line("invented", part * 1000 + number)).collect();
        server.send(names.as_bytes());
        server.wait_for("*", 20 + (part as u64 + 1) * 1000);
    }
    assert!(0 < senders(&server, "")["left_out"].as_u64().unwrap(), "{}", senders(&server, "")["left_out"]);
    assert_eq!(senders(&server, "?query=few")["total"], 20);
}

#[test]
fn every_value_of_a_field_that_is_repeated_in_a_frame_is_shown() {
    let server = Server::start(ROUTER);
    server.send(b"<13>1 2026-11-20T10:00:00Z edge app - - [a@1 x=\"1\" y=\"3\" x=\"2\"] m\n");
    server.wait_for("host:edge", 1);
    let (_, told) = server.call("GET", "/senders/syslog/edge/frames", &[], b"");
    let fields = told["frames"][0]["fields"].as_object().unwrap();
    let value = |end: &str| fields.iter().find(|(name, _)| name.ends_with(end)).unwrap().1.clone();
    assert_eq!((value("x"), value("y")), (json!(["1", "2"]), json!("3")), "{told}");
}
