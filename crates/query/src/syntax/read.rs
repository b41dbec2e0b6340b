//! Reads any text as a [`Tree`]. Text that does not follow the grammar becomes an error node, and reading continues
//! after it.

use super::lex::TextCursor;
use super::subject::{SubjectMatch, subject_here};
use super::tokens::{self, QueryToken, TokenKind};
use super::tree::{Leaf, NodeKind, Operand, Tree, TreeNode};
use crate::ast::PatternPart;
use crate::error::ParseError;
use crate::limits::NESTING_MAX;
use std::ops::Range;

/// The state of reading: its position, and the tokens so far.
pub(super) struct SyntaxReader {
    pub(super) cursor: TextCursor,
    pub(super) tokens: Vec<QueryToken>,
    /// Whether stages may follow the filter.
    stages: bool,
    depth: usize,
    /// The number of open levels that are parentheses.
    open: usize,
    /// Whether an error already has a suggestion: only the first error is reported.
    suggests: bool,
}

/// The part of the field's value that values in `field:( … )` are compared with.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum GroupExtent {
    Part,
    Whole,
}

/// The state within `field:( … )`, in which each word is a value; `None` elsewhere.
pub(super) type GroupValues = Option<GroupExtent>;

/// The tokens of any text, in order. Only white space lies between them.
pub fn tokens(text: &str) -> Vec<QueryToken> {
    Tree::new(text).tokens
}

impl Tree {
    /// Reads a filter and stages.
    pub(crate) fn new(text: &str) -> Tree {
        SyntaxReader::new(text, true).pipeline()
    }

    /// Reads a filter alone.
    pub(crate) fn of_filter(text: &str) -> Tree {
        SyntaxReader::new(text, false).pipeline()
    }

    /// Reads the stages from a position on, ignoring the text before them.
    pub(crate) fn of_stages(text: &str, from: usize) -> Tree {
        SyntaxReader::new(text, true).stages_from(from)
    }
}

impl SyntaxReader {
    pub(super) fn new(text: &str, stages: bool) -> SyntaxReader {
        SyntaxReader {
            cursor: TextCursor::new(text),
            tokens: Vec::new(),
            stages,
            depth: 0,
            open: 0,
            suggests: false,
        }
    }

    /// A reader for a part of a text whose tokens are not needed.
    fn of_part(cursor: TextCursor) -> SyntaxReader {
        SyntaxReader { cursor, tokens: Vec::new(), stages: false, depth: 0, open: 0, suggests: false }
    }

    pub(super) fn pipeline(mut self) -> Tree {
        let filter = self.filter();
        let stages = self.all_stages();
        Tree { cursor: self.cursor.at_start(), filter, stages, tokens: self.tokens }
    }

    pub(super) fn stages_from(mut self, from: usize) -> Tree {
        self.cursor.at = from;
        let stages = self.all_stages();
        let filter = TreeNode::new(from..from, NodeKind::Nothing);
        Tree { cursor: self.cursor.at_start(), filter, stages, tokens: self.tokens }
    }

    /// Reads everything up to the next stage.
    pub(super) fn filter(&mut self) -> TreeNode {
        self.cursor.skip_space();
        if self.is_at_stage_end() {
            return self.here(NodeKind::Nothing);
        }
        let mut nodes = vec![self.or(None)];
        while !self.is_at_stage_end() {
            nodes.push(self.refused(1, TokenKind::Bracket, "this closing parenthesis has no match"));
            self.cursor.skip_space();
            if !self.is_at_stage_end() {
                nodes.push(self.or(None));
            }
        }
        TreeNode::joined(nodes, NodeKind::And)
    }

    /// Whether the text ends or a stage begins at the cursor.
    pub(super) fn is_at_stage_end(&self) -> bool {
        let is_pipe = self.cursor.peek(0) == Some('|') && self.or_operator().is_none();
        self.cursor.is_at_end() || (self.stages && self.depth == 0 && is_pipe)
    }

