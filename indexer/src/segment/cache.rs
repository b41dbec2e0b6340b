//! A cache of recently read parts of segments: indexes, columns, and groups of texts.
//!
//! A part that was asked for again after it had been dropped is kept for longer than one that was asked for once, so a walk
//! over more parts than fit does not empty the cache. Several readers of a part that is missing wait for the first of them
//! instead of reading it as well.
//!
//! **Invariant:** the cached parts take no more than the cache's limit; a larger part is not cached.

use super::column::CommonColumn;
use logstead_work::Deadline;
use parking_lot::{Condvar, Mutex};
use quick_cache::sync::{Cache as SharedCache, GuardResult};
use quick_cache::{DefaultHashBuilder, Lifecycle, OptionsBuilder, Weighter};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The part of the limit for those parts that were asked for more than once.
const OFTEN_USED: f64 = 0.8;
/// A cache is divided among locks by this many bytes, into at most this many. A part must fit into one of them, also when
/// the cache becomes smaller because there are more logspaces.
const SHARD_BYTES: usize = 512 << 20;
const SHARDS_MAX: usize = 8;
/// The memory of an entry besides the part: its key, its place in a table and in a queue, its counters.
const ENTRY_BYTES: usize = 192;
/// The usual size of a part, which the number of those that it remembers depends on.
const PART_BYTES: usize = 32 << 10;
const PARTS_MIN: usize = 256;
const PARTS_MAX: usize = 64 << 10;

/// The part of the memory for each column that is made at the same time.
const MAKING_BYTES: usize = 64 << 20;
/// The longest that anybody waits to make a column, if there is no deadline.
const MAKING_WAIT_MAX: Duration = Duration::from_secs(600);

/// Parts of segments in memory.
pub(crate) struct Cache {
    parts: SharedCache<CacheKey, CachedPart, PartBytes, DefaultHashBuilder, DroppedLater>,
    owners: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    /// The number of columns that are being made.
    making: Mutex<usize>,
    made: Condvar,
}

/// The permission to make a column.
pub(crate) struct MakingPermit<'c>(&'c Cache);

impl Drop for MakingPermit<'_> {
    fn drop(&mut self) {
        *self.0.making.lock() -= 1;
        self.0.made.notify_one();
    }
}

/// The owner of parts. No two segments have the same one, even if one replaces the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CacheOwner(u64);

