//! Unpacks bodies, by their `Content-Encoding`.
//!
//! | `Content-Encoding` | unpacks                                                              |
//! |--------------------|----------------------------------------------------------------------|
//! | `gzip`, `x-gzip`   | RFC 1952, also several members one after the other                   |
//! | `deflate`          | RFC 1950; without its header, as some clients send it, RFC 1951      |
//! | `zstd`             | RFC 8878, with a window of at most 16 MiB                            |
//! | `snappy`           | a block, or frames if it begins like these                           |
//!
//! **Invariant:** unpacking takes a step at a time, of at most [`STEP_BYTES_MAX`], so that its caller can set memory
//! aside for the unpacked bytes and stop; and it never unpacks more than the maximum.

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::io::{self, Cursor, Read};

/// The maximum number of bytes that one step unpacks.
pub const STEP_BYTES_MAX: usize = 1 << 20;
/// The largest window of zstd: twice the window of its highest ordinary level.
const ZSTD_WINDOW_LOG_MAX: u32 = 24;
/// The maximum factor by which a block of snappy unpacks: three bytes copy 64 at most, so a block that claims more is
/// invalid.
const SNAPPY_FACTOR_MAX: usize = 64;
/// The first bytes of snappy's frame format.
const SNAPPY_FRAMES: &[u8] = b"\xff\x06\x00\x00sNaPpY";

/// The encoding of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Nothing.
    Identity,
    /// gzip.
    Gzip,
    /// zlib, or deflate by itself.
    Deflate,
    /// zstd.
    Zstd,
    /// A block or frames of snappy.
    Snappy,
}

/// The reason why a body cannot be unpacked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnpackError {
    /// Its encoding is not supported.
    #[error(
        "Content-Encoding `{0}` is not supported: send gzip, deflate, zstd, snappy, or the body as it is"
    )]
    Unknown(String),
    /// It is damaged, or in another encoding than stated.
    #[error("the body is not valid {encoding}, which its Content-Encoding names: {reason}")]
    Damaged {
        /// The encoding that it should have.
        encoding: &'static str,
        /// The error.
        reason: String,
    },
    /// It unpacks to more than is allowed.
    #[error("the body is longer than {bytes_max} bytes when decompressed: send it in parts")]
    TooLong {
        /// The maximum number of bytes.
        bytes_max: usize,
    },
}

impl Encoding {
    /// Finds an encoding by the value of `Content-Encoding`.
    pub fn named(name: &str) -> Result<Encoding, UnpackError> {
        match name.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Encoding::Identity),
            "gzip" | "x-gzip" => Ok(Encoding::Gzip),
            "deflate" => Ok(Encoding::Deflate),
            "zstd" => Ok(Encoding::Zstd),
            "snappy" => Ok(Encoding::Snappy),
            _ => Err(UnpackError::Unknown(name.to_owned())),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Encoding::Identity => "identity",
            Encoding::Gzip => "gzip",
            Encoding::Deflate => "deflate",
            Encoding::Zstd => "zstd",
            Encoding::Snappy => "snappy",
        }
    }
}

/// A body that is unpacked step by step.
pub struct Unpacker {
    encoding: Encoding,
    packed: UnpackReader,
    bytes_max: usize,
    unpacked: Vec<u8>,
}

enum UnpackReader {
    /// A body that needs no unpacking.
    Whole(Vec<u8>),
    Stream(Box<dyn Read + Send>),
    Done,
}

