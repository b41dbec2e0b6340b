//! `POST /router/trace`: the way of one message through the routes and their steps, with the reasons for each
//! decision.

use super::shown_message::ShownMessage;
use super::source_reader::SourceReader;
use super::why::{taken, why_left_out, why_not};
use crate::access::Call;
use crate::ask::search::by_id;
use crate::error::{ApiError, Result};
use crate::extract::Json;
use crate::router::draft::Draft;
use crate::waiting::blocking;
use logstead_config::{Checked, CheckedAction, CheckedRoute, RouteTarget};
use logstead_flow::machine::clock;
use logstead_record::{Batch, BatchBuilder};
use logstead_route::{Lookups, RouteEvent, Router, StepEvent, Watch, unfit};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The message to trace, and the document to use.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceRequest {
    /// A stored message: `LOGSPACE:SEQUENCE`.
    id: Option<String>,
    /// Alternatively, a message as it would be received.
    raw: Option<String>,
    /// The id of the source through which it is received.
    source: Option<String>,
    /// A draft, as TOML in a string or as JSON; by default the live document.
    #[schema(value_type = serde_json::Value, required = false)]
    document: Option<serde_json::Value>,
}

/// The way of a message through the routes.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Trace {
    /// The message as it was received.
    message: ShownMessage,
    source: String,
    /// Its targets, as `logspace:ID` and `destination:ID`; or `dropped:REASON`.
    outcome: Vec<String>,
    routes: Vec<RouteTrace>,
}

#[derive(Serialize, utoipa::ToSchema)]
struct RouteTrace {
    id: String,
    verdict: RouteVerdict,
    /// The reason in words.
    why: String,
    #[serde(rename = "final")]
    is_final: bool,
    /// The targets of the route.
    to: Vec<String>,
    steps: Vec<StepTrace>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum RouteVerdict {
    Taken,
    NotTaken,
}

#[derive(Serialize, utoipa::ToSchema)]
struct StepTrace {
    /// The number, counted from 1.
    step: usize,
    kind: String,
    verdict: StepVerdict,
    /// The reason in words.
    why: String,
    /// The message after the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    after: Option<ShownMessage>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum StepVerdict {
    Changed,
    Unchanged,
    Dropped,
    /// The step's own `where` does not match the message.
    Skipped,
    Failed,
}

/// Reports the way of a message, and the reasons: each route in order, and each step of those that take the message.
#[utoipa::path(
    post, path = "/api/v1/router/trace", operation_id = "trace_message", tag = "router", request_body = TraceRequest,
    responses((status = 200, body = Trace))
)]
pub(crate) async fn trace(call: Call, Json(request): Json<TraceRequest>) -> Result<axum::Json<Trace>> {
    let pipeline = call.shared.state.pipeline.clone();
    let live = pipeline.router();
    let checked = match &request.document {
        Some(document) => Arc::new(
            Draft::of_value(document, &live).and_then(Draft::checked).map_err(ApiError::of_document)?,
        ),
        None => live.checked.clone(),
    };
    let mut reader = SourceReader::new(&pipeline, &checked);
    let mut builder = BatchBuilder::new();
    let source = match (&request.id, &request.raw) {
        (Some(id), None) => {
            let (_, hit) = by_id(&call.shared, &call.caller, id.clone()).await?;
            reader.stored(&hit.batch, hit.row, &mut builder);
            String::from_utf8_lossy(hit.batch.source(hit.row)).into_owned()
        }
        (None, Some(raw)) => {
            let source = request.source.clone().ok_or_else(|| {
                ApiError::invalid("name the source that the message comes in through").path("source")
            })?;
            reader.pasted(raw, &source, clock::now(), &mut builder);
            source
        }
        _ => {
            let detail = "name a stored message with `id`, or send one with `raw` and `source`";
            return Err(ApiError::invalid(detail));
        }
    };
    let batch = Arc::new(builder.seal());
    let lookups = pipeline.lookups.tables.clone();
    blocking(move || axum::Json(traced(&checked, &lookups, &batch, source))).await
}

fn traced(checked: &Checked, lookups: &Lookups, batch: &Arc<Batch>, source: String) -> Trace {
    let router = Router::new(checked, lookups, None);
    let mut tracing = Tracer { checked, batch, routes: Vec::new() };
    let routed = router.route_watched(batch, &source, &mut tracing);
    let routes = tracing.routes;
    let name = |target: &RouteTarget| match target {
        RouteTarget::Logspace(id) => format!("logspace:{id}"),
        RouteTarget::Destination(id) => format!("destination:{id}"),
    };
    let mut outcome: Vec<String> =
        routed.deliveries.iter().map(|delivery| name(&router.targets[delivery.target])).collect();
    outcome.extend(routed.dropped.iter().map(|dropped| {
        let id = router.routes().nth(dropped.route).unwrap_or_default();
        format!("dropped:route:{id}/step:{}", dropped.step + 1)
    }));
    if !routed.disabled.is_empty() {
        outcome.push("dropped:destination_disabled".to_owned());
    }
    if outcome.is_empty() {
        outcome.push("dropped:no_route".to_owned());
    }
    Trace { message: ShownMessage::of(batch, 0), source, outcome, routes }
}

