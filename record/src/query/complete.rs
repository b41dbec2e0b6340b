//! What is being written at a place in a query that need not be right yet, and what the rest of it means.
//!
//! The text before the place is read word by word, with the grammar's own ideas of what a word, a quoted text and a
//! comparison are; what is not closed yet is taken to go on to the place.
//!
//! **Invariant:** any text has an answer at any place, and what it says to replace lies around that place.

use super::ast::{FieldName, Query};
use super::lex::Cursor;
use super::parse::Parser;
use super::print::{Named, Quoted, Value};
use super::stage::{KINDS, Stage, kind_of, names_function, parse_pipeline};
use super::subject::{Name, Operator, Subject, subject_here};
use super::{Pattern, QUERY_BYTES_MAX};
use crate::field::Field;
use std::ops::Range;

/// What is being written. Places are in characters.
#[derive(Clone, PartialEq, Debug)]
pub struct Writing {
    /// What is replaced by what is chosen.
    pub span: Range<usize>,
    /// What stands there before the place, without quotes.
    pub typed: String,
    /// What may stand there.
    pub wanted: Wanted,
    /// The filter without the clause that is being written.
    pub rest: Query,
}

/// What may stand at a place.
#[derive(Clone, PartialEq, Debug)]
pub enum Wanted {
    /// A clause of a filter: the name of a field and an operator, or a text.
    Clause {
        /// The columns that there are, where stages before it made a table.
        columns: Option<Vec<String>>,
        /// Whether an operator follows already.
        has_operator: bool,
        /// Whether a clause stands before it that `AND` or `OR` would join it with.
        joins: bool,
    },
    /// The name of a field as a value, as after `_exists_:`.
    Name,
    /// A value that a field of the store is compared with.
    Value {
        /// Which field.
        field: FieldName,
        /// Whether it stands in quotes.
        quoted: bool,
        /// Whether it is compared by size.
        ordered: bool,
    },
    /// A stage.
    Stage,
    /// A part of a stage.
    Argument {
        /// The columns that there are, where stages before it made a table.
        columns: Option<Vec<String>>,
        /// Whether the name of a field or column may stand here.
        names: bool,
        /// Whether a function may.
        functions: bool,
        /// Words that may.
        words: &'static [&'static str],
    },
    /// Nothing that could be known.
    Nothing,
}

/// A clause that stands where another is being written; in quotes, so that it is a text wherever one may stand.
const HOLE: &str = "\u{F8FF}\u{F8FE}\u{F8FF}";

/// The stages by their first names, each with an example.
pub fn stages() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS.iter().map(|kind| (kind.names[0], kind.example))
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

/// What is being written before the character `at` of a text.
pub fn writing(text: &str, at: usize) -> Writing {
    let whole = Cursor::new(text);
    let at = at.min(whole.len());
    let nothing =
        || Writing { span: at..at, typed: String::new(), wanted: Wanted::Nothing, rest: Query::All };
    if QUERY_BYTES_MAX < text.len() {
        return nothing();
    }
    let head = whole.text(0..at);
    let mut scan = Scan::new(&head, 0);
    match scan.run() {
        Found::Here(here) => here.writing(&whole, at, Rest::Around),
        Found::Stage(pipe) => in_stages(&whole, &head, pipe),
    }
}

/// Where the scan of a filter ended.
enum Found {
    Here(Here),
    /// At the `|` of the first stage.
    Stage(usize),
}

/// What was found at the end of the text that was scanned.
struct Here {
    /// Where the clause begins, with what negates it.
    clause: usize,
    /// Where its group ends decides where it ends: the opening parenthesis of `field:(`.
    group: Option<usize>,
    /// Where what is typed begins, after an opening quote.
    from: usize,
    wanted: Wanted,
    stops: &'static [char],
}

/// Which clause is left out of the rest.
#[derive(Clone, Copy)]
enum Rest {
    /// The one that is written.
    Around,
    /// None: it is in a stage. The filter ends here.
    Before(usize),
}

