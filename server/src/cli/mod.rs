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

#[derive(Subcommand, Debug)]
enum CliCommand {
    /// Receives, stores and serves messages
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::Serve),
    /// Checks the settings and the router document
    #[command(after_help = check::EXAMPLES)]
    Check(check::Check),
    /// Prints, replaces or checks the router document of a server, stopped or running
    #[command(after_help = router::EXAMPLES)]
    Router(Box<router::Router>),
    /// Makes a running server like the files of a folder: router, users, tokens, saved searches
    #[command(after_help = apply::EXAMPLES)]
    Apply(apply::Apply),
    /// Lists, creates and changes the users of a stopped server
    #[command(after_help = user::EXAMPLES)]
    User(user::UserCommand),
    /// Manages the destinations of a running server: queues, refused messages, sending messages again
    #[command(after_help = destination::EXAMPLES)]
    Destination(Box<destination::DestinationCommand>),
    /// Searches a store, stopped or running
    #[command(after_help = search::EXAMPLES)]
    Search(search::SearchCommand),
    /// Prints messages as they are stored
    #[command(after_help = tail::EXAMPLES)]
    Tail(tail::TailCommand),
    /// Prints the messages before and after a message
    #[command(after_help = context::EXAMPLES)]
    Context(context::ContextCommand),
    /// Writes all matching messages
    #[command(after_help = export::EXAMPLES)]
    Export(Box<export::Export>),
    /// Stores the lines of files
    #[command(after_help = import::EXAMPLES)]
    Import(import::Import),
    /// Checks that all data is as it was written
    #[command(after_help = verify::EXAMPLES)]
    Verify(verify::Verify),
    /// Rebuilds the indexes
    #[command(after_help = reindex::EXAMPLES)]
    Reindex(reindex::Reindex),
    /// Lists, follows and ends the jobs of a running server
    #[command(after_help = job::EXAMPLES)]
    Job(job::JobCommand),
    /// Prints the contents of a file of a store
    #[command(after_help = inspect::EXAMPLES)]
    Inspect(inspect::Inspect),
    /// Asks whether the server of these settings is ready
    #[command(after_help = healthcheck::EXAMPLES)]
    Healthcheck(healthcheck::Healthcheck),
    /// Prints the licences of everything that the binary and the console are made of
    #[command(after_help = licences::EXAMPLES)]
    Licences(licences::Licences),
    /// Creates certificates
    #[command(after_help = tls::EXAMPLES)]
    Tls(tls::Tls),
    /// Creates a token in the store of a stopped server
    #[command(after_help = token::EXAMPLES)]
    Token(token::TokenCommand),
    /// Sends load to a receiver and counts what was sent and acknowledged
    #[command(after_help = loadgen::EXAMPLES)]
    Loadgen(Box<loadgen::Loadgen>),
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    // Usage errors end the process with exit code 2.
    let done = match Cli::parse().command {
        CliCommand::Serve(serve) => serve.run(),
        CliCommand::Check(check) => check.run(),
        CliCommand::Router(router) => router.run(),
        CliCommand::Apply(apply) => apply.run(),
        CliCommand::User(user) => user.run(),
        CliCommand::Destination(destination) => destination.run(),
        CliCommand::Search(search) => search.run(),
        CliCommand::Tail(tail) => tail.run(),
        CliCommand::Context(context) => context.run(),
        CliCommand::Export(export) => export.run(),
        CliCommand::Import(import) => import.run(),
        CliCommand::Verify(verify) => verify.run(),
        CliCommand::Reindex(reindex) => reindex.run(),
        CliCommand::Job(job) => job.run(),
        CliCommand::Inspect(inspect) => inspect.run(),
        CliCommand::Healthcheck(healthcheck) => healthcheck.run(),
        CliCommand::Licences(licences) => licences.run(),
        CliCommand::Tls(tls) => tls.run(),
        CliCommand::Token(token) => token.run(),
        CliCommand::Loadgen(loadgen) => loadgen.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandFailure::No(message)) => fail(&message, 1),
        Err(CommandFailure::Environment(message)) => fail(&message, 3),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    text::error(message);
    ExitCode::from(code)
}
