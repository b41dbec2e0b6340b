//! The columns of a batch as bytes, one group after another: the body of a journal frame before it is compressed.
//!
//! Everything is little endian. The number of rows is in the frame's header.
//!
//! | group   | columns                                   |
//! |---------|-------------------------------------------|
//! | stamps  | received, time, priority, flags           |
//! | names   | source, peer, host, program, msgid        |
//! | pid     | pid                                       |
//! | message | message                                   |
//! | fields  | field counts, field names, field values   |
//! | head    | head forms, head, tail                    |
//!
//! The column *copy of* follows the groups; it is missing if no message is a copy.
//!
//! | column                                | bytes                                                             |
//! |---------------------------------------|-------------------------------------------------------------------|
//! | received, time                        | for each row the difference to the row before: zigzag, LEB128     |
//! | priority, flags, head forms           | a byte a row                                                      |
//! | field counts                          | *numbers*                                                         |
//! | pid, message, field values, head, tail | *numbers* (length of each row), then all rows back to back       |
//! | source, peer, host, program, msgid, copy of, field names | u32 number of distinct values, those as a text column, *numbers* (the value of each row) |
//!
//! *Numbers* are a byte that says how wide each is (1, 2 or 4), then each. No number is stored in no byte, so
//! that a few bytes cannot claim to be many rows.
//!
//! **Invariant:** what [`write`] writes, [`read`] reads as an equal batch; anything else that [`read`] accepts
//! is a batch whose columns fit each other.

use logstead_record::columns::{COPY_OF, FLAGS, HEAD, HEAD_FORM, MESSAGE, PID, PRIORITY, TAIL};
use logstead_record::{BATCH_BYTES_MAX, Batch, ColumnError, ColumnGroup, Columns, NameColumn, TextColumn};
use std::sync::Arc;

/// The reasons why bytes are not the columns of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ColumnsError {
    /// The bytes end too early.
    #[error("the columns end at byte {at}, in the middle of a value")]
    Short {
        /// The number of available bytes.
        at: usize,
    },
    /// There are bytes after the last column.
    #[error("{bytes} bytes follow the last column")]
    Long {
        /// The number of these bytes.
        bytes: usize,
    },
    /// Invalid number width.
    #[error("numbers of {0} bytes are not possible")]
    Width(u8),
    /// A difference has more than 64 bits.
    #[error("a time differs from the one before by more than 64 bits")]
    Difference,
    /// A column is larger than the limit.
    #[error("a column has more than {BATCH_BYTES_MAX} bytes")]
    Large,
    /// The columns are inconsistent.
    #[error(transparent)]
    Misfit(#[from] ColumnError),
}

/// Appends all columns of a batch to `out`.
pub(crate) fn write(batch: &Batch, out: &mut Vec<u8>) {
    out.reserve(batch.memory_bytes());
    for group in ColumnGroup::ALL {
        write_group(batch, group, out);
    }
    if batch.has_copies() {
        write_names(&batch.columns().names[COPY_OF], out);
    }
}

/// Appends the columns of one group to `out`.
fn write_group(batch: &Batch, group: ColumnGroup, out: &mut Vec<u8>) {
    let c = batch.columns();
    match group {
        ColumnGroup::Stamps => {
            c.times.iter().for_each(|times| write_differences(times, out));
            out.extend_from_slice(&c.bytes[PRIORITY]);
            out.extend_from_slice(&c.bytes[FLAGS]);
        }
        ColumnGroup::Names => c.names[..COPY_OF].iter().for_each(|names| write_names(names, out)),
        ColumnGroup::Pid => write_text(&c.texts[PID], out),
        ColumnGroup::Message => write_text(&c.texts[MESSAGE], out),
        ColumnGroup::Fields => {
            write_lengths(&c.field_ends, out);
            write_names(&c.field_names, out);
            write_text(&c.field_values, out);
        }
        ColumnGroup::Head => {
            out.extend_from_slice(&c.bytes[HEAD_FORM]);
            write_text(&c.texts[HEAD], out);
            write_text(&c.texts[TAIL], out);
        }
    }
}

/// Reads the columns of `rows` rows. They must fill `bytes`.
pub(crate) fn read(bytes: &[u8], rows: usize) -> Result<Batch, ColumnsError> {
    let mut input = ColumnReader { rest: bytes, bytes: bytes.len() };
    let mut columns = Columns::default();
    for group in ColumnGroup::ALL {
        input.group(group, rows, &mut columns)?;
    }
    columns.names[COPY_OF] = match input.rest {
        [] if rows == 0 => NameColumn::default(),
        [] => NameColumn::empty(rows),
        _ => input.names(rows)?,
    };
    input.end()?;
    Ok(Batch::from_columns(columns)?)
}

fn write_differences(values: &[i64], out: &mut Vec<u8>) {
    let mut before = 0_i64;
    for &value in values {
        let difference = value.wrapping_sub(before);
        before = value;
        let mut zigzag = (difference << 1 ^ difference >> 63) as u64;
        while 0x80 <= zigzag {
            out.push(zigzag as u8 | 0x80);
            zigzag >>= 7;
        }
        out.push(zigzag as u8);
    }
}

