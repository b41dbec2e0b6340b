//! The configurations in the README and in `docs/agents.md`, run exactly as shown by the programs for which they are
//! meant.
//!
//! Keywords: documentation, README, agents, rsyslog, syslog-ng, logger, curl, systemd-journal-upload.
//!
//! The console also shows `docs/agents.md`, so its lines are the lines that run here. Every block of it is either in
//! [`TRIED`] or in a section that says that it was not tried.

use crate::program::{Daemon, program, rsyslog, run};
use crate::support::{Server, TOKEN, free_port, wait_until};
use crate::{journald, syslog_ng};
use std::io::Write;
use std::os::unix::net::UnixStream;

const AGENTS: &str = include_str!("../../../docs/agents.md");
const README: &str = include_str!("../../../README.md");
/// The clients in Python and Node, which are run by `e2e/clients/documents.spec.ts`.
const CLIENTS: &str = include_str!("../../../e2e/clients/documents.spec.ts");
const NOT_TRIED: &str = "Not tried here";

/// The sections whose blocks all run, here or in [`CLIENTS`], with the number of their blocks.
const TRIED: [(&str, usize); 6] =
    [("rsyslog", 2), ("syslog-ng", 2), ("systemd", 2), ("Python", 3), ("Node", 1), ("curl", 1)];

/// The headings of the third level, each with the text below it.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    AGENTS.split("\n### ").skip(1).map(|section| section.split_once('\n').unwrap())
}

/// The fenced blocks of a text.
fn blocks(text: &'static str) -> Vec<&'static str> {
    text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap().1).collect()
}

/// A block of a section of `docs/agents.md`.
fn agent(heading: &str, at: usize) -> &'static str {
    blocks(sections().find(|(name, _)| *name == heading).unwrap().1)[at]
}

/// The block of the README that contains this text.
fn readme(has: &str) -> &'static str {
    blocks(README).into_iter().find(|block| block.contains(has)).unwrap()
}

/// A receiver for everything that the pages describe, on its own ports.
struct Receiver {
    server: Server,
    web: u16,
    relp: u16,
}

impl Receiver {
    fn start() -> Receiver {
        let (web, relp) = (free_port(), free_port());
        let router = format!(
            "version = 1\n\
             [[sources]]\nid = \"syslog\"\nkind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\", \"udp://127.0.0.1:0\"]\n\
             [[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:{relp}\"]\n\
             [[sources]]\nid = \"http\"\nkind = \"http\"\n\
             [[logspaces]]\nid = \"main\"\n[[routes]]\nid = \"default\"\nto = [\"main\"]\n"
        );
        let server = Server::start_with(&router, &[&format!("web.listen=127.0.0.1:{web}")]);
        Receiver { server, web, relp }
    }

    /// A block with the host, the ports and the token of this server filled in. `$TOKEN` is a variable of the reader.
    fn filled(&self, block: &str) -> String {
        let tcp = self.server.address("tcp").port();
        let values = [
            ("logs.example", "127.0.0.1".to_owned()),
            ("\"HOST\"", "\"127.0.0.1\"".to_owned()),
            ("2514", self.relp.to_string()),
            ("8080", self.web.to_string()),
            ("5514", tcp.to_string()),
            ("$TOKEN", "$TOKEN".to_owned()),
            ("TOKEN", TOKEN.to_owned()),
        ];
        let (mut filled, mut rest) = (String::new(), block);
        while let Some(next) = rest.chars().next() {
            let found = values.iter().find_map(|(name, value)| Some((value, rest.strip_prefix(name)?)));
            match found {
                Some((value, behind)) => {
                    filled.push_str(value);
                    rest = behind;
                }
                None => {
                    filled.push(next);
                    rest = rest.strip_prefix(next).unwrap_or_default();
                }
            }
        }
        filled
    }

    /// Waits for the only message with this text, and returns it.
    fn message(&self, text: &str) -> serde_json::Value {
        self.server.wait_for(text, 1);
        self.server.search(text).remove(0)
    }
}

fn check_rsyslog(block: &str) {
    let (receiver, folder) = (Receiver::start(), tempfile::tempdir().unwrap());
    let path = folder.path().display();
    // An unpacked package has no folder for its queue.
    let text = format!(
        "global(workDirectory=\"{path}\" net.enableDNS=\"off\" localHostname=\"web-1\")\nmodule(load=\"imfile\")\n\
         input(type=\"imfile\" file=\"{path}/in.log\" tag=\"feed\" freshStartTail=\"off\")\n{}\n",
        receiver.filled(block)
    );
    std::fs::write(folder.path().join("rsyslog.conf"), text).unwrap();
    std::fs::write(folder.path().join("in.log"), "sent by the lines of the page\n").unwrap();
    let mut command = rsyslog();
    command.args(["-n", "-C", "-i", "NONE", "-f"]).arg(folder.path().join("rsyslog.conf"));
    let sender = Daemon::start(&mut command, folder.path());
    let message = receiver.message("\"sent by the lines of the page\"");
    assert_eq!((&message["host"], &message["program"]), (&"web-1".into(), &"feed".into()), "{message}");
    assert!(!sender.said().contains("error"), "{}", sender.said());
}

