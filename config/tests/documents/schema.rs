//! The schema of the API describes the JSON that a document really has.
//!
//! Keywords: JSON schema, openapi.

use logstead_config::{Admission, CountOrAuto, FileSource, Problem, Reception, Route, Source, SyslogSource};
use utoipa::PartialSchema;

fn schema<T: PartialSchema>() -> String {
    serde_json::to_string(&T::schema()).expect("a schema is JSON")
}

#[test]
fn units_and_addresses_are_strings() {
    let properties = |schema: String| {
        let schema: serde_json::Value = serde_json::from_str(&schema).expect("a schema is JSON");
        // A type that includes the keys of other types is an `allOf`, with its own keys last.
        let own = schema["allOf"].as_array().and_then(|all| all.last()).unwrap_or(&schema);
        own["properties"].clone()
    };
    let (reception, files) = (properties(schema::<Reception>()), properties(schema::<FileSource>()));
    assert_eq!(reception["message_max"]["type"], "string");
    let admission = properties(schema::<Admission>());
    assert_eq!(admission["allow"]["items"]["type"], "string");
    assert_eq!(files["paths"]["items"]["type"], "string");
    assert!(schema::<SyslogSource>().contains(r#""listen":{"type":"array","items":{"type":"string"}"#));
    assert!(schema::<CountOrAuto>().contains("\"auto\""));
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
