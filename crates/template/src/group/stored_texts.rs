//! The texts of a group that are read block by block.

use super::head::StoredTexts;
use super::read::TemplateGroup;
use super::source::GroupPart;
use crate::bytes::{DecodeError, Result};
use logstead_record::TextColumn;
use std::sync::{Arc, PoisonError};

/// The number of blocks that an open group holds: windows of neighbouring rows need the same ones again, one for each
/// slot of each of their templates.
const OPEN_BLOCKS: usize = 64;
/// The maximum size of a block that is held.
const OPEN_BYTES_MAX: usize = 128 << 10;

impl TemplateGroup {
    /// The texts that are kept unchanged, in the order of their rows.
    pub fn kept(&self) -> Result<TextColumn> {
        let mut kept = TextColumn::default();
        self.for_each_kept(|text| kept.push(text))?;
        Ok(kept)
    }

    /// Calls `each` with these texts, with only a few of them in memory at a time.
    pub fn for_each_kept(&self, mut each: impl FnMut(&[u8])) -> Result<()> {
        self.for_each_block(StoredTexts::Kept, |_, texts| {
            texts.iter().for_each(&mut each);
            true
        })?;
        Ok(())
    }

    /// Calls `each` with some of these texts, given their rows in ascending order.
    pub(crate) fn for_some_kept(
        &self,
        rows: &[u32],
        mut each: impl FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut reader = self.text_reader(StoredTexts::Kept);
        let ranks = self.rows()?.ranks_of(rows);
        rows.iter().zip(ranks).try_for_each(|(&row, (_, rank))| each(row, reader.get(rank as usize)?))
    }

    /// Calls `each` with every block of some texts and the number of its first text, until it says to end.
    pub(super) fn for_each_block(
        &self,
        of: StoredTexts,
        mut each: impl FnMut(usize, &TextColumn) -> bool,
    ) -> Result<bool> {
        let blocks = self.head.texts(of);
        for number in 0..blocks.blocks() {
            if !each(blocks.first_of(number), self.block(of, number)?.texts()?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A reader of single texts, which is fastest if they are read in order.
    pub(super) fn text_reader(&self, of: StoredTexts) -> TextReader<'_> {
        TextReader { group: self, of, open: None }
    }

    fn block(&self, of: StoredTexts, number: usize) -> Result<Arc<GroupPart>> {
        let blocks = self.head.texts(of);
        let part = self.part_of_block(of, number);
        let lock = || self.open_blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = lock().iter().find(|(open, _)| *open == part) {
            return Ok(Arc::clone(block));
        }
        let place = blocks.place(number..number + 1);
        let block = self.open_texts(part, place, &|packed| blocks.decode(number, packed))?;
        if block.memory_bytes() <= OPEN_BYTES_MAX {
            let mut open = lock();
            let held = (part, Arc::clone(&block));
            // Windows go round the same blocks, so the oldest one is not always the one to give way.
            if open.len() < OPEN_BLOCKS {
                open.push(held);
            } else {
                open[part as usize % OPEN_BLOCKS] = held;
            }
        }
        Ok(block)
    }
}

/// Reads texts, and keeps the block of the last one.
pub(super) struct TextReader<'g> {
    group: &'g TemplateGroup,
    of: StoredTexts,
    open: Option<(usize, Arc<GroupPart>)>,
}

impl TextReader<'_> {
    /// The text with this number.
    pub(super) fn get(&mut self, number: usize) -> Result<&[u8]> {
        let blocks = self.group.head.texts(self.of);
        let block = blocks.block_of(number).ok_or(DecodeError::Short)?;
        if self.open.as_ref().is_none_or(|(open, _)| *open != block) {
            self.open = Some((block, self.group.block(self.of, block)?));
        }
        let Some((_, texts)) = &self.open else { return Err(DecodeError::Short) };
        let (texts, at) = (texts.texts()?, number - blocks.first_of(block));
        if at < texts.len() { Ok(texts.get(at)) } else { Err(DecodeError::Short) }
    }
}
