//! The console's files, and paths that do not belong to the API.
//!
//! Keywords: static files, security headers, 404, 405, shutdown.

use super::calls::{Answer, As, Server};
use super::description::{ROUTES, address};
use crate::in_process::ROUTER;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use logstead_api as api;
use logstead_config::settings::{Layers, load};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn no_console_lies_below_the_beginning_of_one_of_our_own_paths() {
    let segment = |path: &str| path.split('/').nth(1).unwrap_or_default().to_owned();
    let description = api::openapi();
    let paths = description["paths"].as_object().unwrap();
    let described = paths.keys().map(|path| segment(path)).collect::<Vec<_>>();
    let shippers = api::ecosystem().into_iter().map(|(_, path, _)| segment(path));
    let routes = include_str!("../../../web/src/app/routes.tsx");
    let pages = routes.split("path: '").skip(1).filter_map(|rest| rest.split('\'').next()).map(segment);
    let own: BTreeSet<String> = described.into_iter().chain(shippers).chain(pages).collect();
    assert!(own.contains("search") && own.contains("loki") && own.contains("healthz"), "{own:?}");
    for first in own.iter().filter(|first| !first.is_empty() && !first.starts_with('{')) {
        let layers = |url: &str| Layers { set: vec![format!("web.public_url={url}")], ..Layers::default() };
        assert!(load(&layers(&format!("https://intra/{first}"))).is_err(), "{first}");
        assert!(load(&layers(&format!("https://intra/x{first}"))).is_ok(), "{first}");
    }
}

/// Requests a path with this `Accept` header, like a browser or like a program.
async fn opened(server: &Server, method: Method, path: &str, accept: &str) -> Answer {
    let request = Request::builder().method(method).uri(path).header(header::ACCEPT, accept);
    server.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn what_is_no_api_is_the_console_for_browsers_and_they_are_kept_safe() {
    let server = Server::with_admin();
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (path, accept) in [("/", browser), ("/search?q=a", browser), ("/router", browser)] {
        let answer = opened(&server, Method::GET, path, accept).await;
        assert!(matches!(answer.status.as_u16(), 200 | 503), "{path}: {}", answer.status);
        assert!(answer.header("content-type").starts_with("text/html"), "{path}");
        assert!(answer.header("content-security-policy").contains("default-src 'self'"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    for (path, accept) in [
        ("/search?q=a", "*/*"),
        ("/search", "application/json"),
        ("/nothing/here", "*/*"),
        ("/assets/none.js", browser),
        ("/api/nothing", browser),
        ("/api", browser),
    ] {
        let path_alone = path.split('?').next().unwrap();
        opened(&server, Method::GET, path, accept).await.is_problem(404, path_alone);
        opened(&server, Method::POST, path_alone, "*/*").await.is_problem(404, path_alone);
    }
    for path in ["/api/v1/session", "/metrics", "/readyz", "/healthz"] {
        assert_eq!(server.get(path).await.header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_know_is_told_which_it_knows() {
    let server = Server::with_admin();
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for &(method, path, _) in ROUTES {
        let methods = known.entry(path).or_default();
        methods.insert(method);
        if method == "GET" {
            methods.insert("HEAD");
        }
    }
    // The file of the console's page.
    known.insert("/", ["GET", "HEAD"].into());
    for (path, methods) in known {
        let all = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"];
        for method in all.into_iter().filter(|method| !methods.contains(method)) {
            let accept = if path == "/" { "text/html" } else { "*/*" };
            let answer = opened(&server, method.parse().unwrap(), &address(path), accept).await;
            assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            let allowed = answer.header("allow").split(',').map(str::trim).collect::<BTreeSet<_>>();
            assert_eq!(allowed, methods, "{method} {path}");
            if method != "HEAD" {
                answer.is_problem(405, method);
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_stops_takes_no_more() {
    let server = Server::with_admin();
    server.pipeline.stop();
    let refused = server.ingest("", "text/plain", "hello").await;
    refused.is_problem(503, "stopping");
    assert!(!refused.header("retry-after").is_empty());
    server
        .put_router("\"1\"", "application/toml", ROUTER.replace("stays", "goes"))
        .await
        .is_problem(503, "stopping");
    assert_eq!(
        server.call(Method::GET, "/readyz", &As::default(), "", "").await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
}
