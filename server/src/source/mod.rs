//! Sources: each syslog source has a thread with a runtime of its own that reads its sockets, splits what it
//! reads into frames, and hands chunks of frames to the workers. Parsing happens there, so that a thread of
//! a source does nothing but read.
//!
//! Sockets are bound before a router document goes live and live on while their source's settings change.

pub(crate) mod coalesce;
pub mod framing;
#[cfg_attr(not(test), expect(dead_code, reason = "the listeners do not use it yet"))]
mod proxy;
mod tcp;
#[cfg_attr(not(test), expect(dead_code, reason = "the listeners do not use it yet"))]
mod tls;
mod udp;

use crate::clock;
use crate::format::Syslog;
use crate::pipeline::counters::SourceCounters;
use crate::pipeline::receipt::{Budget, Pending};
use crate::pipeline::worker::{Chunk, Partition, Work, WorkSender};
use arc_swap::ArcSwap;
use coalesce::Coalesce;
use framing::Frame;
use jiff::tz::TimeZone;
use logstead_config::{Count, Listener, Syslog as Config};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// How long a stopped source may take to hand on what it has read.
const STOP_WAIT_MAX: Duration = Duration::from_secs(3);

/// The settings that can change while sockets are open.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) syslog: Arc<Syslog>,
    pub(crate) coalesce: Coalesce,
}

impl Settings {
    /// `Err` says why the configuration can not run here.
    pub(crate) fn new(config: &Config) -> Result<Settings, String> {
        let zone = TimeZone::get(&config.timezone)
            .map_err(|_| format!("there is no time zone `{}` in this system's database", config.timezone))?;
        Ok(Settings {
            syslog: Arc::new(Syslog { format: config.format, zone }),
            coalesce: Coalesce {
                wait_max: config.coalesce.delay.duration(),
                bytes_max: config.coalesce.buffer.as_usize(),
            },
            config: config.clone(),
        })
    }

    /// Whether a sender may send.
    fn allows(&self, peer: SocketAddr) -> bool {
        let allow = &self.config.allow;
        allow.is_empty() || allow.iter().any(|net| net.contains(&peer.ip().to_canonical()))
    }
}

/// A socket that is bound.
pub(crate) enum Bound {
    Tcp(std::net::TcpListener),
    Udp(std::net::UdpSocket),
}

impl Bound {
    pub(crate) fn bind(listener: Listener) -> io::Result<Bound> {
        match listener {
            Listener::Tcp(address) => tcp::bind(address).map(Bound::Tcp),
            Listener::Udp(address) => udp::bind(address).map(Bound::Udp),
        }
    }

    /// Another handle of the same socket.
    fn try_clone(&self) -> io::Result<Bound> {
        match self {
            Bound::Tcp(socket) => socket.try_clone().map(Bound::Tcp),
            Bound::Udp(socket) => socket.try_clone().map(Bound::Udp),
        }
    }

    /// What a sender connects to, with the port that the system chose.
    pub(crate) fn url(&self) -> io::Result<String> {
        match self {
            Bound::Tcp(socket) => Ok(format!("tcp://{}", socket.local_addr()?)),
            Bound::Udp(socket) => Ok(format!("udp://{}", socket.local_addr()?)),
        }
    }
}

/// What the reading tasks of one source share.
pub(crate) struct Shared {
    pub(crate) id: Arc<str>,
    pub(crate) settings: ArcSwap<Settings>,
    pub(crate) counters: Arc<SourceCounters>,
    pub(crate) budget: Budget,
    pub(crate) work: WorkSender,
    /// Connections so far.
    pub(crate) connections: AtomicUsize,
}

/// Frames that were read together.
pub(crate) struct Frames {
    pub(crate) bytes: Vec<u8>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) peers: Vec<(u32, Arc<str>)>,
    /// The number of the connection and of this read in it: decides who may parse it.
    pub(crate) turn: (usize, usize),
}

impl Frames {
    /// What the frames cost on their way: their bytes, and the columns' share for each.
    fn cost_bytes(&self) -> usize {
        const COLUMNS_BYTES: usize = 64;
        self.bytes.len() + self.frames.len() * COLUMNS_BYTES
    }
}

