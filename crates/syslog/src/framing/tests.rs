//! Streams in every framing, in whatever way they are divided into reads.

mod damage;

use super::*;
use proptest::prelude::*;

/// Passes `pieces` one after the other, like a connection, and returns the frames.
fn run(framing: Framing, frame_max: usize, pieces: &[&[u8]]) -> Vec<(Vec<u8>, Flags)> {
    let mut framer = Framer::new(framing, frame_max);
    let (mut pending, mut found) = (Vec::new(), Vec::new());
    let mut new = SplitResult::default();
    let collect = |new: &mut SplitResult, bytes: &[u8], found: &mut Vec<(Vec<u8>, Flags)>| {
        for frame in new.frames.drain(..) {
            found.push((bytes[frame.start as usize..frame.end as usize].to_vec(), frame.flags));
        }
    };
    for piece in pieces {
        pending.extend_from_slice(piece);
        let taken = framer.split(&pending, &mut new);
        collect(&mut new, &pending, &mut found);
        pending.drain(..taken);
    }
    framer.finish(&pending, &mut new);
    collect(&mut new, &pending, &mut found);
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
    check(Framing::Auto, &["123456789 <1>"], &[("123456789 ", Flags::TRUNCATED)]);
    check(Framing::Auto, &["7"], &[("7", Flags::INCOMPLETE)]);
}

#[test]
fn a_sender_that_counts_wrongly_is_out_of_step_until_its_next_frame() {
    let lost = Flags::OUT_OF_STEP;
    check(Framing::Octet, &["out of st\n4 <1>a"], &[("out of st", lost), ("<1>a", WHOLE)]);
    // The count is too short by two, so that "cd" belongs to nothing.
    check(Framing::Auto, &["5 <1>abcd5 <2>ef"], &[("<1>ab", WHOLE), ("cd", lost), ("<2>ef", WHOLE)]);
    check(
        Framing::Auto,
        &["5 <1>abc", "d", "5 <", "2>ef"],
        &[("<1>ab", WHOLE), ("cd", lost), ("<2>ef", WHOLE)],
    );
    check(Framing::Auto, &["5 <1>abcd\n<2>ef\n"], &[("<1>ab", WHOLE), ("cd", lost), ("<2>ef", WHOLE)]);
    // The count is too long by two, so that the next length is swallowed.
    check(
        Framing::Auto,
        &["7 <1>ab5 <2>cd5 <3>ef"],
        &[("<1>ab5 ", WHOLE), ("<2>cd", lost), ("<3>ef", WHOLE)],
    );
    // The count is too long by more than the next frame, or by more than a message may have.
    check(Framing::Auto, &["8 <1>5 <2>cd4 <3>e"], &[("<1>", lost), ("<2>cd", WHOLE), ("<3>e", WHOLE)]);
    check(
        Framing::Auto,
        &["99 <1>4 <2>c4 <", "3>d4 <4>e"],
        &[("<1>", lost), ("<2>c", WHOLE), ("<3>d", WHOLE), ("<4>e", WHOLE)],
    );
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
    let mut found = SplitResult::default();
    assert_eq!(framer.split(b"<1>a\nb\n", &mut found), 0);
    assert!(framer.may_go_on(b"<1>a\nb\n") && !framer.may_go_on(b"<1>a\nb"));
    framer.give_up_waiting(b"<1>a\nb\n", &mut found);
    assert_eq!(found.frames, [Frame { start: 0, end: 7, flags: WHOLE }]);
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

#[test]
fn a_connection_that_counts_believes_a_count_whatever_the_message_begins_with() {
    check(
        Framing::Auto,
        &["4 <1>a5 plain4 <2>b9 2 numbers", "3 7 x4 <3>c"],
        &[
            ("<1>a", WHOLE),
            ("plain", WHOLE),
            ("<2>b", WHOLE),
            ("2 numbers", WHOLE),
            ("7 x", WHOLE),
            ("<3>c", WHOLE),
        ],
    );
    // A message may quote a frame, as long as a frame follows it.
    check(
        Framing::Auto,
        &["4 <1>a9 x 3 <2>yz4 <3>c"],
        &[("<1>a", WHOLE), ("x 3 <2>yz", WHOLE), ("<3>c", WHOLE)],
    );
    check(Framing::Auto, &["4 <1>a10 <9> 3 <2>y"], &[("<1>a", WHOLE), ("<9> 3 <2>y", WHOLE)]);
    // Nothing was certain before the first frame. Two frames after it show that it is one.
    check(
        Framing::Auto,
        &["5 hello4 <1>a", "4 <2>b"],
        &[("5 hello", Flags::OUT_OF_STEP), ("<1>a", WHOLE), ("<2>b", WHOLE)],
    );
    check(Framing::Auto, &["5 items\n4 <1>a"], &[("5 items", WHOLE), ("<1>a", WHOLE)]);
}

#[test]
fn a_count_has_eight_digits_at_most() {
    let frame = format!("{} <13>{}", 12_345_678, "x".repeat(12_345_678 - 4));
    for framing in [Framing::Auto, Framing::Octet] {
        let stream = [frame.as_bytes(), b"6 <13>ab"].concat();
        let frames = run(framing, 16 << 20, &[&stream[..100], &stream[100..]]);
        let lengths: Vec<(usize, Flags)> =
            frames.iter().map(|(bytes, flags)| (bytes.len(), *flags)).collect();
        assert_eq!(lengths, [(12_345_678, WHOLE), (6, WHOLE)]);
    }
}

#[test]
fn silence_shows_that_a_count_is_wrong_or_that_it_is_right() {
    let (mut framer, mut found) = (Framer::new(Framing::Auto, 1000), SplitResult::default());
    let text = |bytes: &[u8], found: &mut SplitResult| -> Vec<String> {
        let frames = found.frames.drain(..);
        frames.map(|f| bytes[f.start as usize..f.end as usize].escape_ascii().to_string()).collect()
    };
    // The count is too long, and two frames follow.
    let broken = b"900 <1>a4 <2>b4 <3>c";
    assert_eq!(framer.split(broken, &mut found), 0);
    assert!(framer.may_go_on(broken));
    assert_eq!(framer.give_up_waiting(broken, &mut found), broken.len());
    assert_eq!(text(broken, &mut found), ["<1>a", "<2>b", "<3>c"]);
    // An incomplete message proves nothing, and is searched only once.
    let half = b"90 <1>a b c";
    assert_eq!(framer.split(half, &mut found), 0);
    assert!(framer.may_go_on(half));
    assert_eq!(framer.give_up_waiting(half, &mut found), 0);
    assert!(!framer.may_go_on(half) && framer.may_go_on(b"90 <1>a b c d"));
    // An incomplete message that quotes a frame.
    let mut framer = Framer::new(Framing::Auto, 1000);
    let quote = b"14 <1>a 4 <2>b cd";
    assert_eq!(framer.split(quote, &mut found), 0);
    assert_eq!(framer.give_up_waiting(quote, &mut found), quote.len());
    assert_eq!(text(quote, &mut found), ["<1>a 4 <2>b cd"]);
}

const HEAD: &str = "<14>1 2026-11-22T05:11:01Z web-1 app - - - ";

/// The frames of a sender that has gone, with each message in a read of its own.
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
    // If there is more than a message can have, this is noticed before the sender has gone.
    let many = undelimited(100, &[&a.repeat(9)]);
    assert_eq!(many, vec![(a.clone(), Flags::UNDELIMITED); 9]);
    let long = format!("{HEAD}{}", "x".repeat(100));
    let cut = undelimited(100, &[&[a.as_str(), &a, &a, &long, &b].concat()]);
    assert_eq!(cut[3].1, Flags::UNDELIMITED.with(Flags::TRUNCATED));
    assert_eq!((long.get(..100), &b), (Some(cut[3].0.as_str()), &cut[4].0));
}

