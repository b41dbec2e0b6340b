//! The real binary stores forwarded messages as objects, with kills of either side: every message is in an object, in
//! order, and a repeated upload replaces its object.
//!
//! Keywords: S3, objects, kill -9, multipart.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{Server, free_port, wait_until};

/// A document that forwards messages received over HTTP, and stores nothing.
fn router(to: SocketAddr, keys: &str) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"archive\"\nkind = \"s3\"\nurl = \"http://{to}\"\naddressing = \"path\"\n\
         bucket = \"logs\"\naccess_key = \"akak\"\n{keys}\n[[routes]]\nid = \"all\"\nto = [\"archive\"]\n"
    )
}

const SECRET: &str = "secret_key = \"sksksksk\"\n";

fn nowhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], free_port()))
}

/// Sends numbered messages, one request for each hundred; all are acknowledged.
fn ingest(server: &Server, numbers: std::ops::Range<u32>) {
    let filler = "x".repeat(100);
    let all: Vec<String> = numbers.map(|number| format!("message {number:06} {filler}")).collect();
    for lines in all.chunks(100) {
        assert_eq!(server.ingest(&(lines.join("\n") + "\n")), lines.len() as u64);
    }
}

fn destination(server: &Server) -> Value {
    server.status()["destinations"][0].clone()
}

fn last_error(server: &Server) -> String {
    destination(server)["last_error"].as_str().unwrap_or_default().to_owned()
}

fn await_empty_queue(server: &Server) {
    wait_until("the queue is empty", || destination(server)["queue_messages"] == 0);
}

fn send_at_once(server: &Server) {
    assert_eq!(server.post("/destinations/archive/retry", &json!({})).0, 204);
}

/// The numbers of the messages in objects, in the order of their names.
fn numbers<'o>(objects: impl IntoIterator<Item = &'o Vec<u8>>) -> Vec<u32> {
    let mut numbers = Vec::new();
    for object in objects {
        let text = String::from_utf8(zstd::stream::decode_all(&object[..]).unwrap()).unwrap();
        for line in text.lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            let text = message["message"].as_str().unwrap();
            numbers.push(text.split(' ').nth(1).unwrap().parse().unwrap());
        }
    }
    numbers
}

/// A store that keeps objects in memory. While it is silent, it keeps them without answering.
struct Store {
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    is_silent: Arc<AtomicBool>,
}

impl Store {
    fn start(address: SocketAddr) -> Store {
        let listener = TcpListener::bind(address).unwrap();
        let store = Store { objects: Arc::default(), is_silent: Arc::default() };
        let (objects, is_silent) = (store.objects.clone(), store.is_silent.clone());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (objects, is_silent) = (objects.clone(), is_silent.clone());
                std::thread::spawn(move || serve(&connection.unwrap(), &objects, &is_silent));
            }
        });
        store
    }

    fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        self.objects.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, objects: &Mutex<BTreeMap<String, Vec<u8>>>, is_silent: &AtomicBool) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length = head
            .to_ascii_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap()];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let path = head.split([' ', '?']).nth(1).unwrap().to_owned();
        objects.lock().unwrap().insert(path, body);
        if is_silent.load(Ordering::Relaxed) {
            // This waits until the client closes the connection.
            reader.read_exact(&mut [0]).ok();
            return;
        }
        if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
            return;
        }
    }
}

#[test]
fn what_waits_becomes_one_object_when_somebody_asks_for_it() {
    let to = nowhere();
    let store = Store::start(to);
    let keys = format!("{SECRET}prefix = \"a/{{source}}/\"\nobject = {{ size = \"16MiB\", age = \"1h\" }}");
    let mut server = Server::start(&router(to, &keys));
    ingest(&server, 0..500);
    server.kill_and_restart();
    assert_eq!(destination(&server)["queue_messages"], 500);
    ingest(&server, 500..1000);
    assert_eq!(store.objects().len(), 0, "nothing is sent before its time");
    send_at_once(&server);
    await_empty_queue(&server);
    let objects = store.objects();
    let names: Vec<&String> = objects.keys().collect();
    assert!(
        names.len() == 1 && names[0].starts_with("/logs/a/http/") && names[0].ends_with(".ndjson.zst"),
        "{names:?}"
    );
    assert!(numbers(objects.values()).into_iter().eq(0..1000));
    let status = destination(&server);
    assert_eq!((&status["messages"], &status["kind"]), (&json!(1000), &json!("s3")));
    assert_eq!(status["to"], format!("http://{to}, bucket logs"));
}

#[test]
fn messages_wait_no_longer_than_they_may() {
    let to = nowhere();
    let store = Store::start(to);
    let server = Server::start(&router(to, &format!("{SECRET}object = {{ age = \"1s\" }}")));
    ingest(&server, 0..10);
    await_empty_queue(&server);
    assert!(numbers(store.objects().values()).into_iter().eq(0..10));
}

