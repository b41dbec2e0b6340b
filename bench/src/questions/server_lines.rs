//! Lines as servers write them: the texts of daemons and of the kernel, with addresses, users, ids and counts, over one
//! day. The same number of lines is always the same bytes.

use super::made::{Random, address_of, pick, time_at, user_name, weighted};
use std::io::{self, Write};

const HOSTS: u64 = 200;
/// The names of programs that say little, each with four texts of its own.
const RARE_PARTS: [[&str; 12]; 2] = [
    ["disk", "mail", "cache", "auth", "net", "print", "clock", "backup", "queue", "vault", "proxy", "stat"],
    [
        "d", "-agent", "-sync", "ctl", "-mon", "-helper", "-relay", "-watch", "-gc", "-probe", "-index",
        "-push",
    ],
];
/// The share of their lines, in thousandths.
const RARE_SHARE: u64 = 90;
/// A line in this many has a word that no other line has.
const NEEDLE_EVERY: u64 = 100_000;

/// A text of a program, and how often it is said.
struct Text(&'static str, u8, u64, &'static str);

/// Program, severity, weight and text. `#` is a number, `~` a digit, `@` an address, `&` a hexadecimal id, `%` a user,
/// `^` the number of a block, which is often negative.
const TEXTS: [Text; 54] = [
    Text("sshd", 6, 60, "Accepted publickey for % from @ port # ssh2: RSA SHA256:&"),
    Text("sshd", 4, 70, "Failed password for % from @ port # ssh2"),
    Text("sshd", 4, 30, "Failed password for invalid user % from @ port # ssh2"),
    Text("sshd", 6, 30, "Connection closed by @ port # [preauth]"),
    Text("sshd", 5, 25, "pam_unix(sshd:auth): authentication failure; logname= uid=0 tty=ssh rhost=@ user=%"),
    Text("sshd", 6, 40, "pam_unix(sshd:session): session opened for user % by (uid=~)"),
    Text("sshd", 6, 40, "pam_unix(sshd:session): session closed for user %"),
    Text("sshd", 3, 4, "error: maximum authentication attempts exceeded for % from @ port # ssh2"),
    Text("ftpd", 6, 50, "connection from @ () at port #"),
    Text("ftpd", 4, 5, "refused connection from @ by rule ~"),
    Text("su", 5, 8, "authentication failure for root, asked by % on pts/~"),
    Text("sudo", 5, 12, "% : TTY=pts/~ ; PWD=/home/% ; USER=root ; COMMAND=/usr/bin/systemctl status app-~"),
    Text("login", 3, 3, "FAILED LOGIN ~ FROM @ FOR %, authentication error"),
    Text("KERNEL", 3, 20, "data TLB error interrupt at instruction 0x&"),
    Text("KERNEL", 6, 20, "generating core.# for rank ~"),
    Text("KERNEL", 2, 10, "failed to read message prefix on control stream to @:#"),
    Text("KERNEL", 4, 10, "ddr: #~ correctable error(s) on rank ~, symbol ~"),
    Text("apache", 3, 15, "child worker in error state ~"),
    Text("apache", 5, 20, "found child # in scoreboard slot ~"),
    Text("apache", 3, 10, "[client @] directory index forbidden by rule: /var/www/html/"),
    Text("apache", 4, 4, "child # failed to attach to slot ~"),
    Text("zookeeper", 4, 10, "Connection to peer ~ broken by @:#, my id = ~"),
    Text("zookeeper", 3, 15, "Connection broken for id #&, my id = ~, error ="),
    Text("zookeeper", 6, 15, "Received connection request /@:#"),
    Text("zookeeper", 6, 20, "Notification: # (leader), ~ (round), LOOKING (state), my id = ~"),
    Text("hdfs", 6, 60, "Received block ^ of size # from /@"),
    Text("hdfs", 6, 50, "PacketResponder ~ for block ^ terminating"),
    Text("hdfs", 6, 20, "Verification succeeded for ^"),
    Text("hdfs", 4, 5, "Got exception while serving ^ to /@"),
    Text("hdfs", 6, 30, "NameSystem.delete: ^ is added to invalidSet of @:#"),
    Text("spark", 6, 50, "Finished task ~.0 in stage ~.0 (TID #). # bytes result sent to driver"),
    Text("spark", 6, 40, "Running task ~.0 in stage ~.0 (TID #)"),
    Text("spark", 4, 4, "Lost task ~.0 in stage ~.0 (TID #, @): fetch failed"),
    Text("kernel", 4, 25, "nf_conntrack: table full on eth~, dropping packet from @"),
    Text("kernel", 3, 5, "I/O error, dev sda, sector #"),
    Text("kernel", 4, 5, "usb ~-~: device descriptor read failed, error -#"),
    Text("kernel", 6, 20, "TCP: request on port #, sending cookies"),
    Text("crond", 6, 30, "(root) CMD (run-parts --report /etc/cron.hourly) pid #"),
    Text("nginx", 6, 60, "GET /api/v2/items/# HTTP/1.1 200 # \"-\" upstream @ request &"),
    Text("nginx", 3, 8, "upstream timed out (110: Connection timed out) while reading from @, id &"),
    Text("nginx", 3, 5, "connect() failed (111: Connection refused) while connecting to upstream @:#"),
    Text("postgres", 6, 40, "duration: # ms statement: SELECT * FROM orders WHERE id = #"),
    Text("postgres", 3, 6, "could not serialize access due to concurrent update, transaction #"),
    Text("postgres", 4, 8, "password authentication failed for user %"),
    Text("dhcpd", 6, 40, "DHCPACK on @ to & via eth~ lease #"),
    Text("app", 6, 60, "request finished status=200 bytes=# duration_ms=# trace=& user=%"),
    Text("app", 4, 15, "retrying job # attempt ~ after error: connection reset by peer"),
    Text("app", 3, 6, "cannot save order # of user %: database is read-only"),
    Text("systemd", 6, 30, "Started Session # of user % on seat~"),
    Text("systemd", 4, 4, "app-~.service: main process exited, code=killed, session #"),
    Text("postfix", 6, 25, "connect from mail-~.example.net[@]"),
    Text("postfix", 4, 8, "lost connection after AUTH from unknown[@]"),
    Text("postfix", 3, 4, "broken pipe while writing to queue file &"),
    Text("rpcd", 3, 4, "broken reply from @: bad length #"),
];

