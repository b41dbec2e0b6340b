//! Storing what comes over HTTP, in every protocol that shippers speak.
//!
//! | module     | owns                                                                    |
//! |------------|-------------------------------------------------------------------------|
//! | `protocol` | which protocols there are                                               |
//! | `room`     | memory for bodies and for what is parsed from them                      |
//! | `incoming` | a request with messages: who sends it, to which source; its body; storing |
//! | `as_it_comes` | storing a body while it comes                                        |
//! | `dress`    | refusals in the words of a protocol                                     |
//! | `ecosystem`, `route` | the paths of other systems                                    |
//! | `pace`     | how fast a token may send                                               |
//! | `once`, `attempt` | what may be sent twice is stored once                            |
//! | `params`   | parameters of our own protocol                                          |
//! | the others | a protocol each: what it asks first, and what it is answered            |
//!
//! What bodies mean is in the crate `logstead-ingest`, which knows no HTTP.
//!
//! **Invariant:** a sender hears that its messages are stored when they are, and of those that are not, why.

mod attempt;
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
pub(super) mod refusal_format;
mod route;
mod splunk;
mod streamed;

pub(super) use elastic::{greeting, index};