    fn or(&mut self, values: GroupValues) -> TreeNode {
        let mut nodes = vec![self.and(values)];
        while let Some(end) = self.or_operator() {
            self.take_and_skip(end, TokenKind::Keyword);
            nodes.push(self.and(values));
        }
        TreeNode::joined(nodes, NodeKind::Or)
    }

    fn and(&mut self, values: GroupValues) -> TreeNode {
        let mut nodes = vec![self.not(values)];
        loop {
            self.cursor.skip_space();
            if let Some(end) = self.and_operator() {
                self.take_and_skip(end, TokenKind::Keyword);
            } else if self.cursor.peek(0) == Some(')')
                || self.or_operator().is_some()
                || self.is_at_stage_end()
            {
                return TreeNode::joined(nodes, NodeKind::And);
            }
            nodes.push(self.not(values));
        }
    }

    pub(super) fn or_operator(&self) -> Option<usize> {
        let at = self.cursor.at;
        self.cursor.keyword(at, "OR").or_else(|| self.cursor.keyword(at, "||"))
    }

    fn and_operator(&self) -> Option<usize> {
        let at = self.cursor.at;
        self.cursor.keyword(at, "AND").or_else(|| self.cursor.keyword(at, "&&"))
    }

    fn not(&mut self, values: GroupValues) -> TreeNode {
        let at = self.cursor.at;
        let Some(end) = self.not_operator() else { return self.primary(values) };
        let kind = if end == at + 1 { TokenKind::Operator } else { TokenKind::Keyword };
        self.take_and_skip(end, kind);
        self.nested(at, |reader| NodeKind::Not(Box::new(reader.not(values))))
    }

    fn not_operator(&self) -> Option<usize> {
        let at = self.cursor.at;
        let sign = matches!(self.cursor.peek(0), Some('-' | '!'));
        // The texts `->`, `--`, `!=` and a lone hyphen are words.
        let before_word =
            self.cursor.peek(1).is_some_and(|c| !c.is_whitespace() && !"-=<>!~),;:".contains(c));
        if sign && before_word { Some(at + 1) } else { self.cursor.keyword(at, "NOT") }
    }

    fn primary(&mut self, values: GroupValues) -> TreeNode {
        let at = self.cursor.at;
        match (self.cursor.peek(0), self.or_operator().or_else(|| self.and_operator())) {
            (None, _) => self.missing(self.cursor.syntax(at.saturating_sub(1)..at, "a term is missing here")),
            (Some(')'), _) => {
                self.missing(self.cursor.syntax(at..at + 1, "a term is missing before this parenthesis"))
            }
            (_, Some(end)) => {
                let word = self.cursor.text(at..end);
                let message = format!("`{word}` needs a term on both sides");
                self.refused(end - at, TokenKind::Keyword, &message)
            }
            (Some('|'), _) => self.stray_pipe(),
            (Some('('), _) => self.group(values),
            _ => self.comparison_or_text(values),
        }
    }

    fn stray_pipe(&mut self) -> TreeNode {
        let at = self.cursor.at;
        let message = if self.stages {
            "a stage applies to the whole filter, not to a part of it; to search for the character, write \"|\""
        } else {
            "stages work only in the console's search and in `POST /aggregate`, and only a filter can be used here; \
             to search for the character write \"|\""
        };
        let suggestion = (!self.suggests).then(|| self.cursor.rewritten(at..at + 1, "\"|\""));
        self.suggests = true;
        let error = ParseError { suggestion, ..self.cursor.meaning(at..at + 1, message) };
        // Outside of parentheses, a stage begins here nevertheless.
        if !self.stages || 0 < self.open {
            self.take(at + 1, TokenKind::Pipe);
        }
        TreeNode::new(at..self.cursor.at, NodeKind::Error(error))
    }

    fn comparison_or_text(&mut self, values: GroupValues) -> TreeNode {
        if let Some(extent) = values {
            return self.value(extent, &[]);
        }
        match subject_here(&mut self.cursor) {
            Some(SubjectMatch::Subject(subject)) => self.comparison(subject),
            Some(SubjectMatch::Valueless { name_end, operator_end }) => {
                self.valueless(name_end, operator_end)
            }
            None => self.text(),
        }
    }

