//! A regular expression of a query: valid from the moment it exists.

use super::REGEX_BYTES_MAX;
use regex::bytes::{Regex as Compiled, RegexBuilder};

/// A regular expression in the syntax of the Rust crate `regex`.
#[derive(Clone, Debug)]
pub struct Regex {
    pattern: String,
    ignore_case: bool,
    compiled: Compiled,
}

/// A text that is no regular expression, and why not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRegex(String);

impl Regex {
    /// Compiles it.
    pub fn new(pattern: &str, ignore_case: bool) -> Result<Regex, BadRegex> {
        if pattern.is_empty() {
            return Err(BadRegex("a regular expression of nothing matches everything: write `*`".to_owned()));
        }
        let pattern = without_escaped_slashes(pattern);
        let built = RegexBuilder::new(&pattern)
            .case_insensitive(ignore_case)
            .size_limit(REGEX_BYTES_MAX)
            .dfa_size_limit(REGEX_BYTES_MAX)
            .build();
        match built {
            Ok(compiled) => Ok(Regex { pattern, ignore_case, compiled }),
            Err(regex::Error::CompiledTooBig(_)) => Err(BadRegex(format!(
                "the regular expression needs more than {REGEX_BYTES_MAX} bytes: shorten its repetitions"
            ))),
            Err(error) => Err(BadRegex(format!("the regular expression is invalid: {}", last_line(&error)))),
        }
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
}

/// By source and flag.
impl PartialEq for Regex {
    fn eq(&self, other: &Regex) -> bool {
        self.pattern == other.pattern && self.ignore_case == other.ignore_case
    }
}

/// `\/` and `/` mean the same: the second is the one form.
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

/// The crate draws the pattern with a caret over several lines; its last line says what is wrong.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
