//! Logins with a browser: cookies, guesses, proxies.
//!
//! Keywords: login, cookie, CSRF, brute force, throttle, rate_limit, proxy, X-Forwarded-For.

use super::calls::{Answer, As, PASSWORD, Server, admin};
use super::description::{ROUTES, address};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode, header};
use logstead_accounts::Role;
use logstead_config::settings::Settings;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tower::ServiceExt;

#[tokio::test]
async fn a_change_made_with_the_cookie_carries_the_csrf_token() {
    let server = Server::with_admin();
    let session = server.log_in("ada").await;
    let without = As { csrf: None, ..session.clone() };
    let wrong = As { csrf: Some("guess".to_owned()), ..session.clone() };
    for &(method, path, needed) in ROUTES {
        let method: Method = method.parse().unwrap();
        if needed.is_none() {
            continue;
        }
        for who in [&without, &wrong] {
            let answer = server.call(method.clone(), &address(path), who, "", "").await;
            if method.is_safe() {
                assert_ne!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
            } else {
                answer.is_problem(403, "X-CSRF-Token");
            }
        }
        let answer = server.call(method.clone(), &address(path), &session, "", "").await;
        assert_ne!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
    }
    server.call(Method::DELETE, "/api/v1/session", &without, "", "").await.is_problem(403, "X-CSRF-Token");
    let out = server.call(Method::DELETE, "/api/v1/session", &session, "", "").await;
    assert_eq!(out.status, StatusCode::NO_CONTENT);
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    server.call(Method::GET, "/api/v1/users", &session, "", "").await.is_problem(401, "log in");
}

#[tokio::test]
async fn a_session_tells_who_is_logged_in() {
    let server = Server::with_admin();
    let nobody = server.call(Method::GET, "/api/v1/session", &As::default(), "", "").await.json();
    assert_eq!(nobody["authenticated"], false);
    assert_eq!(nobody["setup_required"], false);
    assert_eq!(nobody["user"], Value::Null);
    assert_eq!(nobody["csrf_token"], Value::Null);
    assert_eq!(nobody["version"], env!("CARGO_PKG_VERSION"));
    let login = json!({"name": "ADA", "password": PASSWORD});
    let answer = server.json(Method::POST, "/api/v1/session", &As::default(), &login).await;
    let cookie = answer.header("set-cookie");
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert_eq!(
        answer.json()["user"],
        json!({"name": "ada", "role": "admin", "logspaces": null, "scope": null})
    );
    let session = answer.session();
    let seen = server.call(Method::GET, "/api/v1/session", &session, "", "").await.json();
    assert_eq!(seen["csrf_token"].as_str(), session.csrf.as_deref());
    assert_eq!(seen["authenticated"], true);
    let old = As { cookie: Some("expired".to_owned()), ..As::default() };
    assert_eq!(
        server.call(Method::GET, "/api/v1/session", &old, "", "").await.json()["authenticated"],
        false
    );
}

#[tokio::test]
async fn guessing_a_password_becomes_slow_and_is_written_down() {
    let server = Server::with_admin();
    let guess = |password: &str| json!({"name": "ada", "password": password});
    let try_it = |body: Value| {
        let server = &server;
        async move { server.json(Method::POST, "/api/v1/session", &As::default(), &body).await }
    };
    for _ in 0..5 {
        try_it(guess("wrong horse")).await.is_problem(401, "name or password");
    }
    let refused = try_it(guess(PASSWORD)).await;
    refused.is_problem(429, "too many");
    assert!(0 < refused.header("retry-after").parse::<u32>().unwrap());
    try_it(json!({"name": "nobody", "password": "x"})).await.is_problem(401, "name or password");
    let audit = server.get("/api/v1/audit?limit=3").await.json();
    let actions: Vec<_> =
        audit["entries"].as_array().unwrap().iter().map(|e| (&e["user"], &e["action"])).collect();
    assert_eq!(actions[0], (&json!("nobody"), &json!("session.refused")));
    assert_eq!(actions[1], (&json!("ada"), &json!("session.refused")));
    assert_eq!(actions.len(), 3);
}

#[tokio::test]
async fn many_guesses_at_once_are_as_slow() {
    let server = Server::with_admin();
    let guess = json!({"name": "ada", "password": "wrong horse"});
    let guesses = (0..20).map(|_| {
        let request = Request::post("/api/v1/session").header(header::CONTENT_TYPE, "application/json");
        let app = server.app.clone();
        tokio::spawn(app.oneshot(request.body(Body::from(guess.to_string())).unwrap()))
    });
    let mut checked = 0;
    for guess in guesses.collect::<Vec<_>>() {
        checked += usize::from(guess.await.unwrap().unwrap().status() == StatusCode::UNAUTHORIZED);
    }
    assert!((5..=7).contains(&checked), "{checked} passwords were looked at");
}

