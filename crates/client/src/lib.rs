//! Tools for connecting to other systems, used by the load generator, destinations, external logins and the commands
//! that query a server: RELP frames from the sender's side, the trust of TLS connections, the proxy of a request, and
//! PEM files.
//!
//! **Invariant:** all clients of TLS trust by the one rule of [`tls`], and all clients of HTTP find their proxy by the one
//! rule of [`proxy`].

pub mod http;
pub mod pem;
pub mod proxy;
pub mod relp;
pub mod tls;
