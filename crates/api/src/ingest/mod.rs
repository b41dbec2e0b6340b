//! Receives messages over HTTP, in every protocol that shippers speak.
//!
//! | module     | owns                                                                    |
//! |------------|-------------------------------------------------------------------------|
//! | `protocol` | the list of protocols, and the rows of their tables of paths            |
//! | `body_memory` | the memory for bodies and for messages parsed from them              |
//! | `incoming` | a request with messages: its sender, its source, its body; storing      |
//! | `streamed` | storing a body while it arrives                                         |
//! | `refusal_format` | refusals in the format of a protocol                              |
//! | `ecosystem` | the paths of other systems                                             |
//! | `pace`     | the rate limit of a token                                               |
//! | `idempotency` | storing once what may be sent twice                       |
//! | `params`   | the parameters of our own protocol, `native`                            |
//! | the others | a protocol each: its first questions, and its answers                   |
//!
//! Bodies are interpreted by the crate `logstead-ingest`, which knows nothing of HTTP.
//!
//! **Invariant:** a sender hears that its messages are stored when they are, and of those that are not, why.

pub(super) mod body_memory;
mod datadog;
pub(super) mod ecosystem;
mod elastic;
mod gelf;
mod idempotency;
pub(super) mod incoming;
mod journal;
mod loki;
pub(super) mod native;
mod otlp;
pub(super) mod pace;
mod params;
pub(super) mod protocol;
pub(super) mod rate_limit;
pub(super) mod refusal_format;
mod route;
mod splunk;
mod streamed;

pub(super) use elastic::{greeting, index};
