//! The order in which neighbours are alike.

use logstead_template::Rows;

/// Rows in the order of their templates: programs write few statements, so neighbours there are alike.
pub(super) struct TemplateOrder<'r> {
    rows: &'r Rows,
    next: Vec<u32>,
}

impl<'r> TemplateOrder<'r> {
    pub(super) fn new(rows: &'r Rows) -> TemplateOrder<'r> {
        let mut sum = 0;
        let next = rows.counts().iter().map(|count| (sum, sum += count).0).collect();
        TemplateOrder { rows, next }
    }

    /// The place of each row.
    pub(super) fn places(mut self) -> impl Iterator<Item = usize> {
        self.rows.places().iter().map(move |&place| {
            let next = &mut self.next[usize::from(place)];
            *next += 1;
            *next as usize - 1
        })
    }
}
