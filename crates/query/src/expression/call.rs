//! The results of the functions.

use super::eval::EvalContext;
use super::{Cell, Expression};
use crate::limits::VALUE_BYTES_MAX;
use crate::regex::Regex;
use ipnet::IpNet;
use logstead_record::{SECOND, Timestamp};
use std::borrow::Cow;
use std::net::IpAddr;

/// The greatest number of bytes that replace one match.
const GROWN_BYTES_MAX: usize = 16 * VALUE_BYTES_MAX;

impl<'a> EvalContext<'_, 'a> {
    pub(super) fn call(&self, name: &str, arguments: &'a [Expression]) -> Cell<'a> {
        let value = |at: usize| arguments.get(at).map_or(Cell::Null, |argument| self.eval(argument));
        match name {
            "if" => value(if value(0).is_true() { 1 } else { 2 }),
            "case" => self.case(arguments),
            "coalesce" => {
                let values = arguments.iter().map(|argument| self.eval(argument));
                values.into_iter().find(|value| *value != Cell::Null).unwrap_or(Cell::Null)
            }
            "exists" => Cell::Bool(value(0) != Cell::Null),
            "is_null" => Cell::Bool(value(0) == Cell::Null),
            "text" => value(0).text().map_or(Cell::Null, |text| Cell::owned_text(text)),
            "min" | "max" => {
                let numbers = arguments.iter().filter_map(|argument| self.eval(argument).number());
                let choose = if name == "min" { f64::min } else { f64::max };
                numbers.reduce(choose).map_or(Cell::Null, Cell::of_number)
            }
            "concat" => self.concat(arguments),
            "now" => Cell::Time(self.now),
            "number" | "abs" | "ceil" | "floor" | "round" | "sqrt" | "pow" | "exp" | "ln" | "log" => {
                let number = value(0).number();
                let second = value(1).number();
                number.and_then(|number| of_number(name, number, second)).map_or(Cell::Null, Cell::of_number)
            }
            "to_time" | "epoch" | "year" | "month" | "day" | "hour" | "minute" | "weekday" => {
                value(0).time().map_or(Cell::Null, |time| of_time(name, time))
            }
            "bin" => value(1).number().map_or(Cell::Null, |width| bin(&value(0), width)),
            "format_time" => match (value(0).time(), value(1).text()) {
                (Some(time), Some(format)) => formatted(time, &format),
                _ => Cell::Null,
            },
            "matches" => match arguments.get(1) {
                Some(Expression::Regex(regex)) => value(0)
                    .text()
                    .map_or(Cell::Bool(false), |text| Cell::Bool(regex.compiled().is_match(&text))),
                _ => Cell::Null,
            },
            "replace" => match (value(0).text(), arguments.get(1), value(2).text()) {
                (Some(text), Some(Expression::Regex(regex)), with) => {
                    replaced_regex(&text, regex, &with.unwrap_or_default())
                }
                (Some(text), Some(from), with) => match self.eval(from).text() {
                    Some(from) if !from.is_empty() => replaced(&text, &from, &with.unwrap_or_default()),
                    _ => Cell::owned_text(text),
                },
                _ => Cell::Null,
            },
            _ => match value(0).text() {
                Some(text) => of_text(name, &text, &value(1), &value(2)),
                None => Cell::Null,
            },
        }
    }

    fn case(&self, arguments: &'a [Expression]) -> Cell<'a> {
        for pair in arguments.chunks(2) {
            match pair {
                [when, then] if self.eval(when).is_true() => return self.eval(then),
                [otherwise] => return self.eval(otherwise),
                _ => {}
            }
        }
        Cell::Null
    }

    fn concat(&self, arguments: &'a [Expression]) -> Cell<'a> {
        let mut whole = Vec::new();
        for argument in arguments {
            whole.extend_from_slice(&self.eval(argument).text().unwrap_or_default());
        }
        cut(whole)
    }
}

/// A computed text, cut to the greatest length of a value.
fn cut(mut text: Vec<u8>) -> Cell<'static> {
    if VALUE_BYTES_MAX < text.len() {
        let is_inner = |at: &usize| text[*at] & 0b1100_0000 == 0b1000_0000;
        let end = (0..=VALUE_BYTES_MAX).rev().find(|at| !is_inner(at)).unwrap_or(VALUE_BYTES_MAX);
        text.truncate(end);
    }
    Cell::Text(Cow::Owned(text))
}

fn of_number(name: &str, number: f64, second: Option<f64>) -> Option<f64> {
    Some(match name {
        "number" => number,
        "abs" => number.abs(),
        "ceil" => number.ceil(),
        "floor" => number.floor(),
        "round" => {
            let digits = second.unwrap_or(0.0).clamp(-15.0, 15.0) as i32;
            let scale = 10f64.powi(digits);
            (number * scale).round() / scale
        }
        "sqrt" => number.sqrt(),
        "pow" => number.powf(second?),
        "exp" => number.exp(),
        "ln" => number.ln(),
        _ => number.ln() / second.unwrap_or(10.0).ln(),
    })
}

fn of_time(name: &str, time: Timestamp) -> Cell<'static> {
    let (year, month, day, second, _) = time.to_civil();
    Cell::of_number(match name {
        "to_time" => return Cell::Time(time),
        "epoch" => time.nanos() as f64 / SECOND as f64,
        "year" => year as f64,
        "month" => f64::from(month),
        "day" => f64::from(day),
        "hour" => f64::from(second / 3600),
        "minute" => f64::from(second / 60 % 60),
        _ => f64::from(weekday(time)),
    })
}

