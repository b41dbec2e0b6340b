//! Decides whether a destination keeps up with its queue. Pure: at intervals, the caller passes in the end of the
//! queue and the position up to which it is done.

/// See the documentation of the module.
#[derive(Debug)]
pub(super) struct QueuePace {
    /// The end of the queue at the last check.
    end_before: u64,
}

impl QueuePace {
    /// The pace of a queue whose end was at this position when it was opened: messages before that have already
    /// waited.
    pub(super) fn new(end: u64) -> QueuePace {
        QueuePace { end_before: end }
    }

    /// Whether messages are waiting that were already waiting at the last check.
    pub(super) fn delays(&mut self, done: u64, end: u64) -> bool {
        done < std::mem::replace(&mut self.end_before, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_are_new_do_not_count_as_a_delay() {
        let mut pace = QueuePace::new(0);
        assert!(!pace.delays(0, 10), "they may have come just now");
        assert!(!pace.delays(10, 90), "those are done with");
        assert!(pace.delays(89, 90));
        assert!(!pace.delays(90, 90));
    }

    #[test]
    fn what_is_there_when_a_queue_is_opened_has_waited() {
        assert!(QueuePace::new(90).delays(80, 95));
        assert!(!QueuePace::new(90).delays(90, 95));
    }
}
