//! Explains how a filter is answered and what that will cost, without reading a message.

use super::candidates::{Candidates, ask, count_at_once, find_candidates};
use super::evaluate::Evaluation;
use super::plan::{Plan, Sufficiency};
use super::question::{Filter, RowQuestion};
use super::required::Required;
use super::searcher::Searcher;
use crate::segment::Segment;
use crate::segment::blocks::Blocks;
use crate::store::view::View;
use logstead_query::{Query, TimeRange};
use logstead_record::FieldName;
use logstead_record::Selection;
use logstead_template::{WordForm, template_id, template_text};
use logstead_work::SearchContext;
use std::collections::HashMap;

/// The greatest number of segments that are examined, newest first; the others are assumed to be similar.
const ASKED_MAX: usize = 32;
/// The greatest number of clauses that are explained one by one.
const CLAUSES_MAX: usize = 64;
/// The greatest number of templates that are listed.
const TEMPLATES_MAX: usize = 20;

/// The way in which a filter is answered.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explanation {
    /// The number of sealed segments in range.
    pub segments: u64,
    /// The number of segments that were examined; the costs of the others are estimated from them.
    pub asked_segments: u64,
    /// The number of sealed segments that are out of range.
    pub skipped_segments: u64,
    /// The number of examined segments without an index, all of whose messages are read.
    pub unindexed_segments: u64,
    /// The number of messages in range in the examined segments.
    pub messages: u64,
    /// The number of messages that match according to the indexes alone.
    pub certain_messages: u64,
    /// The number of messages that must be read to decide whether they match.
    pub undecided_messages: u64,
    /// The number of blocks that are decompressed for those.
    pub blocks: u64,
    /// Their length in bytes.
    pub blocks_bytes: u64,
    /// The number of messages that are in no segment yet; all of them are read.
    pub tail_messages: u64,
    /// An explanation of each clause on its own.
    pub clauses: Vec<ClauseExplanation>,
    /// The templates whose messages match, most frequent first, if templates alone give the answer.
    pub templates: Vec<TemplateMatches>,
    /// The number of these templates.
    pub templates_found: usize,
}

/// The text that all messages written by one statement of a program have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateMatches {
    /// An id that is the same in every segment.
    pub id: u64,
    /// The text of the template, with the kind of each variable in angle brackets.
    pub text: String,
    /// The number of messages of the examined segments that have it.
    pub messages: u64,
}

/// One clause of a query, on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClauseExplanation {
    /// The clause as text.
    pub query: String,
    /// Its depth in the query: 0 for the whole query.
    pub depth: usize,
    /// The way in which it is answered.
    pub how: String,
    /// The number of messages of the examined segments that certainly match.
    pub certain_messages: u64,
    /// The number of messages that may match.
    pub possible_messages: u64,
}

impl Searcher {
    /// Explains how a filter is answered in a range. If `run` ends before that is known, any message may match.
    pub fn explain(&self, filter: &Filter, range: TimeRange, run: &SearchContext<'_>) -> Explanation {
        let view = self.view();
        let (mut explained, asked) = Explanation::begin(&view, range);
        add_clauses(&filter.query, &filter.plan, 0, &mut explained.clauses);
        let mut templates = HashMap::new();
        for segment in asked {
            let question = RowQuestion { filter, range, run: *run };
            run.deadline.during(|| explained.add_segment(segment, &question, &mut templates));
        }
        explained.templates_found = templates.len();
        explained.templates = most_frequent(templates);
        explained
    }

    /// The figures of an explanation, without its clauses and templates. The rows that are found for them are remembered,
    /// so the question that follows does not look for them again.
    pub fn estimate(&self, filter: &Filter, range: TimeRange, run: &SearchContext<'_>) -> Explanation {
        let view = self.view();
        let (mut explained, asked) = Explanation::begin(&view, range);
        for segment in asked {
            let question = RowQuestion { filter, range, run: *run };
            run.deadline.during(|| explained.add_estimate(segment, &question));
        }
        explained
    }
}

