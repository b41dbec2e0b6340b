//! Texts in compressed blocks, each of which can be read alone.
//!
//! | bytes          | meaning                                                                                |
//! |----------------|----------------------------------------------------------------------------------------|
//! | varint         | number of blocks                                                                       |
//! | 3 varints a block | how many texts it has, its bytes before and after compression                       |
//! | the rest       | the blocks, zstd each: u8 1 and each text with a line feed behind it where none of them holds one; else u8 0, the length of each as a varint, and all texts |

use crate::bytes::{ByteReader, DecodeError, Result, put_varint};
use crate::packet;
use logstead_record::TextColumn;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use zstd::bulk::Compressor;

/// The length from which on a block ends with its current text.
const BLOCK_BYTES: usize = 64 << 10;
/// The maximum number of bytes of a block: a text is at most 16 MiB.
const BLOCK_BYTES_MAX: usize = 32 << 20;
/// The number of blocks that are kept open: windows of neighbouring rows need the same ones again, one for each slot
/// of each of their templates.
const OPEN_BLOCKS: usize = 64;
/// The maximum size of a block that is kept open.
const OPEN_BYTES_MAX: usize = 128 << 10;

/// Appends texts.
pub(crate) fn write<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    compressor: &mut Compressor<'_>,
    out: &mut Vec<u8>,
) {
    let (mut heads, mut body, mut blocks) = (Vec::new(), Vec::new(), 0);
    let mut open = TextColumn::default();
    let mut texts = texts.peekable();
    while let Some(text) = texts.next() {
        open.push(text);
        if BLOCK_BYTES <= open.bytes().len() || texts.peek().is_none() {
            let plain = plain(&open);
            let packed = compressor.compress(&plain).expect("the buffer has room for what zstd writes");
            [open.len(), plain.len(), packed.len()]
                .iter()
                .for_each(|&count| put_varint(count as u64, &mut heads));
            body.extend_from_slice(&packed);
            open.truncate(0);
            blocks += 1;
        }
    }
    put_varint(blocks, out);
    out.reserve_exact(heads.len() + body.len());
    out.extend_from_slice(&heads);
    out.extend_from_slice(&body);
}

fn plain(texts: &TextColumn) -> Vec<u8> {
    let has_lines = memchr::memchr(b'\n', texts.bytes()).is_some();
    let mut out = Vec::with_capacity(texts.bytes().len() + texts.len() + 1);
    out.push(u8::from(!has_lines));
    if has_lines {
        texts.iter().for_each(|text| put_varint(text.len() as u64, &mut out));
        out.extend_from_slice(texts.bytes());
    } else {
        for text in texts.iter() {
            out.extend_from_slice(text);
            out.push(b'\n');
        }
    }
    out
}

/// The blocks of the texts.
pub(crate) struct TextBlocks {
    blocks: Vec<Block>,
    len: usize,
    /// The blocks that are kept open, in no order.
    open: Mutex<Vec<(usize, Arc<TextColumn>)>>,
}

struct Block {
    /// The number of the block's first text.
    first: usize,
    /// The size of the block before compression, and its range.
    plain_bytes: usize,
    place: Range<usize>,
}

