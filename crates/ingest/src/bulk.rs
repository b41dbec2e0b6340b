//! Elasticsearch's `_bulk`: pairs of a line that states the action and a line with the document.
//!
//! | line                                              | does                                       |
//! |---------------------------------------------------|--------------------------------------------|
//! | `{"create": {…}}`, `{"index": {…}}`               | the document in the next line is a message |
//! | `{"update": {…}}` with a line behind it, `{"delete": {…}}` | is refused: messages do not change |
//!
//! **Invariant:** the reply has an item for each action, in order. A body with a line that is no action is refused
//! before its first message.

use crate::batches::BodySender;
use crate::marks::{Marks, mark};
use crate::messages::{BodyError, LIMITS, MessageId, Messages, NextMessage};
use crate::split::line;
use jiff::tz::TimeZone;
use logstead_record::BatchBuilder;
use logstead_syslog::format::Clock;
use logstead_syslog::format::json::JsonParser;
use logstead_syslog::format::keys::{ColumnKeys, KEYS, KeyColumn};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write;

/// The maximum number of index names in one body: all are kept until the reply.
const INDEXES_MAX: usize = 10_000;
/// The maximum length of an index name, as in Elasticsearch: the reply repeats it in every item.
const INDEX_BYTES_MAX: usize = 255;
/// The reason why an action is refused.
const UNCHANGEABLE: &str = "messages are only added, never changed or removed: use create or index";

/// The messages of a body, and the reply's items.
pub struct Bulk {
    body: Vec<u8>,
    json: JsonParser,
    sender: BodySender,
    at: usize,
    /// The names of indexes. The first one is for actions that name none.
    indexes: Vec<String>,
    items: Vec<BulkItem>,
    /// The key of the hashes that serve as message ids.
    owner: [u8; 32],
    has_ids: bool,
    /// The ids of rows that have not been requested yet.
    names: Vec<Option<MessageId>>,
    /// The last action line, and the action that it states: most lines are alike.
    last: (std::ops::Range<usize>, BulkAction),
    marks: Option<Marks>,
}

/// The result of an action.
struct BulkItem {
    verb: Verb,
    index: u32,
    id: Option<Box<str>>,
    refused: Option<Box<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verb {
    Create,
    Index,
    Update,
    Delete,
}

/// An action, as stated by its line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct BulkAction {
    verb: Verb,
    index: u32,
    id: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename = "Line")]
struct ActionLine<'a> {
    #[serde(borrow)]
    create: Option<ActionMetadata<'a>>,
    #[serde(borrow)]
    index: Option<ActionMetadata<'a>>,
    #[serde(borrow)]
    update: Option<ActionMetadata<'a>>,
    #[serde(borrow)]
    delete: Option<ActionMetadata<'a>>,
}

/// All other members (`_type`, `routing`, `pipeline`, `require_alias`, …) have no meaning here.
#[derive(Deserialize)]
#[serde(rename = "About")]
struct ActionMetadata<'a> {
    _index: Option<String>,
    #[serde(borrow)]
    _id: Option<&'a RawValue>,
}

impl Verb {
    const fn name(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Index => "index",
            Verb::Update => "update",
            Verb::Delete => "delete",
        }
    }

    const fn has_document(self) -> bool {
        !matches!(self, Verb::Delete)
    }

    const fn is_done(self) -> bool {
        matches!(self, Verb::Create | Verb::Index)
    }
}

/// The verb, the index and the id of an action.
type ActionFields = (Verb, Option<String>, Option<Box<str>>);

fn read(text: &[u8]) -> Result<ActionFields, String> {
    let line: ActionLine<'_> = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let ActionLine { create, index, update, delete } = line;
    let verbs =
        [(Verb::Create, create), (Verb::Index, index), (Verb::Update, update), (Verb::Delete, delete)];
    let mut said = verbs.into_iter().filter_map(|(verb, about)| about.map(|about| (verb, about)));
    match (said.next(), said.next()) {
        (Some((verb, ActionMetadata { _index: index, _id: id })), None) => {
            let id = id.map(|id| serde_json::from_str(id.get()).unwrap_or_else(|_| id.get().into()));
            // Shippers without an id send an empty one.
            Ok((verb, index, id.filter(|id: &Box<_>| !str::is_empty(id))))
        }
        _ => Err("it names none of create, index, update and delete, or more than one of them".to_owned()),
    }
}

