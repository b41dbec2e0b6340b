//! Streams of both framings and their mixtures, damaged anywhere and divided into reads anywhere: no byte is lost
//! unnoticed, and frames after the damage are found again.
//!
//! `LOGSTEAD_STREAMS` sets the number of streams; `scripts/long.mjs` uses 100 000.

use super::super::*;
use super::framings;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const STREAMS: u32 = 2000;

fn config() -> ProptestConfig {
    let streams = std::env::var("LOGSTEAD_STREAMS").ok();
    let cases = streams.map_or(STREAMS, |text| text.parse().expect("LOGSTEAD_STREAMS is a number"));
    ProptestConfig { cases, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

/// The parts that were found in a stream, by their position in it.
#[derive(Debug, Default, PartialEq)]
struct StreamParts {
    frames: Vec<(usize, usize, Flags)>,
    skipped: Vec<(usize, usize, SkipReason)>,
    framing_bytes: usize,
}

/// Reads a stream in pieces; after some of them, no bytes arrive for a while.
fn parts(framing: Framing, frame_max: usize, stream: &[u8], reads: &[(usize, bool)]) -> StreamParts {
    let mut framer = Framer::new(framing, frame_max);
    let (mut parts, mut taken, mut end) = (StreamParts::default(), 0, 0);
    let mut add = |found: SplitResult, at: usize| {
        parts
            .frames
            .extend(found.frames.iter().map(|f| (at + f.start as usize, at + f.end as usize, f.flags)));
        parts
            .skipped
            .extend(found.skipped.iter().map(|s| (at + s.start as usize, at + s.end as usize, s.why)));
        parts.framing_bytes += found.framing_bytes;
    };
    let rest = [(stream.len(), false)];
    for (bytes, is_quiet) in reads.iter().chain(&rest) {
        end = stream.len().min(end + bytes);
        let mut found = SplitResult::default();
        let used = framer.split(&stream[taken..end], &mut found);
        add(found, taken);
        taken += used;
        if *is_quiet && framer.may_go_on(&stream[taken..end]) {
            let mut found = SplitResult::default();
            let used = framer.give_up_waiting(&stream[taken..end], &mut found);
            add(found, taken);
            taken += used;
        }
    }
    let mut found = SplitResult::default();
    framer.finish(&stream[taken..], &mut found);
    add(found, taken);
    parts
}

impl std::fmt::Debug for SentFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.bytes.escape_ascii())
    }
}

/// A frame as it is sent, and its message.
#[derive(Clone)]
struct SentFrame {
    bytes: Vec<u8>,
    message: Vec<u8>,
    has_priority: bool,
}

fn counted(message: Vec<u8>, has_priority: bool) -> SentFrame {
    let bytes = [format!("{} ", message.len()).as_bytes(), &message].concat();
    SentFrame { bytes, message, has_priority }
}

fn text(pieces: &'static [&'static str], max: usize) -> impl Strategy<Value = String> {
    vec(select(pieces), 1..max).prop_map(|pieces| pieces.concat())
}

const PLAIN: &[&str] = &["a", "bc", "def ", "7", "42 ", " 5 ", ": ", "x=1", "100 ", "\n", "2026-11-27 "];
const NASTY: &[&str] = &[
    "a", "bc ", "7", "12 ", "<", ">", "<13>", "5 <1>", "9 <34>ab", "\n", "\r\n", "\0", " ", "0",
    "99999999 <1>",
];

/// A counted frame; nine out of ten have a priority. It does not end with a digit, which would be taken for part of
/// the next length.
fn frame() -> impl Strategy<Value = SentFrame> {
    (0..10_u8, 0..192_u8, text(PLAIN, 24)).prop_map(|(kind, priority, text)| {
        let has_priority = 0 < kind;
        let message = if has_priority { format!("<{priority}>{text}.") } else { format!("m{text}.") };
        counted(message.into_bytes(), has_priority)
    })
}

