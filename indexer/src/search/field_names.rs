//! The names of the dynamic fields of messages, from the indexes and from the batches of the tail.

use crate::store::read::{StretchItem, read_stretch};
use crate::store::view::View;
use logstead_query::TimeRange;
use logstead_work::SearchContext;
use std::collections::BTreeMap;

/// The names of the dynamic fields that messages of a range may have.
pub(super) fn field_names(view: &View, range: TimeRange, run: &SearchContext<'_>) -> Vec<String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |name: &str| {
        names.entry(name.to_ascii_lowercase()).or_insert_with(|| name.to_owned());
    };
    for segment in &view.segments {
        if segment.blocks.span.times().overlap(range)
            && let Ok(index) = segment.index()
        {
            index.fields.spelled().for_each(|name| add(&name));
        }
    }
    for file in &view.files {
        for stretch in file.stretches.iter().filter(|stretch| stretch.times.overlap(range)) {
            let shown = read_stretch(file, stretch, &mut |read| {
                if run.is_over() {
                    return Err(());
                }
                if let StretchItem::Batch(_, _, batch) = read {
                    let names = batch.columns().field_names.values().iter();
                    names.for_each(|name| add(&String::from_utf8_lossy(name)));
                }
                Ok(())
            });
            if shown.is_err() {
                return names.into_values().collect();
            }
        }
    }
    names.into_values().collect()
}
