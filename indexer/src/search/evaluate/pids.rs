//! Conditions on process ids, whose values are stored as groups of texts, like messages.

use super::super::bounds::RowBounds;
use super::super::plan::PidCondition;
use super::super::required::Required;
use super::{Evaluation, PLAN_WORK, both};
use crate::segment::blocks::BlocksError;
use crate::segment::bundle::IndexError;
use logstead_record::{Selection, word};
use logstead_template::{Ranks, TemplateGroup, WantedWord, WordSet};

/// The test that a process id has to pass.
enum PidTest {
    Word(WantedWord),
    Words(WordSet),
}

impl Evaluation<'_> {
    pub(super) fn pids(&self, pids: &PidCondition, within: &Selection) -> Result<RowBounds, IndexError> {
        let unknown = || Ok(RowBounds::some_of(within.clone()));
        let groups = self.blocks.groups();
        let asked = match &pids.required {
            Required::Word(word) => PidTest::Word(WantedWord::new(word)),
            Required::Like(form) => PidTest::Words(WordSet::new(vec![form.clone()])),
            Required::All(_) | Required::Any(_) | Required::Anything => return unknown(),
        };
        let (mut rows, mut unread) = (Selection::none(self.rows), Selection::none(self.rows));
        for group in 0..groups.groups() {
            let range = groups.rows_of(group);
            if within.count_within(range.clone()) == 0 {
                continue;
            }
            if !self.work.go_on(PLAN_WORK) {
                return unknown();
            }
            match groups.pids(group).and_then(|texts| self.ranks(texts.as_deref(), &asked)) {
                Ok(Some(found)) => rows.insert_part(range.start, &found),
                Ok(None) => return unknown(),
                Err(_) => unread.insert_range(range),
            }
        }
        if !pids.is_sufficient {
            rows.union(&unread);
            return Ok(RowBounds::some_of(both(rows, within)));
        }
        unread.union(&rows);
        Ok(RowBounds::between(both(rows, within), both(unread, within)))
    }

    /// The rows of a group that have such a word; `None` if the work is cancelled first.
    fn ranks(
        &self,
        texts: Option<&TemplateGroup>,
        asked: &PidTest,
    ) -> Result<Option<Selection>, BlocksError> {
        // In a group without process ids, all of them are empty.
        let Some(texts) = texts else { return Ok(Some(Selection::none(0))) };
        let found = match asked {
            PidTest::Word(wanted) => texts.find(wanted)?,
            PidTest::Words(set) => {
                let Some(found) = self.ranks_of_set(texts, set)? else { return Ok(None) };
                found
            }
        };
        Ok(Some(texts.rows()?.select(&found)))
    }

    fn ranks_of_set(&self, texts: &TemplateGroup, set: &WordSet) -> Result<Option<Vec<Ranks>>, BlocksError> {
        let sets = std::slice::from_ref(set);
        let found = texts.find_words(sets, &mut |values| self.work.go_on(values))?;
        let Some(mut found) = found.and_then(|mut found| found.pop()) else { return Ok(None) };
        let mut scratch = Vec::new();
        let mut has_word = |text: &[u8]| {
            let mut has_word = false;
            word::for_each_folded(text, &mut scratch, |word| has_word |= set.accepts(word));
            has_word
        };
        for (ranks, key) in found[1..].iter_mut().zip(texts.keys().iter()) {
            if has_word(key) {
                *ranks = Ranks::All;
            }
        }
        let kept = texts.kept()?;
        let ranks: Vec<u32> =
            (0..).zip(kept.iter()).filter(|(_, text)| has_word(text)).map(|(rank, _)| rank).collect();
        found[0] = if ranks.is_empty() { Ranks::None } else { Ranks::Some(ranks) };
        Ok(Some(found))
    }
}
