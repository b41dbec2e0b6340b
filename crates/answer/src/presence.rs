//! The times at which a group had messages, in enough detail to find its gaps.
//!
//! Messages near each other are merged into one span, so that a group takes memory only for its gaps.
//!
//! **Invariant:** the result does not depend on the order in which times are added.

/// Spans from one message to another, in which consecutive messages are at most `longest` apart. `longest` is the same in
/// all calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Presence {
    spans: Vec<(i64, i64)>,
}

/// The number of spans for which memory is reserved at first.
const SPANS_MIN: usize = 4;

impl Presence {
    /// Adds the time of a message.
    pub(crate) fn add(&mut self, time: i64, longest: i64) {
        // A message is mostly near the one before it.
        if let Some((first, last)) = self.spans.last_mut()
            && first.saturating_sub(longest) <= time
            && time <= last.saturating_add(longest)
        {
            (*first, *last) = (time.min(*first), time.max(*last));
            return;
        }
        if self.spans.len() == self.spans.capacity() {
            self.join(longest);
            if self.spans.capacity() <= self.spans.len() * 2 {
                self.spans.reserve(self.spans.len().max(SPANS_MIN));
            }
        }
        self.spans.push((time, time));
    }

    /// The spans in order, with a gap between any two of them.
    pub(crate) fn spans(&mut self, longest: i64) -> &[(i64, i64)] {
        self.join(longest);
        &self.spans
    }

    /// The memory used in addition to the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.spans.capacity() * size_of::<(i64, i64)>()
    }

    fn join(&mut self, longest: i64) {
        self.spans.sort_unstable();
        self.spans.dedup_by(|next, span| {
            let is_near = next.0 <= span.1.saturating_add(longest);
            if is_near {
                span.1 = span.1.max(next.1);
            }
            is_near
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spans_are_what_lies_between_gaps(times in proptest::collection::vec(-500_i64..500, 0..300), longest in 1_i64..60) {
            let mut presence = Presence::default();
            times.iter().for_each(|&time| presence.add(time, longest));
            let mut sorted = times.clone();
            sorted.sort_unstable();
            let spans = sorted.chunk_by(|a, b| b - a <= longest).map(|near| (near[0], near[near.len() - 1]));
            prop_assert_eq!(presence.spans(longest), spans.collect::<Vec<_>>());
        }
    }
}
