//! The functions by name, with their arguments and the kind of their results.

use std::ops::RangeInclusive;

/// A function of an expression.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its names in other languages.
    pub(super) aliases: &'static [&'static str],
    /// The number of arguments.
    pub(super) takes: RangeInclusive<usize>,
    /// The position of the argument that may, or must, be a regular expression.
    pub(super) regex: Option<(usize, RegexUse)>,
    pub(super) gives: FunctionResult,
    /// An example of its use.
    pub example: &'static str,
}

/// Whether an argument must be a regular expression or may be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RegexUse {
    Required,
    Allowed,
}

/// Equality by name, which is unique.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

/// The kind of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultType {
    /// Texts, truth values, and values whose kind differs from row to row.
    Text,
    /// Numbers.
    Number,
    /// Times.
    Time,
}

/// The kind of a function's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FunctionResult {
    Always(ResultType),
    /// The same kind as the arguments from this one on.
    AsFrom(usize),
    /// The same kind as every second argument and the last one.
    AsSeconds,
}

/// The greatest number of arguments of any function.
const MANY: usize = 32;

const TEXT: FunctionResult = FunctionResult::Always(ResultType::Text);
const NUMBER: FunctionResult = FunctionResult::Always(ResultType::Number);
const TIME: FunctionResult = FunctionResult::Always(ResultType::Time);

const fn function(
    name: &'static str,
    aliases: &'static [&'static str],
    takes: RangeInclusive<usize>,
    gives: FunctionResult,
    example: &'static str,
) -> Function {
    Function { name, aliases, takes, regex: None, gives, example }
}

pub(crate) static FUNCTIONS: [Function; 43] = [
    function("if", &["iff"], 3..=3, FunctionResult::AsFrom(1), "if(status>=500, \"bad\", \"good\")"),
    function(
        "case",
        &[],
        2..=MANY,
        FunctionResult::AsSeconds,
        "case(status<400, \"ok\", status<500, \"client\", \"server\")",
    ),
    function("coalesce", &[], 1..=MANY, FunctionResult::AsFrom(0), "coalesce(user, uid, \"nobody\")"),
    function("exists", &["isnotnull"], 1..=1, TEXT, "exists(user)"),
    function("is_null", &["isnull"], 1..=1, TEXT, "is_null(user)"),
    function("number", &["tonumber", "todouble", "toint", "tolong"], 1..=1, NUMBER, "number(took)"),
    function("text", &["tostring"], 1..=1, TEXT, "text(status)"),
    function("abs", &[], 1..=1, NUMBER, "abs(offset)"),
    function("ceil", &["ceiling"], 1..=1, NUMBER, "ceil(took)"),
    function("floor", &[], 1..=1, NUMBER, "floor(took)"),
    function("round", &[], 1..=2, NUMBER, "round(took * 1000, 1)"),
    function("sqrt", &[], 1..=1, NUMBER, "sqrt(a)"),
    function("pow", &["power"], 2..=2, NUMBER, "pow(2, bits)"),
    function("exp", &[], 1..=1, NUMBER, "exp(a)"),
    function("ln", &[], 1..=1, NUMBER, "ln(bytes)"),
    function("log", &["log10"], 1..=2, NUMBER, "log(bytes, 2)"),
    function("min", &["least", "min_of"], 1..=MANY, NUMBER, "min(a, b)"),
    function("max", &["greatest", "max_of"], 1..=MANY, NUMBER, "max(a, b)"),
    function("lower", &["tolower"], 1..=1, TEXT, "lower(user)"),
    function("upper", &["toupper"], 1..=1, TEXT, "upper(user)"),
    function("trim", &[], 1..=1, TEXT, "trim(user)"),
    function("len", &["length", "strlen"], 1..=1, NUMBER, "len(message)"),
    function("concat", &["strcat"], 1..=MANY, TEXT, "concat(user, \"@\", host)"),
    function("substr", &["substring"], 2..=3, TEXT, "substr(id, 1, 8)"),
    Function {
        regex: Some((1, RegexUse::Allowed)),
        ..function("replace", &["replace_regex"], 3..=3, TEXT, "replace(path, /\\d+/, \"N\")")
    },
    function("split", &[], 3..=3, TEXT, "split(path, \"/\", 2)"),
    function("contains", &["has"], 2..=2, TEXT, "contains(path, \"/api/\")"),
    function("starts_with", &["startswith"], 2..=2, TEXT, "starts_with(path, \"/api\")"),
    function("ends_with", &["endswith"], 2..=2, TEXT, "ends_with(path, \".js\")"),
    Function {
        regex: Some((1, RegexUse::Required)),
        ..function("matches", &["match"], 2..=2, TEXT, "matches(path, /^\\/api\\/v\\d/)")
    },
    function(
        "in_network",
        &["cidrmatch", "ipv4_is_in_range"],
        2..=2,
        TEXT,
        "in_network(client, \"10.0.0.0/8\")",
    ),
    function("url_decode", &["urldecode"], 1..=1, TEXT, "url_decode(query)"),
    function("now", &[], 0..=0, TIME, "now()"),
    function("to_time", &["todatetime", "strptime"], 1..=1, TIME, "to_time(ts)"),
    function("epoch", &[], 1..=1, NUMBER, "epoch(time)"),
    function("bin", &["bucket"], 2..=2, FunctionResult::AsFrom(0), "bin(time, 1h)"),
    function("format_time", &["strftime", "format_datetime"], 2..=2, TEXT, "format_time(time, \"%Y-%m-%d\")"),
    function("year", &[], 1..=1, NUMBER, "year(time)"),
    function("month", &[], 1..=1, NUMBER, "month(time)"),
    function("day", &[], 1..=1, NUMBER, "day(time)"),
    function("hour", &[], 1..=1, NUMBER, "hour(time)"),
    function("minute", &[], 1..=1, NUMBER, "minute(time)"),
    function("weekday", &[], 1..=1, NUMBER, "weekday(time)"),
];

/// The functions of expressions, each with an example.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter()
}

/// The function with this name, in lower case.
pub(crate) fn function_named(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name || function.aliases.contains(&name))
}