#[test]
fn silence_shows_that_messages_without_a_delimiter_are_complete() {
    let (mut framer, mut found) = (Framer::new(Framing::Auto, 1000), SplitResult::default());
    let one = format!("{HEAD}a");
    assert_eq!(framer.split(one.as_bytes(), &mut found), 0);
    assert!(framer.may_go_on(one.as_bytes()));
    assert_eq!(framer.give_up_waiting(one.as_bytes(), &mut found), 0, "it may be the half of a line");
    let two = one.repeat(2);
    assert_eq!(framer.split(two.as_bytes(), &mut found), 0, "a newline may follow");
    assert_eq!(framer.give_up_waiting(two.as_bytes(), &mut found), two.len());
    assert_eq!(found.frames.len(), 2);
    // From now on the sender is known, and the next head ends a message at once.
    assert_eq!(framer.split(two.as_bytes(), &mut found), one.len());
    assert_eq!(framer.give_up_waiting(one.as_bytes(), &mut found), one.len());
    assert_eq!(found.frames.len(), 4);
    assert!(found.frames.iter().all(|frame| frame.flags == Flags::UNDELIMITED));
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
    // The same applies after lines, if the sender goes away in the middle of one.
    let frames = undelimited(1000, &[&format!("{HEAD}a\n{quote}")]);
    assert_eq!(frames[1], (quote.clone(), Flags::INCOMPLETE));
    // The quoted head names another host.
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
}

pub(super) fn framings() -> impl Strategy<Value = Framing> {
    let all = [Framing::Auto, Framing::Octet, Framing::Newline, Framing::Nul, Framing::Multiline];
    proptest::sample::select(all.to_vec())
}