/// A parenthesis that is open.
#[derive(Clone)]
struct Group {
    /// The field whose values stand in it, and where its comparison begins.
    values: Option<(Name, usize)>,
    open: usize,
    /// What ends a value in a list of values: a comma, and what closes the list. Nothing where it is no list.
    stops: &'static [char],
}

/// Reads a filter up to the end of a text.
struct Scan {
    cursor: Cursor,
    /// The same text as if one more character followed.
    more: Cursor,
    groups: Vec<Group>,
    /// Where what negates the next clause begins.
    negation: Option<usize>,
    joins: bool,
}

impl Scan {
    fn new(head: &str, from: usize) -> Scan {
        let mut cursor = Cursor::new(head);
        cursor.at = from;
        let more = Cursor::new(&format!("{head}1"));
        Scan { cursor, more, groups: Vec::new(), negation: None, joins: false }
    }

    fn run(&mut self) -> Found {
        loop {
            self.cursor.skip_space();
            let at = self.cursor.at;
            let is_or = self.cursor.keyword(at, "||").is_some();
            match self.cursor.peek(0) {
                None => return Found::Here(self.empty()),
                Some('|') if self.groups.is_empty() && !is_or => return Found::Stage(at),
                Some('(') if !self.in_list() => {
                    let values = self.groups.last().and_then(|group| group.values.clone());
                    self.open(Group { values, open: at, stops: &[] });
                }
                Some(')' | ']') if self.closes() => self.close(),
                Some(',') if self.in_list() => self.cursor.at += 1,
                _ => match self.word() {
                    Some(here) => return Found::Here(here),
                    None => assert!(at < self.cursor.at, "every step goes on"),
                },
            }
        }
    }

    fn open(&mut self, group: Group) {
        self.cursor.at = group.open + 1;
        self.groups.push(group);
        (self.negation, self.joins) = (None, false);
    }

    fn closes(&self) -> bool {
        let stops = self.stops();
        self.cursor
            .peek(0)
            .is_some_and(|c| if stops.is_empty() { c == ')' } else { c != ',' && stops.contains(&c) })
    }

    fn close(&mut self) {
        self.groups.pop();
        self.cursor.at += 1;
        (self.negation, self.joins) = (None, true);
    }

    fn in_list(&self) -> bool {
        !self.stops().is_empty()
    }

