//! Tracks the answers to messages that are sent together. Pure: the caller handles the connection.
//!
//! **Invariant:** an answer counts once, and only if its message was sent.

use logstead_client::relp;

/// Messages with consecutive numbers, and whether each is answered.
#[derive(Default)]
pub(super) struct AnswerWindow {
    /// The number of the first one.
    first: u32,
    /// The number of messages that were sent.
    pub(super) sent: usize,
    /// The number of these that were answered.
    pub(super) count: usize,
    answered: Vec<bool>,
}

impl AnswerWindow {
    /// Starts a window of this many messages, which are about to be sent.
    pub(super) fn expect(&mut self, first: u32, messages: usize) {
        (self.first, self.sent, self.count) = (first, 0, 0);
        self.answered.clear();
        self.answered.resize(messages, false);
    }

    /// Notes that one more message was sent.
    pub(super) fn sent_one(&mut self) {
        self.sent += 1;
    }

    /// The number of messages that were sent and not answered.
    pub(super) fn open(&self) -> usize {
        self.sent - self.count
    }

    pub(super) fn are_complete(&self) -> bool {
        self.count == self.answered.len()
    }

    /// Marks the message with this number as answered; returns its position, or `None` if no open message has the
    /// number.
    pub(super) fn take(&mut self, number: u32) -> Option<usize> {
        // No message has this number, at which counting starts over.
        if number == 0 {
            return None;
        }
        let place = relp::distance(self.first, number);
        let answered = self.answered[..self.sent].get_mut(place)?;
        if std::mem::replace(answered, true) {
            return None;
        }
        self.count += 1;
        Some(place)
    }

    /// The positions of the messages without an answer.
    pub(super) fn missing(&self) -> Vec<usize> {
        (0..self.answered.len()).filter(|place| !self.answered[*place]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_counts_once_and_only_for_what_was_sent() {
        let mut answers = AnswerWindow::default();
        answers.expect(relp::TXNR_MAX, 3);
        answers.sent_one();
        answers.sent_one();
        assert_eq!((answers.sent, answers.open()), (2, 2));
        assert_eq!(answers.take(1), Some(1));
        assert_eq!(
            (answers.take(1), answers.take(2), answers.take(0), answers.take(7)),
            (None, None, None, None)
        );
        assert_eq!((answers.open(), answers.count, answers.missing()), (1, 1, vec![0, 2]));
        assert_eq!(answers.take(relp::TXNR_MAX), Some(0));
        answers.sent_one();
        assert!(!answers.are_complete());
        assert_eq!(answers.take(2), Some(2));
        assert!(answers.are_complete() && answers.missing().is_empty());
    }

    proptest! {
        #[test]
        fn whatever_is_answered_the_counts_agree(
            first in prop_oneof![1..5_u32, relp::TXNR_MAX - 3..=relp::TXNR_MAX],
            numbers in proptest::collection::vec(prop_oneof![0..9_u32, relp::TXNR_MAX - 4..=relp::TXNR_MAX], 0..40),
        ) {
            let mut answers = AnswerWindow::default();
            answers.expect(first, 6);
            for number in numbers {
                if answers.sent < 6 {
                    answers.sent_one();
                }
                answers.take(number);
                prop_assert_eq!(answers.count + answers.missing().len(), 6);
                prop_assert_eq!(answers.open() + answers.count, answers.sent);
            }
        }
    }
}
