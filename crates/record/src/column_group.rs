//! Groups of columns: what is stored together and read together, so that a question reads only what it asks
//! about.

/// Some columns of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnGroup {
    /// received, time, priority, flags.
    Stamps,
    /// source, peer, host, program, msgid.
    Names,
    /// pid.
    Pid,
    /// message.
    Message,
    /// Dynamic fields: how many each row has, their names and values.
    Fields,
    /// What the raw bytes need besides: the form of the head, the head, the tail.
    Head,
}

/// A set of [`ColumnGroup`]s.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ColumnGroups(u8);

impl ColumnGroup {
    /// Every group, in the order they are stored.
    pub const ALL: [ColumnGroup; 6] = [
        ColumnGroup::Stamps,
        ColumnGroup::Names,
        ColumnGroup::Pid,
        ColumnGroup::Message,
        ColumnGroup::Fields,
        ColumnGroup::Head,
    ];
}

impl ColumnGroups {
    /// No column.
    pub const NONE: ColumnGroups = ColumnGroups(0);
    /// Every column.
    pub const ALL: ColumnGroups = ColumnGroups((1 << ColumnGroup::ALL.len()) - 1);

    /// This one too.
    #[must_use]
    pub const fn with(self, group: ColumnGroup) -> ColumnGroups {
        ColumnGroups(self.0 | 1 << group as u8)
    }

    /// These and those.
    #[must_use]
    pub const fn and(self, other: ColumnGroups) -> ColumnGroups {
        ColumnGroups(self.0 | other.0)
    }

    /// These but not this one.
    #[must_use]
    pub const fn without(self, group: ColumnGroup) -> ColumnGroups {
        ColumnGroups(self.0 & !(1 << group as u8))
    }

    /// Whether it is one of them.
    pub const fn has(self, group: ColumnGroup) -> bool {
        self.0 >> group as u8 & 1 == 1
    }
}

impl From<ColumnGroup> for ColumnGroups {
    fn from(group: ColumnGroup) -> ColumnGroups {
        ColumnGroups::NONE.with(group)
    }
}
