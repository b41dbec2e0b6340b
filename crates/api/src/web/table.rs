//! Who is connected to the web port, how many may be, and who gives way when it is full.
//!
//! **Invariant:** a full table keeps newcomers out only briefly: the oldest stranger that keeps us waiting gives way,
//! or if all are at work, the oldest stranger of all. Connections with a login stay.
//! **Invariant:** a newcomer has the place of the one that gives way at once, with its descriptor: what was free in
//! between would be taken by senders, and thousands of newcomers would each wait for somebody to leave.

use super::limits::Limits;
use super::pulse::{Ending, Pulse};
use logstead_flow::counters::Counters;
use logstead_flow::machine::sockets::{CountedSocket, SocketLimit};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Notify;

/// How many may leave at a time: each has a descriptor that is not counted.
const LEAVING_MAX: usize = 16;

/// As many leave as may: wait for one of them.
#[derive(Debug)]
pub(super) struct Leaving;

/// The open connections.
pub(super) struct Table {
    limits: Limits,
    sockets: Arc<SocketLimit>,
    counters: Arc<Counters>,
    open: Mutex<Open>,
    /// A place has become free.
    left: Notify,
}

#[derive(Default)]
struct Open {
    /// By number: the oldest first.
    places: BTreeMap<u64, (Arc<Pulse>, CountedSocket)>,
    by_network: HashMap<IpAddr, usize>,
    next: u64,
    /// Those whose place is taken, but whose task has not ended yet.
    leaving: usize,
}

/// A connection's place. Dropping it frees the place.
pub(super) struct Seat {
    table: Arc<Table>,
    number: u64,
    pub(super) pulse: Arc<Pulse>,
}

/// Why there is no place now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Full {
    /// The maximum is open.
    Connections,
    /// The maximum of one address is open.
    Address,
    /// The process may open no more files.
    Descriptors,
}

impl Full {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Full::Connections => "connection_limit",
            Full::Address => "address_limit",
            Full::Descriptors => "descriptor_limit",
        }
    }
}

impl Table {
    pub(super) fn new(limits: Limits, sockets: Arc<SocketLimit>, counters: Arc<Counters>) -> Table {
        Table { limits, sockets, counters, open: Mutex::default(), left: Notify::new() }
    }

    /// A place for a connection from an address.
    pub(super) fn admit(self: &Arc<Table>, peer: IpAddr, now: Instant) -> Result<Seat, Full> {
        let network = self.limits.share_of(peer);
        let mut open = self.open.lock();
        if self.limits.connections_max <= open.places.len() {
            return Err(Full::Connections);
        }
        let of_network = network.map_or(0, |network| open.by_network.get(&network).copied().unwrap_or(0));
        if self.limits.connections_of_address_max <= of_network {
            return Err(Full::Address);
        }
        let socket = self.sockets.open_for_web().ok_or(Full::Descriptors)?;
        Ok(self.place(&mut open, network, socket, now))
    }

    /// The place of a stranger who leaves for it: one of the same address, if that is what is full. `None` if there is
    /// no stranger.
    pub(super) fn replace(
        self: &Arc<Table>,
        full: Full,
        peer: IpAddr,
        now: Instant,
    ) -> Option<Result<Seat, Leaving>> {
        let network = self.limits.share_of(peer);
        let is_meant = |pulse: &Pulse| full != Full::Address || pulse.network == network;
        let mut open = self.open.lock();
        let oldest = |wanted: fn(&Pulse) -> bool| {
            let mut places = open.places.iter();
            places.find(|(_, (pulse, _))| is_meant(pulse) && pulse.is_stranger() && wanted(pulse))
        };
        let gives_way = oldest(Pulse::keeps_us_waiting).or_else(|| oldest(|_| true));
        let number = *gives_way?.0;
        if LEAVING_MAX <= open.leaving {
            return Some(Err(Leaving));
        }
        let (pulse, socket) = self.remove(&mut open, number)?;
        open.leaving += 1;
        self.end(&pulse, Ending::GaveWay);
        Some(Ok(self.place(&mut open, network, socket, now)))
    }

    fn place(
        self: &Arc<Table>,
        open: &mut Open,
        network: Option<IpAddr>,
        socket: CountedSocket,
        now: Instant,
    ) -> Seat {
        let pulse = Arc::new(Pulse::new(network, self.limits.timeouts, now));
        let number = open.next;
        open.next += 1;
        open.places.insert(number, (pulse.clone(), socket));
        if let Some(network) = network {
            *open.by_network.entry(network).or_default() += 1;
        }
        self.counters.web.connections.add(1);
        Seat { table: self.clone(), number, pulse }
    }

