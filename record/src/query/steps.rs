//! Counts what is looked at while a query is read and made ready: characters, pieces, clauses. Only tests count: the
//! time that this takes is bounded by the length of the query, whatever it says.

#[cfg(test)]
thread_local! {
    static TAKEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// So many more are looked at.
#[cfg(not(test))]
#[inline(always)]
pub(super) fn count(_: usize) {}

/// So many more are looked at.
#[cfg(test)]
pub(super) fn count(steps: usize) {
    TAKEN.with(|taken| taken.set(taken.get() + steps));
}

/// How many are looked at by this.
#[cfg(test)]
fn of(work: impl FnOnce()) -> usize {
    let before = TAKEN.with(std::cell::Cell::get);
    work();
    TAKEN.with(std::cell::Cell::get) - before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::query::{
        Context, Edit, FieldName, Held, Matcher, Pipeline, Unparsed, edit, outline, parse_asked, terms,
        tokens, writing,
    };
    use crate::time::Timestamp;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// For each byte of a query, all the ways below together.
    const STEPS_MAX: usize = 4000;
    /// A query that is so many times as long
    const LONGER: usize = 16;
    /// takes at most so many times as many steps,
    const MORE_STEPS_MAX: usize = 20;
    /// and these.
    const STEPS_OF_ALL: usize = 100_000;

    /// Reads a text in every way that there is, changes it, and makes it ready to run.
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
        let value = || Held::Value("a b".to_owned());
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
        let max = (few * MORE_STEPS_MAX + STEPS_OF_ALL).min(STEPS_MAX * bytes);
        prop_assert!(many <= max, "{shape:?}: {few} steps, {LONGER} times as long {many}");
        Ok(())
    }

    /// `begin`, then as many of `piece` as there is room for, then `end`.
    fn long((begin, piece, end): (&str, &str, &str), bytes: usize) -> String {
        format!("{begin}{}{end}", piece.repeat((bytes - begin.len() - end.len()) / piece.len()))
    }

    #[test]
    fn what_it_takes_to_prepare_a_query_is_bounded_by_its_length() {
        for shape in [
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
        ] {
            check(shape, 1 << 14).unwrap();
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
