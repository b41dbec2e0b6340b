//! The firewall of pfSense and OPNsense, program `filterlog`: columns separated by commas, whose names depend on the
//! version of IP and on the protocol. An empty column is not a field.

use super::super::fields::FieldWriter;

const COMMON: [&str; 9] =
    ["rule", "subrule", "anchor", "tracker", "interface", "reason", "action", "direction", "ip_version"];
const V4: [&str; 11] =
    ["tos", "ecn", "ttl", "id", "offset", "ip_flags", "proto_id", "proto", "length", "src", "dst"];
const V6: [&str; 8] = ["class", "flow_label", "hop_limit", "proto", "proto_id", "length", "src", "dst"];
const TCP: [&str; 9] =
    ["sport", "dport", "data_length", "tcp_flags", "sequence", "ack", "window", "urgent", "options"];
const UDP: [&str; 3] = ["sport", "dport", "data_length"];

/// Reads a line; `None` if the text is not one.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let mut columns = text.split(|&byte| byte == b',');
    let common: Vec<&[u8]> = columns.by_ref().take(COMMON.len()).collect();
    let is_number = |value: &[u8]| !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    if common.len() != COMMON.len() || !is_number(common[0]) {
        return None;
    }
    let (names, proto_at): (&[&str], _) = match common[8] {
        b"4" => (&V4, 7),
        b"6" => (&V6, 3),
        _ => return None,
    };
    add(&COMMON, &common, fields);
    let of_version: Vec<&[u8]> = columns.by_ref().take(names.len()).collect();
    add(names, &of_version, fields);
    let of_protocol: &[&str] = match of_version.get(proto_at).copied().unwrap_or_default() {
        proto if proto.eq_ignore_ascii_case(b"tcp") => &TCP,
        proto if proto.eq_ignore_ascii_case(b"udp") => &UDP,
        _ => &[],
    };
    add(of_protocol, &columns.take(of_protocol.len()).collect::<Vec<_>>(), fields);
    Some(())
}

fn add(names: &[&str], values: &[&[u8]], fields: &mut FieldWriter<'_>) {
    for (name, value) in names.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
        fields.add(name.as_bytes(), value);
    }
}
