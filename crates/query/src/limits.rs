//! The limits of queries.

/// Longest text of a query, as written and as printed.
pub const QUERY_BYTES_MAX: usize = 64 << 10;
/// Deepest nesting of parentheses and negations.
pub const NESTING_MAX: usize = 64;
/// Most texts and comparisons in one query.
pub const CLAUSES_MAX: usize = 4096;
/// Most regular expressions in one query.
pub const REGEXES_MAX: usize = 64;
/// Longest source of one regular expression, and of all in one query together: to read a class of two characters, such as
/// `\w`, takes as long as to read a page of text.
pub const REGEX_CHARS_MAX: usize = 8 << 10;
/// Largest compiled form of one regular expression.
pub const REGEX_BYTES_MAX: usize = 1 << 20;
/// Longest text with wildcards, in characters.
pub const GLOB_CHARS_MAX: usize = 512;
/// Longest name of a field, in bytes: none that is stored is as long.
pub const FIELD_BYTES_MAX: usize = 1024;
/// Most words that are searched for near each other.
pub const NEAR_WORDS_MAX: usize = 64;
/// Most other words between them.
pub const DISTANCE_MAX: usize = 100;
/// Most stages after a filter.
pub const STAGES_MAX: usize = 32;
/// Most fields, and most columns, that one stage names.
pub const STAGE_ITEMS_MAX: usize = 32;
/// Most rows that a stage can be asked for.
pub const LIMIT_MAX: u64 = 1_000_000;
/// Most values and operators of one expression.
pub(super) const EXPRESSION_PARTS_MAX: usize = 256;
/// Longest text that an expression gives; a longer one is cut.
pub const VALUE_BYTES_MAX: usize = 64 << 10;
