//! The HTTP API and the console: `app(state)` → [`axum::Router`], tested without a socket.
//!
//! | folder      | owns                                                        |
//! |-------------|-------------------------------------------------------------|
//! | `access/`   | who may do what: callers, logins, accounts                  |
//! | `question/` | what all questions to the store share, and when they run    |
//! | `ask/`      | the questions, a file for each                              |
//! | `tail/`     | messages as they are stored                                 |
//! | `router/`   | the router document and its revisions                       |
//! | `operate/`  | storing messages, logspaces, health                         |
//!
//! `error` ← `access/caller` ← `state` ← the rest of `access/` ← `question/` ← {`ask/`, `tail/`, `operate/`, …} ←
//! `routes` ← `openapi`.
//!
//! **Invariant:** every unsuccessful response under `/api/` is a [`error::Problem`].

mod access;
mod ask;
mod assets;
mod error;
mod export;
mod extract;
mod headers;
mod limits;
mod openapi;
mod operate;
mod peer;
mod question;
mod router;
mod routes;
mod saved_searches;
mod state;
mod stream;
mod tail;
mod waiting;

pub use openapi::openapi;
pub use state::ApiState;

use access::{Needs, authenticate};
use axum::Router;
use axum::extract::{Extension, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use error::ApiError;
use operate::system::Description;
use state::{Inner, Shared};
use utoipa_axum::router::OpenApiRouter;

/// Everything that the web listener answers. Serve it with
/// `into_make_service_with_connect_info::<SocketAddr>()`: ingested messages and failed logins record the address.
pub fn app(state: ApiState) -> Router {
    let settings = state.settings.clone();
    let shared = Inner::new(state);
    let mut app = OpenApiRouter::<Shared>::new();
    for (needs, routes) in routes::routes() {
        app = app.merge(match needs {
            Needs::Nothing => routes,
            needs => routes.route_layer(from_fn_with_state((shared.clone(), needs), authenticate::require)),
        });
    }
    let (app, _) = app.split_for_parts();
    app.method_not_allowed_fallback(wrong_method)
        .fallback_service(assets::service())
        .with_state(shared)
        .layer(Extension(Description(openapi)))
        .layer(from_fn_with_state(settings, peer::identify))
        .layer(from_fn(headers::with_headers))
}

async fn wrong_method(request: Request) -> ApiError {
    let detail = format!("{} is not answered at {}", request.method(), request.uri().path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}
