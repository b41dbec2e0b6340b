//! Words that are nearly others.

/// The one of `names` that may have been meant.
pub(super) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = |name: &str| 1 + name.len() / 4;
    // The distance is at least the difference of the lengths, and takes as long as both multiplied.
    let names = names.filter(|name| word.chars().count() <= name.chars().count() + most(name));
    let distances = names.map(|name| (strsim::osa_distance(word, name), name));
    distances
        .filter(|(distance, name)| *distance <= most(name) && *distance < word.len())
        .min()
        .map(|(_, name)| name)
}
