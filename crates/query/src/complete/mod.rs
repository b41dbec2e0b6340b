//! Completion of an unfinished query at the cursor.
//!
//! A letter is inserted at the cursor and the text is read like any other: the part to complete is the one that contains
//! that letter. If it is not part of a comparison, other characters that an unfinished text may lack are tried.
//!
//! **Invariant:** every text has an answer at every position, and the replaced range includes that position.

mod arguments;
mod completion;

pub use completion::{Completion, CompletionPoint};

use crate::ast::{Pattern, Query};
use crate::limits::QUERY_BYTES_MAX;
use crate::parse::Meaning;
use crate::print::{PrintedName, PrintedPattern, Quoted};
use crate::stage::KINDS;
use crate::syntax::Tree;
use crate::syntax::lex::TextCursor;
use crate::syntax::subject::{Operator, SubjectName};
use crate::syntax::tokens::{QueryToken, TokenKind};
use crate::syntax::tree::{Body, Comparison, Leaf, NodeKind, StageNode, TreeNode};
use arguments::{Arguments, columns};
use logstead_record::Field;
use logstead_record::FieldName;
use std::ops::Range;

/// The stages by their first names, each with an example.
pub fn stages() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS.iter().map(|kind| (kind.name(), kind.example))
}

/// A value as it is written in a query, with quotes if it needs them.
pub fn written_value(text: &str) -> String {
    PrintedPattern(&Pattern::literal(text)).to_string()
}

/// A text in quotes.
pub fn written_in_quotes(text: &str) -> String {
    Quoted(text).to_string()
}

/// The name of a field as it is written in a query.
pub fn written_name(name: &str) -> String {
    PrintedName(&FieldName::new(name)).to_string()
}

/// Analyses a text with the cursor before the character `at`.
pub fn writing(text: &str, at: usize) -> CompletionPoint {
    let whole = TextCursor::new(text);
    let at = at.min(whole.end);
    if QUERY_BYTES_MAX < text.len() {
        return CompletionPoint {
            span: at..at,
            typed: String::new(),
            wanted: Completion::Nothing,
            rest: Query::All,
        };
    }
    let marked =
        |mark: &str| MarkedText { tree: Tree::new(&whole.rewritten(at..at, mark)), whole: &whole, at };
    let plain = marked(LETTER);
    if plain.is_in_open_quotes() {
        return marked(LETTER_AND_QUOTE).writing();
    }
    if plain.is_text() {
        let finished = [DIGIT, LETTER_AND_QUOTE, LETTER_AND_BRACKET].map(marked);
        if let Some(other) = finished.into_iter().find(MarkedText::is_value) {
            return other.writing();
        }
    }
    plain.writing()
}

/// A letter, which may stand in names and in values.
const LETTER: &str = "x";
/// A digit, because dynamic fields are compared only with numbers: `bytes>`.
const DIGIT: &str = "1";
/// A closing quote too, because a later quote belongs to another text: `user:"a host:"b"`.
const LETTER_AND_QUOTE: &str = "x\"";
/// A closing bracket too, because an unclosed range is not a range: `time:[now-1h TO `.
const LETTER_AND_BRACKET: &str = "x]";

/// A text that was read with characters inserted at the cursor.
struct MarkedText<'a> {
    tree: Tree,
    /// The text without the inserted characters.
    whole: &'a TextCursor,
    at: usize,
}

/// The part of a query that contains the cursor.
enum CursorPlace<'t> {
    /// A text that is not a comparison, or not a known one.
    Text {
        /// Whether another clause comes before this one.
        joins: bool,
    },
    /// The name of a field that is compared.
    Name,
    /// The value in a comparison.
    Value { comparison: &'t Comparison, in_list: bool, is_plain: bool },
}

