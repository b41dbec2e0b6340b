//! Forwarding to programs of other projects: forwarded messages arrive in order, also after the receiver was
//! unavailable; over RELP nothing is missing, however often it is killed.
//!
//! Keywords: forward to syslog-ng, rsyslog.

use crate::numbered::text;
use crate::receiver::{Program, Receiver, Spoken};
use crate::support::{Server, wait_until};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A number of messages that fits in the buffer of a datagram receiver.
const FEW: u64 = 50;

/// Starts a server that receives messages over HTTP and forwards them.
fn forwarding(receiver: &Receiver) -> Server {
    Server::start(&format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"out\"\n{}[[routes]]\nid = \"default\"\nto = [\"main\", \"out\"]\n",
        receiver.destination()
    ))
}

fn feed(server: &Server, numbers: Range<u64>) {
    let count = numbers.end - numbers.start;
    let line = |number| format!("<13>Nov 21 10:00:00 web-1 feed[7]: {}\n", text(0, number));
    let lines: String = numbers.map(line).collect();
    let headers = [("Content-Type", "text/plain")];
    let (_, answer) = server.call("POST", "/ingest?format=auto", &headers, lines.as_bytes());
    assert_eq!(answer["accepted"], count, "{answer}");
}

fn is_retrying(server: &Server) -> bool {
    server.status()["destinations"][0]["state"] == "retrying"
}

/// Waits until all of these have arrived; returns them in the order of their first arrival.
fn arrive(receiver: &Receiver, numbers: Range<u64>) -> Vec<u64> {
    let mut missing = Vec::new();
    wait_until(&format!("all of {numbers:?} arrive"), || {
        let found = receiver.numbers();
        missing = numbers.clone().filter(|number| !found.contains(number)).collect();
        missing.is_empty()
    });
    first_of_each(&receiver.numbers())
}

fn first_of_each(numbers: &[u64]) -> Vec<u64> {
    let mut seen = std::collections::HashSet::new();
    numbers.iter().copied().filter(|number| seen.insert(*number)).collect()
}

fn a_receiver_may_go_away_and_come_back(program: Program, spoken: Spoken) {
    let mut receiver = Receiver::start(program, spoken);
    let server = forwarding(&receiver);
    let all: Vec<u64> = (0..FEW).collect();
    feed(&server, 0..FEW);
    assert_eq!(arrive(&receiver, 0..FEW), all);
    assert_eq!(receiver.numbers(), all, "once each");
    let text = receiver.text();
    assert!(text.lines().all(|line| line.starts_with("web-1|feed|7|")), "{text}");

    receiver.kill();
    // Messages sent before the end of the connection is noticed are lost, except over RELP.
    let mut next = FEW;
    wait_until("the server notices", || {
        feed(&server, next..next + 1);
        next += 1;
        is_retrying(&server)
    });
    feed(&server, next..next + FEW);
    receiver.start_again();
    let found = arrive(&receiver, next..next + FEW);
    assert!(found.is_sorted(), "{found:?}");
    if matches!(spoken, Spoken::Relp | Spoken::RelpTls) {
        assert_eq!(found, (0..next + FEW).collect::<Vec<_>>());
    }
    wait_until("it is in order again", || !is_retrying(&server));
}

/// The receiver is killed again and again while messages are being sent.
fn nothing_is_missing(spoken: Spoken) {
    let mut receiver = Receiver::start(Program::Rsyslog, spoken);
    let server = forwarding(&receiver);
    for round in 0..4 {
        feed(&server, 1000 * round..1000 * (round + 1));
        wait_until("some have arrived", || 1000 * round < receiver.numbers().len() as u64);
        receiver.kill();
        receiver.start_again();
    }
    let found = arrive(&receiver, 0..4000);
    assert_eq!(found, (0..4000).collect::<Vec<_>>());
}

/// The same without acknowledgements: only messages that were being sent may be lost.
fn what_was_on_its_way_may_be_missing(program: Program, spoken: Spoken) {
    let mut receiver = Receiver::start(program, spoken);
    let server = forwarding(&receiver);
    feed(&server, 0..1000);
    arrive(&receiver, 0..1000);
    feed(&server, 1000..2000);
    receiver.kill();
    let mut next = 2000;
    wait_until("the server notices", || {
        feed(&server, next..next + 1);
        next += 1;
        is_retrying(&server)
    });
    feed(&server, next..next + 1000);
    receiver.start_again();
    let found = arrive(&receiver, next..next + 1000);
    assert!(found.is_sorted(), "{found:?}");
    let missing = (0..next + 1000).filter(|number| !found.contains(number));
    assert!(
        missing.clone().all(|number| (1000..next).contains(&number)),
        "{:?}",
        missing.collect::<Vec<_>>()
    );
}

/// The receiver is unavailable for a minute while messages arrive, and meanwhile our server is killed.
fn a_receiver_may_be_away_for_a_minute(program: Program, spoken: Spoken) -> String {
    const AWAY: Duration = Duration::from_secs(60);
    let mut receiver = Receiver::start(program, spoken);
    let mut server = forwarding(&receiver);
    feed(&server, 0..FEW);
    arrive(&receiver, 0..FEW);
    receiver.kill();
    let mut next = FEW;
    wait_until("the server notices", || {
        feed(&server, next..next + 1);
        next += 1;
        is_retrying(&server)
    });
    let (first, left, mut kills) = (next, Instant::now(), 1);
    while left.elapsed() < AWAY {
        if 0 < kills && AWAY / 2 < left.elapsed() {
            server.kill_and_restart();
            kills -= 1;
        }
        feed(&server, next..next + 1);
        next += 1;
        std::thread::sleep(Duration::from_millis(100));
    }
    receiver.start_again();
    let found = arrive(&receiver, first..next);
    assert!(found.is_sorted(), "{found:?}");
    let missing = (0..next).filter(|number| !found.contains(number)).count();
    if matches!(spoken, Spoken::Relp | Spoken::RelpTls) {
        assert_eq!(missing, 0);
    }
    wait_until("it is in order again", || !is_retrying(&server));
    let doubles = receiver.numbers().len() - found.len();
    assert_eq!(doubles, 0, "what was delivered long before the kill came again");
    format!("{next} sent, {missing} missing, none twice")
}

