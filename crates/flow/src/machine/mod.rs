//! What the machine gives the process, and what the process takes of it: time, cores, memory, descriptors, folders,
//! and the lock on its data directory.

pub mod clock;
pub mod drops;
pub mod folders;
pub mod lock;
pub mod memory;
pub mod place;
pub mod priority;
pub mod process;
pub mod reserve;
pub mod rights;
pub mod sockets;

/// How many threads can run at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What this machine is called.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
