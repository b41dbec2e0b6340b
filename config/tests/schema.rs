//! The schema of the API describes the JSON that a document really has.
#![cfg(feature = "schema")]

use logstead_config::{Count, Problem, Route, Source, Syslog};
use utoipa::PartialSchema;

fn schema<T: PartialSchema>() -> String {
    serde_json::to_string(&T::schema()).expect("a schema is JSON")
}

#[test]
fn units_and_addresses_are_strings() {
    let syslog = serde_json::to_value(Syslog::schema()).expect("a schema is JSON");
    let properties = &syslog["properties"];
    assert_eq!(properties["max_message"]["type"], "string");
    assert_eq!(properties["listen"]["items"]["type"], "string");
    assert_eq!(properties["allow"]["items"]["type"], "string");
    assert!(schema::<Count>().contains("\"auto\""));
}

#[test]
fn keys_have_the_names_of_the_document() {
    let route = schema::<Route>();
    for key in ["\"where\"", "\"final\"", "\"flow_control\""] {
        assert!(route.contains(key), "{route}");
    }
    assert!(schema::<Source>().contains("SourceKind"), "{}", schema::<Source>());
    assert!(schema::<Problem>().contains("\"line\""));
}
