//! The command line: its commands, and the meaning of their exit codes.

mod apply;
mod check;
mod choice;
mod context;
mod deadline;
mod destination;
mod export;
mod failure;
mod follow;
mod followed_job;
mod format;
mod healthcheck;
mod import;
mod inspect;
mod job;
mod licences;
mod loadgen;
mod output;
mod progress;
mod question;
mod reindex;
mod remote;
mod router;
mod search;
mod secret;
mod serve;
mod settings;
mod starting;
mod stopped;
mod store;
mod table;
mod tail;
mod text;
mod tls;
mod token;
mod token_remote;
mod typed_password;
mod user;
mod verify;
mod verify_database;

use clap::{Parser, Subcommand};
use failure::CommandFailure;
use std::process::ExitCode;

/// An open-source log store that you can trust and search at the speed you type.
#[derive(Parser, Debug)]
#[command(name = "logstead", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

/// Defines the commands. A row has the name, and the arguments in the module of the command.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident = $module:ident::$arguments:ident;)+) => {
        #[derive(Subcommand, Debug)]
        enum CliCommand {
            $($(#[$about])* #[command(after_help = $module::EXAMPLES)] $name(Box<$module::$arguments>),)+
        }

        impl CliCommand {
            fn run(&self) -> failure::Result<()> {
                match self {
                    $(CliCommand::$name(command) => command.run(),)+
                }
            }
        }
    };
}

commands! {
    /// Receives, stores and serves messages
    Serve = serve::Serve;
    /// Checks the settings and the router document
    Check = check::Check;
    /// Prints, replaces or checks the router document of a server, stopped or running
    Router = router::Router;
    /// Makes a running server like the files of a folder: router, users, tokens, saved searches
    Apply = apply::Apply;
    /// Lists, creates and changes the users of a stopped server
    User = user::UserCommand;
    /// Manages the destinations of a running server: queues, refused messages, sending messages again
    Destination = destination::DestinationCommand;
    /// Searches a store, stopped or running
    Search = search::SearchCommand;
    /// Prints messages as they are stored
    Tail = tail::TailCommand;
    /// Prints the messages before and after a message
    Context = context::ContextCommand;
    /// Writes all matching messages
    Export = export::Export;
    /// Stores the lines of files
    Import = import::Import;
    /// Checks that all data is as it was written
    Verify = verify::Verify;
    /// Rebuilds the indexes
    Reindex = reindex::Reindex;
    /// Lists, follows and ends the jobs of a running server
    Job = job::JobCommand;
    /// Prints the contents of a file of a store
    Inspect = inspect::Inspect;
    /// Asks whether the server of these settings is ready
    Healthcheck = healthcheck::Healthcheck;
    /// Prints the licences of everything that the binary and the console are made of
    Licences = licences::Licences;
    /// Creates certificates
    Tls = tls::Tls;
    /// Creates a token in the store of a stopped server
    Token = token::TokenCommand;
    /// Sends load to a receiver and counts what was sent and acknowledged
    Loadgen = loadgen::Loadgen;
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    // Usage errors end the process with exit code 2.
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandFailure::No(message)) => fail(&message, 1),
        Err(CommandFailure::Environment(message)) => fail(&message, 3),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    text::error(message);
    ExitCode::from(code)
}
