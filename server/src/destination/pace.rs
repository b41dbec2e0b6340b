//! Whether a destination keeps up with its queue. Pure: it is shown at intervals how far the queue reaches, and how far it is
//! done with.

/// See the module.
#[derive(Default, Debug)]
pub(super) struct Pace {
    /// How far the queue reached at the look before.
    end_before: u64,
}

impl Pace {
    /// Whether messages wait that waited at the look before.
    pub(super) fn delays(&mut self, done: u64, end: u64) -> bool {
        done < std::mem::replace(&mut self.end_before, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_are_new_do_not_count_as_a_delay() {
        let mut pace = Pace::default();
        assert!(!pace.delays(0, 10), "they may have come just now");
        assert!(!pace.delays(10, 90), "those are done with");
        assert!(pace.delays(89, 90));
        assert!(!pace.delays(90, 90));
    }
}
