//! Logspaces that are searched as one, and the search criteria.

use super::Coverage;
use super::copies::{Copies, left_out};
use logstead_answer::{Aggregation, AnswerError, AnswerSettings};
use logstead_indexer::{AnswerTarget, Filter, Searcher};
use logstead_query::{Context, Pipeline, Query, TimeRange};
use logstead_record::Timestamp;
use logstead_work::SearchContext;
use std::collections::BTreeSet;

/// Logspaces with their names.
#[derive(Clone)]
pub struct Logspaces(Vec<(String, Searcher)>);

/// The messages to search for.
#[derive(Clone, Copy)]
pub struct SearchCriteria<'a> {
    /// The query to match.
    pub query: &'a Query,
    /// The period to search.
    pub range: TimeRange,
    /// The current time.
    pub now: Timestamp,
    /// Whether copies are counted.
    pub copies: Copies,
}

/// A logspace, and the filter for it.
pub struct InLogspace<'a> {
    pub id: &'a str,
    pub searcher: &'a Searcher,
    /// `None` if the run was told to end before the filter was ready.
    pub filter: Option<Filter>,
    pub range: TimeRange,
}

impl FromIterator<(String, Searcher)> for Logspaces {
    fn from_iter<T: IntoIterator<Item = (String, Searcher)>>(logspaces: T) -> Logspaces {
        Logspaces(logspaces.into_iter().collect())
    }
}

impl IntoIterator for Logspaces {
    type Item = (String, Searcher);
    type IntoIter = std::vec::IntoIter<(String, Searcher)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Logspaces {
    /// The ids of the logspaces.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(id, _)| id.as_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Searcher)> {
        self.0.iter().map(|(id, searcher)| (id.as_str(), searcher))
    }

    /// The searcher of a logspace.
    pub fn get(&self, id: &str) -> Option<&Searcher> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, searcher)| searcher)
    }

    /// The named logspaces among these.
    pub fn only(mut self, ids: &[String]) -> Logspaces {
        self.0.retain(|(id, _)| ids.contains(id));
        self
    }

    /// All logspaces except private ones, which have to be named.
    pub fn public(mut self) -> Logspaces {
        self.0.retain(|(id, _)| !logstead_config::is_private(id));
        self
    }

    /// The range from the first stored message to the last.
    pub fn stored(&self) -> Option<TimeRange> {
        let stats = self.0.iter().map(|(_, searcher)| searcher.stats());
        let times = stats.filter_map(|stats| stats.first_time.zip(stats.last_time));
        times
            .map(|(first, last)| TimeRange { first, last })
            .reduce(|a, b| TimeRange { first: a.first.min(b.first), last: a.last.max(b.last) })
    }

    /// How many messages are stored.
    pub fn messages(&self) -> u64 {
        self.0.iter().map(|(_, searcher)| searcher.stats().messages).sum()
    }

    /// The names of fields that messages in the range have.
    pub fn field_names(&self, range: TimeRange, run: &SearchContext<'_>) -> BTreeSet<String> {
        self.0.iter().flat_map(|(_, searcher)| searcher.field_names(range, run)).collect()
    }

    /// Each logspace with its filter.
    pub fn each<'a>(
        &'a self,
        wanted: SearchCriteria<'a>,
        run: &'a SearchContext<'_>,
    ) -> impl Iterator<Item = InLogspace<'a>> {
        self.0.iter().map(move |(id, searcher)| {
            let filter = self.filter(wanted, id, run);
            InLogspace { id, searcher, filter, range: wanted.range }
        })
    }

    /// The filter for one of these logspaces; `None` if the run is told to end before it is ready.
    pub(super) fn filter(
        &self,
        wanted: SearchCriteria<'_>,
        logspace: &str,
        run: &SearchContext<'_>,
    ) -> Option<Filter> {
        let context = Context { now: wanted.now, logspace };
        match self.left_out(wanted, logspace) {
            Some(copies) => Filter::leaving_out(wanted.query, &copies, &context, run),
            None => Filter::new_while(wanted.query, &context, run),
        }
    }

    fn left_out(&self, wanted: SearchCriteria<'_>, logspace: &str) -> Option<Query> {
        if wanted.copies == Copies::Counted {
            return None;
        }
        left_out(wanted.query, self.iter().filter(|(id, _)| *id != logspace))
    }

    /// The number of copies that are left out.
    pub fn count_copies(&self, wanted: SearchCriteria<'_>, run: &SearchContext<'_>) -> (u64, Coverage) {
        let (mut count, mut coverage) = (0, Coverage::new());
        for (id, searcher) in self.iter() {
            let Some(copies) = self.left_out(wanted, id) else { continue };
            let context = Context { now: wanted.now, logspace: id };
            let Some(filter) = Filter::of_copies(wanted.query, &copies, &context, run) else {
                coverage.add_unfinished(id);
                continue;
            };
            let counted = searcher.count(&filter, wanted.range, run);
            count += counted.count;
            coverage.add(id, counted.coverage);
        }
        (count, coverage)
    }

    /// How many messages match.
    pub fn count(&self, wanted: SearchCriteria<'_>, run: &SearchContext<'_>) -> (u64, Coverage) {
        let (mut count, mut coverage) = (0, Coverage::new());
        for of in self.each(wanted, run) {
            let Some(filter) = &of.filter else {
                coverage.add_unfinished(of.id);
                continue;
            };
            let counted = of.searcher.count(filter, of.range, run);
            count += counted.count;
            coverage.add(of.id, counted.coverage);
        }
        (count, coverage)
    }

    /// Adds the messages of all logspaces to the same answers.
    pub fn answer(
        &self,
        wanted: SearchCriteria<'_>,
        run: &SearchContext<'_>,
        answers: &mut [AnswerTarget<'_>],
    ) -> Result<Coverage, AnswerError> {
        let mut coverage = Coverage::new();
        for of in self.each(wanted, run) {
            match &of.filter {
                Some(filter) => {
                    coverage.add(of.id, of.searcher.answer(of.id, filter, of.range, run, answers)?);
                }
                None => coverage.add_unfinished(of.id),
            }
        }
        Ok(coverage)
    }

    /// Prepares a pipeline to run, and determines its range. Time spans are chosen to suit the stored messages.
    pub fn prepare(
        &self,
        pipeline: &Pipeline,
        settings: AnswerSettings,
    ) -> Result<(Aggregation, TimeRange), AnswerError> {
        let now = TimeRange { first: settings.now, last: settings.now };
        let within = settings.range.intersect(self.stored().unwrap_or(now));
        // Messages that arrive in the meantime belong to no span.
        let range = if within.is_empty() { now } else { within };
        let aggregation = Aggregation::compile(pipeline, AnswerSettings { range, ..settings })?;
        let range = settings.range.intersect(range).intersect(aggregation.filter().time_range(settings.now));
        Ok((aggregation, range))
    }
}
