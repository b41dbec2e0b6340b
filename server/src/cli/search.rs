//! `logstead search`: finds messages in a data directory, even if a server has it open, or through a running server.

use super::failure::CommandFailure;
use super::format::OutputFormat;
use super::question::{AsText, CopiesCounted, DirectoryQuestion, QuestionOptions, warn_of_damage};
use super::remote::{Remote, ServerArgs, StoreLocation};
use super::table::PrintedTable;
use super::text;
use clap::builder::RangedU64ValueParser;
use clap::{ArgGroup, Args};
use logstead_indexer::{Hit, Order};
use logstead_query::parse_pipeline_search;
use logstead_questions::store::PageRequest;
use logstead_questions::wire::message::MessageJson;
use logstead_questions::wire::table;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub(super) const EXAMPLES: &str = "Examples:
  logstead search 'failed password' --data data
  logstead search 'host:fw* severity>=error' --from -1h --server http://127.0.0.1:8080 --token TOKEN
  logstead search 'program=sshd' --format csv --limit 1000 --data data > sshd.csv
  logstead search 'error | stats count() by host | sort -count' --data data
  LOGSTEAD_SERVER=https://logs.example LOGSTEAD_TOKEN_FILE=~/.logstead-token logstead search 'failed password'

The newest messages come first. Stages produce a table, to which --limit does not apply. Damaged parts are left out, and a
warning names them. --data needs no lock and changes nothing. Exit code 0: found; 1: nothing matches, or the query is wrong;
3: the store or the server cannot be read.";

/// The most messages that the server returns in one page.
const PAGE_MAX: usize = 10_000;

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("store").args(["data", "server"])))]
pub(super) struct SearchCommand {
    /// What to look for, in the query language
    query: String,
    #[command(flatten)]
    as_text: AsText,
    /// From this time on: RFC 3339, or relative, such as `-15m`
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    from: Option<String>,
    /// Up to this time, but not including it
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    to: Option<String>,
    /// Only this logspace; may be repeated
    #[arg(long = "logspace", value_name = "L")]
    logspaces: Vec<String>,
    /// Count each copy of a message that routes stored in several logspaces; without it, it counts once
    #[arg(long, value_enum)]
    copies: Option<CopiesCounted>,
    /// The maximum number of messages
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    limit: usize,
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    format: OutputFormat,
    /// A data directory. It is only read, so a server may be running on it
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

impl SearchCommand {
    pub(super) fn run(&self) -> Result<(), CommandFailure> {
        let found = match self.server.or(self.data.as_ref())? {
            StoreLocation::Data(data) => self.in_data(data)?,
            StoreLocation::Server(remote) => self.at_server(&remote)?,
        };
        match &found {
            SearchAnswer::Messages(messages) => self.format.print_all(messages)?,
            SearchAnswer::Table(table) => table.print(self.format)?,
        }
        if found.is_empty() { Err(CommandFailure::no("no message matches")) } else { Ok(()) }
    }

    fn in_data(&self, data: &Path) -> Result<SearchAnswer, CommandFailure> {
        let options = QuestionOptions {
            query: &self.query,
            unparsed: self.as_text.unparsed(),
            from: self.from.as_deref(),
            to: self.to.as_deref(),
            logspaces: &self.logspaces,
            copies: self.copies,
        };
        let question = DirectoryQuestion::new(data, &options)?;
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

    fn at_server(&self, server: &Remote) -> Result<SearchAnswer, CommandFailure> {
        // If the query is wrong, the server says so.
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
            for warning in page["warnings"].as_array().into_iter().flatten() {
                text::error(&format!("warning: {}", warning["message"].as_str().unwrap_or_default()));
            }
            found.extend(page["messages"].as_array().into_iter().flatten().cloned());
            cursor = page["cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        Ok(SearchAnswer::Messages(found))
    }

    fn page(&self, server: &Remote, left: usize, cursor: Option<&str>) -> Result<Value, CommandFailure> {
        let limit = left.min(PAGE_MAX).to_string();
        self.ask(server, "search", &[("limit", Some(&limit)), ("cursor", cursor)])
    }

    fn ask(
        &self,
        server: &Remote,
        what: &str,
        more: &[(&str, Option<&str>)],
    ) -> Result<Value, CommandFailure> {
        let logspaces = Some(self.logspaces.join(",")).filter(|ids| !ids.is_empty());
        let common = [
            ("query", Some(&*self.query)),
            ("unparsed", self.as_text.parameter()),
            ("logspaces", logspaces.as_deref()),
            ("from", self.from.as_deref()),
            ("to", self.to.as_deref()),
            ("copies", self.copies.map(CopiesCounted::name)),
        ];
        let parameters: Vec<(&str, &str)> =
            common.iter().chain(more).filter_map(|&(name, value)| Some((name, value?))).collect();
        server.ask(what, &parameters)
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