fn most_frequent(templates: HashMap<Vec<u8>, u64>) -> Vec<TemplateMatches> {
    let mut order: Vec<(Vec<u8>, u64)> = templates.into_iter().collect();
    order.sort_unstable_by(|(key, messages), (other, more)| more.cmp(messages).then_with(|| key.cmp(other)));
    order.truncate(TEMPLATES_MAX);
    let named = |(key, messages): (Vec<u8>, u64)| TemplateMatches {
        id: template_id(&key),
        text: template_text(&key),
        messages,
    };
    order.into_iter().map(named).collect()
}

impl Explanation {
    /// The figures that need no segment to be asked, and the segments to ask.
    fn begin(view: &View, range: TimeRange) -> (Explanation, Vec<&Segment>) {
        let in_range = |segment: &&Segment| segment.blocks.span.times().overlap(range);
        let segments: Vec<&Segment> =
            view.segments.iter().map(|segment| &**segment).filter(in_range).collect();
        let asked: Vec<&Segment> = segments.iter().rev().take(ASKED_MAX).copied().collect();
        let stretches = view.files.iter().flat_map(|file| &file.stretches);
        let tail = stretches.filter(|stretch| stretch.times.overlap(range));
        let explained = Explanation {
            segments: segments.len() as u64,
            asked_segments: asked.len() as u64,
            skipped_segments: (view.segments.len() + view.lost.len() - segments.len()) as u64,
            tail_messages: tail.map(|stretch| stretch.sequences.end - stretch.sequences.start).sum(),
            ..Explanation::default()
        };
        (explained, asked)
    }

    /// Adds the figures of one segment, from as little as is needed for them.
    fn add_estimate(&mut self, segment: &Segment, question: &RowQuestion<'_>) {
        let rows = u64::from(segment.blocks.rows());
        if let Some(count) = count_at_once(segment, question) {
            self.messages += rows;
            self.certain_messages += count;
            return;
        }
        let Candidates { bounds, index } = find_candidates(segment, question);
        let in_range = match &index {
            Some(_) if segment.blocks.span.times().are_within(question.range) => Some(rows),
            Some(_) => ask(segment, |index| {
                let evaluation = Evaluation::new(&segment.blocks, index, question.run.work());
                Ok(evaluation.within(question.range)?.count() as u64)
            }),
            None => None,
        };
        self.unindexed_segments += u64::from(in_range.is_none());
        self.messages += in_range.unwrap_or(rows);
        self.certain_messages += bounds.certain.count() as u64;
        self.add_undecided(&segment.blocks, &bounds.undecided());
    }

    /// Adds the result for one segment according to its index, and the templates that give the answer in it alone, by
    /// their keys.
    fn add_segment(
        &mut self,
        segment: &Segment,
        question: &RowQuestion<'_>,
        templates: &mut HashMap<Vec<u8>, u64>,
    ) {
        let (blocks, RowQuestion { filter, range, run }) = (&segment.blocks, question);
        let mut plans = Vec::new();
        collect_plans(&filter.query, &filter.plan, &mut plans);
        let asked = ask(segment, |index| {
            let evaluation = Evaluation::new(blocks, index, run.work());
            let within = evaluation.within(*range)?;
            let bounds = plans.iter().map(|plan| evaluation.bounds(plan, &within));
            let bounds = bounds.collect::<Result<Vec<_>, _>>()?;
            let whole = evaluation.bounds(&filter.plan, &within)?;
            // By now the index has checked everything that the hashes left open.
            let found = evaluation.templates(&filter.plan)?;
            let named = found.map(|found| evaluation.named(&found)).unwrap_or_default();
            let named: Vec<_> = named.into_iter().map(|(key, messages)| (key.to_vec(), messages)).collect();
            Ok((within, bounds, whole, named))
        });
        let Some((within, bounds, whole, named)) = asked else {
            self.unindexed_segments += 1;
            self.messages += u64::from(blocks.rows());
            self.add_undecided(blocks, &Selection::all(blocks.rows() as usize));
            return;
        };
        for (key, messages) in named {
            *templates.entry(key).or_default() += messages;
        }
        self.messages += within.count() as u64;
        self.certain_messages += whole.certain.count() as u64;
        self.add_undecided(blocks, &whole.undecided());
        for (clause, bounds) in self.clauses.iter_mut().zip(bounds) {
            clause.certain_messages += bounds.certain.count() as u64;
            clause.possible_messages += bounds.possible().count() as u64;
        }
    }

