//! Finds the texts that contain a word: all of them are searched in one pass, and only the matches are examined
//! closely.

use logstead_record::{TextColumn, word};
use memchr::memmem::Finder;

/// Searches for one word, which is in lower case.
pub struct WordFinder<'w> {
    wanted: &'w [u8],
    finder: Finder<'w>,
    has_letters: bool,
    /// A buffer for texts in lower case.
    lower: Vec<u8>,
    scratch: Vec<u8>,
}

impl<'w> WordFinder<'w> {
    /// `None` if it is not a single word, as no text can contain it as one.
    pub fn new(wanted: &'w [u8]) -> Option<WordFinder<'w>> {
        let is_word = word::words(wanted).next() == Some(0..wanted.len());
        is_word.then(|| WordFinder {
            wanted,
            finder: Finder::new(wanted),
            has_letters: wanted.iter().any(|byte| !byte.is_ascii_digit()),
            lower: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// Calls `each` with the number of every text that has the word, in order.
    pub fn for_each(&mut self, texts: &TextColumn, mut each: impl FnMut(usize)) {
        if !texts.bytes().is_ascii() {
            // Beyond ASCII, the length of a letter may differ in lower case.
            let has_word = |&row: &usize| is_in(self.wanted, texts.get(row), &mut self.scratch);
            return (0..texts.len()).filter(has_word).for_each(each);
        }
        let bytes = if self.has_letters { lowered(texts.bytes(), &mut self.lower) } else { texts.bytes() };
        let (mut row, mut next) = (0, 0);
        while let Some(at) = self.finder.find(&bytes[next..]).map(|found| next + found) {
            row += texts.ends()[row..].partition_point(|&end| end as usize <= at);
            let (start, end) = (texts.start(row), texts.ends()[row] as usize);
            let text = &bytes[start..end];
            let (from, to) = (at - start, at - start + self.wanted.len());
            next = if to <= text.len() && word::may_begin(text, from) && word::may_end(text, to) {
                each(row);
                end
            } else {
                // If a word begins with its own end, another one may begin within this match, which may extend into
                // the next text.
                (at + 1..end).find(|&place| word::may_begin(text, place - start)).unwrap_or(end)
            };
        }
    }
}

/// Whether a word is among the words of a text.
pub(super) fn is_in(wanted: &[u8], text: &[u8], scratch: &mut Vec<u8>) -> bool {
    let mut is_in = false;
    word::for_each_folded(text, scratch, |word| is_in |= word == wanted);
    is_in
}

/// The bytes in lower case, converted at once.
pub(super) fn lowered<'s>(bytes: &[u8], scratch: &'s mut Vec<u8>) -> &'s [u8] {
    scratch.clear();
    scratch.extend_from_slice(bytes);
    scratch.make_ascii_lowercase();
    scratch
}
