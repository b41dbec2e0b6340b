//! The tree of a text: its clauses and stages, and their tokens. Positions are in characters.
//!
//! **Invariant:** tokens come in order and do not overlap; only white space lies between them.

use super::lex::TextCursor;
use super::subject::ComparisonSubject;
use super::tokens::QueryToken;
use crate::ast::PatternPart;
use crate::error::ParseError;
use crate::stage::StageKind;
use std::ops::Range;

/// A text as the grammar reads it.
pub(crate) struct Tree {
    /// A cursor at the beginning of the whole text.
    pub(crate) cursor: TextCursor,
    pub(crate) filter: TreeNode,
    pub(crate) stages: Vec<StageNode>,
    pub(crate) tokens: Vec<QueryToken>,
}

/// A part of a filter.
pub(crate) struct TreeNode {
    pub(crate) range: Range<usize>,
    pub(crate) kind: NodeKind,
}

/// The kind of a node.
pub(crate) enum NodeKind {
    /// Nothing: the part is empty.
    Nothing,
    Or(Vec<TreeNode>),
    And(Vec<TreeNode>),
    Not(Box<TreeNode>),
    /// A group in parentheses.
    Group(Box<TreeNode>),
    /// The list after `in`.
    List(Vec<TreeNode>),
    Comparison(Box<Comparison>),
    /// A text, or a value in a comparison.
    Leaf(Leaf),
    /// Text that does not follow the grammar.
    Error(ParseError),
}

/// A field and the value that it is compared with.
pub(crate) struct Comparison {
    pub(crate) subject: ComparisonSubject,
    pub(crate) value: TreeNode,
}

/// A text or a value.
pub(crate) enum Leaf {
    Regex {
        source: String,
        ignore_case: bool,
    },
    Operand {
        operand: Operand,
        case_sensitive: bool,
    },
    /// A range such as `[low TO high}`.
    Range {
        low: RangeEnd,
        high: RangeEnd,
    },
    /// A bound such as `>=value` in place of a value.
    Bound {
        operator: &'static str,
        operand: Operand,
    },
}

/// An end of a range.
pub(crate) struct RangeEnd {
    pub(crate) text: String,
    pub(crate) excluded: bool,
}

/// A quoted text with its wildcards, or a bare word.
#[derive(Clone)]
pub(crate) struct Operand {
    pub(crate) parts: Vec<PatternPart>,
    /// Its text as written, without quotes.
    pub(crate) text: String,
    pub(crate) quoted: bool,
    /// The distance allowed between its words, if one is given.
    pub(crate) distance: Option<usize>,
}

/// A stage.
pub(crate) struct StageNode {
    /// The position of its `|`.
    pub(crate) pipe: usize,
    /// The position of the stage, without the `|` and the white space at its end.
    pub(crate) range: Range<usize>,
    /// The beginning of the next stage.
    pub(crate) end: usize,
    /// The position of its name; empty if that is missing.
    pub(crate) name: Range<usize>,
    pub(crate) kind: Option<&'static StageKind>,
    pub(crate) body: Body,
}

/// The body of a stage, after its name.
pub(crate) enum Body {
    Filter(TreeNode),
    Words,
}

impl TreeNode {
    pub(super) fn new(range: Range<usize>, kind: NodeKind) -> TreeNode {
        TreeNode { range, kind }
    }

    /// Joins nodes into one; a single node is returned as it is.
    pub(super) fn joined(mut nodes: Vec<TreeNode>, kind: fn(Vec<TreeNode>) -> NodeKind) -> TreeNode {
        match (nodes.len(), nodes.first(), nodes.last()) {
            (2.., Some(first), Some(last)) => TreeNode::new(first.range.start..last.range.end, kind(nodes)),
            _ => nodes.remove(0),
        }
    }

    /// Whether it is a value with commas.
    pub(super) fn is_list(&self) -> bool {
        matches!(&self.kind, NodeKind::Leaf(Leaf::Operand { operand, .. }) if operand.text.contains(','))
    }

    /// Whether it contains the character at a position.
    pub(crate) fn holds(&self, at: usize) -> bool {
        self.range.contains(&at)
    }

    /// The clauses that are joined by AND; a single one for any other condition.
    pub(crate) fn clauses(&self) -> &[TreeNode] {
        match &self.kind {
            NodeKind::And(nodes) => nodes,
            NodeKind::Nothing => &[],
            _ => std::slice::from_ref(self),
        }
    }
}

impl Operand {
    /// Whether it is the bare `*`.
    pub(crate) fn is_any(&self) -> bool {
        !self.quoted && !self.text.is_empty() && self.text.chars().all(|c| c == '*')
    }
}
