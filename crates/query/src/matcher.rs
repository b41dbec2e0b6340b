//! A query prepared to run over batches.
//!
//! Columns with few distinct values are decided once per value; texts are searched in one pass over all rows. Cheap
//! conditions go first, and the others examine only the rows that are left.
//!
//! **Invariant:** the selection does not depend on the order in which conditions are tried.

use super::Codes;
use super::ast::{FieldTest, Query};
use super::text::TextMatcher;
use super::time::TimeRange;
use super::value_condition::ValueCondition;
use logstead_record::Batch;
use logstead_record::FieldName;
use logstead_record::Flags;
use logstead_record::Selection;
use logstead_record::Timestamp;
use logstead_record::columns::PRIORITY;
use logstead_record::{ColumnGroup, ColumnGroups};
use logstead_record::{Field, Storage};
use logstead_record::{NameColumn, TextColumn};
use logstead_record::{Priority, PriorityHalf};
use std::cell::Cell;
use std::net::SocketAddr;

/// The context on which the meaning of a query depends.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The time that relative times refer to.
    pub now: Timestamp,
    /// The logspace that all messages are in.
    pub logspace: &'a str,
}

/// Selects the messages of a batch that match a query.
#[derive(Clone, Debug)]
pub struct Matcher {
    root: MatcherNode,
}

impl Matcher {
    /// Prepares a query.
    pub fn new(query: &Query, context: &Context<'_>) -> Matcher {
        Matcher::new_while(query, context, &|_| true).expect("nothing ends it")
    }

    /// Prepares a query; `None` if `go_on` returns false. It is called before each condition is prepared, with the
    /// approximate number of characters to process.
    pub fn new_while(query: &Query, context: &Context<'_>, go_on: &dyn Fn(usize) -> bool) -> Option<Matcher> {
        compile(query, context, go_on).map(|root| Matcher { root })
    }

    /// The rows that match.
    pub fn select(&self, batch: &Batch) -> Selection {
        self.select_within(batch, &Selection::all(batch.rows()))
    }

    /// The rows of `within` that match.
    pub fn select_within(&self, batch: &Batch, within: &Selection) -> Selection {
        self.select_while(batch, within, &|_| true).expect("nothing ends it")
    }

    /// The rows of `within` that match; `None` if `go_on` returns false. It is called before each condition, with the number
    /// of rows to examine.
    pub fn select_while(
        &self,
        batch: &Batch,
        within: &Selection,
        go_on: &dyn Fn(usize) -> bool,
    ) -> Option<Selection> {
        assert_eq!(within.rows(), batch.rows(), "the selection belongs to another batch");
        let pass = MatcherPass { batch, go_on, is_over: Cell::new(false) };
        let selected = self.root.select(&pass, within);
        (!pass.is_over.get()).then_some(selected)
    }

    /// The columns that it reads.
    pub fn groups(&self) -> ColumnGroups {
        self.root.groups()
    }

    /// Whether it matches every message.
    pub fn selects_all(&self) -> bool {
        matches!(self.root, MatcherNode::All)
    }

    /// Whether it matches no message.
    pub fn selects_none(&self) -> bool {
        matches!(self.root, MatcherNode::None)
    }
}

/// One pass over a batch.
struct MatcherPass<'a> {
    batch: &'a Batch,
    go_on: &'a dyn Fn(usize) -> bool,
    /// Whether the pass was ended: selections since then are invalid.
    is_over: Cell<bool>,
}

impl MatcherPass<'_> {
    /// Whether to continue with this many rows.
    fn goes_on(&self, rows: usize) -> bool {
        let goes_on = !self.is_over.get() && (self.go_on)(rows);
        self.is_over.set(!goes_on);
        goes_on
    }
}

/// The cost of preparing a condition, apart from its characters.
const CONDITION_STEPS: usize = 500;

#[derive(Clone, Debug)]
enum MatcherNode {
    All,
    None,
    And(Vec<MatcherNode>),
    Or(Vec<MatcherNode>),
    Not(Box<MatcherNode>),
    Time(TimeRange),
    Received(TimeRange),
    HasPriority,
    Priority(PriorityHalf, Codes),
    AnyFlag,
    Flag(Flags),
    /// A test of a field that is kept as names or texts.
    Column(Field, ValueCondition),
    Dynamic(String, ValueCondition),
    Text(TextMatcher),
    Raw(ValueCondition),
}