/// The keys of columns, those of the Elastic Common Schema first.
fn keys() -> ColumnKeys {
    ColumnKeys::new(|column| {
        let usual = KEYS.iter().find(|(known, _)| *known == column).map_or("", |(_, keys)| *keys);
        match column {
            KeyColumn::Time => Some(format!("@timestamp,{usual}")),
            KeyColumn::Host => Some(format!("host.name,host.hostname,{usual}")),
            KeyColumn::Severity => Some(format!("log.level,{usual}")),
            KeyColumn::Program => Some(format!("process.name,{usual},service.name")),
            _ => None,
        }
    })
}

impl Bulk {
    /// Reads a body, or refuses it as a whole. `index` is the one in the request's path.
    pub fn of(
        body: Vec<u8>,
        index: Option<String>,
        sender: BodySender,
        messages_max: usize,
    ) -> Result<Bulk, BodyError> {
        if index.as_ref().is_some_and(|index| INDEX_BYTES_MAX < index.len()) {
            return Err(BodyError::malformed(format!(
                "the name of the index is longer than {INDEX_BYTES_MAX} bytes"
            )));
        }
        let (body, marks) = mark(body);
        let said = BulkAction { verb: Verb::Create, index: 0, id: None };
        let mut bulk = Bulk {
            json: JsonParser { keys: keys(), limits: LIMITS },
            sender,
            at: 0,
            indexes: vec![index.unwrap_or_else(|| "logs".to_owned())],
            items: Vec::new(),
            owner: [0; 32],
            has_ids: false,
            names: Vec::new(),
            last: (0..0, said),
            body,
            marks,
        };
        let mut actions = 0;
        let mut lines = 0;
        loop {
            let action = bulk.action().map_err(|(skipped, reason)| {
                let line = lines + skipped;
                BodyError::malformed(format!(
                    "malformed action/metadata line {line}: {reason}; send {{\"create\":{{}}}} or {{\"index\":{{}}}} \
                     and the document in the next line"
                ))
            })?;
            let Some((skipped, said)) = action else { break };
            lines += skipped;
            bulk.has_ids |= said.id.is_some();
            if said.verb.has_document() {
                lines += 1;
                if line(&bulk.body, &mut bulk.at).is_none() {
                    return Err(BodyError::malformed(format!(
                        "the document of the action in line {} is missing",
                        lines - 1
                    )));
                }
            }
            actions += 1;
            BodyError::above(actions, messages_max)?;
        }
        if actions == 0 {
            return Err(BodyError::malformed(
                "the body has no actions: send {\"create\":{}} and a document, each on a line of its own",
            ));
        }
        bulk.restart();
        Ok(bulk)
    }

    /// Gives documents with ids a message id from now on, as those of this owner.
    #[must_use]
    pub fn owned_by(self, owner: [u8; 32]) -> Bulk {
        Bulk { owner, ..self }
    }

    /// Whether some of its documents have ids.
    pub fn has_ids(&self) -> bool {
        self.has_ids
    }

    /// The id of a document: a hash of its index, its id and its content, as the same id may be sent again with other
    /// content.
    fn name(&self, said: &BulkAction, document: &[u8]) -> Option<MessageId> {
        let id = said.id.as_ref()?;
        let index = self.indexes.get(said.index as usize).map_or("", String::as_str);
        let mut hasher = blake3::Hasher::new_keyed(&self.owner);
        for text in [index.as_bytes(), id.as_bytes(), document] {
            hasher.update(&text.len().to_le_bytes());
            hasher.update(text);
        }
        hasher.finalize().as_bytes().first_chunk().copied()
    }

    /// The next action and the number of lines that it took, with blank ones before it.
    fn action(&mut self) -> Result<Option<(usize, BulkAction)>, (usize, String)> {
        let mut skipped = 0;
        loop {
            let start = self.at;
            let Some(text) = line(&self.body, &mut self.at) else { return Ok(None) };
            skipped += 1;
            let range = start..start + text.len();
            if self.body.get(self.last.0.clone()) == Some(text) && !text.is_empty() {
                return Ok(Some((skipped, self.last.1.clone())));
            }
            if text.trim_ascii().is_empty() {
                continue;
            }
            let (verb, index, id) = read(text).map_err(|reason| (skipped, reason))?;
            let index = self.index(index).map_err(|reason| (skipped, reason))?;
            let said = BulkAction { verb, index, id };
            self.last = (range, said.clone());
            return Ok(Some((skipped, said)));
        }
    }

