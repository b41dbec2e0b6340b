//! Compresses answers for clients that accept it: zstd, brotli or gzip.
//!
//! Answers that go on for as long as they are read are compressed as they come: the data so far is flushed when there
//! is no more for now. Events are left alone, since each would be flushed by itself.
//!
//! **Invariant:** nobody without a login makes us compress: an answer that is compressed on the way and not read takes
//! half a megabyte. Answers to strangers are small, or were compressed once for all ([`super::assets`]).

use axum::http::{Extensions, HeaderMap, StatusCode, Version};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};

/// Smaller answers fit into one packet anyway.
const COMPRESSED_BYTES_MIN: u64 = 1024;
/// Fast and with little memory, since it is done on the way.
const LEVEL: i32 = 1;

/// Marks an answer that stays as it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uncompressed;

/// The layer; it leaves compressed answers alone.
pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    let worth_it = DefaultPredicate::new().and(SizeAbove::new(COMPRESSED_BYTES_MIN)).and(is_ours);
    CompressionLayer::new().quality(CompressionLevel::Precise(LEVEL)).compress_when(worth_it)
}

fn is_ours(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<Uncompressed>().is_none()
}
