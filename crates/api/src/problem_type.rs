//! The registry of problems: each has a name that programs can rely on, and is documented in docs/problems.md.
//!
//! **Invariant:** two mistakes that a client has to handle in different ways never share a type.

use axum::http::StatusCode;
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// The beginning of every type; the name follows.
const PREFIX: &str = "urn:logstead:problem:";

/// The constant properties of a type of problem.
pub(crate) struct ProblemEntry {
    pub(crate) name: &'static str,
    pub(crate) status: StatusCode,
    /// A short summary.
    pub(crate) title: &'static str,
    /// One sentence about what has happened.
    pub(crate) meaning: &'static str,
    /// The advice for a client or its user.
    pub(crate) remedy: &'static str,
}

macro_rules! problem_types {
    ($($variant:ident = $name:literal, $status:ident, $title:literal, $meaning:literal, $remedy:literal;)*) => {
        /// The type of a problem.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum ProblemType {
            $(#[doc = $meaning] $variant,)*
        }

        impl ProblemType {
            /// All of them, in the order of their statuses.
            pub(crate) const ALL: &'static [ProblemType] = &[$(ProblemType::$variant),*];

            pub(crate) fn entry(self) -> &'static ProblemEntry {
                match self {
                    $(ProblemType::$variant => &ProblemEntry {
                        name: $name,
                        status: StatusCode::$status,
                        title: $title,
                        meaning: $meaning,
                        remedy: $remedy,
                    },)*
                }
            }
        }
    };
}

