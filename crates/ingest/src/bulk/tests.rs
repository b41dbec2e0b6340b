//! Whole, mixed and broken bodies, and the replies to them.

use super::*;
use crate::batches::Batches;
use logstead_record::{Batch, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

fn bulk(body: &[u8], messages_max: usize) -> Result<Batches<Bulk>, BodyError> {
    let received = Timestamp::from_nanos(1_790_000_000_000_000_000);
    let sender = BodySender { source: "http".to_owned(), peer: "10.0.0.9".to_owned(), received };
    Ok(Batches::of(Bulk::of(body.to_vec(), None, sender.clone(), messages_max)?, sender))
}

fn all(batches: &mut Batches<Bulk>) -> Vec<Batch> {
    std::iter::from_fn(|| (0 < batches.rest_bytes()).then(|| batches.next_batch())).collect()
}

fn reply(bulk: &Bulk, taken: usize, later: Option<&str>, filter: Option<&str>) -> Value {
    let text = bulk.reply(taken, &[], later, 3, &ReplyFilter::of(filter));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const MIXED: &str = concat!(
    "{\"create\":{\"_index\":\"a\",\"_id\":\"one\"}}\n{\"message\":\"first\",\"log\":{\"level\":\"warn\"}}\n",
    "\n{\"index\":{\"_id\":7,\"_type\":\"_doc\",\"routing\":\"x\"}}\r\n{\"message\":\"second\",\"host\":{\"name\":\"h\"}}\r\n",
    "{\"create\":{}}\nnonsense\n",
    "{\"delete\":{\"_id\":\"one\"}}\n",
    "{\"update\":{\"_id\":\"one\"}}\n{\"doc\":{}}\n",
    "{\"create\":{}}\n{\"message\":\"last\"}",
);

#[test]
fn each_action_has_an_item_in_order() {
    let mut batches = bulk(MIXED.as_bytes(), 6).unwrap();
    let rows = all(&mut batches);
    let messages: Vec<_> =
        (0..3).map(|row| String::from_utf8_lossy(rows[0].message(row)).into_owned()).collect();
    assert_eq!(messages, ["first", "second", "last"]);
    assert_eq!([rows[0].host(0), rows[0].host(1)], [&b"10.0.0.9"[..], b"h"]);
    assert_eq!(rows[0].priority(0).unwrap().severity().name(), "warning");
    assert_eq!((batches.refused, batches.refusals[0].number), (3, 3));
    let bulk = batches.into_messages();
    let whole = reply(&bulk, 3, None, None);
    assert_eq!((&whole["errors"], &whole["took"]), (&json!(true), &json!(3)));
    let items = whole["items"].as_array().unwrap();
    let shape: Vec<_> = items
        .iter()
        .map(|item| {
            let (verb, about) = item.as_object().unwrap().iter().next().unwrap();
            format!("{verb} {} {} {}", about["_index"], about["status"], about["error"]["type"])
        })
        .collect();
    let expected = [
        "create \"a\" 201 null",
        "index \"logs\" 201 null",
        "create \"logs\" 400 \"mapper_parsing_exception\"",
        "delete \"logs\" 400 \"mapper_parsing_exception\"",
        "update \"logs\" 400 \"mapper_parsing_exception\"",
        "create \"logs\" 201 null",
    ];
    assert_eq!(shape, expected);
    assert_eq!((&items[0]["create"]["_id"], &items[1]["index"]["_id"]), (&json!("one"), &json!("7")));
    let id = |number: usize| items[number]["create"]["_id"].as_str().unwrap();
    assert!(id(2) != id(5) && !id(5).is_empty());
}

#[test]
fn what_was_not_even_read_has_its_item_as_well() {
    let mut bulk = bulk(MIXED.as_bytes(), 6).unwrap().into_messages();
    bulk.end();
    let reply = reply(&bulk, 0, Some("full"), Some("items.*.status"));
    let items = reply["items"].as_array().unwrap();
    let status = |item: &Value| item.as_object().unwrap().values().next().unwrap()["status"].clone();
    assert_eq!(items.iter().map(status).collect::<Vec<_>>(), [429, 429, 429, 400, 400, 429]);
    assert_eq!(bulk.rest_bytes(), 0);
}

#[test]
fn what_is_not_stored_is_to_be_sent_again() {
    let mut batches = bulk(MIXED.as_bytes(), 6).unwrap();
    all(&mut batches);
    let reply = reply(&batches.into_messages(), 1, Some("full"), None);
    let statuses: Vec<_> = reply["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item.as_object().unwrap().values().next().unwrap()["status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, [201, 429, 400, 400, 400, 429]);
    assert_eq!(reply["items"][1]["index"]["error"]["type"], "es_rejected_execution_exception");
}

#[test]
fn a_reply_has_the_parts_that_are_asked_for() {
    let one = |body: &str| {
        let mut batches = bulk(body.as_bytes(), 9).unwrap();
        all(&mut batches);
        batches.into_messages()
    };
    let good = one("{\"create\":{}}\n{}\n");
    let bad = one("{\"create\":{}}\n{}\n{\"create\":{}}\n7\n");
    let beats = Some("errors,items.*.error,items.*.status");
    assert_eq!(
        reply(&good, 1, None, beats),
        json!({"errors": false, "items": [{"create": {"status": 201}}]})
    );
    let only = Some("errors,items.*.error.type");
    assert_eq!(reply(&good, 1, None, only), json!({"errors": false}));
    let items = reply(&bad, 1, None, only)["items"].take();
    assert_eq!(items.as_array().unwrap().len(), 1);
    assert_eq!(items[0]["create"]["error"]["type"], "mapper_parsing_exception");
    assert_eq!(reply(&good, 1, None, Some("took")), json!({"took": 3}));
    assert_eq!(reply(&good, 1, None, Some("**")).as_object().unwrap().len(), 3);
    assert_eq!(reply(&good, 1, None, Some("nothing")), json!({}));
}

#[test]
fn a_body_that_is_none_is_refused_before_its_first_message() {
    for (body, expected) in [
        ("", "no actions"),
        ("\n\n", "no actions"),
        ("{\"message\":\"m\"}\n", "line 1"),
        ("{\"create\":{}}\n{}\nnonsense\n{}\n", "line 3"),
        ("{\"create\":{}}\n{}\n\n{\"create\":{},\"index\":{}}\n{}\n", "line 4"),
        ("{\"create\":{}}\n", "missing"),
        ("{\"create\":7}\n{}\n", "line 1"),
    ] {
        let refused = bulk(body.as_bytes(), 9).err().unwrap().to_string();
        assert!(refused.contains(expected), "{body}: {refused}");
    }
    assert_eq!(bulk(MIXED.as_bytes(), 5).err(), Some(BodyError::TooMany { messages_max: 5 }));
}

proptest! {
    #[test]
    fn any_bytes_are_actions_or_refused(
        pieces in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..8),
                proptest::sample::select(vec![
                    "{\"create\":{}}", "{\"index\":{\"_id\":\"\\ud800\"}}", "{\"delete\":{}}", "\n", "\r\n", "{}",
                    "{\"message\":\"m\"}",
                ]).prop_map(|text| text.as_bytes().to_vec()),
            ],
            0..20,
        ),
    ) {
        let Ok(mut batches) = bulk(&pieces.concat(), 50) else { return Ok(()) };
        let rows: usize = all(&mut batches).iter().map(Batch::rows).sum();
        let refused = batches.refused;
        let bulk = batches.into_messages();
        prop_assert_eq!(rows + refused, bulk.items.len());
        let reply = reply(&bulk, rows, None, None);
        prop_assert_eq!(reply["items"].as_array().unwrap().len(), rows + refused);
    }
}
