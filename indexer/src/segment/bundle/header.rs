//! The first bytes of a file of sections: the identity of the blocks, and the lengths of the parts.

use super::error::IndexError;
use super::kind::BundleKind;
use crate::bytes::{array_at, u32_at, u64_at};

pub(super) const HEADER_BYTES: usize = 80;
pub(super) const CRC_BYTES: usize = 4;

/// The identity of the blocks that an index belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BundleIdentity {
    /// The sequence of the first message.
    pub(crate) first_sequence: u64,
    /// The number of messages.
    pub(crate) rows: u32,
    /// The BLAKE3 hash of the blocks file.
    pub(crate) blocks_hash: [u8; 32],
}

/// The contents of the first bytes of the file.
pub(super) struct BundleHeader {
    pub(super) identity: BundleIdentity,
    pub(super) body_bytes: u64,
    pub(super) sections: u32,
    pub(super) tables_bytes: u32,
    pub(super) tables_crc: u32,
}

impl BundleHeader {
    pub(super) fn to_bytes(&self, kind: BundleKind) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(&kind.magic());
        bytes.extend_from_slice(&[0; CRC_BYTES]);
        bytes.extend_from_slice(&kind.version().to_le_bytes());
        bytes.extend_from_slice(&self.identity.rows.to_le_bytes());
        bytes.extend_from_slice(&self.identity.first_sequence.to_le_bytes());
        bytes.extend_from_slice(&self.identity.blocks_hash);
        bytes.extend_from_slice(&self.body_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.sections.to_le_bytes());
        bytes.extend_from_slice(&self.tables_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.tables_crc.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes.try_into().expect("the fields are as long as the header")
    }

    pub(super) fn read(kind: BundleKind, bytes: &[u8; HEADER_BYTES]) -> Result<BundleHeader, IndexError> {
        if bytes[..4] != kind.magic() {
            return Err(IndexError::Magic);
        }
        if u32_at(bytes, 4) != crc32c::crc32c(&bytes[8..]) {
            return Err(IndexError::Checksum { offset: 0 });
        }
        let version = u32_at(bytes, 8);
        if version != kind.version() {
            return Err(IndexError::Version(version));
        }
        let identity = BundleIdentity {
            rows: u32_at(bytes, 12),
            first_sequence: u64_at(bytes, 16),
            blocks_hash: array_at(bytes, 24),
        };
        Ok(BundleHeader {
            identity,
            body_bytes: u64_at(bytes, 56),
            sections: u32_at(bytes, 64),
            tables_bytes: u32_at(bytes, 68),
            tables_crc: u32_at(bytes, 72),
        })
    }

    /// The length of the file that begins with this header.
    pub(super) fn file_bytes(&self) -> Result<u64, IndexError> {
        self.body_bytes
            .checked_add(HEADER_BYTES as u64 + u64::from(self.tables_bytes))
            .ok_or_else(|| IndexError::Format(format!("{bytes} bytes of sections", bytes = self.body_bytes)))
    }
}
