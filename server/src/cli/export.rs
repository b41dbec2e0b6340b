//! `logstead export`: writes all matching messages, from a running server or from a data directory.
//!
//! **Invariant:** missing messages are reported, with exit code 1.

use super::failure::{CommandFailure, Result};
use super::output::Output;
use super::question::{DirectoryQuestion, QuestionArgs};
use super::remote::{Remote, StoreLocation, StoreLocationArgs};
use super::text;
use clap::{Args, ValueEnum};
use logstead_columnar::ColumnarFormat;
use logstead_indexer::Order as Ordered;
use logstead_questions::store::{MessageRun, StreamedStages};
use logstead_questions::wire::columnar::UnfitColumn;
use logstead_questions::wire::file::{self, MessageFormat};
use logstead_questions::wire::table::TableJson;
use serde::Deserialize;
use serde_json::Value;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

pub(super) const EXAMPLES: &str = "Examples:
  logstead export 'program=sshd' --from -7d --server http://127.0.0.1:8080 --token TOKEN --output sshd.ndjson
  logstead export '' --data data --format raw --order oldest --output everything.log
  logstead export 'error' --data data --format csv --columns time,host,user | head
  logstead export 'error | stats count() by host' --data data --format csv
  logstead export 'program=shop' --data data --format parquet --columns time,host,status:integer -o shop.parquet
  logstead export 'program=shop' --data data --format arrow | python -c 'import sys, pyarrow as pa; print(pa.ipc.open_stream(sys.stdin.buffer).read_all())'

arrow and parquet have columns with types: text, integer, number, boolean, time or list, behind the name of the column.
A value that cannot be read as its type is left empty, and reported on standard error.

Without --output, messages go to standard output. A file is first written as FILE.part and gets its name once everything
readable is in it; a link is followed, and a pipe or a device is written to as it is. --data needs no lock and changes nothing, so a server may be running on it. Damaged parts are left out;
the last line on standard error then names them and says how many messages are missing, if that is known. Exit code 1: the
query is wrong, or something is missing; 3: the store or the server cannot be read, or the export broke off.";

const PIECE_BYTES: usize = 256 << 10;
/// The greatest number of damaged parts that the last line names.
const NAMED_MAX: usize = 20;

#[derive(Args, Debug)]
pub(super) struct Export {
    /// What to look for, in the query language; '' matches everything. A query with stages exports its table
    query: String,
    #[command(flatten)]
    question: QuestionArgs,
    #[arg(long, value_enum, default_value_t = FileFormat::Ndjson)]
    format: FileFormat,
    /// Which messages come first
    #[arg(long, value_enum, default_value_t = ExportOrder::Newest)]
    order: ExportOrder,
    /// Columns: any fields, separated by commas; in arrow and parquet, with a type if you like, such as status:integer
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// The maximum number of messages
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// The file to write to; standard output by default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    store: StoreLocationArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FileFormat {
    /// A JSON object per line
    Ndjson,
    /// Comma-separated, with a header row
    Csv,
    /// The bytes as received, with a line feed after each message
    Raw,
    /// Columns with types, as an Arrow IPC stream
    Arrow,
    /// Columns with types, as a Parquet file
    Parquet,
}

