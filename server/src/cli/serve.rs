//! `logstead serve`: wires the process together, says when it is ready, and takes it down in order.

use super::{Failure, SettingsArgs, listed, read, text};
use crate::api::{self, ApiState};
use crate::lock::{DataLock, LockError};
use crate::meta::{Bookkeeper, Meta, setup_code};
use crate::pipeline::{ApplyError, Change, Pipeline};
use crate::{clock, internal};
use clap::Args;
use logstead_config::{DEFAULT_ROUTER_TOML, check_toml};
use logstead_indexer::RealDisk;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
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

Prints `ready: console URL` and `listening: SOURCE URL` for each listener. SIGTERM and SIGINT stop it in order;
SIGHUP reads certificates again.
Exit code 1: a document is wrong. 3: a port is taken, the data directory is locked or can not be written.";

/// How long open requests may take when the process stops.
const REQUESTS_WAIT_MAX: Duration = Duration::from_secs(2);

#[derive(Args, Debug)]
pub(super) struct Serve {
    #[command(flatten)]
    settings: SettingsArgs,
    /// The router document that a new data directory starts with
    #[arg(long, value_name = "FILE")]
    router: Option<PathBuf>,
    /// The data directory, instead of the one that the settings name
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Serve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut settings = self.settings.load()?;
        if let Some(data) = &self.data {
            settings.data.clone_from(data);
        }
        raise_file_limit();
        let entries = internal::start(settings.log.level.name()).map_err(Failure::no)?;
        let _lock = DataLock::acquire(&settings.data).map_err(Failure::environment)?;
        let meta = Meta::open(&settings.data.join("logstead.db")).map_err(Failure::environment)?;
        let runtime = tokio::runtime::Runtime::new().map_err(Failure::environment)?;
        let web = runtime.block_on(bind(settings.web.listen))?;
        let _bookkeeper = Bookkeeper::start(meta.clone()).map_err(Failure::environment)?;
        let (revision, change) = self.change(&meta)?;
        let settings = Arc::new(settings);
        let disk = Arc::new(RealDisk);
        let pipeline =
            Pipeline::start(disk, &settings.data, settings.clone(), revision, change).map_err(refused)?;
        internal::feed(entries, pipeline.clone()).map_err(Failure::environment)?;
        let setup_code = first_login(&meta)?;
        let state = ApiState {
            meta,
            pipeline: pipeline.clone(),
            settings,
            admin_token: std::env::var("LOGSTEAD_ADMIN_TOKEN").ok().filter(|token| !token.is_empty()),
            setup_code: setup_code.clone(),
        };
        let served = runtime.block_on(serve(web, state, &pipeline, setup_code));
        tracing::info!("stopping: what was received is stored first");
        pipeline.stop();
        runtime.shutdown_timeout(REQUESTS_WAIT_MAX);
        tracing::info!("stopped");
        served
    }

    /// The router document to start with: the latest revision, or the first one of a new data directory.
    fn change(&self, meta: &Meta) -> Result<(u64, Change), Failure> {
        if let Some(revision) = meta.latest_revision().map_err(Failure::environment)? {
            if self.router.is_some() {
                let number = revision.number;
                tracing::warn!("--router is for a new data directory: revision {number} of this one is used");
            }
            let name = format!("router document, revision {}", revision.number);
            return Ok((revision.number, change(&name, revision.toml)?));
        }
        let (name, toml) = match &self.router {
            Some(path) => (path.display().to_string(), read(path)?),
            None => ("router document".to_owned(), DEFAULT_ROUTER_TOML.to_owned()),
        };
        let first = change(&name, toml)?;
        let number =
            meta.add_revision(&first.toml, "system", &format!("first start, from {name}"), clock::now());
        Ok((number.map_err(Failure::environment)?, first))
    }
}

/// Connections and journal files are files: as many as the system lets us have.
pub(super) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    // Where it can not be raised, the soft limit that the process was given stays.
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).ok();
}

fn change(name: &str, toml: String) -> Result<Change, Failure> {
    let (document, checked) = check_toml(&toml).map_err(|problems| Failure::No(listed(name, &problems)))?;
    for warning in &checked.warnings {
        tracing::warn!("{name}: {warning}");
    }
    Ok(Change { toml, document, checked })
}

/// A port that is taken is the environment's fault, a document that can not run is its author's.
fn refused(error: ApplyError) -> Failure {
    Failure::environment(error)
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        Failure::environment(format!(
            "web.listen: {address} can not be listened on: {error}. Stop what listens there, or choose another \
             address: --set web.listen=127.0.0.1:8081"
        ))
    })
}

/// Creates the administrator that the environment names; otherwise the code with which the console does.
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
    let app = api::app(state).into_make_service_with_connect_info::<SocketAddr>();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut wait = stopped.clone();
    let server = axum::serve(web, app).with_graceful_shutdown(async move {
        wait.wait_for(|stop| *stop).await.ok();
    });
    let mut server = tokio::spawn(server.into_future());
    loop {
        tokio::select! {
            ended = &mut server => return ended.map_err(Failure::environment)?.map_err(Failure::environment),
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

/// Says where the console and the listeners are: what scripts wait for.
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

impl From<LockError> for Failure {
    fn from(error: LockError) -> Failure {
        Failure::environment(error)
    }
}