/// Writes this many lines in the format of RFC 5424.
pub(super) fn write_lines(count: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random(49);
    let often = weighted(&TEXTS.map(|text| text.2));
    let rare = rare_texts();
    for number in 0..count {
        let (program, severity, text) = if random.below(1000) < RARE_SHARE {
            // The first of them say the most: the product of two draws.
            let at = random.below(rare.len() as u64) * random.below(rare.len() as u64) / rare.len() as u64;
            let (program, text) = &rare[at as usize];
            (program.as_str(), 6, text.as_str())
        } else {
            let Text(program, severity, _, text) = TEXTS[often[random.below(often.len() as u64) as usize]];
            (program, severity, text)
        };
        let host = random.below(HOSTS).min(random.below(HOSTS));
        let pid = process_id(&mut random, host, program);
        write!(out, "<{}>1 {} host-{host:03} {program} {pid} - - ", 8 + severity, time_at(number, count))?;
        write_text(&mut random, text, out)?;
        if number % NEEDLE_EVERY == NEEDLE_EVERY - 1 {
            write!(out, " needle-{number}")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A number that a session gets anew, and a daemon keeps.
fn process_id(random: &mut Random, host: u64, program: &str) -> u64 {
    let is_session = matches!(program, "sshd" | "ftpd" | "su" | "sudo" | "login" | "crond" | "postfix");
    if is_session {
        return 300 + random.below(60_000);
    }
    let of_program =
        program.bytes().fold(host, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    300 + Random(of_program).below(4000)
}

fn write_text(random: &mut Random, text: &str, out: &mut impl Write) -> io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(['#', '~', '@', '&', '%', '^']) {
        let (plain, tail) = rest.split_at(at);
        out.write_all(plain.as_bytes())?;
        match tail.as_bytes()[0] {
            b'#' => write!(out, "{}", random.below(100_000))?,
            b'~' => write!(out, "{}", random.below(10))?,
            b'@' => out.write_all(address(random).as_bytes())?,
            b'&' => write!(out, "{:016x}", random.next())?,
            b'%' => out.write_all(user(random).as_bytes())?,
            _ => write!(out, "blk_{}", random.next() as i64)?,
        }
        rest = tail.split_at(1).1;
    }
    out.write_all(rest.as_bytes())
}

/// An address of the own network: half of the time one of four thousand that are seen often.
fn address(random: &mut Random) -> String {
    match random.below(8) {
        0..4 => format!("10.{}.{}.{}", random.below(8), random.below(16), 1 + random.below(32)),
        4..7 => format!("10.{}.{}.{}", random.below(16), random.below(64), 1 + random.below(254)),
        _ => address_of(random.below(50_000)),
    }
}

/// A user: root every tenth time.
fn user(random: &mut Random) -> String {
    match random.below(10) {
        0 => "root".to_owned(),
        1..5 => user_name(random.below(12)),
        _ => user_name(random.below(2000)),
    }
}

/// Programs with a few texts each, made of words.
fn rare_texts() -> Vec<(String, String)> {
    const WORDS: [&str; 16] = [
        "table", "lease", "worker", "snapshot", "handle", "peer", "session", "limit", "volume", "cursor",
        "token", "segment", "channel", "policy", "timer", "shard",
    ];
    const VERBS: [&str; 8] =
        ["opened", "dropped", "renewed", "checked", "moved", "flushed", "expired", "merged"];
    let mut random = Random(7);
    let [first, second] = RARE_PARTS;
    let programs = first.iter().flat_map(|first| second.iter().map(move |second| format!("{first}{second}")));
    let texts = programs.flat_map(|program| {
        let mut text = || {
            let [noun, verb, of] =
                [pick(&mut random, &WORDS), pick(&mut random, &VERBS), pick(&mut random, &WORDS)];
            match random.below(3) {
                0 => format!("{noun} # {verb} by {of} ~"),
                1 => format!("{noun} & of {of} {verb} in # us"),
                _ => format!("{of} ~: {noun} {verb}, # left"),
            }
        };
        [text(), text(), text(), text()].map(|text| (program.clone(), text))
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(count: u64) -> String {
        let mut out = Vec::new();
        write_lines(count, &mut out).expect("a vector");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_number_of_lines_is_always_the_same_bytes() {
        let lines = made(3000);
        assert_eq!(lines, made(3000));
        assert_eq!(lines.lines().count(), 3000);
        assert!(lines.starts_with("<14>1 2026-11-01T00:00:00.") || lines.contains(">1 2026-11-01T00:00:00."));
    }

    #[test]
    fn the_lines_contain_what_is_asked() {
        let lines = made(100_000);
        let asked = [
            "needle-99999",
            " 10.7.10.12 ",
            "id = 2,",
            "Connection broken",
            "connection from 10.7.",
            "session opened",
            "user=root",
            "). ",
            "host-150",
            "authentication failure",
            "Failed password for root from",
        ];
        let missing: Vec<_> = asked.iter().filter(|text| !lines.contains(**text)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
