//! A JSON object in a text, as names and values.
//!
//! | in the object          | becomes                                                       |
//! |------------------------|---------------------------------------------------------------|
//! | `{"a": {"b": 1}}`      | `a.b` = `1`: nested names are joined by dots                  |
//! | `{"a": [1, 2]}`        | `a` twice; an object or array inside an array is its JSON text |
//! | `{"a": null}`          | nothing                                                       |
//! | more pairs than [`JsonLimits`] allow, a longer name | nothing                          |
//! | an object that is deeper | its JSON text                                               |
//!
//! One pass checks the text and notes the ranges of the values, which are only passed on afterwards: a text that
//! turns out to be invalid at its last byte has no values. A general reader looks at each nested value once to find
//! its end and once to read it, which takes twice as long.
//!
//! **Invariant:** a text has pairs when `serde_json` reads it, and the same ones: a test compares them. Reading takes
//! as long as the text is, and no more memory than the pairs that are handed out.

use crate::pieces::{JsonPiece, JsonPieces};
use crate::sink::{Pair, PairSink};
use std::borrow::Cow;
use std::ops::Range;

/// The limits of stages and steps.
const LIMITS: JsonLimits = JsonLimits::of(1000, 256, 32);
/// The initial capacities, which are enough for most objects: for the pairs, for all names, and for one name.
const PAIRS_EXPECTED: usize = 24;
const NAMES_BYTES_EXPECTED: usize = 256;
const NAME_BYTES_EXPECTED: usize = 64;

/// The limits on the pairs of an object that are passed on.
#[derive(Clone, Copy, Debug)]
pub struct JsonLimits {
    /// The maximum number of pairs.
    pub pairs_max: usize,
    /// The maximum length of a name, with the names of the objects around it.
    pub name_bytes_max: usize,
    /// The maximum length of all names together: each is passed on with those of the objects around it, however often
    /// they are in the text.
    pub names_bytes_max: usize,
    /// The maximum depth of nested objects.
    pub depth_max: usize,
}

impl JsonLimits {
    /// Limits on the number of pairs, the length of a name and the depth, and no others.
    pub const fn of(pairs_max: usize, name_bytes_max: usize, depth_max: usize) -> JsonLimits {
        JsonLimits { pairs_max, name_bytes_max, names_bytes_max: pairs_max * name_bytes_max, depth_max }
    }
}

/// A limit that an object exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExceededLimit {
    /// The number of pairs.
    Pairs,
    /// The length of all names.
    Names,
    /// The depth of nested objects.
    Depth,
}

/// An object that was read.
pub struct JsonObject<'t> {
    text: &'t str,
    /// The names of the pairs, one after the other without separators.
    names: String,
    found: Vec<PairRange>,
    /// The limit that the object exceeds first in the text, if any.
    pub beyond: Option<ExceededLimit>,
    broken: Option<Range<usize>>,
}

/// The pairs of a JSON object, which may have other text before it, in the order of the text.
pub fn json(text: &[u8]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    json_into(text, &mut pairs);
    pairs
}

/// Reads the pairs like [`json`] into a sink.
pub fn json_into(text: &[u8], sink: &mut impl PairSink) {
    let start = memchr::memchr(b'{', text).unwrap_or(text.len());
    let Ok(object) = std::str::from_utf8(&text[start..]) else { return };
    if let Some(object) = JsonObject::of(object.trim_end(), LIMITS) {
        object.pairs().for_each(|(name, value)| sink.add(name.as_bytes(), value.as_bytes()));
    }
}

impl<'t> JsonObject<'t> {
    /// Reads a text that is an object as a whole; `None` if it is not one.
    pub fn read(text: &'t [u8], limits: JsonLimits) -> Option<JsonObject<'t>> {
        JsonObject::of(std::str::from_utf8(text).ok()?, limits)
    }

    fn of(text: &'t str, limits: JsonLimits) -> Option<JsonObject<'t>> {
        let object = JsonObject {
            text,
            names: String::with_capacity(NAMES_BYTES_EXPECTED),
            found: Vec::with_capacity(PAIRS_EXPECTED),
            beyond: None,
            broken: None,
        };
        let mut reader = ObjectReader {
            pieces: JsonPieces::new(text),
            limits,
            path: String::with_capacity(NAME_BYTES_EXPECTED),
            key: None,
            name: None,
            object,
        };
        reader.whole()?;
        Some(reader.object)
    }

    /// Names and values in the order of the text, up to the limits. A value without escapes is a part of the text. A
    /// value with escapes for unpaired surrogates becomes empty, and an object with such a name has no members.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, Cow<'t, str>)> {
        self.found.iter().map(|PairRange { name, value }| {
            let value = match value {
                JsonPiece::Plain(range) => Cow::Borrowed(self.text.get(range.clone()).unwrap_or_default()),
                JsonPiece::Escaped(range) => Cow::Owned(unescaped(self.text, range)),
                JsonPiece::Broken(_) => Cow::Borrowed(""),
            };
            (self.names.get(name.clone()).unwrap_or_default(), value)
        })
    }

    /// The names and texts of the pairs that [`JsonObject::pairs`] gives, and whether each is a number or a boolean: neither
    /// a string nor the text of an object or an array.
    pub fn scalars(&self) -> impl Iterator<Item = (&str, Cow<'t, str>, bool)> {
        let is_scalar = |value: &JsonPiece| match value {
            JsonPiece::Plain(range) => {
                let (before, first) = (range.start.checked_sub(1), self.text.as_bytes().get(range.start));
                let is_string = before.is_some_and(|before| self.text.as_bytes()[before] == b'"');
                !is_string && first.is_some_and(|first| !b"{[".contains(first))
            }
            JsonPiece::Escaped(_) | JsonPiece::Broken(_) => false,
        };
        self.pairs().zip(&self.found).map(move |((name, text), pair)| (name, text, is_scalar(&pair.value)))
    }

    /// The range of the first string, with its quotes, that has escapes for unpaired surrogates. Strings that are not
    /// read do not count: values with overlong names, and strings within a value that is kept as its JSON text.
    pub fn broken(&self) -> Option<Range<usize>> {
        self.broken.clone()
    }
}

/// The ranges of a pair.
struct PairRange {
    /// The range of the name in the names.
    name: Range<usize>,
    /// The value in the text.
    value: JsonPiece,
}

/// Reads an object. Its methods return `None` if the text is not JSON.
struct ObjectReader<'t> {
    pieces: JsonPieces<'t>,
    limits: JsonLimits,
    /// The name of the current value. It is added to the names once a value is found, so that a name without a value
    /// takes no space.
    path: String,
    /// The range of the name in the text, if it is there unchanged, as most are.
    key: Option<Range<usize>>,
    /// The range of the name in the names, once it has been added.
    name: Option<Range<usize>>,
    object: JsonObject<'t>,
}

