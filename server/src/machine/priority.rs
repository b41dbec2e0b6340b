//! How much of a busy machine a thread gets.

use rustix::process::{getpriority_process, setpriority_process};

/// With this, a thread gets about a tenth of what each of the others gets, and all that they leave.
const GIVES_WAY: i32 = 10;

/// The calling thread, and those that it starts, give way to the others of the process from now on.
pub(crate) fn give_way() {
    // Linux has a priority for each thread, and without a number means that of the calling one.
    if let Err(error) = setpriority_process(None, GIVES_WAY.max(own())) {
        tracing::debug!("a thread keeps its priority: {error}");
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
            give_way();
            (own(), std::thread::spawn(own).join().unwrap())
        });
        let lowered = GIVES_WAY.max(before);
        assert_eq!(thread.join().unwrap(), (lowered, lowered), "it, and what it starts");
        assert_eq!(own(), before);
    }
}
