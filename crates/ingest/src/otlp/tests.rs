//! Both encodings of a request give the same rows.

use super::*;
use crate::batches::{Batches, BodySender};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use logstead_record::{Batch, Timestamp};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

const RECEIVED: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);

fn number(number: u64, out: &mut Vec<u8>) {
    crate::protobuf::tests::number(number, out);
}

fn field(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
    crate::protobuf::tests::bytes(field, bytes, out);
}

/// Converts a request in JSON to protobuf: enum names become numbers.
fn to_protobuf(request: &Json) -> Vec<u8> {
    let mut out = Vec::new();
    for resource_logs in list(request, "resourceLogs") {
        let mut of_resource = Vec::new();
        for scope_logs in list(resource_logs, "scopeLogs") {
            let mut of_scope = Vec::new();
            for record in list(scope_logs, "logRecords") {
                field(2, &record_to_protobuf(record), &mut of_scope);
            }
            // The scope may come after its records.
            if let Some(scope) = scope_logs.get("scope") {
                let mut text = Vec::new();
                field(1, scope["name"].as_str().unwrap().as_bytes(), &mut text);
                field(2, scope["version"].as_str().unwrap().as_bytes(), &mut text);
                field(1, &text, &mut of_scope);
            }
            field(2, &of_scope, &mut of_resource);
        }
        if let Some(resource) = resource_logs.get("resource") {
            let mut text = Vec::new();
            attributes_to_protobuf(1, resource, &mut text);
            field(1, &text, &mut of_resource);
        }
        field(1, &of_resource, &mut out);
    }
    out
}

fn list<'j>(object: &'j Json, name: &str) -> &'j [Json] {
    object.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn attributes_to_protobuf(number: u64, object: &Json, out: &mut Vec<u8>) {
    list(object, "attributes").iter().for_each(|pair| field(number, &pair_to_protobuf(pair), out));
}

fn pair_to_protobuf(pair: &Json) -> Vec<u8> {
    let mut out = Vec::new();
    field(1, pair["key"].as_str().unwrap().as_bytes(), &mut out);
    if let Some(value) = pair.get("value") {
        field(2, &value_to_protobuf(value), &mut out);
    }
    out
}

fn value_to_protobuf(value: &Json) -> Vec<u8> {
    let mut out = Vec::new();
    let Some((kind, value)) = value.as_object().and_then(|value| value.iter().next()) else { return out };
    let mut inner = Vec::new();
    match kind.as_str() {
        "stringValue" => field(1, value.as_str().unwrap().as_bytes(), &mut out),
        "boolValue" => out.extend_from_slice(&[2 << 3, u8::from(value.as_bool().unwrap())]),
        "intValue" => {
            out.push(3 << 3);
            number(value.as_str().unwrap().parse::<i64>().unwrap().cast_unsigned(), &mut out);
        }
        "doubleValue" => {
            out.push(4 << 3 | 1);
            out.extend_from_slice(&value.as_f64().unwrap().to_le_bytes());
        }
        "arrayValue" => {
            list(value, "values").iter().for_each(|value| field(1, &value_to_protobuf(value), &mut inner));
            field(5, &inner, &mut out);
        }
        "kvlistValue" => {
            list(value, "values").iter().for_each(|pair| field(1, &pair_to_protobuf(pair), &mut inner));
            field(6, &inner, &mut out);
        }
        "bytesValue" => field(7, &STANDARD.decode(value.as_str().unwrap()).unwrap(), &mut out),
        kind => panic!("{kind}"),
    }
    out
}

