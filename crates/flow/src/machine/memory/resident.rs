//! The memory that the process takes, as the system reports it.

/// The memory that the system has given to this process; `None` if it does not report it.
pub fn resident_bytes() -> Option<u64> {
    of_status("VmRSS:")
}

/// The part of that memory that no file backs, so that the system cannot take it back.
pub(super) fn unreclaimable_bytes() -> Option<u64> {
    of_status("RssAnon:")
}

/// A figure of `/proc/self/status`.
fn of_status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib << 10)
}