/// A part of a segment. The same part always has the same type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CachePart {
    /// The index of a segment.
    Index,
    /// A column that every segment has.
    Column(CommonColumn),
    /// The same for one group of rows.
    ColumnOfGroup(CommonColumn, usize),
    /// The column of a dynamic field, for the rows of a group.
    Field(u32, usize),
    /// That some values of such a column were made.
    FieldAsked(u32, usize),
    /// A whole section.
    Section(&'static str),
    /// A section of a group of rows; of a group of texts, the head.
    Group(&'static str, usize),
    /// The template of each row of a group of texts.
    GroupRows(&'static str, usize),
    /// Another part of a group of texts.
    GroupPart(&'static str, usize, u32),
    /// A page of a file.
    Page(u64),
    /// The rows that match the filter with this name.
    Matches([u8; 16]),
}

/// How often a cache was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheUses {
    /// And had the part.
    pub hits: u64,
    /// And had not.
    pub misses: u64,
}

type CacheKey = (CacheOwner, CachePart);

#[derive(Clone)]
struct CachedPart {
    what: Arc<dyn Any + Send + Sync>,
    bytes: usize,
}

/// The memory of a part.
#[derive(Clone)]
struct PartBytes;

impl Weighter<CacheKey, CachedPart> for PartBytes {
    fn weight(&self, _: &CacheKey, part: &CachedPart) -> u64 {
        (part.bytes + ENTRY_BYTES) as u64
    }
}

/// Keeps dropped parts until no lock is held: such a part may itself remove parts from the cache.
#[derive(Clone)]
struct DroppedLater;

impl Lifecycle<CacheKey, CachedPart> for DroppedLater {
    type RequestState = Vec<CachedPart>;

    fn on_evict(&self, dropped: &mut Vec<CachedPart>, _: CacheKey, part: CachedPart) {
        dropped.push(part);
    }
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Cache {
        let mut options = OptionsBuilder::new();
        options
            .shards((bytes_max / SHARD_BYTES).clamp(1, SHARDS_MAX))
            .hot_allocation(OFTEN_USED)
            .estimated_items_capacity((bytes_max / PART_BYTES).clamp(PARTS_MIN, PARTS_MAX))
            .weight_capacity(bytes_max as u64);
        let options = options.build().expect("both capacities are set");
        let parts =
            SharedCache::with_options(options, PartBytes, DefaultHashBuilder::default(), DroppedLater);
        let [owners, hits, misses] = [(); 3].map(|()| AtomicU64::new(0));
        Cache { parts, owners, hits, misses, making: Mutex::default(), made: Condvar::new() }
    }

    /// Sets the limit of memory.
    pub(crate) fn set_bytes_max(&self, bytes_max: usize) {
        if self.parts.capacity() != bytes_max as u64 {
            self.parts.set_capacity(bytes_max as u64);
        }
    }

    /// The memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.parts.weight()).unwrap_or(usize::MAX)
    }

    /// How often it was asked so far.
    pub(crate) fn uses(&self) -> CacheUses {
        CacheUses { hits: self.hits.load(Ordering::Relaxed), misses: self.misses.load(Ordering::Relaxed) }
    }

    /// Waits until a column may be made: what it is made of takes much memory for a moment, so there are only as many at
    /// once as the memory allows. `None` if it is not possible in time.
    pub(crate) fn permit_making(&self) -> Option<MakingPermit<'_>> {
        let most = (self.parts.capacity() as usize / MAKING_BYTES).max(1);
        let mut making = self.making.lock();
        while most <= *making {
            let left = Deadline::current().left().min(MAKING_WAIT_MAX);
            if self.made.wait_for(&mut making, left).timed_out() && most <= *making {
                return None;
            }
        }
        *making += 1;
        Some(MakingPermit(self))
    }

    /// A new unique owner.
    pub(crate) fn owner(&self) -> CacheOwner {
        CacheOwner(self.owners.fetch_add(1, Ordering::Relaxed))
    }

    /// A part of a segment, from the cache or from `read`, which returns it with the memory that it takes.
    pub(crate) fn get<T: Any + Send + Sync, E>(
        &self,
        owner: CacheOwner,
        part: CachePart,
        read: impl FnOnce() -> Result<(T, usize), E>,
    ) -> Result<Arc<T>, E> {
        let key = (owner, part);
        // Another reader may have a later deadline than this one, and wait for a disk until then.
        let known = match self.parts.get(&key) {
            Some(kept) => GuardResult::Value(kept),
            None => self.parts.get_value_or_guard(&key, Some(Deadline::current().left())),
        };
        if let GuardResult::Value(kept) = &known
            && let Ok(kept) = Arc::clone(&kept.what).downcast()
        {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(kept);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let (what, bytes) = read()?;
        let what = Arc::new(what);
        if let GuardResult::Guard(place) = known {
            // A part that is too large, or whose place was removed, is not kept.
            place.insert(CachedPart { what: what.clone(), bytes }).ok();
        }
        Ok(what)
    }

    /// A part of a segment, if it is cached.
    pub(crate) fn find<T: Any + Send + Sync>(&self, owner: CacheOwner, part: CachePart) -> Option<Arc<T>> {
        let found = self.parts.get(&(owner, part)).and_then(|kept| kept.what.downcast().ok());
        let count = if found.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Caches a part, which takes this much memory, if it fits.
    pub(crate) fn keep<T: Any + Send + Sync>(
        &self,
        owner: CacheOwner,
        part: CachePart,
        what: &Arc<T>,
        bytes: usize,
    ) {
        self.parts.insert((owner, part), CachedPart { what: what.clone(), bytes });
    }

    /// Drops all parts of a segment.
    pub(crate) fn forget(&self, owner: CacheOwner) {
        let of_owner: Vec<CacheKey> =
            self.parts.iter().map(|(key, _)| key).filter(|(of, _)| *of == owner).collect();
        for key in of_owner {
            drop(self.parts.remove(&key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES_MAX: usize = 64 << 20;
    const LARGE: CachePart = CachePart::Section("large");

    fn of_bytes(bytes: usize) -> Result<(u8, usize), ()> {
        Ok((0, bytes))
    }

    fn is_kept(cache: &Cache, owner: CacheOwner) -> bool {
        cache.get::<u8, _>(owner, LARGE, || Err(())).is_ok()
    }

    #[test]
    fn what_is_used_all_the_time_stays() {
        let cache = Cache::new(BYTES_MAX);
        let fits = BYTES_MAX / (3 << 20);
        let owners: Vec<CacheOwner> = (0..=fits).map(|_| cache.owner()).collect();
        for &owner in &owners {
            cache.get(owner, LARGE, || of_bytes(3 << 20)).unwrap();
            assert!(is_kept(&cache, owners[0]), "it is used all the time");
        }
        assert!(cache.bytes() <= BYTES_MAX);
        let others = owners[1..].iter().filter(|&&owner| is_kept(&cache, owner)).count();
        assert_eq!(others, fits - 1, "one was dropped");
        cache.forget(owners[0]);
        assert!(!is_kept(&cache, owners[0]), "it was forgotten");
    }

    #[test]
    fn a_smaller_limit_holds_at_once() {
        let cache = Cache::new(BYTES_MAX);
        for _ in 0..4 {
            cache.get(cache.owner(), LARGE, || of_bytes(3 << 20)).unwrap();
        }
        cache.set_bytes_max(8 << 20);
        assert!((3 << 20..=8 << 20).contains(&cache.bytes()), "{} bytes", cache.bytes());
        cache.get(cache.owner(), LARGE, || of_bytes(9 << 20)).unwrap();
        assert!(cache.bytes() <= 8 << 20, "what is larger than all is not kept");
    }

    #[test]
    fn columns_are_made_one_after_the_other_where_memory_is_small() {
        let cache = Cache::new(BYTES_MAX);
        let first = cache.permit_making();
        let late = Deadline::after(Duration::ZERO, || Duration::ZERO);
        assert!(late.during(|| cache.permit_making()).is_none());
        drop(first);
        assert!(cache.permit_making().is_some());
    }

    #[test]
    fn a_walk_over_more_than_fits_finds_a_part_of_it_the_next_time() {
        let cache = Cache::new(BYTES_MAX);
        let (owner, parts) = (cache.owner(), 4 * BYTES_MAX / (1 << 20));
        let walk = || {
            let before = cache.uses().hits;
            for group in 0..parts {
                cache.get(owner, CachePart::Group("rows", group), || of_bytes(1 << 20)).unwrap();
            }
            (cache.uses().hits - before) as usize
        };
        let of_walks: Vec<usize> = (0..5).map(|_| walk()).collect();
        let found = of_walks[4];
        assert!(parts / 8 < found, "{found} of {parts}, and a quarter fits");
        assert!(cache.bytes() <= BYTES_MAX);
    }

    #[test]
    fn a_part_is_read_once_however_many_want_it() {
        let cache = Cache::new(BYTES_MAX);
        let (owner, reads) = (cache.owner(), AtomicU64::new(0));
        let read = || {
            reads.fetch_add(1, Ordering::Relaxed);
            of_bytes(1)
        };
        std::thread::scope(|scope| {
            let get = || {
                cache.get(owner, LARGE, || {
                    // The others are asking for it in the meantime, or find it later.
                    scope.spawn(|| cache.get(owner, LARGE, read).unwrap());
                    scope.spawn(|| cache.get(owner, LARGE, read).unwrap());
                    read()
                })
            };
            get().unwrap();
        });
        assert_eq!(reads.into_inner(), 1);
        let failed = cache.get::<u8, _>(owner, CachePart::Index, || Err("unreadable"));
        assert_eq!(failed.err(), Some("unreadable"));
        assert!(
            cache.get::<u8, _>(owner, CachePart::Index, of_one).is_ok(),
            "it is read again after an error"
        );
    }

    fn of_one() -> Result<(u8, usize), &'static str> {
        Ok((0, 1))
    }

    #[test]
    fn nobody_waits_for_another_reader_for_longer_than_for_a_disk() {
        let cache = Cache::new(BYTES_MAX);
        let owner = cache.owner();
        let late = Deadline::after(Duration::ZERO, || Duration::ZERO);
        let outer = cache.get(owner, LARGE, || {
            let inner = std::thread::scope(|scope| {
                let reader = scope.spawn(|| late.during(|| is_kept(&cache, owner)));
                reader.join().unwrap()
            });
            assert!(!inner, "it reads the part itself, which is too late as well");
            of_bytes(1)
        });
        assert!(outer.is_ok() && is_kept(&cache, owner));
    }

    /// A part that removes other parts from the cache once it is dropped, as an index does.
    struct Owning(Arc<Cache>, CacheOwner);

    impl Drop for Owning {
        fn drop(&mut self) {
            self.0.forget(self.1);
        }
    }

    #[test]
    fn a_dropped_part_may_use_the_cache() {
        let cache = Arc::new(Cache::new(BYTES_MAX));
        let owners: Vec<CacheOwner> = (0..100).map(|_| cache.owner()).collect();
        let owning = |owner| Ok::<_, ()>((Owning(cache.clone(), owner), 3 << 20));
        for &owner in &owners {
            cache.get(owner, LARGE, || owning(owner)).unwrap();
        }
        cache.set_bytes_max(1);
        assert_eq!(cache.bytes(), 0);
        cache.set_bytes_max(BYTES_MAX);
        cache.get(owners[0], CachePart::Index, || owning(owners[0])).unwrap();
        cache.forget(owners[0]);
        assert_eq!(cache.bytes(), 0);
    }
}
