//! The HTTP API and the console: `app(state)` → [`axum::Router`], tested without a socket.
//!
//! | folder      | owns                                                        |
//! |-------------|-------------------------------------------------------------|
//! | `question/` | what all questions to the store share, and when they run    |
//! | `ask/`      | the questions, a file for each                              |
//! | `tail/`     | messages as they are stored                                 |
//! | `access/`   | who may do what: callers, logins, accounts                  |
//! | `operate/`  | storing messages, logspaces, health                         |
//!
//! **Invariant:** nothing that blocks runs on the threads that serve requests: the database, searches, password
//! hashes and large bodies go to blocking threads.
//! **Invariant:** every unsuccessful response under `/api/` is a [`error::Problem`].

mod access;
mod ask;
mod assets;
mod error;
mod export;
mod extract;
mod limits;
mod operate;
mod peer;
mod question;
mod router;
mod saved_searches;
mod stream;
mod tail;

use crate::machine::clock;
use crate::machine::lanes::SharedLanes;
use crate::meta::{Actor, Meta, Role, SessionLimits};
use crate::pipeline::Pipeline;
use access::throttle::Throttle;
use access::{Caller, Needs};
use ask::aggregate::AggregateRequest;
use ask::complete::CompleteRequest;
use ask::context::ContextRequest;
use ask::explain::ExplainRequest;
use ask::facets::FacetsRequest;
use ask::histogram::HistogramRequest;
use ask::overview::OverviewRequest;
use ask::search::{CountRequest, SearchRequest};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use error::{ApiError, Result};
use export::ExportRequest;
use logstead_config::settings::Settings;
use parking_lot::Mutex;
use question::cancel::Weight;
use question::describe::{got, posted, posted_or_got};
use question::turn::{Lane, Permit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tail::TailRequest;
use tokio::sync::Semaphore;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    Components, ContentBuilder, Info, License, OpenApi, Ref, RefOr, Response as Answer, ResponseBuilder,
    SecurityRequirement,
};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Passwords that are hashed at a time: each takes 19 MiB and some 20 ms.
const PASSWORDS_MAX: usize = 2;
/// Calls of the database at a time. It has one writer, so more would hold threads and be no faster.
const META_CALLS_MAX: usize = 4;
/// How long a request waits for its turn before it is told to come again.
const TURN_WAIT_MAX: Duration = Duration::from_secs(10);
/// Searches that take no time and run beside the others: one of each caller.
const INSTANT_SEARCHES_MAX: usize = 2;

/// What the API is made of.
pub struct ApiState {
    /// Users, sessions, tokens, revisions.
    pub meta: Meta,
    /// Where messages go and are found.
    pub pipeline: Arc<Pipeline>,
    /// The process's settings.
    pub settings: Arc<Settings>,
    /// A token that is an administrator's (`LOGSTEAD_ADMIN_TOKEN`).
    pub admin_token: Option<String>,
    /// What the first administrator is made with; printed when the server starts.
    pub setup_code: Option<String>,
}

/// The state with what limits requests, as handlers share it.
type Shared = Arc<Inner>;

struct Inner {
    state: ApiState,
    throttle: Mutex<Throttle>,
    passwords: Semaphore,
    meta_calls: Semaphore,
    /// Somebody can log in, which stays so: the last administrator cannot be removed.
    is_set_up: AtomicBool,
    /// Where searches run.
    searches: Lane,
    /// Where those run that take no time, when others have to wait.
    instant_searches: Lane,
    /// What ingest takes of the memory.
    ingest: operate::ingest::Memory,
    /// Held by the one verification that runs: it reads everything.
    verifying: Arc<Semaphore>,
    /// Tails that are open.
    tails: Arc<Semaphore>,
    /// Tails that look at what was stored: no more at once than the machine has use for.
    tail_turns: Semaphore,
    /// Exports that run.
    exports: Arc<Semaphore>,
    /// What searches use besides the threads they run on.
    lanes: SharedLanes,
}

/// Everything that the web listener answers. Serve it with
/// `into_make_service_with_connect_info::<SocketAddr>()`: ingested messages and failed logins tell the address.
pub fn app(state: ApiState) -> Router {
    let shared = Inner::new(state);
    let mut app = OpenApiRouter::<Shared>::new();
    for (needs, routes) in routes() {
        app = app.merge(match needs {
            Needs::Nothing => routes,
            needs => routes.route_layer(from_fn_with_state((shared.clone(), needs), access::require)),
        });
    }
    let (app, _) = app.split_for_parts();
    app.method_not_allowed_fallback(wrong_method)
        .fallback_service(assets::service())
        .with_state(shared.clone())
        .layer(from_fn_with_state(shared, peer::identify))
        .layer(from_fn(with_headers))
}

