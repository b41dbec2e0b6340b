//! An HTTP server that accepts everything and keeps the numbers of the messages in it, written as `number 17.`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// An answer that means success for every kind of destination.
const ANSWER: &str = r#"{"errors":false,"items":[],"text":"Success","code":0}"#;

/// The received numbers, in order.
pub type Numbers = Arc<Mutex<Vec<u64>>>;

/// A running server; it ends its connections when it is dropped.
pub struct Collector {
    address: SocketAddr,
    is_stopping: Arc<AtomicBool>,
    connections: Arc<Mutex<Vec<TcpStream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Collector {
    pub fn start(address: SocketAddr, numbers: &Numbers) -> Collector {
        let listener = TcpListener::bind(address).unwrap();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let connections = Arc::new(Mutex::new(Vec::new()));
        let (stopping, open, numbers) = (is_stopping.clone(), connections.clone(), numbers.clone());
        let thread = std::thread::spawn(move || {
            std::thread::scope(|scope| {
                for stream in listener.incoming() {
                    if stopping.load(Ordering::SeqCst) {
                        return;
                    }
                    let stream = stream.unwrap();
                    open.lock().unwrap().push(stream.try_clone().unwrap());
                    let numbers = &numbers;
                    scope.spawn(move || serve(&stream, numbers));
                }
            });
        });
        Collector { address, is_stopping, connections, thread: Some(thread) }
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        // This connection makes the thread notice that it has to stop.
        drop(TcpStream::connect(self.address));
        for connection in self.connections.lock().unwrap().drain(..) {
            connection.shutdown(Shutdown::Both).ok();
        }
        self.thread.take().map(JoinHandle::join);
    }
}

/// Answers requests until the client disconnects.
fn serve(mut stream: &TcpStream, numbers: &Numbers) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(body) = request(&mut reader) {
        numbers.lock().unwrap().extend(found(&body));
        let length = ANSWER.len();
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{ANSWER}");
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn request(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}

/// The numbers in a text, once for each message, however often the message contains its number.
fn found(body: &str) -> Vec<u64> {
    let number = |rest: &str| rest.split('.').next().and_then(|number| number.parse().ok());
    let mut numbers: Vec<u64> = body.split("number ").skip(1).filter_map(number).collect();
    numbers.dedup();
    numbers
}
