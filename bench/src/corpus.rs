//! Lines as servers write them, generated from a seed: the same seed always gives the same bytes.

use std::io::Write;

const HOSTS: u64 = 200;
pub(crate) const START_SECOND: u64 = 1_793_491_200;
/// Program, severity and message; `#` stands for a number, `@` for an address, `&` for a hexadecimal id.
const TEMPLATES: [(&str, u8, &str); 12] = [
    ("sshd", 6, "Accepted publickey for deploy from @ port # ssh2: RSA SHA256:&"),
    ("sshd", 4, "Failed password for invalid user admin from @ port # ssh2"),
    ("kernel", 6, "nf_conntrack: table full on eth0, dropping packet from @"),
    ("nginx", 6, "GET /api/v2/items/# HTTP/1.1 200 # \"-\" upstream @ request &"),
    ("nginx", 3, "upstream timed out (110: Connection timed out) while reading from @, id &"),
    ("postgres", 6, "duration: # ms statement: SELECT * FROM orders WHERE id = #"),
    ("postgres", 3, "could not serialize access due to concurrent update, transaction #"),
    ("cron", 6, "(root) CMD (run-parts --report /etc/cron.hourly) pid #"),
    ("dhcpd", 6, "DHCPACK on @ to & via eth1 lease #"),
    ("app", 6, "request finished status=200 bytes=# duration_ms=# trace=& user=#"),
    ("app", 4, "retrying job # attempt # after error: connection reset by peer"),
    ("systemd", 6, "Started Session # of user deploy on seat0"),
];

/// Generates `count` messages in RFC 5424 format, one per line.
pub(crate) fn lines(count: usize) -> Vec<u8> {
    let mut random = Random(1);
    let mut out = Vec::with_capacity(count * 140);
    for number in 0..count as u64 {
        let (program, severity, template) = TEMPLATES[random.below(TEMPLATES.len() as u64) as usize];
        let second = START_SECOND + number / 500;
        let time = logstead_record::Timestamp::from_nanos(
            (second * 1_000_000_000 + number % 500 * 2_000_000) as i64,
        );
        let (host, pid) = (random.below(HOSTS), 100 + random.below(30_000));
        let priority = 16 * 8 + severity;
        // Writing to a vector cannot fail.
        write!(out, "<{priority}>1 ").ok();
        time.write_rfc3339(&mut out, 6);
        write!(out, " host-{host:03} {program} {pid} - - ").ok();
        for c in template.chars() {
            match c {
                '#' => write!(out, "{}", random.below(100_000)),
                '@' => write!(out, "10.{}.{}.{}", random.below(4), random.below(256), random.below(256)),
                '&' => write!(out, "{:016x}", random.next()),
                other => write!(out, "{other}"),
            }
            .ok();
        }
        out.push(b'\n');
    }
    out
}

/// A SplitMix64 random number generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}
