//! Handles bytes of a JSON body that are not UTF-8: marks stand for them while the body is read, and are turned back
//! into bytes in the batch.
//!
//! JSON is UTF-8, but some senders use another character set in it: one such byte would cost the whole body. A mark
//! is a letter of a script that the body does not use otherwise, with one letter for each byte above 127. Letters of
//! that script that do occur in the body are marked byte by byte as well. So every reader sees valid text, and each
//! part of it can be turned back.
//!
//! | of a row  | becomes                                                                      |
//! |-----------|------------------------------------------------------------------------------|
//! | raw bytes | the bytes as they were sent                                                  |
//! | texts     | what these bytes say, with U+FFFD for what is not UTF-8                      |
//! | flags     | `not_utf8`, where a byte of it is not                                        |
//!
//! **Invariant:** a body is at most twice as long as before, and one that is UTF-8 is not touched.

use logstead_record::{Batch, BatchBuilder, Field, Flags, Origin, Row};
use std::borrow::Cow;

/// The first letters of two blocks of 128 two-byte letters: Thaana and N'Ko, or else Syriac and the block that
/// follows it. Senders that use these scripts write UTF-8.
const BLOCKS: [u32; 2] = [0x780, 0x700];
const LETTERS: u32 = 128;

/// The block of letters that serve as marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marks {
    block: u32,
}

/// The body as text, and its marks if it has any. A body with escapes for letters of both blocks stays as it is, as
/// marks could not be told from those letters.
pub(crate) fn mark(body: Vec<u8>) -> (Vec<u8>, Option<Marks>) {
    if std::str::from_utf8(&body).is_ok() {
        return (body, None);
    }
    let Some(block) = BLOCKS.into_iter().find(|block| !has_escape(&body, *block)) else {
        return (body, None);
    };
    let marks = Marks { block };
    let mut marked = Vec::with_capacity(body.len() + body.len() / 8);
    for chunk in body.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(|letter| marks.has(letter)) {
            let (before, behind) = rest.split_at(at);
            marked.extend_from_slice(before.as_bytes());
            let (letter, behind) = behind.split_at(2);
            letter.bytes().for_each(|byte| marks.write(byte, &mut marked));
            rest = behind;
        }
        marked.extend_from_slice(rest.as_bytes());
        chunk.invalid().iter().for_each(|byte| marks.write(*byte, &mut marked));
    }
    (marked, Some(marks))
}

/// Whether a letter of the block is written as `\u07…`.
fn has_escape(body: &[u8], block: u32) -> bool {
    memchr::memmem::find_iter(body, b"\\u").any(|at| {
        let digits = body.get(at + 2..at + 6).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        code.is_some_and(|code| (block..block + LETTERS).contains(&code))
    })
}

impl Marks {
    fn has(self, letter: char) -> bool {
        (self.block..self.block + LETTERS).contains(&u32::from(letter))
    }

    fn write(self, byte: u8, out: &mut Vec<u8>) {
        let letter =
            char::from_u32(self.block + u32::from(byte & 0x7F)).unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(letter.encode_utf8(&mut [0; 2]).as_bytes());
    }

    /// The original bytes of a text with marks.
    fn bytes(self, text: &[u8]) -> Cow<'_, [u8]> {
        // A block has two first bytes, each with 64 letters.
        let first = 0xC0 | (self.block >> 6) as u8;
        let Some(mut at) = memchr::memchr2(first, first + 1, text) else { return Cow::Borrowed(text) };
        let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text);
        loop {
            bytes.extend_from_slice(&rest[..at]);
            let Some([lead, second]) = rest.get(at..at + 2) else {
                break bytes.extend_from_slice(&rest[at..]);
            };
            bytes.push(0x80 | ((lead - first) << 6) | (second & 0x3F));
            rest = &rest[at + 2..];
            match memchr::memchr2(first, first + 1, rest) {
                Some(next) => at = next,
                None => break bytes.extend_from_slice(rest),
            }
        }
        Cow::Owned(bytes)
    }

    /// The batch with the original bytes of the body.
    pub(crate) fn restored(self, batch: &Batch) -> Batch {
        let mut builder = BatchBuilder::new();
        (0..batch.rows()).for_each(|row| self.restore(batch, row, &mut builder));
        builder.seal()
    }

    fn restore(self, batch: &Batch, row: usize, builder: &mut BatchBuilder) {
        let mut marked = Vec::new();
        batch.write_raw(row, &mut marked);
        let raw = self.bytes(&marked);
        let texts = Field::OF_ROWS.map(|field| (field, self.bytes(batch.text(field, row))));
        let fields: Vec<_> =
            batch.fields(row).map(|(name, value)| (self.bytes(name), self.bytes(value))).collect();
        let pairs = fields.iter().flat_map(|(name, value)| [name, value]);
        let all = || texts.iter().map(|(_, text)| text).chain(pairs.clone()).chain([&raw]);
        if all().all(|text| matches!(text, Cow::Borrowed(_))) {
            return builder.extend(batch, row..row + 1);
        }
        let is_text = |bytes: &Cow<'_, [u8]>| std::str::from_utf8(bytes).is_ok();
        let flags = if all().all(is_text) { Flags::default() } else { Flags::NOT_UTF8 };
        for (name, value) in &fields {
            builder
                .field(String::from_utf8_lossy(name).as_bytes(), String::from_utf8_lossy(value).as_bytes());
        }
        builder.origin(Origin {
            source: batch.source(row),
            peer: batch.peer(row),
            received: batch.received(row),
        });
        let texts = texts.each_ref().map(|(field, text)| (*field, String::from_utf8_lossy(text)));
        let row = Row {
            time: batch.own_time(row),
            priority: batch.priority(row),
            message_at: None,
            flags: batch.flags(row).with(flags),
            ..Row::text(&raw)
        };
        builder.push(&texts.iter().fold(row, |row, (field, text)| row.with(*field, text.as_bytes())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(body: &[u8]) -> (Vec<u8>, bool) {
        let (text, marks) = mark(body.to_vec());
        let bytes = marks.map_or(text.clone(), |marks| marks.bytes(&text).into_owned());
        (bytes, std::str::from_utf8(&text).is_ok() && text.len() <= 2 * body.len())
    }

    #[test]
    fn letters_of_the_block_and_escapes_of_them_are_not_taken_for_marks() {
        for body in
            ["\u{78e}\u{7ca}\u{7ff}\u{780}".as_bytes(), b"{\"a\":\"\\u078E\xff\"}", b"\xde\x80\xff", b"a\xde"]
        {
            assert_eq!(back(body), (body.to_vec(), true));
        }
        let (text, marks) = mark(b"\\u078E\xff".to_vec());
        assert_eq!((marks, text), (Some(Marks { block: 0x700 }), "\\u078E\u{77f}".as_bytes().to_vec()));
        assert_eq!(mark(b"\\u078e \\u0700 \xff".to_vec()).1, None);
    }

    proptest! {
        #[test]
        fn what_is_marked_is_text_and_comes_back(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..6),
                    "[a\u{780}-\u{7ff}\u{700}-\u{77f}\u{e4}\u{1f600}]{0,4}".prop_map(String::into_bytes),
                ],
                0..8,
            ),
        ) {
            let body = pieces.concat();
            prop_assert_eq!(back(&body), (body, true));
        }
    }
}
