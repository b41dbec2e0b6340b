//! A disk in memory that fails on purpose: it stops or fails at a chosen call, fills up, and after a power cut keeps
//! an arbitrary part of the unsynced data.
//!
//! **Invariant:** synced content survives every crash. Everything else may survive or not, in pieces of a sector.

use super::{Disk, DiskFile, LogspaceIdentity, Space};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IoSlice};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const SECTOR_BYTES: usize = 512;

/// The failure of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The machine stops: this call is done completely, partly or not at all, and all later ones fail.
    Die,
    /// This call fails; an append that fails may have written a part.
    Fail,
}

/// A disk in memory. Clones are the same disk.
#[derive(Clone, Default)]
pub struct SimDisk {
    state: Arc<Mutex<SimState>>,
}

#[derive(Clone, Default)]
struct SimState {
    files: Vec<Inode>,
    dirs: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, usize>,
    synced_names: BTreeMap<PathBuf, usize>,
    calls: u64,
    faults: BTreeMap<u64, Fault>,
    dead: bool,
    bytes_max: Option<u64>,
    fails_reads: bool,
    read_time: Duration,
    now: Duration,
    random: Random,
    seed: u64,
}

#[derive(Clone, Default)]
struct Inode {
    content: Vec<u8>,
    synced: Vec<u8>,
    /// Ranges whose writing failed in a sync; no later sync writes them.
    lost: Vec<Range<usize>>,
}

impl SimDisk {
    /// An empty disk; `seed` determines its random choices.
    pub fn new(seed: u64) -> SimDisk {
        let state = SimState { random: Random(seed), seed, ..SimState::default() };
        SimDisk { state: Arc::new(Mutex::new(state)) }
    }

    /// Makes a call fail, after `calls` others. Several failures can be set.
    pub fn fault_after(&self, calls: u64, fault: Fault) {
        let mut state = self.state.lock();
        let at = state.calls + calls;
        state.faults.insert(at, fault);
    }

    /// The number of calls so far.
    pub fn calls(&self) -> u64 {
        self.state.lock().calls
    }

    /// Limits the total size of all files from now on.
    pub fn set_bytes_max(&self, bytes_max: Option<u64>) {
        self.state.lock().bytes_max = bytes_max;
    }

    /// Sets whether all reads fail from now on.
    pub fn set_fails_reads(&self, fails_reads: bool) {
        self.state.lock().fails_reads = fails_reads;
    }

    /// How long each read takes from now on, by the disk's own clock.
    pub fn set_read_time(&self, read_time: Duration) {
        self.state.lock().read_time = read_time;
    }

    /// The time on the disk's own clock: what its reads have taken.
    pub fn now(&self) -> Duration {
        self.state.lock().now
    }

    /// The total size of all files in bytes.
    pub fn used_bytes(&self) -> u64 {
        self.state.lock().used_bytes()
    }

    /// Flips one bit of a file, as bit rot does, without any call reporting it.
    ///
    /// # Panics
    /// Panics if there is no such bit.
    pub fn flip(&self, path: &Path, bit: usize) {
        let mut state = self.state.lock();
        let at = *state.names.get(path).expect("the file is there");
        let file = &mut state.files[at];
        file.content[bit / 8] ^= 1 << (bit % 8);
        if let Some(byte) = file.synced.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
    }

    /// The disk after the process was killed: everything written is there, synced or not.
    #[must_use]
    pub fn after_kill(&self) -> SimDisk {
        let state = SimState { faults: BTreeMap::new(), dead: false, ..self.state.lock().clone() };
        SimDisk { state: Arc::new(Mutex::new(state)) }
    }

    /// The disk after a power cut, with a random part of the unsynced content. Depending on the seed, that is all of
    /// it, nothing, a beginning or any sectors.
    #[must_use]
    pub fn after_power_cut(&self, seed: u64) -> SimDisk {
        let mut state = self.after_kill().state.lock().clone();
        state.random = Random(seed);
        state.names = state.surviving_names();
        state.synced_names = state.names.clone();
        for file in &mut state.files {
            let content = file.survivor(&mut state.random);
            *file = Inode { synced: content.clone(), content, lost: Vec::new() };
        }
        SimDisk { state: Arc::new(Mutex::new(state)) }
    }

