//! The limits of a table of templates, whatever is sent: beyond these, messages are kept as they are.

/// The most templates of a table: their numbers are 16 bits in a group of rows, with one for messages without.
pub(crate) const TEMPLATES_MAX: usize = 60_000;
/// A table of few rows has fewer: this many,
pub(crate) const TEMPLATES_FREE: usize = 2048;
/// and one more every this many rows.
pub(crate) const ROWS_PER_TEMPLATE: usize = 64;
/// Most keys that are known beside those of templates.
pub(crate) const ALIASES_MAX: usize = 50_000;
/// The most bytes of all keys.
pub(crate) const KEY_BYTES_MAX: usize = 16 << 20;
/// Most places of words that are learned about.
pub(crate) const PLACES_MAX: usize = 1 << 18;
/// Once this many keys were unknown, a new one becomes a template only if its skeleton has been seen before.
pub(crate) const MISSED_FREE: u64 = 4096;

/// Words that a place may have before it is a slot, where few, some or many keys of a skeleton wanted to be templates.
pub(crate) fn words_max(wanted: u32) -> usize {
    match wanted {
        0..64 => WORDS_MAX,
        64..256 => 3,
        _ => 1,
    }
}
/// The most of these.
pub(crate) const WORDS_MAX: usize = 8;

/// Whether a text with this many slots among its words is prose: its template would hold nothing.
pub(crate) fn is_prose(slots: usize, words: usize) -> bool {
    6 < slots && words * 3 < slots * 5
}
