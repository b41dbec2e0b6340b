//! Streams in every framing, however they are cut into reads.

use super::*;
use proptest::prelude::*;

/// Feeds `pieces` one after the other as a connection would and returns the frames.
fn run(framing: Framing, frame_max: usize, pieces: &[&[u8]]) -> Vec<(Vec<u8>, Flags)> {
    let mut framer = Framer::new(framing, frame_max);
    let (mut pending, mut found) = (Vec::new(), Vec::new());
    let mut frames = Vec::new();
    let collect = |frames: &mut Vec<Frame>, bytes: &[u8], found: &mut Vec<(Vec<u8>, Flags)>| {
        for frame in frames.drain(..) {
            found.push((bytes[frame.start as usize..frame.end as usize].to_vec(), frame.flags));
        }
    };
    for piece in pieces {
        pending.extend_from_slice(piece);
        let taken = framer.split(&pending, &mut frames);
        collect(&mut frames, &pending, &mut found);
        pending.drain(..taken);
    }
    framer.finish(&pending, &mut frames);
    collect(&mut frames, &pending, &mut found);
    found
}

fn check(framing: Framing, pieces: &[&str], expected: &[(&str, Flags)]) {
    let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
    let expected: Vec<_> = expected.iter().map(|(text, flags)| (text.as_bytes().to_vec(), *flags)).collect();
    assert_eq!(run(framing, 10, &pieces), expected, "{pieces:?}");
}

const WHOLE: Flags = Flags(0);

#[test]
fn lines_end_at_a_newline_and_empty_ones_are_nothing() {
    check(Framing::Newline, &["<1>a\n\n\r\n<2>b\r\n"], &[("<1>a", WHOLE), ("<2>b\r", WHOLE)]);
    check(Framing::Newline, &["<1>", "a", "\n<2>"], &[("<1>a", WHOLE), ("<2>", Flags::INCOMPLETE)]);
    check(Framing::Nul, &["<1>a\nb\0<2>c\0"], &[("<1>a\nb", WHOLE), ("<2>c", WHOLE)]);
}

#[test]
fn counted_frames_may_hold_newlines() {
    check(Framing::Octet, &["6 <1>a\nb5 <2>cd"], &[("<1>a\nb", WHOLE), ("<2>cd", WHOLE)]);
    check(Framing::Octet, &["6 <1>", "ab"], &[("<1>ab", Flags::INCOMPLETE)]);
    check(Framing::Octet, &["4 <1>a\n4 <1>b\r\n"], &[("<1>a", WHOLE), ("<1>b", WHOLE)]);
}

#[test]
fn each_frame_shows_its_own_framing() {
    check(
        Framing::Auto,
        &["4 <1>a<2>b\n", "1", "2 lines\n", "5 <", "3>cd"],
        &[("<1>a", WHOLE), ("<2>b", WHOLE), ("12 lines", WHOLE), ("<3>cd", WHOLE)],
    );
    check(Framing::Auto, &["12345678 <1>"], &[("12345678 <", Flags::TRUNCATED)]);
    check(Framing::Auto, &["7"], &[("7", Flags::INCOMPLETE)]);
}

#[test]
fn a_sender_that_counts_wrongly_is_out_of_step_until_its_next_frame() {
    let lost = Flags::OUT_OF_STEP;
    check(Framing::Octet, &["out of st\n4 <1>a"], &[("out of st", lost), ("<1>a", WHOLE)]);
    // Too short by two, so that "cd" is nowhere.
    check(Framing::Auto, &["5 <1>abcd5 <2>ef"], &[("<1>ab", WHOLE), ("cd", lost), ("<2>ef", WHOLE)]);
    check(
        Framing::Auto,
        &["5 <1>abc", "d", "5 <", "2>ef"],
        &[("<1>ab", WHOLE), ("cd", lost), ("<2>ef", WHOLE)],
    );
    check(Framing::Auto, &["5 <1>abcd\n<2>ef\n"], &[("<1>ab", WHOLE), ("cd", lost), ("<2>ef", WHOLE)]);
    // Too long by two, so that the next length is swallowed.
    check(Framing::Auto, &["7 <1>ab5 <2>cd5 <3>ef"], &[("<1>ab5 ", WHOLE), ("<2>cd5 <3>", Flags::TRUNCATED)]);
}

