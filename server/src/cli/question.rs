//! A question about the logspaces of a data directory: a query, a time range, and the logspaces to search.

use super::failure::{CommandFailure, Result};
use super::{store, text};
use clap::Args;
use logstead_answer::{AnswerSettings, AnswerTable};
use logstead_flow::machine::clock;
use logstead_indexer::AnswerTarget;
use logstead_query::{ErrorKind, ParseError, Pipeline, TimeRange, Unparsed, parse_asked, parse_time};
use logstead_questions::store::{Copies, Coverage, Logspaces, SearchCriteria};
use logstead_record::Timestamp;
use logstead_work::{Pool, SearchContext};
use std::path::Path;

/// The greatest memory for the groups of a table.
const TABLE_MEMORY_MAX: usize = 1 << 30;

/// The copies that are counted.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CopiesCounted {
    /// Each, in its own logspace
    All,
}

/// The options of a command that ask the question, besides its query.
#[derive(Args, Debug)]
pub(super) struct QuestionArgs {
    #[command(flatten)]
    as_text: AsText,
    /// From this time on: RFC 3339, or relative, such as `-15m`
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    from: Option<String>,
    /// Until before this time
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    to: Option<String>,
    /// Only this logspace; may be repeated
    #[arg(long = "logspace", value_name = "L")]
    pub(super) logspaces: Vec<String>,
    /// Count each copy of a message that routes stored in several logspaces; without it, it counts once
    #[arg(long, value_enum)]
    copies: Option<CopiesCounted>,
}

impl QuestionArgs {
    /// The parameters of a request for the same, and those of its own that have a value. `logspaces` are these, joined.
    pub(super) fn parameters<'a>(
        &'a self,
        query: &'a str,
        logspaces: &'a str,
        own: &[(&'a str, Option<&'a str>)],
    ) -> Vec<(&'a str, &'a str)> {
        let common = [
            ("query", Some(query)),
            ("unparsed", self.as_text.parameter()),
            ("logspaces", Some(logspaces).filter(|ids| !ids.is_empty())),
            ("from", self.from.as_deref()),
            ("to", self.to.as_deref()),
            ("copies", self.copies.map(|CopiesCounted::All| "all")),
        ];
        common.iter().chain(own).filter_map(|&(name, value)| Some((name, value?))).collect()
    }
}

/// A question, and the lanes on which its parts run in parallel.
pub(super) struct DirectoryQuestion {
    pub(super) pipeline: Pipeline,
    pub(super) logspaces: Logspaces,
    range: TimeRange,
    pub(super) now: Timestamp,
    copies: Copies,
    lanes: Pool,
}

impl DirectoryQuestion {
    /// Opens the logspaces for reading; warns of possible mistakes in the query.
    pub(super) fn new(data: &Path, query: &str, asked: &QuestionArgs) -> Result<DirectoryQuestion> {
        let now = clock::now();
        let search = parse_asked(query, asked.as_text.unparsed()).map_err(|error| refused(&error, query))?;
        for warning in &search.warnings {
            text::error(&format!("warning: {}", warning.message));
        }
        let range =
            search.pipeline.filter.range_within(range(asked.from.as_deref(), asked.to.as_deref(), now)?, now);
        let logspaces = store::logspaces(data, &asked.logspaces)?;
        Ok(DirectoryQuestion {
            copies: asked
                .copies
                .map_or_else(|| Copies::of(&search.pipeline), |CopiesCounted::All| Copies::Counted),
            pipeline: search.pipeline,
            logspaces,
            range,
            now,
            lanes: Pool::new(logstead_flow::machine::cores()),
        })
    }

    pub(super) fn wanted(&self) -> SearchCriteria<'_> {
        SearchCriteria { query: &self.pipeline.filter, range: self.range, now: self.now, copies: self.copies }
    }

    pub(super) fn run(&self) -> SearchContext<'_> {
        to_the_end(&self.lanes)
    }

    /// Prints the number of copies that are left out, if there are any.
    pub(super) fn tell_copies(&self, wanted: SearchCriteria<'_>) {
        let (copies, _) = self.logspaces.count_copies(wanted, &self.run());
        text::tell_copies(copies);
    }

    /// The table that results from the stages.
    pub(super) fn table(&self) -> Result<(AnswerTable, Coverage)> {
        let DirectoryQuestion { pipeline, logspaces, range, now, copies, .. } = self;
        let memory_bytes_max = TABLE_MEMORY_MAX;
        let settings = AnswerSettings { now: *now, range: *range, asked: *range, memory_bytes_max };
        let (mut aggregation, range) = logspaces.prepare(pipeline, settings).map_err(CommandFailure::no)?;
        let query = aggregation.filter().clone();
        let wanted = SearchCriteria { query: &query, range, now: *now, copies: *copies };
        self.tell_copies(wanted);
        let asked = &mut [AnswerTarget::Table(&mut aggregation)];
        let coverage = logspaces.answer(wanted, &self.run(), asked).map_err(CommandFailure::no)?;
        Ok((aggregation.finish(&self.run()).map_err(CommandFailure::no)?, coverage))
    }
}

/// A search without limits, because only its user ends a command.
pub(super) fn to_the_end(lanes: &Pool) -> SearchContext<'_> {
    SearchContext { lanes, ..SearchContext::alone() }
}

/// The treatment of a query that cannot be parsed.
#[derive(Args, Debug)]
pub(super) struct AsText {
    /// Search for the text as it stands if it cannot be parsed
    #[arg(long)]
    as_text: bool,
}

impl AsText {
    pub(super) fn unparsed(&self) -> Unparsed {
        if self.as_text { Unparsed::Text } else { Unparsed::Refused }
    }

    /// The same choice as a parameter for a server.
    pub(super) fn parameter(&self) -> Option<&'static str> {
        self.as_text.then_some("text")
    }
}

/// The failure for a query that cannot be parsed, with the position of the error and a suggestion.
pub(super) fn refused(error: &ParseError, query: &str) -> CommandFailure {
    let (line, column, _) = error.line_column(query);
    let excerpt = error.excerpt(query);
    let mut message = format!("query:{line}:{column}: {error}\n{excerpt}");
    if let Some(suggestion) = &error.suggestion {
        message += &format!("\nwrite: {suggestion}");
    }
    if error.kind == ErrorKind::Syntax {
        message += "\nor use --as-text to search for the text as it stands";
    }
    CommandFailure::No(message)
}

pub(super) fn warn_of_damage(coverage: &Coverage) {
    for (logspace, damage) in coverage.damaged.iter().chain(&coverage.late) {
        text::error(&format!("warning: logspace {logspace} could not be searched completely: {damage}"));
    }
}

/// The range given by `--from` and `--to`.
fn range(from: Option<&str>, to: Option<&str>, now: Timestamp) -> Result<TimeRange> {
    let (first, end) = (time("--from", from, now)?, time("--to", to, now)?);
    if let (Some(first), Some(end)) = (first, end)
        && end <= first
    {
        return Err(CommandFailure::no(format!("--from ({first}) must be before --to ({end})")));
    }
    Ok(TimeRange {
        first: first.unwrap_or(Timestamp::MIN),
        last: end.map_or(Timestamp::MAX, |end| end.saturating_add(-1)),
    })
}

fn time(name: &str, text: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>> {
    let Some(text) = text else { return Ok(None) };
    let expression = parse_time(text).ok_or_else(|| {
        CommandFailure::no(format!(
            "{name}: `{text}` is not a time: write 2026-11-21T06:13:00Z, `-15m`, `now` or `yesterday`"
        ))
    })?;
    Ok(Some(expression.resolve(now)))
}
