//! The format of times in answers, and the meaning and bounds of parameters, where the types of Rust do not say them.

use crate::operate::{destinations, senders};
use logstead_accounts::AUDIT_ACTIONS;
use logstead_query::TokenKind;
use logstead_record::{FACILITY_NAMES, Flags, SEVERITY_NAMES};
use serde_json::{Value, json};

/// Properties of answers that are times (RFC 3339).
const TIMES: [(&str, &[&str]); 17] = [
    ("About", &["started", "time"]),
    ("Certificate", &["from", "until"]),
    ("DestinationStatus", &["failing_since"]),
    ("Job", &["created_at", "expires_at", "finished_at", "started_at"]),
    ("Ledger", &["from", "to", "known_since"]),
    ("LedgerPoint", &["time"]),
    ("LogspaceInfo", &["first_time", "last_time"]),
    ("LogspaceStatus", &["first_time", "last_time"]),
    ("RetentionPreview", &["all_at", "next_at", "received_last"]),
    ("RouterStatus", &["applied_at", "time"]),
    ("SenderList", &["series_from"]),
    ("SenderRow", &["first_seen", "last_seen"]),
    ("SentFrame", &["device_time", "received"]),
    ("SkippedPiece", &["received"]),
    ("SkippedRow", &["first_seen", "last_seen"]),
    ("SourceStatus", &["last_seen"]),
    ("VerificationFinding", &["from", "to"]),
];

/// Texts of answers, or lists of them, that are from a closed set: schema, property, name of the set.
const CHOICES: [(&str, &str, &str); 10] = [
    ("AuditEntry", "action", "AuditAction"),
    ("CertificateFile", "owner", "CertificateOwner"),
    ("CertificateFile", "role", "CertificateRole"),
    ("Message", "facility_name", "FacilityName"),
    ("Message", "flags", "MessageFlag"),
    ("Message", "severity_name", "SeverityName"),
    ("NumberSummary", "unit", "NumberUnit"),
    ("QueryToken", "kind", "QueryTokenKind"),
    ("SkippedPiece", "reason", "SkipReason"),
    ("WebSocket", "serves", "ListenerRole"),
];

/// The texts of such a set.
fn choices(set: &str) -> Vec<&'static str> {
    match set {
        "AuditAction" => AUDIT_ACTIONS.to_vec(),
        "CertificateOwner" => vec!["web", "source", "destination"],
        "CertificateRole" => vec!["certificate", "client_ca", "ca"],
        "FacilityName" => FACILITY_NAMES.to_vec(),
        "ListenerRole" => vec!["web", "redirect", "metrics"],
        "MessageFlag" => Flags::NAMES.iter().map(|(_, name)| *name).collect(),
        "NumberUnit" => vec!["size", "duration"],
        "QueryTokenKind" => TokenKind::NAMES.iter().map(|(_, name)| *name).collect(),
        "SeverityName" => SEVERITY_NAMES.to_vec(),
        "SkipReason" => vec!["too_long", "out_of_step", "unfinished"],
        _ => panic!("there is no set {set}"),
    }
}

/// The meaning of parameters that have no text: beginning of the path, parameter, text.
const TEXTS: [(&str, &str, &str); 22] = [
    ("/api/v1/account/sessions", "id", "The session, as listed."),
    ("/api/v1/ingest", "host_field", "The keys that may hold the host."),
    ("/api/v1/ingest", "message_field", "The keys that may hold the message."),
    ("/api/v1/ingest", "program_field", "The keys that may hold the program."),
    ("/api/v1/ingest", "severity_field", "The keys that may hold the severity."),
    ("/api/v1/ingest", "time_field", "The keys that may hold the time."),
    ("/api/v1/oidc", "code", "The provider's word that the user has logged in."),
    ("/api/v1/oidc", "error", "The name of the provider's refusal."),
    ("/api/v1/oidc", "error_description", "The provider's refusal in words."),
    ("/api/v1/oidc", "id", "The provider."),
    ("/api/v1/oidc", "iss", "The provider's name for itself."),
    ("/api/v1/oidc", "state", "The login that this ends."),
    ("/api/v1/router/diff", "from", "The number of the older revision."),
    ("/api/v1/router/diff", "to", "The number of the newer revision."),
    ("/api/v1/router/re", "revision", "The number of the revision."),
    ("/api/v1/router/rollback", "revision", "The number of the revision to go back to."),
    ("/api/v1/saved-searches", "id", "The number of the saved search."),
    ("/api/v1/tokens", "id", "The number of the token."),
    ("/api/v1/users", "id", "The session, as listed."),
    ("/api/v1/users", "name", "The user."),
    ("/api/v1/router", "format", "The format."),
    ("/api/v1/export", "format", "The format."),
];