    fn valueless(&mut self, name_end: usize, operator_end: usize) -> TreeNode {
        let at = self.cursor.at;
        self.take_and_skip(name_end, TokenKind::Field);
        self.take(operator_end, TokenKind::Operator);
        let written = self.cursor.text(at..operator_end);
        let message =
            format!("a value is missing after `{written}`: to search for the text put it in quotes");
        self.failed(at, self.cursor.syntax(at..operator_end, message))
    }

    pub(super) fn group(&mut self, values: GroupValues) -> TreeNode {
        let at = self.cursor.at;
        self.take_and_skip(at + 1, TokenKind::Bracket);
        self.nested(at, |reader| {
            reader.open += 1;
            let mut nodes = vec![reader.or(values)];
            reader.open -= 1;
            let close = reader.cursor.at;
            if reader.cursor.peek(0) == Some(')') {
                reader.take(close + 1, TokenKind::Bracket);
            } else {
                let error = reader.cursor.syntax(at..at + 1, "this parenthesis is never closed");
                nodes.push(reader.missing(error));
            }
            NodeKind::Group(Box::new(TreeNode::joined(nodes, NodeKind::And)))
        })
    }

    /// Reads a node that begins at `at` one level deeper, unless that is too deep.
    pub(super) fn nested(&mut self, at: usize, read: impl FnOnce(&mut SyntaxReader) -> NodeKind) -> TreeNode {
        if !self.may_nest() {
            return self.too_deep(at);
        }
        self.depth += 1;
        let kind = read(self);
        self.depth -= 1;
        TreeNode::new(at..self.cursor.at, kind)
    }

    pub(super) fn may_nest(&self) -> bool {
        self.depth < NESTING_MAX
    }

    /// An error node for the rest of the text.
    pub(super) fn too_deep(&mut self, at: usize) -> TreeNode {
        let message = format!("parentheses and negations nest deeper than {NESTING_MAX}: simplify the query");
        let error = self.cursor.meaning(at..at + 1, message);
        self.cursor.skip_space();
        while !self.cursor.is_at_end() {
            let end = self.cursor.word_end(self.cursor.at, &[]).max(self.cursor.at + 1);
            self.take_and_skip(end, TokenKind::Word);
        }
        TreeNode::new(at..self.cursor.at, NodeKind::Error(error))
    }

    /// A text without a field.
    fn text(&mut self) -> TreeNode {
        let at = self.cursor.at;
        let prefix = self.case_prefix();
        let case_sensitive = 0 < prefix;
        let leaf = match self.regex(at + prefix, &[]) {
            Some((source, ignore_case)) => Leaf::Regex { source, ignore_case },
            None => match self.operand(at + prefix, &[], tokens::of_text) {
                Ok(operand) => Leaf::Operand { operand, case_sensitive },
                Err(error) => return self.failed(at, error),
            },
        };
        TreeNode::new(at..self.cursor.at, NodeKind::Leaf(leaf))
    }

    /// The length of the `cs` or `cs:` that begins here. Only the longer one is a token of its own.
    fn case_prefix(&mut self) -> usize {
        let at = self.cursor.at;
        let is_quoted = self.cursor.starts_with(at, "cs") && self.cursor.is_quoted(at + 2);
        match self.cursor.identifier_end(at) - at {
            2 if is_quoted => 2,
            2 if self.cursor.starts_with(at, "cs:") && !self.cursor.is_boundary(at + 3, &[]) => {
                self.take_case_prefix();
                3
            }
            _ => 0,
        }
    }

    pub(super) fn take_case_prefix(&mut self) {
        let at = self.cursor.at;
        self.take(at + 2, TokenKind::Field);
        self.take(at + 3, TokenKind::Operator);
    }

    /// Reads the regular expression at a position.
    pub(super) fn regex(&mut self, at: usize, stops: &[char]) -> Option<(String, bool)> {
        let (source, ignore_case, end) = self.cursor.regex(at, stops)?;
        self.take(end, TokenKind::Regex);
        Some((source, ignore_case))
    }

