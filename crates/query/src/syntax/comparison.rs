//! Reads the value after a field and its operator.

use super::read::{GroupExtent, SyntaxReader};
use super::subject::{ComparisonSubject, Operator};
use super::tokens::{self, TokenKind};
use super::tree::{Comparison, Leaf, NodeKind, Operand, RangeEnd, TreeNode};
use crate::error::ParseError;

/// Operators that may stand in place of a value.
const BOUNDS: [&str; 4] = [">=", "<=", ">", "<"];

impl SyntaxReader {
    /// Reads a comparison: a field, an operator and a value.
    pub(super) fn comparison(&mut self, subject: ComparisonSubject) -> TreeNode {
        let at = self.cursor.at;
        self.take_subject(&subject);
        match subject.operator {
            // These print as negations and groups, which are nested.
            Operator::NotEquals | Operator::NotMatches | Operator::In => {
                self.nested(at, |reader| reader.compared(subject))
            }
            _ => {
                let kind = self.compared(subject);
                TreeNode::new(at..self.cursor.at, kind)
            }
        }
    }

    fn take_subject(&mut self, subject: &ComparisonSubject) {
        if subject.case_sensitive {
            self.take_case_prefix();
        }
        self.take_and_skip(subject.name_at.end, TokenKind::Field);
        if subject.operator == Operator::In {
            let colon = self.cursor.at + usize::from(self.cursor.peek(0) == Some(':'));
            self.take_and_skip(colon, TokenKind::Operator);
            self.take_and_skip(self.cursor.at + 2, TokenKind::Keyword);
        } else {
            let end = self.cursor.trimmed(self.cursor.at..subject.value_at);
            self.take(end, TokenKind::Operator);
        }
        self.cursor.at = subject.value_at;
    }

