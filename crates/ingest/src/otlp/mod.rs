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

pub use answer::{Code, OtlpReply, Status};

use crate::marks::{Marks, mark};
use crate::messages::{BodyError, LIMITS, Messages, NextMessage};
use logstead_record::BatchBuilder;
use outline::{Outline, OutlineError, OutlinePart};
use record::CommonAttributes;
use std::ops::Range;

/// The encoding of a request and its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// `application/x-protobuf`, also within gRPC.
    Protobuf,
    /// `application/json`.
    Json,
}

/// The records of a request.
pub struct OtlpBody {
    body: Vec<u8>,
    encoding: Encoding,
    /// The host of records that name none.
    host: String,
    pieces: Vec<OutlinePart>,
    /// The number of parts that have been read, and the number of records among them.
    at: usize,
    number: usize,
    rest_bytes: usize,
    resource: CommonAttributes,
    scope: CommonAttributes,
    /// The lengths of the resource and the scope, which count for each of their records.
    common_bytes: [usize; 2],
    marks: Option<Marks>,
}

impl OtlpBody {
    /// Finds the records in a body. Errors within a record are only found when it is read.
    pub fn of(
        body: Vec<u8>,
        encoding: Encoding,
        host: &str,
        messages_max: usize,
    ) -> Result<OtlpBody, BodyError> {
        let (body, marks) = if encoding == Encoding::Json { mark(body) } else { (body, None) };
        if u32::try_from(body.len()).is_err() {
            return Err(BodyError::malformed("the body is longer than 4 GiB: send it in parts"));
        }
        let mut outline = Outline { records_max: messages_max, ..Outline::default() };
        let found = match encoding {
            Encoding::Protobuf => binary::outline(&body, &mut outline),
            Encoding::Json => text::outline(&body, &mut outline).map_err(OutlineError::from),
        };
        if outline.is_full {
            return Err(BodyError::TooMany { messages_max });
        }
        found.map_err(|unfit| BodyError::malformed(unfit.to_string()))?;
        let mut otlp = OtlpBody {
            body,
            encoding,
            host: host.to_owned(),
            pieces: outline.pieces,
            at: 0,
            number: 0,
            rest_bytes: 0,
            resource: CommonAttributes::default(),
            scope: CommonAttributes::default(),
            common_bytes: [0; 2],
            marks,
        };
        otlp.restart();
        Ok(otlp)
    }

    fn common(&self, range: &Range<u32>, kind: CommonKind) -> CommonAttributes {
        let text = part(&self.body, range);
        let read = match (self.encoding, kind) {
            _ if text.is_empty() || LIMITS.line_bytes_max < text.len() => None,
            (Encoding::Protobuf, CommonKind::Resource) => binary::resource(text).ok(),
            (Encoding::Protobuf, CommonKind::Scope) => binary::scope(text).ok(),
            (Encoding::Json, CommonKind::Resource) => text::resource(text).ok(),
            (Encoding::Json, CommonKind::Scope) => text::scope(text).ok(),
        };
        // Records without their description are better than no records.
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

/// The part that describes several records.
#[derive(Clone, Copy)]
enum CommonKind {
    Resource,
    Scope,
}

impl Messages for OtlpBody {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        loop {
            let piece = self.pieces.get(self.at)?.clone();
            self.at += 1;
            match piece {
                OutlinePart::Resource(range) => {
                    self.resource = self.common(&range, CommonKind::Resource);
                    self.common_bytes[0] = repeated(&range);
                }
                OutlinePart::Scope(range) => {
                    self.scope = self.common(&range, CommonKind::Scope);
                    self.common_bytes[1] = repeated(&range);
                }
                OutlinePart::Record(range) => {
                    let bytes = weight(&range, self.common_bytes);
                    self.rest_bytes -= bytes;
                    self.number += 1;
                    return Some(match self.record(part(&self.body, &range), builder) {
                        Ok(()) => NextMessage::Added { bytes },
                        Err(reason) => NextMessage::refused(self.number, reason),
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
                OutlinePart::Resource(range) => common_bytes[0] = repeated(range),
                OutlinePart::Scope(range) => common_bytes[1] = repeated(range),
                OutlinePart::Record(range) => self.rest_bytes += weight(range, common_bytes),
            }
        }
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

/// The number of bytes of a description that each record gets: none if it is too long.
fn repeated(range: &Range<u32>) -> usize {
    if range.len() <= LIMITS.line_bytes_max { range.len() } else { 0 }
}

/// The cost of a record; an empty one has a cost as well.
fn weight(record: &Range<u32>, common_bytes: [usize; 2]) -> usize {
    record.len() + common_bytes[0] + common_bytes[1] + 1
}

fn part<'b>(body: &'b [u8], range: &Range<u32>) -> &'b [u8] {
    &body[range.start as usize..range.end as usize]
}

#[cfg(test)]
mod tests;
