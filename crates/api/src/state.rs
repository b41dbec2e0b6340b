//! The state that handlers share: the parts of the process, and the limits of requests.
//!
//! **Invariant:** nothing that blocks runs on the threads that serve requests: the database, searches, password
//! hashes and large bodies go to blocking threads.

use super::access::throttle::Throttle;
use super::error::Result;
use super::ingest::body_memory::BodyMemory;
use super::ingest::pace::TokenPace;
use super::jobs::registry::JobRegistry;
use super::question::turn::Lane;
use super::waiting::{blocking, places};
use crate::revision::Revisions;
use logstead_accounts::identity::oidc::Provider;
use logstead_accounts::{Actor, Meta, Role, SessionLimits};
use logstead_config::settings::{EffectiveSetting, Settings};
use logstead_flow::machine::clock;
use logstead_pipeline::Pipeline;
use logstead_pipeline::internal;
use logstead_record::Timestamp;
use logstead_work::Pool;
use parking_lot::Mutex;
use rust_embed::EmbeddedFile;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Maximum number of passwords that are hashed at a time: each takes 19 MiB and about 20 ms.
const PASSWORDS_MAX: usize = 2;
/// Maximum number of database calls at a time. There is only one writer, so more calls would occupy threads without
/// being faster.
const META_CALLS_MAX: usize = 4;
/// Maximum number of logins that wait for a provider at a time. Each takes a thread.
const PROVIDERS_ASKED_MAX: usize = 8;
/// Maximum number of test messages that are sent at a time. Each takes a thread, for as long as the protocol allows
/// the other side to take.
const TEST_MESSAGES_MAX: usize = 4;
/// Maximum number of pages that wait for something to be stored at a time. Each takes a task and a channel of one
/// event.
const LISTENERS_MAX: usize = 1_000;
/// Maximum number of files of exports that are downloaded at a time. Each takes a descriptor and a few pieces.
const DOWNLOADS_MAX: usize = 16;
/// Maximum number of instant searches that run beside the others: one for each caller.
const INSTANT_SEARCHES_MAX: usize = 2;

/// The parts of the process that the API needs.
pub struct ApiState {
    /// Users, sessions, tokens, revisions.
    pub meta: Meta,
    /// The pipeline that stores and finds messages.
    pub pipeline: Arc<Pipeline>,
    /// The revisions of its router document.
    pub revisions: Arc<Revisions>,
    /// The process's settings.
    pub settings: Arc<Settings>,
    /// A token with an administrator's rights (`LOGSTEAD_ADMIN_TOKEN`).
    pub admin_token: Option<String>,
    /// The code with which the first administrator can be created; printed when the server starts.
    pub setup_code: Option<String>,
    /// Facts about how the process was started.
    pub process: Process,
}

/// Finds a file of the console by its name. The last crate to be compiled embeds the files, so that the console can be
/// built meanwhile.
pub type ConsoleFiles = fn(&str) -> Option<EmbeddedFile>;

/// How the process was started.
#[derive(Default)]
pub struct Process {
    /// The time.
    pub started: Timestamp,
    /// The addresses at which it serves HTTP.
    pub listeners: Vec<WebSocket>,
    /// Every setting, with its origin.
    pub in_force: Vec<EffectiveSetting>,
    /// The files of the console, if there is one.
    pub console: Option<ConsoleFiles>,
}

/// An address at which HTTP is served.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct WebSocket {
    /// The kind of listener: `web`, `redirect` or `metrics`.
    pub serves: &'static str,
    /// The address for clients to use.
    pub url: String,
}

/// The state and the limits of requests, as handlers share them.
pub(super) type SharedState = Arc<ApiInner>;

pub(super) struct ApiInner {
    pub(super) state: ApiState,
    pub(super) throttle: Mutex<Throttle>,
    passwords: Semaphore,
    meta_calls: Semaphore,
    /// Whether users exist, which then stays so, as the last administrator cannot be removed.
    is_set_up: AtomicBool,
    /// OpenID providers.
    pub(super) providers: Vec<Arc<Provider>>,
    /// Limits the logins that wait for an OpenID provider.
    pub(super) providers_asked: Semaphore,
    /// Limits the logins that wait for a directory.
    pub(super) directories_asked: Semaphore,
    /// The lane of ordinary searches.
    pub(super) searches: Lane,
    /// The lane of instant searches, which run while others have to wait.
    pub(super) instant_searches: Lane,
    /// The memory for ingest.
    pub(super) ingest: BodyMemory,
    /// Limits how fast tokens send.
    pub(super) pace: Arc<Mutex<TokenPace>>,
    /// Long work that goes on without its client.
    pub(super) jobs: Arc<JobRegistry>,
    /// The turn of jobs that read a whole logspace: one at a time.
    pub(super) upkeep_turn: Arc<Semaphore>,
    /// The turn of jobs that export: one at a time, so that other exports find room.
    pub(super) export_turn: Arc<Semaphore>,
    /// Limits the files of exports that are being downloaded.
    pub(super) downloads: Arc<Semaphore>,
    /// Limits the number of open tails.
    pub(super) tails: Arc<Semaphore>,
    /// Limits the pages that wait for something to be stored.
    pub(super) listeners: Arc<Semaphore>,
    /// Limits the tails that are reading stored messages: at most one per core.
    pub(super) tail_turns: Semaphore,
    /// Limits the number of running exports.
    pub(super) exports: Arc<Semaphore>,
    /// Limits the test messages that are on their way to destinations.
    pub(super) test_messages: Arc<Semaphore>,
    /// The additional threads that searches use.
    pub(super) lanes: Pool,
}

