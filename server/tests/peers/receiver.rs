//! rsyslog and syslog-ng as receivers, which write the messages that they get to a file: host, program, process and
//! text.

use crate::certificates::{Authority, Identity};
use crate::numbered::parse;
use crate::program::{Daemon, program, rsyslog};
use crate::support::{free_port, wait_until};
use std::process::Command;
use tempfile::TempDir;

/// The protocol of a receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spoken {
    Udp,
    Tcp,
    /// A newline after each message.
    Lines,
    Tls,
    Relp,
    RelpTls,
}

/// The program that receives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    Rsyslog,
    SyslogNg,
}

/// A receiver that can be killed and started again.
pub(crate) struct Receiver {
    program: Program,
    spoken: Spoken,
    port: u16,
    folder: TempDir,
    sender: Identity,
    authority: String,
    running: Option<Daemon>,
}

impl Receiver {
    pub(crate) fn start(program: Program, spoken: Spoken) -> Receiver {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new(folder.path(), "authority");
        authority.sign("localhost");
        let (sender, authority) = (authority.sign("logstead"), authority.certificate());
        let port = free_port();
        let mut receiver = Receiver { program, spoken, port, folder, sender, authority, running: None };
        let text = match program {
            Program::Rsyslog => receiver.rsyslog_text(),
            Program::SyslogNg => receiver.syslog_ng_text(),
        };
        std::fs::write(receiver.folder.path().join("receiver.conf"), text).unwrap();
        receiver.start_again();
        receiver
    }

    /// Ends it immediately.
    pub(crate) fn kill(&mut self) {
        self.running = None;
    }

    pub(crate) fn start_again(&mut self) {
        self.running = Some(Daemon::start(&mut self.command(), self.folder.path()));
        wait_until("the receiver listens", || self.listens());
    }