impl MarkedText<'_> {
    fn writing(&self) -> CompletionPoint {
        let stage = self.tree.stages.iter().rfind(|stage| stage.pipe < self.at);
        match stage {
            None => self.in_filter(&self.tree.filter, None),
            Some(stage) => self.in_stage(stage),
        }
    }

    fn in_filter(&self, filter: &TreeNode, columns: Option<Vec<String>>) -> CompletionPoint {
        let token = self.token();
        match self.place(filter, CursorPlace::Text { joins: false }) {
            CursorPlace::Text { joins } if token.is_some_and(is_bare) => {
                self.clause(self.start(token), false, columns, joins)
            }
            CursorPlace::Name if token.is_some_and(|token| !self.begins_with(token, '"')) => {
                self.clause(self.start(token), true, columns, false)
            }
            CursorPlace::Value { comparison, in_list, is_plain: true } => {
                let wanted = wanted_value(comparison, token.is_some_and(|t| t.kind == TokenKind::Quoted));
                match wanted {
                    Completion::Value { .. } | Completion::Name if columns.is_none() => {
                        self.value(comparison, wanted, in_list)
                    }
                    _ => self.nothing(),
                }
            }
            _ => self.nothing(),
        }
    }

    /// The innermost part that contains the cursor.
    fn place<'t>(&self, node: &'t TreeNode, outer: CursorPlace<'t>) -> CursorPlace<'t> {
        match &node.kind {
            NodeKind::And(nodes) | NodeKind::Or(nodes) | NodeKind::List(nodes) => {
                let inner = nodes.iter().position(|node| node.holds(self.at));
                let is_and = matches!(node.kind, NodeKind::And(_));
                inner
                    .map_or(self.nowhere(&outer), |at| self.place(&nodes[at], outer.joined(is_and && 0 < at)))
            }
            NodeKind::Not(inner) | NodeKind::Group(inner) => self.place(inner, outer.joined(false)),
            NodeKind::Comparison(found) if found.subject.value_at <= self.at => {
                let in_list = matches!(found.value.kind, NodeKind::List(_));
                self.place(&found.value, CursorPlace::Value { comparison: found, in_list, is_plain: true })
            }
            NodeKind::Comparison(_) => CursorPlace::Name,
            NodeKind::Leaf(leaf) => outer.of_leaf(leaf),
            NodeKind::Nothing | NodeKind::Error(_) => outer,
        }
    }

    fn nowhere<'t>(&self, outer: &CursorPlace<'t>) -> CursorPlace<'t> {
        match outer {
            CursorPlace::Value { comparison, in_list, .. } => {
                CursorPlace::Value { comparison, in_list: *in_list, is_plain: false }
            }
            CursorPlace::Text { .. } | CursorPlace::Name => CursorPlace::Text { joins: false },
        }
    }

    /// The token that contains the cursor.
    fn token(&self) -> Option<&QueryToken> {
        self.tree.tokens.iter().find(|token| token.range.contains(&self.at))
    }

    fn start(&self, token: Option<&QueryToken>) -> usize {
        token.map_or(self.at, |token| token.range.start)
    }

    fn begins_with(&self, token: &QueryToken, c: char) -> bool {
        self.tree.cursor.char_at(token.range.start) == Some(c)
    }

    /// Whether the cursor is in quotes that are closed only later.
    fn is_in_open_quotes(&self) -> bool {
        let is_end = |&at: &usize| self.whole.char_at(at).is_none_or(|c| c == '"' || c.is_whitespace());
        let end = (self.at..=self.whole.end).find(is_end);
        let is_closed = end.is_some_and(|end| self.whole.char_at(end) == Some('"'));
        !is_closed && self.token().is_some_and(|token| token.kind == TokenKind::Quoted)
    }

    fn is_text(&self) -> bool {
        let is_outside = self.tree.stages.iter().all(|stage| self.at <= stage.pipe);
        is_outside
            && matches!(
                self.place(&self.tree.filter, CursorPlace::Text { joins: false }),
                CursorPlace::Text { .. }
            )
    }

    fn is_value(&self) -> bool {
        let place = self.place(&self.tree.filter, CursorPlace::Text { joins: false });
        matches!(place, CursorPlace::Value { .. })
    }

    fn clause(
        &self,
        from: usize,
        is_compared: bool,
        columns: Option<Vec<String>>,
        joins: bool,
    ) -> CompletionPoint {
        let to = self.whole.name_rest(self.at);
        let is_operator = self.whole.char_at(to).is_some_and(|c| ":=<>!~".contains(c));
        let wanted = Completion::Clause { columns, has_operator: is_compared || is_operator, joins };
        self.writes(from..to, from, wanted)
    }

    fn value(&self, comparison: &Comparison, wanted: Completion, in_list: bool) -> CompletionPoint {
        let token = self.token();
        if matches!(wanted, Completion::Value { quoted: true, .. }) {
            return self.quoted_value(self.start(token), wanted);
        }
        let range = self.start(token)..self.at;
        let comma = range.clone().rev().find(|&at| self.whole.char_at(at) == Some(','));
        let from =
            comma.filter(|_| is_listed(&comparison.subject.name)).map_or(range.start, |comma| comma + 1);
        let stops: &[char] = if in_list { &[',', ']'] } else { &[','] };
        self.writes(from..self.whole.word_end(self.at, stops), from, wanted)
    }

    fn quoted_value(&self, from: usize, wanted: Completion) -> CompletionPoint {
        let is_begun = self.whole.char_at(from) == Some('"') && from < self.at;
        if !is_begun {
            return self.nothing();
        }
        // A later quote belongs to another text.
        let end = (self.at..self.whole.end)
            .find(|&at| self.whole.char_at(at).is_none_or(|c| c == '"' || c.is_whitespace()));
        let closed = end.filter(|&end| self.whole.char_at(end) == Some('"'));
        self.writes(from..closed.map_or(self.at, |end| end + 1), from + 1, wanted)
    }

    fn nothing(&self) -> CompletionPoint {
        self.writes(self.at..self.at, self.at, Completion::Nothing)
    }

    /// The completion of the text typed since `from`.
    fn writes(&self, span: Range<usize>, from: usize, wanted: Completion) -> CompletionPoint {
        let typed = self.whole.text(from.min(self.at)..self.at);
        let mut meaning = Meaning::new(&self.tree);
        let rest = self.rest(&mut meaning, &self.tree.filter, true).unwrap_or(Query::All);
        CompletionPoint { span: span.start.min(self.at)..span.end.max(self.at), typed, wanted, rest }
    }

    /// The meaning of a node without the clause being typed and without errors; `None` if nothing is left. In a
    /// disjunction, that clause could match anything, so the disjunction restricts nothing; below a negation, this is
    /// reversed.
    fn rest(&self, meaning: &mut Meaning, node: &TreeNode, positive: bool) -> Option<Query> {
        match &node.kind {
            NodeKind::Nothing => Some(Query::All),
            NodeKind::And(nodes) => self.rest_of(meaning, nodes, positive, positive).map(Query::and),
            NodeKind::Or(nodes) => self.rest_of(meaning, nodes, positive, !positive).map(Query::or),
            NodeKind::Not(inner) => self.rest(meaning, inner, !positive).map(Query::negate),
            NodeKind::Group(inner) => self.rest(meaning, inner, positive),
            _ if node.holds(self.at) => None,
            _ => meaning.query(node).ok(),
        }
    }

    fn rest_of(
        &self,
        meaning: &mut Meaning,
        nodes: &[TreeNode],
        positive: bool,
        drops: bool,
    ) -> Option<Vec<Query>> {
        let left: Vec<Query> = nodes.iter().filter_map(|node| self.rest(meaning, node, positive)).collect();
        let is_lost = left.is_empty() || (!drops && left.len() < nodes.len());
        (!is_lost).then_some(left)
    }

    fn in_stage(&self, stage: &StageNode) -> CompletionPoint {
        if self.at <= stage.name.start || stage.name.contains(&self.at) {
            let from = stage.name.start.min(self.at);
            return self.writes(from..self.whole.name_rest(self.at), from, Completion::Stage);
        }
        match &stage.body {
            Body::Filter(filter) => self.in_filter(filter, self.columns(stage)),
            Body::Words => self.in_words(stage),
        }
    }

    fn in_words(&self, stage: &StageNode) -> CompletionPoint {
        let is_word = |token: &&QueryToken| {
            use TokenKind::{Field, Function, Keyword, Number, Word};
            matches!(token.kind, Field | Function | Keyword | Number | Word)
        };
        let token = self.token().filter(is_word);
        let kind = stage.kind.map_or("", |kind| kind.name());
        let arguments = Arguments { name: kind, words: self.words_before(stage, self.start(token)) };
        match (token, arguments.wanted(self.columns(stage))) {
            (None, _) | (_, Completion::Nothing) => self.nothing(),
            (Some(token), wanted) => {
                let from = token.range.start;
                self.writes(from..self.whole.name_rest(self.at), from, wanted)
            }
        }
    }

    /// The tokens between the name of a stage and a position, without commas.
    fn words_before(&self, stage: &StageNode, end: usize) -> Vec<String> {
        let is_before = |token: &&QueryToken| stage.name.end <= token.range.start && token.range.end <= end;
        let texts = self.tree.tokens.iter().filter(is_before);
        texts.map(|token| self.tree.cursor.text(token.range.clone())).filter(|text| text != ",").collect()
    }

    /// The columns that the stages before this one make.
    fn columns(&self, stage: &StageNode) -> Option<Vec<String>> {
        let before = self.tree.stages.iter().take_while(|other| other.pipe < stage.pipe).count();
        let stages = Meaning::new(&self.tree).stages(&self.tree.stages[..before]).ok()?;
        columns(&stages)
    }
}

