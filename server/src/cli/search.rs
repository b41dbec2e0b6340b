//! `logstead search`: finds messages in a data directory, even if a server has it open, or through a running server.

use super::failure::{CommandFailure, Result};
use super::format::OutputFormat;
use super::question::{DirectoryQuestion, QuestionArgs, warn_of_damage};
use super::remote::{Remote, StoreLocation, StoreLocationArgs};
use super::table::PrintedTable;
use super::text;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use logstead_indexer::{Hit, Order};
use logstead_query::parse_pipeline_search;
use logstead_questions::store::PageRequest;
use logstead_questions::wire::message::MessageJson;
use logstead_questions::wire::table;
use serde_json::Value;
use std::path::Path;

pub(super) const EXAMPLES: &str = "Examples:
  logstead search 'failed password' --data data
  logstead search 'host:fw* severity>=error' --from -1h --server http://127.0.0.1:8080 --token TOKEN
  logstead search 'program=sshd' --format csv --limit 1000 --data data > sshd.csv
  logstead search 'error | stats count() by host | sort -count' --data data
  LOGSTEAD_SERVER=https://logs.example LOGSTEAD_TOKEN_FILE=~/.logstead-token logstead search 'failed password'

The newest messages come first. Stages produce a table, to which --limit does not apply. Damaged parts are left out, and a
warning names them. --data needs no lock and changes nothing. Exit code 0: found; 1: nothing matches, or the query is wrong;
3: the store or the server cannot be read.";

/// The greatest number of messages that the server returns in one page.
const PAGE_MAX: usize = 10_000;

#[derive(Args, Debug)]
pub(super) struct SearchCommand {
    /// What to look for, in the query language
    query: String,
    #[command(flatten)]
    question: QuestionArgs,
    /// The maximum number of messages
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    limit: usize,
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    format: OutputFormat,
    #[command(flatten)]
    store: StoreLocationArgs,
}

impl SearchCommand {
    pub(super) fn run(&self) -> Result<()> {
        let found = match self.store.location()? {
            StoreLocation::Data(data) => self.in_data(data)?,
            StoreLocation::Server(remote) => self.at_server(&remote)?,
        };
        match &found {
            SearchAnswer::Messages(messages) => self.format.print_all(messages)?,
            SearchAnswer::Table(table) => table.print(self.format)?,
        }
        if found.is_empty() { Err(CommandFailure::no("no message matches")) } else { Ok(()) }
    }

    fn in_data(&self, data: &Path) -> Result<SearchAnswer> {
        let question = DirectoryQuestion::new(data, &self.query, &self.question)?;
        if !question.pipeline.stages.is_empty() {
            let (table, coverage) = question.table()?;
            warn_of_damage(&coverage);
            let table =
                serde_json::to_value(table::TableJson::from(table)).map_err(CommandFailure::environment)?;
            return Ok(SearchAnswer::Table(PrintedTable::new(&table)));
        }
        let request = PageRequest { order: Order::Newest, limit: self.limit, after: None };
        let page = question.logspaces.page(question.wanted(), &request, &question.run());
        warn_of_damage(&page.coverage);
        question.tell_copies(question.wanted());
        let value = |(id, hit): &(String, Hit)| serde_json::to_value(MessageJson::new(id, hit));
        let messages: Result<_, _> = page.hits.iter().map(value).collect();
        messages.map(SearchAnswer::Messages).map_err(CommandFailure::environment)
    }

    fn at_server(&self, server: &Remote) -> Result<SearchAnswer> {
        // If the query is invalid, the server reports that.
        if parse_pipeline_search(&self.query).is_ok_and(|search| !search.pipeline.stages.is_empty()) {
            let answer = self.ask(server, "aggregate", &[])?;
            text::tell_copies(answer["copies"].as_u64().unwrap_or_default());
            return Ok(SearchAnswer::Table(PrintedTable::new(&answer)));
        }
        let mut found = Vec::new();
        let mut cursor = None;
        while found.len() < self.limit {
            let page = self.page(server, self.limit - found.len(), cursor.as_deref())?;
            if cursor.is_none() {
                text::tell_copies(page["copies"].as_u64().unwrap_or_default());
            }
            text::warn_of(&page);
            found.extend(page["messages"].as_array().into_iter().flatten().cloned());
            cursor = page["cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        Ok(SearchAnswer::Messages(found))
    }

    fn page(&self, server: &Remote, left: usize, cursor: Option<&str>) -> Result<Value> {
        let limit = left.min(PAGE_MAX).to_string();
        self.ask(server, "search", &[("limit", Some(&limit)), ("cursor", cursor)])
    }

    fn ask(&self, server: &Remote, what: &str, more: &[(&str, Option<&str>)]) -> Result<Value> {
        let logspaces = self.question.logspaces.join(",");
        server.ask(what, &self.question.parameters(&self.query, &logspaces, more))
    }
}

/// The answer to a search.
enum SearchAnswer {
    Messages(Vec<Value>),
    Table(PrintedTable),
}

impl SearchAnswer {
    fn is_empty(&self) -> bool {
        match self {
            SearchAnswer::Messages(messages) => messages.is_empty(),
            SearchAnswer::Table(table) => table.is_empty(),
        }
    }
}
