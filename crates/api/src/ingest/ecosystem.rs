//! The paths outside `/api` that shippers of other systems send to and query first, and the requirements for their
//! callers.
//!
//! These paths are not in the API description: the documentation of those systems describes them. Tests iterate over
//! this table instead.

use super::protocol::IngestProtocol;
use super::route::ProtocolRoute;
use super::{datadog, elastic, gelf, journal, loki, otlp, splunk};
use crate::access::Needs;
use crate::state::SharedState;
use utoipa_axum::router::OpenApiRouter;

/// All paths, grouped by requirement.
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

/// The same paths as routers.
pub(crate) fn routes() -> impl Iterator<Item = (Needs, OpenApiRouter<SharedState>)> {
    ECOSYSTEM.into_iter().map(|(needs, routes)| {
        let paths = routes.iter().flat_map(|route| route.paths.iter().map(|path| (*path, route.answer)));
        (needs, paths.fold(OpenApiRouter::new(), |router, (path, answer)| router.route(path, answer())))
    })
}

/// Every method and path, and whether everybody may use it or only callers who may send messages.
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