#[test]
#[ignore = "takes more than a minute"]
fn every_receiver_may_be_away_for_a_minute() {
    use Spoken::{Lines, Relp, RelpTls, Tcp, Tls, Udp};
    let of_rsyslog = [Udp, Tcp, Lines, Tls, Relp, RelpTls].map(|spoken| (Program::Rsyslog, spoken));
    let of_syslog_ng = [Udp, Tcp, Lines, Tls].map(|spoken| (Program::SyslogNg, spoken));
    std::thread::scope(|scope| {
        for (program, spoken) in of_rsyslog.into_iter().chain(of_syslog_ng) {
            scope.spawn(move || {
                let told = a_receiver_may_be_away_for_a_minute(program, spoken);
                println!("{program:?}, {spoken:?}: {told}");
            });
        }
    });
}

#[test]
fn rsyslog_receives_datagrams() {
    a_receiver_may_go_away_and_come_back(Program::Rsyslog, Spoken::Udp);
}

#[test]
fn rsyslog_receives_counted_messages() {
    a_receiver_may_go_away_and_come_back(Program::Rsyslog, Spoken::Tcp);
}

#[test]
fn rsyslog_receives_lines() {
    a_receiver_may_go_away_and_come_back(Program::Rsyslog, Spoken::Lines);
}

#[test]
fn rsyslog_receives_over_tls_from_those_with_a_certificate() {
    a_receiver_may_go_away_and_come_back(Program::Rsyslog, Spoken::Tls);
}

#[test]
fn rsyslog_receives_over_relp() {
    a_receiver_may_go_away_and_come_back(Program::Rsyslog, Spoken::Relp);
}

#[test]
fn rsyslog_receives_over_relp_inside_tls() {
    a_receiver_may_go_away_and_come_back(Program::Rsyslog, Spoken::RelpTls);
}

#[test]
fn syslog_ng_receives_datagrams() {
    a_receiver_may_go_away_and_come_back(Program::SyslogNg, Spoken::Udp);
}

#[test]
fn syslog_ng_receives_counted_messages() {
    a_receiver_may_go_away_and_come_back(Program::SyslogNg, Spoken::Tcp);
}

#[test]
fn syslog_ng_receives_lines() {
    a_receiver_may_go_away_and_come_back(Program::SyslogNg, Spoken::Lines);
}

#[test]
fn syslog_ng_receives_over_tls_from_those_with_a_certificate() {
    a_receiver_may_go_away_and_come_back(Program::SyslogNg, Spoken::Tls);
}

#[test]
fn nothing_is_missing_over_relp_when_rsyslog_is_killed() {
    nothing_is_missing(Spoken::Relp);
}

#[test]
fn nothing_is_missing_over_relp_inside_tls_when_rsyslog_is_killed() {
    nothing_is_missing(Spoken::RelpTls);
}

#[test]
fn over_tcp_only_what_was_on_its_way_is_missing_when_rsyslog_is_killed() {
    what_was_on_its_way_may_be_missing(Program::Rsyslog, Spoken::Tcp);
}

#[test]
fn over_tls_only_what_was_on_its_way_is_missing_when_syslog_ng_is_killed() {
    what_was_on_its_way_may_be_missing(Program::SyslogNg, Spoken::Tls);
}

#[test]
fn a_receiver_with_another_certificate_gets_nothing() {
    let receiver = Receiver::start(Program::SyslogNg, Spoken::Tls);
    let router = format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"out\"\n{}[[routes]]\nid = \"default\"\nto = [\"out\"]\n",
        receiver.destination().replace("tls = { ", "tls = { server_name = \"siem.example\", ")
    );
    let server = Server::start(&router);
    feed(&server, 0..1);
    wait_until("the server notices", || is_retrying(&server));
    let error = server.status()["destinations"][0]["last_error"].clone();
    assert!(error.as_str().unwrap().contains("not valid for name"), "{error}");
    assert_eq!(receiver.text(), "");
}

#[test]
fn another_receiver_takes_over() {
    let (mut first, second) =
        (Receiver::start(Program::Rsyslog, Spoken::Relp), Receiver::start(Program::Rsyslog, Spoken::Relp));
    let (to_first, to_second) = (first.destination(), second.destination());
    let url = |text: &str| text.split('"').find(|part| part.starts_with("relp://")).unwrap().to_owned();
    let both = format!("kind = \"relp\"\nto = [\"{}\", \"{}\"]\n", url(&to_first), url(&to_second));
    let server = Server::start(&format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"out\"\n{both}[[routes]]\nid = \"default\"\nto = [\"out\"]\n"
    ));
    feed(&server, 0..FEW);
    arrive(&first, 0..FEW);
    first.kill();
    feed(&server, FEW..2 * FEW);
    arrive(&second, FEW..2 * FEW);
}
