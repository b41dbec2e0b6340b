//! Words that are nearly others.

/// The one of `names` that may have been meant.
pub(super) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let distances = names.map(|name| (strsim::osa_distance(word, name), name));
    distances
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4 && *distance < word.len())
        .min()
        .map(|(_, name)| name)
}
