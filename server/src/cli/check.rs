//! `logstead check`: reports everything that is wrong with the settings and the router document at once.

use super::failure::{CommandFailure, Result};
use super::settings::{SettingsArgs, listed, read};
use super::text;
use clap::Args;
use logstead_config::settings::Settings;
use logstead_config::{DEFAULT_ROUTER_TOML, DocumentWarning, Problem, check_toml, placed};
use logstead_flow::machine::folders::Folders;
use logstead_pipeline::unfit;
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "Examples:
  logstead check --router config/router.toml
  logstead check --config /etc/logstead/logstead.toml --router /etc/logstead/router.toml

Exit code 0: both are valid, and any warnings are printed; 1: something is wrong, and FILE:LINE:COLUMN says where.";

#[derive(Args, Debug)]
pub(super) struct Check {
    #[command(flatten)]
    settings: SettingsArgs,
    /// The router document; without it, the shipped one is checked
    #[arg(long, value_name = "FILE")]
    router: Option<PathBuf>,
}

impl Check {
    pub(super) fn run(&self) -> Result<()> {
        let settings = self.settings.load();
        let router = self.router(settings.as_ref().ok());
        match (settings, router) {
            (Ok(_), Ok(warnings)) => {
                for warning in warnings {
                    text::error(&format!("warning: {}", warning.message));
                }
                text::line("ok")
            }
            (Err(CommandFailure::No(first)), Err(CommandFailure::No(second))) => {
                Err(CommandFailure::No(format!("{first}\n{second}")))
            }
            (Err(failure), _) | (_, Err(failure)) => Err(failure),
        }
    }

    /// Checks the router document and returns its warnings. The limits in the settings apply if the settings are
    /// valid.
    fn router(&self, settings: Option<&Settings>) -> Result<Vec<DocumentWarning>> {
        let (name, toml) = match &self.router {
            Some(path) => (path.display().to_string(), read(path)?),
            None => ("router document".to_owned(), DEFAULT_ROUTER_TOML.to_owned()),
        };
        let wrong = |problems: &[Problem]| CommandFailure::No(listed(&name, problems));
        let (_, checked) = check_toml(&toml).map_err(|problems| wrong(&problems))?;
        let Some(settings) = settings else { return Ok(checked.warnings) };
        let mut unfit = unfit(&checked, &settings.data, &Folders::new(&settings.data, &settings.files));
        // The certificates are on the machine on which the document will run; `router check` looks for them there.
        unfit.retain(|problem| !problem.path.ends_with(".tls"));
        if unfit.is_empty() { Ok(checked.warnings) } else { Err(wrong(&placed(unfit, &toml))) }
    }
}