impl Shared {
    /// Numbers connections.
    fn next_connection(&self) -> usize {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Hands frames on, waiting while too many bytes of this source are under way.
    pub(crate) async fn hand_on(&self, frames: Frames) {
        let reserved = self.budget.reserve(frames.cost_bytes()).await;
        self.send(frames, Pending::silent(reserved));
    }

    /// As [`Shared::hand_on`], but drops and counts instead of waiting.
    pub(crate) fn hand_on_or_drop(&self, frames: Frames) {
        match self.budget.try_reserve(frames.cost_bytes()) {
            Some(reserved) => self.send(frames, Pending::silent(reserved)),
            None => self.counters.dropped.add("queue_full", frames.frames.len()),
        }
    }

    fn send(&self, frames: Frames, pending: Pending) {
        self.counters.reads.add(1);
        let settings = self.settings.load();
        let partition = partition(settings.config.partitions, frames.turn, self.work.workers());
        let messages = frames.frames.len();
        let chunk = Chunk {
            source: self.id.clone(),
            syslog: settings.syslog.clone(),
            counters: self.counters.clone(),
            bytes: frames.bytes,
            frames: frames.frames,
            peers: frames.peers,
            received: clock::now(),
            pending,
        };
        if !self.work.send(partition, Work::Chunk(chunk)) {
            self.counters.dropped.add("stopped", messages);
        }
    }
}

/// Who may parse a read: anyone, or one of the few workers that a connection's messages are spread over. With
/// one partition, a connection's messages keep their order.
fn partition(partitions: Count, (connection, read): (usize, usize), workers: usize) -> Partition {
    match partitions {
        Count::Exactly(partitions) if (partitions as usize) < workers => {
            Partition::Worker(connection + read % partitions as usize)
        }
        _ => Partition::Any,
    }
}

/// The address that messages are filed under: without the port, which says nothing about the sender.
pub(crate) fn peer_name(peer: SocketAddr) -> Arc<str> {
    peer.ip().to_canonical().to_string().into()
}

/// A running source.
pub(crate) struct Source {
    shared: Arc<Shared>,
    listeners: Mutex<HashMap<Listener, Running>>,
    /// Taken when the source stops: without it, the thread ends with its tasks.
    commands: Mutex<Option<mpsc::UnboundedSender<Listen>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Read this socket until told to stop.
type Listen = (Bound, watch::Receiver<bool>);

/// A socket that is read.
struct Running {
    url: String,
    /// To hand the socket over to another source without closing it.
    socket: Bound,
    stop: watch::Sender<bool>,
}

impl Source {
    /// Starts the thread; sockets come with [`Source::listen`].
    pub(crate) fn start(shared: Shared) -> io::Result<Source> {
        let shared = Arc::new(shared);
        let (commands, received) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let for_thread = shared.clone();
        let thread = std::thread::Builder::new().name(format!("source {}", shared.id)).spawn(move || {
            runtime.block_on(read_all(for_thread, received));
            runtime.shutdown_timeout(STOP_WAIT_MAX);
        })?;
        let (commands, thread) = (Mutex::new(Some(commands)), Mutex::new(Some(thread)));
        Ok(Source { shared, listeners: Mutex::default(), commands, thread })
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Whether a socket for this listener is open.
    pub(crate) fn has(&self, listener: Listener) -> bool {
        self.listeners.lock().contains_key(&listener)
    }

    /// Another handle of the open socket for this listener, for a source that takes it over.
    pub(crate) fn socket(&self, listener: Listener) -> Option<io::Result<Bound>> {
        self.listeners.lock().get(&listener).map(|running| running.socket.try_clone())
    }

    /// Reads a socket from now on.
    pub(crate) fn listen(&self, listener: Listener, bound: Bound) -> io::Result<String> {
        let url = bound.url()?;
        let (stop, stopped) = watch::channel(false);
        let running = Running { url: url.clone(), socket: bound.try_clone()?, stop };
        self.listeners.lock().insert(listener, running);
        let sent = self.commands.lock().as_ref().map(|commands| commands.send((bound, stopped)));
        match sent {
            Some(Ok(())) => Ok(url),
            _ => Err(io::Error::other("the source has stopped")),
        }
    }

    /// Stops reading the sockets that `keep` does not name. What was received is still handed on.
    pub(crate) fn retain(&self, keep: &[Listener]) {
        self.listeners.lock().retain(|listener, running| {
            let kept = keep.contains(listener);
            if !kept {
                running.stop.send_replace(true);
            }
            kept
        });
    }

    /// The URLs of the sockets that are read.
    pub(crate) fn urls(&self) -> Vec<String> {
        let mut urls: Vec<String> =
            self.listeners.lock().values().map(|running| running.url.clone()).collect();
        urls.sort();
        urls
    }

    /// Stops reading, hands on what was read, and ends the thread.
    pub(crate) fn stop(&self) {
        self.retain(&[]);
        self.commands.lock().take();
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!(source = %self.shared.id, "the thread of the source ended with a panic");
        }
    }
}

async fn read_all(shared: Arc<Shared>, mut commands: mpsc::UnboundedReceiver<Listen>) {
    let mut tasks = tokio::task::JoinSet::new();
    while let Some((bound, stopped)) = commands.recv().await {
        let shared = shared.clone();
        match bound {
            Bound::Tcp(listener) => tasks.spawn(tcp::serve(shared, listener, stopped)),
            Bound::Udp(socket) => tasks.spawn(udp::serve(shared, socket, stopped)),
        };
    }
    let ended = async { while tasks.join_next().await.is_some() {} };
    tokio::time::timeout(STOP_WAIT_MAX, ended).await.ok();
}
