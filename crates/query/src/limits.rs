//! The limits of queries.

/// Longest text of a query, as written and as printed.
pub const QUERY_BYTES_MAX: usize = 64 << 10;
/// Greatest nesting depth of parentheses and negations.
pub const NESTING_MAX: usize = 64;
/// Greatest number of texts and comparisons in one query.
pub const CLAUSES_MAX: usize = 4096;
/// Greatest number of regular expressions in one query.
pub const REGEXES_MAX: usize = 64;
/// Longest source of one regular expression, and of all in one query together: reading a class of two characters,
/// such as `\w`, takes as long as reading a page of text.
pub const REGEX_CHARS_MAX: usize = 8 << 10;
/// Largest compiled form of one regular expression.
pub const REGEX_BYTES_MAX: usize = 1 << 20;
/// Longest text with wildcards, in characters.
pub const GLOB_CHARS_MAX: usize = 512;
/// Longest name of a field, in bytes; no stored field has a name as long as this.
pub const FIELD_BYTES_MAX: usize = 1024;
/// Greatest number of words that are searched for near each other.
pub const NEAR_WORDS_MAX: usize = 64;
/// Greatest number of other words allowed between them.
pub const DISTANCE_MAX: usize = 100;
/// Greatest number of stages after a filter.
pub const STAGES_MAX: usize = 32;
/// Greatest number of fields, and of columns, that one stage names.
pub const STAGE_ITEMS_MAX: usize = 32;
/// Greatest number of rows that a stage can be asked for.
pub const LIMIT_MAX: u64 = 1_000_000;
/// Greatest number of values and operators of one expression.
pub(super) const EXPRESSION_PARTS_MAX: usize = 256;
/// Longest text that an expression gives; a longer one is cut.
pub const VALUE_BYTES_MAX: usize = 64 << 10;
