//! The sections of a group in, batches out.

use super::{FIELDS_MAX, ROWS_MAX, SECTIONS};
use crate::bytes::{Fault, Input, PADDING};
use crate::group::TextGroup;
use crate::numbers::Numbers;
use crate::ordered;
use crate::texts::Texts;
use logstead_record::columns::{FLAGS, HEAD, HEAD_FORM, MESSAGE, PID, PRIORITY, TAIL};
use logstead_record::{Columns, Field, Group, Groups, NameColumn, TextColumn};
use std::array::from_fn;
use std::ops::Range;

/// Of a row, that it has no time.
const NO_TIME: i64 = i64::MIN;

/// A group with some of its sections open.
pub struct RowGroup {
    rows: usize,
    sections: [Option<Section>; SECTIONS],
}

enum Section {
    Stamps { times: [Times; 2], bytes: Vec<u8>, priorities: Vec<u8>, flags: Vec<u8> },
    Names([Names; Field::NAMES]),
    Texts(TextGroup),
    Fields { ends: Vec<u32>, names: Names, values: TextGroup },
    Head { forms: Vec<u8>, head: TextGroup, tail: TextGroup },
}

struct Times {
    least: i64,
    unit: u64,
    numbers: Numbers,
    /// Which rows have one; all where there is nothing.
    present: Vec<bool>,
}

struct Names {
    values: TextColumn,
    rows: Vec<u32>,
}

impl RowGroup {
    /// A group of `rows` rows, with nothing open.
    pub fn new(rows: usize) -> Result<RowGroup, Fault> {
        if ROWS_MAX < rows {
            return Err(Fault::Large("a number of rows"));
        }
        Ok(RowGroup { rows, sections: from_fn(|_| None) })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether a section is open.
    pub fn is_open(&self, group: Group) -> bool {
        self.sections[group as usize].is_some()
    }

    /// Opens a section.
    pub fn open(&mut self, group: Group, bytes: Vec<u8>) -> Result<(), Fault> {
        self.sections[group as usize] = Some(Section::open(group, bytes, self.rows)?);
        Ok(())
    }

    /// The messages, where they are open.
    pub fn messages(&self) -> Option<&TextGroup> {
        match &self.sections[Group::Message as usize] {
            Some(Section::Texts(texts)) => Some(texts),
            _ => None,
        }
    }

    /// Some columns of some rows; those of sections that are not open say nothing.
    pub fn read(&self, rows: Range<usize>, groups: Groups) -> Result<Columns, Fault> {
        let mut columns = Columns::empty(rows.len());
        for group in Group::ALL.into_iter().filter(|&group| groups.has(group)) {
            if let Some(section) = &self.sections[group as usize] {
                section.read(group, &rows, &mut columns)?;
            }
        }
        Ok(columns)
    }
}

impl Section {
    fn open(group: Group, mut bytes: Vec<u8>, rows: usize) -> Result<Section, Fault> {
        match group {
            Group::Pid | Group::Message => return Ok(Section::Texts(texts(bytes, rows)?)),
            _ => {}
        }
        let end = bytes.len();
        bytes.resize(end + PADDING, 0);
        let mut input = Input::new(&bytes[..end]);
        let section = match group {
            Group::Stamps => {
                let times = [Times::read(&mut input, rows)?, Times::read(&mut input, rows)?];
                let (priorities, flags) = (read_bytes(&mut input, rows)?, read_bytes(&mut input, rows)?);
                input.end()?;
                return Ok(Section::Stamps { times, bytes, priorities, flags });
            }
            Group::Names => {
                let mut all = Vec::with_capacity(Field::NAMES);
                for _ in 0..Field::NAMES {
                    all.push(Names::read(&mut input, &bytes, rows)?);
                }
                Section::Names(all.try_into().map_err(|_| Fault::Short)?)
            }
            Group::Fields => {
                let (mut ends, mut end) = (Vec::with_capacity(rows), 0_u64);
                ordered::read(&mut input, rows, 2 * FIELDS_MAX as u64, |count| {
                    end = end.saturating_add(count);
                    ends.push(end as u32);
                })?;
                if 2 * (FIELDS_MAX as u64) < end {
                    return Err(Fault::Large("a number of fields"));
                }
                let names = Names::read(&mut input, &bytes, end as usize)?;
                let rest = input.rest();
                let values = texts(rest.to_vec(), end as usize)?;
                Section::Fields { ends, names, values }
            }
            _ => {
                let forms = read_bytes(&mut input, rows)?;
                let [mut head, mut tail] = [None, None];
                for place in [&mut head, &mut tail] {
                    let length = input.count(usize::MAX, "a section")?;
                    *place = Some(texts(input.take(length)?.to_vec(), rows)?);
                }
                let (Some(head), Some(tail)) = (head, tail) else { return Err(Fault::Short) };
                Section::Head { forms, head, tail }
            }
        };
        input.end()?;
        Ok(section)
    }

