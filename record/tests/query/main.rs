//! The query language from outside: what texts mean, and that the matcher finds what the meaning says.

mod habits;
mod matching;
mod properties;
mod reference;
mod strategies;