    /// The numbers of the received messages, in order.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let text = std::fs::read_to_string(self.folder.path().join("out.log")).unwrap_or_default();
        // The last line may not be complete yet.
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        let lines = text.get(..end).unwrap_or_default().lines();
        lines
            .filter_map(|line| parse(line.rsplit('|').next()?.trim_start()))
            .map(|(_, number)| number)
            .collect()
    }

    /// Everything that it has written.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("out.log")).unwrap_or_default()
    }

    /// The keys of the destination that sends to it.
    pub(crate) fn destination(&self) -> String {
        let (kind, scheme, more) = match self.spoken {
            Spoken::Udp => ("syslog", "udp", "format = \"rfc3164\""),
            Spoken::Tcp => ("syslog", "tcp", ""),
            Spoken::Lines => ("syslog", "tcp", "framing = \"newline\""),
            Spoken::Tls => ("syslog", "tls", ""),
            Spoken::Relp => ("relp", "relp", ""),
            Spoken::RelpTls => ("relp", "relp+tls", ""),
        };
        let tls = if scheme.ends_with("tls") { self.sender_tls() } else { String::new() };
        format!("kind = \"{kind}\"\nto = \"{scheme}://localhost:{}\"\n{more}\n{tls}\n", self.port)
    }

    fn sender_tls(&self) -> String {
        let Identity { certificate, key } = &self.sender;
        format!("tls = {{ ca = \"{}\", certificate = \"{certificate}\", key = \"{key}\" }}", self.authority)
    }

    fn command(&self) -> Command {
        let folder = self.folder.path();
        match self.program {
            Program::Rsyslog => {
                let mut command = rsyslog();
                command.args(["-n", "-C", "-i", "NONE", "-f"]).arg(folder.join("receiver.conf"));
                command
            }
            Program::SyslogNg => {
                let mut command = program("syslog-ng", "syslog-ng-core");
                command.args(["--foreground", "--stderr", "--no-caps", "--cfgfile"]);
                command.arg(folder.join("receiver.conf"));
                for (option, file) in
                    [("--persist-file", "persist"), ("--control", "ctl"), ("--pidfile", "pid")]
                {
                    command.arg(option).arg(folder.join(file));
                }
                command
            }
        }
    }

    /// It has no queue, so that everything is written before it is acknowledged.
    fn rsyslog_text(&self) -> String {
        let (folder, port) = (self.folder.path().display(), self.port);
        let (authority, own) = (&self.authority, format!("{folder}/localhost"));
        let keys = format!("tls.caCert=\"{authority}\" tls.myCert=\"{own}.pem\" tls.myPrivKey=\"{own}.key\"");
        let input = match self.spoken {
            Spoken::Udp => format!(
                "module(load=\"imudp\")\ninput(type=\"imudp\" address=\"127.0.0.1\" port=\"{port}\" rcvbufSize=\"1m\")"
            ),
            Spoken::Tcp | Spoken::Lines => {
                format!(
                    "module(load=\"imptcp\")\ninput(type=\"imptcp\" address=\"127.0.0.1\" port=\"{port}\")"
                )
            }
            Spoken::Tls => format!(
                "global(defaultNetstreamDriver=\"gtls\" defaultNetstreamDriverCAFile=\"{authority}\"\n\
                   defaultNetstreamDriverCertFile=\"{own}.pem\" defaultNetstreamDriverKeyFile=\"{own}.key\")\n\
                 module(load=\"imtcp\" streamDriver.name=\"gtls\" streamDriver.mode=\"1\"\n\
                   streamDriver.authMode=\"x509/name\" permittedPeer=[\"logstead\"])\n\
                 input(type=\"imtcp\" address=\"127.0.0.1\" port=\"{port}\")"
            ),
            Spoken::Relp => format!(
                "module(load=\"imrelp\")\ninput(type=\"imrelp\" address=\"127.0.0.1\" port=\"{port}\")"
            ),
            Spoken::RelpTls => format!(
                "module(load=\"imrelp\" tls.tlsLib=\"openssl\")\n\
                 input(type=\"imrelp\" address=\"127.0.0.1\" port=\"{port}\" tls=\"on\" {keys}\n\
                   tls.authMode=\"name\" tls.permittedPeer=[\"logstead\"])"
            ),
        };
        format!(
            "global(workDirectory=\"{folder}\" net.enableDNS=\"off\" localHostname=\"receiver\")\n\
             main_queue(queue.type=\"Direct\")\n{input}\n\
             template(name=\"text\" type=\"string\" string=\"%hostname%|%programname%|%procid%|%msg%\\n\")\n\
             action(type=\"omfile\" file=\"{folder}/out.log\" template=\"text\")\n"
        )
    }

    fn syslog_ng_text(&self) -> String {
        let (folder, port) = (self.folder.path().display(), self.port);
        let source = match self.spoken {
            Spoken::Udp => {
                format!("network(ip(\"127.0.0.1\") port({port}) transport(\"udp\") so-rcvbuf(1048576))")
            }
            Spoken::Lines => {
                format!("network(ip(\"127.0.0.1\") port({port}) transport(\"tcp\") flags(syslog-protocol))")
            }
            Spoken::Tls => format!(
                "syslog(ip(\"127.0.0.1\") port({port}) transport(\"tls\") tls(ca-file(\"{}\")\n\
                   cert-file(\"{folder}/localhost.pem\") key-file(\"{folder}/localhost.key\")\n\
                   peer-verify(required-trusted)))",
                self.authority
            ),
            _ => format!("syslog(ip(\"127.0.0.1\") port({port}) transport(\"tcp\"))"),
        };
        format!(
            "@version: 3.38\noptions {{ stats-freq(0); flush-lines(1); keep-hostname(yes); }};\nsource s {{ {source}; }};\n\
             destination d {{ file(\"{folder}/out.log\" template(\"$HOST|$PROGRAM|$PID|$MSG\\n\")); }};\n\
             log {{ source(s); destination(d); }};\n"
        )
    }

    /// Whether it listens, according to the system, so that the receiver gets no unexpected connection.
    fn listens(&self) -> bool {
        let (table, state) = if self.spoken == Spoken::Udp { ("udp", "07") } else { ("tcp", "0A") };
        let table = std::fs::read_to_string(format!("/proc/net/{table}")).unwrap();
        let port = format!(":{:04X}", self.port);
        table.lines().skip(1).any(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            columns[1].ends_with(&port) && columns[3] == state
        })
    }
}
