//! GELF over HTTP, as Graylog accepts it: `POST /gelf`, answered with 202 once the message is durable.

use super::incoming::Incoming;
use super::route::ProtocolRoute;
use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use axum::body::Body;
use axum::http::StatusCode;
use axum::routing::post;
use logstead_ingest::gelf::GelfBody;

pub(super) const ROUTES: &[ProtocolRoute] = &[ProtocolRoute::new(&["POST"], &["/gelf"], || post(gelf))];

async fn gelf(incoming: Incoming, body: Body) -> Result<StatusCode> {
    let (body, _room) = incoming.read(body, None).await?;
    let batches = incoming.decode(move |sender, max| GelfBody::of(body, sender, max)).await?;
    let stored = incoming.store(batches, None).await?.complete()?;
    match stored.refusals.first() {
        None => Ok(StatusCode::ACCEPTED),
        Some(first) => Err(ApiError::new(
            ProblemType::MessagesRefused,
            format!(
                "{} of {} messages were not accepted, and the others are stored; the first one, message {}: {}",
                stored.refused,
                stored.refused + stored.taken(),
                first.number,
                first.reason
            ),
        )),
    }
}
