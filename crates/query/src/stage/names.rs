//! The fields of stages: those they read, those they add, and those that `fields` keeps for later ones.

use super::{Aggregate, Function, Pipeline, Stage, TextFormat};
use crate::expression::ResultType;
use logstead_record::Field;
use logstead_record::FieldName;

/// The error that a stage names a field that an earlier one removes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{stage}` needs `{field}`, which `fields` before it leaves out: name it there")]
pub struct HiddenField {
    /// The name of the stage.
    pub stage: String,
    /// The field.
    pub field: FieldName,
}

impl Stage {
    /// The fields that it reads.
    pub fn references(&self) -> Vec<FieldName> {
        let of_functions = |functions: &[Aggregate]| {
            let field = |function: &Function| match function {
                Function::Count => None,
                Function::Of(_, field) => Some(field.clone()),
            };
            functions.iter().filter_map(|aggregate| field(&aggregate.function)).collect::<Vec<_>>()
        };
        match self {
            Stage::Where(query) => query.fields().into_iter().cloned().collect(),
            Stage::Fields(fields) | Stage::Uniq(fields) | Stage::Dedup(fields) => fields.clone(),
            Stage::Sort(keys) => keys.iter().map(|key| key.field.clone()).collect(),
            Stage::Limit(_) | Stage::Tail(_) => Vec::new(),
            Stage::Stats { functions, by } => by.iter().cloned().chain(of_functions(functions)).collect(),
            Stage::Timechart { functions, by, .. } => {
                let time = FieldName::Known(Field::Time);
                std::iter::once(time).chain(by.clone()).chain(of_functions(functions)).collect()
            }
            Stage::Top(ranking) | Stage::Rare(ranking) => {
                ranking.by.iter().chain(&ranking.fields).cloned().collect()
            }
            Stage::Gap { by, .. } => {
                std::iter::once(FieldName::Known(Field::Time)).chain(by.clone()).collect()
            }
            Stage::Extract { from, .. } | Stage::Parse { from, .. } => vec![from.clone()],
            Stage::Eval(assignments) => {
                let mut fields: Vec<FieldName> = Vec::new();
                for (number, (_, expression)) in assignments.iter().enumerate() {
                    let earlier = &assignments[..number];
                    let is_made = |field: &FieldName| {
                        earlier.iter().any(|(name, _)| field.as_str().eq_ignore_ascii_case(name))
                    };
                    fields.extend(expression.fields().into_iter().filter(|field| !is_made(field)));
                }
                shown_names(fields)
            }
        }
    }

    /// The fields that it may add.
    pub fn adds(&self) -> AddedFields {
        let texts = |names: &mut dyn Iterator<Item = &String>| {
            AddedFields::These(
                names.map(|name| (FieldName::Dynamic(name.clone()), ResultType::Text)).collect(),
            )
        };
        match self {
            Stage::Extract { template, .. } => {
                texts(&mut template.captures.fields.iter().map(|(_, name)| name))
            }
            Stage::Parse { format: TextFormat::Regex(captures), .. } => {
                texts(&mut captures.fields.iter().map(|(_, name)| name))
            }
            Stage::Parse { format: TextFormat::Csv(columns), .. } => {
                texts(&mut columns.iter().filter(|name| !name.is_empty()))
            }
            Stage::Parse { .. } => AddedFields::Any,
            Stage::Eval(assignments) => {
                let mut added: Vec<(FieldName, ResultType)> = Vec::new();
                for (name, expression) in assignments {
                    added.retain(|(other, _)| !other.as_str().eq_ignore_ascii_case(name));
                    added.push((FieldName::Dynamic(name.clone()), expression.gives()));
                }
                AddedFields::These(added)
            }
            _ => AddedFields::These(Vec::new()),
        }
    }

