//! Regular expressions of queries. Every value is a valid expression.

use super::limits::REGEX_BYTES_MAX;
use super::runs::Runs;
use memchr::memmem::Finder;
use regex::bytes::{Regex as Compiled, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// The shortest run of bytes worth a search; shorter ones occur in too many texts.
const LITERAL_BYTES_MIN: usize = 2;

/// A regular expression in the syntax of the Rust crate `regex`.
#[derive(Clone, Debug)]
pub struct Regex {
    pattern: String,
    ignore_case: bool,
    compiled: Compiled,
    literal: Option<Arc<Finder<'static>>>,
}

/// The reason why a text is not a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RegexError(String);

impl Regex {
    /// Compiles an expression.
    pub fn new(pattern: &str, ignore_case: bool) -> Result<Regex, RegexError> {
        if pattern.is_empty() {
            return Err(RegexError(
                "a regular expression of nothing matches everything: write `*`".to_owned(),
            ));
        }
        let pattern = without_escaped_slashes(pattern);
        let built = RegexBuilder::new(&pattern)
            .case_insensitive(ignore_case)
            .size_limit(REGEX_BYTES_MAX)
            .dfa_size_limit(REGEX_BYTES_MAX)
            .build();
        match built {
            Ok(compiled) => {
                let literal = longest_literal(&pattern, ignore_case);
                let literal = literal.map(|literal| Arc::new(Finder::new(&literal).into_owned()));
                Ok(Regex { pattern, ignore_case, compiled, literal })
            }
            Err(regex::Error::CompiledTooBig(_)) => Err(RegexError(format!(
                "the regular expression needs more than {REGEX_BYTES_MAX} bytes: shorten its repetitions"
            ))),
            Err(error) => {
                Err(RegexError(format!("the regular expression is invalid: {}", last_line(&error))))
            }
        }
    }

    /// An expression without the conditions on the surroundings of a match. It finds something in every text that contains a
    /// match of this one, also in any part cut out of that text. `None` if there is no such expression.
    pub fn without_looks(&self) -> Option<LooseRegex> {
        let mut parser =
            regex_syntax::ParserBuilder::new().case_insensitive(self.ignore_case).utf8(false).build();
        let loose = loosened(&parser.parse(&self.pattern).ok()?);
        let built = RegexBuilder::new(&loose.to_string())
            .size_limit(REGEX_BYTES_MAX)
            .dfa_size_limit(REGEX_BYTES_MAX)
            .build();
        Some(LooseRegex { compiled: built.ok()?, runs: Runs::of(&loose) })
    }

    /// Its source, without delimiters; `/` is not escaped in it.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether it was written with the flag `i`.
    pub fn ignores_case(&self) -> bool {
        self.ignore_case
    }

    /// The expression, ready to run.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// A finder of bytes that every match contains, if there are any worth a search.
    pub fn literal(&self) -> Option<&Arc<Finder<'static>>> {
        self.literal.as_ref()
    }
}

/// An expression without conditions on the surroundings of a match, so that many texts can be searched at once.
#[derive(Clone, Debug)]
pub struct LooseRegex {
    pub(super) compiled: Compiled,
    pub(super) runs: Option<Runs>,
}

impl LooseRegex {
    /// The first match at or after `start`.
    pub fn find_at(&self, text: &[u8], start: usize) -> Option<Range<usize>> {
        let Some(runs) = &self.runs else {
            return self.compiled.find_at(text, start).map(|found| found.range());
        };
        let mut start = start;
        while let Some(run) = runs.next(text, start) {
            if let Some(found) = self.compiled.find(&text[run.clone()]) {
                return Some(run.start + found.start()..run.start + found.end());
            }
            start = run.end;
        }
        None
    }

    /// The earliest position at which a match can begin; `None` if there is none.
    pub fn earliest(&self, text: &[u8]) -> Option<usize> {
        match &self.runs {
            Some(runs) => runs.next(text, 0).map(|run| run.start),
            None => Some(0),
        }
    }
}

/// Compares the source and the flag.
impl PartialEq for Regex {
    fn eq(&self, other: &Regex) -> bool {
        self.pattern == other.pattern && self.ignore_case == other.ignore_case
    }
}

impl Eq for Regex {}

/// Hashes the source and the flag, as equality compares them.
impl Hash for Regex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.pattern, self.ignore_case).hash(state);
    }
}

/// The longest run of bytes that every match contains, in exactly this case.
fn longest_literal(pattern: &str, ignore_case: bool) -> Option<Vec<u8>> {
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).case_insensitive(ignore_case).build();
    let mut literals = vec![Vec::new()];
    collect_literals(&parser.parse(pattern).ok()?, &mut literals);
    literals.into_iter().max_by_key(Vec::len).filter(|literal| LITERAL_BYTES_MIN <= literal.len())
}

/// Adds the bytes that every match of `hir` contains to the runs of bytes; the last run may continue.
fn collect_literals(hir: &Hir, literals: &mut Vec<Vec<u8>>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            literals.last_mut().expect("there is a run").extend_from_slice(&literal.0)
        }
        HirKind::Capture(capture) => collect_literals(&capture.sub, literals),
        HirKind::Concat(parts) => parts.iter().for_each(|part| collect_literals(part, literals)),
        HirKind::Repetition(repetition) if 0 < repetition.min => {
            literals.push(Vec::new());
            collect_literals(&repetition.sub, literals);
            literals.push(Vec::new());
        }
        HirKind::Repetition(_) | HirKind::Class(_) | HirKind::Alternation(_) => literals.push(Vec::new()),
    }
}

/// The expression without conditions on the surroundings of a match.
fn loosened(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(loosened(&repetition.sub));
            Hir::repetition(regex_syntax::hir::Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => loosened(&capture.sub),
        HirKind::Concat(all) => Hir::concat(all.iter().map(loosened).collect()),
        HirKind::Alternation(any) => Hir::alternation(any.iter().map(loosened).collect()),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

fn without_escaped_slashes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('\\', Some('/')) => {}
            ('\\', Some(escaped)) => {
                out.extend([c, escaped]);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// The error without the pattern: the crate shows the pattern with a caret over several lines, and the error on the
/// last line.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_match_holds() {
        for (pattern, ignore_case, expected) in [
            ("user=[a-z]{8}", false, Some("user=")),
            ("^fail(ed|ure) for", false, Some(" for")),
            ("fail[a-z]+ .* [0-9]+", true, None),
            ("(abc)+d", false, Some("abc")),
            ("(abc)*d", false, None),
            ("a|bc", false, None),
            ("x(?i:abc)yz", false, Some("yz")),
            (r"\bopen\b\[", false, Some("open[")),
        ] {
            let regex = Regex::new(pattern, ignore_case).unwrap();
            let literal = regex.literal().map(|finder| String::from_utf8_lossy(finder.needle()).into_owned());
            assert_eq!(literal.as_deref(), expected, "{pattern}");
        }
    }
}
