//! Problems of a document, with their positions and advice.
//!
//! Readers and checks record a [`Finding`] with a [`Path`]; the text of the document, if there is one, turns it into a
//! [`Problem`] with a line and a column.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

/// The greatest number of problems reported for one document. If there are more, a last one gives the number of those
/// left out.
pub const PROBLEMS_MAX: usize = 200;

/// A problem of a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Problem {
    /// The path of the value, such as `routes[2].where`. Empty for the document as a whole.
    pub path: String,
    /// A description with advice.
    pub message: String,
    /// The line in the text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in that line in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// A probable mistake in a document that can run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct DocumentWarning {
    /// The kind of mistake, for programs.
    pub code: DocumentWarningCode,
    /// The path of the entry, such as `routes[2]`.
    pub path: String,
    /// A description that names the entry, with advice.
    pub message: String,
}

/// The kind of a probable mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentWarningCode {
    /// Messages of a source are dropped, because no route takes them.
    MessagesDropped,
    /// No route sends to a logspace or destination.
    Unused,
    /// A logspace grows until the disk is full.
    Endless,
    /// Messages for a disabled destination are not queued.
    NotQueued,
    /// A route takes nothing, because its sources are disabled.
    NoSource,
    /// A route sends nothing, because its destinations are disabled.
    NoTarget,
    /// A route can never match.
    NeverMatches,
    /// A key is written under the name that it had before.
    OldKey,
}

/// The path of a value in a document.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Path(pub(crate) Vec<PathStep>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum PathStep {
    Key(String),
    Index(usize),
}

/// A problem before its position in the text is known.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) path: Path,
    pub(crate) message: String,
    pub(crate) target: FindingTarget,
}

/// The part of an entry that a finding refers to.
#[derive(Clone, Debug)]
pub(crate) enum FindingTarget {
    Key,
    Value,
    /// These bytes of the string value.
    Inside(Range<usize>),
}

/// The findings so far, in order: the first [`PROBLEMS_MAX`], and the number of others.
#[derive(Default, Debug)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    more: usize,
    /// Sentences about values that are valid but should be written in another way.
    pub(crate) warnings: Vec<DocumentWarning>,
}

impl Problem {
    /// A problem of the document as a whole.
    pub(crate) fn whole(message: impl Into<String>) -> Problem {
        Problem { path: String::new(), message: message.into(), line: None, column: None }
    }

    /// The problem, with the position of byte `at` of `text`.
    pub(crate) fn placed(mut self, text: &str, at: usize) -> Problem {
        let (line, column) = position(text, at);
        self.line = Some(line);
        self.column = Some(column);
        self
    }
}

impl Path {
    pub(crate) fn key(&self, key: &str) -> Path {
        self.with(PathStep::Key(key.to_owned()))
    }

    pub(crate) fn index(&self, index: usize) -> Path {
        self.with(PathStep::Index(index))
    }

    /// Reads a written path: `sources[0].paths[1]`.
    pub(crate) fn parse(text: &str) -> Option<Path> {
        let mut path = Path::default();
        for part in text.split('.') {
            let (key, indexes) = part.split_at(part.find('[').unwrap_or(part.len()));
            path = path.key(key);
            for index in indexes.split_terminator(']') {
                path = path.index(index.strip_prefix('[')?.parse().ok()?);
            }
        }
        Some(path)
    }

    /// Whether this path is `other` or contains it.
    pub(crate) fn covers(&self, other: &Path) -> bool {
        other.0.starts_with(&self.0)
    }

    fn with(&self, step: PathStep) -> Path {
        let mut steps = self.0.clone();
        steps.push(step);
        Path(steps)
    }
}

impl Findings {
    pub(crate) fn value(&mut self, path: &Path, message: impl Into<String>) {
        self.add(path, message.into(), FindingTarget::Value);
    }

    /// Notes why a value is refused; there is nothing in its place.
    pub(crate) fn refuse<T>(&mut self, path: &Path, message: impl Into<String>) -> Option<T> {
        self.value(path, message);
        None
    }

