//! The command line: what can be said, and what the exit code means.

mod check;
mod context;
mod export;
mod follow;
mod format;
mod import;
mod inspect;
mod loadgen;
mod progress;
mod question;
mod reindex;
mod remote;
mod router;
mod search;
mod serve;
mod starting;
mod store;
mod table;
mod tail;
mod text;
mod verify;
mod verify_database;

use clap::{Args, Parser, Subcommand};
use logstead_config::Problem;
use logstead_config::settings::{self, Layers, Settings};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// An open-source log store that you can trust and search at the speed you type.
#[derive(Parser, Debug)]
#[command(name = "logstead", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Receives, stores and serves messages
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::Serve),
    /// Checks the settings and the router document
    #[command(after_help = check::EXAMPLES)]
    Check(check::Check),
    /// Prints, replaces or checks the router document of a server, stopped or running
    #[command(after_help = router::EXAMPLES)]
    Router(Box<router::Router>),
    /// Searches a store, stopped or running
    #[command(after_help = search::EXAMPLES)]
    Search(search::Search),
    /// Prints what is stored from now on
    #[command(after_help = tail::EXAMPLES)]
    Tail(tail::Tail),
    /// Prints the messages around one
    #[command(after_help = context::EXAMPLES)]
    Context(context::Context),
    /// Writes all messages that match
    #[command(after_help = export::EXAMPLES)]
    Export(Box<export::Export>),
    /// Stores the lines of files
    #[command(after_help = import::EXAMPLES)]
    Import(import::Import),
    /// Checks that everything is as it was written
    #[command(after_help = verify::EXAMPLES)]
    Verify(verify::Verify),
    /// Makes the indexes again
    #[command(after_help = reindex::EXAMPLES)]
    Reindex(reindex::Reindex),
    /// Prints what a file of a store holds
    #[command(after_help = inspect::EXAMPLES)]
    Inspect(inspect::Inspect),
    /// Sends load to a receiver and counts it
    #[command(after_help = loadgen::EXAMPLES)]
    Loadgen(Box<loadgen::Loadgen>),
}

/// Where settings come from.
#[derive(Args, Debug, Default)]
struct SettingsArgs {
    /// The settings, laid over the shipped defaults
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One setting, laid over everything else; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Why a command did not do what it was told.
#[derive(Debug)]
enum Failure {
    /// The answer is no, or the input is bad: exit code 1.
    No(String),
    /// The environment stands against it (port, disk, lock): exit code 3.
    Environment(String),
}

impl Failure {
    fn no(message: impl Display) -> Failure {
        Failure::No(message.to_string())
    }

    fn environment(message: impl Display) -> Failure {
        Failure::Environment(message.to_string())
    }
}

/// Does what the arguments say.
pub fn run() -> ExitCode {
    // Usage errors end the process with exit code 2.
    let done = match Cli::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Check(check) => check.run(),
        Command::Router(router) => router.run(),
        Command::Search(search) => search.run(),
        Command::Tail(tail) => tail.run(),
        Command::Context(context) => context.run(),
        Command::Export(export) => export.run(),
        Command::Import(import) => import.run(),
        Command::Verify(verify) => verify.run(),
        Command::Reindex(reindex) => reindex.run(),
        Command::Inspect(inspect) => inspect.run(),
        Command::Loadgen(loadgen) => loadgen.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::No(message)) => fail(&message, 1),
        Err(Failure::Environment(message)) => fail(&message, 3),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    text::error(message);
    ExitCode::from(code)
}

impl SettingsArgs {
    fn load(&self) -> Result<Settings, Failure> {
        let file = self.config.as_deref().map(read).transpose()?;
        let name = self.config.as_ref().map_or("settings".to_owned(), |path| path.display().to_string());
        let layers = Layers { file, env: environment(), set: self.set.clone() };
        settings::load(&layers).map_err(|problems| Failure::No(listed(&name, &problems)))
    }
}

/// The variables that are text; a setting is never anything else.
fn environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::no(format!("{}: {error}", path.display())))
}

/// A line for each problem: `file:line:column: path: message`.
fn listed(name: &str, problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let place =
            problem.line.map_or(String::new(), |line| format!("{line}:{}:", problem.column.unwrap_or(1)));
        format!("{name}:{place} {problem}")
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}
