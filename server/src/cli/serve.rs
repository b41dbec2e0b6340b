//! `logstead serve`: assembles the process, reports when it is ready, and shuts it down in order.

mod own_api;

use super::apply;
use super::deadline::Deadline;
use super::failure::{CommandFailure, Result};
use super::secret;
use super::settings::SettingsArgs;
use super::starting::{self, DatabaseChoice, StartingDocument};
use super::text;
use clap::Args;
use logstead_accounts::document_backups;
use logstead_accounts::{Bookkeeper, Meta, setup_code};
use logstead_api as api;
use logstead_api::revision::{Revisions, Watch, take_back_overdue};
use logstead_api::web::{self, Apps, BoundListener, ConnectionContext, ListenerRole, WebLimits};
use logstead_api::{ApiState, Encrypted, OwnCalls, Process, WebSocket};
use logstead_config::settings::{Layer, Settings};
use logstead_flow::listen::Certificates;
use logstead_flow::machine::lock::DataLock;
use logstead_flow::machine::sockets::Descriptors;
use logstead_flow::machine::{clock, rights};
use logstead_indexer::{OpenFiles, RealDisk};
use logstead_pipeline as pipeline;
use logstead_pipeline::Pipeline;
use logstead_pipeline::internal;
use own_api::OwnApi;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

pub(super) const EXAMPLES: &str = "Examples:
  logstead serve
  logstead serve --data /var/lib/logstead --set web.listen=0.0.0.0:8080
  logstead serve --data /srv/restored --pause-destinations
  logstead serve --apply /etc/logstead/conf.d
  LOGSTEAD_ADMIN_PASSWORD_FILE=/run/secrets/admin logstead serve --config /etc/logstead/logstead.toml

Prints `ready: console URL`, and `listening: SOURCE URL` for each listener. SIGTERM and SIGINT stop it gracefully; SIGHUP reloads
certificates. Exit code 1: a document is wrong; 3: a port is in use, or the data directory is locked or cannot be written.";