impl Unpacker {
    /// An unpacker for a body that may have at most `bytes_max` bytes once it is unpacked.
    pub fn of(encoding: Encoding, body: Vec<u8>, bytes_max: usize) -> Result<Unpacker, UnpackError> {
        let is_empty = body.is_empty();
        let packed: Box<dyn Read + Send> = match encoding {
            _ if is_empty => return Ok(Unpacker::new(encoding, UnpackReader::Done, bytes_max)),
            Encoding::Identity => {
                return Ok(Unpacker {
                    unpacked: body,
                    ..Unpacker::new(encoding, UnpackReader::Done, bytes_max)
                });
            }
            Encoding::Snappy if !body.starts_with(SNAPPY_FRAMES) => {
                return Ok(Unpacker::new(encoding, UnpackReader::Whole(body), bytes_max));
            }
            Encoding::Snappy => Box::new(snap::read::FrameDecoder::new(Cursor::new(body))),
            Encoding::Gzip => Box::new(MultiGzDecoder::new(Cursor::new(body))),
            Encoding::Deflate if is_zlib(&body) => Box::new(ZlibDecoder::new(Cursor::new(body))),
            Encoding::Deflate => Box::new(DeflateDecoder::new(Cursor::new(body))),
            Encoding::Zstd => Box::new(zstd_reader(body).map_err(|error| damaged(encoding, &error))?),
        };
        Ok(Unpacker::new(encoding, UnpackReader::Stream(packed), bytes_max))
    }

    fn new(encoding: Encoding, packed: UnpackReader, bytes_max: usize) -> Unpacker {
        Unpacker { encoding, packed, bytes_max, unpacked: Vec::new() }
    }

    /// Unpacks more, and returns the number of bytes; 0 at the end.
    pub fn step(&mut self) -> Result<usize, UnpackError> {
        let Unpacker { encoding, packed, bytes_max, unpacked } = self;
        match packed {
            UnpackReader::Done => Ok(0),
            UnpackReader::Whole(body) => {
                *unpacked = snappy_block(body, *bytes_max)?;
                *packed = UnpackReader::Done;
                Ok(unpacked.len())
            }
            UnpackReader::Stream(reader) => {
                // One byte beyond the limit distinguishes a body that is too long from one that just fits.
                let bytes = (*bytes_max - unpacked.len()).saturating_add(1).min(STEP_BYTES_MAX);
                let mut step = reader.take(bytes as u64);
                let read = step.read_to_end(unpacked).map_err(|error| damaged(*encoding, &error))?;
                if *bytes_max < unpacked.len() {
                    return Err(UnpackError::TooLong { bytes_max: *bytes_max });
                }
                Ok(read)
            }
        }
    }

    /// The unpacked body.
    pub fn whole(self) -> Vec<u8> {
        self.unpacked
    }
}

/// Unpacks a block of snappy. Some protocols send it without a header that says so.
pub fn snappy_block(body: &[u8], bytes_max: usize) -> Result<Vec<u8>, UnpackError> {
    let refused =
        |error: &snap::Error| UnpackError::Damaged { encoding: "snappy", reason: error.to_string() };
    let bytes = snap::raw::decompress_len(body).map_err(|error| refused(&error))?;
    if bytes_max < bytes {
        return Err(UnpackError::TooLong { bytes_max });
    }
    if body.len().saturating_mul(SNAPPY_FACTOR_MAX) < bytes {
        let reason = format!("{} bytes cannot hold {bytes}", body.len());
        return Err(UnpackError::Damaged { encoding: "snappy", reason });
    }
    snap::raw::Decoder::new().decompress_vec(body).map_err(|error| refused(&error))
}

fn zstd_reader(body: Vec<u8>) -> io::Result<impl Read + Send> {
    let mut reader = zstd::stream::read::Decoder::with_buffer(Cursor::new(body))?;
    reader.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
    Ok(reader)
}

/// Whether a body begins with the header of RFC 1950.
fn is_zlib(body: &[u8]) -> bool {
    let [method, flags, ..] = *body else { return false };
    method & 0x0F == 8 && u16::from_be_bytes([method, flags]) % 31 == 0
}

