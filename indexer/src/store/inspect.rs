//! Describes the contents of a file of a store for people: a journal, the blocks or the index of a segment, or a
//! manifest.
//!
//! **Invariant:** nothing is written, and what cannot be read in full is described as far as possible.

use crate::disk::{Disk, DiskFile};
use crate::journal::scan::{Scan, ScanItem};
use crate::journal::{self, HeaderError, JournalFile};
use crate::segment::blocks::{Blocks, BlocksError};
use crate::segment::bundle::{Bundle, BundleKind, IndexError};
use crate::segment::cache::Cache;
use crate::segment::place::LocalFile;
use crate::store::manifest::{Manifest, ManifestError};
use crate::store::orphans;
use logstead_record::Timestamp;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The greatest size of a manifest that is read; real ones are far smaller.
const MANIFEST_BYTES_MAX: u64 = 64 << 20;

/// The reason why a file cannot be described.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The disk failed.
    #[error("cannot read {path}: {source}", path = path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
    /// The file is of an unknown kind.
    #[error("{path} is not a journal, blocks, index or manifest file: it does not begin like any of them", path = path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// The file is of a known kind but cannot be read.
    #[error("{path} cannot be read: {why}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

/// The contents of a file, with one line for each item.
pub fn inspect(disk: &dyn Disk, path: &Path) -> Result<Vec<String>, InspectError> {
    let failed = |source| InspectError::Disk { path: path.to_owned(), source };
    let file = disk.open_to_read(path).map_err(failed)?;
    let bytes = file.bytes().map_err(failed)?;
    let mut magic = [0; 4];
    if magic.len() as u64 <= bytes {
        file.read_at(0, &mut magic).map_err(failed)?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if orphans::is_cut(&name) {
        return tell_cut(&*file, bytes).map_err(failed);
    }
    let told = match &magic {
        b"LSJ1" => tell_journal(file, path).map_err(failed)?.map_err(|error| error.to_string()),
        b"LSB1" | b"LSB2" => tell_blocks(file).map_err(|error| error.to_string()),
        b"LSI1" => tell_index(file).map_err(|error| error.to_string()),
        b"LSM1" if bytes <= MANIFEST_BYTES_MAX => {
            let mut content = vec![0; bytes as usize];
            file.read_at(0, &mut content).map_err(failed)?;
            tell_manifest(&content).map_err(|error| error.to_string())
        }
        _ => return Err(InspectError::Unknown { path: path.to_owned() }),
    };
    told.map_err(|why| InspectError::Unreadable { path: path.to_owned(), why })
}

fn tell_journal(file: Arc<dyn DiskFile>, path: &Path) -> io::Result<Result<Vec<String>, HeaderError>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let journal = JournalFile { name: orphans::original(&name).to_owned(), file };
    let header = match journal.header()? {
        Ok(header) => header,
        Err(error) => return Ok(Err(error)),
    };
    let bytes = journal.file.bytes()?;
    let mut lines = vec![
        format!("journal file, {bytes} bytes"),
        format!("first sequence  {}", header.first_sequence),
        format!("previous hash   {}", hex(&header.previous_hash)),
        format!("belongs to      {}", hex(&header.identity.0)),
        String::new(),
        format!(
            "{:>10} {:>9} {:>7} {:>7} {:>12}  earliest and latest time",
            "offset", "bytes", "rows", "copies", "sequence"
        ),
    ];
    let found = tell_frames(&*journal.file, journal::HEADER_BYTES, bytes, &mut lines)?;
    lines.insert(1, found);
    Ok(Ok(lines))
}

/// Describes the part that was cut off a journal file, which may begin with a frame or in the middle of one.
fn tell_cut(file: &dyn DiskFile, bytes: u64) -> io::Result<Vec<String>> {
    let mut lines = vec![format!("the cut-off end of a journal file, {bytes} bytes"), String::new()];
    let found = tell_frames(file, 0, bytes, &mut lines)?;
    lines.insert(1, found);
    Ok(lines)
}

fn tell_frames(file: &dyn DiskFile, start: u64, end: u64, lines: &mut Vec<String>) -> io::Result<String> {
    let (mut frames, mut messages, mut bad) = (0, 0, 0);
    let mut scan = Scan::frames(file, start, end);
    while let Some((offset, item)) = scan.next()? {
        match item {
            ScanItem::Frame { header, .. } => {
                (frames, messages) = (frames + 1, messages + u64::from(header.rows));
                lines.push(format!(
                    "{offset:>10} {:>9} {:>7} {:>7} {:>12}  {}",
                    header.frame_bytes(),
                    header.rows,
                    header.copies,
                    header.first_sequence,
                    times(header.earliest, header.latest)
                ));
            }
            ScanItem::Bad { bytes, why, .. } => {
                bad += 1;
                lines.push(format!("{offset:>10} {bytes:>9}  no frame: {why}"));
            }
        }
    }
    Ok(format!("{frames} frames with {messages} messages, {bad} stretches that are not frames"))
}