/// The longest time that stopping may take; threads that take longer are killed. A kill does no harm, so the rest may
/// be left undone.
const STOP_WAIT_MAX: Duration = Duration::from_millis(9500);
/// The longest time for open requests once the process is stopping.
const REQUESTS_WAIT_MAX: Duration = Duration::from_secs(3);
/// The longest time for the threads of unanswered requests to notice.
const THREADS_WAIT_MAX: Duration = Duration::from_secs(1);

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
    /// Start with every destination paused, as in a restored copy: nothing is sent until each is resumed
    #[arg(long)]
    pause_destinations: bool,
    /// Start with a database that is intact but not the one that ran last, such as a backup that was put in its place;
    /// router documents that it lacks are taken from their copies
    #[arg(long, conflicts_with = "new_database")]
    accept_database: bool,
    /// A folder with files that the server is made like before it answers: the router document, users, tokens and saved
    /// searches, as for `logstead apply`; nothing is removed. A wrong file ends the start
    #[arg(long, value_name = "FOLDER", env = "LOGSTEAD_APPLY")]
    apply: Option<PathBuf>,
    /// The data directory, instead of the one in the settings
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Serve {
    pub(super) fn run(&self) -> Result<()> {
        let (mut settings, mut in_force) = self.settings.load_and_tell()?;
        if let Some(data) = &self.data {
            settings.data.clone_from(data);
            for setting in in_force.iter_mut().filter(|setting| setting.key == "data") {
                setting.value = data.display().to_string();
                setting.from = Layer::Named("--data".to_owned());
            }
        }
        rights::keep_to_owner();
        let entries = internal::start(&settings.log).map_err(CommandFailure::no)?;
        match self.settings.file()? {
            Some(file) => tracing::info!("settings are read from {}", file.display()),
            None => {
                tracing::info!("there is no settings file: the defaults, the environment and --set apply")
            }
        }
        let admin_token = secret::of_environment("LOGSTEAD_ADMIN_TOKEN", Some("admin_token"))?;
        let _lock = DataLock::acquire(&settings.data).map_err(CommandFailure::environment)?;
        if let Some(warning) = rights::too_wide(&settings.data) {
            tracing::warn!("{warning}");
        }
        let meta = starting::open(&settings.data, self.wanted())?;
        let password = first_password(&meta)?;
        let runtime = Runtime::new().map_err(CommandFailure::environment)?;
        let listeners = runtime.block_on(async { listen(&settings) })?;
        let certificates = certificates(&settings)?;
        let _bookkeeper = Bookkeeper::start(meta.clone()).map_err(CommandFailure::environment)?;
        let settings = Arc::new(settings);
        let pipeline = self.pipeline(&settings, &meta)?;
        let revisions = Arc::new(Revisions::new(pipeline.clone(), meta.clone()));
        let watch = Watch::start(revisions.clone()).map_err(CommandFailure::environment)?;
        internal::feed(entries, pipeline.clone()).map_err(CommandFailure::environment)?;
        let setup_code = first_login(&meta, password)?;
        let limits = web_limits(&settings, &pipeline);
        let state = ApiState {
            meta: meta.clone(),
            pipeline: pipeline.clone(),
            revisions,
            settings,
            admin_token: admin_token.filter(|token| !token.is_empty()),
            setup_code: setup_code.clone(),
            process: Process {
                started: clock::now(),
                listeners: web_sockets(&listeners),
                in_force,
                console: Some(crate::console::file),
            },
        };
        let apps = apps(state, &listeners);
        let served = self.apply_files(&apps, &runtime).and_then(|()| {
            let setup_code = setup_code.filter(|_| meta.has_users().is_ok_and(|has_users| !has_users));
            runtime.block_on(serve(listeners, certificates, apps, limits, &pipeline, setup_code))
        });
        drop(watch);
        tracing::info!("stopping: received messages are stored first");
        pipeline.stop();
        runtime.shutdown_timeout(THREADS_WAIT_MAX);
        tracing::info!("stopped");
        served.map(drop)
    }

    /// The router document for a new data directory, unless it is the default.
    fn first_document(&self) -> Option<PathBuf> {
        let applied = self.apply.as_ref().map(|folder| folder.join("router.toml"));
        self.router.clone().or(applied.filter(|file| file.exists()))
    }

    /// Makes the server like the files, if there is a folder with them.
    fn apply_files(&self, apps: &Apps, runtime: &Runtime) -> Result<()> {
        let Some(folder) = &self.apply else { return Ok(()) };
        let calls = OwnCalls::new(apps.console.clone(), "serve --apply");
        let changes = apply::at_start(folder, &OwnApi { calls, runtime: runtime.handle().clone() })?;
        for change in &changes {
            tracing::info!("{}: {change}", folder.display());
        }
        tracing::info!("the server is like the files in {}: {} changed", folder.display(), changes.len());
        Ok(())
    }

    fn wanted(&self) -> DatabaseChoice {
        match (self.new_database, self.accept_database) {
            (true, _) => DatabaseChoice::New,
            (_, true) => DatabaseChoice::Any,
            _ => DatabaseChoice::Last,
        }
    }

    /// Starts the whole pipeline. The first document is stored once it runs.
    fn pipeline(&self, settings: &Arc<Settings>, meta: &Meta) -> Result<Arc<Pipeline>> {
        take_back_overdue(meta, clock::now()).map_err(CommandFailure::environment)?;
        let disk = Arc::new(OpenFiles::new(Arc::new(RealDisk), Descriptors::of_process().files_max));
        let data = &settings.data;
        let first = starting::document(data, meta, self.first_document().as_deref(), self.new_database)?;
        if self.pause_destinations {
            pipeline::pause_destinations(&*disk, data, first.change())
                .map_err(CommandFailure::environment)?;
        }
        let pipeline = match first {
            StartingDocument::Stored(revision, change) => {
                Pipeline::start(disk, data, settings.clone(), revision, change)
            }
            StartingDocument::New(name, change) => {
                let (toml, comment) = (change.toml.clone(), format!("first start, from {name}"));
                let store = || meta.add_revision(&toml, "system", &comment, clock::now());
                let store = || store().map_err(|error| error.to_string());
                Pipeline::start_first(disk, data, settings.clone(), change, store)
            }
        };
        // The documents have been checked, so a failure is due to the environment, such as a port that is in use.
        let pipeline = pipeline.map_err(CommandFailure::environment)?;
        document_backups::write_or_log(data, meta);
        Ok(pipeline)
    }
}

/// Opens the sockets of the web port, those of the console first.
fn listen(settings: &Settings) -> Result<Vec<BoundListener>> {
    let (web, metrics) = (&settings.web, &settings.metrics);
    let console = ListenerRole::Console { is_encrypted: web.tls.is_some() };
    let all = [
        ("web.listen", &web.listen, console),
        ("web.redirect_listen", &web.redirect_listen, ListenerRole::Redirect),
        ("metrics.listen", &metrics.listen, ListenerRole::Metrics),
    ];
    let mut listeners = Vec::new();
    for (setting, wanted, serves) in all {
        for listener in wanted {
            let bound = BoundListener::bind(listener, serves, &settings.data).map_err(|error| {
                CommandFailure::environment(format!(
                    "{setting}: cannot listen on {listener}: {error}. Stop the program that listens there, or choose \
                     another address: --set {setting}=127.0.0.1:8081"
                ))
            })?;
            listeners.push(bound);
        }
    }
    Ok(listeners)
}

fn web_sockets(listeners: &[BoundListener]) -> Vec<WebSocket> {
    listeners.iter().map(|listener| WebSocket { serves: listener.name(), url: listener.url() }).collect()
}

/// The certificates of the web port. If they cannot be read, the port is not served unencrypted instead.
fn certificates(settings: &Settings) -> Result<Option<Arc<Certificates>>> {
    let Some(tls) = &settings.web.tls else { return Ok(None) };
    let certificates = Certificates::for_http(tls, &settings.data);
    certificates.map(|certificates| Some(Arc::new(certificates))).map_err(|error| {
        CommandFailure::environment(format!(
            "web.tls: {error}. `logstead tls self-signed` makes a certificate to begin with"
        ))
    })
}

