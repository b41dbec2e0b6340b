//! Decodes bodies of HTTP requests into rows of a batch.
//!
//! ```text
//!  body ▶ encoding ▶ a protocol's messages ▶ batches ▶ rows
//! ```
//!
//! | module     | owns                                                                   |
//! |------------|------------------------------------------------------------------------|
//! | `encoding` | unpacking, and the limit on what is unpacked                           |
//! | `marks`    | bytes of JSON bodies that are not UTF-8                                |
//! | `messages` | the interface of a protocol: one message after the other               |
//! | `batches`  | messages in batches of bounded size, and which were refused            |
//! | `protobuf` | the fields of a message in Protocol Buffers                            |
//! | `split`    | lines, elements of an array, and values that stand one after the other |
//! | the others | a protocol each                                                        |
//!
//! **Invariant:** pure: no sockets, no async, no clock. Anybody may send anything: no bytes make this panic or take
//! unbounded memory, and every message is added, or refused with the reason.

pub mod batches;
pub mod bulk;
pub mod datadog;
pub mod encoding;
pub mod gelf;
pub mod hec;
pub mod journal;
pub mod loki;
pub mod marks;
pub mod messages;
pub mod native;
pub mod otlp;
pub mod protobuf;
mod split;
