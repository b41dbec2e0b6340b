//! OpenTelemetry's logs: `ExportLogsServiceRequest` in either encoding, and the answers to it.
//!
//! ```text
//!  body ▶ outline ▶ resources, scopes, records ▶ rows
//! ```
//!
//! **Invariant:** every record becomes a row or is refused with a reason; one that is refused does not touch the others.
//! The raw bytes of a row are those of its record, exactly as they were sent.

mod answer;
mod binary;
mod outline;
mod record;
mod text;
mod value;

pub use answer::{Answer, Code, Status};

use crate::marks::{Marks, mark};
use crate::messages::{LIMITS, Messages, Next, Refused};
use logstead_record::BatchBuilder;
use outline::{Outline, Piece, Unfit};
use record::Common;
use std::ops::Range;

/// How a request is written, and its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// `application/x-protobuf`, and what gRPC carries.
    Protobuf,
    /// `application/json`.
    Json,
}

/// The records of a request.
pub struct Otlp {
    body: Vec<u8>,
    encoding: Encoding,
    /// The host of records that name none.
    host: String,
    pieces: Vec<Piece>,
    /// How many parts were read, and how many of these were records.
    at: usize,
    number: usize,
    rest_bytes: usize,
    resource: Common,
    scope: Common,
    /// How long what describes them is: it counts for each of their records.
    common_bytes: [usize; 2],
    marks: Option<Marks>,
}

impl Otlp {
    /// Looks where the records stand in a body. What is wrong with one of them is known when it is read.
    pub fn of(body: Vec<u8>, encoding: Encoding, host: &str, messages_max: usize) -> Result<Otlp, Refused> {
        let (body, marks) = if encoding == Encoding::Json { mark(body) } else { (body, None) };
        if u32::try_from(body.len()).is_err() {
            return Err(Refused::malformed("the body is longer than 4 GiB: send it in parts"));
        }
        let mut outline = Outline { records_max: messages_max, ..Outline::default() };
        let found = match encoding {
            Encoding::Protobuf => binary::outline(&body, &mut outline),
            Encoding::Json => text::outline(&body, &mut outline).map_err(Unfit::from),
        };
        if outline.is_full {
            return Err(Refused::TooMany { messages_max });
        }
        found.map_err(|unfit| Refused::malformed(unfit.to_string()))?;
        let mut otlp = Otlp {
            body,
            encoding,
            host: host.to_owned(),
            pieces: outline.pieces,
            at: 0,
            number: 0,
            rest_bytes: 0,
            resource: Common::default(),
            scope: Common::default(),
            common_bytes: [0; 2],
            marks,
        };
        otlp.restart();
        Ok(otlp)
    }

    fn common(&self, range: &Range<u32>, kind: Kind) -> Common {
        let text = part(&self.body, range);
        let read = match (self.encoding, kind) {
            _ if text.is_empty() || LIMITS.line_bytes_max < text.len() => None,
            (Encoding::Protobuf, Kind::Resource) => binary::resource(text).ok(),
            (Encoding::Protobuf, Kind::Scope) => binary::scope(text).ok(),
            (Encoding::Json, Kind::Resource) => text::resource(text).ok(),
            (Encoding::Json, Kind::Scope) => text::scope(text).ok(),
        };
        // Records without what describes them are worth more than none.
        read.unwrap_or_default()
    }

    fn record(&self, raw: &[u8], builder: &mut BatchBuilder) -> Result<(), String> {
        LIMITS.check_line(raw).map_err(|rejected| rejected.to_string())?;
        let record = match self.encoding {
            Encoding::Protobuf => binary::record(raw).map_err(|error| error.to_string())?,
            Encoding::Json => text::record(raw).map_err(|error| error.to_string())?,
        };
        record.push(raw, [&self.scope, &self.resource], self.host.as_bytes(), builder);
        Ok(())
    }
}

/// What records have in common.
#[derive(Clone, Copy)]
enum Kind {
    Resource,
    Scope,
}

impl Messages for Otlp {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<Next> {
        loop {
            let piece = self.pieces.get(self.at)?.clone();
            self.at += 1;
            match piece {
                Piece::Resource(range) => {
                    self.resource = self.common(&range, Kind::Resource);
                    self.common_bytes[0] = repeated(&range);
                }
                Piece::Scope(range) => {
                    self.scope = self.common(&range, Kind::Scope);
                    self.common_bytes[1] = repeated(&range);
                }
                Piece::Record(range) => {
                    let bytes = weight(&range, self.common_bytes);
                    self.rest_bytes -= bytes;
                    self.number += 1;
                    return Some(match self.record(part(&self.body, &range), builder) {
                        Ok(()) => Next::Added { bytes },
                        Err(reason) => Next::refused(self.number, reason),
                    });
                }
            }
        }
    }

    fn rest_bytes(&self) -> usize {
        self.rest_bytes
    }

    fn restart(&mut self) {
        (self.at, self.number, self.rest_bytes) = (0, 0, 0);
        let mut common_bytes = [0; 2];
        for piece in &self.pieces {
            match piece {
                Piece::Resource(range) => common_bytes[0] = repeated(range),
                Piece::Scope(range) => common_bytes[1] = repeated(range),
                Piece::Record(range) => self.rest_bytes += weight(range, common_bytes),
            }
        }
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

/// How much each record gets of what describes it: nothing if that is too long.
fn repeated(range: &Range<u32>) -> usize {
    if range.len() <= LIMITS.line_bytes_max { range.len() } else { 0 }
}

/// What a record costs; an empty one costs something as well.
fn weight(record: &Range<u32>, common_bytes: [usize; 2]) -> usize {
    record.len() + common_bytes[0] + common_bytes[1] + 1
}

fn part<'b>(body: &'b [u8], range: &Range<u32>) -> &'b [u8] {
    &body[range.start as usize..range.end as usize]
}

#[cfg(test)]
mod tests;
