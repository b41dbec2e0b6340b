//! What the machine gives the process, and what the process takes of it: time, cores, memory, descriptors, folders,
//! and the lock on its data directory.

pub(crate) mod clock;
pub(crate) mod drops;
pub(crate) mod folders;
pub(crate) mod lock;
pub(crate) mod memory;
pub(crate) mod place;
pub(crate) mod priority;
pub(crate) mod rights;
pub(crate) mod sockets;

/// How many threads can run at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What this machine is called.
pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
