//! Tests with servers that answer late, partially, in any order, with nonsense, or never.

use super::*;
use logstead_config::{Address, Addresses, Transport};
use logstead_flow::machine::folders::Folders;
use logstead_record::{Batch, BatchBuilder, Origin, Row, Timestamp};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

/// How long a test server waits for a frame.
const WAIT_MAX: Duration = Duration::from_secs(30);

fn batch(count: usize) -> Batch {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::default() });
    (0..count).for_each(|number| builder.push(&Row::text(format!("m{number}").as_bytes())));
    builder.seal()
}

fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
    (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: row as u64 }).collect()
}

fn sink(listeners: &[&TcpListener], window: u32) -> Relp {
    let address = |listener: &&TcpListener| Address {
        transport: Transport::Relp,
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
    };
    let to = Addresses::new(listeners.iter().map(address).collect()).unwrap();
    let config = RelpServer { to, format: ForwardFormat::Raw, window, tls: None };
    Relp::new(&config, Connector::new(None, &Folders::below(Path::new("/nonexistent"))))
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// The server's side of a session.
struct Session {
    socket: TcpStream,
    input: Vec<u8>,
}

impl Session {
    fn connected(listener: &TcpListener) -> Session {
        let (socket, _) = listener.accept().unwrap();
        socket.set_read_timeout(Some(WAIT_MAX)).unwrap();
        socket.set_nodelay(true).unwrap();
        Session { socket, input: Vec::new() }
    }

    /// Begins the session.
    fn open(listener: &TcpListener) -> Session {
        let mut session = Session::connected(listener);
        let (number, command, offers) = session.next().unwrap();
        assert_eq!((number, command.as_str()), (1, "open"));
        assert!(offers.starts_with("relp_version=0\n") && offers.ends_with("\ncommands=syslog"), "{offers}");
        session.answer(1, "200 OK\nrelp_version=0\ncommands=syslog");
        session
    }

    /// The next frame; `None` at the end.
    fn next(&mut self) -> Option<(u32, String, String)> {
        loop {
            if let Some((frame, length)) = relp::read(&self.input).unwrap() {
                let found = (frame.txnr, text(frame.command), text(frame.data));
                self.input.drain(..length);
                return Some(found);
            }
            let mut chunk = [0; 1000];
            match self.socket.read(&mut chunk) {
                Ok(0) | Err(_) => return None,
                Ok(length) => self.input.extend_from_slice(&chunk[..length]),
            }
        }
    }

    /// Receives the expected messages in order; returns their transaction numbers.
    fn take(&mut self, expected: std::ops::Range<usize>) -> Vec<u32> {
        let take = |number| {
            let (txnr, command, data) = self.next().unwrap();
            assert_eq!((command, data), ("syslog".to_owned(), format!("m{number}")));
            txnr
        };
        expected.map(take).collect()
    }

    fn say(&mut self, bytes: &str) {
        // The client may have given up.
        self.socket.write_all(bytes.as_bytes()).ok();
    }

    fn answer(&mut self, txnr: u32, data: &str) {
        self.say(&format!("{txnr} rsp {} {data}\n", data.len()));
    }
}

/// Sends messages while `serve` acts as the server.
fn send(sink: &mut Relp, count: usize, serve: impl FnOnce() + Send) -> Result<SendReport, SendFailure> {
    let batch = batch(count);
    std::thread::scope(|scope| {
        let server = scope.spawn(serve);
        let sent = sink.send(&messages(&batch));
        server.join().unwrap();
        sent
    })
}

#[test]
fn messages_arrive_in_order_and_are_delivered_when_answered() {
    let listener = listener();
    let mut sink = sink(&[&listener], 4);
    let sent = send(&mut sink, 10, || {
        let mut session = Session::open(&listener);
        for number in session.take(0..2).into_iter().rev() {
            session.answer(number, "200 OK");
        }
        for at in 2..10 {
            let number = session.take(at..at + 1)[0];
            session.answer(number, "200");
        }
    });
    assert_eq!(sent, Ok(SendReport::all(10 * "10 syslog 2 m0\n".len() - 8)));
}

#[test]
fn no_more_messages_are_on_their_way_than_the_window_allows() {
    let (batch, listener) = (batch(10), listener());
    let mut sink = sink(&[&listener], 4);
    sink.answers.expect(1, 10);
    let mut step = |expected: usize, answer: Option<u32>| {
        if let Some(number) = answer {
            assert!(sink.answers.take(number).is_some());
        }
        sink.fill(&messages(&batch));
        sink.written = sink.out.len();
        assert_eq!(sink.answers.sent, expected);
    };
    step(4, None);
    step(4, Some(1));
    step(6, Some(2));
}

#[test]
fn what_the_server_refuses_is_named_with_its_reason() {
    let listener = listener();
    let sent = send(&mut sink(&[&listener], 100), 3, || {
        let mut session = Session::open(&listener);
        let numbers = session.take(0..3);
        session.answer(numbers[2], &format!("500 \u{7}no{}", "x".repeat(1000)));
        session.answer(numbers[1], "200 OK");
        session.answer(numbers[0], "500 too long\nmore");
    });
    let refused = |reason: String| format!("the server refused it: {reason}");
    let expected =
        vec![(0, refused("500 too long".to_owned())), (2, refused(format!("500 no{}", "x".repeat(194))))];
    assert_eq!(sent.unwrap().refused, expected);
}

#[test]
fn only_what_has_no_answer_is_sent_again() {
    let listener = listener();
    let mut sink = sink(&[&listener], 100);
    for end in ["", "0 serverclose 0\n", "GET / HTTP/1.1\r\n\r\n", "7777 rsp 3 200\n", "9 syslog 1 x\n"] {
        let sent = send(&mut sink, 4, || {
            let mut session = Session::open(&listener);
            let numbers = session.take(0..4);
            session.answer(numbers[0], "200 OK");
            session.answer(numbers[2], "200 OK");
            session.say(end);
        });
        let sent = sent.unwrap();
        assert_eq!((sent.again, sent.refused), (vec![1, 3], vec![]), "{end}");
        let reason = sent.busy.unwrap().reason;
        assert!(reason.starts_with("relp://127.0.0.1:") && reason.contains(": "), "{reason}");
    }
}

#[test]
fn a_server_that_does_not_answer_is_given_up() {
    let check = |serve: fn(&mut Session), expected: &str| {
        let listener = listener();
        let mut sink = sink(&[&listener], 100);
        sink.answer_wait_max = Duration::from_millis(200);
        let sent = send(&mut sink, 3, || {
            let mut session = Session::open(&listener);
            serve(&mut session);
            // Closing before everything is read would discard the answers on their way.
            while session.next().is_some() {}
        });
        let reason = sent.unwrap_err().reason;
        assert!(reason.ends_with(expected), "{reason}");
    };
    let late = "the server does not answer: 3 messages are waiting for an acknowledgement";
    check(|_| {}, late);
    // A hint is not an answer, however many are sent.
    check(
        |session| {
            while session.socket.write_all(b"0 hint 0\n").is_ok() {}
        },
        late,
    );
    check(|session| session.say("5 rsp 999999999 "), "a frame from the receiver has an invalid length");
    check(|session| session.say(&"x".repeat(1000)), "the receiver does not speak RELP");
}

#[test]
fn a_server_that_begins_no_session_gets_no_messages() {
    let check = |answer: &str, expected: &str| {
        let listener = listener();
        let mut sink = sink(&[&listener], 100);
        sink.answer_wait_max = Duration::from_millis(200);
        let sent = send(&mut sink, 3, || {
            let mut session = Session::connected(&listener);
            session.next().unwrap();
            session.say(answer);
            assert_eq!(session.next(), None);
        });
        let reason = sent.unwrap_err().reason;
        assert!(reason.ends_with(expected), "{reason}");
    };
    check("", "the server does not answer as RELP requires");
    check("1 rsp 6 500 no\n", "the server refused the session: 500 no");
    check("2 rsp 6 200 OK\n", "the server sent `rsp` instead of opening a session");
    check("<13>hello over there\n", "a frame from the receiver does not begin with a transaction number");
}

#[test]
fn a_session_that_the_server_ends_behind_its_last_answer_is_begun_again() {
    let listener = listener();
    let mut sink = sink(&[&listener], 100);
    for _ in 0..3 {
        let sent = send(&mut sink, 1, || {
            let mut session = Session::open(&listener);
            let number = session.take(0..1)[0];
            session.say(&format!("{number} rsp 6 200 OK\n0 serverclose 0\n"));
        });
        let sent = sent.unwrap();
        assert_eq!((sent.again, sent.busy), (vec![], None));
    }
}

#[test]
fn the_next_server_is_used_when_the_session_breaks() {
    let (first, second) = (listener(), listener());
    let mut sink = sink(&[&first, &second], 100);
    let failed = send(&mut sink, 1, || drop(Session::open(&first)));
    assert!(failed.is_err());
    let sent = send(&mut sink, 1, || {
        let mut session = Session::open(&second);
        let number = session.take(0..1)[0];
        session.answer(number, "200 OK");
    });
    assert_eq!(sent.unwrap().again, [] as [usize; 0]);
}
