//! The ranges of a request's parts in its body, found in one pass, so that the records can be read one by one.

use super::value::DEPTH_MAX;
use crate::protobuf::WireError;
use std::ops::Range;

/// A part of a request. Each comes before the parts that belong to it: a resource before its scopes, and a scope
/// before its records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum OutlinePart {
    Resource(Range<u32>),
    Scope(Range<u32>),
    Record(Range<u32>),
}

/// The parts of a request.
#[derive(Default, Debug)]
pub(super) struct Outline {
    pub(super) pieces: Vec<OutlinePart>,
    pub(super) records: usize,
    pub(super) records_max: usize,
    /// Whether the request holds more than is allowed.
    pub(super) is_full: bool,
}

/// The reason why a body is not valid protobuf.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error(transparent)]
    Wrong(#[from] WireError),
    #[error("its field {0} has the wrong type")]
    Type(u32),
    #[error("its values are nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
}

/// The reason why a request is refused as a whole.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutlineError {
    #[error("it holds too many records")]
    TooMany,
    #[error("the body is not an ExportLogsServiceRequest: {0}")]
    Protobuf(#[from] Unreadable),
    #[error("the body is not an ExportLogsServiceRequest in JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Outline {
    /// Adds a part, and returns its index. Resources and scopes without records count as well, because each takes
    /// memory.
    pub(super) fn push(&mut self, piece: OutlinePart) -> Result<usize, OutlineError> {
        if self.records_max.saturating_mul(3) <= self.pieces.len() {
            self.is_full = true;
            return Err(OutlineError::TooMany);
        }
        if matches!(piece, OutlinePart::Record(_)) {
            self.records += 1;
            if self.records_max < self.records {
                self.is_full = true;
                return Err(OutlineError::TooMany);
            }
        }
        self.pieces.push(piece);
        Ok(self.pieces.len() - 1)
    }

    /// Notes the range of the part that describes a resource or a scope.
    pub(super) fn describe(&mut self, at: usize, described: Range<u32>) {
        match &mut self.pieces[at] {
            OutlinePart::Resource(range) | OutlinePart::Scope(range) | OutlinePart::Record(range) => {
                *range = described
            }
        }
    }
}