/// Bytes that senders really send, and bytes that they do not.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let line = (text(NASTY, 9), select(vec!["\n", "\r\n", "\0", ""]));
    prop_oneof![
        4 => frame().prop_map(|frame| frame.bytes),
        2 => text(NASTY, 24).prop_map(|text| counted(text.into_bytes(), false).bytes),
        4 => line.prop_map(|(text, end)| format!("<13>{text}{end}").into_bytes()),
        2 => text(NASTY, 60).prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 1..40),
    ]
}

#[derive(Clone, Debug)]
struct Damage {
    /// The position, in thousandths of the stream.
    at: usize,
    removed: usize,
    inserted: Vec<u8>,
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = prop_oneof![select(b"0123456789 <>\nax".to_vec()), any::<u8>()];
    let kinds = prop_oneof![
        (Just(1_usize), vec(byte.clone(), 1..2)),
        (1..20_usize, Just(Vec::new())),
        (Just(0_usize), vec(byte.clone(), 1..20)),
        (0..20_usize, vec(byte, 0..20)),
    ];
    (0..1000_usize, kinds).prop_map(|(at, (removed, inserted))| Damage { at, removed, inserted })
}

fn reads() -> impl Strategy<Value = Vec<(usize, bool)>> {
    vec((prop_oneof![1..4_usize, 1..60_usize, 1..900_usize], proptest::bool::weighted(0.2)), 0..40)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_byte_of_a_stream_is_in_one_message_or_framing_or_skipped(
        pieces in vec(piece(), 0..16), damages in vec(damage(), 0..3), reads in reads(),
        framing in framings(), frame_max in prop_oneof![Just(16_usize), 16..400_usize],
    ) {
        let mut stream = pieces.concat();
        for Damage { at, removed, inserted } in damages {
            let at = at * stream.len() / 1000;
            stream.splice(at..stream.len().min(at + removed), inserted);
        }
        let parts = parts(framing, frame_max, &stream, &reads);
        let frames = parts.frames.iter().map(|(start, end, _)| (*start, *end));
        let skipped = parts.skipped.iter().map(|(start, end, _)| (*start, *end));
        let framing_between = between(framing);
        let mut held: Vec<(usize, usize)> = frames.clone().chain(skipped).collect();
        held.sort_unstable();
        let mut at = 0;
        for (start, end) in &held {
            prop_assert!(at <= *start && start < end && *end <= stream.len(), "{held:?}");
            prop_assert!(framing_between.is_match(&stream[at..*start]), "{}", stream[at..*start].escape_ascii());
            at = *end;
        }
        prop_assert!(framing_between.is_match(&stream[at..]), "{}", stream[at..].escape_ascii());
        let bytes: usize = held.iter().map(|(start, end)| end - start).sum();
        prop_assert_eq!(bytes + parts.framing_bytes, stream.len());
        prop_assert!(frames.clone().all(|(start, end)| end - start <= frame_max));
    }

    #[test]
    fn where_a_damaged_stream_is_cut_into_reads_makes_no_difference(
        pieces in vec(piece(), 0..16), reads in reads(), framing in framings(), frame_max in 16..400_usize,
    ) {
        let stream = pieces.concat();
        let reads: Vec<(usize, bool)> = reads.into_iter().map(|(bytes, _)| (bytes, false)).collect();
        let (mut cut, mut whole) = (parts(framing, frame_max, &stream, &reads), parts(framing, frame_max, &stream, &[]));
        for parts in [&mut cut, &mut whole] {
            let mut joined: Vec<(usize, usize, SkipReason)> = Vec::new();
            for (start, end, why) in parts.skipped.drain(..) {
                match joined.last_mut() {
                    Some(last) if (last.1, last.2) == (start, why) => last.1 = end,
                    _ => joined.push((start, end, why)),
                }
            }
            parts.skipped = joined;
        }
        prop_assert_eq!(cut, whole);
    }

    /// The texts of these frames do not quote others, and the first frame is intact, so the connection has shown that
    /// it counts.
    #[test]
    fn a_frame_behind_damage_is_found_within_two_frames(
        frames in vec(frame(), 3..14), damage in damage(), reads in reads(), framing in select(vec![Framing::Auto, Framing::Octet]),
        frame_max in select(vec![160_usize, 1000, 65_536]),
    ) {
        let mut sent = vec![counted(b"<13>first".to_vec(), true)];
        // If messages without a priority are usual, any number within a text may be a length.
        sent.extend(frames.into_iter().filter(|frame| framing == Framing::Auto || frame.has_priority));
        let mut ends: Vec<usize> = Vec::new();
        for SentFrame { bytes, .. } in &sent {
            ends.push(ends.last().unwrap_or(&0) + bytes.len());
        }
        let mut stream: Vec<u8> = sent.iter().flat_map(|sent| sent.bytes.clone()).collect();
        let Damage { at, removed, inserted } = damage;
        prop_assume!(1 < sent.len());
        let at = ends[0] + at * (stream.len() - ends[0]) / 1000;
        let removed = removed.min(stream.len() - at);
        let shift = |end: usize| (end + inserted.len()).saturating_sub(removed);
        stream.splice(at..at + removed, inserted.iter().copied());

        let reads: Vec<(usize, bool)> = reads.into_iter().map(|(bytes, _)| (bytes, false)).collect();
        let parts = parts(framing, frame_max, &stream, &reads);
        let messages: Vec<&[u8]> = parts.frames.iter().map(|(start, end, _)| &stream[*start..*end]).collect();
        let mut whole_before = ends.iter().filter(|end| **end <= at).count();
        // Only the next frame shows that a message without a priority is one.
        while !sent[whole_before - 1].has_priority {
            whole_before -= 1;
        }
        for (sent, message) in sent[..whole_before].iter().zip(&messages) {
            prop_assert_eq!(sent.message.escape_ascii().to_string(), message.escape_ascii().to_string());
        }
        // The damage ends in this frame, or before its length, and the next frame with a priority may be lost as
        // well.
        let mut last_lost = ends.iter().position(|end| at + removed < *end).unwrap_or(sent.len());
        let behind = |lost: usize| (lost + 1..sent.len()).filter(|frame| sent[*frame].has_priority).nth(1).unwrap_or(sent.len());
        // The rest of a damaged frame may happen to have a correct count, for a message that ends together with
        // another one or in the middle of a length: it cannot be recognised as wrong.
        for (start, end, flags) in &parts.frames {
            let begin = behind(last_lost).checked_sub(1).map_or(0, |before| shift(ends[before]));
            let is_right = *flags == Flags::default() && stream[..*start].ends_with(format!("{} ", end - start).as_bytes());
            if is_right && *start < begin && at < *end {
                let ends_at = |of: &usize| shift(*of) <= *end && stream[shift(*of)..*end].iter().all(u8::is_ascii_digit);
                let frame = ends.iter().rposition(|of| at < *of && ends_at(of));
                last_lost = last_lost.max(frame.map_or(0, |frame| frame + usize::from(shift(ends[frame]) < *end)));
            }
        }
        let found_from = behind(last_lost);
        let expected: Vec<String> = sent[found_from..].iter().map(|sent| sent.message.escape_ascii().to_string()).collect();
        let found: Vec<String> = parts.frames.iter().map(|(start, end, flags)| {
            format!("{}{}", stream[*start..*end].escape_ascii(), if *flags == Flags::default() { "" } else { " (flagged)" })
        }).collect();
        prop_assert!(found.ends_with(&expected), "{found:#?} should end with {expected:#?}: {}", stream.escape_ascii());
    }
}

/// Matches the bytes that may be between frames: delimiters, empty lines, a length.
fn between(framing: Framing) -> regex::bytes::Regex {
    let pattern = match framing {
        Framing::Newline => "^[\r\n ]*$",
        Framing::Nul => "^[\r\n\0]*$",
        Framing::Multiline => "^[\r\n]*$",
        Framing::Auto | Framing::Octet => "^([\r\n ]|[1-9][0-9]* [\r\n]*)*$",
    };
    regex::bytes::Regex::new(pattern).unwrap()
}