/// The password of the first administrator, if there is no user yet and the environment sets one.
fn first_password(meta: &Meta) -> Result<Option<String>> {
    if meta.has_users().map_err(CommandFailure::environment)? {
        return Ok(None);
    }
    secret::of_environment("LOGSTEAD_ADMIN_PASSWORD", Some("admin_password"))
}

/// Creates the administrator if there is a password; otherwise returns the code with which the console can do so.
fn first_login(meta: &Meta, password: Option<String>) -> Result<Option<String>> {
    if meta.has_users().map_err(CommandFailure::environment)? {
        return Ok(None);
    }
    match password {
        Some(password) => {
            meta.ensure_admin(&password, clock::now())?;
            Ok(None)
        }
        None => Ok(Some(setup_code().map_err(CommandFailure::environment)?)),
    }
}

async fn serve(
    listeners: Vec<BoundListener>,
    certificates: Option<Arc<Certificates>>,
    apps: Apps,
    limits: WebLimits,
    pipeline: &Arc<Pipeline>,
    setup_code: Option<String>,
) -> Result<Option<Deadline>> {
    let mut terminate = signal(SignalKind::terminate()).map_err(CommandFailure::environment)?;
    let mut hang_up = signal(SignalKind::hangup()).map_err(CommandFailure::environment)?;
    announce(&listeners, pipeline, setup_code);
    let (sockets, counters) = (pipeline.sockets.clone(), pipeline.counters.clone());
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let context = ConnectionContext { apps, limits, certificates: certificates.clone(), sockets, counters };
    let mut server = tokio::spawn(web::serve(context, listeners, stopped));
    loop {
        tokio::select! {
            ended = &mut server => return ended.map(|()| None).map_err(CommandFailure::environment),
            _ = tokio::signal::ctrl_c() => break,
            _ = terminate.recv() => break,
            _ = hang_up.recv() => {
                pipeline.reload_certificates();
                certificates.iter().for_each(|certificates| ConnectionContext::reload(certificates));
            }
        }
    }
    let deadline = deadline(pipeline).map_err(CommandFailure::environment)?;
    pipeline.end_streams();
    stop.send_replace(true);
    tokio::time::timeout(REQUESTS_WAIT_MAX, server).await.ok();
    Ok(Some(deadline))
}

/// A deadline that ends the process if it takes too long to stop.
fn deadline(pipeline: &Arc<Pipeline>) -> std::io::Result<Deadline> {
    let pipeline = pipeline.clone();
    Deadline::start(STOP_WAIT_MAX, move || {
        tracing::warn!(
            "stopped without waiting any longer for {}: nothing that was acknowledged is lost, and the last \
             messages sent to a destination may be sent again",
            pipeline.stop_waits_for()
        );
        std::process::exit(0);
    })
}

/// The application for each kind of listener.
fn apps(state: ApiState, listeners: &[BoundListener]) -> Apps {
    let encrypted = listeners.iter().filter(|listener| listener.is_encrypted());
    let port =
        encrypted.filter_map(BoundListener::address).map(|address| address.port()).next().unwrap_or(443);
    let redirect = api::redirect(Encrypted { public_url: state.settings.web.public_url.clone(), port });
    let api::Apps { console, metrics } = api::apps(state);
    Apps { console, redirect, metrics }
}

/// The limits of the web port. If the process cannot open enough files for all connections, the web port leaves room for
/// those of the sources, but keeps half.
fn web_limits(settings: &Settings, pipeline: &Pipeline) -> WebLimits {
    let (wanted, sockets_max) = (settings.web.connections_max as usize, pipeline.sockets.max);
    let of_sources = pipeline.connections_max();
    let room = sockets_max.saturating_sub(of_sources).max(sockets_max / 2);
    if room < wanted {
        tracing::warn!(
            "web.connections_max: only {room} connections instead of {wanted}, because the sources may have \
             {of_sources} and the system allows {sockets_max} in all: raise the limit of open files (`ulimit -n`, \
             `LimitNOFILE=`)"
        );
    }
    WebLimits::of(&settings.web, room)
}

/// Prints the addresses of the console and of the listeners. Scripts wait for these lines.
fn announce(listeners: &[BoundListener], pipeline: &Pipeline, setup_code: Option<String>) {
    for (id, listener) in pipeline.listening() {
        text::notice(&format!("listening: {id} {listener}"));
    }
    let (first, others) = listeners.split_first().expect("the settings name at least one");
    for listener in others {
        text::notice(&format!("listening: {} {}", listener.name(), listener.url()));
    }
    let url = first.url();
    text::notice(&format!("ready: console {url}"));
    if let Some(code) = setup_code {
        text::notice(&format!(
            "setup: create the administrator at {url}/setup#{code} with the one-time code {code}"
        ));
    }
}