    fn stops(&self) -> &'static [char] {
        self.groups.last().map_or(&[], |group| group.stops)
    }

    /// One word, comparison, operator or sign; the answer where it goes on to the end.
    fn word(&mut self) -> Option<Here> {
        let at = self.cursor.at;
        if !self.in_list() && self.sign_or_keyword() {
            return None;
        }
        let here = match self.groups.last().and_then(|group| group.values.clone()) {
            Some((name, clause)) => self.value(&name, clause, at, false),
            None => match self.subject(at) {
                Some(subject) => self.comparison(&subject, at),
                None => self.text(at),
            },
        };
        (self.negation, self.joins) = (None, true);
        here
    }

    /// Takes `AND`, `OR`, `NOT`, `-` and `!`, where something stands between them and the end.
    fn sign_or_keyword(&mut self) -> bool {
        let at = self.cursor.at;
        let joining = ["AND", "OR", "&&", "||"].into_iter().find_map(|word| self.cursor.keyword(at, word));
        let sign = matches!(self.cursor.peek(0), Some('-' | '!')) && self.cursor.peek(1) != Some('=');
        let not = if sign { Some(at + 1) } else { self.cursor.keyword(at, "NOT") };
        match (joining, not) {
            (Some(end), _) if end < self.cursor.len() => {
                self.cursor.at = end;
                (self.negation, self.joins) = (None, false);
                true
            }
            (_, Some(end)) if sign || end < self.cursor.len() => {
                self.cursor.at = end;
                self.negation.get_or_insert(at);
                self.joins = false;
                true
            }
            _ => false,
        }
    }

    /// The comparison at `at`, of which nothing but the value may be missing.
    fn subject(&mut self, at: usize) -> Option<Subject> {
        self.cursor.at = at;
        subject_here(&mut self.cursor).or_else(|| {
            self.more.at = at;
            subject_here(&mut self.more)
        })
    }

    fn comparison(&mut self, subject: &Subject, at: usize) -> Option<Here> {
        let clause = self.negation.unwrap_or(at);
        self.cursor.at = subject.value_at.min(self.cursor.len());
        let stops: Option<&'static [char]> = match (subject.operator, self.cursor.peek(0)) {
            (Operator::In, Some('(')) => Some(&[',', ')']),
            (Operator::In, Some('[')) => Some(&[',', ']']),
            (_, Some('(')) => Some(&[]),
            _ => None,
        };
        if let Some(stops) = stops {
            let values = Some((subject.name.clone(), clause));
            self.open(Group { values, open: self.cursor.at, stops });
            return None;
        }
        if matches!(subject.operator, Operator::Matches | Operator::NotMatches) {
            return self.unknown(clause);
        }
        let ordered = matches!(
            subject.operator,
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual
        );
        self.value(&subject.name, clause, self.cursor.at, ordered)
    }

    /// A value, which is the answer where it goes on to the end.
    fn value(&mut self, name: &Name, clause: usize, at: usize, ordered: bool) -> Option<Here> {
        let stops = self.stops();
        let group = self.groups.iter().find(|group| group.values.is_some()).map(|group| group.open);
        self.cursor.at = at;
        match self.cursor.peek(0) {
            Some('"') => {
                let quoted = self.cursor.quoted();
                if quoted.is_ok() && !self.cursor.is_at_end() {
                    // What follows a closing quote directly belongs to it, whatever it is.
                    self.cursor.at = self.cursor.word_end(self.cursor.at, stops);
                    return None;
                }
                self.cursor.at = self.cursor.len();
                Some(Here { clause, group, from: at + 1, wanted: wanted_value(name, true, ordered), stops })
            }
            Some('/' | '[' | '{' | '*' | '?') => self.unknown(clause),
            _ => {
                let end = self.cursor.word_end(at, stops);
                self.cursor.at = end;
                if end < self.cursor.len() {
                    return None;
                }
                let from = if is_listed(name) { self.after_comma(at..end) } else { at };
                Some(Here { clause, group, from, wanted: wanted_value(name, false, ordered), stops })
            }
        }
    }

    /// Values of some fields may be lists without parentheses: `flag:a,b`.
    fn after_comma(&self, range: Range<usize>) -> usize {
        let comma = range.clone().rev().find(|&at| self.cursor.char_at(at) == Some(','));
        comma.map_or(range.start, |comma| comma + 1)
    }

    /// A word that compares nothing, or the beginning of one that will.
    fn text(&mut self, at: usize) -> Option<Here> {
        let clause = self.negation.unwrap_or(at);
        self.cursor.at = at;
        let is_quoted = self.cursor.is_quoted(at);
        if is_quoted || self.cursor.regex(at, &[]).is_some() {
            return self.unknown(clause);
        }
        let end = self.cursor.word_end(at, &[]).max(at + 1);
        self.cursor.at = end;
        if end < self.cursor.len() {
            return None;
        }
        let from = if self.cursor.starts_with(at, "cs:") { at + 3 } else { at };
        let wanted = Wanted::Clause { columns: None, has_operator: false, joins: self.joins };
        Some(Here { clause, group: None, from, wanted, stops: &[] })
    }

    /// Quoted texts, expressions and ranges: about what is in them nothing is known.
    fn unknown(&mut self, clause: usize) -> Option<Here> {
        let at = self.cursor.at;
        let end = match self.cursor.peek(0) {
            Some('/') => self.cursor.regex(at, &[]).map(|(_, _, end)| end),
            Some(open @ ('[' | '{')) => self.bracket_end(at, open),
            _ if self.cursor.is_quoted(at) => match self.cursor.quoted() {
                Ok(_) => Some(self.cursor.word_end(self.cursor.at, &[])),
                Err(_) => Some(self.cursor.len()),
            },
            _ => None,
        };
        self.cursor.at = end.unwrap_or_else(|| self.cursor.word_end(at, &[])).max(at).min(self.cursor.len());
        let from = self.cursor.len();
        self.cursor.is_at_end().then_some(Here {
            clause,
            group: None,
            from,
            wanted: Wanted::Nothing,
            stops: &[],
        })
    }

    /// `[a TO b]`: up to the bracket that closes it, or the end.
    fn bracket_end(&self, at: usize, open: char) -> Option<usize> {
        let word_end = self.cursor.word_end(at, &[]);
        let has_to = (at..self.cursor.len()).any(|at| self.cursor.keyword(at, "TO").is_some());
        if !has_to && word_end < self.cursor.len() && open == '[' && self.cursor.char_at(at + 1) != Some(' ')
        {
            let rest = self.cursor.text(word_end..self.cursor.len());
            // `[now T`: the word that makes it a range is being written.
            return (!"TO ".starts_with(rest.trim_start())).then_some(word_end);
        }
        let closing = |at: &usize| matches!(self.cursor.char_at(*at), Some(']' | '}'));
        Some((at..self.cursor.len()).find(closing).map_or(self.cursor.len(), |close| close + 1))
    }

    /// Nothing is typed yet.
    fn empty(&self) -> Here {
        let from = self.cursor.len();
        let clause = self.negation.unwrap_or(from);
        let group = self.groups.iter().find(|group| group.values.is_some());
        let inner = self.groups.last().and_then(|group| group.values.as_ref());
        let wanted = match inner {
            Some((name, _)) => wanted_value(name, false, false),
            None => Wanted::Clause { columns: None, has_operator: false, joins: self.joins },
        };
        let stops = self.stops();
        let clause = inner.map_or(clause, |(_, clause)| *clause);
        Here { clause, group: group.map(|group| group.open), from, wanted, stops }
    }
}

