//! Compresses answers for clients that accept it: zstd or gzip.
//!
//! Responses of unlimited length are compressed as they come: when no more data is available for now, the data so far
//! is flushed. Events are not compressed, since each would be flushed on its own.
//!
//! **Invariant:** nobody without a login makes us compress: an answer that is compressed on the way and not read takes
//! half a megabyte. Answers to strangers are small, or were compressed once for all ([`super::assets`]).

use axum::http::{Extensions, HeaderMap, StatusCode, Version};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};

/// Minimum size for compression; smaller responses fit into one packet anyway.
const COMPRESSED_BYTES_MIN: u64 = 1024;
/// A fast level that takes little memory, since responses are compressed on the fly.
const LEVEL: i32 = 1;

/// Marks a response that must not be compressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uncompressed;

/// The compression layer, which leaves compressed responses alone.
pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    let worth_it = DefaultPredicate::new().and(SizeAbove::new(COMPRESSED_BYTES_MIN)).and(is_ours);
    CompressionLayer::new().quality(CompressionLevel::Precise(LEVEL)).compress_when(worth_it)
}

fn is_ours(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<Uncompressed>().is_none()
}
