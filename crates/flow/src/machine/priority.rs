//! Lowers the priority of threads whose work can wait.

use rustix::process::{getpriority_process, setpriority_process};

/// The priority of a thread below the others of the process: the value that `nice` takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadPriority {
    /// About a third of the CPU time of each of the others, for work that must not stop but can wait while somebody is
    /// answered.
    BelowNormal = 5,
    /// About a tenth of their CPU time, for work that can be done later.
    Low = 10,
}

/// Lowers the priority of the calling thread and of those that it starts.
pub fn give_way(way: ThreadPriority) {
    // Linux has a priority for each thread. A call without a number sets that of the calling thread.
    if let Err(error) = setpriority_process(None, (way as i32).max(own())) {
        tracing::debug!("the priority of a thread cannot be lowered: {error}");
    }
}

fn own() -> i32 {
    getpriority_process(None).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gives_way_and_the_others_do_not() {
        let before = own();
        let thread = std::thread::spawn(|| {
            give_way(ThreadPriority::Low);
            (own(), std::thread::spawn(own).join().unwrap())
        });
        let lowered = (ThreadPriority::Low as i32).max(before);
        assert_eq!(thread.join().unwrap(), (lowered, lowered), "it, and what it starts");
        assert_eq!(own(), before);
    }
}
