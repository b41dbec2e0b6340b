//! What is being typed at a place in a query, and what fits there.

use crate::Query;
use logstead_record::FieldName;
use std::ops::Range;

/// What is being typed. Places are in characters.
#[derive(Clone, PartialEq, Debug)]
pub struct CompletionPoint {
    /// What a choice replaces.
    pub span: Range<usize>,
    /// The text before the cursor, without quotes.
    pub typed: String,
    /// What fits there.
    pub wanted: Completion,
    /// The filter without the clause that is being typed.
    pub rest: Query,
}

/// What fits at a place.
#[derive(Clone, PartialEq, Debug)]
pub enum Completion {
    /// A clause of a filter: the name of a field and an operator, or a text.
    Clause {
        /// The existing columns, if earlier stages made a table.
        columns: Option<Vec<String>>,
        /// Whether an operator follows already.
        has_operator: bool,
        /// Whether `AND` or `OR` could join it with a clause before it.
        joins: bool,
    },
    /// The name of a field as a value, as after `_exists_:`.
    Name,
    /// A value that a field of the store is compared with.
    Value {
        /// Which field.
        field: FieldName,
        /// Whether it stands in quotes.
        quoted: bool,
        /// Whether it is compared by size.
        ordered: bool,
    },
    /// A stage.
    Stage,
    /// A part of a stage.
    Argument {
        /// The existing columns, if earlier stages made a table.
        columns: Option<Vec<String>>,
        /// Whether the name of a field or column may stand here.
        names: bool,
        /// Whether a function may.
        functions: bool,
        /// Words that may.
        words: &'static [&'static str],
    },
    /// A field or a function of an expression.
    Computed {
        /// The existing columns, if earlier stages made a table.
        columns: Option<Vec<String>>,
    },
    /// Nothing that could be known.
    Nothing,
}