    fn compared(&mut self, subject: ComparisonSubject) -> NodeKind {
        let value = match subject.operator {
            Operator::Has => self.value(GroupExtent::Part, &[]),
            Operator::Equals | Operator::NotEquals => self.value(GroupExtent::Whole, &[]),
            Operator::Matches | Operator::NotMatches => self.regex_value(),
            Operator::In => self.list(),
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
                self.plain_value(&[])
            }
        };
        NodeKind::Comparison(Box::new(Comparison { subject, value }))
    }

    /// The value after `field:` or `field=`, or one in parentheses after it.
    pub(super) fn value(&mut self, extent: GroupExtent, stops: &[char]) -> TreeNode {
        let at = self.cursor.at;
        if self.cursor.peek(0) == Some('(') {
            return self.group(Some(extent));
        }
        if extent == GroupExtent::Part {
            if let Some((source, ignore_case)) = self.regex(at, stops) {
                let leaf = Leaf::Regex { source, ignore_case };
                return TreeNode::new(at..self.cursor.at, NodeKind::Leaf(leaf));
            }
            if let Some(range) = self.bracket_range() {
                return TreeNode::new(at..self.cursor.at, NodeKind::Leaf(range));
            }
            if let Some(operator) = BOUNDS.iter().find(|text| self.cursor.starts_with(at, text)) {
                return self.bound(operator);
            }
        }
        let value = self.plain_value(stops);
        // A list prints as a group, which is nested.
        if value.is_list() && !self.may_nest() { self.too_deep(at) } else { value }
    }

    fn plain_value(&mut self, stops: &[char]) -> TreeNode {
        let at = self.cursor.at;
        match self.operand(at, stops, tokens::of_value) {
            Ok(operand) => {
                let leaf = Leaf::Operand { operand, case_sensitive: false };
                TreeNode::new(at..self.cursor.at, NodeKind::Leaf(leaf))
            }
            Err(error) => self.failed(at, error),
        }
    }

    fn bound(&mut self, operator: &'static str) -> TreeNode {
        self.take_and_skip(self.cursor.at + operator.len(), TokenKind::Operator);
        let at = self.cursor.at;
        match self.operand(at, &[], tokens::of_value) {
            Ok(operand) => {
                TreeNode::new(at..self.cursor.at, NodeKind::Leaf(Leaf::Bound { operator, operand }))
            }
            Err(error) => self.failed(at, error),
        }
    }

    /// Reads `[low TO high}`; `None` if there is no such range.
    fn bracket_range(&mut self) -> Option<Leaf> {
        let (start, tokens) = (self.cursor.at, self.tokens.len());
        let range = self.range_here();
        if range.is_none() {
            self.cursor.at = start;
            self.tokens.truncate(tokens);
        }
        range
    }

    fn range_here(&mut self) -> Option<Leaf> {
        let low_bracket = self.cursor.peek(0).filter(|c| matches!(c, '[' | '{'))?;
        self.take_and_skip(self.cursor.at + 1, TokenKind::Bracket);
        let low = self.end(&[])?;
        let to = self.cursor.keyword(self.cursor.at, "TO")?;
        self.take_and_skip(to, TokenKind::Keyword);
        let high = self.end(&[']', '}'])?;
        let high_bracket = self.cursor.peek(0).filter(|c| matches!(c, ']' | '}'))?;
        self.take(self.cursor.at + 1, TokenKind::Bracket);
        Some(Leaf::Range {
            low: RangeEnd { text: low.text, excluded: low_bracket == '{' },
            high: RangeEnd { text: high.text, excluded: high_bracket == '}' },
        })
    }

    fn end(&mut self, stops: &[char]) -> Option<Operand> {
        let end = self.operand(self.cursor.at, stops, tokens::of_value).ok()?;
        self.cursor.skip_space();
        (!end.text.is_empty() && end.distance.is_none()).then_some(end)
    }

    /// Reads `(a, b)` or `[a b]` after `in`.
    fn list(&mut self) -> TreeNode {
        let start = self.cursor.at;
        let close = if self.cursor.peek(0) == Some('(') { ')' } else { ']' };
        self.take(start + 1, TokenKind::Bracket);
        let mut nodes = Vec::new();
        loop {
            self.skip_commas();
            match self.cursor.peek(0) {
                None => {
                    let error = self.cursor.syntax(start..start + 1, "this list is not closed");
                    nodes.push(self.missing(error));
                    break;
                }
                Some(c) if c == close => {
                    self.take(self.cursor.at + 1, TokenKind::Bracket);
                    break;
                }
                Some(_) => nodes.push(self.list_value(&[',', close])),
            }
        }
        if nodes.is_empty() {
            nodes.push(self.failed(start, self.cursor.syntax(start..self.cursor.at, "this list is empty")));
        }
        TreeNode::new(start..self.cursor.at, NodeKind::List(nodes))
    }

    pub(super) fn skip_commas(&mut self) {
        self.cursor.skip_space();
        while self.cursor.peek(0) == Some(',') {
            self.take_and_skip(self.cursor.at + 1, TokenKind::Operator);
        }
    }

    fn list_value(&mut self, stops: &[char]) -> TreeNode {
        let at = self.cursor.at;
        let value = self.plain_value(stops);
        if at < self.cursor.at {
            value
        } else {
            self.refused(1, TokenKind::Bracket, "a list holds values only")
        }
    }

    /// Reads the value after `~`.
    fn regex_value(&mut self) -> TreeNode {
        let at = self.cursor.at;
        let (source, ignore_case) = match (self.regex(at, &[]), self.cursor.peek(0)) {
            (Some(found), _) => found,
            (None, Some('"')) => match self.quoted_regex() {
                Ok(source) => (source, false),
                Err(error) => return self.failed(at, error),
            },
            _ => {
                let end = self.cursor.word_end(at, &[]);
                self.take(end, TokenKind::Regex);
                (self.cursor.text(at..end), false)
            }
        };
        let leaf = Leaf::Regex { source, ignore_case };
        TreeNode::new(at..self.cursor.at, NodeKind::Leaf(leaf))
    }

    fn quoted_regex(&mut self) -> Result<String, ParseError> {
        let at = self.cursor.at;
        let source = self.cursor.clone().quoted_regex();
        self.take(self.cursor.quote_end(), TokenKind::Quoted);
        let source = source?;
        self.expect_boundary(at, &[])?;
        Ok(source)
    }
}