/// The description of the whole API; `web/openapi.json` is this.
pub fn openapi() -> OpenApi {
    let mut all = OpenApi::new(info(), utoipa::openapi::Paths::new());
    for (needs, routes) in routes() {
        let mut part = routes.into_openapi();
        for item in part.paths.paths.values_mut() {
            let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
            operations.into_iter().flatten().for_each(|operation| describe(operation, needs));
        }
        all.merge(part);
    }
    all.info = info();
    all.components.get_or_insert_with(Components::new).security_schemes.extend(security_schemes());
    let schemas = &mut all.components.get_or_insert_with(Components::new).schemas;
    for (name, schema) in problem_schemas() {
        schemas.insert(name, schema);
    }
    let missing = limits::describe(&mut all);
    assert!(missing.is_empty(), "limits of what the API does not have: {}", missing.join(", "));
    all
}

/// Every route with what it needs of who asks.
fn routes() -> [(Needs, OpenApiRouter<Shared>); 5] {
    let public = OpenApiRouter::new()
        .routes(routes!(access::session::get_session, access::session::log_in, access::session::log_out))
        .routes(routes!(access::session::set_up))
        .routes(routes!(operate::system::healthz))
        .routes(routes!(operate::system::readyz));
    let analyst = OpenApiRouter::new()
        .routes(posted_or_got::<SearchRequest>(routes!(ask::search::search), get(ask::search::search)))
        .routes(posted_or_got::<CountRequest>(routes!(ask::search::count), get(ask::search::count)))
        .routes(routes!(ask::search::message))
        .routes(got::<ContextRequest>(routes!(ask::context::context)))
        .routes(posted_or_got::<HistogramRequest>(
            routes!(ask::histogram::histogram),
            get(ask::histogram::histogram),
        ))
        .routes(posted_or_got::<FacetsRequest>(routes!(ask::facets::facets), get(ask::facets::facets)))
        .routes(posted_or_got::<AggregateRequest>(
            routes!(ask::aggregate::aggregate),
            get(ask::aggregate::aggregate),
        ))
        .routes(posted::<ExplainRequest>(routes!(ask::explain::explain)))
        .routes(posted::<CompleteRequest>(routes!(ask::complete::complete)))
        .routes(routes!(ask::query::query))
        .routes(posted::<OverviewRequest>(routes!(ask::overview::overview)))
        .routes(got::<TailRequest>(routes!(tail::tail)))
        .routes(got::<ExportRequest>(routes!(export::export)))
        .routes(routes!(saved_searches::list, saved_searches::create))
        .routes(routes!(saved_searches::replace, saved_searches::remove))
        .routes(routes!(saved_searches::used))
        .routes(routes!(operate::logspaces::logspaces))
        .routes(routes!(operate::system::openapi_json))
        .routes(routes!(access::accounts::change_password));
    // Storing is here, as who sees a part must not be able to fill the rest.
    let everything = OpenApiRouter::new()
        .routes(routes!(operate::ingest::ingest))
        .routes(routes!(router::get_router))
        .routes(routes!(router::validate))
        .routes(routes!(router::revisions))
        .routes(routes!(router::revision))
        .routes(routes!(router::difference))
        .routes(routes!(router::status))
        .routes(routes!(operate::system::metrics));
    let operator = OpenApiRouter::new()
        .routes(routes!(router::put_router))
        .routes(routes!(router::roll_back))
        .routes(routes!(operate::logspaces::retention_preview))
        .routes(routes!(operate::logspaces::verify));
    let admin = OpenApiRouter::new()
        .routes(routes!(access::accounts::list_users, access::accounts::create_user))
        .routes(routes!(access::accounts::change_user, access::accounts::remove_user))
        .routes(routes!(access::accounts::list_tokens, access::accounts::create_token))
        .routes(routes!(access::accounts::remove_token))
        .routes(routes!(operate::logspaces::resume_retention))
        .routes(routes!(access::accounts::audit));
    [
        (Needs::Nothing, public),
        (Needs::Role(Role::Analyst), analyst),
        (Needs::Everything, everything),
        (Needs::Role(Role::Operator), operator),
        (Needs::Role(Role::Admin), admin),
    ]
}

impl Inner {
    fn new(state: ApiState) -> Shared {
        let limits = &state.settings.limits;
        let searches_max = limits.searches_max.max(1) as usize;
        let (tails_max, exports_max) = (limits.tails_max as usize, limits.exports_max as usize);
        let ingest = operate::ingest::Memory::for_bodies_of(limits.ingest_body_max.as_usize());
        Arc::new(Inner {
            state,
            throttle: Mutex::default(),
            passwords: Semaphore::new(PASSWORDS_MAX),
            meta_calls: Semaphore::new(META_CALLS_MAX),
            is_set_up: AtomicBool::new(false),
            searches: Lane::new(searches_max, searches_max),
            instant_searches: Lane::new(INSTANT_SEARCHES_MAX, 1),
            ingest,
            verifying: Arc::new(Semaphore::new(1)),
            tails: Arc::new(Semaphore::new(tails_max)),
            tail_turns: Semaphore::new(crate::machine::cores()),
            exports: Arc::new(Semaphore::new(exports_max)),
            lanes: SharedLanes::default(),
        })
    }