#[test]
fn an_upload_whose_answer_was_lost_replaces_its_object() {
    let to = nowhere();
    let store = Store::start(to);
    store.is_silent.store(true, Ordering::Relaxed);
    let mut server = Server::start(&router(to, &format!("{SECRET}object = {{ age = \"1h\" }}")));
    ingest(&server, 0..300);
    send_at_once(&server);
    wait_until("the object is stored", || store.objects().len() == 1);
    server.kill_and_restart();
    store.is_silent.store(false, Ordering::Relaxed);
    ingest(&server, 300..400);
    send_at_once(&server);
    await_empty_queue(&server);
    let objects = store.objects();
    assert_eq!(objects.len(), 1);
    assert!(
        numbers(objects.values()).into_iter().eq(0..400),
        "nothing is missing, and nothing is there twice"
    );
}

#[test]
fn a_kill_among_many_objects_stores_nothing_twice() {
    let to = nowhere();
    let keys = format!("{SECRET}object = {{ size = \"1MiB\", age = \"1h\" }}");
    let mut server = Server::start(&router(to, &keys));
    ingest(&server, 0..20_000);
    let store = Store::start(to);
    send_at_once(&server);
    wait_until("the first objects are stored", || 1 < store.objects().len());
    server.kill_and_restart();
    send_at_once(&server);
    await_empty_queue(&server);
    let objects = store.objects();
    assert!(2 < objects.len());
    assert!(numbers(objects.values()).into_iter().eq(0..20_000));
}

/// The gateway <https://github.com/versity/versitygw>, which keeps objects as files.
struct Gateway {
    program: PathBuf,
    folder: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
}

impl Gateway {
    fn start(&mut self) {
        let mut command = Command::new(&self.program);
        command.env("ROOT_ACCESS_KEY", "akak").env("ROOT_SECRET_KEY", "sksksksk");
        command.args(["--port", &self.address.to_string(), "posix"]).arg(&self.folder);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(command.spawn().unwrap());
        wait_until("the gateway listens", || TcpStream::connect(self.address).is_ok());
    }

    fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn objects(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut objects = BTreeMap::new();
        collect(&self.folder.join("logs/logstead"), &mut objects);
        objects
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
    }
}

fn collect(folder: &Path, objects: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, objects);
        } else {
            objects.insert(path.clone(), fs::read(path).unwrap());
        }
    }
}

#[test]
#[ignore = "needs a program: LOGSTEAD_TEST_VERSITYGW=/path/to/versitygw"]
fn a_real_store_has_every_message_over_kills_of_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let program = std::env::var("LOGSTEAD_TEST_VERSITYGW").unwrap().into();
    let address = nowhere();
    let mut gateway = Gateway { program, folder: folder.path().to_owned(), address, child: None };
    gateway.start();
    let keys = "secret_key_file = \"s3.key\"\nprefix = \"logstead/{received:%Y/%m/%d}/\"\n\
                object = { size = \"1MiB\", age = \"1s\" }\n";
    let mut server = Server::start(&router(address, keys));
    fs::create_dir(server.data().join("secrets")).unwrap();
    fs::write(server.data().join("secrets/s3.key"), "wrong").unwrap();
    ingest(&server, 0..1000);
    wait_until("the key is refused", || last_error(&server).contains("SignatureDoesNotMatch"));
    assert!(last_error(&server).ends_with("; correct the secret key"), "{}", last_error(&server));
    fs::write(server.data().join("secrets/s3.key"), "sksksksk").unwrap();
    wait_until("the bucket is missed", || last_error(&server).contains("NoSuchBucket"));
    assert!(last_error(&server).contains("; create the bucket `logs`"), "{}", last_error(&server));
    fs::create_dir(folder.path().join("logs")).unwrap();
    await_empty_queue(&server);
    assert!(numbers(gateway.objects().values()).into_iter().eq(0..1000));

    gateway.kill();
    ingest(&server, 1000..2000);
    wait_until("the store is missed", || last_error(&server).contains("Connection refused"));
    server.kill_and_restart();
    ingest(&server, 2000..40_000);
    gateway.start();
    send_at_once(&server);
    wait_until("the first of them are stored", || 2 < gateway.objects().len());
    server.kill_and_restart();
    send_at_once(&server);
    wait_until("more of them are stored", || 4 < gateway.objects().len());
    gateway.kill();
    wait_until("the store is missed", || last_error(&server).contains("Connection refused"));
    for numbers in (40_000..46_000).step_by(100) {
        ingest(&server, numbers..numbers + 100);
        std::thread::sleep(Duration::from_secs(1));
    }
    gateway.start();
    await_empty_queue(&server);
    let stored = numbers(gateway.objects().values());
    assert!(stored.into_iter().eq(0..46_000), "every message is in an object, and in no other one");
}
