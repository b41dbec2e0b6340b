//! The kinds of files of sections: the bytes with which each begins, and the version that is written.

/// The kind of a file of sections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BundleKind {
    /// An index of a segment.
    Index,
    /// The messages of a segment.
    Blocks,
}

impl BundleKind {
    /// The bytes with which its files begin.
    pub(crate) const fn magic(self) -> [u8; 4] {
        match self {
            BundleKind::Index => *b"LSI1",
            BundleKind::Blocks => *b"LSB2",
        }
    }

    /// The version that is read and written.
    pub(crate) const fn version(self) -> u32 {
        match self {
            BundleKind::Index => 4,
            BundleKind::Blocks => 4,
        }
    }
}
