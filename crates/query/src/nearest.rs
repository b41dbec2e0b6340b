//! Suggestions for misspelt words.

/// The name that is most similar to a word, if one is similar enough.
pub(super) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = |name: &str| 1 + name.len() / 4;
    // The distance is at least the difference in length, and computing it takes the product of the lengths.
    let names = names.filter(|name| word.chars().count() <= name.chars().count() + most(name));
    let distances = names.map(|name| (strsim::osa_distance(word, name), name));
    distances
        .filter(|(distance, name)| *distance <= most(name) && *distance < word.len())
        .min()
        .map(|(_, name)| name)
}