    fn index(&mut self, name: Option<String>) -> Result<u32, String> {
        let Some(name) = name else { return Ok(0) };
        if INDEX_BYTES_MAX < name.len() {
            return Err(format!("the name of its index is longer than {INDEX_BYTES_MAX} bytes"));
        }
        // The indexes of most bodies are all the same, or a few.
        let at = match self.indexes.iter().rposition(|known| *known == name) {
            Some(at) => at,
            None if self.indexes.len() < INDEXES_MAX => {
                self.indexes.push(name);
                self.indexes.len() - 1
            }
            None => return Err(format!("the body names more than {INDEXES_MAX} indexes")),
        };
        Ok(u32::try_from(at).unwrap_or_default())
    }

    /// The reply. The first `taken` messages that were not refused are stored, except those whose numbers are in
    /// `but`, in ascending order; the sender is to send these and the rest again, for the reason `later`.
    pub fn reply(
        &self,
        taken: usize,
        but: &[usize],
        later: Option<&str>,
        took_ms: u128,
        filter: &ReplyFilter,
    ) -> String {
        let mut out = String::with_capacity(64 + self.items.len() * if filter.is_whole { 200 } else { 32 });
        let errors = later.is_some() || self.items.iter().any(|item| item.refused.is_some());
        out.push('{');
        if filter.took {
            write!(out, "\"took\":{took_ms},").expect("writing to a text does not fail");
        }
        if filter.errors {
            write!(out, "\"errors\":{errors},").expect("writing to a text does not fail");
        }
        if filter.has_items(errors) {
            out.push_str("\"items\":[");
            // The part that most items have in common is only written once.
            let indexes: Vec<String> = self.indexes.iter().map(|index| quoted(index)).collect();
            let ids = format!("\"{:x}-", self.sender.received.nanos());
            let reply = ItemReply { ids: &ids, later, filter };
            let mut added = 0;
            let mut but = but.iter().peekable();
            for (number, item) in self.items.iter().enumerate() {
                let is_taken = item.refused.is_none() && {
                    added += 1;
                    added <= taken && but.next_if_eq(&&(added - 1)).is_none()
                };
                let index = indexes.get(item.index as usize).map_or("\"\"", String::as_str);
                item.write(index, number, is_taken, &reply, &mut out);
            }
            if out.ends_with(',') {
                out.pop();
            }
            out.push(']');
        } else if out.ends_with(',') {
            out.pop();
        }
        out.push('}');
        out
    }

    /// Notes the remaining messages as not stored, after storing has stopped: senders expect an item for each action.
    pub fn end(&mut self) {
        while let Ok(Some((_, BulkAction { verb, index, id }))) = self.action() {
            if verb.has_document() {
                line(&self.body, &mut self.at);
            }
            let refused = (!verb.is_done()).then(|| UNCHANGEABLE.into());
            self.items.push(BulkItem { verb, index, id, refused });
        }
    }
}

/// The part of a reply that all of its items have in common.
struct ItemReply<'a> {
    /// The beginning of generated ids, with the opening quote.
    ids: &'a str,
    /// The reason for which the sender is to send an item again.
    later: Option<&'a str>,
    filter: &'a ReplyFilter,
}

