//! What handlers share: the parts of the process, and what limits requests.
//!
//! **Invariant:** nothing that blocks runs on the threads that serve requests: the database, searches, password
//! hashes and large bodies go to blocking threads.

use super::access::throttle::Throttle;
use super::error::Result;
use super::operate::room::Memory;
use super::question::turn::Lane;
use super::waiting::{blocking, places};
use crate::machine::clock;
use crate::machine::lanes::SharedLanes;
use crate::meta::{Actor, Meta, SessionLimits};
use crate::pipeline::Pipeline;
use logstead_config::settings::Settings;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Passwords that are hashed at a time: each takes 19 MiB and some 20 ms.
const PASSWORDS_MAX: usize = 2;
/// Calls of the database at a time. It has one writer, so more would hold threads and be no faster.
const META_CALLS_MAX: usize = 4;
/// Searches that take no time and run beside the others: one of each caller.
const INSTANT_SEARCHES_MAX: usize = 2;

/// What the API is made of.
pub struct ApiState {
    /// Users, sessions, tokens, revisions.
    pub meta: Meta,
    /// Where messages go and are found.
    pub pipeline: Arc<Pipeline>,
    /// The process's settings.
    pub settings: Arc<Settings>,
    /// A token that is an administrator's (`LOGSTEAD_ADMIN_TOKEN`).
    pub admin_token: Option<String>,
    /// What the first administrator is made with; printed when the server starts.
    pub setup_code: Option<String>,
}

/// The state with what limits requests, as handlers share it.
pub(super) type Shared = Arc<Inner>;

pub(super) struct Inner {
    pub(super) state: ApiState,
    pub(super) throttle: Mutex<Throttle>,
    passwords: Semaphore,
    meta_calls: Semaphore,
    /// Somebody can log in, which stays so: the last administrator cannot be removed.
    is_set_up: AtomicBool,
    /// Where searches run.
    pub(super) searches: Lane,
    /// Where those run that take no time, when others have to wait.
    pub(super) instant_searches: Lane,
    /// What ingest takes of the memory.
    pub(super) ingest: Memory,
    /// Held by the one verification that runs: it reads everything.
    pub(super) verifying: Arc<Semaphore>,
    /// Tails that are open.
    pub(super) tails: Arc<Semaphore>,
    /// Tails that look at what was stored: no more at once than the machine has use for.
    pub(super) tail_turns: Semaphore,
    /// Exports that run.
    pub(super) exports: Arc<Semaphore>,
    /// What searches use besides the threads they run on.
    pub(super) lanes: SharedLanes,
}

impl Inner {
    pub(super) fn new(state: ApiState) -> Shared {
        let limits = &state.settings.limits;
        let searches_max = limits.searches_max.max(1) as usize;
        let (tails_max, exports_max) = (limits.tails_max as usize, limits.exports_max as usize);
        let ingest = Memory::for_bodies_of(limits.ingest_body_max.as_usize());
        Arc::new(Inner {
            state,
            throttle: Mutex::default(),
            passwords: Semaphore::new(PASSWORDS_MAX),
            meta_calls: Semaphore::new(META_CALLS_MAX),
            is_set_up: AtomicBool::new(false),
            searches: Lane::new(searches_max, searches_max),
            instant_searches: Lane::new(INSTANT_SEARCHES_MAX, 1),
            ingest,
            verifying: Arc::new(Semaphore::new(1)),
            tails: Arc::new(Semaphore::new(tails_max)),
            tail_turns: Semaphore::new(crate::machine::cores()),
            exports: Arc::new(Semaphore::new(exports_max)),
            lanes: SharedLanes::default(),
        })
    }

    /// Runs a call of the database on a blocking thread.
    pub(super) async fn meta<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Meta) -> crate::meta::Result<T> + Send + 'static,
    ) -> Result<T> {
        let _turn = places(&self.meta_calls, 1, "too many requests need the database at once").await?;
        let meta = self.state.meta.clone();
        Ok(blocking(move || call(&meta)).await??)
    }

    /// Whether anybody can log in. Strangers may ask as often as they like, so the database is asked until it says yes.
    pub(super) async fn is_set_up(&self) -> Result<bool> {
        if !self.is_set_up.load(Ordering::Relaxed) && self.meta(Meta::has_users).await? {
            self.is_set_up.store(true, Ordering::Relaxed);
        }
        Ok(self.is_set_up.load(Ordering::Relaxed))
    }

    /// Writes down what was done. What cannot be written waits: it has been done all the same.
    pub(super) async fn audit(&self, actor: Actor, action: &'static str, detail: String) {
        let meta = self.state.meta.clone();
        let written = blocking(move || meta.add_audit(&actor, action, &detail, clock::now()));
        // Nothing but a bug ends it, which has been logged.
        written.await.ok();
    }

    /// The right to hash a password.
    pub(super) async fn password_permit(&self) -> Result<SemaphorePermit<'_>> {
        places(&self.passwords, 1, "too many people log in at once").await
    }

    /// What memory one answer may take.
    pub(super) fn query_memory_max(&self) -> usize {
        self.state.settings.limits.query_memory_max.as_usize()
    }

    /// How long sessions last.
    pub(super) fn session_limits(&self) -> SessionLimits {
        let web = &self.state.settings.web;
        SessionLimits { idle_max: web.session_lifetime.duration(), age_max: web.session_max.duration() }
    }
}
