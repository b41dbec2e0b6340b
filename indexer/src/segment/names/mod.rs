//! A column of names of a segment: the distinct values once, and a packed id for each row.
//!
//! All numbers are little endian.
//!
//! | bytes       | field       | meaning                                                            |
//! |-------------|-------------|--------------------------------------------------------------------|
//! | 1           | kind        | 1: rows are packed numbers; 3: rows are u8 the bytes of a number, and zstd of the lowest byte of all rows, then of the next |
//! | 4           | values      | how many distinct values there are                                 |
//! | 4 a value   | ends        | where each value ends in the bytes of all                          |
//! | to last end | value bytes | the values back to back                                            |
//! | the rest    | rows        | for each row 0 if it has no value, else its value's id + 1         |
//!
//! **Invariant:** every row of an open [`NamesColumn`] has a value that exists or none.

mod layout;
mod planes;
mod read;
#[cfg(test)]
mod tests;
mod values;
mod write;

pub(crate) use read::NamesColumn;
pub(crate) use values::read_values;
pub(crate) use write::{NamesBuilder, write_compressed};