impl TextBlocks {
    /// Opens texts, which end at the current position of `input`.
    pub(crate) fn read(input: &mut ByteReader<'_>) -> Result<TextBlocks> {
        let count = input.varint()?;
        let (mut heads, mut len) = (Vec::new(), 0_usize);
        for _ in 0..count {
            let texts = input.count(BLOCK_BYTES_MAX, "a block of texts")?;
            let plain_bytes = input.count(BLOCK_BYTES_MAX, "a block of texts")?;
            heads.push((len, plain_bytes, input.count(BLOCK_BYTES_MAX, "a block of texts")?));
            len += texts;
        }
        let mut blocks = Vec::with_capacity(heads.len());
        for (first, plain_bytes, bytes) in heads {
            blocks.push(Block { first, plain_bytes, place: input.skip(bytes)? });
        }
        Ok(TextBlocks { blocks, len, open: Mutex::default() })
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The memory that it takes, with open blocks.
    pub(crate) fn memory_bytes(&self) -> usize {
        let mut open: Vec<usize> =
            self.blocks.iter().map(|block| block.plain_bytes.min(OPEN_BYTES_MAX)).collect();
        open.sort_unstable_by(|one, other| other.cmp(one));
        size_of_val(self.blocks.as_slice()) + open.iter().take(OPEN_BLOCKS).sum::<usize>()
    }

    /// Reads all texts.
    pub(crate) fn all(&self, bytes: &[u8]) -> Result<TextColumn> {
        let mut all = TextColumn::default();
        for number in 0..self.blocks.len() {
            let block = self.block(bytes, number)?;
            all.extend(&block, 0..block.len());
        }
        Ok(all)
    }

    /// Calls `each` with every block and the number of its first text, until it says to end.
    pub(crate) fn for_each_block(
        &self,
        bytes: &[u8],
        mut each: impl FnMut(usize, &TextColumn) -> bool,
    ) -> Result<bool> {
        for (number, block) in self.blocks.iter().enumerate() {
            let texts = self.open(bytes, number)?;
            if !each(block.first, &texts) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A reader of single texts, which is fastest if they are read in order.
    pub(crate) fn reader<'b>(&'b self, bytes: &'b [u8]) -> TextReader<'b> {
        TextReader { texts: self, bytes, open: None }
    }

    fn open(&self, bytes: &[u8], number: usize) -> Result<Arc<TextColumn>> {
        let lock = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = lock().iter().find(|(open, _)| *open == number) {
            return Ok(Arc::clone(block));
        }
        let block = Arc::new(self.block(bytes, number)?);
        if self.blocks[number].plain_bytes <= OPEN_BYTES_MAX {
            let mut open = lock();
            let kept = (number, Arc::clone(&block));
            // Windows go round the same blocks, so the oldest one is not always the one to give way.
            if open.len() < OPEN_BLOCKS {
                open.push(kept);
            } else {
                open[number % OPEN_BLOCKS] = kept;
            }
        }
        Ok(block)
    }

    fn block(&self, bytes: &[u8], number: usize) -> Result<TextColumn> {
        let Block { first, plain_bytes, place } = &self.blocks[number];
        let end = self.blocks.get(number + 1).map_or(self.len, |next| next.first);
        let count = end - first;
        let plain = packet::unpack(&bytes[place.clone()], *plain_bytes)?;
        let mut input = ByteReader::new(&plain);
        let mut texts = TextColumn::with_capacity(count.min(plain.len()), plain.len());
        if input.byte()? == 1 {
            let mut start = 1;
            for end in memchr::memchr_iter(b'\n', &plain) {
                texts.push(&plain[start.min(end)..end]);
                start = end + 1;
            }
            return if texts.len() == count && start == plain.len() {
                Ok(texts)
            } else {
                Err(DecodeError::Short)
            };
        }
        let mut lengths = Vec::new();
        for _ in 0..count {
            lengths.push(input.count(plain.len(), "a text")?);
        }
        for length in lengths {
            texts.push(input.take(length)?);
        }
        input.end()?;
        Ok(texts)
    }
}

/// Reads texts, and keeps the block of the last one.
pub(crate) struct TextReader<'b> {
    texts: &'b TextBlocks,
    bytes: &'b [u8],
    open: Option<(usize, Arc<TextColumn>)>,
}

impl TextReader<'_> {
    /// The text with this number.
    pub(crate) fn get(&mut self, number: usize) -> Result<&[u8]> {
        let blocks = &self.texts.blocks;
        let block =
            blocks.partition_point(|block| block.first <= number).checked_sub(1).ok_or(DecodeError::Short)?;
        if self.open.as_ref().is_none_or(|(open, _)| *open != block) {
            self.open = Some((block, self.texts.open(self.bytes, block)?));
        }
        let Some((_, texts)) = &self.open else { return Err(DecodeError::Short) };
        let at = number - blocks[block].first;
        if at < texts.len() { Ok(texts.get(at)) } else { Err(DecodeError::Short) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn texts_come_back(
            texts in proptest::collection::vec(prop_oneof!["[a-c]{0,9}", "[a\n]{0,4}", "z{2000}"], 0..300),
            bit in any::<prop::sample::Index>(),
        ) {
            let mut bytes = Vec::new();
            write(texts.iter().map(String::as_bytes), &mut Compressor::new(1).unwrap(), &mut bytes);
            let mut input = ByteReader::new(&bytes);
            let read = TextBlocks::read(&mut input).unwrap();
            input.end().unwrap();
            prop_assert_eq!(read.len(), texts.len());
            let all = read.all(&bytes).unwrap();
            prop_assert!(all.iter().eq(texts.iter().map(String::as_bytes)));
            let mut reader = read.reader(&bytes);
            for number in (0..texts.len()).step_by(7) {
                prop_assert_eq!(reader.get(number).unwrap(), texts[number].as_bytes());
            }
            prop_assert!(reader.get(texts.len()).is_err());
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(read) = TextBlocks::read(&mut ByteReader::new(&bytes)) {
                drop(read.all(&bytes));
                let mut reader = read.reader(&bytes);
                for number in 0..texts.len() {
                    reader.get(number).map(<[u8]>::len).ok();
                }
            }
        }
    }
}
