//! The settings as the command line gives them, and documents with their problems as it prints them.

use super::failure::Failure;
use clap::Args;
use logstead_config::Problem;
use logstead_config::settings::{self, InForce, Layers, Settings};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where settings come from.
#[derive(Args, Debug, Default)]
pub(super) struct SettingsArgs {
    /// The settings file; the defaults apply to whatever it leaves out
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting that overrides all others; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl SettingsArgs {
    pub(super) fn load(&self) -> Result<Settings, Failure> {
        settings::load(&self.layers()?).map_err(|problems| self.refused(&problems))
    }

    /// The same, and where each setting is from.
    pub(super) fn load_and_tell(&self) -> Result<(Settings, Vec<InForce>), Failure> {
        let layers = self.layers()?;
        let told = || Ok((settings::load(&layers)?, settings::in_force(&layers)?));
        told().map_err(|problems: Vec<Problem>| self.refused(&problems))
    }

    fn layers(&self) -> Result<Layers, Failure> {
        let file = self.config.as_deref().map(read).transpose()?;
        Ok(Layers { file, env: environment(), set: self.set.clone() })
    }

    fn refused(&self, problems: &[Problem]) -> Failure {
        let name = self.config.as_ref().map_or("settings".to_owned(), |path| path.display().to_string());
        Failure::No(listed(&name, problems))
    }
}

/// The variables that are UTF-8, as all settings are.
fn environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

pub(super) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        match error.kind() {
            // A wrong name, and a file that is no text, are in what was said.
            ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::InvalidData => Failure::no(message),
            _ => Failure::environment(message),
        }
    })
}

/// A line for each problem: `file:line:column: path: message`.
pub(super) fn listed(name: &str, problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let place =
            problem.line.map_or(String::new(), |line| format!("{line}:{}:", problem.column.unwrap_or(1)));
        format!("{name}:{place} {problem}")
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}
