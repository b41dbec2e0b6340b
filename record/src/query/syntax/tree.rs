//! The tree of a text: its clauses and stages, and the tokens that they are made of. Places are in characters.
//!
//! **Invariant:** tokens come in order and do not overlap; only white space lies between them.

use super::lex::Cursor;
use super::subject::Subject;
use super::tokens::Token;
use crate::query::ast::Part;
use crate::query::error::ParseError;
use crate::query::stage::Kind;
use std::ops::Range;

/// A text as the grammar reads it.
pub(in crate::query) struct Tree {
    /// At the beginning of the whole text.
    pub(in crate::query) cursor: Cursor,
    pub(in crate::query) filter: Node,
    pub(in crate::query) stages: Vec<StageNode>,
    pub(in crate::query) tokens: Vec<Token>,
}

/// A part of a filter.
pub(in crate::query) struct Node {
    pub(in crate::query) range: Range<usize>,
    pub(in crate::query) kind: NodeKind,
}

/// What a part of a filter is.
pub(in crate::query) enum NodeKind {
    /// Nothing is written.
    Nothing,
    Or(Vec<Node>),
    And(Vec<Node>),
    Not(Box<Node>),
    /// In parentheses.
    Group(Box<Node>),
    /// After `in`.
    List(Vec<Node>),
    Comparison(Box<Comparison>),
    /// A text, or in a comparison a value.
    Leaf(Leaf),
    /// Here the text does not follow the grammar.
    Error(ParseError),
}

/// A field and what it is compared with.
pub(in crate::query) struct Comparison {
    pub(in crate::query) subject: Subject,
    pub(in crate::query) value: Node,
}

/// A text or a value.
pub(in crate::query) enum Leaf {
    Regex {
        source: String,
        ignore_case: bool,
    },
    Operand {
        operand: Operand,
        case_sensitive: bool,
    },
    /// `[low TO high}`.
    Range {
        low: End,
        high: End,
    },
    /// `>=value` where a value stands.
    Bound {
        operator: &'static str,
        operand: Operand,
    },
}

/// An end of a range.
pub(in crate::query) struct End {
    pub(in crate::query) text: String,
    pub(in crate::query) excluded: bool,
}

/// A quoted text with its wildcards, or a bare word.
#[derive(Clone)]
pub(in crate::query) struct Operand {
    pub(in crate::query) parts: Vec<Part>,
    /// As it stands there, without quotes.
    pub(in crate::query) text: String,
    pub(in crate::query) quoted: bool,
    /// How far its words may stand apart, where that is said.
    pub(in crate::query) distance: Option<usize>,
}

/// A stage.
pub(in crate::query) struct StageNode {
    /// Where its `|` is.
    pub(in crate::query) pipe: usize,
    /// Without the `|` and the white space at its end.
    pub(in crate::query) range: Range<usize>,
    /// Where the next one begins.
    pub(in crate::query) end: usize,
    /// Empty if missing.
    pub(in crate::query) name: Range<usize>,
    pub(in crate::query) kind: Option<&'static Kind>,
    pub(in crate::query) body: Body,
}

/// What follows the name of a stage.
pub(in crate::query) enum Body {
    Filter(Node),
    Words,
}

impl Node {
    pub(super) fn new(range: Range<usize>, kind: NodeKind) -> Node {
        Node { range, kind }
    }

    /// Several nodes as one; one of them is itself.
    pub(super) fn joined(mut nodes: Vec<Node>, kind: fn(Vec<Node>) -> NodeKind) -> Node {
        match (nodes.len(), nodes.first(), nodes.last()) {
            (2.., Some(first), Some(last)) => Node::new(first.range.start..last.range.end, kind(nodes)),
            _ => nodes.remove(0),
        }
    }

    /// Whether it is a value with commas.
    pub(super) fn is_list(&self) -> bool {
        matches!(&self.kind, NodeKind::Leaf(Leaf::Operand { operand, .. }) if operand.text.contains(','))
    }

    /// Whether the character at a place is one of its own.
    pub(in crate::query) fn holds(&self, at: usize) -> bool {
        self.range.contains(&at)
    }

    /// The clauses that stand side by side.
    pub(in crate::query) fn clauses(&self) -> &[Node] {
        match &self.kind {
            NodeKind::And(nodes) => nodes,
            NodeKind::Nothing => &[],
            _ => std::slice::from_ref(self),
        }
    }
}

impl Operand {
    /// Whether it is the bare `*`.
    pub(in crate::query) fn is_any(&self) -> bool {
        !self.quoted && !self.text.is_empty() && self.text.chars().all(|c| c == '*')
    }
}
