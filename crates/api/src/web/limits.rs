//! The limits of the web port: connections, waiting times, and the definition of one peer.

use ipnet::IpNet;
use logstead_config::settings;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The factor by which the reader of an endless response may pause longer than other readers.
const LONG_STALL_FACTOR: u32 = 10;

/// Maximum time between two checks of the connections.
const SWEEP_INTERVAL_MAX: Duration = Duration::from_secs(1);
/// Minimum time between two checks.
const SWEEP_INTERVAL_MIN: Duration = Duration::from_millis(10);

/// The limits of the web port: how much it may hold and how long it waits.
#[derive(Clone, Debug)]
pub struct WebLimits {
    /// The maximum number of connections.
    pub connections_max: usize,
    /// Maximum number of connections from one address.
    pub(crate) connections_of_address_max: usize,
    /// Proxies, which connect on behalf of many others.
    pub(super) trusted_proxies: Arc<[IpNet]>,
    pub(crate) timeouts: Timeouts,
}

/// How long a peer may keep us waiting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// The time for the head of a request.
    pub header: Duration,
    /// The time until the next request.
    pub idle: Duration,
    /// The time until the next bytes of a body arrive, or until the peer reads more of a response.
    pub(crate) stall: Duration,
    /// The time until the peer reads more of an endless response.
    pub(crate) long_stall: Duration,
}

impl WebLimits {
    /// The limits according to the settings, if at most `sockets_max` sockets can be open.
    pub fn of(web: &settings::Web, sockets_max: usize) -> WebLimits {
        let connections_max = (web.connections_max as usize).min(sockets_max).max(1);
        let stall = web.stall_timeout.duration();
        WebLimits {
            connections_max,
            connections_of_address_max: (connections_max / 2).max(1),
            trusted_proxies: web.trusted_proxies.as_slice().into(),
            timeouts: Timeouts {
                header: web.header_timeout.duration(),
                idle: web.idle_timeout.duration(),
                stall,
                long_stall: stall * LONG_STALL_FACTOR,
            },
        }
    }

    /// The network to whose share a peer's connection counts. None for proxies, as all their users come from one
    /// address, and for this machine, where a proxy may run.
    pub(super) fn share_of(&self, peer: IpAddr) -> Option<IpAddr> {
        let is_of_many = peer.to_canonical().is_loopback() || is_trusted(peer, &self.trusted_proxies);
        (!is_of_many).then(|| network(peer))
    }
}

impl Timeouts {
    /// How often connections are checked: often enough for the shortest timeout.
    pub(super) fn sweep_interval(&self) -> Duration {
        let shortest = self.header.min(self.idle).min(self.stall);
        SWEEP_INTERVAL_MAX.min(shortest / 4).max(SWEEP_INTERVAL_MIN)
    }
}

/// The network that counts as one peer: an IPv4 address, or the IPv6 network of one customer.
pub fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        address => address,
    }
}

/// Whether an address is one of the trusted proxies.
pub fn is_trusted(peer: IpAddr, proxies: &[IpNet]) -> bool {
    let address = peer.to_canonical();
    proxies.iter().any(|network| network.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_one_place() {
        let place = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(place("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(place("192.0.2.7"), "192.0.2.7");
    }

    #[test]
    fn a_customer_counts_as_one_and_who_speaks_for_many_does_not_count() {
        let set = vec!["web.trusted_proxies=10.0.0.0/8,2001:db8:ffff::1".to_owned()];
        let settings = settings::load(&settings::Layers { set, ..settings::Layers::default() }).unwrap();
        let limits = WebLimits::of(&settings.web, 100);
        let check = |peer: &str, expected: Option<&str>| {
            let expected = expected.map(|address| address.parse().unwrap());
            assert_eq!(limits.share_of(peer.parse().unwrap()), expected, "{peer}");
        };
        check("192.0.2.7", Some("192.0.2.7"));
        check("::ffff:192.0.2.7", Some("192.0.2.7"));
        check("2001:db8:1:2:3:4:5:6", Some("2001:db8:1:2::"));
        check("2001:db8:ffff::2", Some("2001:db8:ffff::"));
        for of_many in
            ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3", "2001:db8:ffff::1"]
        {
            check(of_many, None);
        }
    }
}
