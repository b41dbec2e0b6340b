//! The second version of a blocks file: columns of the whole segment, and groups of rows whose texts are templates and
//! variables. It is a [bundle](crate::segment::bundle) of these sections:
//!
//! | section              | holds                                                                          |
//! |----------------------|--------------------------------------------------------------------------------|
//! | `rows.G`             | of group G: [which template each message has](logstead_template::Rows)          |
//! | `message.G`          | its messages: [a group of texts](logstead_template::TextGroup)                  |
//! | `pid.G`, `head.G`, `tail.G` | the other texts of its rows, *whole*; missing where all of them are empty |
//! | `parts.G`            | its [dynamic fields](logstead_template::Parts); missing where there are none    |
//! | `values.G`           | those of their values that are not parts of messages, whole; missing where there are none |
//! | `origin.G`           | the number in `origin` of what each row has, [in the order of places](logstead_template::Placed) |
//! | `time`               | the [time](crate::segment::times) that each row counts by                       |
//! | `received`           | when it was received                                                            |
//! | `clock`              | names: 0 where a row counts by its own time, 1 where it has none, 2 where that is not believed |
//! | `own`                | the own time of each row that has 2 in `clock`, and any time for others; missing where no row has 2 |
//! | `host` …             | a column of names for each section of [`COLUMNS`], with all values; that of `origin` has no rows: these are in `origin.G`; that of `copy_of` is missing where no row has a value |
//! | `head_form`          | names: the forms of heads                                                       |
//! | `segment`            | below                                                                           |
//! | `pieces`             | BLAKE3 of each 64 KiB of all sections before it; the root in the header is that of the tree over these |
//!
//! A group of texts that is *whole* has in front of it u32 the length of its rows, and these. The section `segment` is
//! 32 bytes: earliest, latest, received first and last of all messages; 32: the hash of the journal frame before the
//! first; 32: the hash of the frame of the last message; then u32 for each group its rows.
//!
//! In version 2 all values of dynamic fields were in `values.G`, and in the place of `parts.G` was `fields.G`: u32 length,
//! [packed](crate::segment::packed) how many fields each row has; [names](crate::segment::names) of the fields.
//!
//! A block is 1024 rows, the last of each group what is left.
//!
//! | module     | owns                                                     |
//! |------------|----------------------------------------------------------|
//! | `layout`   | the names of the sections, and what stands in `clock`    |
//! | `write`    | batches → sections                                       |
//! | `take`     | groups of another file, as they are                      |
//! | `groups`   | an open file: which rows are in which groups and blocks  |
//! | `sections` | what sections hold, once they were opened                |
//! | `read`     | some columns of some rows                                |
//! | `texts`    | what an index is made of                                 |
//! | `gather`   | values of some rows of a column                          |
//!
//! **Invariant:** every byte was checked against the checksum of its page when it was read.

mod gather;
mod groups;
mod layout;
mod read;
mod sections;
mod take;
mod texts;
mod write;

pub(crate) use groups::TextGroups;
pub(crate) use texts::GroupTexts;
pub(crate) use write::BlocksWriter;
