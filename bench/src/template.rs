//! What the messages of a corpus take as templates and variables, beside the same messages in compressed blocks.

use crate::measure::{cpu, print};
use crate::route::batches;
use crate::verdict::tell;
use anyhow::Result;
use logstead_record::TextColumn;
use logstead_template::{Group, GroupWriter, Wanted};

/// Messages of one block, as the first format has them: about 256 KiB.
const BLOCK_BYTES: usize = 256 << 10;
const BLOCK_LEVEL: i32 = 1;
/// Words that are looked for.
const WORDS: [&str; 4] = ["error", "connection", "500", "nosuchwordanywhere"];

/// What the groups of a run are and cost.
#[derive(Default)]
struct Made {
    groups: Vec<Vec<u8>>,
    kept: usize,
    templates_max: usize,
    memory_max: usize,
    write: u64,
}

/// Prints what the messages of some lines take; an error if one does not come back as it was.
pub(crate) fn run(lines: &[u8], runs: usize) -> Result<()> {
    let mut messages = Vec::new();
    for batch in batches(lines) {
        messages.push(batch.columns().message().clone());
    }
    let count: usize = messages.iter().map(TextColumn::len).sum();
    let bytes: usize = messages.iter().map(|texts| texts.bytes().len()).sum();
    let each = |amount: f64| amount / count.max(1) as f64;
    print(&format!("{count} messages of {:.1} B", each(bytes as f64)))?;

    let mut made = make(&messages);
    for _ in 1..runs.max(1) {
        let again = make(&messages);
        made.write = made.write.min(again.write);
    }
    let sizes: usize = made.groups.iter().map(Vec::len).sum();
    let (blocks, blocks_cpu) = blocks(&messages)?;
    print(&format!(
        "compressed blocks: {:.2} B a message, {:.0} ns to write",
        each(blocks as f64),
        each(blocks_cpu as f64)
    ))?;
    print(&format!(
        "templates: {:.2} B a message, {:.0} ns to write; {} groups, at most {} templates in one; {:.1} % of the messages without one; \
         the writer took {} MiB",
        each(sizes as f64),
        each(made.write as f64),
        made.groups.len(),
        made.templates_max,
        each(made.kept as f64) * 100.0,
        made.memory_max >> 20,
    ))?;

    let start = cpu();
    let mut groups = Vec::new();
    for bytes in made.groups {
        groups.push(Group::open(bytes)?);
    }
    let opened = cpu() - start;
    let start = cpu();
    let are_equal = come_back(&groups, &messages)?;
    print(&format!(
        "to open: {:.0} ns a message, to read: {:.0} ns",
        each(opened as f64),
        each((cpu() - start) as f64)
    ))?;
    for word in WORDS {
        let wanted = Wanted::new(word.as_bytes());
        let (start, mut found) = (cpu(), 0);
        for group in &groups {
            found += group.rows_with(&wanted)?.count();
        }
        print(&format!("rows with {word:?}: {found}, {:.2} ms of CPU", (cpu() - start) as f64 / 1e6))?;
    }
    tell(&[("messages come back", format!("{count} of them"), are_equal)])
}

fn make(messages: &[TextColumn]) -> Made {
    let (mut made, mut writer) = (Made::default(), GroupWriter::default());
    let start = cpu();
    for text in messages.iter().flat_map(TextColumn::iter) {
        writer.push(text);
        if writer.is_full() {
            made.end(&mut writer);
        }
    }
    if writer.rows() != 0 {
        made.end(&mut writer);
    }
    made.write = cpu() - start;
    made
}

impl Made {
    fn end(&mut self, writer: &mut GroupWriter) {
        self.kept += writer.kept();
        self.templates_max = self.templates_max.max(writer.templates());
        self.memory_max = self.memory_max.max(writer.memory_bytes());
        let mut bytes = Vec::new();
        writer.finish(&mut bytes);
        self.groups.push(bytes);
    }
}

/// The same in the first format: bytes and CPU.
fn blocks(messages: &[TextColumn]) -> Result<(usize, u64)> {
    let mut compressor = zstd::bulk::Compressor::new(BLOCK_LEVEL)?;
    let (mut open, mut bytes, start) = (Vec::new(), 0, cpu());
    for text in messages.iter().flat_map(TextColumn::iter) {
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

fn come_back(groups: &[Group], messages: &[TextColumn]) -> Result<bool> {
    let mut expected = messages.iter().flat_map(TextColumn::iter);
    let mut are_equal = true;
    for group in groups {
        let texts = group.read(0..group.rows())?;
        are_equal &= texts.iter().all(|text| expected.next() == Some(text));
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
