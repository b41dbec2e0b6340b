//! The addresses that a server's name stands for, asked for again at each connection.

use logstead_config::Address;
use std::net::{SocketAddr, ToSocketAddrs};

/// The most addresses of one name that are tried.
const ADDRESSES_MAX: usize = 8;

/// At least one.
pub(super) fn resolve(server: &Address) -> Result<Vec<SocketAddr>, String> {
    let found = (server.host.as_str(), server.port).to_socket_addrs();
    let found: Vec<_> = found.map_err(|error| format!("{server}: {error}"))?.take(ADDRESSES_MAX).collect();
    if found.is_empty() { Err(format!("{server}: the name has no address")) } else { Ok(found) }
}
