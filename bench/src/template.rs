//! What the messages of a corpus take as groups of templates and columns, beside the same messages in compressed blocks.

use crate::measure::{cpu, print};
use crate::route::batches;
use crate::verdict::tell;
use anyhow::Result;
use logstead_record::{Batch, Group, Groups};
use logstead_template::{RowGroup, RowGroupWriter, SECTIONS, Wanted};
use std::sync::Arc;

/// Messages of one block, as the first format has them: about 256 KiB.
const BLOCK_BYTES: usize = 256 << 10;
const BLOCK_LEVEL: i32 = 1;
/// Words that are looked for.
const WORDS: [&str; 4] = ["error", "connection", "500", "nosuchwordanywhere"];
/// Rows that are read together.
const READ_ROWS: usize = 1 << 14;

/// The groups of a run, and what they cost.
#[derive(Default)]
struct Made {
    groups: Vec<(usize, [Vec<u8>; SECTIONS])>,
    memory_max: usize,
    write: u64,
}

/// Prints what some lines take; an error if one does not come back as it was.
pub(crate) fn run(lines: &[u8], runs: usize) -> Result<()> {
    let batches = batches(lines);
    let count: usize = batches.iter().map(|batch| batch.rows()).sum();
    let bytes: usize = batches.iter().map(|batch| batch.columns().message().bytes().len()).sum();
    let each = |amount: f64| amount / count.max(1) as f64;
    print(&format!("{count} messages of {:.1} B", each(bytes as f64)))?;

    let mut made = make(&batches);
    for _ in 1..runs.max(1) {
        let again = make(&batches);
        made.write = made.write.min(again.write);
    }
    let (blocks, blocks_cpu) = blocks(&batches)?;
    print(&format!(
        "messages alone in compressed blocks: {:.2} B, {:.0} ns to write",
        each(blocks as f64),
        each(blocks_cpu as f64)
    ))?;
    let size =
        |section: usize| made.groups.iter().map(|(_, sections)| sections[section].len()).sum::<usize>();
    let sizes = Group::ALL.map(|group| format!("{group:?} {:.2}", each(size(group as usize) as f64)));
    print(&format!(
        "{} groups with all columns: {:.2} B ({}), {:.0} ns to write; the writer took {} MiB",
        made.groups.len(),
        each((0..SECTIONS).map(size).sum::<usize>() as f64),
        sizes.join(", ").to_lowercase(),
        each(made.write as f64),
        made.memory_max >> 20,
    ))?;

    let start = cpu();
    let groups = open(made.groups)?;
    let opened = cpu() - start;
    let start = cpu();
    let are_equal = come_back(&groups, &batches)?;
    print(&format!(
        "to open: {:.0} ns, to read and compare: {:.0} ns",
        each(opened as f64),
        each((cpu() - start) as f64)
    ))?;
    for word in WORDS {
        let wanted = Wanted::new(word.as_bytes());
        let (start, mut found) = (cpu(), 0);
        for messages in groups.iter().filter_map(RowGroup::messages) {
            found += messages.rows_with(&wanted)?.count();
        }
        print(&format!("rows with {word:?}: {found}, {:.2} ms of CPU", (cpu() - start) as f64 / 1e6))?;
    }
    tell(&[("rows come back", format!("{count} of them"), are_equal)])
}

fn make(batches: &[Arc<Batch>]) -> Made {
    let (mut made, mut writer) = (Made::default(), RowGroupWriter::default());
    let start = cpu();
    for batch in batches {
        let mut from = 0;
        while from < batch.rows() {
            from += writer.push(batch, from);
            if writer.is_full() {
                made.end(&mut writer);
            }
        }
    }
    if writer.rows() != 0 {
        made.end(&mut writer);
    }
    made.write = cpu() - start;
    made
}

impl Made {
    fn end(&mut self, writer: &mut RowGroupWriter) {
        self.memory_max = self.memory_max.max(writer.memory_bytes());
        let rows = writer.rows();
        self.groups.push((rows, writer.finish()));
    }
}

fn open(groups: Vec<(usize, [Vec<u8>; SECTIONS])>) -> Result<Vec<RowGroup>> {
    let mut opened = Vec::with_capacity(groups.len());
    for (rows, sections) in groups {
        let mut group = RowGroup::new(rows)?;
        for (of, bytes) in Group::ALL.into_iter().zip(sections) {
            group.open(of, bytes)?;
        }
        opened.push(group);
    }
    Ok(opened)
}

/// The messages in the first format: bytes and CPU.
fn blocks(batches: &[Arc<Batch>]) -> Result<(usize, u64)> {
    let mut compressor = zstd::bulk::Compressor::new(BLOCK_LEVEL)?;
    let (mut open, mut bytes, start) = (Vec::new(), 0, cpu());
    for text in batches.iter().flat_map(|batch| batch.columns().message().iter()) {
        open.extend_from_slice(text);
        open.push(b'\n');
        if BLOCK_BYTES <= open.len() {
            bytes += compressor.compress(&open)?.len();
            open.clear();
        }
    }
    bytes += compressor.compress(&open)?.len();
    Ok((bytes, cpu() - start))
}

/// Whether the raw bytes of all rows are those that came in.
fn come_back(groups: &[RowGroup], batches: &[Arc<Batch>]) -> Result<bool> {
    let mut expected = batches.iter().flat_map(|batch| (0..batch.rows()).map(move |row| (batch, row)));
    let (mut found, mut raw, mut are_equal) = (Vec::new(), Vec::new(), true);
    for group in groups {
        for first in (0..group.rows()).step_by(READ_ROWS) {
            let rows = first..group.rows().min(first + READ_ROWS);
            let read = Batch::from_columns(group.read(rows, Groups::ALL)?)?;
            for row in 0..read.rows() {
                let Some((batch, at)) = expected.next() else { return Ok(false) };
                found.clear();
                raw.clear();
                read.write_raw(row, &mut found);
                batch.write_raw(at, &mut raw);
                are_equal &= found == raw;
            }
        }
    }
    Ok(are_equal && expected.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_comes_back() {
        run(&crate::corpus::lines(20_000), 1).unwrap();
    }
}