    /// The fields that `fields` takes away from the `later` stages that work on the same messages: those that they name
    /// and `fields` does not. A message may have such a field, which must not come back where a later stage adds none.
    pub fn takes_away(&self, later: &[Stage]) -> Vec<FieldName> {
        let Stage::Fields(kept) = self else { return Vec::new() };
        let last = later.iter().position(Stage::aggregates).map_or(later.len(), |at| at + 1);
        let named = later[..last].iter().flat_map(|stage| {
            let added = match stage.adds() {
                AddedFields::These(added) => added,
                AddedFields::Any => Vec::new(),
            };
            stage.references().into_iter().chain(added.into_iter().map(|(name, _)| name))
        });
        let is_kept =
            |name: &FieldName| kept.iter().any(|it| it.as_str().eq_ignore_ascii_case(name.as_str()));
        shown_names(named.filter(|name| matches!(name, FieldName::Dynamic(_)) && !is_kept(name)).collect())
    }
}

/// The fields that a stage may add.
#[derive(Clone, PartialEq, Debug)]
pub enum AddedFields {
    /// These fields, each with the kind of its values.
    These(Vec<(FieldName, ResultType)>),
    /// Any fields, depending on the text.
    Any,
}

/// The fields without duplicates, each at its first occurrence.
pub fn shown_names(fields: Vec<FieldName>) -> Vec<FieldName> {
    let mut known: Vec<FieldName> = Vec::new();
    for field in fields {
        if !known.iter().any(|it| it.as_str().eq_ignore_ascii_case(field.as_str())) {
            known.push(field);
        }
    }
    known
}

impl HiddenField {
    /// Checks that a stage can see the fields it names, if only these fields and those that `may_add` allows are visible.
    pub fn check(
        stage: &Stage,
        visible: Option<&[FieldName]>,
        may_add: impl Fn(&FieldName) -> bool,
    ) -> Result<(), HiddenField> {
        let Some(visible) = visible else { return Ok(()) };
        let is_hidden = |field: &FieldName| {
            !visible.iter().any(|it| it.as_str().eq_ignore_ascii_case(field.as_str())) && !may_add(field)
        };
        match stage.references().into_iter().find(is_hidden) {
            None => Ok(()),
            Some(field) => Err(HiddenField { stage: stage.to_string(), field }),
        }
    }
}

impl Pipeline {
    /// The first stage that names a field removed by `fields` before it, if all stages work on messages one by one.
    pub(super) fn hidden(&self) -> Option<(usize, String)> {
        let (mut visible, mut is_open) = (None::<Vec<FieldName>>, false);
        for (number, stage) in self.stages.iter().enumerate() {
            let may_add = |field: &FieldName| is_open && matches!(field, FieldName::Dynamic(_));
            if let Err(hidden) = HiddenField::check(stage, visible.as_deref(), may_add) {
                return Some((number, hidden.to_string()));
            }
            match (stage, stage.adds(), &mut visible) {
                (Stage::Fields(fields), ..) => (visible, is_open) = (Some(fields.clone()), false),
                (_, AddedFields::These(added), Some(visible)) => {
                    visible.extend(added.into_iter().map(|(name, _)| name))
                }
                (_, AddedFields::Any, Some(_)) => is_open = true,
                (.., None) => {}
            }
        }
        None
    }

    /// The fields that stages add; `None` if they depend on the text.
    pub fn added(&self) -> Option<Vec<FieldName>> {
        let mut added = Vec::new();
        for stage in &self.stages {
            let AddedFields::These(these) = stage.adds() else { return None };
            added.extend(these.into_iter().map(|(name, _)| name));
        }
        Some(shown_names(added))
    }

    /// The fields that `fields` keeps after all stages; `None` for all.
    pub fn columns(&self) -> Option<Vec<FieldName>> {
        let at = self.stages.iter().rposition(|stage| matches!(stage, Stage::Fields(_)))?;
        let Stage::Fields(fields) = &self.stages[at] else { return None };
        let added = self.stages[at + 1..].iter().filter_map(|stage| match stage.adds() {
            AddedFields::These(added) => Some(added.into_iter().map(|(name, _)| name)),
            AddedFields::Any => None,
        });
        Some(shown_names(fields.iter().cloned().chain(added.flatten()).collect()))
    }
}
