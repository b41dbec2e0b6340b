//! For each chunk of rows, the number of earlier rows of each place.
//!
//! With it, a rank is turned into a row, or a row into its rank, by looking at one chunk instead of all rows before
//! it. The counts of the whole group are needed anyway when it is opened: copies of them are kept for each chunk.
//!
//! **Invariant:** it takes at most a byte for each row, however many places there are: chunks are as long as that
//! needs, and one chunk takes nothing.

/// The minimum number of rows of a chunk: smaller chunks save no time.
const CHUNK_MIN: usize = 512;
/// The minimum number of rows of a chunk for each place, as a count takes four bytes.
const CHUNK_PER_PLACE: usize = 4;
/// The number of rows that are counted at once, before rows are read one by one.
const BLOCK: usize = 128;
/// Up to this many rows of a chunk are each ranked by counting from its start; for more rows, the chunk is counted
/// once for all places.
const COUNTED_MAX: usize = 16;

/// The directory of the rows of a group.
pub(super) struct Directory {
    chunk: usize,
    /// The number of rows of each place before each chunk except the first.
    before: Vec<u32>,
    /// The number of rows of each place.
    pub(super) counts: Vec<u32>,
}

impl Directory {
    /// Counts the rows of `count` places.
    pub(super) fn new(places: &[u16], count: usize) -> Directory {
        let chunk = (count * CHUNK_PER_PLACE).next_power_of_two().max(CHUNK_MIN);
        let mut before = Vec::with_capacity(places.len().div_ceil(chunk).saturating_sub(1) * count);
        let mut counts = vec![0; count];
        for (number, rows) in places.chunks(chunk).enumerate() {
            if 0 < number {
                before.extend_from_slice(&counts);
            }
            rows.iter().for_each(|&place| counts[usize::from(place)] += 1);
        }
        Directory { chunk, before, counts }
    }

    /// The memory that it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(self.before.as_slice()) + size_of_val(self.counts.as_slice())
    }

    /// The approximate number of rows that have to be read to find some ranks of one place.
    pub(super) fn rows_looked_at(&self, ranks: usize) -> usize {
        ranks.min(self.chunks()) * self.chunk / 2 + ranks * BLOCK
    }

    /// Calls `each` with the rows of some ranks of a place, in ascending order; ranks that do not exist are skipped.
    pub(super) fn for_each_row(
        &self,
        places: &[u16],
        place: u16,
        mut ranks: &[u32],
        mut each: impl FnMut(usize),
    ) {
        while let Some(&first) = ranks.first() {
            let chunk = self.chunk_with(place, first);
            let (here, rest) = ranks.split_at(ranks.partition_point(|&rank| rank < self.end(chunk, place)));
            if here.is_empty() {
                return;
            }
            let mut wanted = here.iter().copied().peekable();
            let mut rank = self.start(chunk, place);
            for (number, block) in self.rows_of(places, chunk).chunks(BLOCK).enumerate() {
                let end = rank + count(block, place);
                if wanted.peek().is_some_and(|&wanted| wanted < end) {
                    let start = chunk * self.chunk + number * BLOCK;
                    for (at, _) in block.iter().enumerate().filter(|(_, found)| **found == place) {
                        if wanted.next_if_eq(&rank).is_some() {
                            each(start + at);
                        }
                        rank += 1;
                    }
                }
                if wanted.peek().is_none() {
                    break;
                }
                rank = end;
            }
            ranks = rest;
        }
    }

    /// The place and the rank of some rows: this is fastest if consecutive rows of the list are near each other.
    pub(super) fn ranks_of(&self, places: &[u16], rows: &[u32]) -> Vec<(u16, u32)> {
        let mut found = Vec::with_capacity(rows.len());
        for rows in rows.chunk_by(|&one, &next| one as usize / self.chunk == next as usize / self.chunk) {
            let chunk = rows[0] as usize / self.chunk;
            let first = chunk * self.chunk;
            let own = self.rows_of(places, chunk);
            if rows.len() <= COUNTED_MAX {
                found.extend(rows.iter().map(|&row| {
                    let (before, from) = own.split_at(row as usize - first);
                    (from[0], self.start(chunk, from[0]) + count(before, from[0]))
                }));
            } else {
                let ranks = self.ranks_from(places, first);
                let last = rows.iter().copied().max().map_or(0, |row| row as usize - first);
                let ranks: Vec<(u16, u32)> = ranks.take(last + 1).collect();
                found.extend(rows.iter().map(|&row| ranks[row as usize - first]));
            }
        }
        found
    }

    /// The place and the rank of each row, starting at one.
    pub(super) fn ranks_from<'p>(
        &self,
        places: &'p [u16],
        row: usize,
    ) -> impl Iterator<Item = (u16, u32)> + use<'p> {
        let chunk = row.min(places.len().saturating_sub(1)) / self.chunk;
        let mut next = match self.starts(chunk) {
            Some(starts) => starts.to_vec(),
            None => vec![0; self.counts.len()],
        };
        let start = (chunk * self.chunk).min(row);
        places[start..row].iter().for_each(|&place| next[usize::from(place)] += 1);
        places[row..].iter().map(move |&place| {
            let next = &mut next[usize::from(place)];
            *next += 1;
            (place, *next - 1)
        })
    }

    fn chunks(&self) -> usize {
        self.before.len() / self.counts.len() + 1
    }

    /// The rows of a chunk.
    fn rows_of<'p>(&self, places: &'p [u16], chunk: usize) -> &'p [u16] {
        let first = chunk * self.chunk;
        &places[first..places.len().min(first + self.chunk)]
    }

    /// The number of rows of each place before a chunk, unless it is the first or beyond the last.
    fn starts(&self, chunk: usize) -> Option<&[u32]> {
        let from = chunk.checked_sub(1)? * self.counts.len();
        self.before.get(from..from + self.counts.len())
    }

    /// The rank of the first row of a place in a chunk.
    fn start(&self, chunk: usize, place: u16) -> u32 {
        self.starts(chunk).map_or(0, |starts| starts[usize::from(place)])
    }

    /// The end of the ranks of a place in a chunk.
    fn end(&self, chunk: usize, place: u16) -> u32 {
        self.starts(chunk + 1).unwrap_or(&self.counts)[usize::from(place)]
    }

    /// The chunk that contains a rank of a place.
    fn chunk_with(&self, place: u16, rank: u32) -> usize {
        let (mut from, mut to) = (0, self.chunks() - 1);
        while from < to {
            let middle = from.midpoint(to);
            if self.end(middle, place) <= rank { from = middle + 1 } else { to = middle }
        }
        from
    }
}

