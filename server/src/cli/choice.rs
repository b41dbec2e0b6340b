//! Options whose value is one of a few names.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Accepts one of these names, and yields the value next to it.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let chosen = |name: String| choices.iter().find(|choice| choice.0 == name).map(|choice| choice.1.clone());
    PossibleValuesParser::new(choices.iter().map(|choice| choice.0))
        .try_map(move |name| chosen(name).ok_or("is not one of the names"))
}