/// Fields whose values may be lists without parentheses.
fn is_listed(name: &Name) -> bool {
    use Field::{Flag, Logspace, Source};
    matches!(name, Name::Field(FieldName::Known(Flag | Logspace | Source)))
}

fn wanted_value(name: &Name, quoted: bool, ordered: bool) -> Wanted {
    let known = |field| FieldName::Known(field);
    let field = match name {
        Name::Field(field) => field.clone(),
        Name::Exists => return Wanted::Name,
        Name::SeverityNumber => return Wanted::Nothing,
        Name::Earliest | Name::Latest => known(Field::Time),
    };
    Wanted::Value { field, quoted, ordered }
}

impl Here {
    fn writing(mut self, whole: &Cursor, at: usize, rest: Rest) -> Writing {
        if self.wanted == Wanted::Nothing {
            self.from = at;
        }
        let typed = whole.text(self.from.min(at)..at);
        let to = self.end(whole, at);
        if let Wanted::Clause { has_operator, .. } = &mut self.wanted {
            *has_operator = whole.char_at(to).is_some_and(|c| ":=<>!~".contains(c));
        }
        let is_quoted = matches!(self.wanted, Wanted::Value { quoted: true, .. });
        let from = self.from.min(at) - usize::from(is_quoted);
        let rest = match rest {
            Rest::Around => self.rest(whole, to),
            Rest::Before(pipe) => filter(&whole.text(0..pipe)).unwrap_or(Query::All),
        };
        Writing { span: from..to, typed, wanted: self.wanted, rest }
    }