struct Tracer<'a> {
    checked: &'a Checked,
    batch: &'a Arc<Batch>,
    routes: Vec<RouteTrace>,
}

impl Tracer<'_> {
    fn why(&self, route: &CheckedRoute, at: &RouteEvent<'_>) -> (RouteVerdict, String) {
        let not = |why: String| (RouteVerdict::NotTaken, why);
        if !route.route.enabled {
            return not("it is disabled".to_owned());
        }
        match at {
            RouteEvent::OtherSource => not(format!("it takes messages only from {}", route.from.join(", "))),
            RouteEvent::Takes { taken: rows, .. } if rows.contains(0) => {
                (RouteVerdict::Taken, taken(&route.filter, self.batch, 0))
            }
            RouteEvent::Takes { ended, .. } if ended.contains(0) => {
                let by = self
                    .routes
                    .iter()
                    .rev()
                    .find(|route| route.verdict == RouteVerdict::Taken && route.is_final);
                not(format!(
                    "the message went no further than route {}, which is final",
                    by.map_or("", |route| &route.id)
                ))
            }
            RouteEvent::Takes { spoken_for, .. } if spoken_for.contains(0) => {
                let by = self.routes.iter().find(|route| route.verdict == RouteVerdict::Taken);
                not(format!(
                    "it is a fallback, and route {} took the message",
                    by.map_or("", |route| &route.id)
                ))
            }
            RouteEvent::Takes { .. } => not(why_left_out(&route.filter, &route.stages, self.batch, 0)),
        }
    }
}

impl Watch for Tracer<'_> {
    fn route(&mut self, number: usize, at: &RouteEvent<'_>) {
        let Some(route) = self.checked.routes.get(number) else { return };
        let (verdict, why) = self.why(route, at);
        self.routes.push(RouteTrace {
            id: route.route.id.clone(),
            verdict,
            why,
            is_final: route.route.is_final,
            to: route.route.to.clone(),
            steps: Vec::new(),
        });
    }

    fn step(&mut self, at: &StepEvent<'_>) {
        let Some(checked) = self.checked.routes.get(at.route).and_then(|route| route.steps.get(at.step))
        else {
            return;
        };
        let Some(row) = at.rows.iter().next() else { return };
        let filter = checked.filter.as_ref();
        let (verdict, why) = if at.dropped.contains(row) {
            let why = match &checked.action {
                CheckedAction::Drop(query) => taken(query, at.before, row),
                CheckedAction::Keep(query) => why_not(query, at.before, row),
                _ => "the step let enough messages like it through".to_owned(),
            };
            (StepVerdict::Dropped, why)
        } else if !at.concerned.contains(row) {
            (StepVerdict::Skipped, filter.map(|filter| why_not(filter, at.before, row)).unwrap_or_default())
        } else if at.failed.contains(row) {
            (StepVerdict::Failed, why_failed(&checked.action, at, row))
        } else if at.changed.contains(row) {
            let (before, after) = (ShownMessage::of(at.before, row), ShownMessage::of(at.after, row));
            (StepVerdict::Changed, format!("it changes {}", before.differs(&after).join(", ")))
        } else {
            (StepVerdict::Unchanged, "it leaves the message as it is".to_owned())
        };
        // A part of a step may have been done although another part failed.
        let after = at.changed.contains(row).then(|| ShownMessage::of(at.after, row));
        let step = StepTrace { step: at.step + 1, kind: at.kind.to_owned(), verdict, why, after };
        if let Some(route) = self.routes.last_mut() {
            route.steps.push(step);
        }
    }
}

/// The reason why a step could not be done as a whole, and the part that was done.
fn why_failed(action: &CheckedAction, at: &StepEvent<'_>, row: usize) -> String {
    if let CheckedAction::Parse { .. } = action {
        return "the text is not in this format: the message goes on as it is, flagged as unparsed"
            .to_owned();
    }
    let unfit: Vec<String> = unfit(action, at.before, row)
        .iter()
        .map(|(field, value)| format!("{} cannot be `{value}`", field.name()))
        .collect();
    let what = if unfit.is_empty() {
        "it could not be applied to this message".to_owned()
    } else {
        unfit.join(", ")
    };
    if !at.changed.contains(row) {
        return format!("{what}: the message goes on as it is");
    }
    let (before, after) = (ShownMessage::of(at.before, row), ShownMessage::of(at.after, row));
    format!("{what}; of the rest, it changes {}", before.differs(&after).join(", "))
}
