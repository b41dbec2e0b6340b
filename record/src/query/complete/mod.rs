//! Analyses an unfinished query at the cursor: what is being typed, and what the rest means.
//!
//! A letter is put at the cursor and the text is read like any other: what is being typed is what that letter
//! belongs to. If that cannot be compared, other pieces that an unfinished text lacks are tried.
//!
//! **Invariant:** any text has an answer at any place, and what it replaces lies around that place.

mod arguments;
mod wanted;

pub use wanted::{Wanted, Writing};

use crate::field::Field;
use crate::query::ast::{FieldName, Pattern, Query};
use crate::query::limits::QUERY_BYTES_MAX;
use crate::query::parse::Meaning;
use crate::query::print::{Named, Quoted, Value};
use crate::query::stage::KINDS;
use crate::query::syntax::Tree;
use crate::query::syntax::lex::Cursor;
use crate::query::syntax::subject::{Name, Operator};
use crate::query::syntax::tokens::{Token, TokenKind};
use crate::query::syntax::tree::{Body, Comparison, Leaf, Node, NodeKind, StageNode};
use arguments::{Arguments, columns};
use std::ops::Range;

/// The stages by their first names, each with an example.
pub fn stages() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS.iter().map(|kind| (kind.name(), kind.example))
}

/// A value as it is written in a query, with quotes where it needs them.
pub fn written_value(text: &str) -> String {
    Value(&Pattern::literal(text)).to_string()
}

/// A text in quotes.
pub fn written_in_quotes(text: &str) -> String {
    Quoted(text).to_string()
}

/// The name of a field as it is written in a query.
pub fn written_name(name: &str) -> String {
    Named(&FieldName::new(name)).to_string()
}

/// What is being typed before the character `at` of a text.
pub fn writing(text: &str, at: usize) -> Writing {
    let whole = Cursor::new(text);
    let at = at.min(whole.end());
    if QUERY_BYTES_MAX < text.len() {
        return Writing { span: at..at, typed: String::new(), wanted: Wanted::Nothing, rest: Query::All };
    }
    let marked = |mark: &str| Marked { tree: Tree::new(&whole.rewritten(at..at, mark)), whole: &whole, at };
    let plain = marked(LETTER);
    if plain.is_in_open_quotes() {
        return marked(LETTER_AND_QUOTE).writing();
    }
    if plain.is_text() {
        let finished = [DIGIT, LETTER_AND_QUOTE, LETTER_AND_BRACKET].map(marked);
        if let Some(other) = finished.into_iter().find(Marked::is_value) {
            return other.writing();
        }
    }
    plain.writing()
}

/// It may stand in a name as well as in a value.
const LETTER: &str = "x";
/// A field that not every message has is compared with numbers only: `bytes>`.
const DIGIT: &str = "1";
/// A quote further on belongs to another text: `user:"a host:"b"`.
const LETTER_AND_QUOTE: &str = "x\"";
/// A range that is not closed is none: `time:[now-1h TO `.
const LETTER_AND_BRACKET: &str = "x]";

/// A text that was read with a piece at the cursor.
struct Marked<'a> {
    tree: Tree,
    /// The text without it.
    whole: &'a Cursor,
    at: usize,
}

/// What the character at the cursor belongs to.
enum Place<'t> {
    /// A text that compares nothing, or nothing that could be known.
    Text {
        /// Whether a clause stands before it.
        joins: bool,
    },
    /// The name of a field that is compared.
    Name,
    /// What it is compared with.
    Value { comparison: &'t Comparison, in_list: bool, is_plain: bool },
}

