//! An example for each request body and each answer in JSON.
//!
//! `examples.json` is a walk through the API: the requests that a test sends to a server, one after the other, and the
//! answers that it gets. That test also writes the answers.

use serde_json::Value;
use std::collections::BTreeSet;

/// The walk.
const EXAMPLES: &str = include_str!("examples.json");

/// Adds the examples to a description.
pub(super) fn describe(api: &mut Value) {
    let steps: Vec<Value> = serde_json::from_str(EXAMPLES).expect("examples.json is a list of steps");
    let items = api["paths"].as_object_mut().into_iter().flatten().map(|(_, item)| item);
    let mut known = BTreeSet::new();
    for operation in items.filter_map(Value::as_object_mut).flatten().map(|(_, operation)| operation) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        // A search that is asked by GET is answered like that by POST.
        let name = id.strip_suffix("_by_get").unwrap_or(&id);
        for step in steps.iter().filter(|step| step["operation"] == name) {
            add_to(operation, step);
        }
        known.insert(id);
    }
    let names = steps.iter().filter_map(|step| step["operation"].as_str());
    let unknown: Vec<_> = names.filter(|name| !known.contains(*name)).collect();
    assert!(unknown.is_empty(), "examples of operations that the API does not have: {unknown:?}");
}

/// Adds request and answer of a step, unless there already is an example of that kind.
fn add_to(operation: &mut Value, step: &Value) {
    let media = step["media"].as_str().unwrap_or("application/json");
    let contents = operation.pointer_mut("/requestBody/content").and_then(Value::as_object_mut);
    contents
        .and_then(|contents| contents.get_mut(media))
        .into_iter()
        .for_each(|content| add(content, &step["request"]));
    let responses = operation["responses"].as_object_mut().into_iter().flatten();
    let good = responses.filter(|(status, _)| status.starts_with('2'));
    let contents = good.filter_map(|(_, response)| response.pointer_mut("/content/application~1json"));
    contents.for_each(|content| add(content, &step["answer"]));
}

fn add(content: &mut Value, example: &Value) {
    if content.get("example").is_none() && !example.is_null() {
        content["example"] = example.clone();
    }
}
