//! Splits characters into words, quoted texts and regular expressions.
//!
//! Text pasted from a log must work, so almost every character may occur in a word, and a backslash is special only before a
//! quote or a wildcard: `C:\temp` is literal.

use crate::ast::PatternPart;
use crate::error::{ErrorKind, ParseError};
use crate::steps;
use std::ops::Range;
use std::sync::Arc;

/// A position in the text of a query. It may be limited to a part of the text. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TextCursor {
    chars: Arc<[char]>,
    /// The offset of each character, and the end of the last one, in bytes.
    offsets: Arc<[usize]>,
    pub(crate) at: usize,
    /// The end of the visible part.
    pub(crate) end: usize,
}

impl TextCursor {
    pub(crate) fn new(text: &str) -> TextCursor {
        steps::count(text.len());
        let (mut offsets, chars): (Vec<usize>, Vec<char>) = text.char_indices().unzip();
        offsets.push(text.len());
        TextCursor { end: chars.len(), chars: chars.into(), offsets: offsets.into(), at: 0 }
    }

    /// A cursor at the beginning of the same text.
    pub(crate) fn at_start(&self) -> TextCursor {
        TextCursor { at: 0, ..self.clone() }
    }

    /// The same text, limited to a range.
    pub(crate) fn within(&self, range: Range<usize>) -> TextCursor {
        TextCursor { at: range.start, end: range.end, ..self.clone() }
    }

    /// The character `ahead` positions after the next one.
    pub(crate) fn peek(&self, ahead: usize) -> Option<char> {
        self.char_at(self.at + ahead)
    }

    pub(crate) fn char_at(&self, at: usize) -> Option<char> {
        steps::count(1);
        self.seen(at).first().copied()
    }

    /// The visible characters from a position on; none after cancellation.
    fn seen(&self, from: usize) -> &[char] {
        if steps::is_over() {
            return &[];
        }
        &self.chars[from.min(self.end)..self.end]
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.end <= self.at || steps::is_over()
    }

