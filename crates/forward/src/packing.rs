//! A writer that packs files and objects.

use flate2::write::GzEncoder;
use logstead_config::Packing;
use std::io::{self, Write};

/// The default level of zstd.
const ZSTD_LEVEL: i32 = 3;

/// Compresses into a writer.
pub(super) enum Packer<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Packer<W> {
    pub(super) fn new(packing: Packing, out: W) -> io::Result<Packer<W>> {
        Ok(match packing {
            Packing::None => Packer::Plain(out),
            Packing::Gzip => Packer::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Packing::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Packer::Zstd(encoder)
            }
        })
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Packer::Plain(out) => out.write_all(bytes),
            Packer::Gzip(encoder) => encoder.write_all(bytes),
            Packer::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    /// Writes the rest, and returns the writer.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Packer::Plain(out) => Ok(out),
            Packer::Gzip(encoder) => encoder.finish(),
            Packer::Zstd(encoder) => encoder.finish(),
        }
    }
}

/// The file name extension for this compression.
pub(super) fn ending(packing: Packing) -> &'static str {
    match packing {
        Packing::Zstd => ".zst",
        Packing::Gzip => ".gz",
        Packing::None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_is_packed_comes_back() {
        let text = b"a line\n".repeat(10_000);
        for packing in [Packing::Zstd, Packing::Gzip, Packing::None] {
            let mut packer = Packer::new(packing, Vec::new()).unwrap();
            text.chunks(999).for_each(|chunk| packer.write_all(chunk).unwrap());
            let packed = packer.finish().unwrap();
            let mut unpacked = Vec::new();
            match packing {
                Packing::Zstd => unpacked = zstd::stream::decode_all(&packed[..]).unwrap(),
                Packing::Gzip => {
                    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).map(drop).unwrap();
                }
                Packing::None => unpacked.clone_from(&packed),
            }
            assert!(unpacked == text, "{packing:?}");
            assert_eq!(packed.len() < 1000, packing != Packing::None);
        }
    }
}
