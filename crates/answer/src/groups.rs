//! Rows with equal values in some columns, and the results of functions over each such group.
//!
//! Within a part, the ids of values are combined into numbers of groups. Only then is each of these groups looked up
//! among the groups of all parts, by the numbers that its values have across all parts. A row with several values in
//! a column is in the group of each.

use super::combinations::RowCombinations;
use super::finish::check;
use super::measure::{GroupStates, NumericValues, Units};
use super::value_dictionary::{ABSENT, ValueDictionary};
use super::{AnswerError, CellValue, CodedColumn, ValueKind};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use logstead_query::{Function, Measure, Unit};
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_work::Work;
use std::hash::BuildHasher;

/// The number of rows that are combined at once: enough to make the cost of each value small in comparison.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The keys of a group, and the functions computed over it.
pub(crate) struct GroupPlan {
    /// The kinds of the columns whose values make a group.
    by: Vec<ValueKind>,
    arguments: Vec<(FieldName, ValueKind)>,
    /// The units in which the numbers of each argument were written.
    units: Vec<Units>,
    /// The states, each with the argument that it is computed from.
    states: Vec<(usize, GroupStates)>,
    /// The state that gives the result of each function; `None` if the function counts rows.
    functions: Vec<Option<(usize, Measure)>>,
}

/// The groups of all rows added so far.
pub(crate) struct GroupTable {
    plan: GroupPlan,
    memory_bytes_max: usize,
    /// The distinct values of each column in `by`.
    values: Vec<ValueDictionary>,
    /// The numbers of the values of each group, one after the other.
    keys: Vec<u32>,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    rows: Vec<u64>,
    /// The number of rows that belong to more groups than they are counted in.
    cut: u64,
}

impl GroupPlan {
    /// A plan for these functions; `kind` gives the kind of an argument's values.
    pub(crate) fn new(
        by: Vec<ValueKind>,
        functions: &[Function],
        kind: &dyn Fn(&FieldName) -> ValueKind,
    ) -> GroupPlan {
        let mut plan = GroupPlan::of_rows(by);
        for function in functions {
            let state = match function {
                Function::Count => None,
                Function::Of(measure, field) => Some((plan.state(*measure, field, kind), *measure)),
            };
            plan.functions.push(state);
        }
        plan
    }

    /// A plan of groups whose rows are only counted.
    pub(crate) fn of_rows(by: Vec<ValueKind>) -> GroupPlan {
        GroupPlan { by, arguments: Vec::new(), units: Vec::new(), states: Vec::new(), functions: Vec::new() }
    }

    /// A plan of groups that keep the times of their messages, to find gaps longer than `longest`.
    pub(crate) fn of_gaps(by: Vec<ValueKind>, longest: i64) -> GroupPlan {
        GroupPlan {
            arguments: vec![(FieldName::Known(Field::Time), ValueKind::Time)],
            units: vec![Units::default()],
            states: vec![(0, GroupStates::Presence { longest, presence: Vec::new(), heap_bytes: 0 })],
            ..GroupPlan::of_rows(by)
        }
    }

    /// The fields that functions take as arguments, each once.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &FieldName> {
        self.arguments.iter().map(|(field, _)| field)
    }

    fn state(
        &mut self,
        measure: Measure,
        field: &FieldName,
        kind: &dyn Fn(&FieldName) -> ValueKind,
    ) -> usize {
        let known = self.arguments.iter().position(|(known, _)| known == field);
        let argument = known.unwrap_or_else(|| {
            self.arguments.push((field.clone(), kind(field)));
            self.units.push(Units::default());
            self.arguments.len() - 1
        });
        let fits = |(of, state): &(usize, GroupStates)| *of == argument && state.is_for(measure);
        self.states.iter().position(fits).unwrap_or_else(|| {
            self.states.push((argument, GroupStates::new(measure)));
            self.states.len() - 1
        })
    }
}

impl GroupTable {
    /// A table without rows. Without columns to group by, it has one group for all rows.
    pub(crate) fn new(plan: GroupPlan, memory_bytes_max: usize) -> GroupTable {
        let mut groups = GroupTable {
            values: plan.by.iter().map(|_| ValueDictionary::default()).collect(),
            plan,
            memory_bytes_max,
            keys: Vec::new(),
            known: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            rows: Vec::new(),
            cut: 0,
        };
        if groups.plan.by.is_empty() {
            groups.rows.push(0);
            groups.resize_states();
        }
        groups
    }