impl FileFormat {
    fn columnar(self) -> Option<ColumnarFormat> {
        match self {
            FileFormat::Ndjson | FileFormat::Csv | FileFormat::Raw => None,
            FileFormat::Arrow => Some(ColumnarFormat::Arrow),
            FileFormat::Parquet => Some(ColumnarFormat::Parquet),
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExportOrder {
    Newest,
    Oldest,
}

impl Export {
    pub(super) fn run(&self) -> Result<()> {
        if self.format.columnar().is_some() && self.output.is_none() && io::stdout().is_terminal() {
            let detail =
                "this format is not for a terminal: name a file with --output, or a program behind a |";
            return Err(CommandFailure::no(detail));
        }
        let mut output = Output::open("export", self.output.as_deref())?;
        let lacks = match self.store.location()? {
            StoreLocation::Data(data) => self.in_data(data, &mut output)?,
            StoreLocation::Server(remote) => self.at_server(&remote, &mut output)?,
        };
        output.finish()?;
        lacks.told().map_or(Ok(()), |told| Err(CommandFailure::no(told)))
    }

    fn at_server(&self, remote: &Remote, output: &mut Output) -> Result<MissingParts> {
        let logspaces = self.question.logspaces.join(",");
        let columns = self.columns.as_ref().map(|names| names.join(","));
        let limit = self.limit.map(|limit| limit.to_string());
        let possible = [self.format.to_possible_value(), self.order.to_possible_value()];
        let [format, order] =
            possible.map(|value| value.map_or(String::new(), |value| value.get_name().to_owned()));
        let own = [
            ("format", Some(format.as_str())),
            ("order", Some(order.as_str())),
            ("columns", columns.as_deref()),
            ("limit", limit.as_deref()),
            ("summary", Some("true")),
        ];
        let parameters = self.question.parameters(&self.query, &logspaces, &own);
        let answer = remote.get("export", &parameters, &[])?;
        let mut body = answer.into_body().into_reader();
        let mut piece = vec![0; PIECE_BYTES];
        let mut last = LastLine { is_apart: self.format.columnar().is_some(), held: Vec::new() };
        loop {
            let read = match body.read(&mut piece) {
                Ok(0) => return last.lacks(&remote.server),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(CommandFailure::environment(format!(
                        "{}: the export broke off: {error}",
                        remote.server
                    )));
                }
            };
            output.write(&last.push(&piece[..read]))?;
        }
    }

    fn in_data(&self, data: &Path, output: &mut Output) -> Result<MissingParts> {
        let question = DirectoryQuestion::new(data, &self.query, &self.question)?;
        let stages = &question.pipeline.stages;
        let has_columns = self.format == FileFormat::Csv || self.format.columnar().is_some();
        let passing = StreamedStages::exported(&question.pipeline, has_columns, question.now);
        if passing.is_none() && !stages.is_empty() {
            return self.table(&question, output);
        }
        self.messages(&question, passing, output)
    }

    fn messages(
        &self,
        question: &DirectoryQuestion,
        passing: Option<StreamedStages>,
        output: &mut Output,
    ) -> Result<MissingParts> {
        let mut writing = self.writing(question, passing.as_ref()).map_err(CommandFailure::no)?;
        let order = match self.order {
            ExportOrder::Newest => Ordered::Newest,
            ExportOrder::Oldest => Ordered::Oldest,
        };
        let limit = self.limit.unwrap_or(u64::MAX);
        let run = question.run();
        let reading = question.logspaces.clone().read(question.wanted(), passing, order, limit, &run);
        let mut reading = reading.map_err(CommandFailure::environment)?.with_columns(writing.groups());
        let mut piece = Vec::new();
        writing.begin(&mut piece);
        while 0 < reading.left() {
            let write = |run: &MessageRun<'_>, out: &mut Vec<u8>| writing.run(run, out);
            reading.next_runs(write, &run, &mut piece).map_err(CommandFailure::environment)?;
            output.write(&piece)?;
            piece.clear();
        }
        writing.end(&[], &mut piece);
        output.write(&piece)?;
        tell_unfit(&writing.unfit());
        let damaged: Vec<String> = reading.damaged().iter().take(NAMED_MAX).cloned().collect();
        text::tell_copies(reading.copies());
        Ok(MissingParts { parts: reading.damaged().len() as u64, damaged, missing: reading.missing() })
    }

    fn writing(
        &self,
        question: &DirectoryQuestion,
        passing: Option<&StreamedStages>,
    ) -> std::result::Result<MessageFormat, String> {
        let columns = self.columns.clone();
        let of_rows = |columns| file::row_columns(&question.pipeline, columns);
        match (self.format, self.format.columnar()) {
            (_, Some(format)) => MessageFormat::columnar(format, of_rows(columns)),
            (FileFormat::Csv, _) => MessageFormat::csv(of_rows(columns)),
            (FileFormat::Raw, _) => Ok(MessageFormat::Raw),
            _ => MessageFormat::ndjson(passing.and_then(StreamedStages::names).or(columns)),
        }
    }

    fn table(&self, question: &DirectoryQuestion, output: &mut Output) -> Result<MissingParts> {
        if self.format == FileFormat::Raw {
            return Err(CommandFailure::no(
                "a query with stages makes a table: export it as ndjson, csv, arrow or parquet",
            ));
        }
        let (table, coverage) = question.table()?;
        let rows_max = self.limit.unwrap_or(u64::MAX);
        if let Some(flaw) = table.flaw_as_file(rows_max) {
            return Err(CommandFailure::No(flaw));
        }
        let written = if let Some(format) = self.format.columnar() {
            let (_, written, unfit) = file::typed_table(&table, rows_max, format);
            tell_unfit(&unfit);
            written
        } else {
            let written = file::table(&TableJson::from(table), rows_max, self.format == FileFormat::Csv);
            written.map_err(CommandFailure::environment)?.1
        };
        output.write(&written)?;
        let damaged: Vec<String> = coverage
            .damaged
            .iter()
            .chain(&coverage.late)
            .map(|(id, damage)| format!("{id}: {damage}"))
            .collect();
        Ok(MissingParts { parts: damaged.len() as u64, damaged, missing: 0 })
    }
}

/// Reports the values that do not fit the types of their columns.
fn tell_unfit(unfit: &[UnfitColumn]) {
    unfit.iter().for_each(|column| text::error(&format!("warning: {}", column.told())));
}

/// The gaps of an export.
#[derive(Default)]
struct MissingParts {
    /// The number of parts of the store that cannot be read.
    parts: u64,
    /// The names of these parts, or of the first ones.
    damaged: Vec<String>,
    /// The number of matching messages that are missing, as far as known.
    missing: u64,
}

impl MissingParts {
    /// The last line, if there is anything to report.
    fn told(&self) -> Option<String> {
        let MissingParts { parts, damaged, missing } = self;
        if *parts == 0 && *missing == 0 {
            return None;
        }
        let names = damaged.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join("; ");
        let more = parts.saturating_sub(damaged.len().min(NAMED_MAX) as u64);
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        let known = match missing {
            0 => "how many matching messages they hold is not known".to_owned(),
            missing => format!("at least {missing} matching messages are missing"),
        };
        Some(format!("the export lacks parts that cannot be read: {known}: {names}{more}"))
    }
}

/// Holds back the last line of a response, which is not part of the export but reports its gaps.
#[derive(Default)]
struct LastLine {
    held: Vec<u8>,
    /// Whether a line feed before it sets it apart from what does not consist of lines.
    is_apart: bool,
}

impl LastLine {
    /// Adds a piece, and returns the part that belongs to the export.
    fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        // The last line ends with a line feed, and begins after the line feed before that.
        let before_end = self.held.len().saturating_sub(1);
        let begins = memchr::memrchr(b'\n', &self.held[..before_end])
            .map_or(0, |end| end + usize::from(!self.is_apart));
        self.held.drain(..begins).collect()
    }

    fn lacks(&self, server: &str) -> Result<MissingParts> {
        let broken = |error| {
            CommandFailure::environment(format!("{server}: the answer ends without its summary: {error}"))
        };
        let summary: Value = serde_json::from_slice(&self.held).map_err(broken)?;
        let damaged = summary["damaged"].as_array().into_iter().flatten();
        let number = |name: &str| summary[name].as_u64().unwrap_or_default();
        text::tell_copies(number("copies"));
        tell_unfit(&Vec::deserialize(&summary["unfit"]).unwrap_or_default());
        Ok(MissingParts {
            parts: number("damaged_parts"),
            damaged: damaged.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            missing: number("missing"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_held_back_however_the_answer_is_cut_in_pieces() {
        let answer = b"a\n\nb\xff\n{\"missing\":3,\"damaged_parts\":1,\"damaged\":[\"main: x\"]}\n";
        for piece_bytes in 1..answer.len() {
            let mut last = LastLine::default();
            let body: Vec<u8> = answer.chunks(piece_bytes).flat_map(|piece| last.push(piece)).collect();
            assert_eq!(body, b"a\n\nb\xff\n");
            let told = last.lacks("").unwrap_or_default().told();
            assert!(
                told.is_some_and(|told| told.ends_with("at least 3 matching messages are missing: main: x"))
            );
        }
    }

    #[test]
    fn a_summary_behind_bytes_is_told_from_them() {
        let answer = b"PAR1\n\0\n\n{\"missing\":0,\"damaged_parts\":0,\"damaged\":[]}\n";
        for piece_bytes in 1..answer.len() {
            let mut last = LastLine { is_apart: true, held: Vec::new() };
            let body: Vec<u8> = answer.chunks(piece_bytes).flat_map(|piece| last.push(piece)).collect();
            assert_eq!(body, b"PAR1\n\0\n");
            assert!(last.lacks("").unwrap_or_default().told().is_none());
        }
    }
}
