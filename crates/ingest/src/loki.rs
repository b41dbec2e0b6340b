//! Grafana Loki's push: entries in streams, each stream with labels.
//!
//! ```text
//! {"streams": [{"stream": {"app": "api"}, "values": [["NANOSECONDS", "line", {"trace_id": "…"}], …]}, …]}
//!
//! PushRequest { 1: Stream { 1: labels as `{app="api"}`, 2: Entry { 1: Timestamp { 1: s, 2: ns }, 2: line, 3: Pair … } … } … }
//! ```
//!
//! The line is the message and its raw bytes; labels and structured metadata are stored
//! [beside](logstead_syslog::format::side_values) it.
//!
//! **Invariant:** an invalid body is refused before its first entry.

use crate::batches::BodySender;
use crate::marks::{Marks, mark};
use crate::messages::{BodyError, LIMITS, Messages, NextMessage};
use crate::protobuf::{WireFields, WireValue};
use crate::split::text;
use logstead_record::{BatchBuilder, Flags, SECOND, Timestamp};
use logstead_syslog::format::keys::{ColumnKeys, KeyColumn};
use logstead_syslog::format::side_values::{BareText, SideValues, push};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// The maximum number of labels of a stream, or of metadata of an entry, and the maximum of their total length.
const VALUES_MAX: usize = 256;
const VALUES_BYTES_MAX: usize = 64 << 10;
/// The prefix for the name of a label that another field already has.
const PREFIX: &str = "loki";
const HINT: &str =
    "send {\"streams\": [{\"stream\": {\"label\": \"value\"}, \"values\": [[\"nanoseconds\", \"line\"]]}]}";

/// The encoding of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LokiEncoding {
    /// JSON.
    Json,
    /// Protocol Buffers, unpacked.
    Protobuf,
}

/// The entries of a body.
pub struct LokiBody {
    body: Vec<u8>,
    form: LokiEncoding,
    sender: BodySender,
    keys: ColumnKeys,
    streams: Vec<StreamRange>,
    /// The stream that is read, the position of its next entry, and its labels.
    stream: usize,
    at: usize,
    labels: SideValues<String>,
    /// The number of remaining entries, and the number of entries before.
    left: usize,
    entries: usize,
    marks: Option<Marks>,
    /// The number of bytes of labels that the remaining entries repeat.
    repeated_bytes: usize,
}

/// The ranges of a stream's labels and entries.
struct StreamRange {
    labels: Range<usize>,
    entries: Range<usize>,
    /// The number of entries.
    count: usize,
}

/// The labels that fill columns.
fn keys() -> ColumnKeys {
    ColumnKeys::beside(|column| {
        match column {
        KeyColumn::Program => Some(
            "service_name,service.name,service,program,app,appname,app_name,application,syslog_identifier,container,\
             container_name,component,unit,systemd_unit,job",
        ),
        KeyColumn::Host => Some("host,hostname,host_name,host.name,nodename,node_name,node,machine,instance"),
        KeyColumn::Severity => {
            Some("level,severity,severity_text,detected_level,log_level,loglevel,lvl,levelname")
        }
        KeyColumn::Pid => Some("pid,process_pid,procid,syslog_pid,_pid"),
        _ => Some(""),
    }
    .map(str::to_owned)
    })
}

impl LokiBody {
    /// Reads a body, or refuses it if it is malformed.
    pub fn of(
        body: Vec<u8>,
        form: LokiEncoding,
        sender: BodySender,
        messages_max: usize,
    ) -> Result<LokiBody, BodyError> {
        let (body, marks) = if form == LokiEncoding::Json { mark(body) } else { (body, None) };
        let (streams, entries) = match form {
            LokiEncoding::Json => json_streams(&body, messages_max)?,
            LokiEncoding::Protobuf => protobuf_streams(&body, messages_max)?,
        };
        let mut loki = LokiBody {
            body,
            form,
            sender,
            keys: keys(),
            streams,
            stream: 0,
            at: 0,
            labels: SideValues::nothing(),
            left: entries,
            entries,
            marks,
            repeated_bytes: 0,
        };
        loki.restart();
        Ok(loki)
    }

    /// Moves on to a stream.
    fn begin(&mut self, stream: usize) {
        self.stream = stream;
        let Some(StreamRange { labels, entries, .. }) = self.streams.get(stream) else { return };
        self.at = entries.start;
        let labels = self.body.get(labels.clone()).unwrap_or_default();
        // The labels were checked before.
        let labels = match self.form {
            LokiEncoding::Json => json_labels(labels).unwrap_or_default(),
            LokiEncoding::Protobuf => label_pairs(&String::from_utf8_lossy(labels)).unwrap_or_default(),
        };
        self.labels = SideValues::of(labels, &self.keys, self.sender.received);
    }
}

