//! The HTTP API and the console: `app(state)` → [`axum::Router`], tested without a socket.
//!
//! | folder      | owns                                                        |
//! |-------------|-------------------------------------------------------------|
//! | `access/`   | callers, logins, accounts, and their rights                 |
//! | `question/` | the common part of all questions to the store, and their turns |
//! | `ask/`      | the questions, a file for each                              |
//! | `tail/`     | messages as they are stored                                 |
//! | `router/`   | the router document and its revisions                       |
//! | `operate/`  | logspaces, destinations, health                             |
//! | `ingest/`   | storing messages, in every protocol that shippers speak     |
//! | `jobs/`     | long work that goes on without its client                   |
//!
//! `problem_type` ← `error` ← `access/caller` ← `state` ← the rest of `access/` ← `question/` ← {`ask/`, `tail/`, `operate/`, `ingest/`, …} ←
//! `routes` ← `openapi`.
//!
//! **Invariant:** every unsuccessful response under `/api/` is a [`error::Problem`], and every response has the id of its
//! request.

mod access;
mod ask;
mod assets;
mod base_path;
mod changes;
mod compress;
mod conditional;
mod deprecation;
mod error;
mod export;
mod export_job;
mod extract;
mod headers;
mod ingest;
mod jobs;
mod limits;
mod list;
mod misread;
mod objects;
mod observe;
mod openapi;
mod operate;
mod own_calls;
mod peer;
mod problem_type;
mod question;
mod redirect;
mod request_id;
pub mod revision;
mod router;
mod routes;
mod saved_searches;
mod state;
mod stream;
mod tail;
mod waiting;
pub mod web;

pub use ingest::ecosystem::ecosystem;
pub use openapi::openapi;
pub use own_calls::{OwnAnswer, OwnCalls};
pub use redirect::{Encrypted, redirect};
pub use state::{ApiState, ConsoleFiles, Process, WebSocket};

use crate::problem_type::ProblemType;
use access::gate::TokenGate;
use access::{Needs, authenticate};
use assets::Console;
use axum::Router;
use axum::extract::{Extension, Request};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::MethodRouter;
use error::ApiError;
use ingest::protocol::IngestProtocol;
use ingest::refusal_format;
use operate::description::Description;
use state::{ApiInner, SharedState};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// The applications of the web port's listeners.
pub struct Apps {
    /// The console and the API.
    pub console: Router,
    /// The metrics for everyone who can reach that port, and the health of the process.
    pub metrics: Router,
}

/// Console and API alone. Like requests to the web port, its requests need a peer address, because ingested messages
/// and failed logins record it.
pub fn app(state: ApiState) -> Router {
    apps(state).console
}

/// All applications, with one shared state.
pub fn apps(state: ApiState) -> Apps {
    let shared = ApiInner::new(state);
    let (meta, pace) = (shared.state.meta.clone(), shared.pace.clone());
    jobs::start::forget_in_time(&shared.jobs);
    shared.state.pipeline.admit_by(Arc::new(TokenGate { meta, pace }));
    let mut console = OpenApiRouter::<SharedState>::new();
    for (needs, routes) in routes::routes() {
        console = console.merge(match needs {
            Needs::Nothing => routes,
            needs => {
                let routes =
                    routes.route_layer(from_fn_with_state((shared.clone(), needs), authenticate::require));
                match needs {
                    Needs::Ingest(protocol) => {
                        routes.layer(from_fn_with_state(protocol, refusal_format::apply))
                    }
                    _ => routes,
                }
            }
        });
    }
    let (console, _) = console.split_for_parts();
    let (metrics, _) = routes::metrics().split_for_parts();
    let base: assets::Base = shared.state.settings.web.base().into();
    let files = shared.state.process.console.unwrap_or(|_| None);
    let embedded = Console { base: base.clone(), files };
    let console = console
        .route("/{index}", index(&shared, &embedded))
        .fallback_service(assets::service(embedded.clone()));
    let description = Description::new(openapi, base.to_string());
    let console = console.layer(Extension(Arc::new(description)));
    Apps {
        console: base_path::serve_below(&base, finished(console, &shared)),
        metrics: finished(metrics.fallback(nothing), &shared),
    }
}

/// The console's addresses of one word, and the requests of Elasticsearch's clients for an index of that name.
fn index(shared: &SharedState, console: &Console) -> MethodRouter<SharedState> {
    let needs = Needs::Ingest(IngestProtocol::Elastic);
    ingest::index()
        .route_layer(from_fn_with_state((shared.clone(), needs), authenticate::require))
        .layer(from_fn_with_state(IngestProtocol::Elastic, refusal_format::apply))
        .layer(from_fn_with_state(console.clone(), assets::first))
        .fallback_service(assets::service(console.clone()))
}

/// Adds the layers that all answers share.
fn finished(app: Router<SharedState>, shared: &SharedState) -> Router {
    let settings = shared.state.settings.clone();
    app.method_not_allowed_fallback(wrong_method)
        .with_state(shared.clone())
        .layer(compress::layer())
        .layer(from_fn_with_state(settings.clone(), headers::with_headers))
        .layer(from_fn_with_state(settings, peer::identify))
        .layer(from_fn_with_state(shared.clone(), observe::observe))
        .layer(from_fn(request_id::name))
}

async fn nothing(request: Request) -> ApiError {
    ApiError::not_found(format!(
        "there is nothing at {}: this address serves only /metrics, /healthz and /readyz",
        request.uri().path()
    ))
}

async fn wrong_method(request: Request) -> ApiError {
    let detail = format!("{} is not allowed at {}", request.method(), request.uri().path());
    ApiError::new(ProblemType::MethodNotAllowed, detail)
}
