//! `logstead serve`: wires the process together, reports when it is ready, and shuts it down in order.

use super::failure::Failure;
use super::settings::SettingsArgs;
use super::starting::{self, First};
use super::text;
use crate::api::{self, ApiState};
use crate::internal;
use crate::machine::lock::DataLock;
use crate::machine::sockets::Descriptors;
use crate::machine::{clock, rights};
use crate::meta::kept;
use crate::meta::{Bookkeeper, Meta, setup_code};
use crate::pipeline::Pipeline;
use crate::revision::{Revisions, Watch, take_back_overdue};
use crate::web::{self, Limits};
use clap::Args;
use logstead_config::settings::Settings;
use logstead_indexer::{OpenFiles, RealDisk};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

pub(super) const EXAMPLES: &str = "Examples:
  logstead serve
  logstead serve --data /var/lib/logstead --set web.listen=0.0.0.0:8080
  LOGSTEAD_ADMIN_PASSWORD=… logstead serve --config /etc/logstead/logstead.toml

Prints `ready: console URL`, and `listening: SOURCE URL` for each listener. SIGTERM and SIGINT stop it in order; SIGHUP reloads
certificates. Exit code 1: a document is wrong; 3: a port is in use, or the data directory is locked or cannot be written.";

/// How long open requests may take once the process is stopping.
const REQUESTS_WAIT_MAX: Duration = Duration::from_secs(2);

#[derive(Args, Debug)]
pub(super) struct Serve {
    #[command(flatten)]
    settings: SettingsArgs,
    /// The router document that a new data directory starts with
    #[arg(long, value_name = "FILE")]
    router: Option<PathBuf>,
    /// Create a new database for messages whose database is missing or damaged; the old one is set aside
    #[arg(long)]
    new_database: bool,
    /// The data directory, instead of the one in the settings
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Serve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut settings = self.settings.load()?;
        if let Some(data) = &self.data {
            settings.data.clone_from(data);
        }
        rights::keep_to_owner();
        let entries = internal::start(settings.log.level.name()).map_err(Failure::no)?;
        let _lock = DataLock::acquire(&settings.data).map_err(Failure::environment)?;
        if let Some(warning) = rights::too_wide(&settings.data) {
            tracing::warn!("{warning}");
        }
        let meta = starting::open(&settings.data, self.new_database)?;
        let runtime = tokio::runtime::Runtime::new().map_err(Failure::environment)?;
        let web = runtime.block_on(bind(settings.web.listen))?;
        let _bookkeeper = Bookkeeper::start(meta.clone()).map_err(Failure::environment)?;
        let settings = Arc::new(settings);
        let pipeline = self.pipeline(&settings, &meta)?;
        let revisions = Arc::new(Revisions::new(pipeline.clone(), meta.clone()));
        let watch = Watch::start(revisions.clone()).map_err(Failure::environment)?;
        internal::feed(entries, pipeline.clone()).map_err(Failure::environment)?;
        let setup_code = first_login(&meta)?;
        let state = ApiState {
            meta,
            pipeline: pipeline.clone(),
            revisions,
            settings,
            admin_token: std::env::var("LOGSTEAD_ADMIN_TOKEN").ok().filter(|token| !token.is_empty()),
            setup_code: setup_code.clone(),
        };
        let served = runtime.block_on(serve(web, state, &pipeline, setup_code));
        drop(watch);
        tracing::info!("stopping: what was received is stored first");
        pipeline.stop();
        runtime.shutdown_timeout(REQUESTS_WAIT_MAX);
        tracing::info!("stopped");
        served
    }

    /// Starts everything. The first document is stored once it runs.
    fn pipeline(&self, settings: &Arc<Settings>, meta: &Meta) -> Result<Arc<Pipeline>, Failure> {
        take_back_overdue(meta, clock::now()).map_err(Failure::environment)?;
        let disk = Arc::new(OpenFiles::new(Arc::new(RealDisk), Descriptors::of_process().files_max));
        let data = &settings.data;
        let pipeline = match starting::document(data, meta, self.router.as_deref(), self.new_database)? {
            First::Stored(revision, change) => {
                Pipeline::start(disk, data, settings.clone(), revision, change)
            }
            First::New(name, change) => {
                let (toml, comment) = (change.toml.clone(), format!("first start, from {name}"));
                let store = || meta.add_revision(&toml, "system", &comment, clock::now());
                let store = || store().map_err(|error| error.to_string());
                Pipeline::start_first(disk, data, settings.clone(), change, store)
            }
        };
        // The documents have been checked, so what fails now is due to the environment, such as a port in use.
        let pipeline = pipeline.map_err(Failure::environment)?;
        kept::keep_or_say(data, meta);
        Ok(pipeline)
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        Failure::environment(format!(
            "web.listen: cannot listen on {address}: {error}. Stop the program that listens there, or choose \
             another address: --set web.listen=127.0.0.1:8081"
        ))
    })
}

