//! The time of each row of a segment. Rows within a range of time are found without reading all of them.
//!
//! All numbers are little endian.
//!
//! | bytes      | field     | meaning                                                          |
//! |------------|-----------|------------------------------------------------------------------|
//! | 4          | rows      | how many times there are                                         |
//! | 1          | sorted    | 1 if no time is earlier than the one before it; 0 if one may be |
//! | 20 a frame | directory | the frame's earliest and latest time (i64 nanoseconds) and where its bytes end behind the directory (u32) |
//! | the rest   | frames    | the times of 1024 rows each, the last frame of what is left      |
//!
//! A frame is of the kind that makes it shortest. Its times are whole nanoseconds, microseconds, milliseconds or
//! seconds after its earliest time, and are counted in that unit:
//!
//! | kind | bytes                                             | each time is                                       |
//! |------|---------------------------------------------------|----------------------------------------------------|
//! | 0    | i64 a row                                         | what stands there                                  |
//! | 1    | u8 unit; packed numbers                           | the earliest + number × unit                       |
//! | 2    | u8 unit, i64 first, i64 step; packed numbers      | the one before it + step + number × unit; number 0 belongs to the first row |
//!
//! The kind is the first byte of the frame; a unit is given by its position in the list above.
//!
//! **Invariant:** the directory is read once and its frames are within the section; the times of a frame that
//! was read have exactly the earliest and the latest of its directory entry.

mod frame;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use frame::FRAME_ROWS;
pub(crate) use read::Times;
pub(crate) use write::TimesBuilder;
