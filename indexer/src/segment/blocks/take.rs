//! Takes a group of another file unchanged: its sections are copied, and its rows are added to the columns of the
//! segment without decoding them into a batch.

use super::error::{BlocksError, disk};
use super::groups::RowGroups;
use super::layout::{CLOCK, HEAD_FORM, OWN, of_group};
use super::shared::{IndexedTexts, MessageSpan};
use super::write::{BlocksWriter, GROUP_ROWS};
use crate::segment::column::{COLUMNS, CommonColumn};
use logstead_record::Timestamp;
use logstead_template::Rows;
use std::ops::Range;

/// The id of a value that is not in this file yet.
const UNKNOWN: u32 = u32::MAX;

impl BlocksWriter {
    /// Whether a group with this number of rows should be copied rather than rewritten.
    pub(crate) fn takes_whole(&self, rows: usize) -> bool {
        let is_large = |rows: usize| GROUP_ROWS / 2 <= rows;
        is_large(rows) && (self.group.rows() == 0 || is_large(self.group.rows()))
    }

    /// Adds a group of another file, and passes the texts of the groups that end to `ended`.
    pub(crate) fn push_group(
        &mut self,
        of: &RowGroups,
        group: usize,
        ended: &mut dyn FnMut(&IndexedTexts),
    ) -> Result<(), BlocksError> {
        if self.group.rows() != 0 {
            ended(&self.end_group().map_err(disk)?);
        }
        let (texts, rows) = (of.texts(group)?, of.rows_of(group));
        self.take_columns(of, &rows)?;
        self.take_origins(of, group, &*of.templates(group)?)?;
        let number = self.group_rows.len();
        for (section, bytes) in of.sections_of(group)? {
            self.sections.add(of_group(section, number), bytes);
        }
        self.group_rows.push(rows.len() as u32);
        ended(&texts);
        Ok(())
    }

    fn take_columns(&mut self, of: &RowGroups, rows: &Range<usize>) -> Result<(), BlocksError> {
        let range = rows.start as u32..rows.end as u32;
        let (earliest, latest) = self.time.push_column(&of.times, range.clone())?;
        let (received_first, received_last) = self.received.push_column(&of.received, range.clone())?;
        let [earliest, latest, received_first, received_last] =
            [earliest, latest, received_first, received_last].map(Timestamp::from_nanos);
        self.span = self.span.join(MessageSpan { earliest, latest, received_first, received_last });
        if of.bundle.has(OWN) {
            let own = of.own_times()?;
            self.own_times().push_column(&own, range)?;
        } else if let Some(own) = &mut self.own {
            own.push_unasked(rows.len());
        }
        for (names, (column, _)) in self.columns.iter_mut().zip(COLUMNS) {
            if !matches!(column, CommonColumn::Program | CommonColumn::Priority) {
                let column = of.column(column)?;
                names.push_column(&column, rows.clone());
            }
        }
        for (names, section) in [(&mut self.clock, CLOCK), (&mut self.head_form, HEAD_FORM)] {
            let column = of.bytes_column(section)?;
            names.push_column(&column, rows.clone());
        }
        self.head.rows += rows.len() as u32;
        Ok(())
    }

    /// The ids of priorities and programs are different in this file.
    fn take_origins(&mut self, of: &RowGroups, group: usize, rows: &Rows) -> Result<(), BlocksError> {
        let values = of.origin_values()?;
        let values = values.values();
        let mut origins = of.origins(group, rows, values.len())?;
        let names = &mut self.columns[CommonColumn::Program.number()];
        let mut ids = vec![UNKNOWN; values.len()];
        origins.renumber(|id| {
            let known = &mut ids[id as usize];
            if *known == UNKNOWN {
                *known = names.id_of(values.get(id as usize));
            }
            *known
        });
        self.add_origins(&origins, rows);
        Ok(())
    }
}