fn tell_blocks(file: Arc<dyn DiskFile>) -> Result<Vec<String>, BlocksError> {
    let blocks = Blocks::open(Arc::new(LocalFile(file)), &Arc::new(Cache::new(0)))?;
    let root = blocks.verify_root().map_or_else(|error| error.to_string(), |()| "as it should be".to_owned());
    let span = blocks.span;
    let mut lines = vec![
        format!("blocks of a segment, {} bytes", blocks.bytes),
        format!("{} blocks with {} messages", blocks.len(), blocks.rows()),
        format!("first sequence  {}", blocks.first_sequence),
        format!("times           {}", times(span.earliest, span.latest)),
        format!("received        {}", times(span.received_first, span.received_last)),
        format!("previous hash   {}", hex(&blocks.previous_hash)),
        format!("hash            {}", hex(&blocks.hash)),
        format!("root            {}, {root}", hex(&blocks.root)),
        String::new(),
        format!("{:>6} {:>7} {:>9}  earliest and latest time", "block", "rows", "first row"),
    ];
    lines.extend((0..blocks.len()).map(|block| {
        let (rows, span) = (blocks.row_range(block), blocks.span_of(block));
        format!("{block:>6} {:>7} {:>9}  {}", rows.len(), rows.start, times(span.earliest, span.latest))
    }));
    Ok(lines)
}

fn tell_index(file: Arc<dyn DiskFile>) -> Result<Vec<String>, IndexError> {
    let bundle = Bundle::open(BundleKind::Index, Arc::new(LocalFile(file)))?;
    let identity = bundle.identity();
    let pages = bundle.verify().map_or_else(|error| error.to_string(), |()| "as they should be".to_owned());
    let mut lines = vec![
        format!("index of a segment, {} bytes", bundle.bytes()),
        format!("rows            {}", identity.rows),
        format!("first sequence  {}", identity.first_sequence),
        format!("of blocks       {}", hex(&identity.blocks_hash)),
        format!("checksums       {pages}"),
        String::new(),
        format!("{:>10}  section", "bytes"),
    ];
    lines.extend(bundle.sections().into_iter().map(|(name, bytes)| format!("{bytes:>10}  {name}")));
    Ok(lines)
}

fn tell_manifest(content: &[u8]) -> Result<Vec<String>, ManifestError> {
    let manifest = Manifest::from_bytes(content)?;
    let messages: u64 = manifest.segments.iter().map(|segment| u64::from(segment.id.rows)).sum();
    let mut lines = vec![
        format!("manifest, {} bytes", content.len()),
        format!("{} segments with {messages} messages", manifest.segments.len()),
        String::new(),
    ];
    lines.extend(manifest.segments.iter().map(|segment| segment.id.blocks_name()));
    Ok(lines)
}

fn times(earliest: Timestamp, latest: Timestamp) -> String {
    format!("{earliest} {latest}")
}

fn hex(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, SimDisk, encode, open};
    use logstead_record::{BatchBuilder, Origin, Row};
    use logstead_work::{Alone, SearchContext};
    use std::io::IoSlice;

    fn store() -> SimDisk {
        let sim = SimDisk::new(0);
        let disk: Arc<dyn Disk> = Arc::new(sim.clone());
        let mut opened = open(&disk, Path::new("/"), Options::default(), &Alone).unwrap();
        for _ in 0..2 {
            let mut builder = BatchBuilder::new();
            builder.origin(Origin { source: b"s", peer: b"", received: Timestamp::from_nanos(1) });
            builder.push(&Row::text(b"one message"));
            opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
            opened.appender.close_old(Timestamp::MAX).unwrap();
        }
        let task = opened.keeper.next_task(false).unwrap();
        opened.keeper.run(&task, &|| false).unwrap();
        opened.searcher.verify(&SearchContext::alone(), &mut |checked| assert!(checked.findings.is_empty()));
        sim
    }

    fn files(disk: &SimDisk) -> Vec<PathBuf> {
        let list = |dir: &str| {
            let names = disk.list(Path::new(dir)).unwrap();
            names.into_iter().map(|name| Path::new(dir).join(name)).collect::<Vec<_>>()
        };
        [list("/journal"), list("/segments"), vec![PathBuf::from("/manifest")]].concat()
    }

    #[test]
    fn every_file_of_a_store_is_told() {
        let disk = store();
        let mut told: Vec<String> =
            files(&disk).iter().map(|path| inspect(&disk, path).unwrap().remove(0)).collect();
        told.sort();
        let kinds: Vec<&str> = told.iter().filter_map(|line| line.split(',').next()).collect();
        let journals = kinds.iter().filter(|kind| **kind == "journal file").count();
        assert_eq!(journals + 3, kinds.len(), "{kinds:?}");
        for kind in ["blocks of a segment", "index of a segment", "manifest"] {
            assert!(kinds.contains(&kind), "{kinds:?}");
        }
    }

    #[test]
    fn whatever_is_in_a_file_it_is_told_or_refused() {
        let disk = store();
        for path in files(&disk) {
            let file = disk.open(&path).unwrap();
            let mut bytes = vec![0; file.bytes().unwrap() as usize];
            file.read_at(0, &mut bytes).unwrap();
            for cut in [0, 3, 4, 20, bytes.len() / 2, bytes.len() - 1] {
                let mut hostile = bytes[..cut].to_vec();
                hostile.extend([0xff; 40]);
                let copy = Path::new("/copy");
                disk.create(copy).unwrap().append(&mut [IoSlice::new(&hostile)]).unwrap();
                inspect(&disk, copy).ok();
            }
        }
        assert!(matches!(inspect(&disk, Path::new("/nowhere")), Err(InspectError::Disk { .. })));
    }
}