    fn add_undecided(&mut self, blocks: &Blocks, rows: &Selection) {
        self.undecided_messages += rows.count() as u64;
        for block in 0..blocks.len() {
            if 0 < rows.count_within(blocks.row_range(block)) {
                self.blocks += 1;
                self.blocks_bytes += blocks.bytes_of(block);
            }
        }
    }
}

/// The clauses of a query with their plans; both have the same structure.
fn parts<'a>(query: &'a Query, plan: &'a Plan) -> Vec<(&'a Query, &'a Plan)> {
    match (query, plan) {
        (Query::And(queries), Plan::And(plans)) | (Query::Or(queries), Plan::Or(plans)) => {
            queries.iter().zip(plans).collect()
        }
        (Query::Not(query), Plan::Not(plan)) => vec![(query, plan)],
        _ => Vec::new(),
    }
}

fn add_clauses(query: &Query, plan: &Plan, depth: usize, clauses: &mut Vec<ClauseExplanation>) {
    if clauses.len() == CLAUSES_MAX {
        return;
    }
    let (query_text, how) = (query.to_string(), how(plan, !parts(query, plan).is_empty()));
    clauses.push(ClauseExplanation {
        query: query_text,
        depth,
        how,
        certain_messages: 0,
        possible_messages: 0,
    });
    for (query, plan) in parts(query, plan) {
        add_clauses(query, plan, depth + 1, clauses);
    }
}

/// Collects the plans in the order of [`add_clauses`].
fn collect_plans<'a>(query: &'a Query, plan: &'a Plan, plans: &mut Vec<&'a Plan>) {
    if plans.len() == CLAUSES_MAX {
        return;
    }
    plans.push(plan);
    for (query, plan) in parts(query, plan) {
        collect_plans(query, plan, plans);
    }
}

fn how(plan: &Plan, has_parts: bool) -> String {
    match plan {
        Plan::All => "every message".to_owned(),
        Plan::Nothing => "no message".to_owned(),
        Plan::Unknown => "every message is read".to_owned(),
        Plan::And(_) => "all of these, the rarest first".to_owned(),
        Plan::Or(_) if has_parts => "any of these".to_owned(),
        Plan::Or(plans) => {
            let content = plans.iter().find(|plan| matches!(plan, Plan::Content(_)));
            let content = content.map_or_else(String::new, |plan| how(plan, false));
            format!("{content}; columns host, program")
        }
        Plan::Not(_) => "all but these".to_owned(),
        Plan::Time(_) => "column time".to_owned(),
        Plan::Received(_) => "the times at which blocks were received".to_owned(),
        Plan::Names(names) => match &names.field {
            FieldName::Known(field) => format!("column {field}"),
            FieldName::Dynamic(name) => format!("column {name}, in segments that have one"),
        },
        Plan::Pids(pids) if pids.is_sufficient => format!("process ids: {}", words_of(&pids.required)),
        Plan::Pids(pids) => format!("process ids: {}; checked on the messages", words_of(&pids.required)),
        Plan::Content(content) => {
            let words = words_of(&content.required);
            match content.sufficient {
                Sufficiency::Yes => words,
                _ if content.expression.is_some() => {
                    format!("{words}; the expression is matched against templates")
                }
                _ if content.shape.is_some() => format!("{words}; compared with the shapes of messages"),
                Sufficiency::WithoutFields => format!("{words}; checked on messages that have fields"),
                Sufficiency::No => format!("{words}; checked on the messages"),
            }
        }
    }
}

fn words_of(required: &Required) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let join = |many: &[Required], with: &str| many.iter().map(words_of).collect::<Vec<_>>().join(with);
    match required {
        Required::Anything => "no word to look up".to_owned(),
        Required::Word(word) => format!("word {}", text(word)),
        Required::Like(WordForm::Begins(part)) => format!("words {}*", text(part)),
        Required::Like(WordForm::Ends(part)) => format!("words *{}", text(part)),
        Required::Like(WordForm::Holds(part)) => format!("words *{}*", text(part)),
        Required::All(many) => join(many, " and "),
        Required::Any(many) => join(many, " or "),
    }
}
