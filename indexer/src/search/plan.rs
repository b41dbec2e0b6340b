//! A query compiled for the index of a segment.
//!
//! **Invariant:** a plan only says where to look. It leaves to the matcher whatever it cannot decide exactly.

use super::required::Required;
use logstead_query::{Context, FieldTest, Matcher, Query, TextTest, TimeRange};
use logstead_record::FieldName;
use logstead_record::{Batch, Columns, Field, Storage, word};
use logstead_template::Automaton;
use logstead_work::Work;
use std::sync::Arc;

/// The number of steps for compiling a condition, in addition to those for its characters.
const CONDITION_STEPS: usize = 2000;

/// A query compiled for an index.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// Every row.
    All,
    /// No row.
    Nothing,
    /// Any row may match: the index cannot decide.
    Unknown,
    /// The rows that match all of these plans.
    And(Vec<Plan>),
    /// The rows that match any of these plans.
    Or(Vec<Plan>),
    /// The rows that do not match this plan.
    Not(Box<Plan>),
    /// Messages whose time is in a range.
    Time(TimeRange),
    /// Messages received in a range of time.
    Received(TimeRange),
    /// A condition on a field with a column.
    Names(NameTest),
    /// A condition on the words of the message and of the values of dynamic fields.
    Content(ContentTest),
    /// A condition on the words of the process id.
    Pids(PidCondition),
}

/// A test of one field.
#[derive(Clone, Debug)]
pub(crate) struct NameTest {
    pub(crate) field: FieldName,
    pub(crate) matcher: Matcher,
    /// Whether any non-empty value matches.
    pub(crate) exists: bool,
    /// Whether a message without the field matches.
    pub(crate) accepts_none: bool,
    /// The words to require if the field has no column.
    pub(crate) required: Required,
}

/// A test of the message and the values of dynamic fields.
#[derive(Clone, Debug)]
pub(crate) struct ContentTest {
    pub(crate) required: Required,
    pub(crate) sufficient: Sufficiency,
    /// A test that decides about messages by their shapes, if possible.
    pub(crate) shape: Option<ShapeTest>,
    /// An automaton that decides about messages by running an expression over templates, if possible.
    pub(crate) expression: Option<Arc<Automaton>>,
    /// Whether the values of dynamic fields are searched too.
    pub(crate) in_fields: bool,
}

/// A test of the process id.
#[derive(Clone, Debug)]
pub(crate) struct PidCondition {
    pub(crate) required: Required,
    /// Whether a row with the required words always matches.
    pub(crate) is_sufficient: bool,
}

/// A text to look for in the shapes of messages.
#[derive(Clone, Debug)]
pub(crate) struct ShapeTest {
    pub(crate) matcher: Matcher,
    /// The number of words in the text.
    pub(crate) words: usize,
    /// Whether it begins and ends with a word, and its words are adjacent.
    pub(crate) is_plain: bool,
}

/// Whether a row with the required words always matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sufficiency {
    /// It always matches.
    Yes,
    /// It matches if no row has dynamic fields.
    WithoutFields,
    /// It may not match.
    No,
}

impl Plan {
    /// Compiles a query. If the work is cancelled, the plan excludes nothing.
    pub(crate) fn new(query: &Query, context: &Context<'_>, work: &Work<'_>) -> Plan {
        let all = |queries: &[Query]| queries.iter().map(|query| Plan::new(query, context, work)).collect();
        match query {
            Query::Text(_) | Query::Field(..) if !work.go_on(CONDITION_STEPS + 4 * query.text_bytes()) => {
                Plan::Unknown
            }
            Query::All | Query::Copies => Plan::All,
            Query::And(queries) => Plan::And(all(queries)),
            Query::Or(queries) => Plan::Or(all(queries)),
            Query::Not(query) => Plan::Not(Box::new(Plan::new(query, context, work))),
            Query::Text(test) => of_text(test, context, work),
            Query::Field(field @ FieldName::Dynamic(_), test) => {
                Plan::Names(NameTest::new(field, test, context))
            }
            Query::Field(FieldName::Known(field), test) => of_known(*field, test, context, work),
        }
    }

    /// Whether only words are needed. Otherwise columns are read, which takes longer than starting a thread.
    pub(crate) fn asks_words_only(&self) -> bool {
        match self {
            Plan::All | Plan::Nothing | Plan::Content(_) => true,
            Plan::Not(plan) => plan.asks_words_only(),
            // The plan of a text also tests the host and the program.
            Plan::Or(plans) if matches!(plans.first(), Some(Plan::Content(_))) => true,
            Plan::And(plans) | Plan::Or(plans) => plans.iter().all(Plan::asks_words_only),
            Plan::Unknown | Plan::Time(_) | Plan::Received(_) | Plan::Names(_) | Plan::Pids(_) => false,
        }
    }
}

