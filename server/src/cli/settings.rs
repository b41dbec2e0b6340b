//! The settings as given on the command line, and the printed form of problems in documents.

use super::failure::{CommandFailure, Result};
use clap::Args;
use logstead_config::Problem;
use logstead_config::settings::{self, EffectiveSetting, Layers, Settings};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The standard path of the settings file of an installation.
const STANDARD: &str = "/etc/logstead/logstead.toml";

/// The sources of the settings.
#[derive(Args, Debug, Default)]
pub(super) struct SettingsArgs {
    /// The settings file; the defaults apply to whatever it leaves out [env: LOGSTEAD_CONFIG] [default:
    /// /etc/logstead/logstead.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting that overrides all others; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// The data directory of a stopped server.
#[derive(Args, Debug)]
pub(super) struct DataDirectoryArgs {
    #[command(flatten)]
    settings: SettingsArgs,
    /// The data directory of a stopped server, instead of the one in the settings
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
}

impl DataDirectoryArgs {
    /// The settings with this data directory.
    pub(super) fn load(&self) -> Result<Settings> {
        self.settings.load_with_data(self.data.as_deref())
    }
}

impl SettingsArgs {
    /// The settings, with this data directory if one is given.
    pub(super) fn load_with_data(&self, data: Option<&Path>) -> Result<Settings> {
        let mut settings = self.load()?;
        if let Some(data) = data {
            data.clone_into(&mut settings.data);
        }
        Ok(settings)
    }

    pub(super) fn load(&self) -> Result<Settings> {
        settings::load(&self.layers()?).map_err(|problems| self.refused(&problems))
    }

    /// The settings, and the origin of each.
    pub(super) fn load_and_tell(&self) -> Result<(Settings, Vec<EffectiveSetting>)> {
        let layers = self.layers()?;
        let told = || Ok((settings::load(&layers)?, settings::in_force(&layers)?));
        told().map_err(|problems: Vec<Problem>| self.refused(&problems))
    }

    fn layers(&self) -> Result<Layers> {
        let file = self.file()?.as_deref().map(read).transpose()?;
        Ok(Layers { file, env: environment(), set: self.set.clone() })
    }

    /// The settings file, if there is one.
    pub(super) fn file(&self) -> Result<Option<PathBuf>> {
        file(self.config.as_deref(), std::env::var_os("LOGSTEAD_CONFIG"), Path::new(STANDARD))
    }

    fn refused(&self, problems: &[Problem]) -> CommandFailure {
        let file = self.file().ok().flatten();
        let name = file.map_or("settings".to_owned(), |path| path.display().to_string());
        CommandFailure::No(listed(&name, problems))
    }
}

/// The settings file named by an argument or by a non-empty variable, otherwise the standard one if it exists. An
/// existing file that cannot be accessed is an error, because without its settings the server would behave
/// differently.
fn file(argument: Option<&Path>, variable: Option<OsString>, standard: &Path) -> Result<Option<PathBuf>> {
    let variable = variable.filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(named) = argument.map(Path::to_owned).or(variable) {
        return Ok(Some(named));
    }
    match standard.try_exists() {
        Ok(is_there) => Ok(is_there.then(|| standard.to_owned())),
        Err(error) => Err(CommandFailure::environment(format!(
            "{}: {error}. Name another settings file with --config, or /dev/null for none",
            standard.display()
        ))),
    }
}

/// The environment variables that are valid UTF-8, as all settings are.
fn environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

pub(super) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        match error.kind() {
            // A wrong name or a file that is not text is a mistake of the caller.
            ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::InvalidData => {
                CommandFailure::no(message)
            }
            _ => CommandFailure::environment(message),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_file_is_the_one_that_is_named_or_that_of_the_installation() {
        let folder = tempfile::tempdir().unwrap();
        let (there, missing) = (folder.path().join("logstead.toml"), folder.path().join("missing.toml"));
        std::fs::write(&there, "").unwrap();
        let below_a_file = there.join("logstead.toml");
        for (argument, variable, standard, expected) in [
            (Some("a.toml"), Some("b.toml"), &there, Some("a.toml")),
            (None, Some("b.toml"), &there, Some("b.toml")),
            (None, Some("b.toml"), &below_a_file, Some("b.toml")),
            (None, Some(""), &there, there.to_str()),
            (None, None, &there, there.to_str()),
            (None, None, &missing, None),
        ] {
            let found = file(argument.map(Path::new), variable.map(OsString::from), standard);
            assert_eq!(found.unwrap().as_deref(), expected.map(Path::new), "{argument:?} {variable:?}");
        }
        assert!(matches!(file(None, None, &below_a_file), Err(CommandFailure::Environment(_))));
    }
}
