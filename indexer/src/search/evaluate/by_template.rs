//! Plans that can be answered by templates alone, because a match does not depend on the values in the slots. Counts
//! then need no rows, and rows are looked up only once, however many words a query has.
//!
//! **Invariant:** an answer is exact: if a row could differ from others of its template, there is no answer.

use super::super::plan::{ContentTest, Plan};
use super::super::required::Required;
use super::Evaluation;
use crate::segment::bundle::IndexError;
use logstead_record::Selection;

impl Evaluation<'_> {
    /// The templates whose rows match a plan, if that is known without reading rows.
    pub(in crate::search) fn templates(&self, plan: &Plan) -> Result<Option<Selection>, IndexError> {
        self.templates_of(plan, self.index.words.templates())
    }

    /// The keys of some templates, with the number of rows of each.
    pub(in crate::search) fn named(&self, templates: &Selection) -> Vec<(&[u8], u64)> {
        self.index.words.named(templates)
    }

    fn templates_of(&self, plan: &Plan, count: usize) -> Result<Option<Selection>, IndexError> {
        Ok(match plan {
            Plan::All => Some(Selection::all(count)),
            Plan::Nothing => Some(Selection::none(count)),
            Plan::Not(plan) => self.templates_of(plan, count)?.map(|mut templates| {
                templates.invert();
                templates
            }),
            Plan::And(plans) => {
                let (mut all, mut is_known) = (Selection::all(count), true);
                for plan in plans {
                    match self.templates_of(plan, count)? {
                        Some(templates) => all.intersect(&templates),
                        None => is_known = false,
                    }
                    if all.is_empty() || !self.goes_on() {
                        break;
                    }
                }
                (all.is_empty() || is_known).then_some(all)
            }
            Plan::Or(plans) => {
                let mut any = Selection::none(count);
                for plan in plans {
                    let Some(templates) = self.templates_of(plan, count)?.filter(|_| self.goes_on()) else {
                        return Ok(None);
                    };
                    any.union(&templates);
                }
                Some(any)
            }
            Plan::Names(names) => match self.count_names(names)? {
                Some(0) => Some(Selection::none(count)),
                _ => None,
            },
            Plan::Content(content) => self.templates_with(content, count)?,
            Plan::Pids(_) | Plan::Time(_) | Plan::Received(_) | Plan::Unknown => None,
        })
    }

    fn templates_with(&self, content: &ContentTest, count: usize) -> Result<Option<Selection>, IndexError> {
        if let (true, Required::Word(word)) = (self.is_sufficient(content), &content.required) {
            return Ok(match self.find(word)? {
                Some(found) => self.index.words.templates_of(&found),
                None => Some(Selection::none(count)),
            });
        }
        let mut words = Vec::new();
        content.required.collect_words(&mut words);
        let mut much = 0;
        for word in &words {
            match self.find(word)? {
                Some(found) => much += self.index.words.work_to_count(&found),
                None => return Ok(Some(Selection::none(count))),
            }
        }
        if !self.work.go_on(much) {
            return Ok(None);
        }
        let shape = self.by_shape(content)?;
        Ok(shape.and_then(|shape| self.index.words.templates_by_shape(&shape)))
    }
}