impl Messages for LokiBody {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        loop {
            let end = self.streams.get(self.stream)?.entries.end;
            let body = self.body.get(..end)?;
            let (entry, at) = match self.form {
                LokiEncoding::Json => json_entry(body, self.at)?,
                LokiEncoding::Protobuf => protobuf_entry(body, self.at)?,
            };
            self.at = at;
            let Some(LokiEntry { time, line, raw, metadata }) = entry else {
                self.begin(self.stream + 1);
                continue;
            };
            self.left = self.left.saturating_sub(1);
            let labels = self.streams.get(self.stream).map_or(0, |stream| stream.labels.len());
            self.repeated_bytes = self.repeated_bytes.saturating_sub(labels);
            let number = self.entries - self.left;
            if let Err(rejected) = LIMITS.check_line(line.as_bytes()) {
                return Some(NextMessage::refused(number, rejected.to_string()));
            }
            let own = SideValues::of(metadata, &self.keys, self.sender.received);
            let text = BareText {
                time: Some(time),
                host: self.sender.peer.as_bytes(),
                ..BareText::of(line.as_bytes())
            };
            let text = match raw {
                Some(raw) => BareText { raw, message_at: None, flags: Flags::NOT_UTF8, ..text },
                None => text,
            };
            push(&text, &self.labels, &own, PREFIX, builder);
            return Some(NextMessage::Added { bytes: line.len() + own.bytes + self.labels.bytes });
        }
    }

    fn rest_bytes(&self) -> usize {
        match self.left {
            0 => 0,
            _ => (self.body.len() - self.at.min(self.body.len()) + self.repeated_bytes).max(1),
        }
    }

    fn restart(&mut self) {
        self.left = self.entries;
        let repeated = self.streams.iter().map(|stream| stream.count.saturating_mul(stream.labels.len()));
        self.repeated_bytes = repeated.fold(0, usize::saturating_add);
        self.begin(0);
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

/// An entry.
struct LokiEntry<'b> {
    time: Timestamp,
    line: Cow<'b, str>,
    /// The bytes as sent, if they are not UTF-8.
    raw: Option<&'b [u8]>,
    metadata: Vec<(Cow<'b, str>, Cow<'b, str>)>,
}

/// Refuses values that are too many or too long.
fn check_values<N: AsRef<str>, V: AsRef<str>>(values: &[(N, V)]) -> Result<(), String> {
    if VALUES_MAX < values.len() {
        return Err(format!("more than {VALUES_MAX} labels or pairs of structured metadata"));
    }
    let bytes: usize = values.iter().map(|(name, value)| name.as_ref().len() + value.as_ref().len()).sum();
    if VALUES_BYTES_MAX < bytes {
        return Err(format!("labels or structured metadata of more than {VALUES_BYTES_MAX} bytes"));
    }
    Ok(())
}

// JSON.

#[derive(Deserialize)]
struct Push<'a> {
    #[serde(borrow)]
    streams: Vec<RawStream<'a>>,
}

#[derive(Deserialize)]
struct RawStream<'a> {
    #[serde(borrow)]
    stream: &'a RawValue,
    #[serde(borrow)]
    values: &'a RawValue,
}

fn json_streams(body: &[u8], messages_max: usize) -> Result<(Vec<StreamRange>, usize), BodyError> {
    let refused = |error: serde_json::Error| BodyError::of_json(&error, HINT);
    let Push { streams } = serde_json::from_slice(body).map_err(refused)?;
    let place = |raw: &RawValue| {
        let start = raw.get().as_ptr().addr() - body.as_ptr().addr();
        start..start + raw.get().len()
    };
    BodyError::above(streams.len(), messages_max)?;
    let (mut found, mut entries) = (Vec::with_capacity(streams.len()), 0);
    for (number, RawStream { stream, values }) in streams.into_iter().enumerate() {
        let said = |reason: String| BodyError::malformed(format!("streams[{number}]: {reason}; {HINT}"));
        json_labels(stream.get().as_bytes()).and_then(|labels| check_values(&labels)).map_err(said)?;
        let values = place(values);
        let text = body.get(..values.end).unwrap_or_default();
        if text.get(values.start) != Some(&b'[') {
            return Err(said("values are not an array".to_owned()));
        }
        let inside = values.start + 1..values.end;
        let (mut at, before) = (inside.start, entries);
        loop {
            match read_json_entry(text, at) {
                Ok((Some(_), next)) => at = next,
                Ok((None, _)) => break,
                Err(error) => return Err(said(format!("values: {error}"))),
            }
            entries += 1;
            BodyError::above(entries, messages_max)?;
        }
        if before < entries {
            found.push(StreamRange { labels: place(stream), entries: inside, count: entries - before });
        }
    }
    Ok((found, entries))
}

