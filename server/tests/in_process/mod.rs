//! The HTTP API with everything behind it except sockets: a real pipeline in its own directory.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "support of several test files")]

use super::support::record;
use axum::Router;
use logstead_accounts::Meta;
use logstead_api as api;
use logstead_api::revision::Revisions;
use logstead_api::{ApiState, Process};
use logstead_config::check_toml;
use logstead_config::settings::{self, Layers, Settings};
use logstead_indexer::{Disk, RealDisk};
use logstead_pipeline::{Pipeline, RevisionChange};
use logstead_record::Timestamp;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// The token of an administrator.
pub const TOKEN: &str = "token-of-the-environment";
/// The code with which the first administrator is made.
pub const SETUP_CODE: &str = "ABCD-EFGH-JKLM-NPQR";

/// Like the shipped document, but without sockets, because tests run in parallel.
pub const ROUTER: &str = r#"# A comment that stays.
version = 1

[[sources]]
id = "http"
kind = "http"

[[logspaces]]
id = "main"

[[logspaces]]
id = "other"

[[routes]]
id = "default"
to = ["main"]
"#;

/// A server without a socket. Each test file defines the calls that it needs for its own type `Calls`, so that
/// different files can use the same names.
pub struct Server<Calls = ()> {
    pub app: Router,
    pub pipeline: Arc<Pipeline>,
    pub meta: Meta,
    /// Its directory, unless the caller keeps it.
    data: Option<TempDir>,
    calls: PhantomData<Calls>,
}

impl<Calls> Drop for Server<Calls> {
    fn drop(&mut self) {
        self.pipeline.stop();
    }
}

impl<Calls> Server<Calls> {
    /// Starts in a directory that is removed with the server. `adjust` changes the default settings.
    pub fn start(adjust: impl FnOnce(&mut Settings)) -> Self {
        let data = TempDir::new().unwrap();
        let mut server = Self::start_in(data.path(), adjust);
        server.data = Some(data);
        server
    }

    /// Starts in a directory that outlives the server.
    pub fn start_in(data: &Path, adjust: impl FnOnce(&mut Settings)) -> Self {
        Self::start_on(Arc::new(RealDisk), data, adjust)
    }

    /// The same, with the messages on this disk.
    pub fn start_on(disk: Arc<dyn Disk>, data: &Path, adjust: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = settings::load(&Layers::default()).unwrap();
        adjust(&mut settings);
        let settings = Arc::new(settings);
        let meta = Meta::open(&data.join("logstead.db")).unwrap();
        let (document, checked) = check_toml(ROUTER).unwrap();
        let change = RevisionChange { toml: ROUTER.to_owned(), document, checked };
        let revision = meta.add_revision(ROUTER, "system", "first", Timestamp::from_nanos(0)).unwrap();
        let pipeline = Pipeline::start(disk, data, settings.clone(), revision, change).unwrap();
        let app = api::app(ApiState {
            meta: meta.clone(),
            pipeline: pipeline.clone(),
            revisions: Arc::new(Revisions::new(pipeline.clone(), meta.clone())),
            settings,
            admin_token: Some(TOKEN.to_owned()),
            setup_code: Some(SETUP_CODE.to_owned()),
            process: Process {
                in_force: settings::in_force(&Layers::default()).unwrap(),
                console: Some(logstead::console::file),
                ..Process::default()
            },
        });
        Server { app: record::recorded(app), pipeline, meta, data: None, calls: PhantomData }
    }
}
