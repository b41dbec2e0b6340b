//! The state of a function for each group.
//!
//! **Invariant:** the result does not depend on the order in which rows are added.

use super::exact_sum::ExactSum;
use super::presence::Presence;
use super::samples::Samples;
use super::value::time_of;
use super::value_dictionary::ValueDictionary;
use super::{AnswerError, CellValue, CodedColumn, ValueKind};
use hashbrown::HashSet;
use logstead_query::{Measure, Unit, number_with_unit};

/// The states of one function, one for each group.
pub(crate) enum GroupStates {
    /// The rows that have a value.
    Present(Vec<u64>),
    /// The sum of the numbers, and their mean.
    Sum { sums: Vec<ExactSum>, heap_bytes: usize },
    /// The least or the greatest value.
    Extreme { is_max: bool, best: Vec<ExtremeValue>, heap_bytes: usize },
    /// The different values.
    Distinct(DistinctValues),
    /// All numbers of a group.
    Samples { samples: Vec<Samples>, heap_bytes: usize },
    /// The times of messages, to find gaps longer than this.
    Presence { longest: i64, presence: Vec<Presence>, heap_bytes: usize },
}

/// The distinct values of each group.
#[derive(Default)]
pub(crate) struct DistinctValues {
    values: ValueDictionary,
    /// Pairs with the group in the upper half, and the number of one of its values in the lower half.
    pairs: HashSet<u64>,
    counts: Vec<u64>,
}

/// The best value of a group; any number is better than a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExtremeValue {
    number: Option<f64>,
    text: Option<Box<[u8]>>,
}

/// The values of a column as numbers, each parsed only once.
pub(crate) struct NumericValues<'a> {
    coded: &'a CodedColumn<'a>,
    kind: ValueKind,
    /// The number of each value: infinite if it was not parsed yet, NaN if it is not a number.
    read: Vec<f64>,
    units: Units,
}

/// The kinds of units in which numbers were written.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Units {
    has_sizes: bool,
    has_durations: bool,
}

impl Units {
    fn add(&mut self, unit: Unit) {
        self.has_sizes |= unit == Unit::Size;
        self.has_durations |= unit == Unit::Duration;
    }

    /// Adds the kinds of units of other numbers.
    pub(crate) fn merge(&mut self, other: Units) {
        self.has_sizes |= other.has_sizes;
        self.has_durations |= other.has_durations;
    }

    /// The unit that all of them share. A number without a unit takes that of the others, as in comparisons.
    pub(crate) fn common(self) -> Unit {
        match (self.has_sizes, self.has_durations) {
            (true, false) => Unit::Size,
            (false, true) => Unit::Duration,
            (false, false) | (true, true) => Unit::Plain,
        }
    }
}

impl<'a> NumericValues<'a> {
    pub(crate) fn new(coded: &'a CodedColumn<'a>, kind: ValueKind) -> NumericValues<'a> {
        NumericValues { read: vec![f64::INFINITY; coded.ids_end()], coded, kind, units: Units::default() }
    }

    /// The units of the numbers that were read.
    pub(crate) fn units(&self) -> Units {
        self.units
    }

    fn of_row(&mut self, row: u32) -> Option<f64> {
        let id = self.coded.ids[row as usize];
        let number = &mut self.read[id as usize];
        if number.is_infinite() {
            let key = self.coded.key(id).filter(|_| matches!(self.kind, ValueKind::Text | ValueKind::Number));
            let (value, unit) = key.and_then(number_with_unit).unwrap_or((f64::NAN, Unit::Plain));
            *number = value;
            self.units.add(unit);
        }
        (!number.is_nan()).then_some(*number)
    }

    /// Calls `add` for each row that is a number, with its group.
    fn each(&mut self, rows: impl Iterator<Item = (u32, u32)>, mut add: impl FnMut(u32, f64)) {
        for (row, group) in rows {
            if let Some(number) = self.of_row(row) {
                add(group, number);
            }
        }
    }

    fn key_of_row(&self, row: u32) -> Option<&'a [u8]> {
        self.coded.key_of_row(row as usize)
    }
}

