//! How much of a busy machine a thread gets.

use rustix::process::{getpriority_process, setpriority_process};

/// How far a thread gives way to the others of the process, which have all that it leaves and more of the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// It gets about a third of what each of the others gets: what must not stop, and can wait for an answer to somebody.
    Somewhat = 5,
    /// About a tenth: what can be done later.
    Fully = 10,
}

/// The calling thread, and those that it starts, give way from now on.
pub fn give_way(way: Way) {
    // Linux has a priority for each thread, and without a number means that of the calling one.
    if let Err(error) = setpriority_process(None, (way as i32).max(own())) {
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
            give_way(Way::Fully);
            (own(), std::thread::spawn(own).join().unwrap())
        });
        let lowered = (Way::Fully as i32).max(before);
        assert_eq!(thread.join().unwrap(), (lowered, lowered), "it, and what it starts");
        assert_eq!(own(), before);
    }
}
