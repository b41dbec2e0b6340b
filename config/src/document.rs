//! The router document as written: every value has its type, and names are not resolved yet.

use serde::Serialize;

use crate::destination::Destination;
use crate::logspace::Logspace;
use crate::node::DocumentNode;
use crate::problem::{Findings, Path, Problem};
use crate::read::ReadValue;
use crate::route::Route;
use crate::source::Source;
use crate::table_reader::TableReader;

/// The version of the document's shape.
pub const VERSION: u32 = 1;

/// The whole routing configuration. Its JSON has the shape of its TOML, with every default filled in.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Document {
    /// The version of the document's shape: 1.
    pub version: u32,
    /// The sources that receive messages.
    pub sources: Vec<Source>,
    /// The logspaces that store messages.
    pub logspaces: Vec<Logspace>,
    /// The destinations to which messages are forwarded.
    pub destinations: Vec<Destination>,
    /// The routes that select messages and their targets, in order.
    pub routes: Vec<Route>,
}

/// Reads a document from TOML, or reports everything that is wrong with its shape, with line and column.
pub fn from_toml(text: &str) -> Result<Document, Vec<Problem>> {
    let node = DocumentNode::from_toml(text)?;
    let (document, findings) = read(&node);
    place_all(document, &findings, &node, text)
}

/// Reads a document from JSON. A `null` counts as missing.
pub fn from_json(text: &[u8]) -> Result<Document, Vec<Problem>> {
    let node = DocumentNode::from_json(text)?;
    let (document, findings) = read(&node);
    place_all(document, &findings, &node, "")
}

/// Reads a single destination, in the form of a document, from JSON.
pub fn destination_from_json(text: &[u8]) -> Result<Destination, Vec<Problem>> {
    let node = DocumentNode::from_json(text)?;
    let mut findings = Findings::default();
    let destination = Destination::read(&node, &Path::default(), &mut findings);
    place_all(destination, &findings, &node, "").map(|read| read.expect("without a finding there is a value"))
}

/// The value, or the findings as problems with their positions in the text.
pub(crate) fn place_all<T>(
    value: T,
    findings: &Findings,
    node: &DocumentNode,
    text: &str,
) -> Result<T, Vec<Problem>> {
    if findings.is_empty() {
        return Ok(value);
    }
    Err(findings.problems(|finding| node.place(finding, text)))
}

/// Reads a document as far as possible, with a finding for everything else.
pub(crate) fn read(node: &DocumentNode) -> (Document, Findings) {
    let mut findings = Findings::default();
    let mut document = Document { version: VERSION, ..Document::default() };
    if let Some(mut fields) = TableReader::of(node, &Path::default(), &mut findings) {
        document.version = fields.required("version", VERSION);
        if document.version != VERSION {
            fields.note("version", wrong_version(document.version));
            // The rest cannot be judged by this version.
            return (document, findings);
        }
        document.sources = fields.or("sources", Vec::new());
        document.logspaces = fields.or("logspaces", Vec::new());
        document.destinations = fields.or("destinations", Vec::new());
        document.routes = fields.or("routes", Vec::new());
        fields.finish();
    }
    (document, findings)
}

fn wrong_version(version: u32) -> String {
    if version > VERSION {
        format!("{version} is newer than this program, which reads {VERSION}: use a newer Logstead")
    } else {
        format!("must be {VERSION}, not {version}")
    }
}