    /// Adds these rows of a part, given its columns.
    pub(crate) fn add(
        &mut self,
        rows: &[u32],
        by: &[&CodedColumn<'_>],
        arguments: &[&CodedColumn<'_>],
        work: &Work<'_>,
    ) -> Result<(), AnswerError> {
        if by.iter().any(|coded| !coded.several.is_empty()) {
            return self.add_spread(rows, by, arguments, work);
        }
        for rows in rows.chunks(ROWS_AT_ONCE) {
            check(work, rows.len() * (1 + by.len() + arguments.len()))?;
            self.add_some(rows, by, arguments)?;
        }
        Ok(())
    }

    /// Adds rows, some of which are in several groups.
    fn add_spread(
        &mut self,
        mut rows: &[u32],
        by: &[&CodedColumn<'_>],
        arguments: &[&CodedColumn<'_>],
        work: &Work<'_>,
    ) -> Result<(), AnswerError> {
        while !rows.is_empty() {
            let spread = RowCombinations::next(&mut rows, by, ROWS_AT_ONCE);
            check(work, spread.rows().len() * (1 + by.len() + arguments.len()))?;
            self.cut += spread.cut;
            let by: Vec<CodedColumn<'_>> =
                by.iter().enumerate().map(|(at, coded)| spread.grouped(at, coded)).collect();
            let arguments: Vec<CodedColumn<'_>> =
                arguments.iter().map(|coded| spread.repeated(coded)).collect();
            let (by, arguments): (Vec<_>, Vec<_>) = (by.iter().collect(), arguments.iter().collect());
            self.add_some(&spread.rows(), &by, &arguments)?;
        }
        Ok(())
    }

    fn add_some(
        &mut self,
        rows: &[u32],
        by: &[&CodedColumn<'_>],
        arguments: &[&CodedColumn<'_>],
    ) -> Result<(), AnswerError> {
        let mut of_row = combine(rows, by);
        let numbers: Vec<u32> =
            of_row.firsts.iter().map(|&row| self.number(row as usize, by)).collect::<Result<_, _>>()?;
        of_row.groups.iter_mut().for_each(|group| *group = numbers[*group as usize]);
        self.resize_states();
        of_row.groups.iter().for_each(|&group| self.rows[group as usize] += 1);
        let kinds = self.plan.arguments.iter().map(|(_, kind)| *kind);
        let mut read: Vec<NumericValues<'_>> =
            arguments.iter().zip(kinds).map(|(coded, kind)| NumericValues::new(coded, kind)).collect();
        for (argument, state) in &mut self.plan.states {
            let rows = rows.iter().copied().zip(of_row.groups.iter().copied());
            state.add(rows, &mut read[*argument], self.memory_bytes_max)?;
        }
        for (units, read) in self.plan.units.iter_mut().zip(&read) {
            units.merge(read.units());
        }
        self.check_memory()
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number, across all parts, of the value that a group has in a column.
    pub(crate) fn key_number(&self, group: usize, column: usize) -> u32 {
        self.keys[group * self.plan.by.len() + column]
    }

    /// The key that a group has in a column; `None` for rows without a value there.
    pub(crate) fn key(&self, group: usize, column: usize) -> Option<&[u8]> {
        self.values[column].get(self.key_number(group, column))
    }

    /// The value that a group has in a column.
    pub(crate) fn value(&self, group: usize, column: usize) -> CellValue {
        self.key(group, column).map_or(CellValue::Null, |key| self.plan.by[column].value(key))
    }

    /// The number of rows that belong to more groups than they are counted in.
    pub(crate) fn cut(&self) -> u64 {
        self.cut
    }

    /// The number of rows that a group has.
    pub(crate) fn rows(&self, group: usize) -> u64 {
        self.rows[group]
    }

    /// The result of a function for a group.
    pub(crate) fn result(&mut self, group: usize, function: usize) -> CellValue {
        let Some((state, measure)) = self.plan.functions[function] else {
            return CellValue::Count(self.rows[group]);
        };
        let (argument, state) = &mut self.plan.states[state];
        state.result(group, measure, self.plan.arguments[*argument].1)
    }

    /// The unit of a function's results: that of its arguments, or none if it counts.
    pub(crate) fn unit(&self, function: usize) -> Unit {
        match self.plan.functions.get(function) {
            None | Some(None | Some((_, Measure::Count | Measure::Distinct))) => Unit::Plain,
            Some(&Some((state, _))) => self.plan.units[self.plan.states[state].0].common(),
        }
    }

    /// The spans of a group that have messages, in order; only of [`GroupPlan::of_gaps`].
    pub(crate) fn spans(&mut self, group: usize) -> &[(i64, i64)] {
        self.plan.states.first_mut().map_or(&[], |(_, state)| state.spans(group))
    }

    /// The kind of the values of a column.
    pub(crate) fn kind(&self, column: usize) -> ValueKind {
        self.plan.by[column]
    }

    /// The number, across all parts, of the group that a row is in.
    fn number(&mut self, row: usize, by: &[&CodedColumn<'_>]) -> Result<u32, AnswerError> {
        if by.is_empty() {
            return Ok(0);
        }
        let start = self.keys.len();
        for (values, coded) in self.values.iter_mut().zip(by) {
            let number = match coded.key_of_row(row) {
                Some(key) => values.number(key, self.memory_bytes_max)?,
                None => ABSENT,
            };
            self.keys.push(number);
        }
        let GroupTable { keys, known, hasher, rows, .. } = self;
        let key = |group: u32| &keys[group as usize * by.len()..][..by.len()];
        let new = &keys[start..];
        let group = rows.len() as u32;
        let hash = hasher.hash_one(new);
        let entry = known.entry(hash, |&group| key(group) == new, |&group| hasher.hash_one(key(group)));
        let found = *entry.or_insert(group).get();
        if found == group {
            rows.push(0);
            self.check_memory()?;
        } else {
            keys.truncate(start);
        }
        Ok(found)
    }

    fn resize_states(&mut self) {
        let groups = self.rows.len();
        self.plan.states.iter_mut().for_each(|(_, state)| state.resize(groups));
    }

    fn check_memory(&self) -> Result<(), AnswerError> {
        let bytes_max = self.memory_bytes_max;
        let states = &self.plan.states;
        let per_group = states.iter().map(|(_, state)| state.bytes_per_group()).sum::<usize>();
        let bytes = self.values.iter().map(ValueDictionary::memory_bytes).sum::<usize>()
            + self.keys.capacity() * size_of::<u32>()
            + self.known.allocation_size()
            + self.rows.len() * (size_of::<u64>() + per_group)
            + states.iter().map(|(_, state)| state.heap_bytes()).sum::<usize>();
        if bytes <= bytes_max { Ok(()) } else { Err(AnswerError::Memory { bytes_max }) }
    }
}

/// Rows grouped by equal ids.
struct CombinedIds {
    /// A number for each row, the same for rows with the same ids.
    groups: Vec<u32>,
    /// One row for each number.
    firsts: Vec<u32>,
}

/// The greatest number of combinations of ids that are numbered with a vector; low in tests, so that they cover both
/// ways.
const DENSE_MIN: usize = if cfg!(test) { 64 } else { 1 << 16 };

fn combine(rows: &[u32], columns: &[&CodedColumn<'_>]) -> CombinedIds {
    let mut combined =
        CombinedIds { groups: vec![0; rows.len()], firsts: rows.first().copied().into_iter().collect() };
    for coded in columns {
        let ids_end = coded.ids_end();
        let pairs = combined.firsts.len().saturating_mul(ids_end);
        if pairs <= DENSE_MIN.max(4 * rows.len()) {
            let mut numbers = vec![u32::MAX; pairs];
            combined.refine(rows, coded, |pair, next| {
                let number = &mut numbers[pair as usize];
                *number = (*number).min(next);
                *number
            });
        } else {
            let mut numbers: HashMap<u64, u32> = HashMap::new();
            combined.refine(rows, coded, |pair, next| *numbers.entry(pair).or_insert(next));
        }
    }
    combined
}

impl CombinedIds {
    /// Splits the groups by another column; `number` maps a pair of group and id to its number, which is the given
    /// one if the pair is new.
    fn refine(&mut self, rows: &[u32], coded: &CodedColumn<'_>, mut number: impl FnMut(u64, u32) -> u32) {
        let ids_end = coded.ids_end() as u64;
        let mut firsts = Vec::new();
        for (group, &row) in self.groups.iter_mut().zip(rows) {
            let pair = u64::from(*group) * ids_end + u64::from(coded.ids[row as usize]);
            *group = number(pair, firsts.len() as u32);
            if *group as usize == firsts.len() {
                firsts.push(row);
            }
        }
        self.firsts = firsts;
    }
}
