//! The effort to spend on finding templates: if hardly any row has one, searching for them is a waste.

/// The number of rows after which the effort is decided again.
const STRETCH_ROWS: usize = 4096;
/// The percentage of rows without a template in a stretch from which on the next stretches learn nothing,
const CLOSED_PERCENT: usize = 40;
const CLOSED_STRETCHES: usize = 3;
/// and the percentage from which on the next ones are skipped.
const SKIPPED_PERCENT: usize = 95;
const SKIPPED_STRETCHES: usize = 7;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// New keys become templates.
    Learn,
    /// Known keys are looked up.
    LookUp,
    /// Messages are kept unchanged.
    Skip,
}

/// Decides the effort for the next rows by the previous ones.
#[derive(Default)]
pub(crate) struct Efforts {
    rows: usize,
    without: usize,
    closed: usize,
    skipped: usize,
}

impl Efforts {
    pub(crate) fn next(&self) -> Effort {
        match (self.skipped, self.closed) {
            (0, 0) => Effort::Learn,
            (0, _) => Effort::LookUp,
            _ => Effort::Skip,
        }
    }

    /// Counts a row, with or without a template.
    pub(crate) fn add(&mut self, has_template: bool) {
        self.rows += 1;
        self.without += usize::from(!has_template);
        if self.rows < STRETCH_ROWS {
            return;
        }
        let (rows, without) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.without));
        match self.next() {
            Effort::Skip => self.skipped -= 1,
            _ if rows * SKIPPED_PERCENT <= without * 100 => self.skipped = SKIPPED_STRETCHES,
            Effort::LookUp => self.closed -= 1,
            Effort::Learn if rows * CLOSED_PERCENT <= without * 100 => self.closed = CLOSED_STRETCHES,
            Effort::Learn => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(efforts: &mut Efforts, rows: usize, without: impl Fn(usize) -> bool) -> Effort {
        (0..rows).for_each(|row| efforts.add(!without(row)));
        efforts.next()
    }

    #[test]
    fn what_has_no_templates_is_looked_at_now_and_then() {
        let mut efforts = Efforts::default();
        assert_eq!(after(&mut efforts, STRETCH_ROWS, |_| false), Effort::Learn);
        assert_eq!(after(&mut efforts, STRETCH_ROWS, |row| row % 2 == 0), Effort::LookUp);
        assert_eq!(after(&mut efforts, CLOSED_STRETCHES * STRETCH_ROWS, |row| row % 2 == 0), Effort::Learn);
        assert_eq!(after(&mut efforts, STRETCH_ROWS, |_| true), Effort::Skip);
        assert_eq!(after(&mut efforts, SKIPPED_STRETCHES * STRETCH_ROWS, |_| true), Effort::Learn);
    }
}