/// The media type of bytes that are not text in any encoding. Generators read and write them as bytes only if the schema
/// says so as well.
const BYTES: &str = "application/octet-stream";

/// Adds them all.
pub(super) fn describe(api: &mut Value) {
    for (schema, properties) in TIMES {
        for property in properties {
            let time = &mut api["components"]["schemas"][schema]["properties"][property];
            assert!(time["type"].is_string() || time["type"].is_array(), "{schema}.{property} is no time");
            time["format"] = json!("date-time");
        }
    }
    for (schema, property, set) in CHOICES {
        let schemas = &mut api["components"]["schemas"];
        assert!(schemas[set].is_null(), "a set and a schema are both called {set}");
        choose(&mut schemas[schema]["properties"][property], set);
        schemas[set] = json!({"type": "string", "enum": choices(set)});
    }
    let edits = api["components"]["schemas"].as_object_mut().into_iter().flatten();
    for (_, edit) in edits.filter(|(name, _)| name.ends_with("QueryEdit") && *name != "QueryEdit") {
        // Serde refuses unknown fields of variants as well; utoipa says so only of structures.
        edit["additionalProperties"] = json!(false);
    }
    for (path, item) in api["paths"].as_object_mut().into_iter().flatten() {
        for operation in item.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
            let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
            parameters.into_iter().flatten().for_each(|parameter| complete(parameter, path, &id));
            let answers = operation["responses"].as_object_mut().into_iter().flatten();
            answers.for_each(|(_, answer)| mark_bytes(answer));
            operation.get_mut("requestBody").into_iter().for_each(mark_bytes);
        }
    }
}

/// Replaces a text, or those of a list, by a reference to a set.
fn choose(value: &mut Value, set: &str) {
    let of_set = json!({"$ref": format!("#/components/schemas/{set}")});
    let kind = value["type"].clone();
    if kind == "array" {
        value["items"] = of_set;
    } else if kind == json!(["string", "null"]) {
        *value = json!({"description": value["description"], "oneOf": [of_set, {"type": "null"}]});
    } else {
        assert_eq!(kind, "string", "a {set} is not a text");
        *value = json!({"description": value["description"], "$ref": of_set["$ref"]});
    }
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null());
    }
}

fn mark_bytes(body: &mut Value) {
    if let Some(bytes) = body.pointer_mut("/content").and_then(|content| content.get_mut(BYTES)) {
        bytes["schema"]["format"] = json!("binary");
    }
}

fn complete(parameter: &mut Value, path: &str, id: &str) {
    let name = parameter["name"].as_str().unwrap_or_default().to_owned();
    if parameter["description"].is_null() {
        let text = TEXTS.iter().find(|(start, of, _)| path.starts_with(start) && *of == name);
        let of_schema = parameter["schema"]["description"].clone();
        let text = text.map_or(of_schema, |(_, _, text)| json!(text));
        assert!(text.is_string(), "{id}: the parameter {name} has no text");
        parameter["description"] = text;
    }
    let most = match id {
        "list_queue" | "list_quarantine" => destinations::LIMIT_MAX,
        "list_senders" => senders::SENDERS_MAX,
        "list_sender_frames" => senders::FRAMES_MAX,
        _ => return,
    };
    if name == "limit" {
        parameter["schema"]["minimum"] = json!(1);
        parameter["schema"]["maximum"] = json!(most);
    }
}
