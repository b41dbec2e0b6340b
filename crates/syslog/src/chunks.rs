//! Reassembles messages that GELF sends in several datagrams. No I/O: the caller supplies the time.
//!
//! | offset | size | field    | meaning                                  |
//! |--------|------|----------|------------------------------------------|
//! | 0      | 2    | magic    | `1e 0f`                                  |
//! | 2      | 8    | id       | of the message, for its sender           |
//! | 10     | 1    | number   | of the chunk, from 0                     |
//! | 11     | 1    | count    | of the message's chunks, 1 to 128        |
//! | 12     |      | payload  |                                          |
//!
//! A datagram that does not begin like this is a message by itself. Chunks may arrive in any order and more than
//! once, even after their message is complete.
//!
//! **Invariant:** no payload is lost: a message that waits too long, or for whose rest there is no room, is handed on
//! as it is, in order and flagged as incomplete. A chunk that contradicts its header or those before it is a message by
//! itself.

use logstead_record::Flags;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, Hash, RandomState};
use std::time::{Duration, Instant};

const MAGIC: &[u8] = b"\x1e\x0f";
const HEADER_BYTES: usize = 12;
const CHUNKS_MAX: usize = 128;
/// The number of complete messages that are remembered.
const COMPLETE_MAX: usize = 64;
/// The time that a message may wait for its chunks, by the specification.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Messages with chunks that are still missing.
pub struct Chunks<S> {
    messages_max: usize,
    bytes_max: usize,
    waiting: HashMap<ChunkKey<S>, PartialMessage>,
    /// The incomplete messages by age.
    ages: BTreeMap<u64, ChunkKey<S>>,
    /// The number of messages that have been begun.
    begun: u64,
    /// The total length of all waiting payloads.
    bytes: usize,
    /// The recently completed messages, with a hash of each chunk, the oldest first.
    complete: VecDeque<CompleteMessage<S>>,
    hasher: RandomState,
}

struct CompleteMessage<S> {
    key: ChunkKey<S>,
    until: Instant,
    hashes: Vec<u64>,
}

type ChunkKey<S> = (S, [u8; 8]);

struct PartialMessage {
    number: u64,
    until: Instant,
    parts: Vec<Option<Vec<u8>>>,
    missing: usize,
}

struct GelfChunk<'a> {
    id: [u8; 8],
    number: usize,
    count: usize,
    payload: &'a [u8],
}

impl<S: Copy + Eq + Hash> Chunks<S> {
    /// Reserves room for this many messages with this total length in bytes.
    pub fn new(messages_max: usize, bytes_max: usize) -> Chunks<S> {
        let (waiting, ages, complete, hasher) = Default::default();
        Chunks { messages_max, bytes_max, waiting, ages, begun: 0, bytes: 0, complete, hasher }
    }

    /// Takes a datagram and passes on the messages that are complete.
    pub fn take(&mut self, sender: S, datagram: &[u8], now: Instant, done: &mut impl FnMut(S, &[u8], Flags)) {
        let Some(chunk) = chunk(datagram) else { return done(sender, datagram, Flags::default()) };
        let key = (sender, chunk.id);
        if !self.waiting.contains_key(&key) {
            if self.is_late_copy(key, &chunk, now) {
                return;
            }
            self.begin(key, chunk.count, now, done);
        }
        let waiting = self.waiting.get_mut(&key).expect("it has begun");
        if waiting.parts.len() != chunk.count {
            return done(sender, datagram, Flags::default());
        }
        match &mut waiting.parts[chunk.number] {
            // Networks may deliver a datagram twice.
            Some(same) if same == chunk.payload => return,
            Some(_) => return done(sender, datagram, Flags::default()),
            part => *part = Some(chunk.payload.to_vec()),
        }
        waiting.missing -= 1;
        self.bytes += chunk.payload.len();
        if waiting.missing == 0 {
            self.remember(key, now);
            self.end(key, Flags::default(), done);
        }
        while self.bytes_max < self.bytes {
            self.end_oldest(done);
        }
    }

    /// Passes on messages that have waited too long.
    pub fn expire(&mut self, now: Instant, done: &mut impl FnMut(S, &[u8], Flags)) {
        while self.next_end().is_some_and(|end| end <= now) {
            self.end_oldest(done);
        }
    }

    /// The time at which the next message will have waited too long.
    pub fn next_end(&self) -> Option<Instant> {
        let (_, key) = self.ages.first_key_value()?;
        self.waiting.get(key).map(|waiting| waiting.until)
    }

