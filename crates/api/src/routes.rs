//! Every route, and the requirements for its callers.

use super::access::{Needs, account, audit, oidc, preferences, session, token_change, tokens, users};
use super::ask::aggregate::AggregateRequest;
use super::ask::complete::CompleteRequest;
use super::ask::context::ContextRequest;
use super::ask::explain::ExplainRequest;
use super::ask::facets::FacetsRequest;
use super::ask::found_fields::FieldsRequest;
use super::ask::histogram::HistogramRequest;
use super::ask::overview::OverviewRequest;
use super::ask::search::{CountRequest, SearchRequest};
use super::ask::{
    aggregate, complete, context, explain, facets, found_fields, histogram, overview, query, search,
};
use super::export::ExportRequest;
use super::ingest::ecosystem;
use super::ingest::protocol::IngestProtocol;
use super::jobs::{calls as jobs, download};
use super::operate::replay::ReplayRequest;
use super::operate::{
    about, certificates, description, destinations, flow, logspaces, replay, senders, support, system,
    test_message, upkeep,
};
use super::question::describe::{got, posted, posted_or_got};
use super::router::dry_run::{history, trace};
use super::router::{document, logspace, lookups, revisions, sender_zone};
use super::state::SharedState;
use super::tail::TailRequest;
use super::{changes, export, export_job, ingest, saved_searches, tail};
use axum::routing::get;
use logstead_accounts::Role;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// All of them.
pub(super) fn routes() -> Vec<(Needs, OpenApiRouter<SharedState>)> {
    let own = [
        (Needs::Nothing, public()),
        (Needs::Session, own_account()),
        (Needs::Role(Role::Analyst), questions()),
        (Needs::Role(Role::Analyst), analyst()),
        (Needs::Ingest(IngestProtocol::Ours), ours()),
        (Needs::Everything(Role::Analyst), everything()),
        (Needs::Role(Role::Operator), of_logspaces()),
        (Needs::Everything(Role::Operator), operator()),
        (Needs::Role(Role::Admin), of_accounts()),
        (Needs::Everything(Role::Admin), admin()),
    ];
    own.into_iter().chain(ecosystem::routes()).collect()
}

/// The routes of the port for metrics.
pub(super) fn metrics() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(system::healthz))
        .routes(routes!(system::readyz))
        .routes(routes!(system::metrics))
}

fn public() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(session::get_session, session::log_in, session::log_out))
        .routes(routes!(session::set_up))
        .routes(routes!(oidc::log_in_with))
        .routes(routes!(oidc::come_back))
        .routes(routes!(description::openapi_json))
        .routes(routes!(system::healthz))
        .routes(routes!(system::readyz))
}

/// The routes for users' own accounts.
fn own_account() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(account::get_account))
        .routes(routes!(account::list_sessions, account::end_other_sessions))
        .routes(routes!(account::end_session))
        .routes(routes!(preferences::get_preferences, preferences::set_preferences))
        .routes(routes!(account::begin_totp, account::confirm_totp))
        .routes(routes!(account::remove_totp))
        .routes(routes!(account::renew_recovery_codes))
}

fn questions() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(posted_or_got::<SearchRequest>(routes!(search::search), get(search::search)))
        .routes(posted_or_got::<CountRequest>(routes!(search::count), get(search::count)))
        .routes(routes!(search::message))
        .routes(got::<ContextRequest>(routes!(context::context)))
        .routes(posted_or_got::<HistogramRequest>(routes!(histogram::histogram), get(histogram::histogram)))
        .routes(posted_or_got::<FacetsRequest>(routes!(facets::facets), get(facets::facets)))
        .routes(posted::<FieldsRequest>(routes!(found_fields::fields)))
        .routes(posted_or_got::<AggregateRequest>(routes!(aggregate::aggregate), get(aggregate::aggregate)))
        .routes(posted::<ExplainRequest>(routes!(explain::explain)))
        .routes(posted::<CompleteRequest>(routes!(complete::complete)))
        .routes(routes!(query::query))
        .routes(posted::<OverviewRequest>(routes!(overview::overview)))
}

fn analyst() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(got::<TailRequest>(routes!(tail::tail)))
        .routes(routes!(changes::changes))
        .routes(got::<ExportRequest>(routes!(export::export)))
        .routes(routes!(saved_searches::list, saved_searches::create))
        .routes(routes!(saved_searches::get, saved_searches::replace, saved_searches::remove))
        .routes(routes!(saved_searches::used))
        .routes(routes!(logspaces::logspaces))
        .routes(routes!(users::change_password))
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::get, jobs::remove))
        .routes(routes!(download::download))
        .routes(posted::<ExportRequest>(routes!(export_job::start_export)))
        .routes(routes!(jobs::cancel))
}

/// Our own ingest routes, which are open to tokens that may only send.
fn ours() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new().routes(routes!(ingest::native::ingest))
}

fn everything() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(document::get_router))
        .routes(routes!(document::validate))
        .routes(routes!(lookups::list))
        .routes(routes!(trace::trace))
        .routes(posted::<history::RouterTestRequest>(routes!(history::test)))
        .routes(routes!(revisions::revisions))
        .routes(routes!(revisions::revision))
        .routes(routes!(revisions::difference))
        .routes(routes!(document::status))
        .routes(routes!(flow::flow))
        .routes(routes!(senders::senders))
        .routes(routes!(senders::frames))
        .routes(routes!(system::metrics))
        .routes(routes!(about::about))
        .routes(routes!(certificates::certificates))
}

/// The routes with which operators change the logspaces that are granted to them.
fn of_logspaces() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(logspace::put_logspace))
        .routes(routes!(logspaces::retention_preview))
        .routes(routes!(upkeep::verify))
        .routes(routes!(upkeep::reindex))
}

fn operator() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(document::put_router))
        .routes(routes!(revisions::roll_back))
        .routes(routes!(revisions::confirm))
        .routes(routes!(lookups::read, lookups::store, lookups::remove))
        .routes(routes!(senders::skipped))
        .routes(routes!(senders::forget))
        .routes(routes!(senders::forget_all))
        .routes(routes!(sender_zone::put_timezone))
        .routes(routes!(destinations::pause))
        .routes(routes!(destinations::resume))
        .routes(routes!(destinations::retry))
        .routes(routes!(destinations::discard))
        .routes(routes!(test_message::test))
        .routes(routes!(destinations::queue))
        .routes(routes!(destinations::quarantine))
        .routes(routes!(destinations::replay_quarantine))
        .routes(posted::<ReplayRequest>(routes!(replay::replay)))
        .routes(routes!(destinations::discard_quarantine))
}

/// The routes with which administrators manage accounts; those who are granted a part of the store manage the
/// accounts within that part.
fn of_accounts() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(users::list_users, users::create_user))
        .routes(routes!(users::get_user, users::put_user, users::update_user, users::remove_user))
        .routes(routes!(users::disable_user))
        .routes(routes!(users::enable_user))
        .routes(routes!(users::list_sessions_of, users::end_sessions_of))
        .routes(routes!(users::end_session_of))
        .routes(routes!(users::remove_totp_of))
        .routes(routes!(tokens::list_tokens, tokens::create_token))
        .routes(routes!(tokens::get_token, token_change::update_token, tokens::remove_token))
        .routes(routes!(tokens::rotate_token))
}

fn admin() -> OpenApiRouter<SharedState> {
    OpenApiRouter::new()
        .routes(routes!(logspaces::resume_retention))
        .routes(routes!(audit::audit))
        .routes(routes!(about::settings))
        .routes(routes!(support::support_report))
}