impl GroupStates {
    /// The state for no rows. Measures that can be computed from the same state share it: see
    /// [`GroupStates::is_for`].
    pub(crate) fn new(measure: Measure) -> GroupStates {
        match measure {
            Measure::Count => GroupStates::Present(Vec::new()),
            Measure::Sum | Measure::Avg => GroupStates::Sum { sums: Vec::new(), heap_bytes: 0 },
            Measure::Min | Measure::Max => {
                GroupStates::Extreme { is_max: measure == Measure::Max, best: Vec::new(), heap_bytes: 0 }
            }
            Measure::Distinct => GroupStates::Distinct(DistinctValues::default()),
            Measure::Percentile(_) => GroupStates::Samples { samples: Vec::new(), heap_bytes: 0 },
        }
    }

    /// Whether this measure can be computed from the state.
    pub(crate) fn is_for(&self, measure: Measure) -> bool {
        match self {
            GroupStates::Present(_) => measure == Measure::Count,
            GroupStates::Sum { .. } => matches!(measure, Measure::Sum | Measure::Avg),
            GroupStates::Extreme { is_max, .. } => {
                measure == if *is_max { Measure::Max } else { Measure::Min }
            }
            GroupStates::Distinct(_) => measure == Measure::Distinct,
            GroupStates::Samples { .. } => matches!(measure, Measure::Percentile(_)),
            GroupStates::Presence { .. } => false,
        }
    }

    /// Makes room for this many groups.
    pub(crate) fn resize(&mut self, groups: usize) {
        match self {
            GroupStates::Present(counts) | GroupStates::Distinct(DistinctValues { counts, .. }) => {
                counts.resize(groups, 0)
            }
            GroupStates::Sum { sums, .. } => sums.resize(groups, ExactSum::default()),
            GroupStates::Extreme { best, .. } => best.resize(groups, ExtremeValue::default()),
            GroupStates::Samples { samples, .. } => samples.resize(groups, Samples::default()),
            GroupStates::Presence { presence, .. } => presence.resize(groups, Presence::default()),
        }
    }

    /// Adds rows, each with its group.
    pub(crate) fn add(
        &mut self,
        rows: impl Iterator<Item = (u32, u32)>,
        numbers: &mut NumericValues<'_>,
        bytes_max: usize,
    ) -> Result<(), AnswerError> {
        match self {
            GroupStates::Present(counts) => rows
                .filter(|(row, _)| numbers.key_of_row(*row).is_some())
                .for_each(|(_, group)| counts[group as usize] += 1),
            GroupStates::Sum { sums, heap_bytes } => numbers.each(rows, |group, number| {
                let sum = &mut sums[group as usize];
                let before = sum.heap_bytes();
                sum.add(number);
                *heap_bytes += sum.heap_bytes() - before;
            }),
            GroupStates::Samples { samples, heap_bytes } => numbers.each(rows, |group, number| {
                let samples = &mut samples[group as usize];
                *heap_bytes -= samples.heap_bytes();
                samples.add(number);
                *heap_bytes += samples.heap_bytes();
            }),
            GroupStates::Extreme { is_max, best, heap_bytes } => rows.for_each(|(row, group)| {
                *heap_bytes += best[group as usize].offer(row, numbers, *is_max);
            }),
            GroupStates::Presence { longest, presence, heap_bytes } => rows.for_each(|(row, group)| {
                let key = numbers.key_of_row(row).and_then(|key| key.try_into().ok());
                let Some(time) = key.map(time_of) else { return };
                let presence = &mut presence[group as usize];
                *heap_bytes -= presence.heap_bytes();
                presence.add(time.nanos(), *longest);
                *heap_bytes += presence.heap_bytes();
            }),
            GroupStates::Distinct(distinct) => distinct.add(rows, numbers.coded, bytes_max)?,
        }
        Ok(())
    }

