//! What becomes of a text that somebody asks.

use super::error::{ErrorKind, ParseError, Unparsed};
use super::mend::mended;
use super::stage::{PipelineSearch, parse_pipeline_search, read_warned};

/// Reads what somebody asks: a filter that does not follow the grammar is refused, with what may have been meant, or is
/// searched for as it stands.
pub fn parse_asked(text: &str, unparsed: Unparsed) -> Result<PipelineSearch, ParseError> {
    if unparsed == Unparsed::Text {
        return parse_pipeline_search(text);
    }
    read_warned(text).map(|(search, _)| search).map_err(|error| match error {
        ParseError { kind: ErrorKind::Syntax, suggestion: None, .. } => {
            ParseError { suggestion: mended(text), ..error }
        }
        other => other,
    })
}
