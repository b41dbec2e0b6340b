//! A message as it was received: pasted, or parsed again from its raw bytes.
//!
//! A stored message may have been changed by steps of the live routes. Its raw bytes are as they were received,
//! unless a mask rewrote them, so they are parsed again in the way of their source.

use logstead_config::{Checked, SourceKind};
use logstead_ingest::native::{MessageReader as Ours, ReadOptions};
use logstead_pipeline::Pipeline;
use logstead_record::{Batch, BatchBuilder, Origin, Timestamp};
use logstead_syslog::format::{FrameContext, Parser, SyslogParser};
use std::collections::HashMap;
use std::sync::Arc;

/// Reads messages as their sources do.
pub(super) struct SourceReader {
    pipeline: Arc<Pipeline>,
    /// The parser of each source; `None` for those that do not read syslog.
    formats: HashMap<String, Option<Arc<Parser>>>,
    /// Whether stored messages may differ from the received ones.
    reads_again: bool,
    /// The ids of sources that receive messages over HTTP.
    http: Vec<String>,
}

impl SourceReader {
    pub(super) fn new(pipeline: &Arc<Pipeline>, draft: &Checked) -> SourceReader {
        let http = draft.sources.iter().filter(|source| matches!(source.kind, SourceKind::Http(_)));
        let http = http.map(|source| source.id.clone()).collect();
        let changes = pipeline.router().checked.routes.iter().any(|route| !route.steps.is_empty());
        SourceReader { pipeline: pipeline.clone(), formats: HashMap::new(), reads_again: changes, http }
    }

    fn format(&mut self, source: &str) -> Option<Arc<Parser>> {
        let pipeline = &self.pipeline;
        self.formats.entry(source.to_owned()).or_insert_with(|| pipeline.parser_of(source)).clone()
    }

    /// Adds a stored message as it was received.
    pub(super) fn stored(&mut self, batch: &Batch, row: usize, builder: &mut BatchBuilder) {
        let source = String::from_utf8_lossy(batch.source(row)).into_owned();
        let format = if self.reads_again { self.format(&source) } else { None };
        let Some(format) = format else { return builder.extend(batch, row..row + 1) };
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let (peer, received) = (batch.peer(row), batch.received(row));
        builder.origin(Origin { source: batch.source(row), peer, received });
        let host = String::from_utf8_lossy(peer).into_owned();
        // The address without the port.
        let host = host.parse::<std::net::SocketAddr>().map_or(host, |address| address.ip().to_string());
        format.parse(&raw, FrameContext { peer: host.as_bytes(), ..FrameContext::at(received) }, builder);
    }

    /// Adds a message that somebody pasted.
    pub(super) fn pasted(&mut self, raw: &str, source: &str, now: Timestamp, builder: &mut BatchBuilder) {
        let line = raw.trim_end_matches(['\r', '\n']).as_bytes();
        builder.origin(Origin { source: source.as_bytes(), peer: b"", received: now });
        if self.http.iter().any(|id| id == source) && as_ingested(line, now, builder) {
            return;
        }
        let format = self.format(source).unwrap_or_else(|| {
            Arc::new(Parser::Syslog(SyslogParser::of_lines(
                logstead_config::SourceFormat::Auto,
                jiff::tz::TimeZone::UTC,
            )))
        });
        format.parse(line, FrameContext::at(now), builder);
    }
}

/// Reads an object as a line of JSON, and anything else as a line of text. Returns whether it could be read.
fn as_ingested(line: &[u8], now: Timestamp, builder: &mut BatchBuilder) -> bool {
    let reading = Ours::new(ReadOptions::default());
    let is_object = line.starts_with(b"{") && reading.object(line, now, builder).is_ok();
    is_object || reading.line(line, now, "", builder).is_ok()
}
