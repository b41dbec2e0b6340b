//! Flags of a message, set while it is received and stored: the bits of a byte.

/// A set of flags of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// The message was longer than the source's limit and is cut.
    pub const TRUNCATED: Flags = Flags(1);
    /// Its format was not recognised: everything is in the message.
    pub const UNPARSED: Flags = Flags(2);
    /// The sender disconnected in the middle of it.
    pub const INCOMPLETE: Flags = Flags(4);
    /// The bytes are not a frame, but stood where one should begin: the sender had counted wrongly.
    pub const OUT_OF_STEP: Flags = Flags(8);
    /// Its connection has never sent anything that ends a message: the end is only recognised by the next head.
    pub const UNDELIMITED: Flags = Flags(16);
    /// It is stored in another logspace as well, where it is counted: [`Field::CopyOf`](crate::Field::CopyOf) says in
    /// which one.
    pub const COPY: Flags = Flags(32);
    /// Bytes of it are not UTF-8: its texts have U+FFFD instead, and the raw bytes keep them.
    pub const NOT_UTF8: Flags = Flags(64);
    /// Its timestamp is not a valid time: the time of receipt is used.
    pub const BAD_TIME: Flags = Flags(128);
    /// Every flag with the name that queries and the API use.
    pub const NAMES: [(Flags, &'static str); 8] = [
        (Flags::TRUNCATED, "truncated"),
        (Flags::UNPARSED, "unparsed"),
        (Flags::INCOMPLETE, "incomplete"),
        (Flags::OUT_OF_STEP, "out_of_step"),
        (Flags::UNDELIMITED, "undelimited"),
        (Flags::NOT_UTF8, "not_utf8"),
        (Flags::BAD_TIME, "bad_time"),
        (Flags::COPY, "copy"),
    ];

    /// The union of both sets.
    #[must_use]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// The flags of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Whether all of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names of the flags that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Flags::NAMES.into_iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| name)
    }
}