#[tokio::test]
async fn a_borrowed_session_does_not_change_the_password() {
    let server = Server::with_admin();
    let ada = server.log_in("ada").await;
    let change = |body: Value| {
        let (server, ada) = (&server, &ada);
        async move { server.json(Method::PUT, "/api/v1/users/ADA/password", ada, &body).await }
    };
    let without = change(json!({"password": "another horse"})).await;
    without.is_problem(422, "current password");
    assert_eq!(without.json()["path"], "current_password");
    for _ in 0..5 {
        let wrong = change(json!({"password": "another horse", "current_password": "a guess"})).await;
        wrong.is_problem(422, "not your current password");
    }
    let slow = change(json!({"password": "another horse", "current_password": PASSWORD})).await;
    slow.is_problem(429, "too many");
    // An administrator may set any password, and a token has no password that could be required.
    let set = json!({"password": "third horse"});
    let set = server.json(Method::PUT, "/api/v1/users/ada/password", &admin(), &set).await;
    assert_eq!(set.status, StatusCode::NO_CONTENT);
    server.call(Method::GET, "/api/v1/users", &ada, "", "").await.is_problem(401, "log in");
}

#[tokio::test]
async fn passwords_and_names_that_do_harm_are_refused() {
    let server = Server::with_admin();
    let user = |name: &str, password: &str| json!({"name": name, "role": "analyst", "password": password});
    for password in ["password", "12345678", "        ", "Logstead2026!", "veronica1"] {
        let refused = server.post("/api/v1/users", &user("veronica", password)).await;
        refused.is_problem(422, "easy to guess");
        assert_eq!(refused.json()["path"], "password");
    }
    for name in ["LOGSTEAD_ADMIN_TOKEN", "\u{430}da", "\u{ff41}da", "system"] {
        let refused = server.post("/api/v1/users", &user(name, PASSWORD)).await;
        assert_eq!(refused.json()["path"], "name", "{}", refused.text());
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        let token = json!({"name": name, "role": "analyst"});
        let refused = server.post("/api/v1/tokens", &token).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let set = json!({"password": "changeme"});
    let refused = server.json(Method::PUT, "/api/v1/users/ada/password", &admin(), &set).await;
    refused.is_problem(422, "easy to guess");
    // A user from before there were rules for names can still log in.
    server.add_user("\u{430}da", Role::Analyst);
    server.log_in("\u{430}da").await;
}

/// Logs in like a browser that keeps its cookies and is behind a proxy.
async fn log_in_from(
    server: &Server,
    address: &str,
    device: Option<&str>,
    name: &str,
    password: &str,
) -> Answer {
    let mut request = Request::post("/api/v1/session")
        .header(header::CONTENT_TYPE, "application/json")
        .header("X-Forwarded-For", address)
        .header("X-Forwarded-Proto", "https")
        .extension(ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 4711))));
    if let Some(device) = device {
        request = request.header(header::COOKIE, format!("logstead_device={device}"));
    }
    let body = json!({"name": name, "password": password}).to_string();
    server.send(request.body(body.into()).unwrap()).await
}

/// The value and the attributes of a cookie that an answer sets.
fn cookie(answer: &Answer, name: &str) -> Option<(String, String)> {
    let set = answer.headers.get_all(header::SET_COOKIE).iter().map(|value| value.to_str().unwrap());
    let mut pairs = set.filter_map(|cookie| cookie.split_once('='));
    let (_, rest) = pairs.find(|(found, _)| *found == name)?;
    let (value, attributes) = rest.split_once(';').unwrap();
    Some((value.to_owned(), attributes.to_owned()))
}

#[tokio::test]
async fn failures_of_others_behind_one_proxy_do_not_lock_out_a_browser_that_is_known() {
    let server = Server::with_admin();
    let first = log_in_from(&server, "192.0.2.1", None, "ada", PASSWORD).await;
    let (device, attributes) = cookie(&first, "logstead_device").unwrap();
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/api/v1/session", "Max-Age=34560000"] {
        assert!(attributes.contains(attribute), "{attributes}");
    }
    // The proxy is not trusted, so all attempts come from its single address.
    for at in 0..24 {
        let failed = log_in_from(&server, "192.0.2.9", None, &format!("user{at}"), "wrong horse").await;
        assert!(matches!(failed.status.as_u16(), 401 | 429), "{}", failed.text());
    }
    log_in_from(&server, "192.0.2.1", None, "ada", PASSWORD).await.is_problem(429, "too many");
    log_in_from(&server, "192.0.2.1", Some("guess"), "ada", PASSWORD).await.is_problem(429, "too many");
    let known = log_in_from(&server, "192.0.2.1", Some(&device), "ADA", PASSWORD).await;
    assert_eq!(known.status, StatusCode::OK, "{}", known.text());
    assert_eq!(cookie(&known, "logstead_device").unwrap().0, device);
    // A known device has its own count of failures, and is known for its user only.
    for _ in 0..5 {
        log_in_from(&server, "192.0.2.1", Some(&device), "ada", "wrong horse").await.is_problem(401, "wrong");
    }
    log_in_from(&server, "192.0.2.1", Some(&device), "ada", PASSWORD).await.is_problem(429, "too many");
    log_in_from(&server, "192.0.2.1", Some(&device), "bo", "x").await.is_problem(429, "too many");
}

