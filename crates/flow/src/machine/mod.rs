//! The machine's resources and their use by the process: time, cores, memory, descriptors, folders, and the lock on the
//! data directory.

pub mod clock;
pub mod drops;
pub mod folder_entry;
pub mod folders;
pub mod lock;
pub mod memory;
pub mod priority;
pub mod process;
pub mod reserve;
pub mod rights;
pub mod sockets;

/// The number of threads that can run at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The host name of this machine.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
