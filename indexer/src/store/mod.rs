//! A logspace as it is stored: journal files and segments, and what goes on with them.
//!
//! | module     | owns                                                          |
//! |------------|---------------------------------------------------------------|
//! | `view`     | what can be searched at one moment                            |
//! | `options`  | how it is kept                                                |
//! | `part`     | segments and journal files, in one order                      |
//! | `damage`   | what cannot be read, where and why                            |
//! | `manifest` | which segments there are, and how far the messages reach      |
//! | `cursor`   | how far a reader is, in a file                                |
//! | `readers`  | how far those who read a logspace are                         |
//! | `read`     | the batches of a part of the view                             |
//! | `recover`  | opening, to store messages or only to look                    |
//! | `survey`   | which files exist, which count, which are missing             |
//! | `replay`   | a journal file as it is found                                 |
//! | `choose`   | which of several files count that hold the same messages      |
//! | `aside`    | what is kept though it does not count                         |
//! | `append`   | writing: group commit and rolling                             |
//! | `keep`     | sealing, joining, indexing again, expiry: one step at a time  |
//! | `retention` | what is too old or too much to keep                         |
//! | `unopened` | why a logspace cannot be opened                               |
//! | `stats`    | how much there is                                             |
//! | `tally`    | which messages of the journal are counted there               |
//! | `verify`   | reading everything, to compare it with its checksums          |
//! | `inspect`  | what a file holds, for people                                 |
//! | `holds`    | whether a folder holds messages at all                        |
//!
//! **Invariant:** who searches sees a view that never changes; what changes the store publishes another.

pub(crate) mod append;
pub(crate) mod aside;
mod choose;
pub(crate) mod cursor;
pub(crate) mod damage;
pub(crate) mod holds;
pub(crate) mod inspect;
pub(crate) mod keep;
pub(crate) mod manifest;
pub(crate) mod options;
mod part;
pub(crate) mod read;
pub(crate) mod readers;
pub(crate) mod recover;
mod replay;
pub(crate) mod retention;
pub(crate) mod stats;
mod survey;
pub(crate) mod tally;
pub(crate) mod unopened;
pub(crate) mod verify;
pub(crate) mod view;

/// Where the journal of a logspace is in its folder.
pub(crate) const JOURNAL_DIR: &str = "journal";
/// Where its segments are.
pub(crate) const SEGMENTS_DIR: &str = "segments";