    pub(crate) fn key(&mut self, path: &Path, message: impl Into<String>) {
        self.add(path, message.into(), FindingTarget::Key);
    }

    pub(crate) fn inside(&mut self, path: &Path, range: Range<usize>, message: impl Into<String>) {
        self.add(path, message.into(), FindingTarget::Inside(range));
    }

    /// Whether nothing is wrong; there may be warnings.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether further findings are only counted, so that they need no advice.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() == PROBLEMS_MAX
    }

    /// The findings as problems, with positions from `place`.
    pub(crate) fn problems(&self, place: impl FnMut(&Finding) -> Problem) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self.list.iter().map(place).collect();
        problems.extend(and_more(self.more));
        problems
    }

    /// Adds later findings, except those that merely follow from a value that could not be read.
    pub(crate) fn add_consequences(&mut self, later: Findings) {
        let known: Vec<Path> = self.list.iter().map(|finding| finding.path.clone()).collect();
        let touches = |path: &Path, other: &Path| path.covers(other) || other.covers(path);
        let fresh = |finding: &Finding| !known.iter().any(|path| touches(path, &finding.path));
        later.list.into_iter().filter(fresh).for_each(|finding| self.push(finding));
        self.more += later.more;
    }

    fn add(&mut self, path: &Path, message: String, target: FindingTarget) {
        self.push(Finding { path: path.clone(), message, target });
    }

    fn push(&mut self, finding: Finding) {
        if self.is_full() {
            self.more += 1;
        } else {
            self.list.push(finding);
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) if nth == 0 => f.write_str(key)?,
                PathStep::Key(key) => write!(f, ".{key}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The problem that reports the number of further ones.
pub(crate) fn and_more(more: usize) -> Option<Problem> {
    (more > 0).then(|| Problem::whole(format!("and {more} more problems: correct these first")))
}

/// " (did you mean `x`?)" if one of `known` is similar to `word`, otherwise nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    // A key of a kilobyte is not a typing error, and would take long to compare.
    if word.len() > 64 {
        return String::new();
    }
    let lower = word.to_lowercase();
    let distance = |known: &str| strsim::osa_distance(&lower, known);
    let near = known.into_iter().map(|known| (distance(known), known)).min();
    match near {
        Some((distance, known)) if distance <= 1 + known.len() / 4 => format!(" (did you mean `{known}`?)"),
        _ => String::new(),
    }
}

/// Names in a sentence: "`a`, `b` or `c`".
pub(crate) fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let last = quoted.pop().unwrap_or_default();
    if quoted.is_empty() { last } else { format!("{} or {last}", quoted.join(", ")) }
}

/// A value for a message, shortened if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN_MAX: usize = 80;
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("`{}…`", text.split_at(end).0.escape_debug()),
        None => format!("`{}`", text.escape_debug()),
    }
}

/// Line and column of a byte, both from 1; the column counts characters.
fn position(text: &str, at: usize) -> (u32, u32) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text.split_at(at).0;
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let from_one = |count: usize| u32::try_from(count).unwrap_or(u32::MAX - 1) + 1;
    (from_one(line), from_one(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let text = "a\näöü = 1\n";
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 2), (2, 1));
        assert_eq!(position(text, 5), (2, 2), "in the middle of ö counts as before it");
        assert_eq!(position(text, text.len() + 9), (3, 1));
    }

    #[test]
    fn a_path_is_read_as_it_is_written() {
        for path in ["version", "sources[0].paths[12]", "routes[3].steps[0].set.host", "a[0][1]"] {
            assert_eq!(Path::parse(path).unwrap().to_string(), path);
        }
        assert_eq!(Path::parse("a[x]"), None);
        assert_eq!(Path::parse("a[1"), Some(Path::default().key("a").index(1)));
    }

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        let known = ["listen", "framing", "format"];
        assert_eq!(did_you_mean("lisen", known), " (did you mean `listen`?)");
        assert_eq!(did_you_mean("FRAMING", known), " (did you mean `framing`?)");
        assert_eq!(did_you_mean("colour", known), "");
        assert_eq!(did_you_mean(&"x".repeat(1 << 20), known), "");
    }
}