    /// Passes on all messages.
    pub fn finish(&mut self, done: &mut impl FnMut(S, &[u8], Flags)) {
        while !self.ages.is_empty() {
            self.end_oldest(done);
        }
    }

    /// Whether this is a repeated chunk of a message that was recently completed.
    fn is_late_copy(&mut self, key: ChunkKey<S>, chunk: &GelfChunk<'_>, now: Instant) -> bool {
        while self.complete.front().is_some_and(|oldest| oldest.until <= now) {
            self.complete.pop_front();
        }
        let same =
            |complete: &&CompleteMessage<S>| complete.key == key && complete.hashes.len() == chunk.count;
        let hash = self.hasher.hash_one(chunk.payload);
        self.complete.iter().rev().find(same).is_some_and(|complete| complete.hashes[chunk.number] == hash)
    }

    fn remember(&mut self, key: ChunkKey<S>, now: Instant) {
        let parts = &self.waiting[&key].parts;
        let hashes = parts.iter().flatten().map(|part| self.hasher.hash_one(part.as_slice())).collect();
        if COMPLETE_MAX <= self.complete.len() {
            self.complete.pop_front();
        }
        self.complete.push_back(CompleteMessage { key, until: now + WAIT_MAX, hashes });
    }

    fn begin(
        &mut self,
        key: ChunkKey<S>,
        count: usize,
        now: Instant,
        done: &mut impl FnMut(S, &[u8], Flags),
    ) {
        while self.messages_max <= self.waiting.len() {
            self.end_oldest(done);
        }
        self.begun += 1;
        let waiting = PartialMessage {
            number: self.begun,
            until: now + WAIT_MAX,
            parts: vec![None; count],
            missing: count,
        };
        self.ages.insert(waiting.number, key);
        self.waiting.insert(key, waiting);
    }

    fn end_oldest(&mut self, done: &mut impl FnMut(S, &[u8], Flags)) {
        if let Some(key) = self.ages.first_key_value().map(|(_, key)| *key) {
            self.end(key, Flags::INCOMPLETE, done);
        }
    }

    fn end(&mut self, key: ChunkKey<S>, flags: Flags, done: &mut impl FnMut(S, &[u8], Flags)) {
        let waiting = self.waiting.remove(&key).expect("it has begun");
        self.ages.remove(&waiting.number);
        let payload: Vec<u8> = waiting.parts.into_iter().flatten().flatten().collect();
        self.bytes -= payload.len();
        done(key.0, &payload, flags);
    }
}