problem_types! {
    QuerySyntax = "query-syntax", BAD_REQUEST, "The query cannot be parsed",
        "A query, filter or scope does not follow the query language.",
        "Correct it at `line` and `column`, or use `suggestion`.";
    InvalidParameter = "invalid-parameter", BAD_REQUEST, "The query string cannot be read",
        "A parameter of the query string is unknown, missing, or not of the right type.",
        "Correct the parameter in `path`; the description lists all of them.";
    InvalidBody = "invalid-body", BAD_REQUEST, "The body cannot be read",
        "The body is not valid in its format, or a part of it is unknown, missing, or not of the right type.",
        "Correct it at `path`, `line` and `column`.";
    InvalidHeader = "invalid-header", BAD_REQUEST, "A header cannot be read",
        "A header of the request is not valid.",
        "Correct the header in `path`.";
    MessagesRefused = "messages-refused", BAD_REQUEST, "Messages were not accepted",
        "Messages in the body cannot be read; `detail` says which, and whether any were stored.",
        "Correct the messages. Sending the others again would store them twice if `detail` says that they are stored.";
    InvalidHttp = "invalid-http", BAD_REQUEST, "The request is not valid HTTP",
        "The request does not follow HTTP.",
        "Use an HTTP client, and `https` if the port is encrypted.";
    NotSignedIn = "not-signed-in", UNAUTHORIZED, "Not signed in",
        "The request has neither a session nor a token, or the session has ended.",
        "Log in, or send a token as `Authorization: Bearer TOKEN`.";
    InvalidToken = "invalid-token", UNAUTHORIZED, "The token is not valid",
        "The token is unknown or has expired, or its header cannot be read.",
        "Ask an administrator for another token.";
    WrongPassword = "wrong-password", UNAUTHORIZED, "Name or password is wrong",
        "No user has this name and this password.",
        "Correct the name or the password.";
    NeedsSecondFactor = "needs-second-factor", UNAUTHORIZED, "A code is needed",
        "Name and password are right, and the user has a second factor.",
        "Send the login again with a code of the authenticator app, or a recovery code, as `code`.";
    WrongCode = "wrong-code", UNAUTHORIZED, "The code is wrong",
        "Name and password are right, but the code is wrong or was used before.",
        "Send the login again with another code.";
    Forbidden = "forbidden", FORBIDDEN, "Not allowed",
        "The role or the grant of the caller is not sufficient.",
        "Ask an administrator for the right, or use another account.";
    NeedsSession = "needs-session", FORBIDDEN, "Only for users who are logged in",
        "The operation is about a user's own account, and the caller is a token.",
        "Log in with name and password.";
    MustSetUpSecondFactor = "must-set-up-second-factor", FORBIDDEN, "A second factor has to be set up",
        "The user's role requires a second factor, and the user has none yet.",
        "Set it up with `POST /api/v1/account/totp`.";
    Csrf = "csrf", FORBIDDEN, "The CSRF token is missing",
        "A change was sent with a session's cookie, but without the right CSRF token.",
        "Send `csrf_token` of `GET /api/v1/session` in the header `X-CSRF-Token`.";
    RightsChanged = "rights-changed", FORBIDDEN, "The rights have changed",
        "The rights of the caller changed while the request was being answered.",
        "Send the request again.";
    WrongSetupCode = "wrong-setup-code", FORBIDDEN, "The set-up code is wrong",
        "The first administrator can be created only with the code that the server printed.",
        "Read the code in the output of the server.";
    NeedsHttps = "needs-https", FORBIDDEN, "Only over HTTPS",
        "This port only redirects browsers to HTTPS.",
        "Send the request to the `https` address.";
    NotFound = "not-found", NOT_FOUND, "Not found",
        "There is nothing at this address, or the caller may not know of it.",
        "Check the address and the id.";
    UnknownLogspace = "unknown-logspace", NOT_FOUND, "Unknown logspace",
        "The request names a logspace that does not exist.",
        "Use one of the logspaces in `detail`.";
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, "Method not allowed",
        "The address does not support this method.",
        "Use a method of the header `Allow`.";
    NotAcceptable = "not-acceptable", NOT_ACCEPTABLE, "Only as a stream",
        "The response is a stream of events, for which the client did not ask.",
        "Send `Accept: text/event-stream`.";
    TooSlow = "too-slow", REQUEST_TIMEOUT, "The request came too slowly",
        "The request or its body did not arrive in time.",
        "Send it again.";
    NameTaken = "name-taken", CONFLICT, "The name is taken",
        "Another user, token or saved search has this name.",
        "Choose another name, or change the existing one.";
    LastAdmin = "last-admin", CONFLICT, "The last administrator",
        "Without this administrator, nobody could manage the server.",
        "Create another administrator first.";
    AlreadySetUp = "already-set-up", CONFLICT, "Already set up",
        "The first administrator exists already.",
        "Log in.";
    PasswordElsewhere = "password-elsewhere", CONFLICT, "The password is kept elsewhere",
        "An OpenID provider or LDAP directory keeps the user's password.",
        "Change it there.";
    SecondFactorExists = "second-factor-exists", CONFLICT, "There is a second factor already",
        "The user already has a second factor.",
        "Remove it first.";
    NoEnrolment = "no-enrolment", CONFLICT, "No second factor is being set up",
        "The setting up of a second factor was not begun, or took too long.",
        "Begin again with `POST /api/v1/account/totp`.";
    TooMany = "too-many", CONFLICT, "Too many saved searches",
        "The owner has as many saved searches as are allowed.",
        "Remove one first.";
    KeyUnderWay = "key-under-way", CONFLICT, "The request is still being processed",
        "A request with the same `Idempotency-Key` has not been answered yet.",
        "Send it again after `Retry-After`.";
    NoHttpSource = "no-http-source", CONFLICT, "No source takes messages over HTTP",
        "The router document has no `http` source for this request.",
        "Ask an operator to add one.";
    JobUnfinished = "job-unfinished", CONFLICT, "The job has not ended",
        "The job still waits or runs.",
        "Wait for it with `GET /api/v1/jobs/{id}?wait=30s`, or cancel it.";
    InUse = "in-use", CONFLICT, "In use",
        "The router document uses the file.",
        "Change the steps in `detail` first.";
    DestinationDisabled = "destination-disabled", CONFLICT, "The destination is disabled",
        "The destination is disabled and takes no messages.",
        "Enable it first.";
    FewerMessages = "fewer-messages", CONFLICT, "Fewer messages are waiting",
        "There are fewer messages than the request says.",
        "Look again, and send the right number.";
    AwaitsConfirmation = "awaits-confirmation", CONFLICT, "The live revision is not confirmed",
        "The live revision goes back by itself unless it is confirmed.",
        "Confirm it, or wait until it has gone back.";
    NothingToConfirm = "nothing-to-confirm", CONFLICT, "Nothing to confirm",
        "The live revision does not have to be confirmed.",
        "Nothing: it stays, or has gone back already.";
    StaleRevision = "stale-revision", PRECONDITION_FAILED, "Another revision is live",
        "The document was changed after it was read.",
        "Read it again, make the change again and send that.";
    BodyTooLarge = "body-too-large", PAYLOAD_TOO_LARGE, "The body is too large",
        "The body is longer, or holds more messages, than is allowed.",
        "Send it in parts.";
    AddressTooLong = "address-too-long", URI_TOO_LONG, "The address is too long",
        "The address with its query string is longer than is allowed.",
        "Send the question as a POST.";
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "The format is not supported",
        "The `Content-Type` or `Content-Encoding` of the body is not supported here.",
        "Send one that `detail` names.";
    RangeNotSatisfiable = "range-not-satisfiable", RANGE_NOT_SATISFIABLE, "The file is shorter",
        "The header `Range` names bytes that the file does not have.",
        "Use a range within the length in `Content-Range`.";
    InvalidValue = "invalid-value", UNPROCESSABLE_ENTITY, "A value is not acceptable",
        "The request can be read, and the value in `path` is not acceptable.",
        "Correct the value as `detail` says.";
    UnusableCursor = "unusable-cursor", UNPROCESSABLE_ENTITY, "The position cannot be continued",
        "The cursor, or the position in a stream, is not of this question.",
        "Send the question that it came with, or start again without it.";
    UnsuitableQuery = "unsuitable-query", UNPROCESSABLE_ENTITY, "The query does not fit the operation",
        "The query is valid, but this operation cannot answer it, for example because of its stages.",
        "Change it as `detail` says, or send it to `/api/v1/aggregate`.";
    CostlyQuery = "costly-query", UNPROCESSABLE_ENTITY, "The question takes too much",
        "The answer would take more memory or time than a search may.",
        "Narrow the range or the query.";
    ShortOfMemory = "short-of-memory", UNPROCESSABLE_ENTITY, "The server is short of memory",
        "The server ended a large search because it ran short of memory.",
        "Narrow the range or the query, or ask again later.";
    InvalidDocument = "invalid-document", UNPROCESSABLE_ENTITY, "The document has problems",
        "The router document cannot be used; `problems` lists everything.",
        "Correct all of `problems`.";
    KeyReused = "key-reused", UNPROCESSABLE_ENTITY, "The key was used before",
        "The `Idempotency-Key` was used with another body.",
        "Use a new key for each body.";
    MissingIfMatch = "missing-if-match", PRECONDITION_REQUIRED, "If-Match is missing",
        "A document can be replaced only by somebody who has read it.",
        "Send the `ETag` of the document as `If-Match`.";
    RateLimited = "rate-limited", TOO_MANY_REQUESTS, "Sending too fast",
        "The token sends more than its limits allow.",
        "Send it again after `Retry-After`.";
    TooManyAttempts = "too-many-attempts", TOO_MANY_REQUESTS, "Too many failed attempts",
        "Too many passwords or codes were wrong.",
        "Wait for `Retry-After`.";
    TooManyJobs = "too-many-jobs", TOO_MANY_REQUESTS, "Too many jobs",
        "As many jobs wait or run as are allowed.",
        "Wait until one of `GET /api/v1/jobs` has ended, or cancel one.";
    HeaderTooLong = "header-too-long", REQUEST_HEADER_FIELDS_TOO_LARGE, "The head is too long",
        "The headers of the request are longer, or more, than is allowed.",
        "Send fewer or shorter headers.";
    Internal = "internal", INTERNAL_SERVER_ERROR, "The server failed",
        "The server failed; its log says more under `request_id`.",
        "Send it again, and tell the operator if it fails again.";
    Busy = "busy", SERVICE_UNAVAILABLE, "Busy",
        "Too much is being done at the moment.",
        "Send it again after `Retry-After`.";
    Stopping = "stopping", SERVICE_UNAVAILABLE, "The server is stopping",
        "The server is stopping or restarting.",
        "Connect again later.";
    SourceDisabled = "source-disabled", SERVICE_UNAVAILABLE, "The source is disabled",
        "The source that would take the messages is disabled.",
        "Keep the messages, and send them again after `Retry-After`.";
    NotStored = "not-stored", SERVICE_UNAVAILABLE, "The messages were not stored",
        "The messages could not be stored; `detail` says why.",
        "Send them again after `Retry-After`.";
    DirectoryUnreachable = "directory-unreachable", SERVICE_UNAVAILABLE, "The directory cannot be reached",
        "The directory that checks the password does not answer.",
        "Try again later; the log says more.";
    NotWritable = "not-writable", SERVICE_UNAVAILABLE, "The disk refuses changes",
        "The server cannot write to its disk.",
        "Ask an operator to check the disk of the data directory.";
    DiskFull = "disk-full", INSUFFICIENT_STORAGE, "The disk is full",
        "The disk of the data directory has no room for the change.",
        "Make room there, for example with a shorter retention.";
    ExportSpaceFull = "export-space-full", INSUFFICIENT_STORAGE, "No space for exports",
        "The files of exports take as much space as they may.",
        "Delete jobs of exports that are no longer needed, or raise `storage.export_files_max`.";
}

