//! The connections to the web port: how many are allowed, and which one gives way when the limit is reached.
//!
//! **Invariant:** a full table keeps newcomers out only briefly: the oldest stranger that keeps us waiting gives way,
//! or if all are at work, the oldest stranger of all. Connections with a login stay.
//! **Invariant:** a newcomer gets the place of the one that gives way at once, with its descriptor: senders would take
//! any descriptor that was free in between, and thousands of newcomers would each wait for somebody to leave.

use super::deadlines::{ConnectionEnd, Deadlines};
use super::limits::WebLimits;
use logstead_flow::counters::Counters;
use logstead_flow::machine::sockets::{CountedSocket, SocketLimit};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Notify;

/// Maximum number of connections that are leaving at a time: each still has a descriptor, which is not counted.
const LEAVING_MAX: usize = 16;

/// The error if the maximum number of connections is already leaving: wait for one of them.
#[derive(Debug)]
pub(super) struct TooManyLeaving;

/// The open connections.
pub(super) struct ConnectionTable {
    limits: WebLimits,
    sockets: Arc<SocketLimit>,
    counters: Arc<Counters>,
    open: Mutex<OpenConnections>,
    /// Notifies that a place has become free.
    left: Notify,
}

#[derive(Default)]
struct OpenConnections {
    /// The places by number, the oldest first.
    places: BTreeMap<u64, (Arc<Deadlines>, CountedSocket)>,
    by_network: HashMap<IpAddr, usize>,
    next: u64,
    /// Connections that have given up their place, but whose task has not ended yet.
    leaving: usize,
}

/// A connection's place in the table. Dropping it frees the place.
pub(super) struct ConnectionSlot {
    table: Arc<ConnectionTable>,
    number: u64,
    pub(super) deadlines: Arc<Deadlines>,
}

/// Why no place is free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoSlot {
    /// The maximum number of connections is open.
    Connections,
    /// The maximum number of connections from one address is open.
    Address,
    /// The process may not open more files.
    Descriptors,
}

impl NoSlot {
    pub(super) fn reason(self) -> &'static str {
        match self {
            NoSlot::Connections => "connection_limit",
            NoSlot::Address => "address_limit",
            NoSlot::Descriptors => "descriptor_limit",
        }
    }
}

impl ConnectionTable {
    pub(super) fn new(
        limits: WebLimits,
        sockets: Arc<SocketLimit>,
        counters: Arc<Counters>,
    ) -> ConnectionTable {
        ConnectionTable { limits, sockets, counters, open: Mutex::default(), left: Notify::new() }
    }

    /// Takes a place for a connection from an address.
    pub(super) fn admit(
        self: &Arc<ConnectionTable>,
        peer: IpAddr,
        now: Instant,
    ) -> Result<ConnectionSlot, NoSlot> {
        let network = self.limits.share_of(peer);
        let mut open = self.open.lock();
        if self.limits.connections_max <= open.places.len() {
            return Err(NoSlot::Connections);
        }
        let of_network = network.map_or(0, |network| open.by_network.get(&network).copied().unwrap_or(0));
        if self.limits.connections_of_address_max <= of_network {
            return Err(NoSlot::Address);
        }
        let socket = self.sockets.open_for_web().ok_or(NoSlot::Descriptors)?;
        Ok(self.place(&mut open, network, socket, now))
    }

    /// Ends a stranger's connection and returns its place: one from the same address, if the share of that address is
    /// full. `None` if no stranger is connected.
    pub(super) fn replace(
        self: &Arc<ConnectionTable>,
        full: NoSlot,
        peer: IpAddr,
        now: Instant,
    ) -> Option<Result<ConnectionSlot, TooManyLeaving>> {
        let network = self.limits.share_of(peer);
        let is_meant = |deadlines: &Deadlines| full != NoSlot::Address || deadlines.network == network;
        let mut open = self.open.lock();
        let oldest = |wanted: fn(&Deadlines) -> bool| {
            let mut places = open.places.iter();
            places.find(|(_, (deadlines, _))| {
                is_meant(deadlines) && deadlines.is_stranger() && wanted(deadlines)
            })
        };
        let gives_way = oldest(Deadlines::keeps_us_waiting).or_else(|| oldest(|_| true));
        let number = *gives_way?.0;
        if LEAVING_MAX <= open.leaving {
            return Some(Err(TooManyLeaving));
        }
        let (deadlines, socket) = self.remove(&mut open, number)?;
        open.leaving += 1;
        self.end(&deadlines, ConnectionEnd::GaveWay);
        Some(Ok(self.place(&mut open, network, socket, now)))
    }

    fn place(
        self: &Arc<ConnectionTable>,
        open: &mut OpenConnections,
        network: Option<IpAddr>,
        socket: CountedSocket,
        now: Instant,
    ) -> ConnectionSlot {
        let deadlines = Arc::new(Deadlines::new(network, self.limits.timeouts, now));
        let number = open.next;
        open.next += 1;
        open.places.insert(number, (deadlines.clone(), socket));
        if let Some(network) = network {
            *open.by_network.entry(network).or_default() += 1;
        }
        self.counters.web.connections.add(1);
        ConnectionSlot { table: self.clone(), number, deadlines }
    }

