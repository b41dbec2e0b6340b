//! The plan of a run, and its check: every problem is reported before the first byte is sent.

use super::chunk::{ChunkLimits, Framing};
use super::counts::ConnectionCounts;
use super::datagram::{DatagramTarget, DatagramTransport, UDP_BYTES_MAX, takes_datagrams};
use super::generated::GeneratedMessages;
use super::lines::FileLines;
use super::rate::SendRate;
use super::requests::RequestTransport;
use super::socket::Dial;
use super::stream::StreamTransport;
use super::target::LoadTarget;
use super::template::{HeaderKind, MessageIdentity, MessageTemplate};
use super::transactions::TransactionTransport;
use super::transport::Transport;
use super::worker::{Feed, Worker};
use logstead_client::tls::{self, TlsOptions};
use logstead_record::Timestamp;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The default size of one write.
const CHUNK_BYTES: usize = 128 << 10;
/// Datagrams are sent one by one, so larger chunks only save reading the clock.
const DATAGRAMS_TOGETHER: usize = 64;
/// Maximum size of a request or write, which is held in memory.
const BATCH_BYTES_MAX: usize = 64 << 20;
const BATCH_MESSAGES_MAX: usize = 1_000_000;

/// The plan of a run.
#[derive(Clone, Debug)]
pub struct LoadPlan {
    /// The receiver of the messages.
    pub target: LoadTarget,
    /// The messages to send.
    pub content: Content,
    /// The framing, if the transport leaves a choice.
    pub framing: Option<Framing>,
    /// The rate of each connection.
    pub rate: SendRate,
    /// The number of messages of each connection.
    pub number: Option<u64>,
    /// How long to send.
    pub interval: Option<Duration>,
    /// The number of connections that send.
    pub active: usize,
    /// The number of connections that are opened first and send nothing.
    pub idle: usize,
    /// Whether a broken connection is re-established.
    pub permanent: bool,
    /// The maximum number of unacknowledged messages, for RELP.
    pub window: usize,
    /// The maximum number of messages in a write or request.
    pub batch: Option<usize>,
    /// The API token, for HTTP.
    pub token: String,
    /// The receivers that TLS trusts, and the sender's own certificate.
    pub tls: TlsOptions,
    /// A number contained in every message, which distinguishes runs.
    pub run_id: u64,
}

/// The content of the messages.
#[derive(Clone, Debug)]
pub enum Content {
    /// Numbered messages of one length.
    Generated {
        /// The header before the text.
        header: HeaderKind,
        /// The length of a message, without framing.
        size: usize,
    },
    /// The lines of a file.
    File {
        /// The file.
        path: PathBuf,
        /// Whether reading starts over at its end.
        repeats: bool,
    },
}

/// A plan that can be carried out.
pub(super) struct PreparedPlan {
    /// How idle connections are opened, if the transport has connections.
    pub(super) dial: Option<Dial>,
    transport: TransportKind,
    framing: Framing,
    limits: ChunkLimits,
}

enum TransportKind {
    Stream,
    UnixDatagrams,
    Udp,
    Relp,
    Http,
}

impl LoadPlan {
    /// The default number of messages in a request.
    const REQUEST_MESSAGES: usize = 1000;

    pub(super) fn prepare(&self) -> Result<PreparedPlan, String> {
        let (transport, dial) = self.transport()?;
        let framing = match (&transport, self.framing) {
            (TransportKind::Stream, framing) => framing.unwrap_or(Framing::Newline),
            (_, Some(_)) => {
                return Err(format!("--framing applies to byte streams, and {} is not one", self.target));
            }
            (TransportKind::Http, None) => Framing::Newline,
            (_, None) => Framing::None,
        };
        if dial.is_none() && 0 < self.idle {
            return Err(format!("--idle-connections: {} has no connections", self.target));
        }
        if self.active == 0 && self.idle == 0 {
            return Err("without any connection, there is nothing to do".to_owned());
        }
        let prepared = PreparedPlan { dial, limits: self.limits(&transport)?, transport, framing };
        self.check_content(&prepared)?;
        Ok(prepared)
    }