impl Marked<'_> {
    fn writing(&self) -> Writing {
        let stage = self.tree.stages.iter().rfind(|stage| stage.pipe < self.at);
        match stage {
            None => self.in_filter(&self.tree.filter, None),
            Some(stage) => self.in_stage(stage),
        }
    }

    fn in_filter(&self, filter: &Node, columns: Option<Vec<String>>) -> Writing {
        let token = self.token();
        match self.place(filter, Place::Text { joins: false }) {
            Place::Text { joins } if token.is_some_and(is_bare) => {
                self.clause(self.start(token), false, columns, joins)
            }
            Place::Name if token.is_some_and(|token| !self.begins_with(token, '"')) => {
                self.clause(self.start(token), true, columns, false)
            }
            Place::Value { comparison, in_list, is_plain: true } => {
                let wanted = wanted_value(comparison, token.is_some_and(|t| t.kind == TokenKind::Quoted));
                match wanted {
                    Wanted::Value { .. } | Wanted::Name if columns.is_none() => {
                        self.value(comparison, wanted, in_list)
                    }
                    _ => self.nothing(),
                }
            }
            _ => self.nothing(),
        }
    }

    /// The innermost thing that the cursor is in.
    fn place<'t>(&self, node: &'t Node, outer: Place<'t>) -> Place<'t> {
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
                self.place(&found.value, Place::Value { comparison: found, in_list, is_plain: true })
            }
            NodeKind::Comparison(_) => Place::Name,
            NodeKind::Leaf(leaf) => outer.of_leaf(leaf),
            NodeKind::Nothing | NodeKind::Error(_) => outer,
        }
    }

    fn nowhere<'t>(&self, outer: &Place<'t>) -> Place<'t> {
        match outer {
            Place::Value { comparison, in_list, .. } => {
                Place::Value { comparison, in_list: *in_list, is_plain: false }
            }
            Place::Text { .. } | Place::Name => Place::Text { joins: false },
        }
    }

    /// The token that the cursor is in.
    fn token(&self) -> Option<&Token> {
        self.tree.tokens.iter().find(|token| token.range.contains(&self.at))
    }

    fn start(&self, token: Option<&Token>) -> usize {
        token.map_or(self.at, |token| token.range.start)
    }

    fn begins_with(&self, token: &Token, c: char) -> bool {
        self.tree.cursor.char_at(token.range.start) == Some(c)
    }

    /// Whether the cursor is in quotes that are closed further on only.
    fn is_in_open_quotes(&self) -> bool {
        let is_end = |&at: &usize| self.whole.char_at(at).is_none_or(|c| c == '"' || c.is_whitespace());
        let end = (self.at..=self.whole.end()).find(is_end);
        let is_closed = end.is_some_and(|end| self.whole.char_at(end) == Some('"'));
        !is_closed && self.token().is_some_and(|token| token.kind == TokenKind::Quoted)
    }

    fn is_text(&self) -> bool {
        let is_outside = self.tree.stages.iter().all(|stage| self.at <= stage.pipe);
        is_outside
            && matches!(self.place(&self.tree.filter, Place::Text { joins: false }), Place::Text { .. })
    }

    fn is_value(&self) -> bool {
        let place = self.place(&self.tree.filter, Place::Text { joins: false });
        matches!(place, Place::Value { .. })
    }

    fn clause(&self, from: usize, is_compared: bool, columns: Option<Vec<String>>, joins: bool) -> Writing {
        let to = self.whole.name_rest(self.at);
        let is_operator = self.whole.char_at(to).is_some_and(|c| ":=<>!~".contains(c));
        let wanted = Wanted::Clause { columns, has_operator: is_compared || is_operator, joins };
        self.writes(from..to, from, wanted)
    }

    fn value(&self, comparison: &Comparison, wanted: Wanted, in_list: bool) -> Writing {
        let token = self.token();
        if matches!(wanted, Wanted::Value { quoted: true, .. }) {
            return self.quoted_value(self.start(token), wanted);
        }
        let range = self.start(token)..self.at;
        let comma = range.clone().rev().find(|&at| self.whole.char_at(at) == Some(','));
        let from =
            comma.filter(|_| is_listed(&comparison.subject.name)).map_or(range.start, |comma| comma + 1);
        let stops: &[char] = if in_list { &[',', ']'] } else { &[','] };
        self.writes(from..self.whole.word_end(self.at, stops), from, wanted)
    }

    fn quoted_value(&self, from: usize, wanted: Wanted) -> Writing {
        let is_begun = self.whole.char_at(from) == Some('"') && from < self.at;
        if !is_begun {
            return self.nothing();
        }
        // A quote further on belongs to another text.
        let end = (self.at..self.whole.end())
            .find(|&at| self.whole.char_at(at).is_none_or(|c| c == '"' || c.is_whitespace()));
        let closed = end.filter(|&end| self.whole.char_at(end) == Some('"'));
        self.writes(from..closed.map_or(self.at, |end| end + 1), from + 1, wanted)
    }

    fn nothing(&self) -> Writing {
        self.writes(self.at..self.at, self.at, Wanted::Nothing)
    }

    /// What is typed begins at `from`.
    fn writes(&self, span: Range<usize>, from: usize, wanted: Wanted) -> Writing {
        let typed = self.whole.text(from.min(self.at)..self.at);
        let mut meaning = Meaning::new(&self.tree);
        let rest = self.rest(&mut meaning, &self.tree.filter, true).unwrap_or(Query::All);
        Writing { span: span.start.min(self.at)..span.end.max(self.at), typed, wanted, rest }
    }

    /// What a node means without the clause that is being typed and without what is not right: `None` where nothing
    /// is left of it. In a disjunction such a clause could be anything, so the disjunction limits nothing; below a
    /// negation it is the other way round.
    fn rest(&self, meaning: &mut Meaning, node: &Node, positive: bool) -> Option<Query> {
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
        nodes: &[Node],
        positive: bool,
        drops: bool,
    ) -> Option<Vec<Query>> {
        let left: Vec<Query> = nodes.iter().filter_map(|node| self.rest(meaning, node, positive)).collect();
        let is_lost = left.is_empty() || (!drops && left.len() < nodes.len());
        (!is_lost).then_some(left)
    }

    fn in_stage(&self, stage: &StageNode) -> Writing {
        if self.at <= stage.name.start || stage.name.contains(&self.at) {
            let from = stage.name.start.min(self.at);
            return self.writes(from..self.whole.name_rest(self.at), from, Wanted::Stage);
        }
        match &stage.body {
            Body::Filter(filter) => self.in_filter(filter, self.columns(stage)),
            Body::Words => self.in_words(stage),
        }
    }

    fn in_words(&self, stage: &StageNode) -> Writing {
        let is_word = |token: &&Token| {
            use TokenKind::{Field, Function, Keyword, Number, Word};
            matches!(token.kind, Field | Function | Keyword | Number | Word)
        };
        let token = self.token().filter(is_word);
        let kind = stage.kind.map_or("", |kind| kind.name());
        let arguments = Arguments { name: kind, words: self.words_before(stage, self.start(token)) };
        match (token, arguments.wanted(self.columns(stage))) {
            (None, _) | (_, Wanted::Nothing) => self.nothing(),
            (Some(token), wanted) => {
                let from = token.range.start;
                self.writes(from..self.whole.name_rest(self.at), from, wanted)
            }
        }
    }

    /// The tokens between the name of a stage and a place, white space and commas aside.
    fn words_before(&self, stage: &StageNode, end: usize) -> Vec<String> {
        let is_before = |token: &&Token| stage.name.end <= token.range.start && token.range.end <= end;
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

impl<'t> Place<'t> {
    /// The same within a clause, which may follow another.
    fn joined(self, joins: bool) -> Place<'t> {
        match self {
            Place::Text { .. } => Place::Text { joins },
            other => other,
        }
    }

    fn of_leaf(self, leaf: &Leaf) -> Place<'t> {
        let begins = |text: &str| text.starts_with(['/', '[', '{', '*', '?']);
        let is_known = match leaf {
            Leaf::Operand { operand, .. } if operand.distance.is_some() => false,
            Leaf::Operand { operand, .. } => operand.quoted || !begins(&operand.text),
            Leaf::Bound { .. } => true,
            Leaf::Regex { .. } | Leaf::Range { .. } => false,
        };
        match self {
            Place::Value { comparison, in_list, .. } => {
                Place::Value { comparison, in_list, is_plain: is_known }
            }
            other => other,
        }
    }
}