#[test]
fn a_space_that_asa_sends_before_a_priority_is_framing() {
    check(Framing::Auto, &["<1>a\n <2>b\n c\n"], &[("<1>a", WHOLE), ("<2>b", WHOLE), (" c", WHOLE)]);
    check(Framing::Newline, &["<1>a\n", " ", "<2>b\n"], &[("<1>a", WHOLE), ("<2>b", WHOLE)]);
}

#[test]
fn a_message_of_many_lines_ends_where_the_next_priority_stands() {
    check(Framing::Multiline, &["<1>a\nb\n\nc\n<2>d\n"], &[("<1>a\nb\n\nc", WHOLE), ("<2>d\n", WHOLE)]);
    check(
        Framing::Multiline,
        &["<1>a\n", "<", "2", ">b\n<x"],
        &[("<1>a", WHOLE), ("<2>b\n<x", Flags::INCOMPLETE)],
    );
    let mut framer = Framer::new(Framing::Multiline, 100);
    let mut frames = Vec::new();
    assert_eq!(framer.split(b"<1>a\nb\n", &mut frames), 0);
    assert!(framer.may_go_on(b"<1>a\nb\n") && !framer.may_go_on(b"<1>a\nb"));
    framer.give_up_waiting(b"<1>a\nb\n", &mut frames);
    assert_eq!(frames, [Frame { start: 0, end: 7, flags: WHOLE }]);
}

#[test]
fn what_is_too_long_is_cut_once_and_the_next_frame_is_clean() {
    check(
        Framing::Newline,
        &["0123456789", "x", "yz\n<1>a\n"],
        &[("0123456789", Flags::TRUNCATED), ("<1>a", WHOLE)],
    );
    check(Framing::Newline, &["0123456789\n"], &[("0123456789", WHOLE)]);
    check(
        Framing::Octet,
        &["12 0123456", "789ab4 <1>a"],
        &[("0123456789", Flags::TRUNCATED), ("<1>a", WHOLE)],
    );
    check(Framing::Octet, &["12 0123456789a"], &[("0123456789", Flags::TRUNCATED)]);
}

const HEAD: &str = "<14>1 2026-11-22T05:11:01Z web-1 app - - - ";

/// The frames of a sender that has gone, each message in a read of its own.
fn undelimited(frame_max: usize, pieces: &[&str]) -> Vec<(String, Flags)> {
    let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
    let text = |(bytes, flags): (Vec<u8>, Flags)| (String::from_utf8(bytes).unwrap(), flags);
    run(Framing::Auto, frame_max, &pieces).into_iter().map(text).collect()
}

#[test]
fn messages_without_a_delimiter_are_told_apart_by_their_heads() {
    let [a, b] = [format!("{HEAD}a"), format!("{HEAD}b")];
    let expected = [(a.clone(), Flags::UNDELIMITED), (b.clone(), Flags::UNDELIMITED)];
    assert_eq!(undelimited(1000, &[&a, &b]), expected);
    assert_eq!(undelimited(1000, &[&format!("{a}{b}")]), expected);
    // More than a message can have shows it before the sender goes.
    let many = undelimited(100, &[&a.repeat(9)]);
    assert_eq!(many, vec![(a.clone(), Flags::UNDELIMITED); 9]);
    let long = format!("{HEAD}{}", "x".repeat(100));
    let cut = undelimited(100, &[&[a.as_str(), &a, &a, &long, &b].concat()]);
    assert_eq!(cut[3].1, Flags::UNDELIMITED.with(Flags::TRUNCATED));
    assert_eq!((long.get(..100), &b), (Some(cut[3].0.as_str()), &cut[4].0));
}

#[test]
fn silence_shows_that_messages_without_a_delimiter_are_complete() {
    let (mut framer, mut frames) = (Framer::new(Framing::Auto, 1000), Vec::new());
    let one = format!("{HEAD}a");
    assert_eq!(framer.split(one.as_bytes(), &mut frames), 0);
    assert!(framer.may_go_on(one.as_bytes()));
    assert_eq!(framer.give_up_waiting(one.as_bytes(), &mut frames), 0, "it may be the half of a line");
    let two = one.repeat(2);
    assert_eq!(framer.split(two.as_bytes(), &mut frames), 0, "a newline may follow");
    assert_eq!(framer.give_up_waiting(two.as_bytes(), &mut frames), two.len());
    assert_eq!(frames.len(), 2);
    // From now on it is known, and the next head ends a message at once.
    assert_eq!(framer.split(two.as_bytes(), &mut frames), one.len());
    assert_eq!(framer.give_up_waiting(one.as_bytes(), &mut frames), one.len());
    assert_eq!(frames.len(), 4);
    assert!(frames.iter().all(|frame| frame.flags == Flags::UNDELIMITED));
}