/// The treatment of a member of an object.
enum Member {
    Counts,
    /// Its name is too long.
    IsLong,
    /// Its name has escapes for unpaired surrogates.
    IsBroken,
}

impl ObjectReader<'_> {
    fn whole(&mut self) -> Option<()> {
        self.pieces.expect(b'{')?;
        if self.limits.depth_max < 1 {
            self.is_beyond(ExceededLimit::Depth);
        }
        self.object(1)?;
        self.pieces.end()
    }

    /// Reads on after the opening brace of an object whose name is the path. If one of its names is broken, none of
    /// its members counts.
    fn object(&mut self, depth: usize) -> Option<()> {
        let (found_before, names_before) = (self.object.found.len(), self.object.names.len());
        let outer_bytes = self.path.len();
        let mut is_named = true;
        if self.pieces.next()? == b'}' {
            return self.pieces.expect(b'}');
        }
        loop {
            match self.name(outer_bytes)? {
                Member::Counts if is_named => self.value(depth)?,
                Member::Counts | Member::IsLong => self.pieces.skip()?,
                Member::IsBroken => {
                    is_named = false;
                    self.pieces.skip()?;
                }
            }
            match self.pieces.take()? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
        self.path.truncate(outer_bytes);
        if !is_named {
            self.object.found.truncate(found_before);
            self.object.names.truncate(names_before);
        }
        Some(())
    }

    /// Reads a name and its colon. The path or the key is then that name, after the name of its object.
    fn name(&mut self, outer_bytes: usize) -> Option<Member> {
        self.pieces.next()?;
        let key = self.pieces.string()?;
        self.pieces.expect(b':')?;
        (self.name, self.key) = (None, None);
        self.path.truncate(outer_bytes);
        if 0 < outer_bytes {
            self.path.push('.');
        }
        match key {
            JsonPiece::Plain(range) if outer_bytes == 0 => {
                let is_long = self.limits.name_bytes_max < range.len();
                self.key = Some(range);
                return Some(if is_long { Member::IsLong } else { Member::Counts });
            }
            JsonPiece::Plain(range) => self.path.push_str(self.pieces.text.get(range)?),
            JsonPiece::Escaped(range) => self.path.push_str(&unescaped(self.pieces.text, &range)),
            JsonPiece::Broken(range) => {
                self.is_broken(&range);
                return Some(Member::IsBroken);
            }
        }
        let is_long = self.limits.name_bytes_max < self.path.len();
        Some(if is_long { Member::IsLong } else { Member::Counts })
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.pieces.next()? {
            b'{' if depth < self.limits.depth_max => {
                self.pieces.take()?;
                if let Some(key) = self.key.take() {
                    self.path.push_str(self.pieces.text.get(key)?);
                }
                self.object(depth + 1)
            }
            b'{' => {
                self.is_beyond(ExceededLimit::Depth);
                self.pair()
            }
            b'[' => {
                self.pieces.take()?;
                self.items()
            }
            _ => self.pair(),
        }
    }

    /// Reads on after the opening bracket of an array.
    fn items(&mut self) -> Option<()> {
        if self.pieces.next()? == b']' {
            return self.pieces.expect(b']');
        }
        loop {
            self.pair()?;
            match self.pieces.take()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Reads a value of any kind that is one pair.
    fn pair(&mut self) -> Option<()> {
        let Some(value) = self.pieces.value()? else { return Some(()) };
        if let JsonPiece::Broken(range) = &value {
            self.is_broken(range);
        }
        if self.limits.pairs_max <= self.object.found.len() {
            self.is_beyond(ExceededLimit::Pairs);
            return Some(());
        }
        let path = self.key.clone().and_then(|key| self.pieces.text.get(key)).unwrap_or(&self.path);
        let names_bytes = self.object.names.len() + path.len();
        if self.name.is_none() && self.limits.names_bytes_max < names_bytes {
            self.is_beyond(ExceededLimit::Names);
            return Some(());
        }
        let names = &mut self.object.names;
        let name = self.name.get_or_insert_with(|| {
            let start = names.len();
            names.push_str(path);
            start..names.len()
        });
        self.object.found.push(PairRange { name: name.clone(), value });
        Some(())
    }

    fn is_beyond(&mut self, what: ExceededLimit) {
        self.object.beyond.get_or_insert(what);
    }

    fn is_broken(&mut self, string: &Range<usize>) {
        self.object.broken.get_or_insert_with(|| string.clone());
    }
}

/// Unescapes a quoted string whose escapes are all whole characters.
fn unescaped(text: &str, string: &Range<usize>) -> String {
    text.get(string.clone()).and_then(|string| serde_json::from_str(string).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
