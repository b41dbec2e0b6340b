//! Pages of lists, and the columns of answers.
//!
//! Keywords: pagination, cursor, limit, columns, field mask, audit, revisions, senders.

use super::calls::Server;
use logstead_accounts::Role;
use serde_json::{Value, json};

/// A list: its path, its member in answers, and the member that names an entry.
struct List(&'static str, &'static str, &'static str);

/// The names of the entries of all pages of a list.
async fn pages(server: &Server, List(path, list, name): &List, limit: usize) -> Vec<Value> {
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("{path}limit={limit}{cursor}")).await.json();
        let of_page = page[list].as_array().unwrap_or_else(|| panic!("{page}"));
        assert!(of_page.len() <= limit, "{page}");
        entries.extend(of_page.iter().map(|entry| entry[name].clone()));
        match page["cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return entries,
        }
    }
}

#[tokio::test]
async fn pages_of_a_list_have_each_entry_once() {
    let server = Server::with_admin();
    for number in 0..7 {
        server
            .ingest("", "application/json", json!({"host": format!("web-{number}"), "msg": "x"}).to_string())
            .await;
        let document = server.get("/api/v1/router?format=toml").await;
        let text = format!("{}\n# {number}\n", document.text());
        let applied = server.put_router(document.header("etag"), "application/toml", text).await;
        assert_eq!(applied.status, 200, "{}", applied.text());
    }
    for name in ["ana", "bo", "cy", "di", "eva", "flo", "gus"] {
        server.add_user(name, Role::Analyst);
        server.token(Role::Analyst);
    }
    let lists = [
        List("/api/v1/users?", "users", "name"),
        List("/api/v1/tokens?", "tokens", "id"),
        List("/api/v1/router/revisions?", "revisions", "revision"),
        List("/api/v1/audit?", "entries", "time"),
        List("/api/v1/senders?series=false&", "senders", "host"),
    ];
    for list in &lists {
        let all = pages(&server, list, 1000).await;
        assert!(7 <= all.len(), "{}: {all:?}", list.0);
        for limit in [1, 2, 3, all.len()] {
            assert_eq!(pages(&server, list, limit).await, all, "{} by {limit}", list.0);
        }
    }
}

#[tokio::test]
async fn a_cursor_of_another_list_is_refused() {
    let server = Server::with_admin();
    for number in 0..3 {
        server
            .ingest("", "application/json", json!({"host": format!("web-{number}"), "msg": "x"}).to_string())
            .await;
    }
    let cursor = server.get("/api/v1/senders?limit=1").await.json()["cursor"].as_str().unwrap().to_owned();
    let next = server.get(&format!("/api/v1/senders?limit=1&cursor={cursor}")).await.json();
    assert_eq!(next["senders"][0]["host"], "web-1");
    assert_eq!(next["total"], 3, "all are counted on every page");
    for path in ["/api/v1/senders?query=web&", "/api/v1/audit?", "/api/v1/router/revisions?"] {
        server.get(&format!("{path}cursor={cursor}")).await.is_problem(422, "another list");
    }
    for wrong in ["x", "AAAA", "%00"] {
        server
            .get(&format!("/api/v1/senders?cursor={wrong}"))
            .await
            .is_problem(422, "start again without it");
    }
    server.get("/api/v1/router/revisions?limit=0").await.is_problem(422, "1 to 1000");
    server.get("/api/v1/audit?limit=10001").await.is_problem(422, "1 to 10000");
}

#[tokio::test]
async fn a_search_returns_the_columns_that_were_asked_for() {
    let server = Server::with_admin();
    let message = json!({"host": "web-1", "msg": "hello", "status": "200", "tags": ["a", "b"]});
    server.ingest("", "application/json", message.to_string()).await;
    let question = json!({"query": "hello", "columns": ["status", "host", "tags", "absent", "severity"]});
    let found = server.post("/api/v1/search", &question).await.json();
    assert_eq!(found["columns"], question["columns"]);
    assert_eq!(found["messages"], json!([]));
    assert_eq!(found["rows"][0]["values"], json!(["200", "web-1", ["a", "b"], null, null]), "{found}");
    let id = found["rows"][0]["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/api/v1/messages/{id}")).await.json()["message"], "hello");
    let by_get =
        server.get("/api/v1/search?query=hello&columns=status,host,tags,absent,severity").await.json();
    assert_eq!(by_get["rows"], found["rows"]);
    let whole = server.post("/api/v1/search", &json!({"query": "hello"})).await.json();
    assert_eq!((&whole["rows"], &whole["columns"]), (&Value::Null, &Value::Null));
    server
        .post("/api/v1/search", &json!({"query": "hello", "columns": []}))
        .await
        .is_problem(422, "names no field");
}

#[tokio::test]
async fn a_table_with_too_many_rows_is_not_exported_in_part() {
    let server = Server::with_admin();
    let lines: String =
        (0..10_005).map(|number| json!({"n": number, "msg": "x"}).to_string() + "\n").collect();
    server.ingest("", "application/x-ndjson", lines).await;
    let path = "/api/v1/export?query=*%20%7C%20stats%20count()%20by%20n";
    server.get(path).await.is_problem(422, "the table has 10005 rows, and a table can have 10000");
    for (more, rows) in [("&limit=10000", 10_000), ("&limit=7", 7), ("%20%7C%20head%2010000", 10_000)] {
        let part = server.get(&format!("{path}{more}")).await;
        assert_eq!((part.status.as_u16(), part.text().lines().count()), (200, rows), "{more}");
    }
}

#[tokio::test]
async fn an_export_has_its_members_in_the_order_asked_for() {
    let server = Server::with_admin();
    let message = json!({"host": "web-1", "msg": "hello", "status": "200", "tags": ["a", "b"]});
    server.ingest("", "application/json", message.to_string()).await;
    let expected = "{\"status\":\"200\",\"tags\":[\"a\",\"b\"],\"host\":\"web-1\",\"absent\":null}\n";
    for asked in [
        "query=hello&columns=status,tags,host,absent",
        "query=hello%20%7C%20fields%20status,tags,host,absent",
    ] {
        assert_eq!(server.get(&format!("/api/v1/export?{asked}")).await.text(), expected, "{asked}");
    }
}
