//! The ledger of a server, compared with its stored messages.

use super::{Server, wait_until};
use serde_json::Value;

/// The ledger of the last hour.
pub fn flow(server: &Server) -> Value {
    let (status, flow) = server.call("GET", "/flow", &[], b"");
    assert_eq!(status, 200, "{flow}");
    flow
}

/// Checks that nothing is in progress and that the ledger adds up: for each source, for each destination, and with
/// the contents of the queues.
pub fn assert_closed(server: &Server) {
    wait_until("nothing is in flight", || flow(server)["total"]["in_flight"] == 0);
    let flow = flow(server);
    let number = |of: &Value, name: &str| of[name].as_u64().unwrap_or_else(|| panic!("{name} in {of}"));
    let sum = |of: &Value| of.as_object().unwrap().values().map(|value| value.as_u64().unwrap()).sum::<u64>();
    for row in flow["rows"].as_array().unwrap() {
        assert_ne!(row["source"], "?", "every message can be read: {row}");
        assert_eq!(row["remainder"], 0, "{row}");
        let fates = ["stored", "forwarded", "unacknowledged", "in_flight"].map(|name| number(row, name));
        assert_eq!(number(row, "received"), fates.iter().sum::<u64>() + sum(&row["dropped"]), "{row}");
    }
    let status = server.status();
    for row in flow["destinations"].as_array().unwrap() {
        assert_eq!(row["remainder"], 0, "{row}");
        let fates = ["delivered", "quarantined", "waiting"].map(|name| number(row, name)).iter().sum::<u64>();
        let came = number(row, "waiting_before") + number(row, "queued");
        assert_eq!(came, fates + sum(&row["dropped"]), "{row}");
    }
    for destination in status["destinations"].as_array().unwrap() {
        let rows = flow["destinations"].as_array().unwrap();
        let row =
            rows.iter().find(|row| row["id"] == destination["id"]).expect("every destination has an account");
        // Some may have been delivered between the two requests.
        let waiting = number(row, "waiting");
        assert!(number(destination, "queue_messages") <= waiting, "{row} {destination}");
    }
}