    fn read(&self, group: Group, rows: &Range<usize>, columns: &mut Columns) -> Result<(), Fault> {
        match self {
            Section::Stamps { times, bytes, priorities, flags } => {
                for (out, times) in columns.times.iter_mut().zip(times) {
                    *out = times.range(bytes, rows);
                }
                columns.bytes[PRIORITY] = priorities[rows.clone()].to_vec();
                columns.bytes[FLAGS] = flags[rows.clone()].to_vec();
            }
            Section::Names(all) => {
                for (out, names) in columns.names.iter_mut().zip(all) {
                    *out = names.range(rows)?;
                }
            }
            Section::Texts(texts) => {
                let number = if group == Group::Pid { PID } else { MESSAGE };
                columns.texts[number] = texts.read(rows.clone())?.into();
            }
            Section::Fields { ends, names, values } => {
                let before = |row: usize| row.checked_sub(1).map_or(0, |before| ends[before]);
                let (first, last) = (before(rows.start), before(rows.end));
                columns.field_ends = ends[rows.clone()].iter().map(|end| end - first).collect();
                let fields = first as usize..last as usize;
                columns.field_names = names.range(&fields)?;
                columns.field_values = values.read(fields)?;
            }
            Section::Head { forms, head, tail } => {
                columns.bytes[HEAD_FORM] = forms[rows.clone()].to_vec();
                columns.texts[HEAD] = head.read(rows.clone())?.into();
                columns.texts[TAIL] = tail.read(rows.clone())?.into();
            }
        }
        Ok(())
    }
}

impl Times {
    fn read(input: &mut Input<'_>, rows: usize) -> Result<Times, Fault> {
        let mut present = Vec::new();
        match input.byte()? {
            0 => {}
            1 => ordered::read(input, rows, 1, |is_present| present.push(is_present == 1))?,
            kind => return Err(Fault::Kind { what: "times", kind }),
        }
        let (least, unit) = (input.u64()? as i64, input.u64()?);
        Ok(Times { least, unit, numbers: Numbers::read(input, rows)?, present })
    }

    fn range(&self, bytes: &[u8], rows: &Range<usize>) -> Vec<i64> {
        let mut times = Vec::with_capacity(rows.len());
        let mut row = rows.start;
        self.numbers.for_each(bytes, rows.clone(), |number| {
            let is_present = self.present.is_empty() || self.present[row];
            let time = self.least.wrapping_add(number.wrapping_mul(self.unit) as i64);
            times.push(if is_present { time } else { NO_TIME });
            row += 1;
        });
        times
    }
}

impl Names {
    fn read(input: &mut Input<'_>, bytes: &[u8], rows: usize) -> Result<Names, Fault> {
        let values = Texts::read(input)?.all(bytes)?;
        let mut places = Vec::with_capacity(rows);
        let most = (values.len() as u64).saturating_sub(1);
        ordered::read(input, rows, most, |place| places.push(place as u32))?;
        if values.is_empty() && rows != 0 {
            return Err(Fault::Short);
        }
        Ok(Names { values, rows: places })
    }