    /// Counts a call, and returns whether it may be done. A call that may not can still be done partly.
    fn call(&self) -> (MutexGuard<'_, SimState>, io::Result<()>) {
        let mut state = self.state.lock();
        let allowed = state.count_call();
        (state, allowed)
    }
}

impl SimState {
    fn count_call(&mut self) -> io::Result<()> {
        let fault = self.faults.remove(&self.calls);
        self.calls += 1;
        self.dead |= fault == Some(Fault::Die);
        match fault {
            _ if self.dead => Err(io::Error::other("the machine is off")),
            Some(_) => Err(io::Error::other("the disk failed")),
            None => Ok(()),
        }
    }

    /// Whether a call is done. A failed one may be done as well if the machine stopped right after it.
    fn is_done(&mut self, allowed: &io::Result<()>, was_dead: bool) -> bool {
        allowed.is_ok() || (self.dead && !was_dead && self.random.below(2) == 0)
    }

    fn used_bytes(&self) -> u64 {
        self.names.values().map(|&at| self.files[at].content.len() as u64).sum()
    }

    fn file_at(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The names after a power cut: each change that was not synced is either kept or undone.
    fn surviving_names(&mut self) -> BTreeMap<PathBuf, usize> {
        let SimState { names, synced_names, random, .. } = self;
        let paths: BTreeSet<&PathBuf> = names.keys().chain(synced_names.keys()).collect();
        let one_of_both = |path: &PathBuf| {
            let names = if random.below(2) == 0 { &*names } else { &*synced_names };
            names.get(path).map(|&at| (path.clone(), at))
        };
        paths.into_iter().filter_map(one_of_both).collect()
    }
}

impl Inode {
    /// The content of the file after a power cut.
    fn survivor(&self, random: &mut Random) -> Vec<u8> {
        let (synced, content) = (self.synced.len(), self.content.len());
        let bytes = match random.below(4) {
            0 => synced,
            1 => content,
            _ => synced.min(content) + random.below(synced.abs_diff(content) as u64 + 1) as usize,
        };
        let any_sector = random.below(2) == 0;
        let mut survivor = vec![0; bytes];
        for (index, sector) in survivor.chunks_mut(SECTOR_BYTES).enumerate() {
            let from = if any_sector && random.below(2) == 0 { &self.synced } else { &self.content };
            let start = (index * SECTOR_BYTES).min(from.len());
            let end = (start + sector.len()).min(from.len());
            sector[..end - start].copy_from_slice(&from[start..end]);
        }
        survivor
    }

    fn sync(&mut self) {
        let before = std::mem::replace(&mut self.synced, self.content.clone());
        for lost in &self.lost {
            for at in lost.start..lost.end.min(self.synced.len()) {
                self.synced[at] = before.get(at).copied().unwrap_or(0);
            }
        }
    }