/// Whether something may become the name of a field.
fn is_bare(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Wildcard | TokenKind::Number)
}

/// Fields whose values may be lists without parentheses.
fn is_listed(name: &Name) -> bool {
    use Field::{Flag, Logspace, Source};
    matches!(name, Name::Field(FieldName::Known(Flag | Logspace | Source)))
}

fn wanted_value(Comparison { subject, .. }: &Comparison, quoted: bool) -> Wanted {
    use Operator::{Greater, GreaterOrEqual, Less, LessOrEqual, Matches, NotMatches};
    if matches!(subject.operator, Matches | NotMatches) {
        return Wanted::Nothing;
    }
    let field = match &subject.name {
        Name::Field(field) => field.clone(),
        Name::Exists => return Wanted::Name,
        Name::SeverityNumber => return Wanted::Nothing,
        Name::Earliest | Name::Latest => FieldName::Known(Field::Time),
    };
    let ordered = matches!(subject.operator, Less | LessOrEqual | Greater | GreaterOrEqual);
    Wanted::Value { field, quoted, ordered }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse;
    use proptest::prelude::*;

    /// `text` has a `|` where something is written... shown as `‸`. The answer: what is replaced, what is wanted, and
    /// the rest.
    fn check(text: &str, replaced: &str, wanted: &str, rest: &str) {
        let at = text.chars().position(|c| c == '‸').unwrap();
        let text = text.replacen('‸', "", 1);
        let found = writing(&text, at);
        let chars: Vec<char> = text.chars().collect();
        let shown: String = chars[found.span.clone()].iter().collect();
        assert_eq!(shown, replaced, "replaced in {text} at {at}: {found:?}");
        assert_eq!(show(&found.wanted), wanted, "{text} at {at}: {found:?}");
        assert_eq!(found.rest, parse(rest).unwrap(), "{text} at {at}: {}", found.rest);
    }

    fn show(wanted: &Wanted) -> String {
        let columns = |columns: &Option<Vec<String>>| {
            columns.as_ref().map_or(String::new(), |c| format!(" of {}", c.join(",")))
        };
        match wanted {
            Wanted::Clause { columns: made, has_operator, joins } => {
                let (operator, joins) =
                    (if *has_operator { " op" } else { "" }, if *joins { " joins" } else { "" });
                format!("clause{}{operator}{joins}", columns(made))
            }
            Wanted::Name => "name".to_owned(),
            Wanted::Value { field, quoted, ordered } => {
                let (quoted, ordered) =
                    (if *quoted { " quoted" } else { "" }, if *ordered { " ordered" } else { "" });
                format!("value {field}{quoted}{ordered}")
            }
            Wanted::Stage => "stage".to_owned(),
            Wanted::Argument { columns: made, names, functions, words } => {
                let mut parts = Vec::new();
                parts.extend(names.then_some("names"));
                parts.extend(functions.then_some("functions"));
                parts.extend(words.iter());
                format!("{}{}", parts.join(" "), columns(made))
            }
            Wanted::Computed { columns: made } => format!("computed{}", columns(made)),
            Wanted::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn a_word_may_become_a_clause() {
        check("‸", "", "clause", "");
        check("ho‸", "ho", "clause", "");
        check("error ho‸", "ho", "clause joins", "error");
        check("error -ho‸ x", "ho", "clause", "error x");
        check("error NOT ‸", "", "clause", "error");
        check("error OR ho‸", "ho", "clause", "");
        check("ho‸st:fw x", "host", "clause op", "x");
        check("host:fw ‸", "", "clause joins", "host:fw");
        check("(a ho‸) b", "ho", "clause joins", "a b");
        check("(a ho‸", "ho", "clause joins", "a");
        check("é OR ‸", "", "clause", "");
        check("a OR‸", "OR", "clause joins", "a");
        check("cs:ho‸", "ho", "clause", "");
    }

    #[test]
    fn a_value_follows_a_field_and_its_operator() {
        check("host:fw‸", "fw", "value host", "");
        check("host:‸", "", "value host", "");
        check("hostname=‸", "", "value host", "");
        check("error host:f‸w -x", "fw", "value host", "error -x");
        check("-user:‸ error", "", "value user", "error");
        check("user!=a‸", "a", "value user", "");
        check("severity>=w‸", "w", "value severity ordered", "");
        check("severity >= ‸", "", "value severity ordered", "");
        check("bytes>‸", "", "value bytes ordered", "");
        check("error OR user:a‸", "a", "value user", "");
        check("x (error OR user:a‸)", "a", "value user", "x");
        check("x NOT (error OR user:a‸)", "a", "value user", "x NOT error");
        check("x NOT (error user:a‸)", "a", "value user", "x");
        check("\"x y\":a‸ b", "a", "value x y", "b");
        check("_exists_:us‸", "us", "name", "");
        check("earliest=‸", "", "value time", "");
        check("host: ‸", "", "clause joins", "host:");
        check("logspace:a,b‸", "b", "value logspace", "");
    }

    #[test]
    fn a_value_may_stand_in_quotes_or_among_others() {
        check("user:\"an‸", "\"an", "value user quoted", "");
        check("user:\"an‸\" x", "\"an\"", "value user quoted", "x");
        check("user:\"an b‸a\" x", "\"an ba\"", "value user quoted", "x");
        check("user:\"an‸ host:\"x\"", "\"an", "value user quoted", "host:x");
        check("host:(a OR b‸) x", "b", "value host", "x");
        check("host:(a OR ‸", "", "value host", "");
        check("host in (a, b‸, c) x", "b", "value host", "x");
        check("-host in (‸) x", "", "value host", "x");
        check("x host:(a OR b) y‸", "y", "clause joins", "x host:(a OR b)");
    }

    #[test]
    fn about_texts_expressions_and_ranges_nothing_is_known() {
        check("a \"some te‸", "", "nothing", "a");
        check("a /some te‸", "te", "clause joins", "a /some");
        check("host:/fw.‸ x", "", "nothing", "x");
        check("x host:\"a ‸b\"~3 y", "", "nothing", "x y");
        check("x \"a ‸b\"~3 y", "", "nothing", "x y");
        check("\"a b\"~3 ho‸", "ho", "clause joins", "\"a b\"~3");
        check("time:[now-1h TO n‸", "", "nothing", "");
        check("user=~x‸", "user=~x", "clause", "");
    }

    #[test]
    fn a_stage_follows_a_pipe() {
        check("error | ‸", "", "stage", "error");
        check("error | st‸", "st", "stage", "error");
        check("error |st‸ats count()", "stats", "stage", "error");
        check("a | top 5 host | so‸", "so", "stage", "a");
        check("a (b | so‸", "so", "clause joins", "a b");
    }

    #[test]
    fn stages_have_fields_functions_and_words() {
        check("a | stats ‸", "", "functions", "a");
        check("a | stats av‸g(bytes)", "avg", "functions", "a");
        check("a | stats avg(by‸", "by", "names", "a");
        check("a | stats avg(bytes) ‸", "", "functions by as", "a");
        check("a | stats avg(bytes) as ‸", "", "nothing", "a");
        check("a | stats count() by ho‸, x", "ho", "names", "a");
        check("a | timechart span=5m c‸", "c", "functions by as span=", "a");
        check("a | top 5 ‸", "", "names by", "a");
        check("a | top 5 host by pr‸", "pr", "names", "a");
        check("a | fields time, ‸", "", "names", "a");
        check("a | sort -co‸", "co", "names", "a");
        check("a | gap ho‸", "ho", "names", "a");
        check("a | gap host > ‸", "", "nothing", "a");
        check("a | parse ‸", "", "json kv regex csv cef leef", "a");
        check("a | parse json fr‸", "fr", "from", "a");
        check("a | parse json from pay‸", "pay", "names", "a");
        check("a | extract \"x <u‸", "", "nothing", "a");
        check("a | extract \"a | <u>\" from ‸", "", "names", "a");
        check("a | eval ‸", "", "nothing", "a");
        check("a | eval x = up‸", "up", "computed", "a");
        check("a | eval x = if(st‸, 1, 2)", "st", "computed", "a");
        check("a | limit ‸", "", "nothing", "a");
        check("a | nonsense ‸", "", "nothing", "a");
    }

    #[test]
    fn stages_see_the_columns_of_those_before() {
        check("a | stats count(), avg(x) by host | sort ‸", "", "names of host,count,avg(x)", "a");
        check("a | top 5 user by host | where co‸", "co", "clause of host,user,count", "a");
        check("a | gap host > 1h | sort ‸", "", "names of host,from,to,seconds", "a");
        check("a | top 5 user | where user:x‸", "", "nothing", "a");
        check("a | where host:f‸", "f", "value host", "a");
        check("a | where host:f | fields host, user | dedup ‸", "", "names of host,user", "a");
    }

    #[test]
    fn what_is_inserted_reads_back() {
        for (value, written) in
            [("web-1", "web-1"), ("a b", "\"a b\""), ("10.0.0.1:5", "\"10.0.0.1:5\""), ("*", "\"\\*\"")]
        {
            assert_eq!(written_value(value), written);
        }
        assert_eq!(
            (written_name("hostname"), written_name("x y")),
            ("host".to_owned(), "\"x y\"".to_owned())
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn any_text_has_an_answer_at_any_place(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "host", ":", "=", "\"", "(", ")", "[", "]", "{", " ", " | ", "|", "stats ", "count(", "by ", "/", "*", "é",
                "OR ", "not ", "-", "!", ">", "~", ",", "in (", "\\", "where ", "TO ", "a", "cs:", "_exists_:", "logspace:",
                "extract ", "top ", "||", "?",
            ]), 0..12),
            at in 0..60_usize,
        ) {
            let text = pieces.concat();
            let chars = text.chars().count();
            let found = writing(&text, at);
            prop_assert!(found.span.start <= at.min(chars) && at.min(chars) <= found.span.end, "{found:?}");
            prop_assert!(found.span.end <= chars, "{found:?}");
        }
    }
}
