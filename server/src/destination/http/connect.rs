//! Encrypted connections of the HTTP client: whom they trust, what they show, and which name they expect. The client's own
//! cannot expect another name than that of the host.

use crate::destination::tls;
use crate::machine::folders::Folders;
use logstead_client::tls::{Authorities, config};
use logstead_config::HttpServer;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, ProtocolVersion, StreamOwned};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};
use ureq::{Error, Timeout};

/// How long a server that accepted our keys may take to refuse our certificate.
const REFUSAL_WAIT_MIN: Duration = Duration::from_millis(1);
const REFUSAL_WAIT_MAX: Duration = Duration::from_secs(1);

/// What encrypts connections to a server, or leaves them as they are.
#[derive(Debug)]
pub(crate) struct Encryption(Option<(Arc<ClientConfig>, ServerName<'static>)>);

/// An encrypted connection.
pub(crate) struct Encrypted {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl Encryption {
    /// Encrypts connections to a host, which is trusted as the configuration says.
    pub(crate) fn to(host: &str, config: Arc<ClientConfig>) -> Result<Encryption, String> {
        let name = host.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(name).map_err(|error| format!("{host}: {error}"))?;
        Ok(Encryption(Some((config, name))))
    }

    /// Reads the files that the document names.
    pub(super) fn of(server: &HttpServer, folders: &Folders) -> Result<Encryption, String> {
        if !server.url.as_str().starts_with("https://") {
            return Ok(Encryption(None));
        }
        let tls = server.tls.clone().unwrap_or_default();
        let config = config(&tls::options(&tls, Authorities::Mozilla, folders))?;
        Encryption::to(tls.server_name.as_deref().unwrap_or(server.url.host()), config)
    }
}

impl<In: Transport> Connector<In> for Encryption {
    type Out = Either<In, Encrypted>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(plain) = chained else { return Ok(None) };
        let Some((config, name)) = &self.0 else { return Ok(Some(Either::A(plain))) };
        let tls = ClientConnection::new(config.clone(), name.clone());
        let mut tls = tls.map_err(|error| Error::Io(io::Error::other(error)))?;
        let mut socket = TransportAdapter::new(plain.boxed(), details.current_time.clone());
        socket.set_timeout(details.timeout);
        let start = Instant::now();
        tls.complete_io(&mut socket)?;
        if tls.protocol_version() == Some(ProtocolVersion::TLSv1_3) {
            await_refusal(&mut tls, &mut socket, start.elapsed())?;
        }
        let buffers =
            LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(Encrypted { buffers, stream: StreamOwned::new(tls, socket) })))
    }
}

/// With TLS 1.3 a server refuses our certificate only after the handshake, and closes the connection before it says
/// so to a request. So it is given as long as the handshake took.
fn await_refusal(
    tls: &mut ClientConnection,
    socket: &mut TransportAdapter,
    took: Duration,
) -> Result<(), Error> {
    let after = took.clamp(REFUSAL_WAIT_MIN, REFUSAL_WAIT_MAX).into();
    socket.set_timeout(NextTimeout { after, reason: Timeout::Connect, ..NextTimeout::default() });
    match tls.read_tls(socket).map_err(Error::from) {
        Ok(0) => Err(Error::Io(io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection"))),
        Ok(_) => tls.process_new_packets().map(drop).map_err(|error| Error::Io(io::Error::other(error))),
        Err(Error::Timeout(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

impl fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encrypted").finish_non_exhaustive()
    }
}

impl Transport for Encrypted {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.get_mut().set_timeout(timeout);
        let output = &self.buffers.output()[..amount];
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.get_mut().set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(0 < amount)
    }

    fn is_open(&mut self) -> bool {
        self.stream.get_mut().get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}
