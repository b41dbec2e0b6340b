//! The sockets and certificates that sources and the console listen with.

mod certificate;
pub mod sockets;
pub mod subject;
pub mod tls;

pub use certificate::{Certificate, certificates_in};
pub use sockets::BoundSocket;
pub use tls::Certificates;
