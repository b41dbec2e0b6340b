//! Reads again which messages are counted in a journal, to complete an account that a crash left behind.

use crate::journal::scan::{Scan, ScanItem};
use crate::store::view::View;
use logstead_record::Batch;

/// Messages that were appended together.
pub struct Tally<'a> {
    /// The messages.
    pub batch: &'a Batch,
    /// The number of these messages that are counted in another journal.
    pub copies: usize,
}

/// Passes every frame with messages from the sequence `from` on to `visit`. Returns the number of such messages that
/// were not passed because they are sealed, damaged or removed.
pub(crate) fn tally(view: &View, from: u64, visit: &mut dyn FnMut(&Tally<'_>)) -> u64 {
    let mut left = view.next_sequence.saturating_sub(from);
    for file in &view.files {
        for stretch in file.stretches.iter().filter(|stretch| from < stretch.sequences.end) {
            let mut scan = Scan::frames(&*file.journal.file, stretch.offset, stretch.offset + stretch.bytes);
            // Unreadable messages are among those not passed.
            while let Ok(Some((_, item))) = scan.next() {
                let ScanItem::Frame { header, body } = item else { continue };
                if header.first_sequence < from {
                    continue;
                }
                if let Ok(batch) = header.decode(body) {
                    left = left.saturating_sub(u64::from(header.rows));
                    visit(&Tally { batch: &batch, copies: header.copies as usize });
                }
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Disk, SimDisk};
    use crate::open::{OpenLogspace, open};
    use crate::store::options::Options;
    use logstead_record::{BatchBuilder, Origin, Row, Timestamp};
    use logstead_work::Alone;
    use std::path::Path;
    use std::sync::Arc;

    fn batch(text: &str) -> Arc<Batch> {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"tcp", peer: b"", received: Timestamp::from_nanos(7) });
        text.bytes().for_each(|byte| builder.push(&Row::text(&[byte])));
        Arc::new(builder.seal())
    }

    #[test]
    fn it_shows_what_the_journal_has_from_a_sequence_on_and_says_what_it_does_not() {
        let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(1));
        let options = Options { journal_file_max: 1, ..Options::default() };
        let opened = open(&disk, Path::new("/data/main"), options, &Alone).unwrap();
        let OpenLogspace { mut appender, searcher, keeper, .. } = opened;
        for (text, copies) in [("ab", 0), ("c", 1), ("def", 2)] {
            let mut encoded = crate::encode(batch(text));
            encoded.set_copies(copies);
            appender.append(&[encoded]).unwrap();
        }
        let tally = |from| {
            let mut shown = Vec::new();
            let left = searcher.tally(from, &mut |tallied| {
                shown.push((tallied.batch.message(0).to_vec(), tallied.copies));
            });
            (shown, left)
        };
        let all = [(b"a".to_vec(), 0), (b"c".to_vec(), 1), (b"d".to_vec(), 2)];
        assert_eq!(tally(0), (all.to_vec(), 0));
        assert_eq!(tally(2), (all[1..].to_vec(), 0));
        assert_eq!(tally(6), (Vec::new(), 0));
        let task = keeper.next_task(false).unwrap();
        keeper.run(&task, &|| false).unwrap();
        assert_eq!(tally(0), (all[1..].to_vec(), 2), "what is sealed is not shown");
    }
}
