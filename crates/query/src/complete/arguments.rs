//! Completions after the name of a stage, and the columns that stages make.

use super::completion::Completion;
use crate::stage::{Aggregate, GAP_COLUMNS, Stage, names_function};
use logstead_record::FieldName;

/// The words between the name of a stage and the cursor.
pub(super) struct Arguments {
    pub(super) name: &'static str,
    pub(super) words: Vec<String>,
}

impl Arguments {
    pub(super) fn wanted(&self, columns: Option<Vec<String>>) -> Completion {
        if self.name == "eval" {
            return if self.is_in_expression() {
                Completion::Computed { columns }
            } else {
                Completion::Nothing
            };
        }
        let argument = |names, functions, words| Completion::Argument { columns, names, functions, words };
        let last = self.words.last().map(String::as_str).unwrap_or_default();
        let has_by = self.words.iter().any(|word| word == "by");
        let is_empty = self.words.iter().all(|word| matches!(word.as_str(), "-" | "+"));
        match self.name {
            "stats" | "timechart" if self.is_in_call() || has_by => argument(true, false, &[]),
            "stats" | "timechart" if last == "as" => Completion::Nothing,
            "stats" if is_empty => argument(false, true, &[]),
            "stats" => argument(false, true, &["by", "as"]),
            "timechart" if is_empty => argument(false, true, &["span="]),
            "timechart" => argument(false, true, &["by", "as", "span="]),
            "top" | "rare" if is_empty || has_by => argument(true, false, &[]),
            "top" | "rare" => argument(true, false, &["by"]),
            "sort" if is_empty => argument(true, false, &[]),
            "sort" => argument(true, false, &["asc", "desc"]),
            "gap" if self.words.iter().any(|word| word.starts_with('>')) => Completion::Nothing,
            "fields" | "uniq" | "dedup" | "gap" => argument(true, false, &[]),
            "parse" if is_empty => argument(false, false, &["json", "kv", "regex", "csv", "cef", "leef"]),
            "extract" | "parse" if last == "from" => argument(true, false, &[]),
            "extract" | "parse" if !is_empty => argument(false, false, &["from"]),
            _ => Completion::Nothing,
        }
    }

    /// Whether the cursor is after the name and the `=` of an assignment.
    fn is_in_expression(&self) -> bool {
        2 <= self.words.len() && self.words.iter().any(|word| word == "=")
    }

    /// Whether the parenthesis of a function is open.
    fn is_in_call(&self) -> bool {
        let open = self.words.iter().rposition(|word| word == "(");
        let is_closed = |open: usize| self.words[open..].iter().any(|word| word == ")");
        let function = |open: usize| open.checked_sub(1).is_some_and(|at| names_function(&self.words[at]));
        open.is_some_and(|open| !is_closed(open) && function(open))
    }
}

/// The columns after these stages; `None` if the rows are still messages with all their fields.
pub(super) fn columns(stages: &[Stage]) -> Option<Vec<String>> {
    let names =
        |fields: &[FieldName]| fields.iter().map(|field| field.as_str().to_owned()).collect::<Vec<_>>();
    let mut columns = None;
    for stage in stages {
        let one = |name: &str| vec![name.to_owned()];
        columns = match stage {
            Stage::Stats { functions, by } => {
                Some([names(by), functions.iter().map(Aggregate::column).collect()].concat())
            }
            Stage::Timechart { functions, by, .. } => {
                let functions = functions.iter().map(Aggregate::column).collect();
                Some([one("time"), names(by.as_slice()), functions].concat())
            }
            Stage::Top(ranking) | Stage::Rare(ranking) => {
                Some([names(&ranking.by), names(&ranking.fields), one("count")].concat())
            }
            Stage::Uniq(fields) | Stage::Fields(fields) => Some(names(fields)),
            Stage::Gap { by, .. } => Some([names(by), GAP_COLUMNS.map(str::to_owned).to_vec()].concat()),
            Stage::Where(_)
            | Stage::Sort(_)
            | Stage::Limit(_)
            | Stage::Tail(_)
            | Stage::Dedup(_)
            | Stage::Extract { .. }
            | Stage::Parse { .. } => columns,
            Stage::Eval(assignments) => columns.map(|columns: Vec<String>| {
                let is_new = |name: &&String| !columns.iter().any(|column| column.eq_ignore_ascii_case(name));
                let new = assignments.iter().map(|(name, _)| name).filter(is_new).cloned().collect();
                [columns.clone(), new].concat()
            }),
        };
    }
    columns
}
