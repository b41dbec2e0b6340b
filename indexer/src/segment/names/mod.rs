//! A column of names of a segment: the distinct values once, and a packed id for each row.
//!
//! All numbers are little endian.
//!
//! | bytes       | field       | meaning                                                            |
//! |-------------|-------------|--------------------------------------------------------------------|
//! | 1           | kind        | 0: only which rows have a value; 1: which value each row has; 2: as 0, and no value is empty; 3: as 1, with rows that are u8 the bytes of a number, and zstd of the lowest byte of all rows, then of the next |
//! | 4           | values      | how many distinct values there are; 0 for the kinds 0 and 2        |
//! | 4 a value   | ends        | where each value ends in the bytes of all                          |
//! | to last end | value bytes | the values back to back                                            |
//! | the rest    | rows        | packed numbers: 0 for a row without a value, else its value's id + 1, for the kinds 0 and 2 always 1 |
//!
//! In an index, a column with more than [`VALUES_MAX`](write::VALUES_MAX) values, or more than
//! [`VALUE_BYTES_MAX`](write::VALUE_BYTES_MAX) bytes of values, is of kind 0 or 2. In the blocks file, a column
//! always has all values. Before kind 2 existed, all such columns were of kind 0.
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
pub(crate) use values::NameValues;
pub(crate) use write::NamesBuilder;
