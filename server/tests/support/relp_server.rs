//! A RELP server that remembers the messages it received, and answers as a test requires.

use super::loads::Number;
use logstead_client::relp;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time that a slow server takes for a message.
const SLOW: Duration = Duration::from_micros(500);

/// The way in which it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manners {
    Prompt,
    Slow,
}

/// The messages that arrived, with the number of times: at one server or at several in a row.
#[derive(Clone, Default)]
pub struct Arrived(Arc<Mutex<HashMap<Number, u32>>>);

impl Arrived {
    pub fn has(&self, number: &Number) -> bool {
        self.0.lock().unwrap().contains_key(number)
    }

    /// The number of different messages.
    pub fn count(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }

    /// The number of different messages of a run.
    pub fn count_of(&self, run: u64) -> u64 {
        self.0.lock().unwrap().keys().filter(|number| number.run == run).count() as u64
    }

    /// The number of repetitions, not counting the first arrival of each message.
    pub fn doubles(&self) -> u64 {
        self.0.lock().unwrap().values().map(|times| u64::from(times - 1)).sum()
    }
}

/// A running server; it ends its connections when it is dropped.
pub struct RelpServer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    address: SocketAddr,
    manners: Manners,
    arrived: Arrived,
    connections: Mutex<Vec<TcpStream>>,
    is_stopping: AtomicBool,
}

impl RelpServer {
    pub fn start(address: SocketAddr, arrived: &Arrived, manners: Manners) -> RelpServer {
        let listener = TcpListener::bind(address).unwrap();
        let shared = Arc::new(Shared {
            address,
            manners,
            arrived: arrived.clone(),
            connections: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        });
        let accepting = shared.clone();
        let thread = std::thread::spawn(move || {
            std::thread::scope(|scope| {
                for connection in listener.incoming() {
                    let connection = connection.unwrap();
                    accepting.connections.lock().unwrap().push(connection.try_clone().unwrap());
                    if accepting.is_stopping.load(Ordering::SeqCst) {
                        return;
                    }
                    let shared = accepting.clone();
                    // A connection may end at any time.
                    scope.spawn(move || shared.serve(connection).ok());
                }
            });
        });
        RelpServer { shared, thread: Some(thread) }
    }
}

impl Shared {
    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_nodelay(true)?;
        let (mut input, mut answers, mut chunk) = (Vec::new(), Vec::new(), vec![0; 64 << 10]);
        loop {
            let mut at = 0;
            while let Some((frame, length)) = relp::read(&input[at..]).map_err(io::Error::other)? {
                relp::write(frame.txnr, "rsp", self.answer(&frame), &mut answers);
                at += length;
                if self.manners == Manners::Slow {
                    std::thread::sleep(SLOW);
                    connection.write_all(&answers)?;
                    answers.clear();
                }
            }
            input.drain(..at);
            connection.write_all(&answers)?;
            answers.clear();
            match connection.read(&mut chunk)? {
                0 => return Ok(()),
                length => input.extend_from_slice(&chunk[..length]),
            }
        }
    }

    /// Records a message before it is acknowledged.
    fn answer(&self, frame: &relp::RelpFrame<'_>) -> &'static [u8] {
        if frame.command == b"open" {
            return b"200 OK\nrelp_version=0\ncommands=syslog";
        }
        if frame.command == b"syslog" {
            let text = String::from_utf8_lossy(frame.data);
            let number = Number::of(&text).unwrap_or_else(|| panic!("nobody sent {text}"));
            *self.arrived.0.lock().unwrap().entry(number).or_default() += 1;
        }
        b"200 OK"
    }
}

impl Drop for RelpServer {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        // This connection makes the thread notice that it has to stop.
        drop(TcpStream::connect(self.shared.address));
        for connection in self.shared.connections.lock().unwrap().iter() {
            // It may have ended already, so errors are ignored.
            connection.shutdown(Shutdown::Both).ok();
        }
        if self.thread.take().unwrap().join().is_err() && !std::thread::panicking() {
            panic!("the server of the test ended with a panic");
        }
    }
}