    fn transport(&self) -> Result<(TransportKind, Option<Dial>), String> {
        Ok(match &self.target {
            LoadTarget::Tcp(address) => (TransportKind::Stream, Some(Dial::Tcp(address.clone()))),
            LoadTarget::Tls(address) => {
                (TransportKind::Stream, Some(Dial::Tls(address.clone(), tls::config(&self.tls)?)))
            }
            LoadTarget::Udp(_) => (TransportKind::Udp, None),
            LoadTarget::Unix(path) if takes_datagrams(path) => (TransportKind::UnixDatagrams, None),
            LoadTarget::Unix(path) => (TransportKind::Stream, Some(Dial::Unix(path.clone()))),
            LoadTarget::Relp(address) => (TransportKind::Relp, Some(Dial::Tcp(address.clone()))),
            LoadTarget::RelpTls(address) => {
                (TransportKind::Relp, Some(Dial::Tls(address.clone(), tls::config(&self.tls)?)))
            }
            LoadTarget::Http(address) => (TransportKind::Http, Some(Dial::Tcp(address.clone()))),
        })
    }

    fn limits(&self, transport: &TransportKind) -> Result<ChunkLimits, String> {
        let messages_max = match (self.batch, transport) {
            (Some(batch), _) => batch,
            (None, TransportKind::Http) => LoadPlan::REQUEST_MESSAGES,
            (None, TransportKind::Udp | TransportKind::UnixDatagrams) => DATAGRAMS_TOGETHER,
            (None, TransportKind::Stream | TransportKind::Relp) => BATCH_MESSAGES_MAX,
        };
        if messages_max == 0 || BATCH_MESSAGES_MAX < messages_max {
            return Err(format!("--batch must be 1 to {BATCH_MESSAGES_MAX} messages"));
        }
        let bytes_max = if self.batch.is_some() || matches!(transport, TransportKind::Http) {
            BATCH_BYTES_MAX
        } else {
            CHUNK_BYTES
        };
        Ok(ChunkLimits { messages_max, bytes_max })
    }

    /// Checks the settings of messages that all connections share.
    fn check_content(&self, prepared: &PreparedPlan) -> Result<(), String> {
        let size = match &self.content {
            Content::File { path, repeats } => {
                return FileLines::open(path, *repeats, prepared.framing, prepared.limits).map(|_| ());
            }
            Content::Generated { size, .. } => *size,
        };
        if matches!(prepared.transport, TransportKind::Udp) && UDP_BYTES_MAX < size {
            return Err(format!("--size: a datagram has at most {UDP_BYTES_MAX} bytes"));
        }
        if BATCH_BYTES_MAX < size {
            return Err(format!("--size: a message has at most {BATCH_BYTES_MAX} bytes"));
        }
        // The last connection has the number with the most digits.
        self.template(self.active).map(|_| ())
    }

    fn template(&self, thread: usize) -> Result<MessageTemplate, String> {
        let Content::Generated { header, size } = self.content else {
            return Err("messages from a file have no template".to_owned());
        };
        let identity = MessageIdentity { run_id: self.run_id, thread };
        MessageTemplate::new(header, size, identity, Timestamp::from(SystemTime::now()))
            .map_err(|least| format!("--size: a numbered message has at least {least} bytes"))
    }
}

impl PreparedPlan {
    /// The worker for one connection's thread; thread 1 is the first.
    pub(super) fn worker<'a>(
        &self,
        plan: &LoadPlan,
        thread: usize,
        counts: &'a ConnectionCounts,
    ) -> Result<Worker<'a>, String> {
        let feed = match &plan.content {
            Content::File { path, repeats } => {
                Feed::Lines(FileLines::open(path, *repeats, self.framing, self.limits)?)
            }
            Content::Generated { .. } => {
                Feed::Generated(GeneratedMessages::new(plan.template(thread)?, self.framing, self.limits))
            }
        };
        let (left, together_max) = (plan.number.unwrap_or(u64::MAX), self.limits.messages_max);
        let (sender, is_permanent) = (self.sender(plan)?, plan.permanent);
        Ok(Worker { sender, feed, counts, is_permanent, left, together_max })
    }

    fn sender(&self, plan: &LoadPlan) -> Result<Box<dyn Transport>, String> {
        let dial = || self.dial.clone().ok_or_else(|| format!("{} has no connections", plan.target));
        Ok(match (&self.transport, &plan.target) {
            (TransportKind::Relp, _) => Box::new(TransactionTransport::new(dial()?, plan.window)),
            (TransportKind::Http, LoadTarget::Http(address)) => {
                Box::new(RequestTransport::new(address, &plan.token))
            }
            (TransportKind::Udp, LoadTarget::Udp(address)) => {
                Box::new(DatagramTransport::new(DatagramTarget::Udp(address.clone())))
            }
            (TransportKind::UnixDatagrams, LoadTarget::Unix(path)) => {
                Box::new(DatagramTransport::new(DatagramTarget::Unix(path.clone())))
            }
            _ => Box::new(StreamTransport::new(dial()?, plan.batch)),
        })
    }
}