    /// Where what is replaced ends.
    fn end(&self, whole: &Cursor, at: usize) -> usize {
        match &self.wanted {
            Wanted::Clause { .. } => whole.name_rest(at),
            Wanted::Value { quoted: true, .. } => {
                // A quote further on belongs to another text.
                let end = (at..whole.len())
                    .find(|&at| whole.char_at(at).is_none_or(|c| c == '"' || c.is_whitespace()));
                end.filter(|&end| whole.char_at(end) == Some('"')).map_or(at, |end| end + 1)
            }
            Wanted::Value { .. } | Wanted::Name => {
                whole.word_end(at, if self.stops.is_empty() { &[','] } else { self.stops })
            }
            _ => at,
        }
    }

    /// The filter without this clause. What is not right is left out, at worst all of it.
    fn rest(&self, whole: &Cursor, to: usize) -> Query {
        let end = self.clause_end(whole, to);
        let before = whole.text(0..self.clause.min(to));
        let after = whole.text(end..whole.len());
        let hole = Quoted(HOLE).to_string();
        let open = before.chars().filter(|&c| c == '(').count();
        let texts = [
            format!("{before}{hole} {after}"),
            format!("{before}{hole}"),
            format!("{before}{hole}{}", ")".repeat(open.min(super::NESTING_MAX))),
        ];
        let rest = texts.iter().find_map(|text| filter(text));
        rest.and_then(|query| without_hole(query, true)).unwrap_or(Query::All)
    }

    fn clause_end(&self, whole: &Cursor, to: usize) -> usize {
        if let Some(open) = self.group {
            let mut depth = 0_usize;
            let close = (open..whole.len()).find(|&at| {
                match whole.char_at(at) {
                    Some('(' | '[') => depth += 1,
                    Some(')' | ']') => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            });
            return close.map_or(whole.len(), |close| close + 1);
        }
        match &self.wanted {
            Wanted::Clause { has_operator: true, .. } => {
                let start =
                    (to..whole.len()).find(|&at| whole.char_at(at).is_none_or(|c| !":=<>!~".contains(c)));
                start.map_or(whole.len(), |start| whole.operand_end(start))
            }
            _ => whole.word_end(to, &[]),
        }
    }
}

impl Cursor {
    /// Where the name of a field ends that goes on at `at`.
    fn name_rest(&self, at: usize) -> usize {
        let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '.' | '-');
        (at..self.len()).find(|&at| !self.char_at(at).is_some_and(is_inner)).unwrap_or(self.len())
    }

    /// Where a quoted text or a word ends.
    fn operand_end(&self, at: usize) -> usize {
        let is_quoted = self.char_at(at) == Some('"');
        let close = (at + 1..self.len()).find(|&at| self.char_at(at) == Some('"'));
        match close.filter(|_| is_quoted) {
            Some(close) => close + 1,
            None => self.word_end(at, &[]),
        }
    }
}

/// A filter that is right, perhaps with stages behind it.
fn filter(text: &str) -> Option<Query> {
    Parser::of_pipeline(text).ok()?.filter().ok()
}

/// A query without the clause that is being written: `None` where nothing is left of it. In a disjunction that clause
/// could be anything, so the disjunction limits nothing; below a negation it is the other way round.
fn without_hole(query: Query, positive: bool) -> Option<Query> {
    let limits_all = |queries: Vec<Query>, drops: bool, join: fn(Vec<Query>) -> Query| {
        let count = queries.len();
        let left: Vec<Query> =
            queries.into_iter().filter_map(|query| without_hole(query, positive)).collect();
        let is_lost = left.is_empty() || (!drops && left.len() < count);
        (!is_lost).then(|| join(left))
    };
    match query {
        Query::And(queries) => limits_all(queries, positive, Query::and),
        Query::Or(queries) => limits_all(queries, !positive, Query::or),
        Query::Not(inner) => without_hole(*inner, !positive).map(Query::negate),
        Query::All => Some(query),
        // It may also have become a part of a text that is not closed.
        leaf => (!leaf.to_string().contains(HOLE)).then_some(leaf),
    }
}

