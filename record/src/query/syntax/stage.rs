//! Reads stages. What follows the name is words, which each stage makes sense of; only `where` has a filter.

use super::read::Reader;
use super::tokens::{TokenKind, is_number};
use super::tree::{Body, StageNode};
use crate::query::stage::{WORDS, kind_of};

impl Reader {
    /// All stages up to the end of the text.
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
        let is_format = matches!(text.as_str(), "json" | "kv" | "regex");
        match self.cursor.char_at(end) {
            Some('(') => TokenKind::Function,
            _ if is_format || WORDS.contains(&text.as_str()) => TokenKind::Keyword,
            _ if is_number(&text) => TokenKind::Number,
            _ if self.cursor.identifier_end(at) == at => TokenKind::Word,
            _ => TokenKind::Field,
        }
    }
}
