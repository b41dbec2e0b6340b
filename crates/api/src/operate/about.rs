//! This server: its version, its machine, and its settings.

use crate::error::Result;
use crate::state::{ApiInner, SharedState, WebSocket};
use crate::waiting::blocking;
use axum::extract::State;
use logstead_config::settings::{EffectiveSetting, Layer};
use logstead_flow::machine::{clock, cores, host_name, memory};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// This server, and the machine that it runs on.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = About)]
pub(crate) struct AboutServer {
    version: &'static str,
    /// The machine's name.
    host: String,
    /// Its operating system.
    system: String,
    /// How many threads can run at once.
    cores: u64,
    /// The memory that the process may use, as limited by the machine and its control groups; null if that is not
    /// known.
    #[schema(required)]
    memory_bytes: Option<u64>,
    /// The memory that is divided among the parts of the process.
    memory_budget_bytes: u64,
    /// The origin of that figure, as text for people.
    memory_budget_origin: String,
    /// The memory that the process uses; null if the system does not report it.
    #[schema(required)]
    resident_bytes: Option<u64>,
    pid: u32,
    /// The directory that holds everything.
    data: String,
    /// When the process was started.
    started: String,
    /// When these values were read.
    time: String,
    /// The addresses at which it serves HTTP.
    listeners: Vec<WebSocket>,
}

/// The settings in force.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SettingsInForce {
    settings: Vec<SettingInForce>,
}

/// A setting.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SettingInForce {
    /// The key, dotted as for `--set`.
    pub(super) key: String,
    pub(super) value: String,
    /// The default value.
    default: String,
    origin: SettingOrigin,
    /// The line of the settings file, the environment variable or the argument that sets it; empty for a default.
    pub(super) place: String,
    /// Its meaning.
    about: String,
}

/// The layer that a setting comes from.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SettingOrigin {
    /// The shipped default.
    Default,
    /// The settings file.
    File,
    /// An environment variable.
    Environment,
    /// The command line.
    Argument,
}

/// This server, and the machine that it runs on.
#[utoipa::path(get, path = "/api/v1/about", operation_id = "get_about", tag = "system", responses((status = 200, body = AboutServer)))]
pub(crate) async fn about(State(shared): State<SharedState>) -> Result<axum::Json<AboutServer>> {
    blocking(move || axum::Json(what(&shared))).await
}

/// Every setting in force, with its default and its origin. None of them is a secret.
#[utoipa::path(get, path = "/api/v1/settings", operation_id = "list_settings", tag = "system", responses((status = 200, body = SettingsInForce)))]
pub(crate) async fn settings(State(shared): State<SharedState>) -> axum::Json<SettingsInForce> {
    axum::Json(SettingsInForce { settings: in_force(&shared) })
}

pub(super) fn what(shared: &ApiInner) -> AboutServer {
    let process = &shared.state.process;
    let memory::ProcessMemory { limit, shares, .. } = &shared.state.pipeline.memory;
    AboutServer {
        version: env!("CARGO_PKG_VERSION"),
        host: host_name(),
        system: system(),
        cores: cores() as u64,
        memory_bytes: limit.bytes.filter(|_| limit.unknown.is_none()),
        memory_budget_bytes: shares.bytes,
        memory_budget_origin: shares.origin.clone(),
        resident_bytes: memory::resident_bytes(),
        pid: std::process::id(),
        data: absolute(&shared.state.settings.data).display().to_string(),
        started: process.started.to_string(),
        time: clock::now().to_string(),
        listeners: process.listeners.clone(),
    }
}

pub(super) fn in_force(shared: &ApiInner) -> Vec<SettingInForce> {
    shared.state.process.in_force.iter().map(setting).collect()
}

fn setting(setting: &EffectiveSetting) -> SettingInForce {
    let (origin, place) = match &setting.from {
        Layer::Default => (SettingOrigin::Default, String::new()),
        Layer::File(line) => (SettingOrigin::File, format!("line {line}")),
        Layer::Named(name) if name.starts_with('-') => (SettingOrigin::Argument, name.clone()),
        Layer::Named(name) => (SettingOrigin::Environment, name.clone()),
    };
    SettingInForce {
        key: setting.key.clone(),
        value: setting.value.clone(),
        default: setting.default.clone(),
        origin,
        place,
        about: setting.about.clone(),
    }
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The name of the system, such as `Linux 6.1.0 x86_64`.
fn system() -> String {
    let names = rustix::system::uname();
    let [system, release, machine] = [names.sysname(), names.release(), names.machine()];
    format!("{} {} {}", system.to_string_lossy(), release.to_string_lossy(), machine.to_string_lossy())
}
