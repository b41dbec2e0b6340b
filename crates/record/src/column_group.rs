//! Groups of columns that are stored and read together, so that a search reads only the columns that it needs.

/// A group of columns of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnGroup {
    /// received, time, priority, flags.
    Stamps,
    /// source, peer, host, program, msgid, copy of.
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

/// A set of columns: whole [`ColumnGroup`]s, and parts of the first two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ColumnGroups(u16);

/// The bits of a set: the parts of the stamps, the names, then a bit for each other group.
const TIMES: u16 = 1;
const PRIORITY: u16 = 1 << 1;
const FLAGS: u16 = 1 << 2;
const FIRST_NAME: usize = 3;
/// The number of columns of names.
pub(crate) const NAME_COLUMNS: usize = 6;
const FIRST_OTHER: usize = FIRST_NAME + NAME_COLUMNS;

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

    const fn bits(self) -> u16 {
        match self {
            ColumnGroup::Stamps => TIMES | PRIORITY | FLAGS,
            ColumnGroup::Names => ((1 << NAME_COLUMNS) - 1) << FIRST_NAME,
            other => 1 << (FIRST_OTHER + other as usize - ColumnGroup::Pid as usize),
        }
    }
}

impl ColumnGroups {
    /// No column.
    pub const NONE: ColumnGroups = ColumnGroups(0);
    /// Every column.
    pub const ALL: ColumnGroups = ColumnGroups((1 << (FIRST_OTHER + 4)) - 1);
    /// The time of receipt and the own time.
    pub const TIMES: ColumnGroups = ColumnGroups(TIMES);
    /// The priority.
    pub const PRIORITY: ColumnGroups = ColumnGroups(PRIORITY);
    /// The flags.
    pub const FLAGS: ColumnGroups = ColumnGroups(FLAGS);

    /// The names with this number.
    pub const fn of_names(number: usize) -> ColumnGroups {
        ColumnGroups(1 << (FIRST_NAME + number))
    }

    /// Adds a group.
    #[must_use]
    pub const fn with(self, group: ColumnGroup) -> ColumnGroups {
        ColumnGroups(self.0 | group.bits())
    }

    /// The union of both sets.
    #[must_use]
    pub const fn and(self, other: ColumnGroups) -> ColumnGroups {
        ColumnGroups(self.0 | other.0)
    }

    /// Removes a group.
    #[must_use]
    pub const fn without(self, group: ColumnGroup) -> ColumnGroups {
        ColumnGroups(self.0 & !group.bits())
    }

    /// Whether the set contains some columns of a group.
    pub const fn has(self, group: ColumnGroup) -> bool {
        self.0 & group.bits() != 0
    }

    /// Whether the set contains all these columns.
    pub const fn has_all(self, columns: ColumnGroups) -> bool {
        self.0 & columns.0 == columns.0
    }
}

impl From<ColumnGroup> for ColumnGroups {
    fn from(group: ColumnGroup) -> ColumnGroups {
        ColumnGroups::NONE.with(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_columns_of_its_own() {
        let all = ColumnGroup::ALL.into_iter().fold(ColumnGroups::NONE, ColumnGroups::with);
        assert_eq!(all, ColumnGroups::ALL);
        for group in ColumnGroup::ALL {
            let others = ColumnGroups::ALL.without(group);
            assert!(!others.has(group) && ColumnGroups::from(group).has(group));
            assert!(ColumnGroup::ALL.into_iter().all(|other| other == group || others.has(other)));
        }
        let names = (0..NAME_COLUMNS).map(ColumnGroups::of_names).fold(ColumnGroups::NONE, ColumnGroups::and);
        assert_eq!(names, ColumnGroup::Names.into());
        let stamps = ColumnGroups::TIMES.and(ColumnGroups::PRIORITY).and(ColumnGroups::FLAGS);
        assert_eq!(stamps, ColumnGroup::Stamps.into());
    }
}
