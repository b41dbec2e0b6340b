//! The canonical text of a query: the one that a console echoes and a configuration stores.

use super::ast::{Codes, FieldTest, Near, Pattern, PatternPart, Query, TextTest, ValueRange};
use super::regex::Regex;
use super::syntax::subject::is_plain_name;
use super::time::TimeExpr;
use ipnet::IpNet;
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_record::{Facility, Severity};
use std::fmt::{self, Display, Formatter, Write};
use std::ops::Bound;

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Query::All => f.write_char('*'),
            Query::Copies => write!(f, "{}:{}", Query::COPIES.0, Query::COPIES.1),
            Query::And(queries) => write_joined(f, queries, " ", |f, query| match query {
                Query::Or(_) => write_group(f, query),
                _ => write!(f, "{query}"),
            }),
            Query::Or(queries) => match common_subject(queries) {
                Some((name, operator)) => {
                    write!(f, "{name}{operator}(", name = PrintedName(name))?;
                    write_joined(f, queries, " OR ", write_value_of)?;
                    f.write_char(')')
                }
                None => write_joined(f, queries, " OR ", |f, query| write!(f, "{query}")),
            },
            Query::Not(query) => {
                f.write_str("NOT ")?;
                match **query {
                    Query::And(_) | Query::Or(_) => write_group(f, query),
                    _ => write!(f, "{query}"),
                }
            }
            Query::Text(TextTest::Regex(regex)) => write!(f, "{regex}"),
            Query::Text(TextTest::Pattern(pattern)) => {
                let case = case_prefix(pattern.is_case_sensitive());
                write!(f, "{case}{value}", value = PrintedPattern(pattern))
            }
            Query::Text(TextTest::Near(near)) => {
                write!(f, "{case}{near}", case = case_prefix(near.is_case_sensitive()))
            }
            Query::Field(name, test) => write_field(f, name, test),
        }
    }
}

/// Writes a query in parentheses, unless it has its own.
fn write_group(f: &mut Formatter<'_>, query: &Query) -> fmt::Result {
    match query {
        Query::Or(queries) if common_subject(queries).is_some() => write!(f, "{query}"),
        _ => write!(f, "({query})"),
    }
}

fn write_joined(
    f: &mut Formatter<'_>,
    queries: &[Query],
    separator: &str,
    write: impl Fn(&mut Formatter<'_>, &Query) -> fmt::Result,
) -> fmt::Result {
    for (index, query) in queries.iter().enumerate() {
        if 0 < index {
            f.write_str(separator)?;
        }
        write(f, query)?;
    }
    Ok(())
}

/// The field and the operator shared by all of these, as in `action:(deny OR drop)`.
fn common_subject(queries: &[Query]) -> Option<(&FieldName, &'static str)> {
    let first = subject_of(queries.first()?)?;
    queries.iter().all(|query| subject_of(query) == Some(first)).then_some(first)
}

fn subject_of(query: &Query) -> Option<(&FieldName, &'static str)> {
    match query {
        Query::Field(name, FieldTest::Holds(TextTest::Pattern(p))) if !p.is_case_sensitive() => {
            Some((name, ":"))
        }
        Query::Field(name, FieldTest::Holds(TextTest::Near(near))) if !near.is_case_sensitive() => {
            Some((name, ":"))
        }
        Query::Field(name, FieldTest::Equals(p)) if !p.is_case_sensitive() => Some((name, "=")),
        _ => None,
    }
}

fn write_value_of(f: &mut Formatter<'_>, query: &Query) -> fmt::Result {
    match query {
        Query::Field(_, FieldTest::Holds(TextTest::Pattern(pattern)) | FieldTest::Equals(pattern)) => {
            write!(f, "{value}", value = PrintedPattern(pattern))
        }
        Query::Field(_, FieldTest::Holds(TextTest::Near(near))) => write!(f, "{near}"),
        _ => Ok(()),
    }
}

fn write_field(f: &mut Formatter<'_>, name: &FieldName, test: &FieldTest) -> fmt::Result {
    let field = PrintedName(name);
    match test {
        FieldTest::Exists => write!(f, "{field}:*"),
        FieldTest::Holds(TextTest::Regex(regex)) => write!(f, "{field}:{regex}"),
        FieldTest::Holds(TextTest::Near(near)) => {
            write!(f, "{case}{field}:{near}", case = case_prefix(near.is_case_sensitive()))
        }
        // Without quotes it would make copies count.
        FieldTest::Holds(TextTest::Pattern(pattern)) if is_like_copies(name, pattern) => {
            write!(f, "{field}:{value}", value = Quoted(pattern.as_literal().unwrap_or_default()))
        }
        FieldTest::Holds(TextTest::Pattern(pattern)) => write_comparison(f, name, ":", pattern),
        FieldTest::Equals(pattern) => write_comparison(f, name, "=", pattern),
        // A short name of hexadecimal digits would run together with an IPv6 address.
        FieldTest::Network(network @ IpNet::V6(_)) => match name {
            FieldName::Dynamic(name) => write!(f, "{name}:{network}", name = Quoted(name)),
            FieldName::Known(_) => write!(f, "{field}:{network}"),
        },
        FieldTest::Network(network) => write!(f, "{field}:{network}"),
        FieldTest::Number(bounds) => write_bounds(f, name, bounds),
        FieldTest::Time(bounds) => write_bounds(f, name, &exactly(bounds)),
        FieldTest::Code(codes) => write_codes(f, name, *codes),
        FieldTest::Flag(flag) => write!(f, "{field}={name}", name = flag.names().next().unwrap_or_default()),
    }
}

fn write_comparison(
    f: &mut Formatter<'_>,
    name: &FieldName,
    operator: &str,
    pattern: &Pattern,
) -> fmt::Result {
    let (case, name, value) =
        (case_prefix(pattern.is_case_sensitive()), PrintedName(name), PrintedPattern(pattern));
    write!(f, "{case}{name}{operator}{value}")
}

fn is_like_copies(name: &FieldName, pattern: &Pattern) -> bool {
    let (copies, all) = Query::COPIES;
    name.as_str().eq_ignore_ascii_case(copies)
        && !pattern.is_case_sensitive()
        && pattern.as_literal().is_some_and(|text| text.eq_ignore_ascii_case(all))
}

fn case_prefix(case_sensitive: bool) -> &'static str {
    if case_sensitive { "cs:" } else { "" }
}

