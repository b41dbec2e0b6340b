//! Divides the file descriptors of the process between connections and storage.
//!
//! Everything that accepts connections takes its sockets from the same allowance. Without it, enough connections
//! would take the descriptor that the next journal file needs, and storing would stop.
//!
//! **Invariant:** connections never have more than [`SocketLimit::max`], and those of senders leave some for the web
//! port: the person who has to find out why there are so many must be able to log in.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Descriptors reserved for everything but connections; at most a quarter of all.
const RESERVED_MAX: usize = 1280;
/// The descriptors reserved for the database, listeners and the like; the rest are for files of the store.
const OTHERS: usize = 256;
/// Sockets that only the web port gets; at most an eighth of all.
const WEB_MAX: usize = 16;
/// Minimum number of open files of the store.
const FILES_MIN: usize = 16;

/// The number of descriptors that the process may open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descriptors {
    /// The number of all descriptors.
    pub all: usize,
    /// The maximum number of connections.
    pub sockets_max: usize,
    /// The maximum number of open files of the store.
    pub files_max: usize,
}

impl Descriptors {
    /// Raises the limit of the process as far as the system allows, and shares it out.
    pub fn of_process() -> Descriptors {
        let limit = getrlimit(Resource::Nofile);
        // If it cannot be raised, the soft limit stays.
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).ok();
        let all = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        Descriptors::shared_out(usize::try_from(all).unwrap_or(usize::MAX))
    }

    fn shared_out(all: usize) -> Descriptors {
        let reserved = (all / 4).min(RESERVED_MAX);
        let files_max = reserved.saturating_sub(OTHERS.min(reserved / 2)).max(FILES_MIN);
        Descriptors { all, sockets_max: all - reserved, files_max }
    }
}

/// The sockets that all connections of the process share.
#[derive(Debug)]
pub struct SocketLimit {
    /// The limit.
    pub max: usize,
    open: AtomicUsize,
}

/// A socket that is counted for as long as this value lives.
#[derive(Debug)]
pub struct CountedSocket(Arc<SocketLimit>);

impl SocketLimit {
    /// A share of at most this many sockets.
    pub fn new(max: usize) -> SocketLimit {
        SocketLimit { max, open: AtomicUsize::new(0) }
    }

    /// A socket for a sender; `None` if the maximum of these is open.
    pub fn open(self: &Arc<SocketLimit>) -> Option<CountedSocket> {
        self.open_below(self.max - WEB_MAX.min(self.max / 8))
    }

    /// A socket for the web port; `None` if the maximum is open.
    pub fn open_for_web(self: &Arc<SocketLimit>) -> Option<CountedSocket> {
        self.open_below(self.max)
    }

    fn open_below(self: &Arc<SocketLimit>, max: usize) -> Option<CountedSocket> {
        let more = |open| (open < max).then_some(open + 1);
        self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(CountedSocket(self.clone()))
    }

    /// The number of open sockets.
    pub fn count(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

impl Drop for CountedSocket {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_keeps_its_share_however_few_there_are() {
        for all in [128, 256, 1024, 4096, 20_000, 1 << 20] {
            let Descriptors { sockets_max, files_max, .. } = Descriptors::shared_out(all);
            assert!(sockets_max + files_max < all, "{all}: {sockets_max} and {files_max}");
            assert!(all / 2 < sockets_max && FILES_MIN <= files_max, "{all}: {sockets_max} and {files_max}");
        }
        let expected = Descriptors { all: 20_000, sockets_max: 18_720, files_max: 1024 };
        assert_eq!(Descriptors::shared_out(20_000), expected);
    }

    #[test]
    fn no_more_sockets_are_open_than_may_be() {
        let sockets = Arc::new(SocketLimit::new(2));
        let (first, second) = (sockets.open(), sockets.open());
        assert!(first.is_some() && second.is_some() && sockets.open().is_none());
        drop(first);
        assert!(sockets.open().is_some() && sockets.count() == 1);
    }

    #[test]
    fn senders_leave_some_for_those_who_look_why_there_are_so_many() {
        for (max, of_senders) in [(80, 70), (20_000, 19_984)] {
            let sockets = Arc::new(SocketLimit::new(max));
            let open: Vec<CountedSocket> = std::iter::from_fn(|| sockets.open()).collect();
            let of_web: Vec<CountedSocket> = std::iter::from_fn(|| sockets.open_for_web()).collect();
            assert_eq!((open.len(), of_web.len()), (of_senders, max - of_senders));
        }
    }
}
