//! A running source: its thread, the sockets that it reads and the files that it follows.
//!
//! **Invariant:** messages that were read before a source is stopped are handed on, if that takes no longer than
//! [`STOP_WAIT_MAX`].

use super::context::SourceContext;
use super::files;
use super::ready::{ReadySockets, SocketReader};
use logstead_config::ListenAddress;
use logstead_flow::listen::sockets::{self, BoundSocket};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// The time that a stopped source may take to pass on what it has read.
const STOP_WAIT_MAX: Duration = Duration::from_secs(3);
/// A running source.
pub struct RunningSource {
    /// The context of the source's connections.
    pub shared: Arc<SourceContext>,
    listeners: Mutex<HashMap<ListenAddress, ActiveListener>>,
    /// Tells the task that follows files to stop.
    following: Mutex<Option<watch::Sender<bool>>>,
    /// Taken when the source stops: the thread then ends with its tasks.
    commands: Mutex<Option<mpsc::UnboundedSender<SourceCommand>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The thread's runtime, for registering sockets.
    runtime: tokio::runtime::Handle,
}

/// A task for the thread, which runs until it is told to stop.
enum SourceCommand {
    /// Read a socket with these readers.
    Listen { readers: Vec<SocketReader>, stopped: watch::Receiver<bool> },
    /// Follow the files of the settings.
    Follow(watch::Receiver<bool>),
}

/// A socket that is read.
struct ActiveListener {
    url: String,
    /// A handle by which the socket can be handed over to another source without closing it.
    socket: BoundSocket,
    stop: watch::Sender<bool>,
}

impl RunningSource {
    /// Starts the thread; sockets are added by [`RunningSource::listen`], files by [`RunningSource::follow`].
    pub fn start(shared: SourceContext) -> io::Result<RunningSource> {
        let shared = Arc::new(shared);
        let (commands, received) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (for_thread, handle) = (shared.clone(), runtime.handle().clone());
        let thread = std::thread::Builder::new().name(format!("source {}", shared.id)).spawn(move || {
            runtime.block_on(read_all(for_thread, received));
            runtime.shutdown_timeout(STOP_WAIT_MAX);
        })?;
        let (commands, thread) = (Mutex::new(Some(commands)), Mutex::new(Some(thread)));
        let (listeners, following) = (Mutex::default(), Mutex::default());
        Ok(RunningSource { shared, listeners, following, commands, thread, runtime: handle })
    }

    /// Whether a socket for this listener is open.
    pub fn has(&self, listener: &ListenAddress) -> bool {
        self.listeners.lock().contains_key(listener)
    }

    /// Another handle of an open socket that can serve this listener, whatever it is currently used for.
    pub fn socket(&self, listener: &ListenAddress) -> Option<io::Result<BoundSocket>> {
        let listeners = self.listeners.lock();
        let same = listeners.iter().find(|(open, _)| sockets::is_same(open, listener));
        same.map(|(_, running)| running.socket.try_clone())
    }

    /// Whether the source accepts commands: it ends only when it is stopped, or because of a bug.
    fn is_running(&self) -> bool {
        self.commands.lock().as_ref().is_some_and(|commands| !commands.is_closed())
    }

    /// Prepares a socket for [`RunningSource::listen`].
    pub fn ready(&self, listener: ListenAddress, socket: BoundSocket) -> io::Result<ReadySockets> {
        if !self.is_running() {
            return Err(io::Error::other("the source has stopped"));
        }
        let _runtime_that_reads = self.runtime.enter();
        ReadySockets::new(listener, socket)
    }

    /// Reads a socket from now on.
    pub fn listen(&self, ReadySockets { listener, url, other_handle, readers }: ReadySockets) {
        let (stop, stopped) = watch::channel(false);
        self.listeners.lock().insert(listener, ActiveListener { url, socket: other_handle, stop });
        self.command(SourceCommand::Listen { readers, stopped });
    }

    /// Follows the files that the settings name, if any.
    pub fn follow(&self) {
        let mut following = self.following.lock();
        let is_wanted = self.shared.settings.load().files.is_some();
        match &*following {
            None if is_wanted => {
                let (stop, stopped) = watch::channel(false);
                self.command(SourceCommand::Follow(stopped));
                *following = Some(stop);
            }
            Some(stop) if !is_wanted => {
                stop.send_replace(true);
                *following = None;
            }
            _ => {}
        }
    }

    /// A thread that panicked takes no commands; joining it reports the panic.
    fn command(&self, command: SourceCommand) {
        if let Some(commands) = &*self.commands.lock() {
            commands.send(command).ok();
        }
    }

    /// Stops reading the sockets that `keep` does not contain. Messages that were received are still passed on.
    pub fn retain(&self, keep: &[ListenAddress]) {
        self.listeners.lock().retain(|listener, running| {
            let kept = keep.contains(listener);
            if !kept {
                running.stop.send_replace(true);
            }
            kept
        });
    }

    /// The URLs of the sockets that are read.
    pub fn urls(&self) -> Vec<String> {
        let mut urls: Vec<String> =
            self.listeners.lock().values().map(|running| running.url.clone()).collect();
        urls.sort();
        urls
    }

    /// Reads the certificates again, even if their files look unchanged.
    pub fn reload_certificates(&self) {
        self.shared.reload_certificates();
    }

    /// Stops reading; messages that were read are passed on. [`RunningSource::join`] waits for that.
    pub fn stop(&self) {
        self.retain(&[]);
        if let Some(stop) = self.following.lock().take() {
            stop.send_replace(true);
        }
        self.commands.lock().take();
    }

    /// Waits for the thread of a stopped source.
    pub fn join(&self) {
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!(source = %self.shared.id, "the thread of the source ended with a panic");
        }
    }
}

async fn read_all(shared: Arc<SourceContext>, mut commands: mpsc::UnboundedReceiver<SourceCommand>) {
    let housekeeping = tokio::spawn(shared.clone().run_gathers());
    let mut tasks = JoinSet::new();
    while let Some(command) = commands.recv().await {
        match command {
            SourceCommand::Follow(stopped) => drop(tasks.spawn(files::serve(shared.clone(), stopped))),
            SourceCommand::Listen { readers, stopped } => {
                readers.into_iter().for_each(|reader| reader.spawn(&mut tasks, &shared, &stopped));
            }
        }
    }
    let ending = async {
        while tasks.join_next().await.is_some() {}
        shared.flush_gathers().await;
    };
    if tokio::time::timeout(STOP_WAIT_MAX, ending).await.is_err() {
        let source = &shared.id;
        tracing::error!(%source, "stopped before all received messages could be stored: those that were not \
                                  acknowledged are lost");
    }
    housekeeping.abort();
}