fn json_labels(text: &[u8]) -> Result<Vec<(String, String)>, String> {
    serde_json::from_slice::<StringPairs<'_>>(text)
        .map(|StringPairs(pairs)| {
            pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
        })
        .map_err(|error| format!("stream: {error}"))
}

/// The entry at a position between the elements of a valid JSON array, and its end; `None` at the array's end.
fn json_entry(text: &[u8], at: usize) -> Option<(Option<LokiEntry<'_>>, usize)> {
    read_json_entry(text, at).ok()
}

fn read_json_entry(text: &[u8], at: usize) -> Result<(Option<LokiEntry<'_>>, usize), serde_json::Error> {
    let between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    let rest = text.get(at..).unwrap_or_default();
    let start = at + rest.iter().take_while(|byte| between(byte)).count();
    if matches!(text.get(start), None | Some(b']')) {
        return Ok((None, text.len()));
    }
    let rest = text.get(start..).unwrap_or_default();
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<LokiEntry<'_>>();
    let entry = values.next().transpose()?;
    Ok((entry, start + values.byte_offset()))
}

impl<'de> Deserialize<'de> for LokiEntry<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LokiEntry<'de>, D::Error> {
        deserializer.deserialize_seq(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = LokiEntry<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of a time in nanoseconds as a string, a line and optionally metadata")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<LokiEntry<'de>, A::Error> {
        let missing = |what: &str| de::Error::custom(format!("an entry has no {what}"));
        let JsonString(nanos) = parts.next_element()?.ok_or_else(|| missing("time"))?;
        let nanos = nanos.parse().map_err(|_| {
            de::Error::custom(format!("`{}` is not a time in nanoseconds", nanos.escape_debug()))
        })?;
        let JsonString(line) = parts.next_element()?.ok_or_else(|| missing("line"))?;
        let StringPairs(metadata) = parts.next_element()?.unwrap_or_default();
        check_values(&metadata).map_err(de::Error::custom)?;
        if parts.next_element::<de::IgnoredAny>()?.is_some() {
            return Err(de::Error::custom("an entry has more than a time, a line and metadata in it"));
        }
        Ok(LokiEntry { time: Timestamp::from_nanos(nanos), line, raw: None, metadata })
    }
}

/// A string, borrowed if it has no escapes.
struct JsonString<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for JsonString<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonString<'de>, D::Error> {
        text(deserializer).map(JsonString)
    }
}

/// An object whose values are strings.
#[derive(Default)]
struct StringPairs<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'de> Deserialize<'de> for StringPairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StringPairs<'de>, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = StringPairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object whose values are strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StringPairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some((JsonString(name), JsonString(value))) = map.next_entry()? {
                    if VALUES_MAX < pairs.len() {
                        return Err(de::Error::custom(format!("more than {VALUES_MAX} values")));
                    }
                    pairs.push((name, value));
                }
                Ok(StringPairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

// Protocol Buffers.

fn protobuf_streams(body: &[u8], messages_max: usize) -> Result<(Vec<StreamRange>, usize), BodyError> {
    let (mut found, mut entries, mut streams) = (Vec::new(), 0, 0);
    for field in WireFields::of(body) {
        let field = field
            .map_err(|wrong| BodyError::malformed(format!("the body is not a push request: {wrong}")))?;
        let (1, WireValue::Bytes(stream)) = field else { continue };
        let said = |reason: &str| BodyError::malformed(format!("streams[{streams}]: {reason}"));
        let start = stream.as_ptr().addr() - body.as_ptr().addr();
        let (mut labels, before) = (start..start, entries);
        for field in WireFields::of(stream) {
            match field.map_err(|wrong| said(&wrong.to_string()))? {
                (1, value) => {
                    let text = value.bytes().ok_or_else(|| said("labels are not text"))?;
                    let pairs = label_pairs(&String::from_utf8_lossy(text)).map_err(|error| said(&error))?;
                    check_values(&pairs).map_err(|error| said(&error))?;
                    let from = text.as_ptr().addr() - body.as_ptr().addr();
                    labels = from..from + text.len();
                }
                (2, WireValue::Bytes(entry)) => {
                    read_protobuf_entry(entry).map_err(|error| said(&error))?;
                    entries += 1;
                    BodyError::above(entries, messages_max)?;
                }
                _ => {}
            }
        }
        // A stream without entries costs nothing but time.
        if before < entries {
            found.push(StreamRange { labels, entries: start..start + stream.len(), count: entries - before });
        }
        streams += 1;
        BodyError::above(streams, messages_max)?;
    }
    Ok((found, entries))
}

/// The entry after a position between the fields of a stream that has been checked.
fn protobuf_entry(body: &[u8], at: usize) -> Option<(Option<LokiEntry<'_>>, usize)> {
    let mut fields = WireFields::from(body, at);
    loop {
        match fields.next() {
            None => return Some((None, body.len())),
            Some(Ok((2, WireValue::Bytes(entry)))) => {
                return Some((Some(read_protobuf_entry(entry).ok()?), fields.at));
            }
            Some(field) => _ = field.ok()?,
        }
    }
}

fn read_protobuf_entry(entry: &[u8]) -> Result<LokiEntry<'_>, String> {
    let mut read = LokiEntry {
        time: Timestamp::from_nanos(0),
        line: Cow::Borrowed(""),
        raw: None,
        metadata: Vec::new(),
    };
    for field in WireFields::of(entry) {
        match field.map_err(|wrong| format!("an entry: {wrong}"))? {
            (1, WireValue::Bytes(time)) => read.time = read_time(time)?,
            // Senders in Go do not check that a text is UTF-8.
            (2, line) => {
                let bytes = line.bytes().ok_or("a line is not text")?;
                read.line = String::from_utf8_lossy(bytes);
                read.raw = matches!(read.line, Cow::Owned(_)).then_some(bytes);
            }
            (3, WireValue::Bytes(pair)) => {
                let mut said = [Cow::Borrowed(""), Cow::Borrowed("")];
                for field in WireFields::of(pair) {
                    let (number, value) = field.map_err(|wrong| format!("structured metadata: {wrong}"))?;
                    if let Some(place) = said.get_mut((number as usize).wrapping_sub(1)) {
                        *place = value.lossy_text().ok_or("a part of structured metadata is not text")?;
                    }
                }
                if VALUES_MAX < read.metadata.len() {
                    break;
                }
                let [name, value] = said;
                read.metadata.push((name, value));
            }
            _ => {}
        }
    }
    check_values(&read.metadata)?;
    Ok(read)
}