/// What is written in the last of the stages before the place, of which the first begins at `pipe`.
fn in_stages(whole: &Cursor, head: &str, pipe: usize) -> Writing {
    let text = Cursor::new(head);
    let last = last_pipe(&text, pipe);
    let at = text.len();
    let rest = Rest::Before(pipe);
    let name_at = text.space_end(last + 1);
    let name_end = text.identifier_end(name_at);
    let here = |from: usize, wanted| Here { clause: at, group: None, from, wanted, stops: &[] };
    if name_end == at {
        let mut writing = here(name_at, Wanted::Stage).writing(whole, at, rest);
        writing.span.end = whole.name_rest(at);
        return writing;
    }
    let name = text.text(name_at..name_end).to_ascii_lowercase();
    let columns = parse_pipeline(&text.text(0..last)).ok().and_then(|pipeline| columns(&pipeline.stages));
    let name = kind_of(&name).map_or("", |kind| kind.names[0]);
    if name == "where" {
        return match Scan::new(head, name_end).run() {
            Found::Here(here) => here.of_columns(columns).writing(whole, at, rest),
            Found::Stage(_) => here(at, Wanted::Nothing).writing(whole, at, rest),
        };
    }
    let from = (name_end..at).rev().take_while(|&at| text.name_rest(at) != at).last().unwrap_or(at);
    let from = (from..at).find(|&start| text.identifier_end(start) != start).unwrap_or(at);
    let arguments = Arguments { text: text.text(name_end..from), name };
    let mut writing = here(from, arguments.wanted(columns)).writing(whole, at, rest);
    if writing.wanted != Wanted::Nothing {
        writing.span.end = whole.name_rest(at);
    }
    writing
}

impl Here {
    /// In a stage that sees a table the fields are its columns, of whose values nothing is known.
    fn of_columns(mut self, made: Option<Vec<String>>) -> Here {
        match &mut self.wanted {
            Wanted::Clause { columns, .. } => *columns = made,
            Wanted::Value { .. } | Wanted::Name if made.is_some() => self.wanted = Wanted::Nothing,
            _ => {}
        }
        self
    }
}

/// The `|` before the last stage, looked for from the first one on.
fn last_pipe(text: &Cursor, first: usize) -> usize {
    let (mut last, mut at, mut quote) = (first, first + 1, None);
    while let Some(c) = text.char_at(at) {
        let is_first =
            text.char_at(at - 1).is_none_or(|before| before.is_whitespace() || "(|".contains(before));
        match (quote, c) {
            (Some(_), '\\') => at += 1,
            (Some(open), c) if open == c => quote = None,
            (None, '"') => quote = Some('"'),
            (None, '/') if is_first && text.regex(at, &['|']).is_some() => quote = Some('/'),
            (None, '|') if text.keyword(at, "||").is_some() => at += 1,
            (None, '|') => last = at,
            _ => {}
        }
        at += 1;
    }
    last
}

/// What stands between the name of a stage and what is being written.
struct Arguments {
    text: String,
    name: &'static str,
}