impl ProblemType {
    /// The type as it is sent.
    pub(crate) fn urn(self) -> String {
        format!("{PREFIX}{}", self.entry().name)
    }
}

impl Serialize for ProblemType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.urn())
    }
}

impl PartialSchema for ProblemType {
    fn schema() -> RefOr<Schema> {
        let meanings = ProblemType::ALL.iter().map(|kind| {
            let ProblemEntry { name, status, meaning, remedy, .. } = kind.entry();
            format!("- `{name}` ({}): {meaning} {remedy}\n", status.as_u16())
        });
        let description = format!(
            "The name of a problem. A release may add names: treat one that you do not know by its status.\n\n{}",
            meanings.collect::<String>()
        );
        let names = ProblemType::ALL.iter().map(|kind| kind.urn());
        let schema = ObjectBuilder::new().schema_type(SchemaType::new(Type::String)).enum_values(Some(names));
        RefOr::T(Schema::Object(schema.description(Some(description)).build()))
    }
}

impl ToSchema for ProblemType {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/problems.md");

    /// The table of docs/problems.md.
    fn table() -> String {
        let rows = ProblemType::ALL.iter().map(|kind| {
            let ProblemEntry { name, status, meaning, remedy, .. } = kind.entry();
            format!("| `{name}` | {} | {meaning} | {remedy} |\n", status.as_u16())
        });
        "| type | status | meaning | what to do |\n|---|---|---|---|\n".to_owned() + &rows.collect::<String>()
    }

    #[test]
    fn the_docs_list_every_type() {
        let page = std::fs::read_to_string(DOCS).unwrap_or_default();
        let (before, rest) = page.split_once("| type |").unwrap_or((&page, ""));
        let (_, after) = rest.split_once("\n\n").unwrap_or((rest, ""));
        let fresh = format!("{before}{}\n{after}", table());
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(DOCS, &fresh).unwrap();
        }
        let is_fresh = std::fs::read_to_string(DOCS).unwrap() == fresh;
        assert!(
            is_fresh,
            "docs/problems.md is stale: UPDATE=1 cargo test -p logstead-api the_docs_list_every_type"
        );
    }

    #[test]
    fn names_are_unique_and_in_the_order_of_their_statuses() {
        let names: BTreeSet<_> = ProblemType::ALL.iter().map(|kind| kind.entry().name).collect();
        assert_eq!(names.len(), ProblemType::ALL.len());
        let statuses: Vec<_> = ProblemType::ALL.iter().map(|kind| kind.entry().status).collect();
        assert!(statuses.is_sorted(), "{statuses:?}");
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte == b'-' || byte.is_ascii_lowercase())));
    }
}
