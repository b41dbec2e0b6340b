//! Received bytes become messages: known frames of every format, and random ones.

mod formats;
mod fuzz_bodies;