    /// Runs a call of the database on a blocking thread.
    async fn meta<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Meta) -> crate::meta::Result<T> + Send + 'static,
    ) -> Result<T> {
        let Ok(Ok(_turn)) = tokio::time::timeout(TURN_WAIT_MAX, self.meta_calls.acquire()).await else {
            return Err(busy("too many requests need the database at once"));
        };
        let meta = self.state.meta.clone();
        Ok(blocking(move || call(&meta)).await??)
    }

    /// Whether anybody can log in. Strangers may ask as often as they like, so the database is asked until it says yes.
    async fn is_set_up(&self) -> Result<bool> {
        if !self.is_set_up.load(Ordering::Relaxed) && self.meta(Meta::has_users).await? {
            self.is_set_up.store(true, Ordering::Relaxed);
        }
        Ok(self.is_set_up.load(Ordering::Relaxed))
    }

    /// Writes down what was done. What cannot be written waits: it has been done all the same.
    async fn audit(&self, actor: Actor, action: &'static str, detail: String) {
        let meta = self.state.meta.clone();
        let written = blocking(move || meta.add_audit(&actor, action, &detail, clock::now()));
        // Nothing but a bug ends it, which has been logged.
        written.await.ok();
    }

    async fn password_permit(&self) -> Result<tokio::sync::SemaphorePermit<'_>> {
        match tokio::time::timeout(TURN_WAIT_MAX, self.passwords.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(busy("too many people log in at once")),
        }
    }

    /// Waits for a search's turn, unless it takes no time.
    async fn search_permit(&self, caller: &Caller, weight: Weight) -> Result<Permit> {
        if let Some(permit) = self.searches.enter_now(caller) {
            return Ok(permit);
        }
        // Who has no room here, too, waits among the others.
        if let Weight::Unknown(is_instant) = weight
            && let Ok(permit) = self.instant_searches.enter(caller).await
            && let (true, permit) = blocking(move || (is_instant(), permit)).await?
        {
            return Ok(permit);
        }
        self.searches.enter(caller).await
    }

    /// What memory one answer may take.
    fn query_memory_max(&self) -> usize {
        self.state.settings.limits.query_memory_max.as_usize()
    }

    fn session_limits(&self) -> SessionLimits {
        let web = &self.state.settings.web;
        SessionLimits { idle_max: web.session_lifetime.duration(), age_max: web.session_max.duration() }
    }
}

/// Runs what blocks where it may.
async fn blocking<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(call).await.map_err(ApiError::internal)
}

/// 503: another time.
fn busy(reason: &str) -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, format!("{reason}: try again")).retry_after_seconds(1)
}

async fn wrong_method(request: Request) -> ApiError {
    let detail = format!("{} is not answered at {}", request.method(), request.uri().path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}

/// Headers that keep browsers from doing with our answers what we do not mean.
async fn with_headers(request: Request, next: Next) -> Response {
    const HEADERS: [(HeaderName, &str); 4] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    let path = request.uri().path();
    let is_api = path.starts_with("/api/") || matches!(path, "/metrics" | "/readyz" | "/healthz");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_api {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

fn info() -> Info {
    let mut info = Info::new("Logstead", env!("CARGO_PKG_VERSION"));
    info.description = Some(
        "Send, search and route log messages. Every answer that is no success is a problem (RFC 9457)."
            .to_owned(),
    );
    info.license = Some(License::builder().name("Apache-2.0").identifier(Some("Apache-2.0")).build());
    info
}

/// Adds what all operations that need the same have in common.
fn describe(operation: &mut utoipa::openapi::path::Operation, needs: Needs) {
    let responses = &mut operation.responses.responses;
    for (status, response) in responses.iter_mut() {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            let status = StatusCode::from_bytes(status.as_bytes()).ok();
            let words = status.and_then(|status| status.canonical_reason()).unwrap_or("Done");
            words.clone_into(&mut response.description);
        }
    }
    responses.insert("default".to_owned(), RefOr::T(problem("What is wrong, and what to do")));
    let needed = match needs {
        Needs::Nothing => None,
        Needs::Role(role) => Some(format!("the role {role}")),
        Needs::Everything => Some("a grant of everything".to_owned()),
    };
    if let Some(needed) = needed {
        let empty: [&str; 0] = [];
        operation.security =
            Some(vec![SecurityRequirement::new("token", empty), SecurityRequirement::new("session", empty)]);
        responses.insert("401".to_owned(), RefOr::T(problem("Nobody is logged in")));
        responses.insert("403".to_owned(), RefOr::T(problem(&format!("Needs {needed}, or the CSRF token"))));
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
        access::COOKIE,
        "The session of a browser; changes also need the header X-CSRF-Token",
    );
    [
        ("token".to_owned(), RefOr::T(SecurityScheme::Http(token))),
        ("session".to_owned(), RefOr::T(SecurityScheme::ApiKey(ApiKey::Cookie(session)))),
    ]
}
