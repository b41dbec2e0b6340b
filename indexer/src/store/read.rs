//! Reads the batches of journal files, from memory if they are still there, otherwise from disk.

use crate::journal::frame::{FrameError, FrameHeader};
use crate::journal::scan::{Scan, ScanItem};
use crate::store::damage::{Damage, DamageReason};
use crate::store::view::{FileView, Stretch};
use logstead_record::Batch;
use std::io;
use std::sync::Arc;

/// An item of a stretch: a batch, or damage.
pub(crate) enum StretchItem<'a> {
    /// A batch, the offset of its frame, and the sequence of its first message.
    Batch(u64, u64, &'a Arc<Batch>),
    /// A part that cannot be read.
    Damage(Damage),
}

/// Passes the items of a stretch to `visit`, until that fails.
pub(crate) fn read_stretch<E>(
    file: &FileView,
    stretch: &Stretch,
    visit: &mut dyn FnMut(StretchItem<'_>) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(batch) = &stretch.batch {
        return visit(StretchItem::Batch(stretch.offset, stretch.sequences.start, batch));
    }
    let mut scan = Scan::frames(&*file.journal.file, stretch.offset, stretch.offset + stretch.bytes);
    loop {
        let damage = match scan.next() {
            Ok(None) => return Ok(()),
            Ok(Some((offset, ScanItem::Bad { bytes, why, .. }))) => file.damage(offset, bytes, why.into()),
            Ok(Some((offset, ScanItem::Frame { header, body }))) => match decode(stretch, &header, body) {
                Ok(batch) => {
                    visit(StretchItem::Batch(offset, header.first_sequence, &Arc::new(batch)))?;
                    continue;
                }
                Err(why) => file.damage(offset, header.frame_bytes(), why.into()),
            },
            Err(error) => {
                // A file that is too short stays too short, but an error of the disk may be temporary.
                let why = match error.kind() {
                    io::ErrorKind::UnexpectedEof => DamageReason::Missing,
                    _ => DamageReason::Disk(error.to_string()),
                };
                return visit(StretchItem::Damage(file.damage(stretch.offset, stretch.bytes, why)));
            }
        };
        visit(StretchItem::Damage(damage))?;
    }
}

/// Passes the items of a file to `visit`, until that fails.
pub(crate) fn read_file<E>(
    file: &FileView,
    visit: &mut dyn FnMut(StretchItem<'_>) -> Result<(), E>,
) -> Result<(), E> {
    file.stretches.iter().try_for_each(|stretch| read_stretch(file, stretch, visit))
}

/// The batch in a frame, if the frame belongs to the stretch.
fn decode(stretch: &Stretch, header: &FrameHeader, body: &[u8]) -> Result<Batch, FrameError> {
    if header.first_sequence < stretch.sequences.start || stretch.sequences.end < header.end_sequence() {
        return Err(FrameError::Order {
            first_sequence: header.first_sequence,
            expected: stretch.sequences.start,
        });
    }
    header.decode(body)
}
