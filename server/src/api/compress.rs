//! Compresses answers for clients that accept it: zstd, brotli or gzip.
//!
//! Answers that go on for as long as they are read are compressed as they come: what is there is flushed when nothing
//! more is. Events are left alone, since each would be flushed by itself.

use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};

/// Smaller answers fit into one packet anyway.
const COMPRESSED_BYTES_MIN: u64 = 1024;
/// Fast rather than small, since it is done on the way: a megabyte of messages takes some 10 ms.
const LEVEL: i32 = 3;

/// The layer; it leaves alone what is compressed already.
pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    let worth_it = DefaultPredicate::new().and(SizeAbove::new(COMPRESSED_BYTES_MIN));
    CompressionLayer::new().quality(CompressionLevel::Precise(LEVEL)).compress_when(worth_it)
}
