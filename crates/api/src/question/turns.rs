//! Decides whose question is next. Callers take turns, so that one who asks a lot only delays their own questions.
//! Pure: uses no clock and no threads.
//!
//! **Invariant:** while there is room, no question waits that may run. A waiting caller has its turn after each of the
//! others has had at most one.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// How many questions may run and wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnLimits {
    /// Maximum number of questions that run at a time.
    pub(crate) running_max: usize,
    /// Maximum number of questions of one caller that run at a time.
    pub(crate) running_of_one_max: usize,
    /// Maximum number of waiting questions of one caller.
    pub(crate) waiting_of_one_max: usize,
    /// Maximum number of all waiting questions.
    pub(crate) waiting_max: usize,
}

/// Running and waiting questions; `K` identifies a caller, and `T` a question.
pub(crate) struct Turns<K, T> {
    bounds: TurnLimits,
    running: HashMap<K, usize>,
    /// Callers with waiting questions, in the order of their turns, each with its questions in order of arrival.
    waiting: VecDeque<(K, VecDeque<T>)>,
}

/// The decision about a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Admission {
    /// It runs now.
    Runs,
    /// It waits for its turn.
    Waits,
    /// Too many questions of this caller are waiting.
    TooMany,
    /// Too many questions are waiting altogether.
    Full,
}

impl<K: Clone + Eq + Hash, T: PartialEq> Turns<K, T> {
    pub(super) fn new(bounds: TurnLimits) -> Turns<K, T> {
        Turns { bounds, running: HashMap::new(), waiting: VecDeque::new() }
    }

    /// Runs a question at once if there is room; returns whether it runs.
    pub(crate) fn ask_now(&mut self, caller: &K) -> bool {
        let runs = self.has_room() && self.may_run(caller) && !self.waits(caller);
        if runs {
            self.begin(caller);
        }
        runs
    }

    /// Adds a question of a caller.
    pub(super) fn ask(&mut self, caller: &K, question: T) -> Admission {
        if self.ask_now(caller) {
            return Admission::Runs;
        }
        let waiting: usize = self.waiting.iter().map(|(_, questions)| questions.len()).sum();
        let of_caller = self.waiting.iter_mut().find(|(other, _)| other == caller);
        match of_caller {
            Some((_, questions)) if self.bounds.waiting_of_one_max <= questions.len() => Admission::TooMany,
            _ if self.bounds.waiting_max <= waiting => Admission::Full,
            Some((_, questions)) => {
                questions.push_back(question);
                Admission::Waits
            }
            None => {
                self.waiting.push_back((caller.clone(), VecDeque::from([question])));
                Admission::Waits
            }
        }
    }