    fn remove(&self, open: &mut Open, number: u64) -> Option<(Arc<Pulse>, CountedSocket)> {
        let (pulse, socket) = open.places.remove(&number)?;
        if let Some(network) = pulse.network
            && let Some(count) = open.by_network.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                open.by_network.remove(&network);
            }
        }
        self.counters.web.connections.add(-1);
        Some((pulse, socket))
    }

    /// Returns once a place has become free since the last call.
    pub(super) async fn left(&self) {
        self.left.notified().await;
    }

    /// Ends the connections that have kept us waiting too long.
    pub(super) fn sweep(&self, now: Instant) {
        for (pulse, _) in self.open.lock().places.values() {
            if let Some(ending) = pulse.due(now) {
                self.end(pulse, ending);
            }
        }
    }

    pub(super) fn end(&self, pulse: &Pulse, ending: Ending) -> bool {
        let is_first = pulse.end(ending);
        if is_first {
            self.counters.web.ended.add(ending.reason(), 1);
        }
        is_first
    }
}

impl Drop for Seat {
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

    fn table(connections_max: usize, connections_of_address_max: usize, sockets: usize) -> Arc<Table> {
        let minute = Duration::from_secs(60);
        let timeouts = Timeouts { header: minute, idle: minute, stall: minute, long_stall: minute };
        let trusted_proxies = [IpNet::from(PROXY)].into();
        let limits = Limits { connections_max, connections_of_address_max, trusted_proxies, timeouts };
        Arc::new(Table::new(limits, Arc::new(SocketLimit::new(sockets)), Arc::default()))
    }

    fn full(table: &Arc<Table>, peer: IpAddr) -> Option<Full> {
        table.admit(peer, Instant::now()).err()
    }

    /// The place of somebody who leaves.
    fn instead(table: &Arc<Table>, full: Full, peer: IpAddr) -> Option<Seat> {
        table.replace(full, peer, Instant::now()).map(Result::unwrap)
    }

    #[tokio::test]
    async fn the_oldest_stranger_that_keeps_us_waiting_gives_way() {
        let table = table(3, 3, 3);
        let seats: Vec<Seat> = (0..3).map(|_| table.admit(STRANGER, Instant::now()).ok().unwrap()).collect();
        seats[0].pulse.authenticated();
        assert_eq!(full(&table, OTHER), Some(Full::Connections));
        let _work = seats[2].pulse.asked(Instant::now());
        let first = instead(&table, Full::Connections, OTHER).unwrap();
        assert_eq!(seats[1].pulse.ended().await, Ending::GaveWay);
        let _work = first.pulse.asked(Instant::now());
        let second = instead(&table, Full::Connections, OTHER).unwrap();
        assert_eq!(seats[2].pulse.ended().await, Ending::GaveWay, "nobody keeps us waiting: the oldest goes");
        first.pulse.authenticated();
        second.pulse.authenticated();
        assert!(instead(&table, Full::Connections, OTHER).is_none(), "all are known");
        assert_eq!(full(&table, OTHER), Some(Full::Connections));
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
            seats.push(instead(&table, Full::Connections, OTHER).unwrap());
        }
        assert!(matches!(table.replace(Full::Connections, OTHER, Instant::now()), Some(Err(Leaving))));
        drop(seats.remove(0));
        assert!(instead(&table, Full::Connections, OTHER).is_some());
    }

    #[tokio::test]
    async fn an_address_has_its_share_and_who_speaks_for_many_has_none() {
        let table = table(10, 2, 20);
        let other = table.admit(OTHER, Instant::now()).ok().unwrap();
        let seats: Vec<Seat> = (0..2).map(|_| table.admit(STRANGER, Instant::now()).ok().unwrap()).collect();
        assert_eq!(full(&table, STRANGER), Some(Full::Address));
        let _instead = instead(&table, Full::Address, STRANGER).unwrap();
        assert_eq!(seats[0].pulse.ended().await, Ending::GaveWay);
        assert!(other.pulse.is_stranger(), "it is none of its business");
        let of_many = [LOCAL, PROXY, LOCAL, PROXY, PROXY, LOCAL, PROXY];
        let seats_of_many: Vec<_> = of_many.map(|peer| table.admit(peer, Instant::now())).into();
        assert!(seats_of_many.iter().all(Result::is_ok));
    }

    #[test]
    fn descriptors_of_the_process_are_not_used_up() {
        let table = table(10, 10, 1);
        let seat = table.admit(STRANGER, Instant::now()).ok().unwrap();
        assert_eq!(full(&table, OTHER), Some(Full::Descriptors));
        drop(seat);
        assert_eq!(full(&table, OTHER), None);
    }
}
