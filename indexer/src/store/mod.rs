//! The storage of a logspace: journal files and segments, and the work on them.
//!
//! | module     | owns                                                          |
//! |------------|---------------------------------------------------------------|
//! | `view`     | everything that can be searched at one moment                 |
//! | `options`  | how it is kept                                                |
//! | `part`     | segments and journal files, in one order                      |
//! | `damage`   | the parts that cannot be read, and why                        |
//! | `manifest` | the list of segments, and how far the messages reach          |
//! | `cursor`   | how far a reader is, in a file                                |
//! | `readers`  | how far those who read a logspace are                         |
//! | `read`     | the batches of a part of the view                             |
//! | `recover`  | opening, to store messages or only to look                    |
//! | `survey`   | which files exist, which count, which are missing             |
//! | `replay`   | a journal file as it is found                                 |
//! | `choose`   | the files that count, if several hold the same messages       |
//! | `orphans`  | files that are kept although they do not count                |
//! | `append`   | writing: group commit and rolling                             |
//! | `keep`     | sealing, joining, indexing again, expiry: one step at a time  |
//! | `retention` | the parts that are too old or too much to keep              |
//! | `unopened` | why a logspace cannot be opened                               |
//! | `stats`    | the contents in figures                                       |
//! | `tally`    | the messages of the journal that are counted there            |
//! | `verify`   | reading everything, to compare it with its checksums          |
//! | `inspect`  | the contents of a file, for people                            |
//! | `holds`    | whether a folder holds messages at all                        |
//!
//! **Invariant:** a search sees a view that never changes; every change of the store publishes a new one.

pub(crate) mod append;
mod choose;
pub(crate) mod cursor;
pub(crate) mod damage;
pub(crate) mod holds;
pub(crate) mod inspect;
pub(crate) mod keep;
pub(crate) mod manifest;
pub(crate) mod options;
pub(crate) mod orphans;
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

/// The name of the journal in the folder of a logspace.
pub(crate) const JOURNAL_DIR: &str = "journal";
/// The name of its folder of segments.
pub(crate) const SEGMENTS_DIR: &str = "segments";
