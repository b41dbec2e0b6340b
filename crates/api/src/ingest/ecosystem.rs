//! The paths that other systems' shippers send to and ask first, outside `/api`, and the requirements for their
//! callers.
//!
//! They are not in the description of the API: their own documents describe them. Tests go through this table instead.

use super::protocol::IngestProtocol;
use super::route::ProtocolRoute;
use super::{datadog, elastic, gelf, journal, loki, otlp, splunk};
use crate::access::Needs;
use crate::state::SharedState;
use utoipa_axum::router::OpenApiRouter;

/// All of them, by their requirement.
pub(crate) const ECOSYSTEM: [(Needs, &[ProtocolRoute]); 9] = [
    (Needs::Ingest(IngestProtocol::Elastic), elastic::ROUTES),
    (Needs::Ingest(IngestProtocol::Loki), loki::ROUTES),
    (Needs::Nothing, loki::PUBLIC),
    (Needs::Ingest(IngestProtocol::Splunk), splunk::ROUTES),
    (Needs::Nothing, splunk::PUBLIC),
    (Needs::Ingest(IngestProtocol::Datadog), datadog::ROUTES),
    (Needs::Ingest(IngestProtocol::Otlp), otlp::ROUTES),
    (Needs::Ingest(IngestProtocol::Gelf), gelf::ROUTES),
    (Needs::Ingest(IngestProtocol::Journal), journal::ROUTES),
];

/// The same as routers.
pub(crate) fn routes() -> impl Iterator<Item = (Needs, OpenApiRouter<SharedState>)> {
    ECOSYSTEM.into_iter().map(|(needs, routes)| {
        let paths = routes.iter().flat_map(|route| route.paths.iter().map(|path| (*path, route.answer)));
        (needs, paths.fold(OpenApiRouter::new(), |router, (path, answer)| router.route(path, answer())))
    })
}

/// Every method and path, and whether everybody may use it or only those that may store messages.
pub fn ecosystem() -> Vec<(&'static str, &'static str, bool)> {
    let mut all = Vec::new();
    let index = (Needs::Ingest(IngestProtocol::Elastic), &[elastic::INDEX][..]);
    for (needs, routes) in ECOSYSTEM.into_iter().chain([index]) {
        for ProtocolRoute { methods, paths, .. } in routes {
            let each = methods.iter().flat_map(|method| paths.iter().map(move |path| (*method, *path)));
            all.extend(each.map(|(method, path)| (method, path, needs == Needs::Nothing)));
        }
    }
    all
}
