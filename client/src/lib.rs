//! What it takes to send to another system, for the load generator and the destinations: the frames of RELP as a sender
//! writes and reads them, whom a TLS connection trusts, and the PEM files of both sides.
//!
//! **Invariant:** no socket is known here: the caller connects, waits and gives up.

pub mod pem;
pub mod relp;
pub mod tls;
