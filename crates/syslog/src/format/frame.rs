//! A frame, its context, and its initial row.

use logstead_record::{Field, Flags, Row, Timestamp};

/// The byte order mark of a UTF-8 text, which is not a part of it.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The context of a frame: facts besides its bytes.
#[derive(Clone, Copy)]
pub struct FrameContext<'a> {
    /// The flags that framing set.
    pub flags: Flags,
    /// The time of receipt, which decides the year of stamps without one.
    pub received: Timestamp,
    /// A time when the frame had already been written: a line of an old file belongs to the year in which the file
    /// ended.
    pub written: Timestamp,
    /// The host for messages that name none.
    pub peer: &'a [u8],
    /// Another fact about the sender: name and value of a field.
    pub field: Option<(&'a [u8], &'a [u8])>,
}

impl FrameContext<'_> {
    /// The context of a frame of which only the time of receipt is known.
    pub fn at(received: Timestamp) -> FrameContext<'static> {
        FrameContext { flags: Flags::default(), received, written: received, peer: b"", field: None }
    }
}

/// The bytes of a frame, and the part of them that is read.
#[derive(Clone, Copy)]
pub(super) struct FrameText<'a> {
    /// All of them.
    pub(super) raw: &'a [u8],
    /// The bytes without line ends, NULs and spaces at the end.
    pub(super) text: &'a [u8],
    /// The position where the `<` of the priority is expected.
    pub(super) start: usize,
}

impl<'a> FrameText<'a> {
    pub(super) fn new(raw: &'a [u8]) -> FrameText<'a> {
        let text = visible(raw);
        let start = if text.first() == Some(&b'<') { 0 } else { blanks(text) };
        FrameText { raw, text, start }
    }
}

/// A row with nothing but the text.
pub(super) fn text_row(frame: FrameText<'_>) -> Row<'_> {
    Row::text(frame.raw).with(Field::Message, frame.text)
}

/// Sets the message to all of the text from `at` on.
pub(super) fn set_message<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize) {
    (row[Field::Message], row.message_at) = (&text[at..], Some(at));
}

/// Makes the line a text with a time and nothing else.
pub(super) fn stamped_text(row: &mut Row<'_>, time: Timestamp) {
    row.time = Some(time);
    row.flags = row.flags.with(Flags::UNPARSED);
}

/// The frame without the line ends, NULs and spaces at its end, which are kept but not shown.
pub(super) fn visible(frame: &[u8]) -> &[u8] {
    let end =
        frame.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n' | b' ' | 0)).map_or(0, |last| last + 1);
    &frame[..end]
}

/// The number of bytes before the priority that some senders and their framing leave there.
fn blanks(text: &[u8]) -> usize {
    let bom = if text.starts_with(BOM) { BOM.len() } else { 0 };
    bom + text[bom..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'\t' | b' ' | 0)).count()
}
