//! What it takes to send to another system, for the load generator, the destinations, logins elsewhere and the commands that
//! ask a server: the frames of RELP as a sender writes and reads them, whom a TLS connection trusts, which proxy a request
//! goes through, and the PEM files of both sides.
//!
//! **Invariant:** all clients of TLS trust by the one rule of [`tls`], and all clients of HTTP find their proxy by the one
//! rule of [`proxy`].

pub mod http;
pub mod pem;
pub mod proxy;
pub mod relp;
pub mod tls;