impl<'t> CursorPlace<'t> {
    /// The same place, but within a clause that may follow another one.
    fn joined(self, joins: bool) -> CursorPlace<'t> {
        match self {
            CursorPlace::Text { .. } => CursorPlace::Text { joins },
            other => other,
        }
    }

    fn of_leaf(self, leaf: &Leaf) -> CursorPlace<'t> {
        let begins = |text: &str| text.starts_with(['/', '[', '{', '*', '?']);
        let is_known = match leaf {
            Leaf::Operand { operand, .. } if operand.distance.is_some() => false,
            Leaf::Operand { operand, .. } => operand.quoted || !begins(&operand.text),
            Leaf::Bound { .. } => true,
            Leaf::Regex { .. } | Leaf::Range { .. } => false,
        };
        match self {
            CursorPlace::Value { comparison, in_list, .. } => {
                CursorPlace::Value { comparison, in_list, is_plain: is_known }
            }
            other => other,
        }
    }
}

/// Whether a token may become the name of a field.
fn is_bare(token: &QueryToken) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Wildcard | TokenKind::Number)
}

/// Whether the values of a field may be lists without parentheses.
fn is_listed(name: &SubjectName) -> bool {
    use Field::{Flag, Logspace, Source};
    matches!(name, SubjectName::Field(FieldName::Known(Flag | Logspace | Source)))
}

fn wanted_value(Comparison { subject, .. }: &Comparison, quoted: bool) -> Completion {
    use Operator::{Greater, GreaterOrEqual, Less, LessOrEqual, Matches, NotMatches};
    if matches!(subject.operator, Matches | NotMatches) {
        return Completion::Nothing;
    }
    let field = match &subject.name {
        SubjectName::Field(field) => field.clone(),
        SubjectName::Exists => return Completion::Name,
        SubjectName::SeverityNumber => return Completion::Nothing,
        SubjectName::Earliest | SubjectName::Latest => FieldName::Known(Field::Time),
    };
    let ordered = matches!(subject.operator, Less | LessOrEqual | Greater | GreaterOrEqual);
    Completion::Value { field, quoted, ordered }
}

#[cfg(test)]
mod tests;
