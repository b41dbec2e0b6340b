//! Generated messages: a chunk is laid out once, and each use only overwrites the numbers and, if the second has
//! changed, the times.

use super::chunk::{ChunkLimits, FrameChunk, Framing};
use super::template::MessageTemplate;
use logstead_record::Timestamp;

const SECOND_NANOS: i64 = 1_000_000_000;

/// The endless messages of one connection.
pub(super) struct GeneratedMessages {
    template: MessageTemplate,
    framing: Framing,
    limits: ChunkLimits,
    /// The number of the next message.
    next: u64,
    /// The second of the times in the chunk.
    second: i64,
}

impl GeneratedMessages {
    pub(super) fn new(template: MessageTemplate, framing: Framing, limits: ChunkLimits) -> GeneratedMessages {
        GeneratedMessages { template, framing, limits, next: 0, second: i64::MIN }
    }

    /// Fills the chunk, which must always be the same one, with up to `wanted` messages.
    pub(super) fn fill(&mut self, chunk: &mut FrameChunk, wanted: usize, now: Timestamp) {
        if chunk.ends.is_empty() {
            self.lay_out(chunk);
        }
        let count = wanted.min(chunk.ends.len());
        let second = now.nanos().div_euclid(SECOND_NANOS);
        if self.second != second {
            self.second = second;
            let stamps = self.template.stamps(now);
            self.each(chunk, usize::MAX, |template, message, _| template.stamp(message, &stamps));
        }
        let next = self.next;
        self.each(chunk, count, |template, message, at| template.number(message, next + at));
        self.next += count as u64;
        chunk.begin(count);
    }

    fn lay_out(&self, chunk: &mut FrameChunk) {
        let ChunkLimits { messages_max, bytes_max } = self.limits;
        self.framing.write(&self.template.bytes, &mut chunk.bytes);
        let frame = chunk.bytes.clone();
        let count = (bytes_max / frame.len()).clamp(1, messages_max);
        chunk.bytes = frame.repeat(count);
        chunk.ends = (1..=count).map(|number| number * frame.len()).collect();
    }

    fn each(&self, chunk: &mut FrameChunk, count: usize, change: impl Fn(&MessageTemplate, &mut [u8], u64)) {
        let frame_bytes = chunk.ends[0];
        let trailer_bytes = usize::from(self.framing == Framing::Newline);
        let message_at = frame_bytes - trailer_bytes - self.template.bytes.len();
        for (frame, at) in chunk.bytes.chunks_exact_mut(frame_bytes).take(count).zip(0..) {
            change(&self.template, &mut frame[message_at..], at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::template::{HeaderKind, MessageIdentity};
    use super::*;

    fn generated(framing: Framing, limits: ChunkLimits) -> GeneratedMessages {
        let identity = MessageIdentity { run_id: 7, thread: 3 };
        let template =
            MessageTemplate::new(HeaderKind::Rfc5424, 130, identity, Timestamp::from_nanos(0)).unwrap();
        GeneratedMessages::new(template, framing, limits)
    }

    #[test]
    fn every_message_has_its_number_and_its_second() {
        let mut chunk = FrameChunk::default();
        let mut messages = generated(Framing::Octet, ChunkLimits { messages_max: 3, bytes_max: 1 << 20 });
        let mut sequence = 0;
        for (second, wanted, count) in [(0, 2, 2), (0, 9, 3), (1, 1, 1), (1, 3, 3)] {
            messages.fill(&mut chunk, wanted, Timestamp::from_nanos(second * SECOND_NANOS));
            assert_eq!(chunk.pending(), count);
            for frame in chunk.frames() {
                let text = std::str::from_utf8(frame).unwrap();
                let expected = format!(
                    "130 <38>1 1970-01-01T00:00:0{second}Z localhost prg00003 1234 - - seq: {sequence:010}, thread: 0003, \
                     runid: 7, stamp: 1970-01-01T00:00:0{second} "
                );
                assert!(text.starts_with(&expected), "{text}");
                assert_eq!(text.len(), 134);
                sequence += 1;
            }
        }
    }

    #[test]
    fn a_chunk_is_as_long_as_it_may_be_but_holds_a_message() {
        let check = |messages_max, bytes_max, expected| {
            let mut chunk = FrameChunk::default();
            let limits = ChunkLimits { messages_max, bytes_max };
            generated(Framing::Newline, limits).fill(&mut chunk, usize::MAX, Timestamp::from_nanos(0));
            assert_eq!(chunk.pending(), expected);
        };
        check(1000, 131 * 5, 5);
        check(4, 131 * 5, 4);
        check(1000, 10, 1);
    }
}
