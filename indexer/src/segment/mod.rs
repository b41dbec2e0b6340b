//! A sealed segment: the messages of a closed journal file, made ready for fast search.

mod fields;
mod names;
mod packed;
mod times;

#[cfg(test)]
mod timing;