    /// Imitates a system that, after a failed write to the disk, forgets that there is data to write.
    fn fail_sync(&mut self) {
        let both = self.synced.len().min(self.content.len());
        let differs = |at: &usize| self.synced[*at] != self.content[*at];
        if let Some(first) = (0..both).find(differs) {
            let last = (first..both).rev().find(differs).unwrap_or(first);
            self.lost.push(first..last + 1);
        }
        if both < self.content.len() {
            self.lost.push(both..self.content.len());
        }
    }
}

impl Disk for SimDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        let (mut state, allowed) = self.call();
        allowed?;
        state.dirs.extend(dir.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let (state, allowed) = self.call();
        allowed?;
        let inside = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect())
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let (mut state, allowed) = self.call();
        allowed?;
        if !path.parent().is_some_and(|dir| state.dirs.contains(dir)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let at = state.files.len();
        state.files.push(Inode::default());
        state.names.insert(path.to_owned(), at);
        Ok(Arc::new(SimFile { disk: self.clone(), at }))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let (state, allowed) = self.call();
        allowed?;
        Ok(Arc::new(SimFile { disk: self.clone(), at: state.file_at(path)? }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let was_dead = self.state.lock().dead;
        let (mut state, allowed) = self.call();
        if state.is_done(&allowed, was_dead) {
            let at = state.file_at(from)?;
            state.names.remove(from);
            state.names.insert(to.to_owned(), at);
        }
        allowed
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let was_dead = self.state.lock().dead;
        let (mut state, allowed) = self.call();
        if state.is_done(&allowed, was_dead) {
            state.file_at(path)?;
            state.names.remove(path);
        }
        allowed
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let was_dead = self.state.lock().dead;
        let (mut state, allowed) = self.call();
        if state.is_done(&allowed, was_dead) {
            let SimState { names, synced_names, .. } = &mut *state;
            synced_names.retain(|path, _| path.parent() != Some(dir));
            let inside = names.iter().filter(|(path, _)| path.parent() == Some(dir));
            synced_names.extend(inside.map(|(path, &at)| (path.clone(), at)));
        }
        allowed
    }

    fn space(&self, _dir: &Path) -> io::Result<Space> {
        let (state, allowed) = self.call();
        allowed?;
        let total_bytes = state.bytes_max.unwrap_or(u64::MAX);
        Ok(Space { free_bytes: total_bytes.saturating_sub(state.used_bytes()), total_bytes })
    }

    /// The identity depends on the seed, not on the number of calls, so that the written files do not depend on it
    /// either.
    fn new_identity(&self) -> io::Result<LogspaceIdentity> {
        Ok(LogspaceIdentity(u128::from(self.state.lock().seed).to_le_bytes().map(|byte| byte ^ 0x5a)))
    }
}

struct SimFile {
    disk: SimDisk,
    at: usize,
}

impl DiskFile for SimFile {
    fn append(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let was_dead = self.disk.state.lock().dead;
        let (mut state, allowed) = self.disk.call();
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        if was_dead {
            return allowed;
        }
        let free = state.bytes_max.map_or(usize::MAX, |max| max.saturating_sub(state.used_bytes()) as usize);
        let mut fitting = bytes.len().min(free);
        if allowed.is_err() {
            fitting = state.random.below(fitting as u64 + 1) as usize;
        }
        state.files[self.at].content.extend_from_slice(&bytes[..fitting]);
        allowed?;
        if fitting < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn write_over(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let was_dead = self.disk.state.lock().dead;
        let (mut state, allowed) = self.disk.call();
        if was_dead {
            return allowed;
        }
        let mut written = bytes.len();
        if allowed.is_err() {
            written = state.random.below(written as u64 + 1) as usize;
        }
        let (start, end) = (offset as usize, offset as usize + written);
        let file = &mut state.files[self.at];
        let place = file.content.get_mut(start..end).ok_or(io::ErrorKind::UnexpectedEof)?;
        place.copy_from_slice(&bytes[..written]);
        // Overwritten bytes are written by the next sync again.
        let lost = std::mem::take(&mut file.lost);
        let around = lost
            .into_iter()
            .flat_map(|lost| [lost.start..lost.end.min(start), lost.start.max(end)..lost.end]);
        file.lost = around.filter(|lost| !lost.is_empty()).collect();
        allowed
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let (mut state, allowed) = self.disk.call();
        allowed?;
        let read_time = state.read_time;
        state.now += read_time;
        if state.fails_reads {
            return Err(io::Error::other("input/output error"));
        }
        let content = state.files[self.at].content.get(offset as usize..);
        let bytes = content.and_then(|content| content.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn bytes(&self) -> io::Result<u64> {
        let (state, allowed) = self.disk.call();
        allowed?;
        Ok(state.files[self.at].content.len() as u64)
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        let (state, allowed) = self.disk.call();
        allowed?;
        Ok(state.names.get(path) == Some(&self.at))
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        let was_dead = self.disk.state.lock().dead;
        let (mut state, allowed) = self.disk.call();
        if state.is_done(&allowed, was_dead) {
            let file = &mut state.files[self.at];
            file.content.truncate(bytes as usize);
            for lost in &mut file.lost {
                lost.end = lost.end.min(bytes as usize);
            }
        }
        allowed
    }

    fn sync(&self) -> io::Result<()> {
        let was_dead = self.disk.state.lock().dead;
        let (mut state, allowed) = self.disk.call();
        let done = state.is_done(&allowed, was_dead);
        let file = &mut state.files[self.at];
        match &allowed {
            _ if done => file.sync(),
            Err(_) if !was_dead => file.fail_sync(),
            _ => {}
        }
        allowed
    }
}

/// The SplitMix64 generator, which gives the same numbers for a seed on every machine.
#[derive(Clone, Default)]
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end.max(1)
    }
}