fn write_bounds<T: Display>(f: &mut Formatter<'_>, name: &FieldName, bounds: &ValueRange<T>) -> fmt::Result {
    use Bound::{Excluded, Included, Unbounded};
    let field = PrintedName(name);
    match (&bounds.low, &bounds.high) {
        (Unbounded, Unbounded) => write!(f, "{field}:*"),
        (Included(low), Unbounded) => write!(f, "{field}>={low}"),
        (Excluded(low), Unbounded) => write!(f, "{field}>{low}"),
        (Unbounded, Included(high)) => write!(f, "{field}<={high}"),
        (Unbounded, Excluded(high)) => write!(f, "{field}<{high}"),
        (Included(low), Included(high)) => write!(f, "{field}:[{low} TO {high}]"),
        (Included(low), Excluded(high)) => write!(f, "{field}:[{low} TO {high}}}"),
        (Excluded(low), Included(high)) => write!(f, "{field}:{{{low} TO {high}]"),
        (Excluded(low), Excluded(high)) => write!(f, "{field}:{{{low} TO {high}}}"),
    }
}

/// A time as the end of a range.
struct PrintedTime {
    time: TimeExpr,
    /// Whether it is an instant, and not all of a second or a day.
    is_instant: bool,
}

/// Instants at the ends of a range are written to the nanosecond, because a shorter form would mean all of a second
/// or a day.
fn exactly(bounds: &ValueRange<TimeExpr>) -> ValueRange<PrintedTime> {
    let end = |bound: Bound<TimeExpr>, is_instant: bool| bound.map(|time| PrintedTime { time, is_instant });
    ValueRange {
        low: end(bounds.low, matches!(bounds.low, Bound::Excluded(_))),
        high: end(bounds.high, matches!(bounds.high, Bound::Included(_))),
    }
}

impl Display for PrintedTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (TimeExpr::At(time) | TimeExpr::Local(time)) = self.time else {
            return write!(f, "{time}", time = self.time);
        };
        if !self.is_instant {
            return write!(f, "{time}", time = self.time);
        }
        let mut text = Vec::new();
        time.write_rfc3339(&mut text, 9);
        let text = String::from_utf8_lossy(&text);
        f.write_str(if matches!(self.time, TimeExpr::Local(_)) { text.trim_end_matches('Z') } else { &text })
    }
}

