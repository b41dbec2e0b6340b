//! The examples in the description of the API: the requests are sent to a server, and its answers are like the
//! examples.
//!
//! Keywords: openapi, examples, requests, answers.

use super::calls::{As, Server, admin};
use axum::http::{Method, Request, header};
use logstead_api as api;
use serde_json::Value;
use std::collections::BTreeMap;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/api/src/openapi/examples.json");

/// The parameter that stands for the id of the job that was started last.
const LAST_JOB: &str = "LAST-JOB";

/// The method and path of each operation.
fn operations() -> BTreeMap<String, (Method, String)> {
    let document = api::openapi();
    let items = document["paths"].as_object().unwrap().iter();
    let operations = items.flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(|(method, operation)| {
            let id = operation["operationId"].as_str().unwrap().to_owned();
            (id, (method.to_uppercase().parse().unwrap(), path.clone()))
        })
    });
    operations.collect()
}

/// The address with the parameters of an example.
fn address(path: &str, given: &Value) -> String {
    let mut address = path.to_owned();
    let mut separator = '?';
    for (name, value) in given.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), |text| text.replace(' ', "%20"));
        let place = format!("{{{name}}}");
        if address.contains(&place) {
            address = address.replace(&place, &value);
        } else {
            address += &format!("{separator}{name}={value}");
            separator = '&';
        }
    }
    address
}

/// Whether two values have the same members and types at every depth. A list is like one of another length, and null
/// like everything.
fn is_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let is_named = |name: &String| one.contains_key(name) && other.contains_key(name);
            let mut names = one.keys().chain(other.keys());
            names.all(|name| is_named(name) && is_alike(&one[name], &other[name]))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.iter().zip(other).all(|(one, other)| is_alike(one, other))
        }
        (Value::Null, _) | (_, Value::Null) => true,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_answered_as_the_examples_say() {
    let (server, operations) = (Server::start(|_| {}), operations());
    let mut steps: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(PATH).unwrap()).unwrap();
    let (mut user, mut wrong, mut job) = (As::default(), Vec::new(), String::new());
    for step in &mut steps {
        let id = step["operation"].as_str().unwrap().to_owned();
        let (method, path) = &operations[&id];
        let is_own =
            ["/account", "/session", "/setup"].iter().any(|of| path.starts_with(&format!("/api/v1{of}")));
        let who = if is_own { user.clone() } else { admin() };
        let address = address(path, &step["parameters"]).replace(LAST_JOB, &job);
        let mut request = who.sign(Request::builder().method(method).uri(address));
        for (name, value) in step["headers"].as_object().into_iter().flatten() {
            request = request.header(name, value.as_str().unwrap());
        }
        let media = step["media"].as_str().unwrap_or("application/json");
        let body = match &step["request"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            json => json.to_string(),
        };
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, media);
        }
        let answer = server.send(request.body(body.into()).unwrap()).await;
        let is_expected = match step["status"].as_u64() {
            Some(status) => u64::from(answer.status.as_u16()) == status,
            None => answer.status.is_success(),
        };
        if !is_expected {
            wrong.push(format!("{id}: {} {}", answer.status, answer.text()));
        } else if answer.status.is_success() && answer.header("content-type") == "application/json" {
            if answer.status == 202 {
                answer.json()["id"].as_str().unwrap().clone_into(&mut job);
            }
            if id == "log_in" {
                user = answer.session();
            }
            if !is_alike(&step["answer"], &answer.json()) || step["answer"].is_null() {
                wrong.push(format!("{id} answers {}", answer.text()));
                step["answer"] = answer.json();
            }
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(PATH, serde_json::to_string_pretty(&steps).unwrap() + "\n").unwrap();
    }
    assert!(wrong.is_empty(), "UPDATE=1 writes the answers:\n{}", wrong.join("\n"));
}
