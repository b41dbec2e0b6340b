//! The columns that every segment has: their fields and their sections.

use super::names::NamesBuilder;
use hashbrown::HashMap;
use logstead_record::columns::{Columns, PRIORITY};
use logstead_record::{Batch, Field, Storage, TextColumn};

/// A column that every segment has, apart from its messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CommonColumn {
    /// The column of a field that batches keep as names.
    Names(Field),
    /// The programs, which share a column with the priorities: a value is the byte of the priority followed by the
    /// program. A program has only a few priorities, so both take hardly more space than one.
    Program,
    /// The priorities, in the column of the programs.
    Priority,
    /// The flags.
    Flags,
}

/// The columns with their sections, in the order of the file.
pub(crate) const COLUMNS: [(CommonColumn, &str); COLUMN_COUNT] = columns();
/// The number of entries.
pub(crate) const COLUMN_COUNT: usize = FIRST_COLUMNS.len() + Field::NAMES - FIRST_NAMES;
/// The columns that come first in the file, before those of newer fields.
const FIRST_COLUMNS: [(CommonColumn, &str); 7] = [
    (CommonColumn::Names(Field::Host), "host"),
    (CommonColumn::Program, ORIGIN),
    (CommonColumn::Priority, ORIGIN),
    (CommonColumn::Names(Field::Source), "source"),
    (CommonColumn::Names(Field::Peer), "peer"),
    (CommonColumn::Names(Field::Msgid), "msgid"),
    (CommonColumn::Flags, FLAGS),
];
/// The section of priorities and programs.
pub(crate) const ORIGIN: &str = "origin";
/// The section of the flags.
pub(crate) const FLAGS: &str = "flags";
/// The number of these columns that are of fields kept as names.
const FIRST_NAMES: usize = 5;

const fn columns() -> [(CommonColumn, &'static str); COLUMN_COUNT] {
    let mut columns = [FIRST_COLUMNS[0]; COLUMN_COUNT];
    columns.split_at_mut(FIRST_COLUMNS.len()).0.copy_from_slice(&FIRST_COLUMNS);
    let mut at = 0;
    while at < Field::ALL.len() {
        if let (field, name, Storage::Name(number)) = Field::ALL[at]
            && FIRST_NAMES <= number
        {
            columns[FIRST_COLUMNS.len() + number - FIRST_NAMES] = (CommonColumn::Names(field), name);
        }
        at += 1;
    }
    columns
}

impl CommonColumn {
    /// The column with the values of a field.
    pub(crate) fn of(field: Field) -> Option<CommonColumn> {
        match field.storage() {
            Storage::Name(_) if field == Field::Program => Some(CommonColumn::Program),
            Storage::Name(_) => Some(CommonColumn::Names(field)),
            Storage::Priority(_) => Some(CommonColumn::Priority),
            Storage::Flags => Some(CommonColumn::Flags),
            Storage::Text(_) | Storage::Time | Storage::Received | Storage::Raw | Storage::Logspace => None,
        }
    }

    /// Its position in [`COLUMNS`].
    pub(crate) fn number(self) -> usize {
        let number = COLUMNS.iter().position(|(column, _)| *column == self);
        number.expect("every column has a section")
    }

    /// The name of its section.
    pub(crate) fn section(self) -> &'static str {
        COLUMNS[self.number()].1
    }

    /// Whether its section is missing if no row has a value.
    pub(crate) fn may_be_missing(self) -> bool {
        self == CommonColumn::Names(Field::CopyOf)
    }

    /// Whether it is in the same section as a column before it.
    pub(crate) fn shares_a_section(self) -> bool {
        self == CommonColumn::Priority
    }

    /// Appends the rows of a batch. For programs and priorities, [`origins`] is used instead, because their rows are
    /// stored elsewhere.
    pub(crate) fn push(self, batch: &Batch, names: &mut NamesBuilder) {
        let columns = batch.columns();
        match self {
            CommonColumn::Names(field) => names.push_names(&columns.names[field.number()]),
            CommonColumn::Program | CommonColumn::Priority => {}
            CommonColumn::Flags => names.push_bytes(columns.flags(), None),
        }
    }

    /// The part of the values that belongs to this column, if values stand for two fields.
    pub(crate) fn own_part(self, values: TextColumn) -> TextColumn {
        let part = |value: &[u8]| match self {
            CommonColumn::Program => value.get(1..).unwrap_or_default().to_vec(),
            _ => value.get(..1).unwrap_or_default().to_vec(),
        };
        if !matches!(self, CommonColumn::Program | CommonColumn::Priority) {
            return values;
        }
        let mut parts = TextColumn::default();
        values.iter().for_each(|value| parts.push(&part(value)));
        parts
    }
}

/// Appends the id of the priority and program of each row of a batch.
pub(crate) fn origins(columns: &Columns, names: &mut NamesBuilder, numbers: &mut Vec<u32>) {
    let programs = &columns.names[Field::Program.number()];
    let mut known: HashMap<(u8, u32), u32> = HashMap::new();
    let mut last = None;
    for (&priority, &program) in columns.bytes[PRIORITY].iter().zip(programs.ids()) {
        let number = match last {
            Some((of, number)) if of == (priority, program) => number,
            _ => *known.entry((priority, program)).or_insert_with(|| {
                names.id_of(&[&[priority], programs.values().get(program as usize)].concat())
            }),
        };
        last = Some(((priority, program), number));
        numbers.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_that_has_a_column_has_a_section() {
        for (field, ..) in Field::ALL {
            assert!(CommonColumn::of(field).is_none_or(|column| column.number() < COLUMNS.len()), "{field}");
        }
    }
}
