//! Measurements that can be repeated, as evidence for claims about speed: each prints its steps, its input, and a
//! baseline from the same minute.

mod chart;
mod corpus;
mod export;
mod forward;
mod forward_soak;
mod fresh;
mod groups;
mod growth;
mod hostile;
mod ingest;
mod journal;
mod measure;
mod numbered;
mod questions;
mod receive;
mod route;
mod search;
mod server;
mod soak;
mod store;
mod table;
mod test_receiver;
mod verdict;
mod visitors;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::io::Read;
use std::path::PathBuf;

/// The server's allocator, so that measurements use it too.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Measures Logstead.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Subcommand)]
enum BenchCommand {
    /// CPU per message from bytes to a synced journal, split by step
    Journal {
        /// Lines to read; by default, lines are generated from a seed
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// The number of messages, if they are generated
        #[arg(long, default_value_t = 1_000_000)]
        messages: usize,
        /// The folder for the journal, which is removed afterwards
        #[arg(long, default_value = "target/bench-data")]
        data: PathBuf,
        /// The number of runs; all are printed, and the fastest is the result
        #[arg(long, default_value_t = 5)]
        runs: usize,
    },
    /// CPU and bytes per message from bytes to sealed, searchable segments
    Store {
        /// Lines to read; by default, lines are generated from a seed
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// The number of messages, if they are generated
        #[arg(long, default_value_t = 1_000_000)]
        messages: usize,
        /// The folder for the store; its old contents are removed, and the new store is kept
        #[arg(long, default_value = "target/bench-store")]
        data: PathBuf,
    },
    /// CPU time and bytes of texts in groups of templates, and the time of questions to them
    Groups {
        /// Lines to read
        #[arg(long)]
        corpus: PathBuf,
    },
    /// How long searches take in a store written by `store`
    Search {
        /// The store
        #[arg(long, default_value = "target/bench-store")]
        data: PathBuf,
        /// How often each search is run; the median is the result
        #[arg(long, default_value_t = 15)]
        runs: usize,
        /// The number of threads for one search
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// Compares every count with that of a naive scan
        #[arg(long)]
        check: bool,
        /// Asks only this query; may be given more than once
        #[arg(long)]
        query: Vec<String>,
    },
    /// The CPU time of a message in each format of an export, from a store written by `store`
    Export {
        /// The store
        #[arg(long, default_value = "target/bench-store")]
        data: PathBuf,
        /// The number of runs of each format; the fastest is the result
        #[arg(long, default_value_t = 3)]
        runs: usize,
        /// Writes only this format; may be given more than once
        #[arg(long)]
        format: Vec<String>,
    },
    /// How long searches take on messages that are stored and not sealed yet
    Unsealed {
        /// Lines to read; by default, lines are generated from a seed
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// The number of messages, if they are generated
        #[arg(long, default_value_t = 1_000_000)]
        messages: usize,
        /// The folder for the store, which is removed afterwards
        #[arg(long, default_value = "target/bench-store")]
        data: PathBuf,
        /// How often each search is run; the median is the result
        #[arg(long, default_value_t = 15)]
        runs: usize,
        /// The number of threads for one search
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
    /// The CPU time that routes and steps take per message
    Route {
        /// Lines to read; by default, lines are generated from a seed
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// The number of messages, if they are generated
        #[arg(long, default_value_t = 1_000_000)]
        messages: usize,
        /// The number of runs; the fastest is the result
        #[arg(long, default_value_t = 5)]
        runs: usize,
    },
    /// The cost of receiving for the real server
    Receive(Box<receive::Receive>),
    /// How long searches of a real server take while messages are sent and sealed, and right after a kill
    Fresh(fresh::Fresh),
    /// The cost of receiving over HTTP and from shippers for the real server, in addition to storing
    #[command(after_help = ingest::EXAMPLES)]
    Ingest(ingest::Ingest),
    /// The cost of forwarding for the real server, in addition to storing
    Forward(Box<forward::Forward>),
    /// Forwarding for an hour to destinations that come and go
    ForwardSoak(forward_soak::ForwardSoak),
    /// Eighty questions to the real server, first with nothing in memory, then again and again
    #[command(after_help = questions::EXAMPLES)]
    Questions(questions::Questions),
    /// Memory over an hour of load while users work
    Soak(soak::Soak),
    /// How senders and users fare alongside ten thousand hostile connections
    Hostile(hostile::Hostile),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        BenchCommand::Journal { corpus, messages, data, runs } => {
            let lines = match corpus {
                Some(path) => std::fs::read(path)?,
                None => corpus::lines(messages),
            };
            journal::run(&lines, &data, runs)
        }
        BenchCommand::Route { corpus, messages, runs } => {
            let lines = match corpus {
                Some(path) => std::fs::read(path)?,
                None => corpus::lines(messages),
            };
            route::run(&lines, runs)
        }
        BenchCommand::Store { corpus: Some(path), data, .. } => store::run(std::fs::File::open(path)?, &data),
        BenchCommand::Store { messages, data, .. } => store::run(corpus::lines(messages).as_slice(), &data),
        BenchCommand::Groups { corpus } => {
            groups::run(&std::fs::read(corpus)?);
            Ok(())
        }
        BenchCommand::Search { data, runs, threads, check, query } => {
            search::run(&data, runs, threads, check, &query)
        }
        BenchCommand::Export { data, runs, format } => export::run(&data, runs, &format),
        BenchCommand::Unsealed { corpus, messages, data, runs, threads } => {
            let lines: Box<dyn Read> = match corpus {
                Some(path) => Box::new(std::fs::File::open(path)?),
                None => Box::new(std::io::Cursor::new(corpus::lines(messages))),
            };
            search::run_unsealed(lines, &data, runs, threads)
        }
        BenchCommand::Receive(receive) => receive.run(),
        BenchCommand::Fresh(fresh) => fresh.run(),
        BenchCommand::Ingest(ingest) => ingest.run(),
        BenchCommand::Forward(forward) => forward.run(),
        BenchCommand::ForwardSoak(soak) => soak.run(),
        BenchCommand::Questions(questions) => questions.run(),
        BenchCommand::Soak(soak) => soak.run(),
        BenchCommand::Hostile(hostile) => hostile.run(),
    }
}