/// Reads a datagram as a chunk; `None` if it is not one.
fn chunk(datagram: &[u8]) -> Option<GelfChunk<'_>> {
    let (header, payload) = datagram.split_first_chunk::<HEADER_BYTES>()?;
    let (number, count) = (usize::from(header[10]), usize::from(header[11]));
    let is_chunk = header.starts_with(MAGIC) && number < count && count <= CHUNKS_MAX;
    let id = header[2..10].try_into().expect("8 bytes");
    is_chunk.then_some(GelfChunk { id, number, count, payload })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "any moment will do to begin with")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn datagram(id: u8, number: u8, count: u8, payload: &[u8]) -> Vec<u8> {
        [MAGIC, &[id; 8], &[number, count], payload].concat()
    }

    /// Checks the messages that these datagrams give, and those that are left at the end.
    fn check(messages_max: usize, bytes_max: usize, datagrams: &[Vec<u8>], expected: &[(&[u8], bool)]) {
        let mut chunks = Chunks::new(messages_max, bytes_max);
        let mut found = Vec::new();
        let mut done =
            |_: u8, payload: &[u8], flags| found.push((payload.to_vec(), flags == Flags::INCOMPLETE));
        for datagram in datagrams {
            chunks.take(1, datagram, Instant::now(), &mut done);
        }
        chunks.finish(&mut done);
        let expected: Vec<_> = expected.iter().map(|(payload, cut)| (payload.to_vec(), *cut)).collect();
        assert_eq!(found, expected);
        assert_eq!((chunks.bytes, chunks.waiting.len(), chunks.ages.len()), (0, 0, 0));
    }

    #[test]
    fn chunks_come_in_any_order_and_twice() {
        let [a, b, c] = [0, 1, 2].map(|number| datagram(7, number, 3, &[b'a' + number]));
        check(9, 99, &[c.clone(), a.clone(), c.clone(), b.clone()], &[(b"abc", false)]);
        // Chunks are repeated, even after the last missing one.
        let late = [a.clone(), b.clone(), c.clone(), b.clone(), a.clone()];
        check(9, 99, &late, &[(b"abc", false)]);
        let other = datagram(7, 1, 3, b"B");
        check(9, 99, &[a.clone(), b.clone(), c.clone(), other], &[(b"abc", false), (b"B", true)]);
        let other = datagram(8, 0, 2, b"x");
        check(9, 99, &[a, other, b, b"{}".to_vec(), c], &[(b"{}", false), (b"abc", false), (b"x", true)]);
        check(9, 99, &[datagram(1, 0, 1, b"")], &[(b"", false)]);
    }

    #[test]
    fn a_header_that_cannot_be_is_a_message() {
        for bytes in [datagram(1, 0, 0, b"x"), datagram(1, 2, 2, b"x"), datagram(1, 0, 129, b"x")] {
            check(9, 99, std::slice::from_ref(&bytes), &[(&bytes, false)]);
        }
        for bytes in [&b""[..], b"\x1e", b"\x1e\x0f", b"\x1e\x0f12345678\x00"] {
            check(9, 99, &[bytes.to_vec()], &[(bytes, false)]);
        }
        let (begun, wrong) = (datagram(1, 0, 2, b"a"), datagram(1, 0, 3, b"b"));
        check(9, 99, &[begun.clone(), wrong.clone()], &[(&wrong, false), (b"a", true)]);
        let other = datagram(1, 0, 2, b"c");
        check(9, 99, &[begun, other.clone()], &[(&other, false), (b"a", true)]);
    }

    #[test]
    fn the_oldest_makes_room() {
        let begun = |id: u8, payload: &[u8]| datagram(id, 0, 2, payload);
        check(
            2,
            99,
            &[begun(1, b"a"), begun(2, b"b"), begun(3, b"c")],
            &[(b"a", true), (b"b", true), (b"c", true)],
        );
        check(9, 5, &[begun(1, b"aaa"), begun(2, b"bbb")], &[(b"aaa", true), (b"bbb", true)]);
        check(9, 2, &[begun(1, b"aaa")], &[(b"aaa", true)]);
    }

    #[test]
    fn a_message_waits_for_its_chunks_but_not_for_long() {
        let start = Instant::now();
        let mut chunks = Chunks::new(9, 99);
        let mut found = Vec::new();
        let mut done = |sender: u8, payload: &[u8], flags| found.push((sender, payload.to_vec(), flags));
        chunks.take(1, &datagram(1, 1, 2, b"b"), start, &mut done);
        chunks.take(2, &datagram(1, 0, 2, b"a"), start + Duration::from_secs(1), &mut done);
        assert_eq!(chunks.next_end(), Some(start + WAIT_MAX));
        chunks.expire(start + WAIT_MAX, &mut done);
        assert_eq!(chunks.next_end(), Some(start + WAIT_MAX + Duration::from_secs(1)));
        chunks.take(2, &datagram(1, 1, 2, b"b"), start + WAIT_MAX, &mut done);
        assert_eq!(chunks.next_end(), None);
        let expected = [(1, b"b".to_vec(), Flags::INCOMPLETE), (2, b"ab".to_vec(), Flags::default())];
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn no_payload_is_lost_and_what_waits_is_bounded(
            datagrams in proptest::collection::vec(
                (0_u8..4, 0_u8..5, 0_u8..5, proptest::collection::vec(any::<u8>(), 0..9), 0_u64..3000), 0..60
            ),
            messages_max in 1_usize..4,
            bytes_max in 0_usize..40,
        ) {
            let mut chunks = Chunks::new(messages_max, bytes_max);
            let mut now = Instant::now();
            let (mut sent, mut found) = (Vec::new(), Vec::new());
            for (number, (id, chunk, count, noise, wait_ms)) in datagrams.into_iter().enumerate() {
                now += Duration::from_millis(wait_ms);
                // Each payload is different, so that none counts as sent twice.
                let payload = [&[number as u8], &noise[..]].concat();
                sent.extend_from_slice(&payload);
                let mut done = |_: u8, payload: &[u8], _| {
                    // A datagram that is not accepted as a chunk is passed on with its header.
                    let is_header = payload.starts_with(MAGIC) && HEADER_BYTES <= payload.len();
                    found.extend_from_slice(if is_header { &payload[HEADER_BYTES..] } else { payload });
                };
                chunks.expire(now, &mut done);
                chunks.take(id % 2, &datagram(id, chunk, count, &payload), now, &mut done);
                prop_assert!(chunks.waiting.len() <= messages_max && chunks.bytes <= bytes_max);
            }
            chunks.finish(&mut |_, payload, _| found.extend_from_slice(payload));
            sent.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, sent);
        }
    }
}