fn record_to_protobuf(record: &Json) -> Vec<u8> {
    let mut out = Vec::new();
    let fixed = |name: &str| record.get(name).and_then(Json::as_str).map(|text| text.parse::<u64>().unwrap());
    let text = |name: &str| record.get(name).and_then(Json::as_str);
    if let Some(time) = fixed("timeUnixNano") {
        out.push(1 << 3 | 1);
        out.extend_from_slice(&time.to_le_bytes());
    }
    if let Some(severity) = record.get("severityNumber").and_then(Json::as_u64) {
        out.push(2 << 3);
        number(severity, &mut out);
    }
    if let Some(severity) = text("severityText") {
        field(3, severity.as_bytes(), &mut out);
    }
    if let Some(body) = record.get("body") {
        field(5, &value_to_protobuf(body), &mut out);
    }
    attributes_to_protobuf(6, record, &mut out);
    if let Some(flags) = record.get("flags").and_then(Json::as_u64) {
        out.push(8 << 3 | 5);
        out.extend_from_slice(&(flags as u32).to_le_bytes());
    }
    for (number, name) in [(9, "traceId"), (10, "spanId")] {
        if let Some(id) = text(name) {
            let digits: Vec<u8> =
                id.bytes().map(|digit| (digit as char).to_digit(16).unwrap() as u8).collect();
            let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
            field(number, &bytes, &mut out);
        }
    }
    if let Some(time) = fixed("observedTimeUnixNano") {
        out.push(11 << 3 | 1);
        out.extend_from_slice(&time.to_le_bytes());
    }
    if let Some(name) = text("eventName") {
        field(12, name.as_bytes(), &mut out);
    }
    out
}

fn read(body: &[u8], encoding: Encoding, messages_max: usize) -> Result<(Vec<Batch>, usize), BodyError> {
    let otlp = OtlpBody::of(body.to_vec(), encoding, "peer", messages_max)?;
    let sender = BodySender { source: "otlp".to_owned(), peer: "10.0.0.9".to_owned(), received: RECEIVED };
    let mut batches = Batches::of(otlp, sender);
    let all = std::iter::from_fn(|| (0 < batches.rest_bytes()).then(|| batches.next_batch())).collect();
    Ok((all, batches.refused))
}

/// A row of a batch as a text: `time host program pid msgid severity facility | message | name=value …`.
fn shown(batch: &Batch, row: usize) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let priority = batch.priority(row);
    let time = batch.own_time(row).map_or("-".to_owned(), |time| time.to_string());
    let severity = priority.map_or("-", |priority| priority.severity().name());
    let facility = priority.map_or("-", |priority| priority.facility().name());
    let columns = [batch.host(row), batch.program(row), batch.pid(row), batch.msgid(row)].map(text);
    let mut shown =
        format!("{time} {} {severity} {facility} | {} |", columns.join(" "), text(batch.message(row)));
    for (name, value) in batch.fields(row) {
        shown += &format!(" {}={}", text(name), text(value));
    }
    shown
}

fn rows(batches: &[Batch]) -> Vec<String> {
    batches.iter().flat_map(|batch| (0..batch.rows()).map(|row| shown(batch, row))).collect()
}

fn request(records: &Json) -> Json {
    let attributes = json!([
        {"key": "service.name", "value": {"stringValue": "api"}},
        {"key": "host.name", "value": {"stringValue": "web-1"}},
        {"key": "deployment.environment", "value": {"stringValue": "prod"}},
    ]);
    json!({"resourceLogs": [{
        "resource": {"attributes": attributes},
        "scopeLogs": [{"scope": {"name": "app.log", "version": "1.2"}, "logRecords": records}],
    }]})
}

/// Checks the rows of these records in both encodings.
fn check(records: &Json, expected: &[&str]) {
    let request = request(records);
    for (encoding, body) in
        [(Encoding::Json, request.to_string().into_bytes()), (Encoding::Protobuf, to_protobuf(&request))]
    {
        let (batches, refused) = read(&body, encoding, 100).unwrap();
        assert_eq!((rows(&batches), refused), (expected.iter().map(|row| (*row).to_owned()).collect(), 0));
    }
}

const OF_RESOURCE: &str = "otel.scope.name=app.log otel.scope.version=1.2 service.name=api host.name=web-1 \
    deployment.environment=prod";