    /// Whether this text stands at `at`.
    pub(crate) fn starts_with(&self, at: usize, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.char_at(at + ahead) == Some(c))
    }

    pub(crate) fn text(&self, range: Range<usize>) -> String {
        steps::count(range.len());
        self.chars[range].iter().collect()
    }

    /// The whole text with the characters at `range` replaced.
    pub(crate) fn rewritten(&self, range: Range<usize>, with: &str) -> String {
        steps::count(self.chars.len());
        let (before, after) = (&self.chars[..range.start], &self.chars[range.end..]);
        before.iter().copied().chain(with.chars()).chain(after.iter().copied()).collect()
    }

    /// Converts a range of characters to bytes.
    pub(crate) fn span(&self, range: Range<usize>) -> Range<usize> {
        self.offsets[range.start]..self.offsets[range.end]
    }

    pub(crate) fn skip_space(&mut self) {
        self.at = self.space_end(self.at);
    }

    pub(crate) fn space_end(&self, from: usize) -> usize {
        let spaces = self.seen(from).iter().take_while(|c| c.is_whitespace()).count();
        steps::count(1 + spaces);
        from.min(self.end) + spaces
    }

    /// The end of a range, without trailing white space.
    pub(crate) fn trimmed(&self, range: Range<usize>) -> usize {
        let is_other = |c: &char| !c.is_whitespace();
        self.chars[range.clone()]
            .iter()
            .rposition(is_other)
            .map_or(range.start, |last| range.start + last + 1)
    }

    /// Whether a word may end at `at`.
    pub(crate) fn is_boundary(&self, at: usize, stops: &[char]) -> bool {
        self.char_at(at).is_none_or(|c| c.is_whitespace() || c == ')' || stops.contains(&c))
    }

    /// The end of a keyword at `at`, written in upper or lower case.
    pub(crate) fn keyword(&self, at: usize, upper: &str) -> Option<usize> {
        let end = at + upper.len();
        let found = self.starts_with(at, upper) || self.starts_with(at, &upper.to_ascii_lowercase());
        (found && (self.is_boundary(end, &[]) || self.char_at(end) == Some('('))).then_some(end)
    }

    /// The end of the bare word at `from`: at white space, at one of `stops`, or at a parenthesis that was not
    /// opened in it.
    pub(crate) fn word_end(&self, from: usize, stops: &[char]) -> usize {
        let mut open = 0;
        for (ahead, &c) in self.seen(from).iter().enumerate() {
            steps::count(1);
            match c {
                '(' => open += 1,
                ')' if open == 0 => return from + ahead,
                ')' => open -= 1,
                c if c.is_whitespace() || stops.contains(&c) => return from + ahead,
                _ => {}
            }
        }
        self.end.max(from)
    }

    /// The end of the field name at `from`; `from` if there is none.
    pub(crate) fn identifier_end(&self, from: usize) -> usize {
        let is_first = |c: char| c.is_alphabetic() || matches!(c, '_' | '@' | '.');
        if self.char_at(from).is_some_and(is_first) { self.name_rest(from) } else { from }
    }

    /// The end of a field name that continues at `from`.
    pub(crate) fn name_rest(&self, from: usize) -> usize {
        let is_inner = |c: &&char| c.is_alphanumeric() || matches!(c, '_' | '@' | '.' | '-');
        let chars = self.seen(from).iter().take_while(is_inner).count();
        steps::count(1 + chars);
        from + chars
    }

    /// Whether a quoted text begins at `at`, perhaps after wildcards: `"a b"`, `*"a b"*`.
    pub(crate) fn is_quoted(&self, at: usize) -> bool {
        let is_wildcard = |c: &&char| matches!(c, '*' | '?');
        let wildcards = self.seen(at).iter().take_while(is_wildcard).count();
        steps::count(1 + wildcards);
        self.char_at(at + wildcards) == Some('"')
    }

    /// Reads quoted texts and the wildcards around them. A `*` after the last letter in the quotes is a wildcard too;
    /// any other is literal.
    pub(crate) fn quoted(&mut self) -> Result<Vec<PatternPart>, ParseError> {
        let mut parts = Vec::new();
        loop {
            match self.peek(0) {
                Some('*') => parts.push(PatternPart::Run),
                Some('?') => parts.push(PatternPart::One),
                Some('"') => {
                    self.quoted_segment(&mut parts)?;
                    continue;
                }
                _ => return Ok(parts),
            }
            self.at += 1;
        }
    }

    /// Reads the distance directly after a closing quote: `~3`. A number that is too large is read as the largest
    /// one.
    pub(crate) fn distance(&mut self) -> Option<usize> {
        let is_behind_quote = self.at.checked_sub(1).and_then(|before| self.char_at(before)) == Some('"');
        let digits = self.seen(self.at + 1).iter().take_while(|c| c.is_ascii_digit()).count();
        if !is_behind_quote || self.peek(0) != Some('~') || digits == 0 {
            return None;
        }
        let start = self.at + 1;
        self.at = start + digits;
        Some(self.text(start..self.at).parse().unwrap_or(usize::MAX))
    }

    /// Reads one quoted text without wildcards.
    pub(crate) fn plain_quoted(&mut self) -> Option<String> {
        let mut parts = Vec::new();
        self.quoted_segment(&mut parts).ok()?;
        match parts.as_mut_slice() {
            [PatternPart::Text(text)] => Some(std::mem::take(text)),
            _ => None,
        }
    }

    fn quoted_segment(&mut self, parts: &mut Vec<PatternPart>) -> Result<(), ParseError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            let slashes = self.backslashes(self.at);
            match self.peek(slashes) {
                Some(special @ ('"' | '*')) if 0 < slashes => {
                    text.extend(std::iter::repeat_n('\\', slashes / 2));
                    self.at += slashes;
                    if slashes % 2 == 1 {
                        text.push(special);
                        self.at += 1;
                    }
                }
                _ if 0 < slashes => {
                    text.extend(std::iter::repeat_n('\\', slashes));
                    self.at += slashes;
                }
                _ if c == '"' => {
                    self.at += 1;
                    parts.push(PatternPart::Text(text));
                    return Ok(());
                }
                _ if c == '*' && self.peek(1) == Some('"') && text.ends_with(char::is_alphanumeric) => {
                    self.at += 2;
                    parts.extend([PatternPart::Text(text), PatternPart::Run]);
                    return Ok(());
                }
                _ => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        Err(self.unclosed(start))
    }

    /// Reads a quoted text in which only `\"` is special: a regular expression has its own escapes.
    pub(crate) fn quoted_regex(&mut self) -> Result<String, ParseError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match (c, self.peek(0)) {
                ('"', _) => return Ok(text),
                ('\\', Some('"')) => text.push('"'),
                ('\\', Some(escaped)) => text.extend([c, escaped]),
                _ => {
                    text.push(c);
                    continue;
                }
            }
            self.at += 1;
        }
        Err(self.unclosed(start))
    }

    /// The end of the quoted text at the cursor; without a closing quote, the end of the whole text.
    pub(crate) fn quote_end(&self) -> usize {
        let mut ahead = self.clone();
        ahead.quoted_regex().map_or(ahead.end, |_| ahead.at)
    }

    fn unclosed(&self, start: usize) -> ParseError {
        self.syntax(start..start + 1, "this quote is not closed")
    }

    fn backslashes(&self, from: usize) -> usize {
        let slashes = self.seen(from).iter().take_while(|&&c| c == '\\').count();
        steps::count(1 + slashes);
        slashes
    }

    /// The source, the flag and the end of the regular expression that begins at `at`. A text without a second slash at
    /// the end of a word is a path.
    pub(crate) fn regex(&self, at: usize, stops: &[char]) -> Option<(String, bool, usize)> {
        if self.char_at(at) != Some('/') {
            return None;
        }
        let mut end = at + 1;
        loop {
            match self.char_at(end)? {
                '\\' => end += 2,
                '/' => break,
                _ => end += 1,
            }
        }
        let ignore_case = self.char_at(end + 1) == Some('i') && self.is_boundary(end + 2, stops);
        let after = end + 1 + usize::from(ignore_case);
        let found = at + 1 < end && self.is_boundary(after, stops);
        found.then(|| (self.text(at + 1..end), ignore_case, after))
    }

    /// The parts of a bare word. Backslashes are literal unless they are before a wildcard.
    pub(crate) fn word_parts(&self, range: Range<usize>) -> Vec<PatternPart> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut at = range.start;
        while at < range.end {
            let slashes = self.backslashes(at).min(range.end - at);
            at += slashes;
            let next = self.char_at(at).filter(|_| at < range.end);
            let wildcard = next.filter(|c| matches!(c, '*' | '?'));
            let kept = if wildcard.is_some() { slashes / 2 } else { slashes };
            text.extend(std::iter::repeat_n('\\', kept));
            match wildcard {
                Some(c) if slashes.is_multiple_of(2) => {
                    parts.push(PatternPart::Text(std::mem::take(&mut text)));
                    parts.push(if c == '*' { PatternPart::Run } else { PatternPart::One });
                }
                _ => text.extend(next),
            }
            at += 1;
        }
        parts.push(PatternPart::Text(text));
        parts
    }

    pub(crate) fn syntax(&self, range: Range<usize>, message: impl Into<String>) -> ParseError {
        self.error(ErrorKind::Syntax, range, message)
    }

    pub(crate) fn meaning(&self, range: Range<usize>, message: impl Into<String>) -> ParseError {
        self.error(ErrorKind::Meaning, range, message)
    }

    fn error(&self, kind: ErrorKind, range: Range<usize>, message: impl Into<String>) -> ParseError {
        let end = range.end.min(self.chars.len());
        let start = range.start.min(end);
        ParseError { kind, message: message.into(), span: self.span(start..end), suggestion: None }
    }
}