/// Creates the administrator if the environment sets a password; otherwise the code that lets the console do it.
fn first_login(meta: &Meta) -> Result<Option<String>, Failure> {
    if meta.has_users().map_err(Failure::environment)? {
        return Ok(None);
    }
    match std::env::var("LOGSTEAD_ADMIN_PASSWORD") {
        Ok(password) => {
            meta.ensure_admin(&password, clock::now()).map_err(Failure::no)?;
            Ok(None)
        }
        Err(_) => Ok(Some(setup_code().map_err(Failure::environment)?)),
    }
}

async fn serve(
    web: TcpListener,
    state: ApiState,
    pipeline: &Pipeline,
    setup_code: Option<String>,
) -> Result<(), Failure> {
    let mut terminate = signal(SignalKind::terminate()).map_err(Failure::environment)?;
    let mut hang_up = signal(SignalKind::hangup()).map_err(Failure::environment)?;
    let address = web.local_addr().map_err(Failure::environment)?;
    announce(address, pipeline, setup_code);
    let limits = web_limits(&state.settings, pipeline);
    let counted = (pipeline.sockets().clone(), pipeline.counters().clone());
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut server = tokio::spawn(web::serve(web, api::app(state), limits, counted, stopped));
    loop {
        tokio::select! {
            ended = &mut server => return ended.map_err(Failure::environment),
            _ = tokio::signal::ctrl_c() => break,
            _ = terminate.recv() => break,
            _ = hang_up.recv() => pipeline.reload_certificates(),
        }
    }
    pipeline.end_streams();
    stop.send_replace(true);
    tokio::time::timeout(REQUESTS_WAIT_MAX, server).await.ok();
    Ok(())
}

/// The limits of the web port. If the process cannot open enough files for all connections, the web port leaves room for
/// those of the sources, but keeps half.
fn web_limits(settings: &Settings, pipeline: &Pipeline) -> Limits {
    let (wanted, sockets_max) = (settings.web.connections_max as usize, pipeline.sockets().max());
    let of_sources = pipeline.connections_max();
    let room = sockets_max.saturating_sub(of_sources).max(sockets_max / 2);
    if room < wanted {
        tracing::warn!(
            "web.connections_max: {room} connections instead of {wanted}, as the sources may have {of_sources} and the \
             system lets all have {sockets_max}: raise the limit of open files (`ulimit -n`, `LimitNOFILE=`)"
        );
    }
    Limits::of(&settings.web, room)
}

/// Prints where the console and the listeners are. Scripts wait for these lines.
fn announce(web: SocketAddr, pipeline: &Pipeline, setup_code: Option<String>) {
    let url = format!("http://{}", reachable(web));
    for (id, listener) in pipeline.listening() {
        text::notice(&format!("listening: {id} {listener}"));
    }
    text::notice(&format!("ready: console {url}"));
    if let Some(code) = setup_code {
        text::notice(&format!(
            "setup: create the administrator at {url}/setup with the one-time code {code}"
        ));
    }
}

/// An address that a browser can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from(([127, 0, 0, 1], v4.port())),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], v6.port()))
        }
        other => other,
    }
}
