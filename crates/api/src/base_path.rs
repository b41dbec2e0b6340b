//! The console and the API below a path of a host, if a reverse proxy serves them there: `https://intra/logs`.
//!
//! Some proxies remove the path before they forward a request and some do not, so both forms are answered: the path
//! is removed here if it is still present. The settings refuse a path that begins like one of our own, so the two
//! cannot be confused.

use super::assets::Base;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

/// The same application, which also answers below `base`.
pub(super) fn serve_below(base: &Base, app: Router) -> Router {
    if base.is_empty() {
        return app;
    }
    // Wraps the application in a router that has no routes, because a layer only sees a request after its own router
    // has matched the path.
    Router::new().fallback_service(app).layer(from_fn_with_state(base.clone(), without_base))
}

async fn without_base(State(base): State<Base>, mut request: Request, next: Next) -> Response {
    if let Some(uri) = stripped(request.uri(), &base) {
        *request.uri_mut() = uri;
    }
    next.run(request).await
}

/// The address without the path; `None` if it is not below it.
fn stripped(uri: &Uri, base: &str) -> Option<Uri> {
    let rest = uri.path_and_query()?.as_str().strip_prefix(base)?;
    let path = match rest.bytes().next() {
        Some(b'/') => rest.to_owned(),
        None | Some(b'?') => format!("/{rest}"),
        Some(_) => return None,
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_removed_once_and_only_where_it_ends() {
        for (uri, expected) in [
            ("/logs/search?q=/logs", Some("/search?q=/logs")),
            ("/logs", Some("/")),
            ("/logs/", Some("/")),
            ("/logs?q=a", Some("/?q=a")),
            ("/logs/logs/x", Some("/logs/x")),
            ("https://intra/logs/api/v1/about", Some("https://intra/api/v1/about")),
            ("/logs//x", Some("//x")),
            ("/logspaces", None),
            ("/search", None),
            ("/LOGS/search", None),
            ("/", None),
            ("*", None),
        ] {
            let found = stripped(&uri.parse().unwrap(), "/logs").map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{uri}");
        }
    }
}
