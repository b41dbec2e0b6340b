//! The id of a segment: its range of messages, and the names of its files.

use std::ops::Range;

/// The messages that a segment contains; its files are named after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SegmentId {
    pub(crate) first_sequence: u64,
    pub(crate) rows: u32,
}

impl SegmentId {
    /// The sequences of its messages.
    pub(crate) fn sequences(self) -> Range<u64> {
        self.first_sequence..self.first_sequence.saturating_add(u64::from(self.rows))
    }

    /// The name of its blocks file.
    pub(crate) fn blocks_name(self) -> String {
        let SegmentId { first_sequence, rows } = self;
        format!("{first_sequence:020}-{rows}.blocks")
    }

    /// The name of its index file.
    pub(crate) fn index_name(self) -> String {
        let SegmentId { first_sequence, rows } = self;
        format!("{first_sequence:020}-{rows}.index")
    }

    /// The id in the name of a blocks file.
    pub(crate) fn of_blocks_name(name: &str) -> Option<SegmentId> {
        let id = SegmentId::of_stem(name.strip_suffix(".blocks")?)?;
        (id.blocks_name() == name).then_some(id)
    }

    /// The id in the name of an index file.
    pub(crate) fn of_index_name(name: &str) -> Option<SegmentId> {
        let id = SegmentId::of_stem(name.strip_suffix(".index")?)?;
        (id.index_name() == name).then_some(id)
    }

    fn of_stem(stem: &str) -> Option<SegmentId> {
        let (first_sequence, rows) = stem.split_once('-')?;
        Some(SegmentId { first_sequence: first_sequence.parse().ok()?, rows: rows.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_segment_it_is() {
        let id = SegmentId { first_sequence: 77, rows: 5 };
        assert_eq!(id.blocks_name(), "00000000000000000077-5.blocks");
        assert_eq!(SegmentId::of_blocks_name(&id.blocks_name()), Some(id));
        for other in
            ["77-5.blocks", "00000000000000000077-05.blocks", "x-5.blocks", "00000000000000000077-5.index"]
        {
            assert_eq!(SegmentId::of_blocks_name(other), None, "{other}");
        }
    }
}
