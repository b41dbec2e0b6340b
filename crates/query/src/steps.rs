//! Counts the steps of reading a query and preparing it: characters, pieces, clauses. Their number is bounded by the
//! length of the query, whatever its content, which tests prove by counting.
//!
//! The same count is used to end reading soon after its result is no longer wanted: callers use [`while_wanted`], and
//! after cancellation every cursor on this thread sees the end of its text.

use std::cell::{Cell, RefCell};

/// The number of steps between two checks for cancellation: less than a millisecond.
const PIECE: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };

thread_local! {
    static READING: QueryReading =
        const { QueryReading { left: Cell::new(usize::MAX), is_over: Cell::new(false), is_wanted: RefCell::new(None) } };
}

type IsWanted = Box<dyn Fn() -> bool>;

/// The state of reading on one thread.
struct QueryReading {
    /// Steps until the next check; practically infinite if there is nothing to check.
    left: Cell<usize>,
    is_over: Cell<bool>,
    is_wanted: RefCell<Option<IsWanted>>,
}

/// The previous state, which is restored when this is dropped, also after a panic.
struct OuterReading(Option<IsWanted>, usize, bool);

impl Drop for OuterReading {
    fn drop(&mut self) {
        READING.with(|reading| {
            reading.is_wanted.replace(self.0.take());
            reading.left.set(self.1);
            reading.is_over.set(self.2);
        });
    }
}

/// Reads, changes or completes a query while `is_wanted` returns true, which is checked regularly; `None` if it returned
/// false before the end. A query that is finished before the first check is always read. `read` must run on this thread.
pub fn while_wanted<T>(is_wanted: impl Fn() -> bool + 'static, read: impl FnOnce() -> T) -> Option<T> {
    let _outer = READING.with(|reading| {
        let outer = reading.is_wanted.replace(Some(Box::new(is_wanted)));
        OuterReading(outer, reading.left.replace(PIECE), reading.is_over.replace(false))
    });
    let result = read();
    (!is_over()).then_some(result)
}

/// Counts steps.
#[inline]
pub(super) fn count(steps: usize) {
    #[cfg(test)]
    TAKEN.with(|taken| taken.set(taken.get() + steps));
    READING.with(|reading| match reading.left.get().checked_sub(steps) {
        Some(left) => reading.left.set(left),
        None => reading.ask(),
    });
}

/// Whether reading was cancelled.
#[inline]
pub(super) fn is_over() -> bool {
    READING.with(|reading| reading.is_over.get())
}

/// Checks for cancellation before a single long step.
pub(super) fn goes_on() -> bool {
    READING.with(|reading| {
        reading.ask();
        !reading.is_over.get()
    })
}

impl QueryReading {
    #[cold]
    fn ask(&self) {
        let is_wanted = self.is_wanted.borrow();
        self.left.set(if is_wanted.is_some() { PIECE } else { usize::MAX });
        self.is_over.set(self.is_over.get() || is_wanted.as_ref().is_some_and(|is_wanted| !is_wanted()));
    }
}

