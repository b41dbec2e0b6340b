//! The system's figures about this process, the same ones that every client library for Prometheus exposes.

use std::fs::read_to_string;

/// The unit of times in `/proc`, which is the same on every architecture of Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// Figures of one moment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProcessFigures {
    /// CPU time used since the start, in seconds.
    pub cpu_seconds: f64,
    /// The time in seconds since 1970.
    pub start_seconds: f64,
    /// Memory in use, in bytes.
    pub resident_bytes: u64,
    /// Address space in use, in bytes.
    pub virtual_bytes: u64,
    /// Running threads.
    pub threads: u64,
    /// `None` if the system does not say.
    pub open_files: Option<u64>,
    /// The maximum number of open files; `None` if the system does not say.
    pub open_files_max: Option<u64>,
}

/// `None` if the system does not report them.
pub fn figures() -> Option<ProcessFigures> {
    let stat = read_to_string("/proc/self/stat").ok()?;
    let boot = read_to_string("/proc/stat").ok()?;
    let limits = read_to_string("/proc/self/limits").ok();
    let mut figures =
        read(&stat, &boot, limits.as_deref().unwrap_or_default(), super::memory::resident_bytes()?)?;
    figures.open_files = std::fs::read_dir("/proc/self/fd").ok().map(|open| open.count() as u64);
    Some(figures)
}

/// Reads the three files; the fields of the first are numbered as in `proc_pid_stat(5)`.
fn read(stat: &str, boot: &str, limits: &str, resident_bytes: u64) -> Option<ProcessFigures> {
    // The name of the program may contain any character.
    let (_, behind) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = behind.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field.checked_sub(3)?)?.parse::<u64>().ok();
    let booted: f64 = boot.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    Some(ProcessFigures {
        cpu_seconds: (number(14)? + number(15)?) as f64 / TICKS_PER_SECOND,
        start_seconds: booted + number(22)? as f64 / TICKS_PER_SECOND,
        resident_bytes,
        virtual_bytes: number(23)?,
        threads: number(20)?,
        open_files: None,
        open_files_max: files.and_then(|line| line.split_ascii_whitespace().next()?.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_system_are_read() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 1 0 0 0 150 50 0 0 20 0 12 0 30000 2048 5 18446744073709551615 1 1\n";
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                 files\n";
        let expected = ProcessFigures {
            cpu_seconds: 2.0,
            start_seconds: 1_000_300.0,
            resident_bytes: 9,
            virtual_bytes: 2048,
            threads: 12,
            open_files: None,
            open_files_max: Some(1024),
        };
        assert_eq!(read(stat, "cpu 1 2\nbtime 1000000\n", limits, 9), Some(expected));
        assert_eq!(read("7 (a) S 1", "btime 1\n", limits, 9), None);
        assert_eq!(read(stat, "cpu 1\n", limits, 9), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_figures() {
        let figures = figures().expect("figures");
        assert!(0 < figures.threads && figures.resident_bytes < figures.virtual_bytes, "{figures:?}");
        assert!(figures.open_files < figures.open_files_max, "{figures:?}");
        assert!(1_700_000_000.0 < figures.start_seconds, "{figures:?}");
    }
}