fn write_names(names: &NameColumn, out: &mut Vec<u8>) {
    out.extend_from_slice(&(names.values().len() as u32).to_le_bytes());
    write_text(names.values(), out);
    write_numbers(names.ids().iter().copied(), out);
}

fn write_text(text: &TextColumn, out: &mut Vec<u8>) {
    write_lengths(text.ends(), out);
    out.extend_from_slice(text.bytes());
}

fn write_lengths(ends: &[u32], out: &mut Vec<u8>) {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    write_numbers(ends.iter().zip(starts).map(|(end, start)| end - start), out);
}

fn write_numbers(numbers: impl Iterator<Item = u32> + Clone, out: &mut Vec<u8>) {
    match numbers.clone().max().unwrap_or(0) {
        0..=0xff => {
            out.push(1);
            out.extend(numbers.map(|number| number as u8));
        }
        0x100..=0xffff => {
            out.push(2);
            numbers.for_each(|number| out.extend_from_slice(&(number as u16).to_le_bytes()));
        }
        _ => {
            out.push(4);
            numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
    }
}

/// The bytes that have not been read yet.
struct ColumnReader<'a> {
    rest: &'a [u8],
    bytes: usize,
}

impl<'a> ColumnReader<'a> {
    fn group(&mut self, group: ColumnGroup, rows: usize, c: &mut Columns) -> Result<(), ColumnsError> {
        match group {
            ColumnGroup::Stamps => {
                for times in &mut c.times {
                    *times = self.differences(rows)?;
                }
                c.bytes[PRIORITY] = self.take(rows)?.to_vec();
                c.bytes[FLAGS] = self.take(rows)?.to_vec();
            }
            ColumnGroup::Names => {
                for names in &mut c.names[..COPY_OF] {
                    *names = self.names(rows)?;
                }
            }
            ColumnGroup::Pid => c.texts[PID] = Arc::new(self.text(rows)?),
            ColumnGroup::Message => c.texts[MESSAGE] = Arc::new(self.text(rows)?),
            ColumnGroup::Fields => {
                c.field_ends = self.ends(rows)?;
                let fields = c.field_ends.last().map_or(0, |&end| end as usize);
                c.field_names = self.names(fields)?;
                c.field_values = self.text(fields)?;
            }
            ColumnGroup::Head => {
                c.bytes[HEAD_FORM] = self.take(rows)?.to_vec();
                c.texts[HEAD] = Arc::new(self.text(rows)?);
                c.texts[TAIL] = Arc::new(self.text(rows)?);
            }
        }
        Ok(())
    }

    fn end(&self) -> Result<(), ColumnsError> {
        if self.rest.is_empty() { Ok(()) } else { Err(ColumnsError::Long { bytes: self.rest.len() }) }
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8], ColumnsError> {
        let (taken, rest) =
            self.rest.split_at_checked(bytes).ok_or(ColumnsError::Short { at: self.bytes })?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, ColumnsError> {
        Ok(self.take(1)?[0])
    }

    fn differences(&mut self, rows: usize) -> Result<Vec<i64>, ColumnsError> {
        if self.rest.len() < rows {
            return Err(ColumnsError::Short { at: self.bytes });
        }
        let mut before = 0_i64;
        let mut values = Vec::with_capacity(rows);
        for _ in 0..rows {
            let zigzag = self.varint()?;
            before = before.wrapping_add((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64));
            values.push(before);
        }
        Ok(values)
    }

    fn varint(&mut self) -> Result<u64, ColumnsError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(ColumnsError::Difference);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ColumnsError::Difference)
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u32>, ColumnsError> {
        let width = self.byte()?;
        let mut of_width = |width| self.take(count.checked_mul(width).ok_or(ColumnsError::Large)?);
        Ok(match width {
            1 => of_width(1)?.iter().map(|&number| u32::from(number)).collect(),
            2 => of_width(2)?.as_chunks().0.iter().map(|&n| u32::from(u16::from_le_bytes(n))).collect(),
            4 => of_width(4)?.as_chunks().0.iter().map(|&n| u32::from_le_bytes(n)).collect(),
            other => return Err(ColumnsError::Width(other)),
        })
    }

    /// Reads lengths, and returns them as end positions.
    fn ends(&mut self, count: usize) -> Result<Vec<u32>, ColumnsError> {
        let mut numbers = self.numbers(count)?;
        let mut end = 0_usize;
        for number in &mut numbers {
            end += *number as usize;
            if BATCH_BYTES_MAX < end {
                return Err(ColumnsError::Large);
            }
            *number = end as u32;
        }
        Ok(numbers)
    }

    fn text(&mut self, rows: usize) -> Result<TextColumn, ColumnsError> {
        let ends = self.ends(rows)?;
        let bytes = self.take(ends.last().map_or(0, |&end| end as usize))?;
        Ok(TextColumn::from_parts(bytes.to_vec(), ends)?)
    }

    fn names(&mut self, rows: usize) -> Result<NameColumn, ColumnsError> {
        let count = self.take(4)?.first_chunk().copied().map_or(0, u32::from_le_bytes);
        let values = self.text(count as usize)?;
        Ok(NameColumn::from_parts(values, self.numbers(rows)?)?)
    }
}

#[cfg(test)]
pub(crate) mod tests;
