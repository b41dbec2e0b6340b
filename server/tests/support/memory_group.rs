//! A memory control group in which a test runs a server. The test must run as root to make it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A separate control group, of one of the two versions.
pub struct MemoryGroup {
    folder: PathBuf,
    is_second: bool,
}

impl MemoryGroup {
    /// Makes a group with this memory limit; an error says why that is impossible.
    pub fn make(mib: u64) -> Result<MemoryGroup, String> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("logstead-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let own = std::fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let first = own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            controllers.split(',').any(|name| name == "memory").then_some(path)
        });
        let (folder, is_second) = match first {
            Some(path) => {
                (Path::new("/sys/fs/cgroup/memory").join(path.trim_start_matches('/')).join(name), false)
            }
            // Only the root group can contain processes and also divide memory among groups below it.
            None => (Path::new("/sys/fs/cgroup").join(name), true),
        };
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir(&folder).map_err(failed)?;
        let group = MemoryGroup { folder: folder.clone(), is_second };
        let limit = if is_second { "memory.max" } else { "memory.limit_in_bytes" };
        std::fs::write(folder.join(limit), (mib << 20).to_string()).map_err(failed)?;
        Ok(group)
    }

    /// The file to which a process is written to move it into the group.
    pub fn processes(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// The number of processes that were killed because the group had no more memory.
    pub fn kills(&self) -> u64 {
        let file = if self.is_second { "memory.events" } else { "memory.oom_control" };
        let text = std::fs::read_to_string(self.folder.join(file)).unwrap();
        let kills = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        kills.unwrap_or_else(|| panic!("{file} says nothing of kills: {text}")).parse().unwrap()
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // The kernel needs a moment to forget a process that has ended.
        for _ in 0..100 {
            if std::fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}
