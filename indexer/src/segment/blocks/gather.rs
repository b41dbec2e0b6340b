//! The values of some rows of a column, in the form used by batches.

use crate::segment::names::NamesColumn;
use hashbrown::HashMap;
use logstead_record::{NameColumn, TextColumn};

/// The values of some rows, given by their numbers in the column; other values are left out. If a value stands for
/// two fields, values may be equal in this one.
pub(super) fn name_column(names: &NamesColumn, mut ids: Vec<u32>, may_repeat: bool) -> NameColumn {
    let mut values = TextColumn::default();
    let mut places = PositionLookup::new(names.values().len() + 1);
    for id in &mut ids {
        *id = places.of(*id, || {
            let value = if *id == names.absent() { &[][..] } else { names.values().get(*id as usize) };
            let known = values.iter().position(|known| may_repeat && known == value);
            known.unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            }) as u32
        });
    }
    NameColumn::from_parts(values, ids).expect("every id has a value")
}

/// Some of the distinct values, given by their numbers; the others are left out.
pub(super) fn few_names(of: &TextColumn, mut ids: Vec<u32>) -> NameColumn {
    let mut values = TextColumn::default();
    let mut places = PositionLookup::new(of.len());
    for id in &mut ids {
        *id = places.of(*id, || {
            values.push(of.get(*id as usize));
            values.len() as u32 - 1
        });
    }
    NameColumn::from_parts(values, ids).expect("every id has a value")
}

/// Finds the position that a value of the column has among the values of some rows.
enum PositionLookup {
    Few(Vec<u32>),
    Many(HashMap<u32, u32>),
}

impl PositionLookup {
    /// The number of values above which making a table is slower than a hash lookup for each row.
    const FEW: usize = 4096;
    const UNKNOWN: u32 = u32::MAX;

    fn new(values: usize) -> PositionLookup {
        if values <= PositionLookup::FEW {
            PositionLookup::Few(vec![PositionLookup::UNKNOWN; values])
        } else {
            PositionLookup::Many(HashMap::new())
        }
    }

    fn of(&mut self, id: u32, new: impl FnOnce() -> u32) -> u32 {
        match self {
            PositionLookup::Few(places) => {
                let place = &mut places[id as usize];
                if *place == PositionLookup::UNKNOWN {
                    *place = new();
                }
                *place
            }
            PositionLookup::Many(places) => *places.entry(id).or_insert_with(new),
        }
    }
}