fn trusting(settings: &mut Settings) {
    settings.web.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
}

#[tokio::test]
async fn behind_a_trusted_proxy_failures_count_where_they_come_from_and_a_name_has_a_limit_too() {
    let server = Server::start(trusting);
    server.add_user("ada", Role::Admin);
    for at in 0..20 {
        let failed = log_in_from(&server, &format!("192.0.2.{at}"), None, "ada", "wrong horse").await;
        failed.is_problem(401, "name or password");
    }
    log_in_from(&server, "198.51.100.1", None, "ada", PASSWORD).await.is_problem(429, "too many");
    log_in_from(&server, "192.0.2.1", None, "bo", "x").await.is_problem(401, "name or password");
    let audit = server.get("/api/v1/audit?limit=1").await.json();
    assert_eq!(audit["entries"][0]["detail"], "from 192.0.2.1");
}

#[tokio::test]
async fn cookies_are_secure_where_browsers_come_over_tls() {
    let behind = Server::start(trusting);
    let public = Server::start(|settings| settings.web.public_url = "https://logs.example.org".to_owned());
    let plain = Server::start(|_| {});
    for (server, secure) in [(&behind, true), (&public, true), (&plain, false)] {
        server.add_user("ada", Role::Admin);
        let answer = log_in_from(server, "192.0.2.1", None, "ada", PASSWORD).await;
        let name = if secure { "__Host-logstead_session" } else { "logstead_session" };
        let (secret, attributes) = cookie(&answer, name).unwrap_or_else(|| panic!("{:?}", answer.headers));
        assert_eq!(attributes.contains("Secure"), secure, "{attributes}");
        assert_eq!(cookie(&answer, "logstead_device").unwrap().1.contains("Secure"), secure);
        let sent = format!("{name}={secret}");
        let request = Request::get("/api/v1/session").header(header::COOKIE, &sent);
        let session = server.send(request.body(Body::empty()).unwrap()).await.json();
        assert_eq!(session["authenticated"], true);
        // If TLS is required, only the cookie name that nobody else can set is accepted.
        let plainly =
            Request::get("/api/v1/session").header(header::COOKIE, format!("logstead_session={secret}"));
        let session_plainly = server.send(plainly.body(Body::empty()).unwrap()).await.json();
        assert_eq!(session_plainly["authenticated"], !std::ptr::eq(server, &public));
        let csrf = session["csrf_token"].as_str().unwrap();
        let request = Request::delete("/api/v1/session").header("X-CSRF-Token", csrf);
        let out = server.send(request.header(header::COOKIE, &sent).body(Body::empty()).unwrap()).await;
        assert_eq!(out.status, StatusCode::NO_CONTENT, "{}", out.text());
        assert!(cookie(&out, name).unwrap().1.contains("Max-Age=0"));
    }
}

#[tokio::test]
async fn below_a_path_cookies_are_of_that_path_whether_the_proxy_removes_it_or_not() {
    let beside = Server::start(|settings| settings.web.public_url = "https://intra/logs/".to_owned());
    let plain = Server::start(|settings| settings.web.public_url = "http://intra/logs".to_owned());
    for (server, name) in [(&beside, "__Secure-logstead_session"), (&plain, "logstead_session")] {
        server.add_user("ada", Role::Admin);
        let answer = log_in_from(server, "192.0.2.1", None, "ada", PASSWORD).await;
        let (secret, attributes) = cookie(&answer, name).unwrap_or_else(|| panic!("{:?}", answer.headers));
        assert!(attributes.contains("Path=/logs;"), "{attributes}");
        assert!(cookie(&answer, "logstead_device").unwrap().1.contains("Path=/logs/api/v1/session;"));
        for path in ["/api/v1/session", "/logs/api/v1/session"] {
            let sent = format!("__Host-logstead_session=other; {name}={secret}");
            let request = Request::get(path).header(header::COOKIE, sent).body(Body::empty()).unwrap();
            assert_eq!(server.send(request).await.json()["authenticated"], true, "{path}");
        }
        let request = Request::delete("/logs/api/v1/session").body(Body::empty()).unwrap();
        let out = server.send(request).await;
        assert!(cookie(&out, name).unwrap().1.contains("Path=/logs; Max-Age=0"), "{:?}", out.headers);
        // The console's page, other addresses, and missing ones.
        for (path, status) in [
            ("/logs", 200),
            ("/logs/", 200),
            ("/logs/healthz", 200),
            ("/logspaces", 404),
            ("/other/healthz", 404),
        ] {
            assert_eq!(server.get(path).await.status.as_u16(), status, "{path}");
        }
        let missing = server.get("/logs/api/v1/nothing").await;
        missing.is_problem(404, "/api/v1/nothing");
        assert_eq!(server.get("/logs/api/v1/session").await.header("cache-control"), "no-store");
    }
    let token = beside.get("/logs/api/v1/openapi.json").await;
    assert_eq!(token.json()["servers"], json!([{"url": "/logs"}]));
    assert_eq!(Server::start(|_| {}).get("/api/v1/openapi.json").await.json()["servers"][0]["url"], "/");
}
