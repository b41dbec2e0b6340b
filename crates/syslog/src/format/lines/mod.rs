//! Lines of files that programs write themselves, recognised by the text after the stamp, or by a text without one.
//!
//! | writer           | line                                                                     |
//! |------------------|--------------------------------------------------------------------------|
//! | containers (CRI) | `2026-11-22T05:11:01.123456789Z stdout F MSG`                            |
//! | Kubernetes       | `I1122 05:11:01.123456       1 file.go:12] MSG` (klog)                    |
//! | nginx            | `2026/11/22 05:11:01 [error] 7#7: *3 MSG, client: 10.0.0.1, …`           |
//! | Apache           | `[Sun Nov 22 05:11:01.123456 2026] [core:error] [pid 7:tid 8] MSG`       |
//! | PostgreSQL       | `2026-11-22 05:11:01.123 UTC [7] ana@shop ERROR:  MSG`                   |
//! | MySQL, MariaDB   | `2026-11-22T05:11:01.123456Z 0 [Warning] [MY-010068] [Server] MSG`       |
//! | BIND             | `22-Nov-2026 05:11:01.123 queries: info: MSG`                            |
//! | anything else    | a stamp, at once or in brackets: the line is a text that has a time      |
//!
//! The request lines of web servers are handled as a payload, since they are also sent after a head.
//!
//! **Invariant:** a line that is not wholly of such a form keeps all of itself as its message.

mod apache;
mod bind;
mod cri;
mod klog;
mod line;
mod mysql;
mod nginx;
mod postgres;

use super::fields::FieldWriter;
use super::frame::stamped_text;
use super::payload;
use super::stamp::{self, Clock};
use super::word::behind_spaces;
use line::LineHead;
use logstead_record::{BatchBuilder, Field, Row};

/// Reads the text after a stamp.
type LineReader = for<'a> fn(&'a [u8], usize, &mut FieldWriter<'_>) -> Option<LineHead<'a>>;

/// The readers for the text after a stamp at the beginning of a line.
const READERS: [(&str, LineReader); 5] = [
    ("cri", cri::read),
    ("nginx", nginx::read),
    ("postgres", postgres::read),
    ("mysql", mysql::read),
    ("bind", bind::read),
];

/// Fills the row; `false` if not even a stamp is recognised.
pub(super) fn read<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    start: usize,
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) -> bool {
    if payload::has_own_stamp(&text[start..]) {
        return false;
    }
    if klog::begins(&text[start..]) {
        return klog::read(row, text, start, clock, builder);
    }
    let open = usize::from(text[start] == b'[');
    let Some((time, end)) = stamp::of_line(text, start + open, clock) else { return false };
    if 0 < open {
        apache::read(row, text, end, builder);
    } else {
        behind_stamp(row, text, behind_spaces(text, end), clock, builder);
    }
    if row.message_at == Some(0) {
        stamped_text(row, time);
    }
    // The stamp of the line is used, not that of the container's message.
    row.time = Some(time);
    true
}

fn behind_stamp<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    at: usize,
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) {
    for (format, reader) in READERS {
        let mut fields = FieldWriter::new(builder, format);
        let line = reader(text, at, &mut fields);
        let count = fields.count;
        if line.is_none() && 0 < count {
            builder.forget_fields();
        }
        if let Some(line) = line {
            row.fields_behind += count;
            line.fill(row, text);
            // The message of a container is often a line of this kind itself.
            if format == "cri" && klog::begins(row[Field::Message]) {
                klog::read(row, text, line.message_at, clock, builder);
            }
            return;
        }
    }
}
