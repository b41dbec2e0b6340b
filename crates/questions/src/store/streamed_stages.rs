//! Found messages after they have passed stages that process them one by one.

use super::order::Hits;
use logstead_indexer::{Hit, PageRow, PageRows};
use logstead_query::Pipeline;
use logstead_record::FieldName;
use logstead_record::{Batch, Selection, Timestamp};
use logstead_transform::{Transform, TransformedRows};
use std::collections::HashMap;
use std::sync::Arc;

/// The stages that messages pass through one by one.
#[derive(Debug)]
pub struct StreamedStages {
    transform: Transform,
    columns: Option<Vec<FieldName>>,
}

impl StreamedStages {
    /// The stages of a pipeline; `None` if it has none.
    pub fn new(pipeline: &Pipeline, now: Timestamp) -> Option<StreamedStages> {
        let transform = Transform::new(&pipeline.stages, now);
        (!pipeline.stages.is_empty()).then(|| StreamedStages { transform, columns: pipeline.columns() })
    }

    /// The stages for messages that are exported, if the file contains messages and not a table: all stages work on
    /// messages one by one, and the columns of a file that has the same in every row are known before the first message.
    pub fn exported(pipeline: &Pipeline, has_columns: bool, now: Timestamp) -> Option<StreamedStages> {
        let is_open = has_columns && pipeline.columns().is_none() && pipeline.added().is_none();
        if is_open || pipeline.streams().is_err() { None } else { StreamedStages::new(pipeline, now) }
    }

    /// The fields that a `fields` stage keeps; `None` for all.
    pub fn columns(&self) -> Option<&[FieldName]> {
        self.columns.as_deref()
    }

    /// The names of these fields.
    pub fn names(&self) -> Option<Vec<String>> {
        self.columns().map(|columns| columns.iter().map(|field| field.as_str().to_owned()).collect())
    }

    /// Whether every message passes.
    pub(crate) fn keeps_all(&self) -> bool {
        self.transform.keeps_all()
    }

    /// Applies the stages to some messages of a batch.
    pub fn rows(&self, batch: &Arc<Batch>, selected: &Selection, logspace: &str) -> TransformedRows {
        self.transform.apply(batch, selected, logspace)
    }

    /// Applies the stages to messages of one logspace.
    pub fn hits_of(&self, logspace: &str, hits: Vec<Hit>) -> Vec<Hit> {
        let named = hits.into_iter().map(|hit| (logspace.to_owned(), hit)).collect();
        self.hits(named).into_iter().map(|(_, hit)| hit).collect()
    }

    /// Applies the stages to a page of messages of one logspace.
    pub fn rows_of(&self, logspace: &str, page: PageRows) -> PageRows {
        let PageRows { batches, rows, .. } = &page;
        let mut selected: Vec<Selection> =
            batches.iter().map(|batch| Selection::none(batch.rows())).collect();
        rows.iter().for_each(|row| selected[row.batch as usize].insert(row.row as usize));
        let changed: Vec<TransformedRows> = batches
            .iter()
            .zip(&selected)
            .map(|(batch, selected)| self.rows(batch, selected, logspace))
            .collect();
        let left = |row: &PageRow| {
            let new = changed[row.batch as usize].rows.binary_search(&(row.row as usize)).ok()?;
            Some(PageRow { row: new as u32, ..*row })
        };
        let rows = rows.iter().filter_map(left).collect();
        PageRows { rows, batches: changed.into_iter().map(|changed| changed.batch).collect(), ..page }
    }

    /// The messages that pass the stages, in their order.
    pub fn hits(&self, hits: Hits) -> Hits {
        let mut selected: HashMap<*const Batch, (Arc<Batch>, String, Selection)> = HashMap::new();
        for (logspace, hit) in &hits {
            let all = || (hit.batch.clone(), logspace.clone(), Selection::none(hit.batch.rows()));
            selected.entry(Arc::as_ptr(&hit.batch)).or_insert_with(all).2.insert(hit.row);
        }
        let changed: HashMap<*const Batch, (Arc<Batch>, HashMap<usize, usize>)> = selected
            .into_iter()
            .map(|(of, (batch, logspace, rows))| {
                let changed = self.rows(&batch, &rows, &logspace);
                let new = changed.rows.iter().enumerate().map(|(new, old)| (*old, new)).collect();
                (of, (changed.batch, new))
            })
            .collect();
        let left = |(logspace, hit): (String, Hit)| {
            let (batch, rows) = changed.get(&Arc::as_ptr(&hit.batch))?;
            let row = *rows.get(&hit.row)?;
            Some((logspace, Hit { batch: batch.clone(), row, ..hit }))
        };
        hits.into_iter().filter_map(left).collect()
    }
}