    /// Notes that one of a caller's questions has ended. Call `next` until it returns `None` to get the questions
    /// that run instead.
    pub(super) fn end(&mut self, caller: &K) {
        if let Some(running) = self.running.get_mut(caller) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(caller);
            }
        }
    }

    /// Takes the next waiting question that may run now, if there is room.
    pub(super) fn next(&mut self) -> Option<(K, T)> {
        let at = self.waiting.iter().position(|(caller, _)| self.has_room() && self.may_run(caller))?;
        let (caller, mut questions) = self.waiting.remove(at)?;
        let question = questions.pop_front()?;
        if !questions.is_empty() {
            self.waiting.push_back((caller.clone(), questions));
        }
        self.begin(&caller);
        Some((caller, question))
    }

    /// How many questions are running, and how many are waiting.
    pub(super) fn load(&self) -> (usize, usize) {
        let waiting = self.waiting.iter().map(|(_, questions)| questions.len()).sum();
        (self.running.values().sum(), waiting)
    }

    /// Removes a question whose caller no longer waits for it.
    pub(super) fn forget(&mut self, caller: &K, question: &T) {
        if let Some((_, questions)) = self.waiting.iter_mut().find(|(other, _)| other == caller) {
            questions.retain(|other| other != question);
        }
        self.waiting.retain(|(_, questions)| !questions.is_empty());
    }

    fn begin(&mut self, caller: &K) {
        *self.running.entry(caller.clone()).or_default() += 1;
    }

    fn has_room(&self) -> bool {
        self.running.values().sum::<usize>() < self.bounds.running_max
    }

    fn may_run(&self, caller: &K) -> bool {
        self.running.get(caller).copied().unwrap_or_default() < self.bounds.running_of_one_max
    }

    fn waits(&self, caller: &K) -> bool {
        self.waiting.iter().any(|(other, _)| other == caller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const BOUNDS: TurnLimits =
        TurnLimits { running_max: 2, running_of_one_max: 2, waiting_of_one_max: 3, waiting_max: 7 };

    #[test]
    fn callers_take_turns_however_many_questions_one_has() {
        let mut turns = Turns::new(TurnLimits { running_max: 1, ..BOUNDS });
        assert_eq!(turns.ask(&"ana", 0), Admission::Runs);
        let asked: Vec<Admission> = (1..6).map(|number| turns.ask(&"ana", number)).collect();
        assert_eq!(
            asked,
            [Admission::Waits, Admission::Waits, Admission::Waits, Admission::TooMany, Admission::TooMany]
        );
        assert_eq!((turns.ask(&"ben", 10), turns.ask(&"eve", 20)), (Admission::Waits, Admission::Waits));
        turns.forget(&"ana", &2);
        let mut order = Vec::new();
        let mut running = "ana";
        loop {
            turns.end(&running);
            let Some((caller, number)) = turns.next() else { break };
            assert_eq!(turns.next(), None, "one at a time");
            (running, order) = (caller, [order, vec![number]].concat());
        }
        assert_eq!(order, [1, 10, 20, 3]);
    }

    #[test]
    fn one_caller_does_not_take_every_place() {
        let mut turns = Turns::new(TurnLimits { running_of_one_max: 1, ..BOUNDS });
        assert_eq!((turns.ask(&"ana", 0), turns.ask(&"ana", 1)), (Admission::Runs, Admission::Waits));
        assert_eq!(turns.next(), None);
        assert!(turns.ask_now(&"ben") && !turns.ask_now(&"eve"));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Ask(u8),
        End(prop::sample::Index),
        Forget(prop::sample::Index),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (0..4_u8).prop_map(Step::Ask),
            2 => any::<prop::sample::Index>().prop_map(Step::End),
            1 => any::<prop::sample::Index>().prop_map(Step::Forget),
        ]
    }

    proptest! {
        #[test]
        fn who_waits_waits_for_one_turn_of_each_other_at_most(
            steps in vec(step(), 0..200), of_one in 1_usize..3,
        ) {
            let bounds = TurnLimits { running_of_one_max: of_one, ..BOUNDS };
            let mut turns = Turns::new(bounds);
            let (mut running, mut waiting) = (Vec::<u8>::new(), Vec::<(u8, usize)>::new());
            // For each waiting caller: the turns that others had since the caller began to wait, or since the
            // caller's last turn.
            let mut others: HashMap<u8, Vec<u8>> = HashMap::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Ask(caller) => {
                        let waits = waiting.iter().filter(|(other, _)| *other == caller).count();
                        match turns.ask(&caller, number) {
                            Admission::Runs => running.push(caller),
                            Admission::Waits => {
                                waiting.push((caller, number));
                                others.entry(caller).or_default();
                            }
                            Admission::TooMany => prop_assert_eq!(waits, bounds.waiting_of_one_max),
                            Admission::Full => prop_assert_eq!(waiting.len(), bounds.waiting_max),
                        }
                    }
                    Step::End(which) if !running.is_empty() => {
                        turns.end(&running.swap_remove(which.index(running.len())));
                    }
                    Step::Forget(which) if !waiting.is_empty() => {
                        let (caller, number) = waiting.remove(which.index(waiting.len()));
                        turns.forget(&caller, &number);
                    }
                    Step::End(_) | Step::Forget(_) => {}
                }
                while let Some((caller, number)) = turns.next() {
                    let first = waiting.iter().position(|(other, _)| *other == caller);
                    prop_assert_eq!(waiting.remove(first.unwrap()), (caller, number));
                    running.push(caller);
                    let may_run = |other: &u8| running.iter().filter(|it| *it == other).count() < of_one;
                    for (waits, turns) in others.iter_mut().filter(|(waits, _)| **waits != caller) {
                        if may_run(waits) {
                            prop_assert!(!turns.contains(&caller), "{} had two turns before {}", caller, waits);
                        }
                        turns.push(caller);
                    }
                    others.insert(caller, Vec::new());
                }
                others.retain(|caller, _| waiting.iter().any(|(other, _)| other == caller));
                prop_assert!(running.len() <= bounds.running_max);
                for caller in 0..4 {
                    let runs = running.iter().filter(|it| **it == caller).count();
                    prop_assert!(runs <= of_one);
                    let waits = waiting.iter().any(|(other, _)| *other == caller);
                    prop_assert!(!waits || runs == of_one || running.len() == bounds.running_max);
                }
            }
        }
    }
}