    fn remove(&self, open: &mut OpenConnections, number: u64) -> Option<(Arc<Deadlines>, CountedSocket)> {
        let (deadlines, socket) = open.places.remove(&number)?;
        if let Some(network) = deadlines.network
            && let Some(count) = open.by_network.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                open.by_network.remove(&network);
            }
        }
        self.counters.web.connections.add(-1);
        Some((deadlines, socket))
    }

    /// Returns once a place has become free since the previous call.
    pub(super) async fn left(&self) {
        self.left.notified().await;
    }

    /// Ends the connections that have kept us waiting too long.
    pub(super) fn sweep(&self, now: Instant) {
        for (deadlines, _) in self.open.lock().places.values() {
            if let Some(ending) = deadlines.due(now) {
                self.end(deadlines, ending);
            }
        }
    }

    pub(super) fn end(&self, deadlines: &Deadlines, ending: ConnectionEnd) -> bool {
        let is_first = deadlines.end(ending);
        if is_first {
            self.counters.web.ended.add(ending.reason(), 1);
        }
        is_first
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.table.open.lock();
        if self.table.remove(&mut open, self.number).is_none() {
            open.leaving -= 1;
        }
        drop(open);
        self.table.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::Timeouts;
    use super::*;
    use ipnet::IpNet;
    use std::time::Duration;

    const STRANGER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));
    const PROXY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 3));
    const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn table(
        connections_max: usize,
        connections_of_address_max: usize,
        sockets: usize,
    ) -> Arc<ConnectionTable> {
        let minute = Duration::from_secs(60);
        let timeouts = Timeouts { header: minute, idle: minute, stall: minute, long_stall: minute };
        let trusted_proxies = [IpNet::from(PROXY)].into();
        let limits = WebLimits { connections_max, connections_of_address_max, trusted_proxies, timeouts };
        Arc::new(ConnectionTable::new(limits, Arc::new(SocketLimit::new(sockets)), Arc::default()))
    }

    fn full(table: &Arc<ConnectionTable>, peer: IpAddr) -> Option<NoSlot> {
        table.admit(peer, Instant::now()).err()
    }

    /// The place of a connection that gives way.
    fn instead(table: &Arc<ConnectionTable>, full: NoSlot, peer: IpAddr) -> Option<ConnectionSlot> {
        table.replace(full, peer, Instant::now()).map(Result::unwrap)
    }

    #[tokio::test]
    async fn the_oldest_stranger_that_keeps_us_waiting_gives_way() {
        let table = table(3, 3, 3);
        let seats: Vec<ConnectionSlot> =
            (0..3).map(|_| table.admit(STRANGER, Instant::now()).ok().unwrap()).collect();
        seats[0].deadlines.authenticated();
        assert_eq!(full(&table, OTHER), Some(NoSlot::Connections));
        let _work = seats[2].deadlines.asked(Instant::now());
        let first = instead(&table, NoSlot::Connections, OTHER).unwrap();
        assert_eq!(seats[1].deadlines.ended().await, ConnectionEnd::GaveWay);
        let _work = first.deadlines.asked(Instant::now());
        let second = instead(&table, NoSlot::Connections, OTHER).unwrap();
        assert_eq!(
            seats[2].deadlines.ended().await,
            ConnectionEnd::GaveWay,
            "nobody keeps us waiting: the oldest goes"
        );
        first.deadlines.authenticated();
        second.deadlines.authenticated();
        assert!(instead(&table, NoSlot::Connections, OTHER).is_none(), "all are known");
        assert_eq!(full(&table, OTHER), Some(NoSlot::Connections));
        assert_eq!((table.counters.web.connections.get(), table.open.lock().leaving), (3, 2));
        drop(seats);
        table.left().await;
        assert!(table.admit(OTHER, Instant::now()).is_ok());
        drop((first, second));
        let open = table.open.lock();
        assert_eq!((open.places.len(), open.by_network.len(), open.leaving), (0, 0, 0));
        assert_eq!((table.counters.web.connections.get(), table.sockets.count()), (0, 0));
    }

    #[test]
    fn a_flood_of_newcomers_waits_for_those_who_leave() {
        let table = table(1, 1, 1);
        let mut seats = vec![table.admit(OTHER, Instant::now()).ok().unwrap()];
        for _ in 0..LEAVING_MAX {
            seats.push(instead(&table, NoSlot::Connections, OTHER).unwrap());
        }
        assert!(matches!(
            table.replace(NoSlot::Connections, OTHER, Instant::now()),
            Some(Err(TooManyLeaving))
        ));
        drop(seats.remove(0));
        assert!(instead(&table, NoSlot::Connections, OTHER).is_some());
    }

    #[tokio::test]
    async fn an_address_has_its_share_and_who_speaks_for_many_has_none() {
        let table = table(10, 2, 20);
        let other = table.admit(OTHER, Instant::now()).ok().unwrap();
        let seats: Vec<ConnectionSlot> =
            (0..2).map(|_| table.admit(STRANGER, Instant::now()).ok().unwrap()).collect();
        assert_eq!(full(&table, STRANGER), Some(NoSlot::Address));
        let _instead = instead(&table, NoSlot::Address, STRANGER).unwrap();
        assert_eq!(seats[0].deadlines.ended().await, ConnectionEnd::GaveWay);
        assert!(other.deadlines.is_stranger(), "it is none of its business");
        let of_many = [LOCAL, PROXY, LOCAL, PROXY, PROXY, LOCAL, PROXY];
        let seats_of_many: Vec<_> = of_many.map(|peer| table.admit(peer, Instant::now())).into();
        assert!(seats_of_many.iter().all(Result::is_ok));
    }

    #[test]
    fn descriptors_of_the_process_are_not_used_up() {
        let table = table(10, 10, 1);
        let slot = table.admit(STRANGER, Instant::now()).ok().unwrap();
        assert_eq!(full(&table, OTHER), Some(NoSlot::Descriptors));
        drop(slot);
        assert_eq!(full(&table, OTHER), None);
    }
}