impl Arguments {
    fn wanted(&self, columns: Option<Vec<String>>) -> Wanted {
        let argument = |names, functions, words| Wanted::Argument { columns, names, functions, words };
        if self.text.matches('"').count() % 2 == 1 {
            return Wanted::Nothing;
        }
        let words: Vec<&str> = self.words().collect();
        let (last, has_by) = (words.last().copied().unwrap_or_default(), words.contains(&"by"));
        let is_empty = self.text.trim().trim_end_matches(['-', '+']).is_empty();
        match self.name {
            "stats" | "timechart" if self.is_in_call() || has_by => argument(true, false, &[]),
            "stats" | "timechart" if last == "as" => Wanted::Nothing,
            "stats" if is_empty => argument(false, true, &[]),
            "stats" => argument(false, true, &["by", "as"]),
            "timechart" if is_empty => argument(false, true, &["span="]),
            "timechart" => argument(false, true, &["by", "as", "span="]),
            "top" | "rare" if is_empty || has_by => argument(true, false, &[]),
            "top" | "rare" => argument(true, false, &["by"]),
            "sort" if is_empty => argument(true, false, &[]),
            "sort" => argument(true, false, &["asc", "desc"]),
            "fields" | "uniq" | "dedup" => argument(true, false, &[]),
            "parse" if is_empty => argument(false, false, &["json", "kv", "regex"]),
            "extract" | "parse" if last == "from" => argument(true, false, &[]),
            "extract" | "parse" if !is_empty => argument(false, false, &["from"]),
            _ => Wanted::Nothing,
        }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        let is_separator = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')');
        self.text.split(is_separator).filter(|word| !word.is_empty())
    }

    /// Whether the parenthesis of a function is open.
    fn is_in_call(&self) -> bool {
        let (opened, closed) = (self.text.matches('(').count(), self.text.matches(')').count());
        let before = self.text.rsplit_once('(').map_or("", |(before, _)| before);
        let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        closed < opened && names_function(name)
    }
}

/// The columns after some stages; `None` while there are messages with all their fields.
fn columns(stages: &[Stage]) -> Option<Vec<String>> {
    let names =
        |fields: &[FieldName]| fields.iter().map(|field| field.as_str().to_owned()).collect::<Vec<_>>();
    let mut columns = None;
    for stage in stages {
        let one = |name: &str| vec![name.to_owned()];
        columns = match stage {
            Stage::Stats { functions, by } => {
                Some([names(by), functions.iter().map(super::Aggregate::column).collect()].concat())
            }
            Stage::Timechart { functions, by, .. } => {
                let functions = functions.iter().map(super::Aggregate::column).collect();
                Some([one("time"), names(by.as_slice()), functions].concat())
            }
            Stage::Top(ranking) | Stage::Rare(ranking) => {
                Some([names(&ranking.by), names(&ranking.fields), one("count")].concat())
            }
            Stage::Uniq(fields) | Stage::Fields(fields) => Some(names(fields)),
            Stage::Where(_)
            | Stage::Sort(_)
            | Stage::Limit(_)
            | Stage::Tail(_)
            | Stage::Dedup(_)
            | Stage::Extract { .. }
            | Stage::Parse { .. } => columns,
        };
    }
    columns
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
        check("time:[now-1h TO n‸", "", "nothing", "");
        check("user=~x‸", "user=~x", "clause", "");
    }

    #[test]
    fn a_stage_follows_a_pipe() {
        check("error | ‸", "", "stage", "error");
        check("error | st‸", "st", "stage", "error");
        check("error |st‸ats count()", "stats", "stage", "error");
        check("a | top 5 host | so‸", "so", "stage", "a");
        check("a (b | so‸", "so", "clause joins", "");
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
        check("a | parse ‸", "", "json kv regex", "a");
        check("a | parse json fr‸", "fr", "from", "a");
        check("a | parse json from pay‸", "pay", "names", "a");
        check("a | extract \"x <u‸", "", "nothing", "a");
        check("a | extract \"a | <u>\" from ‸", "", "names", "a");
        check("a | limit ‸", "", "nothing", "a");
        check("a | nonsense ‸", "", "nothing", "a");
    }

    #[test]
    fn stages_see_the_columns_of_those_before() {
        check("a | stats count(), avg(x) by host | sort ‸", "", "names of host,count,avg(x)", "a");
        check("a | top 5 user by host | where co‸", "co", "clause of host,user,count", "a");
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
            prop_assert!(!found.rest.to_string().contains(HOLE), "{}", found.rest);
        }
    }
}