#[cfg(test)]
thread_local! {
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Context, Edit, FieldContent, Matcher, Pipeline, Unparsed, edit, outline, parse_asked, terms, tokens,
        writing,
    };
    use logstead_record::Field;
    use logstead_record::FieldName;
    use logstead_record::Timestamp;
    use logstead_record::word;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use std::rc::Rc;

    /// The greatest number of steps per byte of a query, for all uses below together.
    const STEPS_MAX: usize = 4000;
    /// The factor by which the longer of two compared queries is longer.
    const LONGER: usize = 16;
    /// The factor by which the steps of the longer query may be more: greater than that of its length, because other
    /// error messages apply beyond a limit of the language, but far below its square.
    const MORE_STEPS_MAX: usize = 32;

    /// The number of steps of this work.
    fn of(work: impl FnOnce()) -> usize {
        let before = TAKEN.with(Cell::get);
        work();
        TAKEN.with(Cell::get) - before
    }
    /// The number of steps that any query may take in addition.
    const STEPS_OF_ALL: usize = 100_000;

    /// The beginning, the repeated part and the end of each tested text.
    const SHAPES: &[(&str, &str, &str)] = &[
        ("", "=", ""),
        ("", "0", ""),
        ("", "7f", ""),
        ("", "a", ""),
        ("", "\u{212A}", ""),
        ("cs\"", "a b ", "\""),
        ("\"", "ab, ", "c\""),
        ("\"", "\\", "\""),
        ("\"", "\\\"", ""),
        ("", "*", ""),
        ("", "a*", ""),
        ("", "?*", "\""),
        ("", "a ", ""),
        ("", "a:b ", ""),
        ("", "a>1 ", ""),
        ("", "-a:b OR ", "c"),
        ("", "(a ", ""),
        ("(", "| ", ""),
        ("", "| ", ""),
        ("", "a | head ", ""),
        ("", "|a", ""),
        ("", ") ", ""),
        ("", "()", ""),
        ("a in (", "b,", "c)"),
        ("a in (", "\"b\" ", ""),
        ("", "a:[x ", ""),
        ("", "a:[\"x ", ""),
        ("", "a=\"x ", ""),
        ("", "\"a\":", ""),
        ("", "/a ", ""),
        ("", "/", ""),
        ("", "\\/", ""),
        ("", "NOT ", "a"),
        ("", "!(", "a"),
        ("", "a\u{3000}", ""),
        ("", "host: ", "a"),
        ("", "a>1x ", ""),
        ("logspace:", "a,", "b"),
        ("", "cs:a:b ", ""),
        ("* | eval x = ", "1 + ", "1"),
        ("* | stats ", "count() as a, ", "count()"),
        ("* | fields ", "a, ", "b"),
        ("* | ", "x", ""),
        ("* | extract \"", "<a> ", "\""),
        ("* | where ", "a:b ", ""),
        ("", "a..b ", ""),
        ("time:", "9", ""),
        ("x>", "9", ""),
        ("", "1.", ""),
        ("", "host:()", ""),
        ("", "a:(b)", ""),
        ("", "a=(b)", ""),
        ("", "a:in(b)", ""),
        ("", "\"a\":(b)", ""),
        ("", "a:/b/", ""),
    ];

    /// Reads a text in every way, changes it, and makes it ready to run.
    fn use_in_every_way(text: &str) {
        let context = Context { now: Timestamp::default(), logspace: "main" };
        for unparsed in [Unparsed::Refused, Unparsed::Text] {
            let Ok(search) = parse_asked(text, unparsed) else { continue };
            let Pipeline { filter, .. } = &search.pipeline;
            Matcher::new(filter, &context);
            terms(filter);
            filter.fields();
        }
        tokens(text);
        outline(text).ok();
        writing(text, text.chars().count() / 2);
        let value = || FieldContent::Value("a b".to_owned());
        for change in [
            Edit::Include(FieldName::Known(Field::Host), value()),
            Edit::Toggle(FieldName::Dynamic("a".to_owned()), "b".to_owned()),
            Edit::Add("x | head 5".to_owned()),
        ] {
            edit(text, &change).ok();
        }
    }

    fn check(shape: (&str, &str, &str), bytes: usize) -> Result<(), TestCaseError> {
        let steps = |bytes: usize| {
            let text = long(shape, bytes);
            of(|| use_in_every_way(&text))
        };
        let (few, many) = (steps(bytes / LONGER), steps(bytes));
        prop_assert!(is_linear(few, many, bytes), "{shape:?}: {few} steps, {LONGER} times as long {many}");
        Ok(())
    }

    /// Whether the steps for this many bytes are few enough, compared with those of a shorter text.
    fn is_linear(few: usize, many: usize, bytes: usize) -> bool {
        many <= (few * MORE_STEPS_MAX + STEPS_OF_ALL).min(STEPS_MAX * bytes)
    }

    /// The number of characters that were once examined to find the rarest run of a text. Such runs then had no
    /// bound, so each run was tried, and each try examined all of it.
    fn steps_the_old_way(text: &str) -> usize {
        let chars: Vec<char> = text.chars().collect();
        let is_fit = |run: &[char]| {
            count(run.len());
            run.len() == 1 || run.iter().map(|c| word::cases(*c).count()).product::<usize>() <= 8
        };
        of(|| {
            for start in 0..chars.len() {
                let mut end = start;
                while end < chars.len() && is_fit(&chars[start..=end]) {
                    end += 1;
                }
                count(end - start);
            }
        })
    }

    #[test]
    fn the_old_way_is_not_linear() {
        for piece in ["=", "0", "7-", "1."] {
            // A text that is sixteen times as long takes four thousand times as many steps.
            let bytes = 1 << 9;
            let steps = |bytes: usize| steps_the_old_way(&long(("", piece, ""), bytes));
            let (few, many) = (steps(bytes / LONGER), steps(bytes));
            assert!(!is_linear(few, many, bytes), "{piece}: {few} steps, {LONGER} times as long {many}");
        }
        // The property test needs such texts; those of letters alone are not enough, because letters have several
        // spellings and therefore short runs.
        let steps = |bytes: usize| steps_the_old_way(&long(("", "a", ""), bytes));
        assert!(is_linear(steps(1 << 5), steps(1 << 9), 1 << 9));
    }

    /// The greatest number of steps per byte after cancellation: each of the uses above begins by finding the
    /// characters of the text.
    const STEPS_AFTER_MAX: usize = 64;

    /// Reads a text, cancelling at this check; returns whether the reading was ended, and the number of steps after
    /// the cancellation.
    fn read_until(text: &str, questions: usize) -> (bool, usize) {
        let (asked, told) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(None)));
        let is_wanted = {
            let (asked, told) = (asked.clone(), told.clone());
            move || {
                asked.set(asked.get() + 1);
                if asked.get() == questions {
                    told.set(Some(TAKEN.with(Cell::get)));
                }
                asked.get() < questions
            }
        };
        let read = while_wanted(is_wanted, || use_in_every_way(text));
        let after = told.get().map_or(0, |told| TAKEN.with(Cell::get) - told);
        (read.is_none(), after)
    }

    #[test]
    fn reading_ends_wherever_it_is_told_to() {
        for shape in SHAPES {
            let text = long(*shape, 1 << 13);
            let mut questions = 1;
            loop {
                let (is_ended, after) = read_until(&text, questions);
                assert!(
                    after <= STEPS_AFTER_MAX << 13,
                    "{shape:?}, told at question {questions}: {after} steps more"
                );
                if !is_ended {
                    break;
                }
                questions += 1 + questions / 2;
            }
            assert!(1 < questions, "{shape:?}");
        }
        let text = "a OR b ".repeat(100);
        let nobody_waits = || while_wanted(|| false, || parse_asked(&text, Unparsed::Refused).is_ok());
        assert_eq!(nobody_waits(), None);
        assert_eq!(while_wanted(|| true, nobody_waits), Some(None), "one within another ends alone");
        let panics = std::panic::catch_unwind(|| while_wanted(|| false, || panic!("while it is read")));
        assert!(panics.is_err() && !is_over());
        assert!(parse_asked("a OR b", Unparsed::Refused).is_ok(), "what is read without a question is read");
    }

    /// A text of about this length: the beginning, the repeated part and the end of a shape.
    fn long(shape: (&str, &str, &str), bytes: usize) -> String {
        let (begin, piece, end) = shape;
        format!("{begin}{}{end}", piece.repeat((bytes - begin.len() - end.len()) / piece.len()))
    }

    #[test]
    fn what_it_takes_to_prepare_a_query_is_bounded_by_its_length() {
        for shape in SHAPES {
            check(*shape, 1 << 14).unwrap();
        }
        check(("", "=", ""), 1 << 16).unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn so_it_is_for_whatever_repeats(
            pieces in vec(select(vec![
                "a", "7", "=", ":", "\"", "\\", "/", "(", ")", "[", "{", "|", "||", "*", "?", "~", "~3", "-", "!", " ", ",", ">", "<=",
                "in (", " TO ", " OR ", " and ", "NOT ", "host:", "severity>=", "cs:", "cs\"", "é", "| where ", "| top ", "| sort ",
            ]), 1..6),
            begin in "[a\"(/|]{0,2}",
        ) {
            check((&begin, &pieces.concat(), ""), 1 << 13)?;
        }
    }
}