/// The day of the week, from 1 for Monday to 7 for Sunday.
fn weekday(time: Timestamp) -> u32 {
    // The first of January 1970 was a Thursday.
    let days = time.nanos().div_euclid(86_400 * SECOND);
    (days + 3).rem_euclid(7) as u32 + 1
}

/// The beginning of the span that contains a time or a number.
fn bin(value: &Cell<'_>, width: f64) -> Cell<'static> {
    if width <= 0.0 {
        return Cell::Null;
    }
    match value {
        Cell::Time(time) => {
            let nanos = (width * SECOND as f64) as i64;
            let start =
                |nanos: i64| Timestamp::from_nanos(time.nanos().div_euclid(nanos).saturating_mul(nanos));
            if nanos == 0 { Cell::Time(*time) } else { Cell::Time(start(nanos)) }
        }
        other => {
            other.number().map_or(Cell::Null, |number| Cell::of_number((number / width).floor() * width))
        }
    }
}

const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
];
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The time in a format such as `%Y-%m-%d %H:%M:%S`, in UTC; unknown codes stay unchanged.
fn formatted(time: Timestamp, format: &[u8]) -> Cell<'static> {
    let (year, month, day, second, nanos) = time.to_civil();
    let month_name = MONTHS.get(month as usize - 1).copied().unwrap_or_default();
    let day_name = WEEKDAYS[weekday(time) as usize - 1];
    let mut out = String::new();
    let format = String::from_utf8_lossy(format);
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('Y') => out += &format!("{year:04}"),
            Some('y') => out += &format!("{:02}", year.rem_euclid(100)),
            Some('m') => out += &format!("{month:02}"),
            Some('d') => out += &format!("{day:02}"),
            Some('e') => out += &format!("{day:2}"),
            Some('H') => out += &format!("{:02}", second / 3600),
            Some('M') => out += &format!("{:02}", second / 60 % 60),
            Some('S') => out += &format!("{:02}", second % 60),
            Some('L') => out += &format!("{:03}", nanos / 1_000_000),
            Some('f') => out += &format!("{nanos:09}"),
            Some('F') => out += &format!("{year:04}-{month:02}-{day:02}"),
            Some('T') => out += &format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60),
            Some('s') => out += &time.nanos().div_euclid(SECOND).to_string(),
            Some('b') => out.extend(month_name.chars().take(3)),
            Some('B') => out += month_name,
            Some('a') => out.extend(day_name.chars().take(3)),
            Some('A') => out += day_name,
            Some('u') => out += &weekday(time).to_string(),
            Some('z') => out += "+0000",
            Some('%') => out.push('%'),
            Some(other) => out.extend(['%', other]),
            None => out.push('%'),
        }
    }
    cut(out.into_bytes())
}

fn replaced(text: &[u8], from: &[u8], with: &[u8]) -> Cell<'static> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = memchr::memmem::find(rest, from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(with);
        rest = &rest[at + from.len()..];
        if VALUE_BYTES_MAX < out.len() {
            break;
        }
    }
    out.extend_from_slice(rest);
    cut(out)
}

