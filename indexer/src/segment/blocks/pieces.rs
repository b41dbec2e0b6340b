//! The Merkle tree over the pieces of a file.
//!
//! A node is BLAKE3 of the byte 1 and its two children; a node without a neighbour is its own parent.

use crate::journal::frame::Hash;

/// A leaf of the tree is the hash of this many bytes; the last piece may be shorter.
pub(super) const PIECE_BYTES: usize = 64 << 10;

/// The hash of each piece of the concatenated parts.
pub(super) fn hashes<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Vec<Hash> {
    let (mut hashes, mut open, mut filled) = (Vec::new(), blake3::Hasher::new(), 0);
    for mut rest in parts {
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.len().min(PIECE_BYTES - filled));
            open.update(part);
            filled += part.len();
            rest = after;
            if filled == PIECE_BYTES {
                hashes.push(*open.finalize().as_bytes());
                open.reset();
                filled = 0;
            }
        }
    }
    if filled != 0 {
        hashes.push(*open.finalize().as_bytes());
    }
    hashes
}

/// The root of the tree over some leaves.
pub(super) fn merkle_root(mut level: Vec<Hash>) -> Hash {
    while 1 < level.len() {
        let parent = |pair: &[Hash]| match pair {
            [left, right] => {
                *blake3::Hasher::new().update(&[1]).update(left).update(right).finalize().as_bytes()
            }
            alone => alone[0],
        };
        level = level.chunks(2).map(parent).collect();
    }
    level.first().copied().unwrap_or_default()
}