fn damaged(encoding: Encoding, error: &io::Error) -> UnpackError {
    UnpackError::Damaged { encoding: encoding.name(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    const ALL: [Encoding; 5] =
        [Encoding::Identity, Encoding::Gzip, Encoding::Deflate, Encoding::Zstd, Encoding::Snappy];

    fn packed(encoding: Encoding, body: &[u8]) -> Vec<Vec<u8>> {
        match encoding {
            Encoding::Identity => vec![body.to_vec()],
            Encoding::Gzip => {
                let mut one = GzEncoder::new(Vec::new(), Compression::fast());
                one.write_all(body).unwrap();
                let one = one.finish().unwrap();
                let empty = GzEncoder::new(Vec::new(), Compression::fast()).finish().unwrap();
                vec![one.clone(), [one, empty].concat()]
            }
            Encoding::Deflate => {
                let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
                zlib.write_all(body).unwrap();
                let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
                bare.write_all(body).unwrap();
                vec![zlib.finish().unwrap(), bare.finish().unwrap()]
            }
            Encoding::Zstd => vec![zstd::encode_all(body, 1).unwrap()],
            Encoding::Snappy => {
                let mut frames = snap::write::FrameEncoder::new(Vec::new());
                frames.write_all(body).unwrap();
                vec![snap::raw::Encoder::new().compress_vec(body).unwrap(), frames.into_inner().unwrap()]
            }
        }
    }

    fn unpack(encoding: Encoding, body: &[u8], bytes_max: usize) -> Result<Vec<u8>, UnpackError> {
        let mut unpacker = Unpacker::of(encoding, body.to_vec(), bytes_max)?;
        let mut bytes = 0;
        loop {
            let step = unpacker.step()?;
            assert!(step <= STEP_BYTES_MAX || encoding == Encoding::Snappy);
            bytes += step;
            if step == 0 {
                break;
            }
        }
        let whole = unpacker.whole();
        assert!(encoding == Encoding::Identity || bytes == whole.len());
        Ok(whole)
    }

    #[test]
    fn every_encoding_is_unpacked() {
        let long = b"a message that repeats ".repeat(200_000);
        for encoding in ALL {
            for body in [&b""[..], b"x", b"{\"message\":\"m\"}\n", &long] {
                for packed in packed(encoding, body) {
                    assert_eq!(unpack(encoding, &packed, long.len()).unwrap(), body, "{encoding:?}");
                }
            }
        }
    }

    #[test]
    fn a_bomb_is_refused_as_soon_as_it_is_larger_than_allowed() {
        let zeros = vec![0; 50 << 20];
        for encoding in [Encoding::Gzip, Encoding::Deflate, Encoding::Zstd, Encoding::Snappy] {
            for packed in packed(encoding, &zeros) {
                let refused = unpack(encoding, &packed, 3 << 20);
                assert_eq!(refused, Err(UnpackError::TooLong { bytes_max: 3 << 20 }), "{encoding:?}");
            }
        }
        // A length that is only stated, without the content.
        assert!(matches!(
            unpack(Encoding::Snappy, b"\x80\x80\x80\x01\0a", 1 << 30),
            Err(UnpackError::Damaged { .. })
        ));
        // A window of 2 GiB.
        let window = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00];
        assert!(matches!(unpack(Encoding::Zstd, &window, 1 << 30), Err(UnpackError::Damaged { .. })));
    }

    #[test]
    fn names_are_those_of_http() {
        assert_eq!(Encoding::named(" GZip "), Ok(Encoding::Gzip));
        assert_eq!(Encoding::named(""), Ok(Encoding::Identity));
        for name in ["br", "gzip, gzip", "lz4"] {
            assert_eq!(Encoding::named(name), Err(UnpackError::Unknown(name.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_unpacked_or_refused(
            noise in proptest::collection::vec(any::<u8>(), 0..200),
            at in 0_usize..64,
            bytes_max in 0_usize..5000,
        ) {
            for encoding in ALL.into_iter().filter(|encoding| *encoding != Encoding::Identity) {
                if let Ok(whole) = unpack(encoding, &noise, bytes_max) {
                    prop_assert!(whole.len() <= bytes_max);
                }
                // The bodies are damaged at some position, and cut.
                for mut packed in packed(encoding, &noise.repeat(20)).into_iter().filter(|packed| !packed.is_empty()) {
                    let at = at % packed.len();
                    packed[at] ^= 0x55;
                    if let Ok(whole) = unpack(encoding, &packed, bytes_max) {
                        prop_assert!(whole.len() <= bytes_max);
                    }
                    packed.truncate(at);
                    prop_assert!(unpack(encoding, &packed, 5000).map_or(true, |whole| whole.len() <= 5000));
                }
            }
        }
    }
}
