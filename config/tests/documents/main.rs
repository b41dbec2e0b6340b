//! Settings and router documents: what is read, what is refused and why, and what is written again.

mod diff;
mod problems;
mod round_trip;
mod schema;
mod settings;
mod shipped;
mod warnings;
