//! The completions that fit at the cursor of a query.

use crate::Query;
use logstead_record::FieldName;
use std::ops::Range;

/// The state of a query at the cursor. Positions are in characters.
#[derive(Clone, PartialEq, Debug)]
pub struct CompletionPoint {
    /// The range that a chosen completion replaces.
    pub span: Range<usize>,
    /// The text before the cursor, without quotes.
    pub typed: String,
    /// The completions that fit at the cursor.
    pub wanted: Completion,
    /// The filter without the clause that is being typed.
    pub rest: Query,
}

/// The completions that fit at a position.
#[derive(Clone, PartialEq, Debug)]
pub enum Completion {
    /// A clause of a filter: the name of a field and an operator, or a text.
    Clause {
        /// The existing columns, if earlier stages made a table.
        columns: Option<Vec<String>>,
        /// Whether an operator already follows the cursor.
        has_operator: bool,
        /// Whether `AND` or `OR` could join it with a clause before it.
        joins: bool,
    },
    /// The name of a field as a value, as after `_exists_:`.
    Name,
    /// A value to compare a field of the store with.
    Value {
        /// The field that is compared.
        field: FieldName,
        /// Whether it is in quotes.
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
        /// Whether a function may stand here.
        functions: bool,
        /// Words that may stand here.
        words: &'static [&'static str],
    },
    /// A field or a function of an expression.
    Computed {
        /// The existing columns, if earlier stages made a table.
        columns: Option<Vec<String>>,
    },
    /// Nothing that can be completed.
    Nothing,
}
