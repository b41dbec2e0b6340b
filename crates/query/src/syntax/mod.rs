//! The grammar: reads any text as a [`Tree`] of clauses and stages. `parse` gives trees their meaning.
//!
//! ```text
//! text    = filter { "|" stage }
//! filter  = [ or ]                             nothing means every message
//! or      = and { ( "OR" | "or" | "||" ) and }
//! and     = not { [ "AND" | "and" | "&&" ] not }
//! not     = ( "NOT" | "not" | "-" | "!" ) not | primary
//! primary = "(" or ")" | field comparison | text
//! stage   = "where" filter | name { word | quoted | regex | "(" | ")" | "," | "=" }
//! ```
//!
//! - `lex`: characters to words, quoted texts and regular expressions
//! - `subject`: whether a word compares a field
//! - `tree`: the result; `read`, `comparison` and `stage`: its reading; `tokens`: its tokens in order
//!
//! **Invariant:** every text has a tree, and the tokens of a tree cover all of the text but white space.

mod comparison;
pub(super) mod lex;
mod read;
mod stage;
pub(super) mod subject;
pub(super) mod tokens;
pub(super) mod tree;

pub(super) use read::operand_at;
pub use read::tokens;
pub(super) use tree::Tree;