impl ApiInner {
    pub(super) fn new(state: ApiState) -> SharedState {
        let limits = &state.settings.limits;
        let shares = &state.pipeline.memory.shares;
        let (searches_max, lanes, held) = (shares.searches, shares.lanes, shares.held);
        let (tails_max, exports_max) = (limits.tails_max as usize, shares.exports);
        let web = &state.settings.web;
        let providers = state.settings.accounts.oidc.iter();
        let providers = providers.map(|oidc| Arc::new(Provider::new(oidc, &web.public_url))).collect();
        let ingest = BodyMemory::of(shares.bodies, limits.ingest_body_max.as_usize());
        let jobs = Arc::new(JobRegistry::open(&state.pipeline.data, &state.settings.storage, clock::now()));
        Arc::new(ApiInner {
            state,
            throttle: Mutex::default(),
            passwords: Semaphore::new(PASSWORDS_MAX),
            meta_calls: Semaphore::new(META_CALLS_MAX),
            is_set_up: AtomicBool::new(false),
            providers,
            providers_asked: Semaphore::new(PROVIDERS_ASKED_MAX),
            directories_asked: Semaphore::new(PROVIDERS_ASKED_MAX),
            searches: Lane::new(searches_max, searches_max),
            instant_searches: Lane::new(INSTANT_SEARCHES_MAX.min(searches_max), 1),
            ingest,
            pace: Arc::default(),
            jobs,
            upkeep_turn: Arc::new(Semaphore::new(1)),
            export_turn: Arc::new(Semaphore::new(1)),
            downloads: Arc::new(Semaphore::new(DOWNLOADS_MAX)),
            tails: Arc::new(Semaphore::new(tails_max)),
            listeners: Arc::new(Semaphore::new(LISTENERS_MAX)),
            tail_turns: Semaphore::new(lanes.max(1)),
            exports: Arc::new(Semaphore::new(exports_max)),
            test_messages: Arc::new(Semaphore::new(TEST_MESSAGES_MAX)),
            lanes: Pool::holding(lanes, held),
        })
    }

    /// Runs a database call on a blocking thread.
    pub(super) async fn meta<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Meta) -> logstead_accounts::Result<T> + Send + 'static,
    ) -> Result<T> {
        let _turn = places(&self.meta_calls, 1, "too many requests need the database at once").await?;
        let meta = self.state.meta.clone();
        Ok(blocking(move || call(&meta)).await??)
    }

    /// Whether users exist. Strangers may ask this as often as they like, so the database is only queried until the
    /// answer is yes.
    pub(super) async fn is_set_up(&self) -> Result<bool> {
        if !self.is_set_up.load(Ordering::Relaxed) && self.meta(Meta::has_users).await? {
            self.is_set_up.store(true, Ordering::Relaxed);
        }
        Ok(self.is_set_up.load(Ordering::Relaxed))
    }

    /// Records an action, also in our own log. If the entry cannot be written it is kept until it can, because the
    /// action has already happened.
    pub(super) async fn audit(&self, actor: Actor, action: &'static str, detail: String) {
        let meta = self.state.meta.clone();
        let account = actor.account.map(|account| account.to_string()).unwrap_or_default();
        internal::audit(&actor.name, &account, action, &detail);
        let written = blocking(move || meta.add_audit(&actor, action, &detail, clock::now()));
        // This only fails because of a bug, which has already been logged.
        written.await.ok();
    }

    /// The right to hash a password.
    pub(super) async fn password_permit(&self) -> Result<SemaphorePermit<'_>> {
        places(&self.passwords, 1, "too many people are logging in at once").await
    }

    /// The memory limit of an answer.
    pub(super) fn query_memory_max(&self) -> usize {
        self.state.pipeline.memory.shares.answer
    }

    /// Whether a user has to set up a second factor before anything else. Users of OpenID providers have their second
    /// factor with the provider.
    pub(super) fn must_enrol(&self, role: Role, origin: Option<&str>, has_second_factor: bool) -> bool {
        let needed = &self.state.settings.accounts.second_factor;
        let is_elsewhere = origin.is_some_and(|origin| origin.starts_with("oidc:"));
        !has_second_factor && !is_elsewhere && needed.iter().any(|needed| needed.name() == role.name())
    }

    /// How long sessions last.
    pub(super) fn session_limits(&self) -> SessionLimits {
        let web = &self.state.settings.web;
        SessionLimits { idle_max: web.session_lifetime.duration(), age_max: web.session_max.duration() }
    }
}
