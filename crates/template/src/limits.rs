//! The limits of a table of templates, for any input: beyond these, messages are kept unchanged.

/// The maximum number of templates in a table: in a group of rows they are numbered with 16 bits, and one number
/// stands for messages without a template.
pub(crate) const TEMPLATES_MAX: usize = 60_000;
/// A table with few rows has fewer templates: this many,
pub(crate) const TEMPLATES_FREE: usize = 2048;
/// and one more for this many rows.
pub(crate) const ROWS_PER_TEMPLATE: usize = 64;
/// The maximum number of known keys besides those of templates.
pub(crate) const ALIASES_MAX: usize = 50_000;
/// The maximum number of bytes of all keys.
pub(crate) const KEY_BYTES_MAX: usize = 16 << 20;
/// The maximum number of places of words that are tracked to learn slots.
pub(crate) const PLACES_MAX: usize = 1 << 18;
/// Once this many keys have been unknown, a new one becomes a template only if its skeleton has been seen before.
pub(crate) const MISSED_FREE: u64 = 4096;

/// The number of words that a place may have before it becomes a slot: it is lower the more keys of a skeleton were
/// candidates for templates.
pub(crate) fn words_max(wanted: u32) -> usize {
    match wanted {
        0..16 => WORDS_MAX,
        16..48 => 3,
        _ => 1,
    }
}
/// The maximum of these numbers.
pub(crate) const WORDS_MAX: usize = 8;

/// Whether a text with this many slots among its words is prose: its template would contain hardly any text.
pub(crate) fn is_prose(slots: usize, words: usize) -> bool {
    6 < slots && words * 3 < slots * 5
}