fn read_time(time: &[u8]) -> Result<Timestamp, String> {
    let (mut seconds, mut nanos) = (0, 0);
    for field in WireFields::of(time) {
        match field.map_err(|wrong| format!("a time: {wrong}"))? {
            (1, WireValue::Number(number)) => seconds = number.cast_signed(),
            (2, WireValue::Number(number)) => nanos = number.cast_signed(),
            _ => {}
        }
    }
    let nanos = seconds.checked_mul(SECOND).and_then(|whole| whole.checked_add(nanos));
    nanos.map(Timestamp::from_nanos).ok_or_else(|| format!("a time of {seconds} s is out of range"))
}

/// Labels as Prometheus writes them: `{app="api", path="C:\\logs"}`.
fn label_pairs(text: &str) -> Result<Vec<(String, String)>, String> {
    let wrong = || format!("labels `{}` are not like {{name=\"value\"}}", text.escape_debug());
    let inside = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let mut rest = inside.ok_or_else(wrong)?.trim();
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let (name, behind) = rest.split_once('=').ok_or_else(wrong)?;
        let (value, behind) = quoted(behind.trim_start()).ok_or_else(wrong)?;
        pairs.push((name.trim().trim_matches('"').to_owned(), value));
        rest = behind.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(behind) => behind.trim_start(),
            None if rest.is_empty() => rest,
            None => return Err(wrong()),
        };
        if VALUES_MAX < pairs.len() {
            return Err(format!("more than {VALUES_MAX} labels"));
        }
    }
    Ok(pairs)
}

/// Parses a text in quotes as Go writes it; returns it with the rest of the input.
fn quoted(text: &str) -> Option<(String, &str)> {
    if let Some(rest) = text.strip_prefix('`') {
        return rest.split_once('`').map(|(value, rest)| (value.to_owned(), rest));
    }
    let text = text.strip_prefix('"')?;
    let mut value = Vec::new();
    let mut chars = text.char_indices();
    loop {
        let (at, char) = chars.next()?;
        match char {
            '"' => return Some((String::from_utf8_lossy(&value).into_owned(), text.get(at + 1..)?)),
            '\\' => match chars.next()?.1 {
                'n' => value.push(b'\n'),
                't' => value.push(b'\t'),
                'r' => value.push(b'\r'),
                'a' => value.push(7),
                'b' => value.push(8),
                'f' => value.push(12),
                'v' => value.push(11),
                'x' => value.push(u8::try_from(hex(&mut chars, 2)?).ok()?),
                'u' => push_char(hex(&mut chars, 4)?, &mut value)?,
                'U' => push_char(hex(&mut chars, 8)?, &mut value)?,
                other => push_char(other.into(), &mut value)?,
            },
            other => push_char(other.into(), &mut value)?,
        }
    }
}

fn hex(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<u32> {
    chars
        .take(digits)
        .try_fold(0, |number: u32, (_, digit)| Some(number.checked_mul(16)? | digit.to_digit(16)?))
}

fn push_char(code: u32, out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}

#[cfg(test)]
#[path = "loki/tests.rs"]
mod tests;
