//! Groups of columns: what is stored together and read together, so that a question reads only what it asks
//! about.

/// Some columns of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
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

/// A set of [`Group`]s.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Groups(u8);

impl Group {
    /// Every group, in the order they are stored.
    pub const ALL: [Group; 6] =
        [Group::Stamps, Group::Names, Group::Pid, Group::Message, Group::Fields, Group::Head];
}

impl Groups {
    /// No column.
    pub const NONE: Groups = Groups(0);
    /// Every column.
    pub const ALL: Groups = Groups((1 << Group::ALL.len()) - 1);

    /// This one too.
    #[must_use]
    pub const fn with(self, group: Group) -> Groups {
        Groups(self.0 | 1 << group as u8)
    }

    /// These and those.
    #[must_use]
    pub const fn and(self, other: Groups) -> Groups {
        Groups(self.0 | other.0)
    }

    /// These but not this one.
    #[must_use]
    pub const fn without(self, group: Group) -> Groups {
        Groups(self.0 & !(1 << group as u8))
    }

    /// Whether it is one of them.
    pub const fn has(self, group: Group) -> bool {
        self.0 >> group as u8 & 1 == 1
    }
}

impl From<Group> for Groups {
    fn from(group: Group) -> Groups {
        Groups::NONE.with(group)
    }
}
