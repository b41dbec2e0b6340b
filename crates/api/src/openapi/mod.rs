//! The API description: the descriptions of the handlers, and the parts that all of them share.

mod examples;
mod patterns;
mod shape;
mod statuses;
mod values;

use super::access::{Needs, cookie};
use super::routes::routes;
use super::{deprecation, error, limits};
use axum::http::StatusCode;
use logstead_accounts::Role;
use serde_json::Value;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::server::ServerBuilder;
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ContentBuilder, Info, License, OpenApi, Ref, RefOr, Response as Answer, ResponseBuilder,
    SecurityRequirement,
};
use utoipa::{PartialSchema, ToSchema};

/// The security scheme of tokens.
const BEARER: &str = "bearerAuth";
/// The security scheme of browsers' sessions.
const COOKIE: &str = "cookieAuth";

/// Names for schemas whose own name says too little without the module that it is from.
const NAMES: [(&str, &str); 34] = [
    ("Cell", "TableCell"),
    ("Count", "PartitionCount"),
    ("CurrentPassword", "PasswordConfirmation"),
    ("DestinationType", "DestinationKind"),
    ("Done", "MessagesDone"),
    ("Fates", "MessageFates"),
    ("Format", "SourceFormat"),
    ("Frames", "SenderFrames"),
    ("Framing", "StreamFraming"),
    ("Jobs", "JobList"),
    ("Label", "LabelField"),
    ("Logspaces", "LogspaceList"),
    ("Numbers", "NumberSummary"),
    ("Oldest", "OldestMessages"),
    ("Order", "ResultOrder"),
    ("Queue", "DestinationQueue"),
    ("RecoveryCodes", "RecoveryCodeList"),
    ("Report", "Ledger"),
    ("Revisions", "RevisionList"),
    ("Rotate", "FileRotation"),
    ("Rotation", "TokenRotation"),
    ("Route", "MessageRoute"),
    ("SavedSearches", "SavedSearchList"),
    ("Senders", "SenderList"),
    ("Series", "LedgerPoint"),
    ("Sessions", "SessionList"),
    ("Shown", "ShownMessage"),
    ("SourceType", "SourceKind"),
    ("Start", "FileStart"),
    ("Step", "LedgerStep"),
    ("Tokens", "TokenList"),
    ("Trace", "MessageTrace"),
    ("Users", "UserList"),
    ("Waiting", "WaitingMessages"),
];

/// Tags of operations, with their descriptions.
const TAGS: [(&str, &str); 12] = [
    ("account", "The caller's own account: preferences, sessions and the second factor."),
    ("accounts", "Users, tokens and the audit log."),
    ("destinations", "Queues, quarantines and tests of the systems that messages are forwarded to."),
    ("ingest", "Storing messages that are sent over HTTP."),
    ("jobs", "Long work that goes on without its client: its progress, its result, and ending it."),
    ("logspaces", "The parts of the store, with their retention, verification and indexes."),
    (
        "router",
        "The document with sources, routes and destinations, its revisions, and what it does to messages.",
    ),
    ("saved searches", "Searches that are kept under a name."),
    ("search", "Questions to the store: messages, counts, statistics, live tails and exports."),
    ("senders", "The hosts that send messages, and what arrived from them."),
    ("session", "Logging in and out, and the first setup."),
    ("system", "The server itself: version, settings, health, metrics and this description."),
];

/// The description of the whole API, which is written to `web/openapi.json`.
pub fn openapi() -> Value {
    let mut all = OpenApi::new(info(), utoipa::openapi::Paths::new());
    for (needs, routes) in routes() {
        let mut part = routes.into_openapi();
        part.paths.paths.values_mut().for_each(|item| describe_item(item, needs));
        all.merge(part);
    }
    all.info = info();
    let server = ServerBuilder::new().url("/").description(Some("The server that serves this description."));
    all.servers = Some(vec![server.build()]);
    let tags =
        TAGS.map(|(name, description)| TagBuilder::new().name(name).description(Some(description)).build());
    all.tags = Some(tags.into());
    let components = all.components.get_or_insert_with(Components::new);
    components.security_schemes.extend(security_schemes());
    components.schemas.extend(problem_schemas());
    let missing = limits::describe(&mut all);
    assert!(missing.is_empty(), "limits of what the API does not have: {}", missing.join(", "));
    let mut all = serde_json::to_value(&all).expect("a description consists of JSON values");
    shape::simplify(&mut all);
    shape::rename(&mut all, &NAMES);
    values::describe(&mut all);
    patterns::describe(&mut all);
    statuses::describe(&mut all);
    examples::describe(&mut all);
    deprecation::describe(&mut all);
    all
}

