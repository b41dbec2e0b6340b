//! An automaton is made for as long as somebody wants it.
//!
//! Keywords: regular expressions, automaton, property test.

use logstead_query::Regex;
use logstead_template::Automaton;
use std::cell::Cell;

#[test]
fn an_automaton_that_is_no_longer_wanted_is_not_made_to_the_end() {
    // Hundreds of states.
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
    // Before the other way to make one, it is asked once more.
    assert!(asked.get() <= 11, "{}", asked.get());
}
