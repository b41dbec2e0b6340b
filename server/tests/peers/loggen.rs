//! The load generator of syslog-ng: many messages over every transport, each exactly once.
//!
//! Keywords: loggen, RELP.

use crate::certificates::Authority;
use crate::numbered::each_arrives_once;
use crate::program::{program, run};
use crate::receiving;
use crate::support::Server;
use serde_json::Value;

/// One run of `loggen`.
struct Load<'a> {
    listen: &'a str,
    /// Additional keys of the source.
    keys: &'a str,
    options: &'a [&'a str],
    connections: u64,
    /// The number of messages of each connection.
    messages: u64,
}

/// Sends the load, waits until all of it has arrived, and returns one message.
fn check(load: &Load<'_>) -> Value {
    let server = Server::start(&receiving("syslog", load.listen, load.keys));
    send(&server, load);
    each_arrives_once(&server, load.connections, 0..load.messages);
    server.search("seq").remove(0)
}

fn send(server: &Server, load: &Load<'_>) {
    let (connections, messages) = (load.connections.to_string(), load.messages.to_string());
    let mut command = program("loggen", "syslog-ng-core");
    command.args(load.options).args(["--active-connections", &connections, "--number", &messages]);
    let output = run(command.args(["--interval", "30"]).args(target(&server.listener())), b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("count="), "{said}");
}

/// The target as arguments of `loggen`: an address and a port, or a path.
fn target(url: &str) -> Vec<&str> {
    match url.split_once("://") {
        Some((_, address)) => address.rsplitn(2, ':').collect::<Vec<_>>().into_iter().rev().collect(),
        None => vec![url.split_once(':').unwrap().1],
    }
}

/// Checks the fields that every message of `loggen` has.
fn assert_read_rightly(message: &Value) {
    let text = |name: &str| message[name].as_str().unwrap();
    assert_eq!((text("host"), text("program"), text("pid")), ("localhost", "prg00000", "1234"));
    assert_eq!((text("severity_name"), text("facility_name")), ("info", "auth"));
    let (_, stamp) = text("message").split_once("stamp: ").unwrap();
    assert_eq!(text("time"), format!("{}Z", stamp.split(' ').next().unwrap()));
    assert!(text("message").contains("PADD"), "{message}");
    assert_eq!(message["flags"], serde_json::json!([]));
}

#[test]
fn lines_over_tcp() {
    let listen = "tcp://127.0.0.1:0";
    let options = ["--inet", "--stream", "--rate", "100000"];
    let message = check(&Load { listen, keys: "", options: &options, connections: 1, messages: 9000 });
    assert_read_rightly(&message);
    assert_eq!(message["peer"], "127.0.0.1");
}

#[test]
fn many_connections_over_tcp() {
    let listen = "tcp://127.0.0.1:0";
    let options = ["--inet", "--stream", "--rate", "100000"];
    check(&Load { listen, keys: "", options: &options, connections: 50, messages: 180 });
}

#[test]
fn counted_rfc5424_with_structured_data_over_tcp() {
    let listen = "tcp://127.0.0.1:0";
    let options = ["--inet", "--stream", "--syslog-proto", "--sdata", "[x@1 a=\"b\"]", "--rate", "100000"];
    let message = check(&Load { listen, keys: "", options: &options, connections: 4, messages: 2000 });
    assert_read_rightly(&message);
    assert_eq!(message["fields"]["x@1.a"], "b");
}

#[test]
fn rfc5424_lines_over_tcp() {
    let listen = "tcp://127.0.0.1:0";
    let options = ["--inet", "--stream", "--syslog-proto", "--no-framing", "--rate", "100000"];
    assert_read_rightly(&check(&Load {
        listen,
        keys: "",
        options: &options,
        connections: 1,
        messages: 5000,
    }));
}

#[test]
fn datagrams_over_udp() {
    let listen = "udp://127.0.0.1:0";
    let options = ["--inet", "--dgram", "--rate", "1000"];
    assert_read_rightly(&check(&Load {
        listen,
        keys: "",
        options: &options,
        connections: 1,
        messages: 1500,
    }));
}

#[test]
fn lines_and_counted_messages_inside_tls() {
    let folder = tempfile::tempdir().unwrap();
    let own = Authority::new(folder.path(), "authority").sign("localhost");
    let keys = format!("tls = {{ certificate = \"{}\", key = \"{}\" }}", own.certificate, own.key);
    let listen = "tls://127.0.0.1:0";
    for format in [&[][..], &["--syslog-proto"], &["--syslog-proto", "--no-framing"]] {
        let options = [&["--use-ssl", "--rate", "100000"], format].concat();
        let load = Load { listen, keys: &keys, options: &options, connections: 5, messages: 1500 };
        assert_read_rightly(&check(&load));
    }
}

#[test]
fn lines_over_a_unix_socket() {
    let options = ["--unix", "--stream", "--rate", "100000"];
    let load = Load {
        listen: "unix-stream:run/log.sock",
        keys: "",
        options: &options,
        connections: 3,
        messages: 3000,
    };
    assert_read_rightly(&check(&load));
}

#[test]
fn datagrams_over_a_unix_socket() {
    let options = ["--unix", "--dgram", "--rate", "100000"];
    let load = Load {
        listen: "unix-dgram:run/log.sock",
        keys: "",
        options: &options,
        connections: 1,
        messages: 5000,
    };
    assert_read_rightly(&check(&load));
}

#[test]
fn connections_through_a_proxy_are_of_who_is_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let own = Authority::new(folder.path(), "authority").sign("localhost");
    let tls = format!("tls = {{ certificate = \"{}\", key = \"{}\" }}", own.certificate, own.key);
    let proxied = ["--proxied", "--proxy-src-ip", "192.0.2.7", "--rate", "100000"];
    for (listen, tls, options) in [
        ("tcp://127.0.0.1:0", "", ["--inet", "--stream"]),
        ("tls://127.0.0.1:0", &tls, ["--use-ssl", "--proxied-tls-passthrough"]),
    ] {
        let keys = format!("proxy_protocol = [\"127.0.0.0/8\"]\n{tls}");
        let server = Server::start(&receiving("syslog", listen, &keys));
        let options = [&proxied[..], &options].concat();
        send(&server, &Load { listen, keys: &keys, options: &options, connections: 2, messages: 1000 });
        // The PROXY header counts as the first message of the sender. With TLS, it is inside the encrypted stream,
        // where it is not expected.
        each_arrives_once(&server, 2, 1..1000);
        assert_eq!(server.count("peer=192.0.2.7 seq"), 1998);
    }
}