fn check_syslog_ng(block: &str) {
    let (receiver, folder) = (Receiver::start(), tempfile::tempdir().unwrap());
    let path = folder.path().display();
    let log = "log { source(s_src); destination(d_logstead); };";
    let given = receiver.filled(block);
    let text = format!(
        "@version: 3.38\noptions {{ keep-hostname(yes); stats-freq(0); }};\n\
         source s_src {{ unix-stream(\"{path}/in.sock\" flags(expect-hostname)); }};\n{given}\n{}\n",
        if given.contains("log {") { "" } else { log }
    );
    // The buffer on the page is sized for a server and is allocated at once, so it is made smaller.
    std::fs::write(folder.path().join("syslog-ng.conf"), text.replace("1073741824", "1048576")).unwrap();
    let _sender = syslog_ng::start(folder.path());
    let mut socket = UnixStream::connect(folder.path().join("in.sock")).unwrap();
    writeln!(socket, "<35>2026-11-21T16:39:51Z web-1 feed[7]: sent by the lines of the page").unwrap();
    let message = receiver.message("\"sent by the lines of the page\"");
    let text = |name: &str| message[name].as_str().unwrap().to_owned();
    assert_eq!(
        [text("host"), text("program"), text("pid"), text("severity_name")],
        ["web-1", "feed", "7", "err"]
    );
    assert_eq!(text("time"), "2026-11-21T16:39:51Z");
}

#[test]
fn rsyslog_sends_by_the_lines_of_the_pages() {
    check_rsyslog(agent("rsyslog", 0));
    check_rsyslog(agent("rsyslog", 1));
    check_rsyslog(readme("type=\"omrelp\""));
    check_rsyslog(readme("type=\"omfwd\""));
}

#[test]
fn syslog_ng_sends_by_the_lines_of_the_pages() {
    check_syslog_ng(agent("syslog-ng", 0));
    check_syslog_ng(agent("syslog-ng", 1));
    check_syslog_ng(readme("destination d_logstead"));
}

#[test]
fn the_journal_is_uploaded_to_the_address_of_the_page() {
    let (receiver, folder) = (Receiver::start(), tempfile::tempdir().unwrap());
    let block = receiver.filled(agent("systemd", 0));
    let url = block.lines().find_map(|line| line.strip_prefix("URL=")).unwrap();
    journald::upload_one(url, folder.path(), "sent by the lines of the page");
    receiver.message("\"sent by the lines of the page\"");
}

#[test]
fn the_commands_of_the_pages_send_a_message_that_is_found() {
    let receiver = Receiver::start();
    let shell = |command: &str| {
        program("curl", "curl");
        program("logger", "bsdutils");
        let mut shell = program("sh", "dash");
        shell.args(["-ec", &receiver.filled(command)]).env("TOKEN", TOKEN);
        let output = run(&mut shell, b"");
        assert!(output.status.success(), "{command}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    shell(agent("curl", 0));
    let message = receiver.message("slow");
    assert_eq!(
        (&message["host"], &message["severity_name"]),
        (&"web-1".into(), &"warning".into()),
        "{message}"
    );
    // `logger -d` needs the UDP port.
    let (tcp, udp) = (receiver.server.address("tcp").port(), receiver.server.address("udp").port());
    let lines = readme("logger -n").lines().map(|line| match line.contains(" -d ") {
        true => line.replace("5514", &udp.to_string()),
        false => line.replace("5514", &tcp.to_string()),
    });
    lines.for_each(|line| drop(shell(&line)));
    receiver.message("\"hello logstead\"");
    receiver.message("\"hello over udp\"");
    let commands = readme("hello over http").lines().filter(|line| !line.starts_with("export TOKEN"));
    let (send, find): (Vec<&str>, Vec<&str>) = commands.partition(|line| !line.contains("/search?"));
    assert!(shell(&send.join("\n")).contains("\"accepted\":1"));
    wait_until("it is found as the page finds it", || shell(find[0]).contains("hello over http"));
}

#[test]
fn every_configuration_of_the_page_is_tried_or_said_not_to_be() {
    for (heading, section) in sections() {
        let tried = TRIED.iter().find(|(name, _)| *name == heading).map_or(0, |(_, blocks)| *blocks);
        let here = blocks(section).len();
        let is_said = section.contains(NOT_TRIED);
        assert!(here == tried || (is_said && tried == 0), "{heading}: {here} blocks, of which {tried} run");
        assert!(!is_said || 0 < here, "{heading} has nothing to try");
    }
    for heading in ["Python", "Node"] {
        assert!(CLIENTS.contains(&format!("'{heading}'")), "{heading} is tried nowhere");
    }
    let (introduction, _) = AGENTS.split_once("\n## ").unwrap();
    assert!(introduction.contains(NOT_TRIED), "the page does not say what that means");
}