fn describe_item(item: &mut PathItem, needs: Needs) {
    let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
    operations.into_iter().flatten().for_each(|operation| describe(operation, needs));
}

fn info() -> Info {
    let mut info = Info::new("Logstead", env!("CARGO_PKG_VERSION"));
    info.description = Some(
        "Send, search and route log messages. Every unsuccessful response is a problem (RFC 9457). Every response \
         has the header `X-Request-Id`: the one of the request, if it has 1 to 128 harmless characters, or a new \
         one. A problem has it as `request_id`, and so have the lines of the server's own log that the request \
         causes."
            .to_owned(),
    );
    info.license = Some(License::builder().name("Apache-2.0").identifier(Some("Apache-2.0")).build());
    info
}

/// Adds the parts that all operations with the same requirement share.
fn describe(operation: &mut Operation, needs: Needs) {
    let responses = &mut operation.responses.responses;
    for (status, response) in responses.iter_mut() {
        let (RefOr::T(response), Ok(status)) = (response, StatusCode::from_bytes(status.as_bytes())) else {
            continue;
        };
        if response.description.is_empty() {
            status.canonical_reason().unwrap_or("Done").clone_into(&mut response.description);
        }
        if response.content.is_empty() && (status.is_client_error() || status.is_server_error()) {
            *response = problem(&response.description);
        }
    }
    responses.insert("default".to_owned(), RefOr::T(problem("What is wrong, and what to do")));
    let needed = match needs {
        Needs::Nothing => None,
        Needs::Session => Some("a user's session".to_owned()),
        Needs::Role(role) => Some(format!("the role {role}")),
        Needs::Everything(Role::Analyst) => Some("access to the whole store".to_owned()),
        Needs::Everything(role) => Some(format!("the role {role}, and access to the whole store")),
        Needs::Ingest(_) => Some("the role ingest, or access to the whole store".to_owned()),
    };
    operation.security = Some(Vec::new());
    if let Some(needed) = needed {
        let empty: [&str; 0] = [];
        operation.security =
            Some(vec![SecurityRequirement::new(BEARER, empty), SecurityRequirement::new(COOKIE, empty)]);
        let refused = format!("Needs {needed}, or the CSRF token is missing");
        responses.insert("403".to_owned(), RefOr::T(problem(&refused)));
    }
}

fn problem(description: &str) -> Answer {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(description).content("application/problem+json", content).build()
}

fn problem_schemas() -> Vec<(String, RefOr<utoipa::openapi::Schema>)> {
    let mut schemas = vec![("Problem".to_owned(), error::Problem::schema())];
    error::Problem::schemas(&mut schemas);
    schemas
}

fn security_schemes() -> [(String, RefOr<SecurityScheme>); 2] {
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API token")).build();
    let session = ApiKeyValue::with_description(
        cookie::COOKIE,
        "The session of a browser; changes also need the header X-CSRF-Token",
    );
    [
        (BEARER.to_owned(), RefOr::T(SecurityScheme::Http(token))),
        (COOKIE.to_owned(), RefOr::T(SecurityScheme::ApiKey(ApiKey::Cookie(session)))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::facets;
    use crate::limits::NAME_PATTERN;
    use crate::saved_searches;
    use logstead_accounts::name::NAME_CHARS_MAX;

    #[test]
    fn every_limit_is_one_of_something_that_is_described() {
        let schemas = openapi()["components"]["schemas"].take();
        let property = |schema: &str, property: &str| schemas[schema]["properties"][property].clone();
        assert_eq!(property("FacetsRequest", "fields")["maxItems"], facets::FIELDS_MAX);
        assert_eq!(property("UserToCreate", "name")["maxLength"], NAME_CHARS_MAX);
        assert_eq!(property("UserToCreate", "name")["pattern"], NAME_PATTERN);
        assert_eq!(
            property("SavedSearchRequest", "tags")["items"]["maxLength"],
            saved_searches::TAG_CHARS_MAX
        );
    }
}