/// Writes codes by name. Severities run from the least to the most severe.
fn write_codes(f: &mut Formatter<'_>, name: &FieldName, codes: Codes) -> fmt::Result {
    let (first, last) = (codes.first(), codes.last());
    if *name == FieldName::Known(Field::Facility) {
        let facility = |number| Facility::new(number).map_or("", Facility::name);
        return match (first, last) {
            _ if codes.is_empty() => write!(f, "{name}<{least}", least = facility(0)),
            _ if first == last => write!(f, "{name}={only}", only = facility(first)),
            _ => write!(f, "{name}:[{low} TO {high}]", low = facility(first), high = facility(last)),
        };
    }
    let severity = |number| Severity::new(number).map_or("", Severity::name);
    match (first, last) {
        _ if codes.is_empty() => write!(f, "{name}>{most}", most = severity(0)),
        _ if first == last => write!(f, "{name}={only}", only = severity(first)),
        (0, _) => write!(f, "{name}>={least}", least = severity(last)),
        (_, 7) => write!(f, "{name}<={most}", most = severity(first)),
        _ => write!(f, "{name}:[{low} TO {high}]", low = severity(last), high = severity(first)),
    }
}

/// Writes the words without the prefix for case sensitivity.
impl Display for Near {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (words, distance) = (self.words().join(" "), self.distance());
        write!(f, "\"{words}\"~{distance}{end}", end = if self.goes_on() { "*" } else { "" })
    }
}

/// Writes the expression between slashes.
impl Display for Regex {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('/')?;
        let mut chars = self.pattern().chars();
        while let Some(c) = chars.next() {
            match c {
                '/' => f.write_str("\\/")?,
                '\\' => {
                    f.write_char(c)?;
                    chars.next().map_or(Ok(()), |escaped| f.write_char(escaped))?;
                }
                _ => f.write_char(c)?,
            }
        }
        f.write_str(if self.ignores_case() { "/i" } else { "/" })
    }
}

/// A field's name, in quotes if it would be read as something else.
pub(super) struct PrintedName<'a>(pub(super) &'a FieldName);

impl Display for PrintedName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            FieldName::Dynamic(name) if !is_plain_name(name) => write!(f, "{name}", name = Quoted(name)),
            name => write!(f, "{name}"),
        }
    }
}

/// A pattern, as a bare word if it is simple, otherwise in quotes with the wildcards outside.
pub(super) struct PrintedPattern<'a>(pub(super) &'a Pattern);

impl Display for PrintedPattern<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let bare = is_bare(self.0);
        if self.0.is_empty() {
            return f.write_str("\"\"");
        }
        for part in self.0.parts() {
            match part {
                PatternPart::Run => f.write_char('*')?,
                PatternPart::One => f.write_char('?')?,
                PatternPart::Text(text) if bare => f.write_str(text)?,
                PatternPart::Text(text) => write!(f, "{text}", text = Quoted(text))?,
            }
        }
        Ok(())
    }
}

fn is_text(part: &PatternPart) -> bool {
    matches!(part, PatternPart::Text(_))
}

/// Whether it can be written without quotes in any position.
fn is_bare(pattern: &Pattern) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let begins_plain = |text: &str| text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_bare_text = |text: &str| text.chars().all(is_plain) && begins_plain(text) && !text.contains("..");
    let is_keyword =
        |text: &str| ["and", "or", "not", "in", "to", "cs"].contains(&text.to_ascii_lowercase().as_str());
    pattern.parts().iter().all(|part| match part {
        PatternPart::Text(text) => is_bare_text(text) && !is_keyword(text),
        PatternPart::Run | PatternPart::One => true,
    }) && pattern.parts().iter().any(is_text)
}

/// A text in quotes.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        let mut slashes = 0;
        for c in self.0.chars() {
            if matches!(c, '"' | '*') {
                write_slashes(f, slashes + 1)?;
            }
            slashes = if c == '\\' { slashes + 1 } else { 0 };
            f.write_char(c)?;
        }
        // Backslashes before the closing quote are special.
        write_slashes(f, slashes)?;
        f.write_char('"')
    }
}

fn write_slashes(f: &mut Formatter<'_>, count: usize) -> fmt::Result {
    (0..count).try_for_each(|_| f.write_char('\\'))
}