impl BulkItem {
    /// Appends the answer to the item with this number. `index` is the name of its index in quotes.
    fn write(&self, index: &str, number: usize, is_taken: bool, reply: &ItemReply<'_>, out: &mut String) {
        let ItemReply { ids, later, filter } = *reply;
        let (status, kind, reason) = match &self.refused {
            Some(reason) => (400, "mapper_parsing_exception", &**reason),
            None if is_taken => (201, "", ""),
            None => (429, "es_rejected_execution_exception", later.unwrap_or("send it again")),
        };
        if !filter.status && is_taken {
            return;
        }
        out.push_str("{\"");
        out.push_str(self.verb.name());
        out.push_str("\":{");
        if filter.is_whole {
            out.push_str("\"_index\":");
            out.push_str(index);
            out.push_str(",\"_id\":");
            match &self.id {
                Some(id) => out.push_str(&quoted(id)),
                None => {
                    out.push_str(ids);
                    write!(out, "{number}\"").expect("writing to a text does not fail");
                }
            }
            out.push(',');
            if is_taken {
                out.push_str(
                    "\"_version\":1,\"result\":\"created\",\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0},\
                     \"_seq_no\":0,\"_primary_term\":1,",
                );
            }
        }
        if filter.status {
            write!(out, "\"status\":{status},").expect("writing to a text does not fail");
        }
        if filter.error && !is_taken {
            write!(out, "\"error\":{{\"type\":\"{kind}\",\"reason\":{}}},", quoted(reason))
                .expect("writing to a text does not fail");
        }
        if out.ends_with(',') {
            out.pop();
        }
        out.push_str("}},");
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

impl Messages for Bulk {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        // The action was checked before.
        let (_, said) = self.action().ok().flatten()?;
        let document = if said.verb.has_document() { line(&self.body, &mut self.at)? } else { b"" };
        let document = document.strip_suffix(b"\r").unwrap_or(document);
        let name = self.name(&said, document);
        let BulkAction { verb, index, id } = said;
        let read = match verb {
            Verb::Create | Verb::Index => {
                let zone = TimeZone::UTC;
                let clock = Clock::of_receipt(self.sender.received, &zone);
                let parsed = self.json.parse(document, clock, self.sender.peer.as_bytes(), builder);
                parsed.map_err(|rejected| rejected.to_string())
            }
            Verb::Update | Verb::Delete => Err(UNCHANGEABLE.to_owned()),
        };
        let bytes = document.len();
        let refused = read.err();
        let next = match &refused {
            None => NextMessage::Added { bytes },
            Some(reason) => NextMessage::refused(self.items.len() + 1, reason.clone()),
        };
        if refused.is_none() {
            self.names.push(name);
        }
        let refused = refused.map(String::into_boxed_str);
        self.items.push(BulkItem { verb, index, id, refused });
        Some(next)
    }

    fn names(&mut self) -> Vec<Option<MessageId>> {
        let names = std::mem::take(&mut self.names);
        if names.iter().any(Option::is_some) { names } else { Vec::new() }
    }

    fn rest_bytes(&self) -> usize {
        // The rest may be blank lines.
        let rest = self.body.get(self.at..).unwrap_or_default();
        if rest.len() < 64 && rest.trim_ascii().is_empty() { 0 } else { rest.len() }
    }

    fn restart(&mut self) {
        self.at = 0;
        self.items.clear();
        self.names.clear();
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

/// The parts of the reply that the sender wants (`filter_path`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplyFilter {
    took: bool,
    errors: bool,
    /// Whether items are wanted as a whole.
    is_whole: bool,
    status: bool,
    error: bool,
}

impl ReplyFilter {
    /// Parses the parameter `filter_path`.
    pub fn of(filter_path: Option<&str>) -> ReplyFilter {
        let Some(paths) = filter_path else {
            return ReplyFilter { took: true, errors: true, is_whole: true, status: true, error: true };
        };
        let mut filter =
            ReplyFilter { took: false, errors: false, is_whole: false, status: false, error: false };
        for path in paths.split(',').map(str::trim) {
            let mut parts = path.split('.');
            match (parts.next(), parts.next(), parts.next()) {
                (Some("took"), ..) => filter.took = true,
                (Some("errors"), ..) => filter.errors = true,
                (Some("items" | "*"), Some(_), Some("status")) => filter.status = true,
                (Some("items" | "*"), Some(_), Some("error")) => filter.error = true,
                (Some("items" | "*" | "**"), ..) => {
                    filter = ReplyFilter { is_whole: true, status: true, error: true, ..filter };
                    if path == "*" || path == "**" {
                        filter = ReplyFilter { took: true, errors: true, ..filter };
                    }
                }
                _ => {}
            }
        }
        filter
    }

    fn has_items(&self, errors: bool) -> bool {
        self.is_whole || self.status || self.error && errors
    }
}

#[cfg(test)]
#[path = "bulk/tests.rs"]
mod tests;