fn compile(query: &Query, context: &Context<'_>, go_on: &dyn Fn(usize) -> bool) -> Option<MatcherNode> {
    let all = |queries: &[Query]| {
        queries.iter().map(|query| compile(query, context, go_on)).collect::<Option<Vec<_>>>()
    };
    let is_condition = matches!(query, Query::Text(_) | Query::Field(..));
    if is_condition && !go_on(CONDITION_STEPS + query.text_bytes()) {
        return None;
    }
    Some(match query {
        Query::All | Query::Copies => MatcherNode::All,
        Query::And(queries) => and(all(queries)?),
        Query::Or(queries) => or(all(queries)?),
        Query::Not(query) => match compile(query, context, go_on)? {
            MatcherNode::All => MatcherNode::None,
            MatcherNode::None => MatcherNode::All,
            node => MatcherNode::Not(Box::new(node)),
        },
        Query::Text(test) => MatcherNode::Text(TextMatcher::new(test)),
        Query::Field(FieldName::Dynamic(name), test) => {
            MatcherNode::Dynamic(name.clone(), ValueCondition::new(test))
        }
        Query::Field(FieldName::Known(field), test) => compile_known(*field, test, context),
    })
}

fn compile_known(field: Field, test: &FieldTest, context: &Context<'_>) -> MatcherNode {
    match (field.storage(), test) {
        (Storage::Time, FieldTest::Time(bounds)) => time(bounds.resolve(context.now), MatcherNode::Time),
        (Storage::Received, FieldTest::Time(bounds)) => {
            time(bounds.resolve(context.now), MatcherNode::Received)
        }
        (Storage::Time | Storage::Received, _) => MatcherNode::All,
        (Storage::Priority(_), FieldTest::Code(codes)) if codes.is_empty() => MatcherNode::None,
        (Storage::Priority(half), FieldTest::Code(codes)) => MatcherNode::Priority(half, *codes),
        (Storage::Priority(_), _) => MatcherNode::HasPriority,
        (Storage::Flags, FieldTest::Flag(flag)) => MatcherNode::Flag(*flag),
        (Storage::Flags, _) => MatcherNode::AnyFlag,
        (Storage::Logspace, test) => {
            let accepted = ValueCondition::new(test).accepts(context.logspace.as_bytes());
            if accepted { MatcherNode::All } else { MatcherNode::None }
        }
        (Storage::Raw, test) => MatcherNode::Raw(ValueCondition::new(test)),
        (Storage::Name(_) | Storage::Text(_), test) => MatcherNode::Column(field, ValueCondition::new(test)),
    }
}

fn time(range: TimeRange, node: impl FnOnce(TimeRange) -> MatcherNode) -> MatcherNode {
    if range.is_empty() { MatcherNode::None } else { node(range) }
}

fn and(mut nodes: Vec<MatcherNode>) -> MatcherNode {
    nodes.retain(|node| !matches!(node, MatcherNode::All));
    if nodes.iter().any(|node| matches!(node, MatcherNode::None)) {
        return MatcherNode::None;
    }
    nodes.sort_by_cached_key(MatcherNode::cost);
    if nodes.is_empty() { MatcherNode::All } else { MatcherNode::And(nodes) }
}

fn or(mut nodes: Vec<MatcherNode>) -> MatcherNode {
    nodes.retain(|node| !matches!(node, MatcherNode::None));
    if nodes.iter().any(|node| matches!(node, MatcherNode::All)) {
        return MatcherNode::All;
    }
    nodes.sort_by_cached_key(MatcherNode::cost);
    if nodes.is_empty() { MatcherNode::None } else { MatcherNode::Or(nodes) }
}

impl MatcherNode {
    /// The rank of a condition: lower ones are tried first.
    fn cost(&self) -> usize {
        match self {
            MatcherNode::All | MatcherNode::None => 0,
            MatcherNode::Time(_)
            | MatcherNode::Received(_)
            | MatcherNode::HasPriority
            | MatcherNode::AnyFlag => 1,
            MatcherNode::Priority(..) | MatcherNode::Flag(_) => 1,
            MatcherNode::Column(Field::Message, test) => 4 + test.cost(),
            MatcherNode::Column(_, _) => 2,
            MatcherNode::Dynamic(..) => 3,
            MatcherNode::Text(matcher) => 6 + matcher.cost(),
            MatcherNode::Raw(test) => 100 + test.cost(),
            MatcherNode::Not(node) => node.cost(),
            MatcherNode::And(nodes) | MatcherNode::Or(nodes) => nodes.iter().map(MatcherNode::cost).sum(),
        }
    }

