//! The `logger` of util-linux, which scripts use: its formats and transports.
//!
//! Keywords: logger, RFC 3164, RFC 5424.

use crate::numbered::{each_arrives_once, text};
use crate::program::{program, run};
use crate::receiving;
use crate::support::Server;
use serde_json::{Value, json};

/// Sends numbered lines with these options, waits until all have arrived, and returns one of them.
fn check(listen: &str, options: &[&str], messages: u64) -> Value {
    let server = Server::start(&receiving("syslog", listen, ""));
    let url = server.listener();
    let target = match url.split_once("://") {
        Some((_, address)) => {
            let (address, port) = address.rsplit_once(':').unwrap();
            ["--server", address, "--port", port].map(str::to_owned).to_vec()
        }
        None => ["--socket", url.split_once(':').unwrap().1].map(str::to_owned).to_vec(),
    };
    let lines: String = (0..messages).map(|number| text(0, number) + "\n").collect();
    let mut command = program("logger", "bsdutils");
    command.args(target).args(options).args(["--tag", "app", "--id=77", "--priority", "local3.warning"]);
    let output = run(&mut command, lines.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    each_arrives_once(&server, 1, 0..messages);
    let message = server.search("seq").remove(0);
    assert_eq!(
        (&message["program"], &message["pid"], &message["severity_name"], &message["facility_name"]),
        (&json!("app"), &json!("77"), &json!("warning"), &json!("local3")),
        "{message}"
    );
    assert_eq!(message["flags"], json!([]), "{message}");
    message
}

/// The name that `logger` puts into its messages.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    name.trim().split('.').next().unwrap().to_owned()
}

#[test]
fn lines_over_tcp() {
    assert_eq!(check("tcp://127.0.0.1:0", &["--tcp"], 2000)["host"], host());
}

#[test]
fn counted_rfc5424_with_structured_data_over_tcp() {
    let data = ["--msgid", "ID7", "--sd-id", "x@1", "--sd-param", "user=\"ana\""];
    let options = [&["--tcp", "--octet-count", "--rfc5424"], &data[..]].concat();
    let message = check("tcp://127.0.0.1:0", &options, 2000);
    assert_eq!((&message["msgid"], &message["fields"]["x@1.user"]), (&json!("ID7"), &json!("ana")));
    assert_eq!(message["fields"]["timeQuality.tzKnown"], "1");
    assert_eq!(message["host"], host());
}

#[test]
fn datagrams_in_both_formats_over_udp() {
    for format in ["--rfc5424", "--rfc3164"] {
        assert_eq!(check("udp://127.0.0.1:0", &["--udp", format], 100)["host"], host());
    }
}

#[test]
fn both_kinds_of_unix_sockets() {
    let stream = check("unix-stream:run/log.sock", &["--tcp"], 1000);
    let datagram = check("unix-dgram:run/log.sock", &["--udp"], 1000);
    // In its local format, the sender does not name its host, which can only be this one.
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    for message in [stream, datagram] {
        assert_eq!((&message["host"], &message["peer"]), (&json!(name.trim()), &json!("")), "{message}");
    }
}
