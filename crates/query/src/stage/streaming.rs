//! The stages that work on one message at a time.

use super::{Pipeline, Stage};

/// The messages that a stage needs before it can return a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamingNeed {
    /// The message itself: the stage works on messages as they come in.
    Each,
    /// The message and those before it.
    Earlier,
    /// All messages.
    All,
}

impl Stage {
    /// The messages that it needs.
    pub fn streaming(&self) -> StreamingNeed {
        match self {
            Stage::Where(_)
            | Stage::Fields(_)
            | Stage::Extract { .. }
            | Stage::Parse { .. }
            | Stage::Eval(_) => StreamingNeed::Each,
            Stage::Limit(_) | Stage::Dedup(_) => StreamingNeed::Earlier,
            Stage::Sort(_)
            | Stage::Tail(_)
            | Stage::Stats { .. }
            | Stage::Timechart { .. }
            | Stage::Top(_)
            | Stage::Rare(_)
            | Stage::Uniq(_)
            | Stage::Gap { .. } => StreamingNeed::All,
        }
    }

    /// Whether it depends on the time of day.
    pub fn uses_now(&self) -> bool {
        match self {
            Stage::Where(query) => query.uses_now(),
            Stage::Eval(assignments) => assignments.iter().any(|(_, expression)| expression.uses_now()),
            _ => false,
        }
    }

    /// Whether it works on messages one by one.
    pub fn streams(&self) -> bool {
        self.streaming() == StreamingNeed::Each
    }
}

/// The reason why stages cannot work on messages one by one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct StreamingError {
    /// The number of the stage that cannot do so.
    pub stage: usize,
    why: String,
}

impl Pipeline {
    /// Whether all stages can work on messages one by one.
    pub fn streams(&self) -> Result<(), StreamingError> {
        let refused = |(stage, why)| Err(StreamingError { stage, why });
        self.obstacle().or_else(|| self.hidden()).or_else(|| self.late_logspace()).map_or(Ok(()), refused)
    }

    fn obstacle(&self) -> Option<(usize, String)> {
        let (number, stage) = self.stages.iter().enumerate().find(|(_, stage)| !stage.streams())?;
        let needs = match stage.streaming() {
            StreamingNeed::Earlier => "the messages before it",
            StreamingNeed::Each | StreamingNeed::All => "all messages before it can give its first row",
        };
        let why = format!(
            "`{stage}` needs {needs}: where messages are looked at one by one, only `where`, `fields`, `extract`, \
             `parse` and `eval` can be used"
        );
        Some((number, why))
    }

    /// The first stage that selects logspaces too late: they are chosen before messages are read.
    fn late_logspace(&self) -> Option<(usize, String)> {
        let stages = self.stages.iter().enumerate();
        let mut late = stages.skip_while(|(_, stage)| matches!(stage, Stage::Where(_)));
        let asks = |stage: &Stage| matches!(stage, Stage::Where(query) if query.uses_logspace());
        let (number, stage) = late.find(|(_, stage)| asks(stage))?;
        let why = format!("`{stage}` selects logspaces: put it before the stages that look into messages");
        Some((number, why))
    }
}
