//! The cost of the columns in nanoseconds per row: `cargo test --release segment::timing -- --ignored --nocapture`.

use super::fields::FieldsBuilder;
use super::names::{NamesBuilder, NamesColumn};
use super::packed::ReadRange;
use super::packed::{self, ColumnFault, PackedNumbers};
use super::times::{Times, TimesBuilder};
use logstead_record::{Batch, BatchBuilder, Field, Origin, Row, Selection, Timestamp};
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

const ROWS: usize = 1 << 20;
const BATCH_ROWS: usize = 4096;

/// Prints the best time of several runs, because other work on the machine disturbs them.
#[expect(clippy::disallowed_methods, reason = "it measures")]
fn time<T>(what: &str, mut work: impl FnMut() -> T) {
    let runs = (0..7).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    let best = runs.min().unwrap_or_default();
    println!("{what:<48} {:8.2} ns/row", best.as_nanos() as f64 / ROWS as f64);
}

/// Numbers that look random but are the same in every run.
fn scattered(row: usize) -> usize {
    (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) as usize
}

fn batches(fields: bool) -> Vec<Batch> {
    let mut builder = BatchBuilder::new();
    let batch = |batch: usize| {
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
        for row in batch * BATCH_ROWS..(batch + 1) * BATCH_ROWS {
            let host = format!("web-{}", scattered(row) % 200);
            if fields {
                builder.field(b"user", host.as_bytes());
                builder.field(b"request", format!("{row}").as_bytes());
                builder.field(if row % 2 == 0 { b"even" } else { b"odd" }, b"yes");
                builder.field(b"status", format!("{}", scattered(row) % 7).as_bytes());
            }
            builder.push(&Row::text(b"x").with(Field::Host, host.as_bytes()));
        }
        builder.seal()
    };
    (0..ROWS / BATCH_ROWS).map(batch).collect()
}

struct Bytes<'a>(&'a [u8]);

impl ReadRange for Bytes<'_> {
    type Error = ColumnFault;

    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, ColumnFault> {
        Ok(self.0[range.start as usize..range.end as usize].to_vec())
    }
}

#[test]
#[ignore = "measures"]
fn packed_numbers() {
    let values: Vec<u32> = (0..ROWS).map(|row| (scattered(row) % 200) as u32).collect();
    let mut bytes = Vec::new();
    time("packed: write", || {
        bytes.clear();
        packed::write(&values, &mut bytes);
    });
    println!("{:.3} bytes a row", bytes.len() as f64 / ROWS as f64);
    time("packed: open", || PackedNumbers::new(&bytes));
    let (column, mut unpacked) = (PackedNumbers::new(&bytes).unwrap(), Vec::new());
    time("packed: unpack all", || column.unpack_all(&mut unpacked));
}

#[test]
#[ignore = "measures"]
fn names() {
    let batches = batches(false);
    let build = || {
        let (mut builder, mut bytes) = (NamesBuilder::default(), Vec::new());
        batches.iter().for_each(|batch| builder.push_names(&batch.columns().names[Field::Host.number()]));
        builder.finish(&mut bytes);
        bytes
    };
    time("names: build", build);
    let bytes = build();
    println!("{:.3} bytes a row", bytes.len() as f64 / ROWS as f64);
    time("names: open", || NamesColumn::new(&bytes, ROWS as u32));
    let column = NamesColumn::new(&bytes, ROWS as u32).unwrap();
    let accepted = |count| Selection::from_fn(column.values().len(), |id| id < count);
    time("names: ids", || column.ids());
    time("names: rows with one value", || column.rows_with(&accepted(1)));
    time("names: rows with twenty values", || column.rows_with(&accepted(20)));
    time("names: present", || column.present());
    time("names: counts of all", || column.counts(&Selection::all(ROWS)));
    let some = Selection::from_fn(ROWS, |row| scattered(row + 7) % 100 < 8);
    time("names: counts of 8 % of rows", || column.counts(&some));
}

#[test]
#[ignore = "measures"]
fn fields() {
    let batches = batches(true);
    let build = || {
        let mut builder = FieldsBuilder::default();
        batches.iter().for_each(|batch| builder.push_batch(batch.columns()));
        builder.finish()
    };
    time("fields: build, four a row", build);
    for (name, bytes) in build().columns {
        println!("{}: {:.3} bytes a row", String::from_utf8_lossy(&name), bytes.len() as f64 / ROWS as f64);
    }
}

#[test]
#[ignore = "measures"]
fn times() {
    for (what, wavers) in [("sorted", 0), ("wavering", 3_000)] {
        let time_of = |row: usize| (row * 17_280 + scattered(row) % (10_000 + wavers * 1_000)) as i64 * 1_000;
        let mut values: Vec<i64> = (0..ROWS).map(time_of).collect();
        if wavers == 0 {
            values.sort_unstable();
        }
        let build = || {
            let (mut builder, mut bytes) = (TimesBuilder::default(), Vec::new());
            values.iter().for_each(|&value| builder.push(value));
            builder.finish(&mut bytes);
            bytes
        };
        println!("{what}");
        time("times: build", build);
        let bytes = build();
        println!("{:.3} bytes a row", bytes.len() as f64 / ROWS as f64);
        let column = Times::open(Bytes(&bytes), ROWS as u32).unwrap();
        time("times: read all", || column.read(0..ROWS as u32));
        time("times: rows within half", || column.rows_within(&(values[ROWS / 4]..=values[3 * ROWS / 4])));
    }
}
