//! Bytes of one address that no message holds: their number, the reasons, and samples of the last ones.

use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The number of samples that are kept, and the length of each.
const SAMPLES_MAX: usize = 8;
const SAMPLE_BYTES_MAX: usize = 1024;
/// If further bytes are skipped for the same reason within this time, they count as part of the same piece.
const SAME_NANOS: i64 = 1_000_000_000;

/// Bytes that do not belong to a message.
pub struct SkippedBytes<'a> {
    /// The reason for which bytes were skipped.
    pub reason: &'static str,
    /// The number of skipped bytes.
    pub bytes: u64,
    /// The first of these bytes, as far as they are known.
    pub head: &'a [u8],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SkippedTotals {
    /// By reason.
    pub(super) bytes: BTreeMap<String, u64>,
    /// A time in nanoseconds since 1970.
    pub(super) first_seen: i64,
    pub(super) last_seen: i64,
    /// The samples, the newest last. They are kept in memory only.
    #[serde(skip)]
    pub(super) samples: VecDeque<SkippedSample>,
}

/// A sample of skipped bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct SkippedSample {
    /// When the bytes were received.
    pub received: Timestamp,
    /// The reason for which bytes were skipped.
    pub reason: &'static str,
    /// The number of skipped bytes.
    pub bytes: u64,
    /// Its first bytes.
    pub head: Vec<u8>,
}

impl SkippedTotals {
    pub(super) fn first_seen(now: Timestamp) -> SkippedTotals {
        let (bytes, samples) = Default::default();
        SkippedTotals { bytes, first_seen: now.nanos(), last_seen: now.nanos(), samples }
    }

    pub(super) fn add(&mut self, skip: &SkippedBytes<'_>, now: Timestamp) {
        let sum = self.bytes.entry(skip.reason.to_owned()).or_default();
        *sum = sum.saturating_add(skip.bytes);
        let before = self.last_seen;
        self.last_seen = before.max(now.nanos());
        match self.samples.back_mut() {
            Some(last) if last.reason == skip.reason && now.nanos() - before < SAME_NANOS => {
                last.bytes = last.bytes.saturating_add(skip.bytes);
                let room = SAMPLE_BYTES_MAX - last.head.len();
                last.head.extend_from_slice(&skip.head[..skip.head.len().min(room)]);
            }
            _ => {
                if self.samples.len() == SAMPLES_MAX {
                    self.samples.pop_front();
                }
                let head = skip.head[..skip.head.len().min(SAMPLE_BYTES_MAX)].to_vec();
                self.samples.push_back(SkippedSample {
                    received: now,
                    reason: skip.reason,
                    bytes: skip.bytes,
                    head,
                });
            }
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.bytes.values().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }
}
