//! The position of a tail: for each logspace the sequence of the next message, as text that a client hands back.
//!
//! Text of a position: `LOGSPACE:SEQUENCE`, separated by commas; `-` if there is no logspace.

/// A position in each logspace, in the order in which messages were stored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TailPosition {
    next: Vec<(String, u64)>,
}

impl TailPosition {
    /// Parses a text that was handed out before; `None` for any other.
    pub(crate) fn parse(text: &str) -> Option<TailPosition> {
        if text == "-" {
            return Some(TailPosition::default());
        }
        let next = text.split(',').map(|part| {
            let (logspace, sequence) = part.split_once(':')?;
            let is_number = sequence.bytes().all(|byte| byte.is_ascii_digit());
            let sequence = sequence.parse().ok().filter(|_| is_number)?;
            logstead_config::is_logspace_id(logspace).then(|| (logspace.to_owned(), sequence))
        });
        next.collect::<Option<_>>().map(|next| TailPosition { next })
    }

    /// The sequence at which a logspace continues; `None` for one that was not followed.
    pub(crate) fn of(&self, logspace: &str) -> Option<u64> {
        self.next.iter().find(|(id, _)| id == logspace).map(|(_, sequence)| *sequence)
    }

    pub(crate) fn add(&mut self, logspace: String, sequence: u64) {
        self.next.push((logspace, sequence));
    }

    /// Sets the next sequence of the logspace that was added at this index.
    pub(crate) fn set(&mut self, at: usize, sequence: u64) {
        if let Some((_, next)) = self.next.get_mut(at) {
            *next = sequence;
        }
    }
}

impl std::fmt::Display for TailPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.next.is_empty() {
            return f.write_str("-");
        }
        for (number, (logspace, sequence)) in self.next.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            write!(f, "{comma}{logspace}:{sequence}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_not_handed_out_is_refused() {
        for text in
            ["", "main", "main:", ":5", "main:5,", "main:+5", "main:-1", "Main:5", "main:5 ", "a\nb:5"]
        {
            assert_eq!(TailPosition::parse(text), None, "{text}");
        }
        assert_eq!(TailPosition::parse("main:18446744073709551616"), None, "no sequence is that large");
    }

    proptest! {
        #[test]
        fn a_position_reads_as_it_was_written(next in proptest::collection::vec(("[a-z0-9][a-z0-9_-]{0,9}", any::<u64>()), 0..4)) {
            let position = TailPosition { next };
            let text = position.to_string();
            prop_assert!(!text.contains(' '));
            prop_assert_eq!(TailPosition::parse(&text), Some(position));
        }
    }
}
