//! Groups of columns that are stored and read together, so that a search reads only the columns that it needs.

/// A group of columns of a batch.
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
    /// Dynamic fields: the number of those in each row, their names and their values.
    Fields,
    /// The other parts of the raw bytes: the form of the head, the head, the tail.
    Head,
}

/// A set of [`ColumnGroup`]s.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ColumnGroups(u8);

impl ColumnGroup {
    /// Every group, in the order of storage.
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

    /// Adds a group.
    #[must_use]
    pub const fn with(self, group: ColumnGroup) -> ColumnGroups {
        ColumnGroups(self.0 | 1 << group as u8)
    }

    /// The union of both sets.
    #[must_use]
    pub const fn and(self, other: ColumnGroups) -> ColumnGroups {
        ColumnGroups(self.0 | other.0)
    }

    /// Removes a group.
    #[must_use]
    pub const fn without(self, group: ColumnGroup) -> ColumnGroups {
        ColumnGroups(self.0 & !(1 << group as u8))
    }

    /// Whether the set contains a group.
    pub const fn has(self, group: ColumnGroup) -> bool {
        self.0 >> group as u8 & 1 == 1
    }
}

impl From<ColumnGroup> for ColumnGroups {
    fn from(group: ColumnGroup) -> ColumnGroups {
        ColumnGroups::NONE.with(group)
    }
}