#[test]
fn a_record_is_a_row_with_what_its_resource_and_scope_say() {
    let record = json!({
        "timeUnixNano": "1600000000250000000", "observedTimeUnixNano": "1700000000000000001",
        "severityNumber": 17, "severityText": "ERROR", "body": {"stringValue": "it \"failed\" \u{1F600}\n"},
        "attributes": [
            {"key": "http.status", "value": {"intValue": "500"}},
            {"key": "level", "value": {"stringValue": "x"}},
            {"key": "tags", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"boolValue": true}]}}},
            {"key": "user", "value": {"kvlistValue": {"values": [{"key": "id", "value": {"doubleValue": 1.5}}]}}},
            {"key": "blob", "value": {"bytesValue": "AP8="}},
            {"key": "nothing"},
        ],
        "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "flags": 1,
        "eventName": "login",
    });
    let row = format!(
        "2020-09-13T12:26:40.250Z web-1 api   err user | it \"failed\" \u{1F600}\n | http.status=500 otel.level=x \
         tags=a tags=true user.id=1.5 blob=AP8= trace_id=5b8efff798038103d269b633813fc60c \
         span_id=eee19b7ec3c1b174 event_name=login trace_flags=01 severity_text=ERROR {OF_RESOURCE}"
    );
    check(&json!([record]), &[&row]);
}

#[test]
fn what_a_record_says_counts_before_what_its_resource_says() {
    let record = json!({"body": {"stringValue": ""}, "attributes": [
        {"key": "host.name", "value": {"stringValue": "web-2"}},
        {"key": "process.pid", "value": {"intValue": "42"}},
    ]});
    let row = format!("- web-2 api 42  - - |  | host.name=web-2 process.pid=42 {OF_RESOURCE}");
    check(&json!([record, {}]), &[&row, &format!("- web-1 api   - - |  | {OF_RESOURCE}")]);
}

#[test]
fn a_body_that_is_not_a_text_is_json_and_its_members_are_fields() {
    let value = json!({"kvlistValue": {"values": [
        {"key": "a", "value": {"stringValue": "x\""}}, {"key": "b", "value": {"intValue": "-1"}},
    ]}});
    let row =
        format!("- web-1 api   - - | {{\"a\":\"x\\\"\",\"b\":-1}} | body.a=x\" body.b=-1 {OF_RESOURCE}");
    check(&json!([{"body": value}]), &[&row]);
    check(&json!([{"body": {"intValue": "7"}}]), &[&format!("- web-1 api   - - | 7 | {OF_RESOURCE}")]);
}

#[test]
fn what_logstead_sends_comes_back_as_it_was() {
    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let record = json!({
        "severityNumber": 10, "severityText": "notice", "body": {"stringValue": "x"},
        "attributes": [
            attribute("syslog.facility", "auth"), attribute("syslog.procid", "42"), attribute("syslog.msgid", "ID7"),
        ],
    });
    check(&json!([record]), &[&format!("- web-1 api 42 ID7 notice auth | x | {OF_RESOURCE}")]);
    let request = json!({"resourceLogs": [{
        "resource": {"attributes": [attribute("service.name", "unknown_service")]},
        "scopeLogs": [{"logRecords": [{"body": {"stringValue": "x"}}]}],
    }]});
    let (batches, _) = read(request.to_string().as_bytes(), Encoding::Json, 1).unwrap();
    assert_eq!(rows(&batches), ["- peer    - - | x |"]);
}

#[test]
fn json_may_have_nulls_numbers_as_texts_and_members_that_nobody_knows() {
    let body = r#"{"resourceLogs":[null,{"new":[1],"scopeLogs":null},{"scopeLogs":[{"scope":null,"logRecords":null},
        {"logRecords":[{"timeUnixNano":5,"severityNumber":"9","flags":"1","body":null,"attributes":null,"traceId":"",
        "spanId":"0000000000000000","new":{"a":[]},"eventName":null}],"schemaUrl":"x"}],"resource":null}]}"#;
    let (batches, refused) = read(body.as_bytes(), Encoding::Json, 10).unwrap();
    let row = "1970-01-01T00:00:00.000000005Z peer    info user |  | trace_flags=01";
    assert_eq!((rows(&batches), refused), (vec![row.to_owned()], 0));
    assert_eq!(read(b"{}", Encoding::Json, 10).unwrap().0.len(), 0);
    assert_eq!(read(b"", Encoding::Protobuf, 10).unwrap().0.len(), 0);
}

