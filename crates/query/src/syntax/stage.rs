//! Reads stages. A name is followed by words, which each stage interprets; only `where` has a filter.

use super::read::SyntaxReader;
use super::tokens::{TokenKind, is_number};
use super::tree::{Body, StageNode};
use crate::stage::{WORDS, kind_of};

impl SyntaxReader {
    /// Reads all stages up to the end of the text.
    pub(super) fn all_stages(&mut self) -> Vec<StageNode> {
        let mut stages = Vec::new();
        while !self.cursor.is_at_end() {
            stages.push(self.stage());
        }
        stages
    }

    fn stage(&mut self) -> StageNode {
        let pipe = self.cursor.at;
        self.take_and_skip(pipe + 1, TokenKind::Pipe);
        let name = self.cursor.at..self.cursor.identifier_end(self.cursor.at);
        self.take(name.end, TokenKind::Stage);
        let kind = kind_of(&self.cursor.text(name.clone()).to_ascii_lowercase());
        let body = match kind {
            Some(kind) if kind.has_filter() => {
                self.skip_commas();
                Body::Filter(self.filter())
            }
            Some(kind) if kind.has_expressions() => self.expressions(),
            _ => self.words(),
        };
        let end = self.cursor.at;
        let range = name.start..self.cursor.trimmed(name.start..end);
        StageNode { pipe, range, end, name, kind, body }
    }

    fn words(&mut self) -> Body {
        self.cursor.skip_space();
        while !self.is_at_stage_end() {
            self.word();
            self.cursor.skip_space();
        }
        Body::Words
    }

    /// Reads the words of expressions, in which a slash begins a regular expression only as an argument of a function.
    fn expressions(&mut self) -> Body {
        self.cursor.skip_space();
        let mut takes_regex = false;
        while !self.is_at_stage_end() {
            let at = self.cursor.at;
            let c = self.cursor.char_at(at);
            if c == Some('/') && (!takes_regex || self.regex(at, &[',', ')']).is_none()) {
                self.take(at + 1, TokenKind::Operator);
            } else if c != Some('/') {
                self.expression_word(at);
            }
            takes_regex = matches!(c, Some(',' | '('));
            self.cursor.skip_space();
        }
        Body::Words
    }

    fn expression_word(&mut self, at: usize) {
        let is_operator = |c: char| "=<>!+-*%&|,".contains(c);
        match self.cursor.char_at(at) {
            Some('"') => {
                let end = self.cursor.quote_end();
                self.take(end, TokenKind::Quoted);
            }
            Some('(' | ')') => self.take(at + 1, TokenKind::Bracket),
            Some('|') if self.cursor.starts_with(at, "||") => self.take(at + 2, TokenKind::Keyword),
            Some(c) if is_operator(c) => self.take(at + 1, TokenKind::Operator),
            Some(c) if c.is_ascii_digit() => {
                let inner =
                    |at: &usize| self.cursor.char_at(*at).is_some_and(|c| c.is_alphanumeric() || c == '.');
                let end = (at..).find(|at| !inner(at)).unwrap_or(at + 1);
                self.take(end, TokenKind::Number);
            }
            _ => {
                let end = self.cursor.identifier_end(at).max(at + 1);
                let text = self.cursor.text(at..end).to_ascii_lowercase();
                let kind = match self.cursor.char_at(self.cursor.space_end(end)) {
                    Some('(') if !matches!(text.as_str(), "and" | "or" | "not") => TokenKind::Function,
                    _ if matches!(text.as_str(), "and" | "or" | "not" | "null" | "true" | "false") => {
                        TokenKind::Keyword
                    }
                    _ if self.cursor.identifier_end(at) == at => TokenKind::Word,
                    _ => TokenKind::Field,
                };
                self.take(end, kind);
            }
        }
    }

    fn word(&mut self) {
        let at = self.cursor.at;
        if self.regex(at, &['|']).is_some() {
            return;
        }
        match self.cursor.peek(0) {
            Some('"') => {
                let end = self.cursor.quote_end();
                self.take(end, TokenKind::Quoted);
            }
            Some('(' | ')') => self.take(at + 1, TokenKind::Bracket),
            Some(',' | '=' | '+' | '-') => self.take(at + 1, TokenKind::Operator),
            _ => {
                let end = self.stage_word_end(at).max(at + 1);
                self.take(end, self.kind_of_word(at, end));
            }
        }
    }

    fn stage_word_end(&self, at: usize) -> usize {
        let is_inner = |at: &usize| {
            self.cursor.char_at(*at).is_some_and(|c| !c.is_whitespace() && !"(),|=\"".contains(c))
        };
        (at..).find(|at| !is_inner(at)).unwrap_or(at)
    }

    fn kind_of_word(&self, at: usize, end: usize) -> TokenKind {
        let text = self.cursor.text(at..end).to_ascii_lowercase();
        let is_format = matches!(text.as_str(), "json" | "kv" | "regex" | "csv" | "cef" | "leef");
        match self.cursor.char_at(end) {
            Some('(') => TokenKind::Function,
            _ if is_format || WORDS.contains(&text.as_str()) => TokenKind::Keyword,
            _ if is_number(&text) => TokenKind::Number,
            _ if self.cursor.identifier_end(at) == at => TokenKind::Word,
            _ => TokenKind::Field,
        }
    }
}
