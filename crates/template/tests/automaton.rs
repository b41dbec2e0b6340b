//! Making an automaton ends when nobody wants it any more.
//!
//! Keywords: regular expressions, automaton, property test.

use logstead_query::Regex;
use logstead_template::Automaton;
use std::cell::Cell;

#[test]
fn an_automaton_that_is_no_longer_wanted_is_not_made_to_the_end() {
    // This expression has hundreds of states.
    let regex = Regex::new("[ab]*a[ab]{8}x", false).unwrap();
    let asked = Cell::new(0);
    let made_within = |questions: usize| {
        asked.set(0);
        let go_on = |_| {
            asked.set(asked.get() + 1);
            asked.get() < questions
        };
        Automaton::new(&regex, &go_on).is_some()
    };
    assert!(made_within(usize::MAX) && 100 < asked.get(), "{}", asked.get());
    assert!(!made_within(10));
    // It is called once more before the other way of making an automaton is tried.
    assert!(asked.get() <= 11, "{}", asked.get());
}
