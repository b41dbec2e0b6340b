//! Writes the body of a line or an event: a JSON object with everything, the bytes as received, or only the text.
//!
//! **Invariant:** the object has the members that a message has in the API and in exports, but for `logspace`, since it is
//! in none. Its `id` stays the same when it is sent again.

use super::fields::SortedFields;
use super::json::{ObjectWriter, object, string};
use crate::sink::OutgoingMessage;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use logstead_config::HttpFormat;
use logstead_record::{Batch, Field};

/// Writes messages in one format; its buffers are reused for every message.
pub(super) struct EventWriter {
    format: HttpFormat,
    fields: SortedFields,
    raw: Vec<u8>,
    line: Vec<u8>,
}

impl EventWriter {
    pub(super) fn new(format: HttpFormat) -> EventWriter {
        EventWriter { format, fields: SortedFields::default(), raw: Vec::new(), line: Vec::new() }
    }

    /// Appends the message as a line; the caller adds the line end.
    pub(super) fn write_line(&mut self, message: &OutgoingMessage<'_>, out: &mut Vec<u8>) {
        match self.format {
            HttpFormat::Json => self.write_object(message, out),
            HttpFormat::Raw => message.batch.write_raw(message.row, out),
            HttpFormat::Message => out.extend_from_slice(message.batch.message(message.row)),
        }
    }

    /// Appends the message as a JSON value: the object, or a string.
    pub(super) fn write_value(&mut self, message: &OutgoingMessage<'_>, out: &mut Vec<u8>) {
        match self.format {
            HttpFormat::Json => self.write_object(message, out),
            _ => self.write_string(message, out),
        }
    }

    /// Appends the line as a JSON string.
    pub(super) fn write_string(&mut self, message: &OutgoingMessage<'_>, out: &mut Vec<u8>) {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        self.write_line(message, &mut line);
        string(out, &line);
        self.line = line;
    }

    fn write_object(&mut self, message: &OutgoingMessage<'_>, out: &mut Vec<u8>) {
        let (batch, row) = (message.batch, message.row);
        object(out, |object| {
            object.text("id", message.id().as_bytes());
            write_times(batch, row, object);
            for field in Field::OF_ROWS.into_iter().filter(|field| *field != Field::Message) {
                object.text(field.name(), batch.text(field, row));
            }
            write_priority(batch, row, object);
            object.text("message", batch.message(row));
            self.write_raw(batch, row, object);
            object.text("source", batch.source(row));
            object.text("peer", batch.peer(row));
            object.array("flags", batch.flags(row).names(), |out, flag| string(out, flag.as_bytes()));
            object.object("fields", |object| self.fields.write(batch, row, object));
        });
    }

    fn write_raw(&mut self, batch: &Batch, row: usize, object: &mut ObjectWriter<'_>) {
        self.raw.clear();
        batch.write_raw(row, &mut self.raw);
        object.text("raw", &self.raw);
        if std::str::from_utf8(&self.raw).is_err() {
            object.text("raw_base64", STANDARD.encode(&self.raw).as_bytes());
        }
    }
}

fn write_times(batch: &Batch, row: usize, object: &mut ObjectWriter<'_>) {
    let time = batch.time(row);
    object.time("time", time);
    object.time("received", batch.received(row));
    if let Some(own) = batch.own_time(row).filter(|own| *own != time) {
        object.time("device_time", own);
    }
}

fn write_priority(batch: &Batch, row: usize, object: &mut ObjectWriter<'_>) {
    let Some(priority) = batch.priority(row) else {
        for key in ["severity", "severity_name", "facility", "facility_name"] {
            object.member(key.as_bytes()).extend_from_slice(b"null");
        }
        return;
    };
    let (severity, facility) = (priority.severity(), priority.facility());
    object.number("severity", u64::from(severity.number()));
    object.text("severity_name", severity.name().as_bytes());
    object.number("facility", u64::from(facility.number()));
    object.text("facility_name", facility.name().as_bytes());
}
