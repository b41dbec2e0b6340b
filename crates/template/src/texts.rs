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
use zstd::bulk::Compressor;

/// The length from which on a block ends with its current text.
const BLOCK_BYTES: usize = 64 << 10;
/// The maximum number of bytes of a block: a text is at most 16 MiB.
const BLOCK_BYTES_MAX: usize = 32 << 20;

/// Appends texts.
pub(crate) fn write<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    compressor: &mut Compressor<'_>,
    out: &mut Vec<u8>,
) {
    let mut blocks = Vec::new();
    write_apart(texts, compressor, out, &mut blocks);
    out.reserve_exact(blocks.len());
    out.extend_from_slice(&blocks);
}

/// Appends texts, but what says where their blocks are is appended to `table`.
pub(crate) fn write_apart<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    compressor: &mut Compressor<'_>,
    table: &mut Vec<u8>,
    out: &mut Vec<u8>,
) {
    let (mut heads, mut blocks) = (Vec::new(), 0);
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
            out.extend_from_slice(&packed);
            open.truncate(0);
            blocks += 1;
        }
    }
    put_varint(blocks, table);
    table.extend_from_slice(&heads);
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

/// The places of blocks of texts.
pub(crate) struct TextBlocks {
    blocks: Vec<Block>,
    len: usize,
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
        let mut texts = TextBlocks::read_table(input, &mut 0)?;
        for block in &mut texts.blocks {
            block.place = input.skip(block.place.len())?;
        }
        Ok(texts)
    }

    /// Reads a table of blocks that are elsewhere. The first of them starts at `next`, which becomes the end of the last
    /// one.
    pub(crate) fn read_table(input: &mut ByteReader<'_>, next: &mut usize) -> Result<TextBlocks> {
        let count = input.varint()?;
        let (mut blocks, mut len) = (Vec::new(), 0_usize);
        for _ in 0..count {
            let texts = input.count(BLOCK_BYTES_MAX, "a block of texts")?;
            let plain_bytes = input.count(BLOCK_BYTES_MAX, "a block of texts")?;
            let end = *next + input.count(BLOCK_BYTES_MAX, "a block of texts")?;
            blocks.push(Block { first: len, plain_bytes, place: *next..end });
            *next = end;
            len += texts;
        }
        Ok(TextBlocks { blocks, len })
    }

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The number of the first text of a block.
    pub(crate) fn first_of(&self, block: usize) -> usize {
        self.blocks[block].first
    }

    /// The block that has a text.
    pub(crate) fn block_of(&self, text: usize) -> Option<usize> {
        self.blocks.partition_point(|block| block.first <= text).checked_sub(1)
    }

    /// The range of the bytes of some blocks.
    pub(crate) fn place(&self, blocks: Range<usize>) -> Range<usize> {
        match self.blocks.get(blocks) {
            Some([first, .., last]) => first.place.start..last.place.end,
            Some([only]) => only.place.clone(),
            _ => 0..0,
        }
    }

    /// The memory that it takes, without the texts.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self.blocks.as_slice())
    }

    /// All texts, from the bytes in which the blocks are.
    pub(crate) fn all(&self, bytes: &[u8]) -> Result<TextColumn> {
        let start = self.place(0..self.blocks.len()).start;
        self.all_of(&bytes[start..])
    }

    /// All texts, from the bytes of all blocks.
    pub(crate) fn all_of(&self, packed: &[u8]) -> Result<TextColumn> {
        let start = self.place(0..self.blocks.len()).start;
        let mut all = TextColumn::default();
        for (number, block) in self.blocks.iter().enumerate() {
            let texts = self.decode(number, &packed[block.place.start - start..block.place.end - start])?;
            all.extend(&texts, 0..texts.len());
        }
        Ok(all)
    }

    /// The texts of a block, from its bytes.
    pub(crate) fn decode(&self, number: usize, packed: &[u8]) -> Result<TextColumn> {
        let Block { first, plain_bytes, .. } = &self.blocks[number];
        let end = self.blocks.get(number + 1).map_or(self.len, |next| next.first);
        let count = end - first;
        let plain = packet::unpack(packed, *plain_bytes)?;
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
            for number in (0..texts.len()).step_by(7) {
                let block = read.block_of(number).unwrap();
                let of_block = read.decode(block, &bytes[read.place(block..block + 1)]).unwrap();
                prop_assert_eq!(of_block.get(number - read.first_of(block)), texts[number].as_bytes());
            }
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(read) = TextBlocks::read(&mut ByteReader::new(&bytes)) {
                drop(read.all(&bytes));
                for block in 0..read.blocks() {
                    read.decode(block, &bytes[read.place(block..block + 1)]).ok();
                }
            }
        }

        #[test]
        fn a_table_says_where_the_blocks_are(
            texts in proptest::collection::vec("[a-z]{500,3000}", 0..90), before in 0_usize..9,
        ) {
            let (mut table, mut bytes) = (Vec::new(), vec![0; before]);
            let all = texts.iter().map(String::as_bytes);
            write_apart(all, &mut Compressor::new(1).unwrap(), &mut table, &mut bytes);
            let mut next = before;
            let read = TextBlocks::read_table(&mut ByteReader::new(&table), &mut next).unwrap();
            prop_assert_eq!(next, bytes.len());
            let all = read.all_of(&bytes[before..]).unwrap();
            prop_assert!(all.iter().eq(texts.iter().map(String::as_bytes)));
        }
    }
}