/// The number of rows of a place.
fn count(rows: &[u16], place: u16) -> u32 {
    // With 16-bit sums, a vector holds as many sums as places; a block is too short for them to overflow.
    let of_block = |block: &[u16]| block.iter().map(|&found| u16::from(found == place)).sum::<u16>();
    rows.chunks(BLOCK).map(|block| u32::from(of_block(block))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn ranks_are_those_of_counting_all_rows(
            kinds in 1_usize..300, common in any::<u16>(),
            drawn in proptest::collection::vec((any::<bool>(), any::<u16>()), 0..6000),
            asked in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
        ) {
            let place = |&(is_common, place): &(bool, u16)| if is_common { common } else { place } % kinds as u16;
            let places: Vec<u16> = drawn.iter().map(place).collect();
            let directory = Directory::new(&places, kinds);
            prop_assert!(directory.memory_bytes() <= places.len() + 4 * kinds);
            let mut by_place: Vec<Vec<usize>> = vec![Vec::new(); kinds];
            let mut all = Vec::new();
            for (row, &place) in places.iter().enumerate() {
                all.push((place, by_place[usize::from(place)].len() as u32));
                by_place[usize::from(place)].push(row);
            }
            prop_assert!(by_place.iter().map(Vec::len).eq(directory.counts.iter().map(|&count| count as usize)));
            for row in asked.iter().map(|at| at.index(places.len() + 1)).chain([0, places.len()]) {
                prop_assert!(directory.ranks_from(&places, row).eq(all[row..].iter().copied()));
            }
            let rows = asked.iter().filter(|_| !places.is_empty()).map(|at| at.index(places.len()) as u32);
            let mut rows: Vec<u32> = rows.collect();
            for _ in 0..2 {
                let expected: Vec<(u16, u32)> = rows.iter().map(|&row| all[row as usize]).collect();
                prop_assert_eq!(directory.ranks_of(&places, &rows), expected);
                rows.sort_unstable();
            }
            let every_third: Vec<u32> = (0..places.len() as u32).step_by(3).collect();
            let expected: Vec<(u16, u32)> = all.iter().copied().step_by(3).collect();
            prop_assert_eq!(directory.ranks_of(&places, &every_third), expected);
            for (place, rows) in (0..).zip(&by_place) {
                let mut ranks: Vec<u32> = asked.iter().map(|at| at.index(rows.len() + 2) as u32).collect();
                ranks.sort_unstable();
                ranks.dedup();
                let mut found = Vec::new();
                directory.for_each_row(&places, place, &ranks, |row| found.push(row));
                let expected: Vec<usize> = ranks.iter().filter_map(|&rank| rows.get(rank as usize).copied()).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
