//! The shapes of the messages of a batch, so that text common to many messages is examined once.
//!
//! The messages of a program have few [shapes](word::shape), and a text without a number occurs in a message exactly
//! if it occurs in the message's shape. 8000 messages from servers have about 450 shapes, so such a text is found by
//! reading a twentieth of the bytes.

use crate::column::{NameColumn, NameColumnBuilder, TextColumn};
use crate::word;

/// The smallest batch with shapes; fewer messages are examined one by one.
pub const SHAPED_ROWS_MIN: usize = 256;
/// The number of shapes after which their repetition is checked.
const SHAPES_MIN: usize = 64;
/// The minimum number of messages per shape; with fewer, shapes would save little and cost much.
const REPEATED_MIN: usize = 4;

/// The shape of each message; `None` if shapes are not worth their cost.
pub(crate) fn of(messages: &TextColumn) -> Option<NameColumn> {
    if messages.len() < SHAPED_ROWS_MIN {
        return None;
    }
    let mut shapes = NameColumnBuilder::with_capacity(messages.len());
    let mut shape = Vec::new();
    // A single check for all messages costs next to nothing.
    let shape_of = if messages.bytes().is_ascii() { word::shape_ascii } else { word::shape };
    for (row, message) in messages.iter().enumerate() {
        shape.clear();
        shape_of(message, &mut shape);
        shapes.push(&shape);
        if SHAPES_MIN + row / REPEATED_MIN < shapes.values() {
            return None;
        }
    }
    Some(shapes.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(messages: impl Iterator<Item = String>) -> Option<NameColumn> {
        let mut column = TextColumn::default();
        messages.for_each(|message| column.push(message.as_bytes()));
        of(&column)
    }

    #[test]
    fn messages_that_repeat_have_few() {
        let message =
            |row: usize| format!("user {row} logged {}", if row.is_multiple_of(3) { "in" } else { "out" });
        let found = shapes((0..1000).map(message)).unwrap();
        assert_eq!(
            found.values().iter().collect::<Vec<_>>(),
            [&b"user 0 logged in"[..], b"user 0 logged out"]
        );
        assert_eq!((found.len(), &found.ids()[..4]), (1000, &[0, 1, 1, 0][..]));
    }

    #[test]
    fn few_messages_and_those_that_do_not_repeat_have_none() {
        let word = |row: usize| "x".repeat(row);
        assert!(shapes((0..SHAPED_ROWS_MIN - 1).map(|_| String::new())).is_none());
        assert!(shapes((0..1000).map(word)).is_none());
        // Shapes are not worth it either if they repeat only at first.
        assert!(shapes((0..2000).map(|row| word(usize::saturating_sub(row, 500)))).is_none());
    }
}