/// Replaces the matches of a regular expression. Groups are written `$1` or `$name`, and `${1}` if a letter or digit
/// follows.
fn replaced_regex(text: &[u8], regex: &Regex, with: &[u8]) -> Cell<'static> {
    let (mut out, mut end) = (Vec::with_capacity(text.len()), 0);
    let groups = memchr::memchr_iter(b'$', with).count();
    for found in regex.compiled().captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        out.extend_from_slice(&text[end..whole.start()]);
        // A group is no longer than the match, so this bounds the length of the replacement before it is made.
        if GROWN_BYTES_MAX < whole.len().saturating_mul(groups) {
            end = whole.end();
            break;
        }
        found.expand(with, &mut out);
        end = whole.end();
        if VALUE_BYTES_MAX < out.len() {
            break;
        }
    }
    out.extend_from_slice(&text[end..]);
    cut(out)
}

fn of_text(name: &str, text: &[u8], second: &Cell<'_>, third: &Cell<'_>) -> Cell<'static> {
    let lossy = || String::from_utf8_lossy(text);
    match name {
        "lower" => cut(lossy().to_lowercase().into_bytes()),
        "upper" => cut(lossy().to_uppercase().into_bytes()),
        "trim" => Cell::owned_text(lossy().trim().as_bytes()),
        "len" => Cell::of_number(lossy().chars().count() as f64),
        "substr" => second.number().map_or(Cell::Null, |start| substr(&lossy(), start, third)),
        "split" => match (second.text(), third.number()) {
            (Some(by), Some(number)) if !by.is_empty() => nth_part(text, &by, number),
            _ => Cell::Null,
        },
        "contains" | "starts_with" | "ends_with" => {
            let Some(other) = second.text() else { return Cell::Bool(false) };
            let (text, other) = (lossy().to_lowercase(), String::from_utf8_lossy(&other).to_lowercase());
            Cell::Bool(match name {
                "contains" => text.contains(&other),
                "starts_with" => text.starts_with(&other),
                _ => text.ends_with(&other),
            })
        }
        "in_network" => second.text().map_or(Cell::Null, |network| in_network(text, &network)),
        "url_decode" => Cell::owned_text(url_decoded(text)),
        _ => Cell::Null,
    }
}

/// The characters from `start`, 1 for the first and -1 for the last, at most `length` of them.
fn substr(text: &str, start: f64, length: &Cell<'_>) -> Cell<'static> {
    let chars = text.chars().count();
    let from = match start {
        n if n < 0.0 => chars.saturating_sub(-n as usize),
        n => (n as usize).saturating_sub(1),
    };
    let take = match length {
        Cell::Null => usize::MAX,
        other => other.number().map_or(0, |length| length.max(0.0) as usize),
    };
    let part: String = text.chars().skip(from).take(take).collect();
    Cell::owned_text(part.into_bytes())
}

/// The part with a number, 1 for the first and -1 for the last; null if there are fewer.
fn nth_part(text: &[u8], by: &[u8], number: f64) -> Cell<'static> {
    let ends: Vec<usize> = memchr::memmem::find_iter(text, by).collect();
    let parts = ends.len() + 1;
    let index = match number {
        n if n <= -1.0 => parts.checked_sub(-n as usize),
        n if n < 1.0 => None,
        n => Some(n as usize - 1),
    };
    let Some(index) = index.filter(|index| *index < parts) else { return Cell::Null };
    let start = if index == 0 { 0 } else { ends[index - 1] + by.len() };
    let end = ends.get(index).copied().unwrap_or(text.len());
    Cell::owned_text(&text[start.min(end)..end])
}

/// Whether an address is in a network; in Splunk's order, the network comes first.
fn in_network(first: &[u8], second: &[u8]) -> Cell<'static> {
    let network = |text: &[u8]| std::str::from_utf8(text).ok()?.trim().parse::<IpNet>().ok();
    let (network, address) = match (network(first), network(second)) {
        (_, Some(network)) => (network, first),
        (Some(network), None) => (network, second),
        (None, None) => return Cell::Null,
    };
    let address = std::str::from_utf8(address).ok().and_then(|text| text.trim().parse::<IpAddr>().ok());
    Cell::Bool(address.is_some_and(|address| network.contains(&address.to_canonical())))
}

/// Decodes `%20` and the like, and `+` as a space; a `%` without two hexadecimal digits stays.
fn url_decoded(text: &[u8]) -> Vec<u8> {
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(&byte) = text.get(at) {
        match (byte, hex(text.get(at + 1)), hex(text.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', ..) => out.push(b' '),
            _ => out.push(byte),
        }
        at += 1;
    }
    out
}
