//! Tools for measuring runs.

use anyhow::{Context as _, Result};
use rustix::time::{ClockId, clock_gettime};
use std::io::Write;

/// The CPU time that this process has used, in nanoseconds.
pub(crate) fn cpu() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The peak memory of this process.
pub(crate) fn peak_memory_bytes() -> Result<u64> {
    memory_bytes("self", "VmHWM")
}

/// A value from `/proc/PID/status`: `VmHWM`, the peak memory, or `VmRSS`, the current one.
pub(crate) fn memory_bytes(pid: &str, name: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let line = line.with_context(|| format!("/proc says no {name}"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes << 10)
}

/// Prints a line of the report. Nothing is printed in tests, as a "FAIL" in it would be mistaken for a failed test.
pub(crate) fn print(line: &str) -> Result<()> {
    if cfg!(test) {
        return Ok(());
    }
    writeln!(std::io::stdout(), "{line}").context("standard output")
}
