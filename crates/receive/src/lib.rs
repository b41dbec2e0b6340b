//! Sources: each has a thread with its own runtime that reads its sockets, splits the bytes into frames, and passes
//! chunks of frames to the workers. Parsing happens in the workers, so that a source's thread only reads.
//!
//! ```text
//! accept ─▶ PROXY header ─▶ TLS ─▶ stream ─▶ gather ─▶ chunk
//!                              ├─▶ relp (answers when the chunk is durable)
//!                              └─▶ otlp (reads requests to batches, and answers when these are durable)
//! datagrams ──────────────────────────────────────▶ chunk
//! files (go on when the chunk is durable) ────────▶ chunk
//! ```
//!
//! Sockets are bound before a router document goes live, and stay open while their source's settings change.

mod accept;
pub mod coalesce;
mod connection;
mod context;
mod datagrams;
mod files;
mod gather;
mod otlp;
mod proxy;
mod ready;
mod relp;
mod settings;
mod stream;
mod thread;

pub use context::{SourceContext, SourceDeps};
pub use ready::ReadySockets;
pub use settings::{SettingsError, SourceSettings, time_zone};
pub use thread::RunningSource;
