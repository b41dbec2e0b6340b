//! A report on this server as a single text, for those who help with it. It is meant to be read before it is passed
//! on.
//!
//! **Invariant:** it holds no secret and no message of a sender.

use super::about::{in_force, what};
use super::certificates::files;
use super::senders::{SenderFilter, listed};
use crate::error::Result;
use crate::state::{ApiInner, SharedState};
use crate::waiting::blocking;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use logstead_config::redacted;
use logstead_flow::machine::clock;
use logstead_pipeline::internal;
use serde::Serialize;

/// Maximum length of a section; a longer one is cut, and says so.
const SECTION_BYTES_MAX: usize = 1 << 20;
/// Maximum number of senders that are listed.
const SENDERS_MAX: usize = 200;

/// Everything that helps to diagnose this server, as one text in sections: version and machine, settings, the router
/// document without its secrets, states and counters, logspaces, senders, certificates, metrics and the newest lines of
/// its own log. It holds no messages of senders.
#[utoipa::path(
    get, path = "/api/v1/support-report", operation_id = "get_support_report", tag = "system",
    responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn support_report(State(shared): State<SharedState>) -> Result<impl IntoResponse> {
    let books = shared.meta(|meta| Ok(meta.books_status())).await?;
    let text = blocking(move || report(&shared, &format!("{books:?}"))).await?;
    let name = format!("attachment; filename=\"logstead-support-{}.txt\"", stamp());
    Ok((
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, name)],
        text,
    ))
}

/// The current time, for use in a file name.
fn stamp() -> String {
    let time = clock::now().to_string();
    time.chars().take("2026-01-02T03:04:05".len()).map(|c| if c == ':' { '-' } else { c }).collect()
}

fn report(shared: &ApiInner, books: &str) -> String {
    let pipeline = &shared.state.pipeline;
    let live = pipeline.router();
    let mut text = format!(
        "Logstead support report, {}\n\nIt holds no passwords, tokens, keys or messages of senders. It does hold \
         names of hosts, addresses, users of destinations and folders: read it before you pass it on.\n",
        clock::now()
    );
    let ready = match pipeline.ready() {
        Ok(()) => "ready\n".to_owned() + &pipeline.partly_failed().join("\n"),
        Err(reasons) => "not ready\n".to_owned() + &reasons.join("\n"),
    };
    let settings = in_force(shared).into_iter().map(|setting| {
        let place = if setting.place.is_empty() { "default" } else { &setting.place };
        format!("{} = {}  ({place})\n", setting.key, setting.value)
    });
    let sections = [
        ("About", pretty(&what(shared))),
        ("Ready", ready),
        ("Settings", settings.collect()),
        ("Router document", pretty(&redacted(&live.document))),
        ("State", pretty(&pipeline.status())),
        ("Logspaces", pretty(&pipeline.logspaces())),
        ("Senders", senders(shared)),
        ("Certificates", pretty(&files(shared))),
        ("Database", books.to_owned()),
        ("Metrics", pipeline.metrics_text()),
        ("Newest lines of its own log", internal::recent().join("\n")),
    ];
    sections.iter().for_each(|(title, body)| add_section(&mut text, title, body));
    text
}

/// Adds a section, up to its limit.
fn add_section(text: &mut String, title: &str, body: &str) {
    *text += &format!("\n=== {title} ===\n");
    let (shown, rest) = body.split_at(body.floor_char_boundary(SECTION_BYTES_MAX));
    *text += shown.trim_end();
    if !rest.is_empty() {
        *text += &format!("\n… {} more bytes are left out", rest.len());
    }
    text.push('\n');
}

/// One line for each sender, without its figures over time and without its skew.
fn senders(shared: &ApiInner) -> String {
    let wanted = SenderFilter { limit: SENDERS_MAX, ..SenderFilter::default() };
    let mut report = serde_json::to_value(listed(shared, &wanted)).unwrap_or_default();
    let mut rows = report["senders"].take();
    let rows = rows.as_array_mut().into_iter().flatten().map(|row| {
        for key in ["series", "skew_bins"] {
            row[key].take();
        }
        row.to_string()
    });
    [report.to_string()].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("cannot be shown: {error}"))
}