#[test]
fn a_request_that_is_not_one_is_refused_as_a_whole() {
    for body in [
        "",
        "[]",
        "{\"resourceLogs\":{}}",
        "{\"resourceLogs\":[[]]}",
        "{} x",
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":{}}]}]}",
    ] {
        assert!(read(body.as_bytes(), Encoding::Json, 10).is_err(), "{body}");
    }
    for body in [&b"\x0a\x05abc"[..], b"\x08\x01", b"hello", b"\x0a\x03\x12\x01\xff"] {
        assert!(read(body, Encoding::Protobuf, 10).is_err(), "{body:?}");
    }
}

#[test]
fn a_bad_record_is_refused_alone() {
    let mut deep = json!({"stringValue": "x"});
    for _ in 0..40 {
        deep = json!({"arrayValue": {"values": [deep]}});
    }
    let long = "x".repeat(LIMITS.line_bytes_max);
    let request = request(&json!([
        {"body": {"stringValue": "first"}}, {"body": deep}, {"body": {"stringValue": long}}, {"body": {"stringValue": "last"}},
    ]));
    for (encoding, body) in
        [(Encoding::Json, request.to_string().into_bytes()), (Encoding::Protobuf, to_protobuf(&request))]
    {
        let (batches, refused) = read(&body, encoding, 100).unwrap();
        let messages: Vec<_> = (0..batches[0].rows()).map(|row| batches[0].message(row)).collect();
        assert_eq!((messages, refused), (vec![&b"first"[..], b"last"], 2), "{encoding:?}");
    }
    let body =
        r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[7,"x",{"timeUnixNano":"now"},{"body":{}}]}]}]}"#;
    let (batches, refused) = read(body.as_bytes(), Encoding::Json, 100).unwrap();
    assert_eq!((rows(&batches).len(), refused), (1, 3));
}

#[test]
fn a_request_with_too_many_records_is_refused_as_a_whole() {
    let request = request(&json!([{}, {}, {}]));
    for (encoding, body) in
        [(Encoding::Json, request.to_string().into_bytes()), (Encoding::Protobuf, to_protobuf(&request))]
    {
        assert!(read(&body, encoding, 3).is_ok());
        assert_eq!(read(&body, encoding, 2).err(), Some(BodyError::TooMany { messages_max: 2 }));
    }
    // Parts without records take memory as well.
    let empty = "{\"resourceLogs\":[{},{},{},{}]}";
    assert_eq!(read(empty.as_bytes(), Encoding::Json, 1).err(), Some(BodyError::TooMany { messages_max: 1 }));
    assert!(read(b"\x0a\x00\x0a\x00\x0a\x00\x0a\x00", Encoding::Protobuf, 1).is_err());
}

#[test]
fn a_message_that_stands_in_its_record_is_not_stored_twice() {
    let request = request(&json!([{"body": {"stringValue": "a text that is long enough to be seen"}}]));
    for (encoding, body) in
        [(Encoding::Json, request.to_string().into_bytes()), (Encoding::Protobuf, to_protobuf(&request))]
    {
        let (batches, _) = read(&body, encoding, 100).unwrap();
        assert!(batches[0].columns().head().bytes().len() < 30, "{encoding:?}");
    }
}