    /// With only the values that the rows have.
    fn range(&self, rows: &Range<usize>) -> Result<NameColumn, Fault> {
        const NEW: u32 = u32::MAX;
        let mut places = vec![NEW; self.values.len()];
        let (mut values, mut ids) = (TextColumn::default(), Vec::with_capacity(rows.len()));
        for &place in &self.rows[rows.clone()] {
            let id = &mut places[place as usize];
            if *id == NEW {
                *id = values.len() as u32;
                values.push(self.values.get(place as usize));
            }
            ids.push(*id);
        }
        NameColumn::from_parts(values, ids).map_err(|_| Fault::Large("the place of a name"))
    }
}

fn texts(bytes: Vec<u8>, rows: usize) -> Result<TextGroup, Fault> {
    let texts = TextGroup::open(bytes)?;
    if texts.rows() == rows { Ok(texts) } else { Err(Fault::Short) }
}

fn read_bytes(input: &mut Input<'_>, rows: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::with_capacity(rows);
    ordered::read(input, rows, u64::from(u8::MAX), |byte| bytes.push(byte as u8))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowGroupWriter;
    use logstead_record::{Batch, BatchBuilder, Origin, Priority, Row, Timestamp};
    use proptest::prelude::*;

    /// Batches with anything in every column.
    fn batches() -> impl Strategy<Value = Batch> {
        let text =
            || prop_oneof!["", "[a-c]{1,2}", "[0-9]{1,6}", "user[0-9] took [0-9]{1,3} ms", "\\PC{0,4}"];
        let time = prop_oneof![any::<i64>(), 0_i64..1000, Just(i64::MIN), Just(i64::MAX)];
        let field = ("[a-c]{1,2}", text());
        let row = (
            prop_oneof![any::<i64>(), 0_i64..9],
            proptest::option::of(time),
            any::<u8>(),
            proptest::collection::vec(text(), 6),
            proptest::collection::vec(field, 0..3),
        );
        proptest::collection::vec(row, 0..200).prop_map(|rows| {
            let mut builder = BatchBuilder::new();
            for (received, time, byte, texts, fields) in &rows {
                let received = Timestamp::from_nanos(*received);
                builder.origin(Origin { source: texts[0].as_bytes(), peer: texts[1].as_bytes(), received });
                fields.iter().for_each(|(name, value)| builder.field(name.as_bytes(), value.as_bytes()));
                let row = Row {
                    time: time.map(Timestamp::from_nanos),
                    priority: Priority::new(*byte),
                    message_at: byte.is_multiple_of(3).then_some(0),
                    ..Row::text(texts[usize::from(byte % 2)].as_bytes())
                };
                let row =
                    row.with(Field::Host, texts[2].as_bytes()).with(Field::Program, texts[3].as_bytes());
                builder
                    .push(&row.with(Field::Pid, texts[4].as_bytes()).with(Field::Msgid, texts[5].as_bytes()));
            }
            builder.seal()
        })
    }

    fn opened(rows: usize, sections: [Vec<u8>; SECTIONS]) -> Result<RowGroup, Fault> {
        let mut group = RowGroup::new(rows)?;
        for (of, bytes) in Group::ALL.into_iter().zip(sections) {
            group.open(of, bytes)?;
        }
        Ok(group)
    }

    /// Everything that a row says.
    fn said(batch: &Batch, row: usize) -> impl PartialEq + std::fmt::Debug {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let names: Vec<Vec<u8>> = batch.columns().names.iter().map(|names| names.get(row).to_vec()).collect();
        let texts: Vec<Vec<u8>> = batch.columns().texts.iter().map(|texts| texts.get(row).to_vec()).collect();
        let fields: Vec<(Vec<u8>, Vec<u8>)> =
            batch.fields(row).map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
        let times = batch.columns().times.each_ref().map(|times| times[row]);
        let bytes = batch.columns().bytes.each_ref().map(|bytes| bytes[row]);
        (raw, names, texts, fields, times, bytes)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn rows_come_back(
            all in proptest::collection::vec(batches(), 1..4),
            from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
        ) {
            let mut writer = RowGroupWriter::default();
            for batch in &all {
                prop_assert_eq!(writer.push(batch, 0), batch.rows());
            }
            let rows = writer.rows();
            let group = opened(rows, writer.finish()).unwrap();
            prop_assert_eq!(writer.rows(), 0);
            let read = Batch::from_columns(group.read(0..rows, Groups::ALL).unwrap()).unwrap();
            let mut at = 0;
            for batch in &all {
                for row in 0..batch.rows() {
                    prop_assert_eq!(said(&read, at), said(batch, row));
                    at += 1;
                }
            }
            let (from, to) = (from.index(rows + 1), to.index(rows + 1));
            let some = from.min(to)..from.max(to);
            let part = Batch::from_columns(group.read(some.clone(), Groups::ALL).unwrap()).unwrap();
            for (row, at) in some.enumerate() {
                prop_assert_eq!(said(&part, row), said(&read, at));
            }
        }

        #[test]
        fn damaged_sections_are_faults_or_other_rows_but_never_a_panic(
            batch in batches(), section in 0..SECTIONS, bit in any::<prop::sample::Index>(),
        ) {
            let mut writer = RowGroupWriter::default();
            writer.push(&batch, 0);
            let mut sections = writer.finish();
            let bit = bit.index(sections[section].len() * 8);
            sections[section][bit / 8] ^= 1 << (bit % 8);
            if let Ok(group) = opened(batch.rows(), sections)
                && let Ok(columns) = group.read(0..batch.rows(), Groups::ALL)
            {
                Batch::from_columns(columns).ok();
            }
        }
    }
}
