//! `logstead context`: prints the messages before and after one, from a data directory or through a running server.

use super::failure::{CommandFailure, Result};
use super::format::OutputFormat;
use super::question::{to_the_end, warn_of_damage};
use super::remote::{Remote, StoreLocation, StoreLocationArgs};
use super::{store, text};
use clap::Args;
use logstead_flow::machine::clock;
use logstead_indexer::{Hit, Order};
use logstead_query::{Query, TimeRange};
use logstead_questions::store::{Copies, GlobalPosition, Logspaces, PageRequest, SearchCriteria};
use logstead_questions::wire::message::MessageJson;
use logstead_work::Pool;
use serde_json::Value;
use std::path::Path;

pub(super) const EXAMPLES: &str = "Examples:
  logstead context main:4711 --data data
  logstead context main:4711 --before 5 --after 50 --server http://127.0.0.1:8080 --token TOKEN

The id of a message is `id` in its JSON: LOGSPACE:SEQUENCE. Prints the messages around it in the same logspace, oldest first.
--data needs no lock and changes nothing, so a server may be running on it. Exit code 0: printed; 1: there is no such
message, or it cannot be read; 3: the store or the server cannot be read.";

/// The limit set by the server.
const LIMIT_MAX: u32 = 1000;

#[derive(Args, Debug)]
pub(super) struct ContextCommand {
    /// The message: LOGSPACE:SEQUENCE
    id: String,
    /// The number of messages before it
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=i64::from(LIMIT_MAX)))]
    before: u32,
    /// The number of messages after it
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=i64::from(LIMIT_MAX)))]
    after: u32,
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    format: OutputFormat,
    #[command(flatten)]
    store: StoreLocationArgs,
}

impl ContextCommand {
    pub(super) fn run(&self) -> Result<()> {
        let messages = match self.store.location()? {
            StoreLocation::Data(data) => self.in_data(data)?,
            StoreLocation::Server(remote) => self.at_server(&remote)?,
        };
        self.format.print_all(&messages)
    }

    fn in_data(&self, data: &Path) -> Result<Vec<Value>> {
        let (logspace, sequence) = self.id.rsplit_once(':').unwrap_or_default();
        let sequence = sequence.parse::<u64>().map_err(|_| {
            CommandFailure::no(format!("`{}` is not the id of a message: write it as main:4711", self.id))
        })?;
        let logspaces = store::logspaces(data, &[logspace.to_owned()])?;
        let none = || CommandFailure::no(format!("there is no message {}", self.id));
        let searcher = logspaces.get(logspace).ok_or_else(none)?;
        let hit = searcher.get(sequence).map_err(CommandFailure::no)?.ok_or_else(none)?;
        let place = GlobalPosition::of(logspace, &hit);
        let mut messages = around(&logspaces, &place, Order::Newest, self.before);
        messages.reverse();
        messages.push((logspace.to_owned(), hit));
        messages.extend(around(&logspaces, &place, Order::Oldest, self.after));
        let value = |(id, hit): &(String, Hit)| serde_json::to_value(MessageJson::new(id, hit));
        messages.iter().map(value).collect::<Result<_, _>>().map_err(CommandFailure::environment)
    }

    fn at_server(&self, server: &Remote) -> Result<Vec<Value>> {
        let (before, after) = (self.before.to_string(), self.after.to_string());
        let parameters = [("before", before.as_str()), ("after", after.as_str())];
        let path = format!("messages/{}/context", self.id);
        let body = server.ask(&path, &parameters)?;
        text::warn_of(&body);
        let side = |name: &str| body[name].as_array().cloned().unwrap_or_default();
        Ok([side("before"), vec![body["message"].clone()], side("after")].concat())
    }
}

/// The messages on one side of another.
fn around(logspaces: &Logspaces, place: &GlobalPosition, order: Order, limit: u32) -> Vec<(String, Hit)> {
    let (query, range, copies) = (&Query::All, TimeRange::ALL, Copies::LeftOut);
    let wanted = SearchCriteria { query, range, now: clock::now(), copies };
    let request = PageRequest { order, limit: limit as usize, after: Some(place.clone()) };
    let page = logspaces.page(wanted, &request, &to_the_end(&Pool::new(logstead_flow::machine::cores())));
    warn_of_damage(&page.coverage);
    page.hits
}
