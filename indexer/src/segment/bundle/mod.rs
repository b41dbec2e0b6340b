//! Named sections in one file, with a checksum for each page: both files of a segment.
//!
//! | offset | size | field          | meaning                                                           |
//! |-------:|-----:|----------------|-------------------------------------------------------------------|
//! |      0 |    4 | magic          | `LSI1` for an index, `LSB2` for blocks                            |
//! |      4 |    4 | header crc     | CRC-32C of the header from here on                                |
//! |      8 |    4 | version        | of what the sections hold; these 80 bytes stay the same in every version |
//! |     12 |    4 | rows           | number of messages in the segment                                 |
//! |     16 |    8 | first sequence | of the first of them                                              |
//! |     24 |   32 | blocks hash    | the root of the blocks: of those that an index was made of, or of these |
//! |     56 |    8 | body bytes     | length of all sections together                                   |
//! |     64 |    4 | sections       | number of sections                                                |
//! |     68 |    4 | tables bytes   | length of the tables, which end the file                          |
//! |     72 |    4 | tables crc     | CRC-32C of the tables                                             |
//! |     76 |    4 | reserved       | zero                                                              |
//! |     80 |      | sections       | back to back                                                      |
//!
//! The tables contain, for each section, the length of its name as u8, its name, and its length as u64; then, for
//! each page, its CRC-32C as u32. A page is 16 KiB of a section, and the last page of each may be shorter, so damage
//! affects only one section. All numbers are little endian.
//!
//! An index is derived data: if it is damaged, cut short or of another version, it can be made again from the blocks.
//!
//! | module   | owns                                                   |
//! |----------|--------------------------------------------------------|
//! | `kind`   | what a file holds, and its version                     |
//! | `header` | its first bytes                                        |
//! | `tables` | its last bytes: the sections and the checksums of pages |
//! | `write`  | sections → a file                                      |
//! | `read`   | a file → checked bytes of sections                     |
//! | `error`  | why it cannot be read                                  |
//!
//! **Invariant:** every byte that is handed out was checked since it was read from the disk.

mod error;
mod header;
mod kind;
mod read;
mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod write;

pub use error::IndexError;
pub(crate) use header::BundleIdentity;
pub(crate) use kind::BundleKind;
pub(crate) use read::{Bundle, Section};
pub(crate) use write::BundleWriter;