#[test]
fn a_head_that_is_cut_in_two_ends_a_message_that_is_not_too_long() {
    let stream = format!("{HEAD}{HEAD}<14>1 2026{HEAD}");
    let whole = run(Framing::Auto, 76, &[stream.as_bytes()]);
    for cut in 0..stream.len() {
        let (first, second) = stream.as_bytes().split_at(cut);
        assert_eq!(run(Framing::Auto, 76, &[first, second]), whole, "{cut}");
    }
}

#[test]
fn a_line_that_quotes_a_head_is_one_message() {
    let quote = format!("{HEAD}got {HEAD}x");
    let whole = |text: &str| (text.to_owned(), WHOLE);
    assert_eq!(
        undelimited(1000, &[&format!("{quote}\n{HEAD}b\n")]),
        [whole(&quote), whole(&format!("{HEAD}b"))]
    );
    let (first, second) = quote.split_at(60);
    assert_eq!(undelimited(1000, &[first, second, "\n"]), [whole(&quote)]);
    // Also behind lines, when the sender goes away in the middle of one.
    let frames = undelimited(1000, &[&format!("{HEAD}a\n{quote}")]);
    assert_eq!(frames[1], (quote.clone(), Flags::INCOMPLETE));
    // Another host is quoted.
    let other = format!("{HEAD}got {}", HEAD.replace("web-1", "web-2"));
    assert_eq!(undelimited(1000, &[&other]), [(other, Flags::INCOMPLETE.with(Flags::UNDELIMITED))]);
}

proptest! {
    #[test]
    fn where_a_stream_without_delimiters_is_cut_into_reads_makes_no_difference(
        parts in proptest::collection::vec(0_usize..6, 0..12),
        cuts in proptest::collection::vec(0_usize..600, 0..6), frame_max in 50_usize..150,
    ) {
        let part = |part: &usize| ["ab", "<", "\n", "<14>1 2026", HEAD, HEAD][*part];
        let stream = parts.iter().map(part).collect::<String>();
        let bytes = stream.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(run(Framing::Auto, frame_max, &pieces), run(Framing::Auto, frame_max, &[bytes]));
    }

    #[test]
    fn where_a_stream_is_cut_into_reads_makes_no_difference(
        stream in "([0-9]{1,2} |<1>|[a-c]|\n|\r|\0){0,40}", cuts in proptest::collection::vec(0_usize..80, 0..6),
        framing in framings(),
    ) {
        let bytes = stream.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(run(framing, 10, &pieces), run(framing, 10, &[bytes]));
    }

    #[test]
    fn frames_and_framing_together_are_what_was_received(
        stream in "([1-9][0-9]{0,1} |<1>|[a-c ]|\n|\r|\0){0,60}", framing in framings(),
    ) {
        let bytes = stream.as_bytes();
        let (mut framer, mut frames) = (Framer::new(framing, 1000), Vec::new());
        let taken = framer.split(bytes, &mut frames);
        let split = frames.len();
        framer.finish(&bytes[taken..], &mut frames);
        let mut at = 0;
        for (number, frame) in frames.iter().enumerate() {
            let shift = if number < split { 0 } else { taken };
            let (start, end) = (frame.start as usize + shift, frame.end as usize + shift);
            prop_assert!(at <= start && start < end && end <= bytes.len());
            prop_assert!(is_framing(framing, &bytes[at..start]), "{}", bytes[at..start].escape_ascii());
            at = end;
        }
        prop_assert!(is_framing(framing, &bytes[at..]), "{}", bytes[at..].escape_ascii());
    }
}

fn framings() -> impl Strategy<Value = Framing> {
    let all = [Framing::Auto, Framing::Octet, Framing::Newline, Framing::Nul, Framing::Multiline];
    proptest::sample::select(all.to_vec())
}

/// Whether these bytes can stand between frames: delimiters, empty lines, a length.
fn is_framing(framing: Framing, bytes: &[u8]) -> bool {
    let pattern = match framing {
        Framing::Newline => "^[\r\n ]*$",
        Framing::Nul => "^[\r\n\0]*$",
        Framing::Multiline => "^[\r\n]*$",
        Framing::Auto | Framing::Octet => "^([\r\n ]|[1-9][0-9]* [\r\n]*)*$",
    };
    regex::bytes::Regex::new(pattern).unwrap().is_match(bytes)
}