fn values() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!({})),
        any::<String>().prop_map(|text| json!({"stringValue": text})),
        any::<bool>().prop_map(|value| json!({"boolValue": value})),
        any::<i64>().prop_map(|value| json!({"intValue": value.to_string()})),
        (-1e9..1e9).prop_map(|value: f64| json!({"doubleValue": value})),
        Just(json!({"bytesValue": "AP8="})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3)
                .prop_map(|values| json!({"arrayValue": {"values": values}})),
            proptest::collection::vec(("[a-c.é ]{0,3}", inner), 0..3).prop_map(|members| {
                let pair = |(key, value)| json!({"key": key, "value": value});
                json!({"kvlistValue": {"values": members.into_iter().map(pair).collect::<Vec<_>>()}})
            }),
        ]
    })
}

fn records() -> impl Strategy<Value = Json> {
    let attributes = proptest::collection::vec(
        (prop_oneof!["[a-c. ]{0,3}", Just("host.name".to_owned()), Just("level".to_owned())], values()),
        0..4,
    );
    (any::<u64>(), 0_u64..30, any::<String>(), values(), attributes, any::<u32>()).prop_map(
        |(time, severity, text, body, attributes, flags)| {
            let pair = |(key, value)| json!({"key": key, "value": value});
            json!({
                "timeUnixNano": time.to_string(), "severityNumber": severity, "severityText": text, "body": body,
                "attributes": attributes.into_iter().map(pair).collect::<Vec<_>>(), "flags": flags,
                "traceId": format!("{time:032x}"),
            })
        },
    )
}

proptest! {
    #[test]
    fn both_encodings_say_the_same_and_raw_bytes_are_kept(
        records in proptest::collection::vec(records(), 0..4)
    ) {
        let request = request(&Json::Array(records.clone()));
        let json = read(request.to_string().as_bytes(), Encoding::Json, 10).unwrap();
        let protobuf = read(&to_protobuf(&request), Encoding::Protobuf, 10).unwrap();
        prop_assert_eq!((rows(&json.0), json.1), (rows(&protobuf.0), protobuf.1));
        prop_assert_eq!(rows(&json.0).len(), records.len());
        for (batches, sent) in [
            (json.0, records.iter().map(|record| record.to_string().into_bytes()).collect::<Vec<_>>()),
            (protobuf.0, records.iter().map(record_to_protobuf).collect()),
        ] {
            let raw = batches.iter().flat_map(|batch| (0..batch.rows()).map(|row| {
                let mut raw = Vec::new();
                batch.write_raw(row, &mut raw);
                raw
            }));
            prop_assert_eq!(raw.collect::<Vec<_>>(), sent);
        }
    }

    #[test]
    fn any_bytes_are_records_or_refused(
        noise in proptest::collection::vec(any::<u8>(), 0..60),
        records in proptest::collection::vec(records(), 0..3),
        at in any::<proptest::sample::Index>(),
    ) {
        let request = request(&Json::Array(records));
        for (encoding, body) in
            [(Encoding::Json, request.to_string().into_bytes()), (Encoding::Protobuf, to_protobuf(&request))]
        {
            let mut damaged = body.clone();
            let at = at.index(body.len());
            damaged[at] ^= 0x15;
            for body in [&noise[..], &body[..at], &damaged] {
                if let Ok(mut otlp) = OtlpBody::of(body.to_vec(), encoding, "", 20) {
                    let sender = BodySender { source: String::new(), peer: String::new(), received: RECEIVED };
                    let total = otlp.rest_bytes();
                    let mut builder = BatchBuilder::new();
                    builder.origin(logstead_record::Origin { source: b"", peer: b"", received: RECEIVED });
                    let mut messages = 0;
                    while otlp.next(&mut builder).is_some() {
                        messages += 1;
                    }
                    prop_assert!(messages <= 20 && otlp.rest_bytes() == 0);
                    otlp.restart();
                    prop_assert_eq!(otlp.rest_bytes(), total);
                    let mut batches = Batches::of(otlp, sender);
                    prop_assert_eq!(batches.next_batch().rows() + batches.refused, messages);
                }
            }
        }
    }
}
