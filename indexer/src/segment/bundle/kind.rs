//! What a file of sections holds: how it begins, and which version of it is written.

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An index of a segment.
    Index,
    /// The messages of a segment.
    Blocks,
}

impl Kind {
    /// What its files begin with.
    pub(crate) const fn magic(self) -> [u8; 4] {
        match self {
            Kind::Index => *b"LSI1",
            Kind::Blocks => *b"LSB2",
        }
    }

    /// The version that is read and written.
    pub(crate) const fn version(self) -> u32 {
        match self {
            Kind::Index => 2,
            Kind::Blocks => 3,
        }
    }
}