    fn groups(&self) -> ColumnGroups {
        match self {
            MatcherNode::All | MatcherNode::None => ColumnGroups::NONE,
            MatcherNode::And(nodes) | MatcherNode::Or(nodes) => {
                nodes.iter().fold(ColumnGroups::NONE, |groups, node| groups.and(node.groups()))
            }
            MatcherNode::Not(node) => node.groups(),
            MatcherNode::Time(_) | MatcherNode::Received(_) => ColumnGroups::TIMES,
            MatcherNode::HasPriority | MatcherNode::Priority(..) => ColumnGroups::PRIORITY,
            MatcherNode::AnyFlag | MatcherNode::Flag(_) => ColumnGroups::FLAGS,
            MatcherNode::Column(field, _) => field.groups(),
            MatcherNode::Dynamic(..) => ColumnGroup::Fields.into(),
            MatcherNode::Text(_) => text_groups(),
            MatcherNode::Raw(_) => ColumnGroups::ALL,
        }
    }

    fn select(&self, pass: &MatcherPass<'_>, within: &Selection) -> Selection {
        match self {
            MatcherNode::All => within.clone(),
            MatcherNode::None => Selection::none(within.rows()),
            MatcherNode::And(nodes) => select_all_of(nodes, pass, within),
            MatcherNode::Or(nodes) => select_any_of(nodes, pass, within),
            MatcherNode::Not(node) => {
                let mut rest = within.clone();
                rest.subtract(&node.select(pass, within));
                rest
            }
            condition if pass.goes_on(within.count()) => condition.select_rows(pass.batch, within),
            _ => Selection::none(within.rows()),
        }
    }

    /// Selects rows by one condition.
    fn select_rows(&self, batch: &Batch, within: &Selection) -> Selection {
        let columns = batch.columns();
        let priority = |row: usize| Priority::new(columns.bytes[PRIORITY][row]);
        match self {
            MatcherNode::All
            | MatcherNode::None
            | MatcherNode::And(_)
            | MatcherNode::Or(_)
            | MatcherNode::Not(_) => {
                unreachable!("these are made of conditions")
            }
            MatcherNode::Time(range) => rows_where(within, |row| range.contains(batch.time(row))),
            MatcherNode::Received(range) => rows_where(within, |row| range.contains(batch.received(row))),
            MatcherNode::HasPriority => rows_where(within, |row| priority(row).is_some()),
            MatcherNode::Priority(half, codes) => {
                let (half, codes) = (*half, *codes);
                rows_where(within, |row| priority(row).is_some_and(|p| codes.contains(half.number(p))))
            }
            MatcherNode::AnyFlag => rows_where(within, |row| batch.flags(row) != Flags::default()),
            MatcherNode::Flag(flag) => rows_where(within, |row| batch.flags(row).has(*flag)),
            MatcherNode::Column(field, test) => select_column(*field, test, batch, within),
            MatcherNode::Dynamic(name, test) => select_dynamic(name, test, batch, within),
            MatcherNode::Text(matcher) => select_text(matcher, batch, within),
            MatcherNode::Raw(test) => select_raw(test, batch, within),
        }
    }
}

fn select_all_of(nodes: &[MatcherNode], pass: &MatcherPass<'_>, within: &Selection) -> Selection {
    let mut left = within.clone();
    for node in nodes {
        if left.is_empty() || pass.is_over.get() {
            break;
        }
        left = node.select(pass, &left);
    }
    left
}

fn select_any_of(nodes: &[MatcherNode], pass: &MatcherPass<'_>, within: &Selection) -> Selection {
    let mut found = Selection::none(within.rows());
    let mut rest = within.clone();
    for node in nodes {
        if rest.is_empty() || pass.is_over.get() {
            break;
        }
        let more = node.select(pass, &rest);
        rest.subtract(&more);
        found.union(&more);
    }
    found
}

fn rows_where(within: &Selection, accepts: impl Fn(usize) -> bool) -> Selection {
    let mut found = Selection::none(within.rows());
    for row in within.iter().filter(|&row| accepts(row)) {
        found.insert(row);
    }
    found
}

/// The columns that [`select_text`] reads.
fn text_groups() -> ColumnGroups {
    let names = Field::SEARCHED.into_iter().map(Field::groups);
    names.fold(ColumnGroups::NONE.with(ColumnGroup::Message).with(ColumnGroup::Fields), ColumnGroups::and)
}