    /// The value of `measure` for a group.
    pub(crate) fn result(&mut self, group: usize, measure: Measure, kind: ValueKind) -> CellValue {
        let number = match (self, measure) {
            (GroupStates::Present(counts) | GroupStates::Distinct(DistinctValues { counts, .. }), _) => {
                return CellValue::Count(counts[group]);
            }
            (GroupStates::Extreme { best, .. }, _) => return best[group].value(kind),
            (GroupStates::Sum { sums, .. }, Measure::Avg) => sums[group].mean(),
            (GroupStates::Sum { sums, .. }, _) => sums[group].sum(),
            (GroupStates::Samples { samples, .. }, Measure::Percentile(percent)) => {
                samples[group].percentile(percent)
            }
            (GroupStates::Samples { .. } | GroupStates::Presence { .. }, _) => None,
        };
        number.map_or(CellValue::Null, CellValue::Number)
    }

    /// The spans of a group that have messages, in order; empty if spans are not kept.
    pub(crate) fn spans(&mut self, group: usize) -> &[(i64, i64)] {
        match self {
            GroupStates::Presence { longest, presence, .. } => presence[group].spans(*longest),
            _ => &[],
        }
    }

    /// The memory that a group takes before it has any rows.
    pub(crate) fn bytes_per_group(&self) -> usize {
        match self {
            GroupStates::Present(_) | GroupStates::Distinct(_) => size_of::<u64>(),
            GroupStates::Sum { .. } => size_of::<ExactSum>(),
            GroupStates::Extreme { .. } => size_of::<ExtremeValue>(),
            GroupStates::Samples { .. } => size_of::<Samples>(),
            GroupStates::Presence { .. } => size_of::<Presence>(),
        }
    }

    /// The memory that rows take beyond that.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            GroupStates::Present(_) => 0,
            GroupStates::Sum { heap_bytes, .. }
            | GroupStates::Extreme { heap_bytes, .. }
            | GroupStates::Samples { heap_bytes, .. }
            | GroupStates::Presence { heap_bytes, .. } => *heap_bytes,
            GroupStates::Distinct(DistinctValues { values, pairs, .. }) => {
                values.memory_bytes() + pairs.allocation_size()
            }
        }
    }
}

impl DistinctValues {
    fn add(
        &mut self,
        rows: impl Iterator<Item = (u32, u32)>,
        coded: &CodedColumn<'_>,
        bytes_max: usize,
    ) -> Result<(), AnswerError> {
        // The number, across all parts, of each value of this part.
        let mut known = vec![None; coded.ids_end()];
        for (row, group) in rows {
            let id = coded.ids[row as usize];
            let Some(key) = coded.key(id) else { continue };
            let number = match known[id as usize] {
                Some(number) => number,
                None => *known[id as usize].insert(self.values.number(key, bytes_max)?),
            };
            let is_new = self.pairs.insert(u64::from(group) << 32 | u64::from(number));
            self.counts[group as usize] += u64::from(is_new);
        }
        Ok(())
    }
}

impl ExtremeValue {
    /// Takes the value of a row if it is better, and returns the memory that this took.
    fn offer(&mut self, row: u32, numbers: &mut NumericValues<'_>, is_max: bool) -> usize {
        if let Some(number) = numbers.of_row(row) {
            let best = self.number.unwrap_or(number);
            self.number = Some(if is_max { best.max(number) } else { best.min(number) } + 0.0);
            self.text = None;
            return 0;
        }
        let Some(key) = numbers.key_of_row(row).filter(|_| self.number.is_none()) else { return 0 };
        let is_better = |best: &[u8]| if is_max { best < key } else { key < best };
        if self.text.as_deref().is_none_or(is_better) {
            self.text = Some(key.into());
            return key.len();
        }
        0
    }

    fn value(&self, kind: ValueKind) -> CellValue {
        match (self.number, &self.text) {
            (Some(number), _) => CellValue::Number(number),
            (None, Some(text)) => kind.value(text),
            (None, None) => CellValue::Null,
        }
    }
}