/// The plan for a text in the host, the program, the message or the values of dynamic fields.
fn of_text(test: &TextTest, context: &Context<'_>, work: &Work<'_>) -> Plan {
    let required = Required::by(test);
    let sufficient = if required.is_sufficient(test) { Sufficiency::Yes } else { Sufficiency::No };
    let holds = FieldTest::Holds(test.clone());
    let named = |field| Plan::Names(NameTest::new(&FieldName::Known(field), &holds, context));
    let (shape, expression) = (shape(test, context), expression(test, work));
    let content = Plan::Content(ContentTest { required, sufficient, shape, expression, in_fields: true });
    Plan::Or(std::iter::once(content).chain(Field::SEARCHED.map(named)).collect())
}

/// The test that looks for a text in shapes; `None` if a message may contain the text without its shape showing it.
fn shape(test: &TextTest, context: &Context<'_>) -> Option<ShapeTest> {
    if !test.is_in_shapes() {
        return None;
    }
    let (words, is_plain) = match test {
        TextTest::Pattern(pattern) => {
            let text = pattern.as_literal()?;
            let words: Vec<_> = word::words(text.as_bytes()).collect();
            let is_at_ends = words.first().is_some_and(|first| first.start == 0)
                && words.last().is_some_and(|last| last.end == text.len());
            (words.len(), is_at_ends)
        }
        TextTest::Near(near) => (near.words().len(), false),
        TextTest::Regex(_) => return None,
    };
    let holds = FieldTest::Holds(test.clone());
    let matcher = Matcher::new(&Query::Field(FieldName::Known(Field::Message), holds), context);
    Some(ShapeTest { matcher, words, is_plain })
}

fn expression(test: &TextTest, work: &Work<'_>) -> Option<Arc<Automaton>> {
    match test {
        TextTest::Regex(regex) => Automaton::new(regex, &|steps| work.go_on(steps)).map(Arc::new),
        TextTest::Pattern(_) | TextTest::Near(_) => None,
    }
}

fn of_known(field: Field, test: &FieldTest, context: &Context<'_>, work: &Work<'_>) -> Plan {
    match (field.storage(), test) {
        (Storage::Time, FieldTest::Time(bounds)) => Plan::Time(bounds.resolve(context.now)),
        (Storage::Received, FieldTest::Time(bounds)) => Plan::Received(bounds.resolve(context.now)),
        (Storage::Time | Storage::Received, _) => Plan::All,
        (Storage::Text(_), test) if field == Field::Message => of_message(test, context, work),
        (Storage::Text(_), test) if field == Field::Pid => of_pid(test),
        (Storage::Text(_) | Storage::Raw, _) => Plan::Unknown,
        (Storage::Logspace, _) => {
            let query = Query::Field(FieldName::Known(field), test.clone());
            if Matcher::new(&query, context).selects_all() { Plan::All } else { Plan::Nothing }
        }
        (Storage::Name(_) | Storage::Priority(_) | Storage::Flags, _) => {
            Plan::Names(NameTest::new(&FieldName::Known(field), test, context))
        }
    }
}

fn of_message(test: &FieldTest, context: &Context<'_>, work: &Work<'_>) -> Plan {
    match test {
        FieldTest::Holds(test) => {
            let required = Required::by(test);
            let sufficient =
                if required.is_sufficient(test) { Sufficiency::WithoutFields } else { Sufficiency::No };
            let (shape, expression) = (shape(test, context), expression(test, work));
            Plan::Content(ContentTest { required, sufficient, shape, expression, in_fields: false })
        }
        FieldTest::Equals(pattern) => {
            let required = Required::by_whole(pattern);
            let (sufficient, shape, expression) = (Sufficiency::No, None, None);
            Plan::Content(ContentTest { required, sufficient, shape, expression, in_fields: false })
        }
        _ => Plan::Unknown,
    }
}

fn of_pid(test: &FieldTest) -> Plan {
    let (required, is_sufficient) = match test {
        FieldTest::Holds(test) => {
            let required = Required::by(test);
            // An address may be spread over several slots, so only the text can decide.
            let is_address = matches!(&required, Required::Word(word) if word.contains(&b'.'));
            let is_sufficient = required.is_sufficient(test) && !is_address;
            (required, is_sufficient)
        }
        FieldTest::Equals(pattern) => (Required::by_whole(pattern), false),
        _ => return Plan::Unknown,
    };
    Plan::Pids(PidCondition { required, is_sufficient })
}

impl NameTest {
    fn new(field: &FieldName, test: &FieldTest, context: &Context<'_>) -> NameTest {
        let query = Query::Field(field.clone(), test.clone());
        let required = match test {
            FieldTest::Holds(test) => Required::by(test),
            FieldTest::Equals(pattern) => Required::by_whole(pattern),
            _ => Required::Anything,
        };
        let matcher = Matcher::new(&query, context);
        let is_known = matches!(field, FieldName::Known(_));
        let accepts_none = is_known && !matcher.select(&nothing()).is_empty();
        NameTest { field: field.clone(), matcher, exists: *test == FieldTest::Exists, accepts_none, required }
    }
}

/// A batch with one empty message.
fn nothing() -> Batch {
    Batch::from_columns(Columns::empty(1)).expect("columns of one row fit each other")
}