/// Searches the message text, the program, the host and the values of dynamic fields.
fn select_text(matcher: &TextMatcher, batch: &Batch, within: &Selection) -> Selection {
    let columns = batch.columns();
    let mut found = Selection::none(within.rows());
    let mut rest = within.clone();
    let mut add = |more: &Selection, rest: &mut Selection| {
        rest.subtract(more);
        found.union(more);
    };
    for names in Field::SEARCHED.map(|field| &columns.names[field.number()]) {
        let accepted = matcher.select(names.values(), &Selection::all(names.values().len()));
        add(&names.rows_of(&accepted, &rest), &mut rest);
    }
    let more = matcher.select_messages(batch, &rest);
    add(&more, &mut rest);
    if !columns.field_values.is_empty() && !rest.is_empty() {
        let fields = fields_of(batch, &rest);
        let accepted = matcher.select(&columns.field_values, &fields);
        add(&rows_of_fields(batch, &accepted), &mut rest);
    }
    found
}

/// The dynamic fields of the rows of `within`, as a selection of fields.
fn fields_of(batch: &Batch, within: &Selection) -> Selection {
    let fields = batch.columns().field_values.len();
    if within.is_all() {
        return Selection::all(fields);
    }
    let mut selected = Selection::none(fields);
    for at in within.iter().flat_map(|row| batch.field_range(row)) {
        selected.insert(at);
    }
    selected
}

/// The rows that have one of these dynamic fields.
fn rows_of_fields(batch: &Batch, fields: &Selection) -> Selection {
    let ends = &batch.columns().field_ends;
    let mut rows = Selection::none(batch.rows());
    let mut row = 0;
    for at in fields.iter() {
        row += ends[row..].partition_point(|&end| end as usize <= at);
        rows.insert(row);
    }
    rows
}

fn select_dynamic(name: &str, test: &ValueCondition, batch: &Batch, within: &Selection) -> Selection {
    let columns = batch.columns();
    let (names, values) = (&columns.field_names, &columns.field_values);
    let is_named = |id: usize| names.values().get(id).eq_ignore_ascii_case(name.as_bytes());
    let named = Selection::from_fn(names.values().len(), is_named);
    if named.is_empty() {
        return Selection::none(within.rows());
    }
    let ids = names.ids();
    rows_where(within, |row| {
        let mut fields = batch.field_range(row);
        fields.any(|at| named.contains(ids[at] as usize) && test.accepts_present(values.get(at)))
    })
}

fn select_raw(test: &ValueCondition, batch: &Batch, within: &Selection) -> Selection {
    let mut raw = Vec::new();
    let mut found = Selection::none(within.rows());
    for row in within.iter() {
        raw.clear();
        batch.write_raw(row, &mut raw);
        if test.accepts_present(&raw) {
            found.insert(row);
        }
    }
    found
}

fn select_column(field: Field, test: &ValueCondition, batch: &Batch, within: &Selection) -> Selection {
    let columns = batch.columns();
    match field.storage() {
        Storage::Name(number) if field == Field::Peer => select_peers(test, &columns.names[number], within),
        Storage::Name(number) => select_names(test, &columns.names[number], within),
        Storage::Text(number) => match test {
            ValueCondition::Holds(matcher) if field == Field::Message => {
                matcher.select_messages(batch, within)
            }
            _ => select_values(test, &columns.texts[number], within),
        },
        _ => unreachable!("the condition is made for names and texts"),
    }
}

fn select_names(test: &ValueCondition, names: &NameColumn, within: &Selection) -> Selection {
    let accepted = select_values(test, names.values(), &Selection::all(names.values().len()));
    names.rows_of(&accepted, within)
}

fn select_values(test: &ValueCondition, values: &TextColumn, within: &Selection) -> Selection {
    match test {
        ValueCondition::Holds(matcher) => matcher.select(values, within),
        _ => rows_where(within, |row| test.accepts_present(values.get(row))),
    }
}

/// Compares a peer, an address that may have a port, both with and without the port.
fn select_peers(test: &ValueCondition, peers: &NameColumn, within: &Selection) -> Selection {
    let values = peers.values();
    let mut accepted = select_values(test, values, &Selection::all(values.len()));
    if let ValueCondition::Equals { .. } | ValueCondition::Fits(_) = test {
        accepted.union(&Selection::from_fn(values.len(), |id| test.accepts(without_port(values.get(id)))));
    }
    peers.rows_of(&accepted, within)
}

/// `10.0.0.1:514` and `[::1]:514` without port and brackets; anything else is returned unchanged.
fn without_port(address: &[u8]) -> &[u8] {
    let is_socket = std::str::from_utf8(address).is_ok_and(|text| text.parse::<SocketAddr>().is_ok());
    let host =
        memchr::memrchr(b':', address).filter(|_| is_socket).map_or(address, |colon| &address[..colon]);
    host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]")).unwrap_or(host)
}