    /// Reads the quoted text with its wildcards, or the bare word, at a position; text before it belongs to the same
    /// token.
    pub(super) fn operand(
        &mut self,
        at: usize,
        stops: &[char],
        kind: fn(&TextCursor, Range<usize>) -> TokenKind,
    ) -> Result<Operand, ParseError> {
        if self.cursor.is_quoted(at) {
            return self.quoted_operand(at, stops);
        }
        let end = self.cursor.word_end(at, stops);
        self.take(end, kind(&self.cursor, at..end));
        let (parts, text) = (self.cursor.word_parts(at..end), self.cursor.text(at..end));
        Ok(Operand { parts, text, quoted: false, distance: None })
    }

    fn quoted_operand(&mut self, at: usize, stops: &[char]) -> Result<Operand, ParseError> {
        let start = self.cursor.at;
        self.cursor.at = at;
        let parts = self.cursor.quoted();
        let distance = self.cursor.distance();
        let goes_on = distance.is_some() && self.cursor.peek(0) == Some('*');
        self.cursor.at += usize::from(goes_on);
        self.take_from(start, TokenKind::Quoted);
        let mut parts = parts?;
        parts.extend(goes_on.then_some(PatternPart::Run));
        self.expect_boundary(at, stops)?;
        Ok(Operand { text: plain_text(&parts), parts, quoted: true, distance })
    }

    /// Checks that a word ends after a closing quote.
    pub(super) fn expect_boundary(&mut self, start: usize, stops: &[char]) -> Result<(), ParseError> {
        let at = self.cursor.at;
        if self.cursor.is_boundary(at, stops) {
            return Ok(());
        }
        let end = self.cursor.word_end(at, stops);
        self.take(end, TokenKind::Word);
        Err(self.cursor.syntax(start..at + 1, "a space must follow the closing quote"))
    }

    /// An error node from `at` to the cursor.
    pub(super) fn failed(&self, at: usize, error: ParseError) -> TreeNode {
        TreeNode::new(at..self.cursor.at, NodeKind::Error(error))
    }

    /// An error node for something missing at the cursor.
    pub(super) fn missing(&self, error: ParseError) -> TreeNode {
        self.here(NodeKind::Error(error))
    }

    /// An error node for the next characters, which are unexpected.
    pub(super) fn refused(&mut self, count: usize, kind: TokenKind, message: &str) -> TreeNode {
        let at = self.cursor.at;
        self.take(at + count, kind);
        self.failed(at, self.cursor.syntax(at..at + count, message))
    }

    fn here(&self, kind: NodeKind) -> TreeNode {
        TreeNode::new(self.cursor.at..self.cursor.at, kind)
    }

    /// Moves to `end`, and makes a token of the text before it, if there is any.
    pub(super) fn take(&mut self, end: usize, kind: TokenKind) {
        let start = self.cursor.at;
        self.cursor.at = end;
        self.take_from(start, kind);
    }

    fn take_from(&mut self, start: usize, kind: TokenKind) {
        let range = start..self.cursor.at;
        if !range.is_empty() {
            self.tokens.push(QueryToken { kind, range });
        }
    }

    pub(super) fn take_and_skip(&mut self, end: usize, kind: TokenKind) {
        self.take(end, kind);
        self.cursor.skip_space();
    }
}

/// Reads the quoted text with its wildcards, or the bare word, at the cursor in a stage.
pub(crate) fn operand_at(cursor: &mut TextCursor, stops: &[char]) -> Result<Operand, ParseError> {
    let mut reader = SyntaxReader::of_part(cursor.clone());
    let start = cursor.at;
    let operand = reader.operand(start, stops, tokens::of_value)?;
    cursor.at = reader.cursor.at;
    match operand.distance {
        Some(_) => Err(cursor.meaning(start..cursor.at, "words at a distance work only in filters")),
        None => Ok(operand),
    }
}

/// The parts as they were written.
fn plain_text(parts: &[PatternPart]) -> String {
    let texts = parts.iter().map(|part| match part {
        PatternPart::Text(text) => text.as_str(),
        PatternPart::Run => "*",
        PatternPart::One => "?",
    });
    texts.collect()
}
