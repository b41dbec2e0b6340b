//! A sealed segment: the messages of a closed journal file, made ready for fast search.

mod bundle;
mod directory;
mod inverter;
mod words;
