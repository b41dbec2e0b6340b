//! Document → [`Checked`]: names are resolved, filters parsed, and documents that cannot run are refused. Probable mistakes
//! give warnings.
//!
//! **Invariant:** configuration reaches running code only as [`Checked`], and checking does no I/O.

use logstead_query as query;
use logstead_query::{Pipeline, Query, Stage};

use crate::checked::{Checked, CheckedRoute, RouteTarget};
use crate::document::{Document, VERSION, place_all, read};
use crate::listen::ListenAddress;
use crate::node::DocumentNode;
use crate::problem::{Finding, FindingTarget, Findings, Path, Problem, did_you_mean, quoted};
use crate::route::Route;
use crate::source::{HttpSource, Source, SourceKind};
use crate::step::{CheckedStep, RouteStep, check_step};
use crate::warn::warnings;

/// Checks a document, and reports everything that is wrong with it. Problems have no position in a text; for those see
/// [`check_toml`].
pub fn check(document: &Document) -> Result<Checked, Vec<Problem>> {
    let (checked, findings) = run(document);
    let nowhere = DocumentNode::table(Vec::new(), crate::node::NodeOrigin::Unplaced);
    place_all(checked, &findings, &nowhere, "")
}

/// A document read from a text, with the result of its check.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// The document as written.
    pub document: Document,
    /// The checked document, or everything that is wrong with it.
    pub checked: Result<Checked, Vec<Problem>>,
}

/// Reads and checks a TOML text in one go; every problem has its line and column.
pub fn check_toml(text: &str) -> Result<(Document, Checked), Vec<Problem>> {
    let Draft { document, checked } = draft_toml(text)?;
    checked.map(|checked| (document, checked))
}

/// Like [`check_toml`], but a document that cannot run is returned too.
pub fn draft_toml(text: &str) -> Result<Draft, Vec<Problem>> {
    draft(&DocumentNode::from_toml(text)?, text)
}

/// Adds positions in the text to problems that name a value in it. It is for problems found only when a document is about to
/// run.
pub fn placed(problems: Vec<Problem>, text: &str) -> Vec<Problem> {
    let Ok(node) = DocumentNode::from_toml(text) else { return problems };
    let place = |problem: Problem| match Path::parse(&problem.path) {
        Some(path) if problem.line.is_none() && !problem.path.is_empty() => {
            node.place(&Finding { path, message: problem.message, target: FindingTarget::Value }, text)
        }
        _ => problem,
    };
    problems.into_iter().map(place).collect()
}

/// Like [`draft_toml`], for a JSON text. Problems have no position, unless the text is not JSON.
pub fn draft_json(text: &[u8]) -> Result<Draft, Vec<Problem>> {
    draft(&DocumentNode::from_json(text)?, "")
}

/// The longest id.
const ID_BYTES_MAX: usize = 63;
/// The longest name of a token.
const TOKEN_CHARS_MAX: usize = 64;

fn draft(node: &DocumentNode, text: &str) -> Result<Draft, Vec<Problem>> {
    let (document, mut findings) = read(node);
    let is_document = findings.is_empty();
    let (mut checked, later) = run(&document);
    checked.warnings.splice(..0, findings.warnings.drain(..));
    if document.version == VERSION {
        findings.add_consequences(later);
    }
    match place_all(checked, &findings, node, text) {
        Err(problems) if !is_document => Err(problems),
        checked => Ok(Draft { document, checked }),
    }
}

fn run(document: &Document) -> (Checked, Findings) {
    let mut findings = Findings::default();
    check_ids(document, &mut findings);
    check_sources(&document.sources, &mut findings);
    if document.logspaces.is_empty() {
        let message = "there must be at least one: add `[[logspaces]]` with `id = \"main\"`";
        findings.value(&Path::default().key("logspaces"), message);
    }
    let routes = document.routes.iter().enumerate();
    let routes = routes.map(|(index, route)| check_route(document, index, route, &mut findings)).collect();
    let mut checked = Checked {
        sources: document.sources.clone(),
        logspaces: document.logspaces.clone(),
        destinations: document.destinations.clone(),
        routes,
        warnings: Vec::new(),
    };
    checked.warnings = warnings(&checked);
    (checked, findings)
}

fn check_ids(document: &Document, findings: &mut Findings) {
    let source_ids: Vec<&str> = document.sources.iter().map(|source| source.id.as_str()).collect();
    let route_ids: Vec<&str> = document.routes.iter().map(|route| route.id.as_str()).collect();
    let targets: Vec<&str> = target_ids(document).collect();
    let (logspace_ids, destination_ids) = targets.split_at(document.logspaces.len());
    for (key, ids, others) in [
        ("sources", source_ids.as_slice(), &[] as &[&str]),
        ("logspaces", logspace_ids, &[]),
        ("destinations", destination_ids, logspace_ids),
        ("routes", route_ids.as_slice(), &[]),
    ] {
        check_ids_of(key, ids, others, findings);
    }
}

fn check_ids_of(key: &str, ids: &[&str], others: &[&str], findings: &mut Findings) {
    for (index, id) in ids.iter().enumerate() {
        let path = Path::default().key(key).index(index).key("id");
        let is_valid = if key == "logspaces" { is_logspace_id(id) } else { is_id(id) };
        if !is_valid {
            let private = ", or `_` for a private one";
            findings.value(&path, bad_id(id) + if key == "logspaces" { private } else { "" });
        } else if let Some(first) = ids.iter().take(index).position(|other| other == id) {
            findings.value(&path, format!("`{id}` is already the id of {key}[{first}]: choose another"));
        } else if others.contains(id) {
            let reason = "routes could not tell them apart";
            findings
                .value(&path, format!("`{id}` is also the id of a logspace, and {reason}: choose another"));
        }
    }
}

/// Whether a logspace can have this id. One that begins with `_` is private.
pub fn is_logspace_id(id: &str) -> bool {
    is_id(id.strip_prefix(PRIVATE).unwrap_or(id))
}

/// Whether a logspace is private: it is searched only if it is named, and only by unlimited administrators and users whose
/// grant names it. The name alone decides, so it stays private after it is removed from the document.
pub fn is_private(logspace: &str) -> bool {
    logspace.starts_with(PRIVATE)
}

/// The first character of the names of private logspaces.
const PRIVATE: char = '_';

/// Whether a source, route or destination can have this id.
pub fn is_id(id: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    id.len() <= ID_BYTES_MAX && id.bytes().all(allowed) && !id.starts_with(['_', '-']) && !id.is_empty()
}

fn bad_id(id: &str) -> String {
    let grammar = "lower-case letters, digits, `_` and `-`, the first a letter or digit";
    format!("{} is not a valid id: use up to {ID_BYTES_MAX} {grammar}", quoted(id))
}

fn check_sources(sources: &[Source], findings: &mut Findings) {
    let mut open: Vec<(ListenAddress, &str)> = Vec::new();
    let mut inlets: Vec<(&str, &HttpSource)> = Vec::new();
    let mut has_internal = false;
    for (index, source) in sources.iter().enumerate() {
        let path = Path::default().key("sources").index(index);
        if let Some(sockets) = source.kind.sockets() {
            check_listeners(source, sockets, &path.key("listen"), &mut open, findings);
        }
        match &source.kind {
            SourceKind::File(files) if files.paths.is_empty() => {
                let message = "must name at least one file, like `[\"/var/log/nginx/*.log\"]`";
                findings.value(&path.key("paths"), message);
            }
            SourceKind::Http(http) => {
                if http
                    .token
                    .as_deref()
                    .is_some_and(|token| token.is_empty() || TOKEN_CHARS_MAX < token.len())
                {
                    let message = format!("must be the name of a token: 1 to {TOKEN_CHARS_MAX} characters");
                    findings.value(&path.key("token"), message);
                }
                match inlets.iter().find(|(_, other)| other.token == http.token) {
                    Some((owner, HttpSource { token: None })) => {
                        let message = format!(
                            "source `{owner}` has no `token` either, and takes everything that no other source \
                             takes: name a token here"
                        );
                        findings.value(&path.key("token"), message);
                    }
                    Some((owner, _)) => {
                        let message = format!(
                            "source `{owner}` already takes what comes with this token: name another"
                        );
                        findings.value(&path.key("token"), message);
                    }
                    None => inlets.push((&source.id, http)),
                }
            }
            SourceKind::Internal if has_internal => {
                findings
                    .value(&path.key("kind"), "there can be only one source of this kind: remove this one");
            }
            SourceKind::Internal => has_internal = true,
            _ => {}
        }
    }
}

/// Refuses overlapping addresses. Those of a disabled source are closed, so others may use them.
fn check_listeners<'a>(
    source: &'a Source,
    listeners: &[ListenAddress],
    path: &Path,
    open: &mut Vec<(ListenAddress, &'a str)>,
    findings: &mut Findings,
) {
    if listeners.is_empty() {
        findings.value(path, "must name at least one, like `[\"tcp://0.0.0.0:5514\"]`");
    }
    for (index, listener) in listeners.iter().enumerate().filter(|_| source.enabled) {
        if let Some((other, owner)) = open.iter().find(|(other, _)| listener.overlaps(other)) {
            let what = if listener.path().is_some() { "path" } else { "port" };
            let message =
                format!("`{listener}` overlaps `{other}` of source `{owner}`: choose another {what}");
            findings.value(&path.index(index), message);
        }
        open.push((listener.clone(), &source.id));
    }
}

fn check_route(document: &Document, index: usize, route: &Route, findings: &mut Findings) -> CheckedRoute {
    let path = Path::default().key("routes").index(index);
    let Pipeline { filter, stages } = check_filter(&route.filter, &path.key("where"), findings);
    CheckedRoute {
        route: route.clone(),
        from: check_from(document, route, &path.key("from"), findings),
        filter,
        stages,
        steps: check_steps(&route.steps, &path.key("steps"), findings),
        to: check_to(document, route, &path.key("to"), findings),
    }
}

fn check_from(document: &Document, route: &Route, path: &Path, findings: &mut Findings) -> Vec<String> {
    let ids: Vec<&str> = document.sources.iter().map(|source| source.id.as_str()).collect();
    check_names(&route.from, &ids, "source", path, findings);
    if route.from.is_empty() { ids.into_iter().map(str::to_owned).collect() } else { route.from.clone() }
}

fn check_to(document: &Document, route: &Route, path: &Path, findings: &mut Findings) -> Vec<RouteTarget> {
    if route.to.is_empty() {
        findings.value(path, "must name at least one logspace or destination");
    }
    let ids: Vec<&str> = target_ids(document).collect();
    check_names(&route.to, &ids, "logspace or destination", path, findings);
    let is_logspace = |id: &String| document.logspaces.iter().any(|logspace| logspace.id == *id);
    let target = |id: &String| {
        if is_logspace(id) { RouteTarget::Logspace(id.clone()) } else { RouteTarget::Destination(id.clone()) }
    };
    route.to.iter().map(target).collect()
}

/// Checks that each of `names` is one of `ids` and occurs only once.
fn check_names(names: &[String], ids: &[&str], noun: &str, path: &Path, findings: &mut Findings) {
    for (index, name) in names.iter().enumerate() {
        if !ids.contains(&name.as_str()) {
            let hint = if findings.is_full() { String::new() } else { known(name, ids) };
            findings.value(&path.index(index), format!("there is no {noun} {}{hint}", quoted(name)));
        } else if names.iter().take(index).any(|other| other == name) {
            findings.value(&path.index(index), format!("`{name}` is named twice: remove one of them"));
        }
    }
}

/// A hint for an unknown name: a similar id, or the available ones.
fn known(name: &str, ids: &[&str]) -> String {
    const SHOWN_MAX: usize = 12;
    let suggestion = did_you_mean(name, ids.iter().copied());
    let shown: Vec<&str> = ids.iter().copied().filter(|id| !id.is_empty()).take(SHOWN_MAX).collect();
    match shown.join(", ") {
        _ if !suggestion.is_empty() => suggestion,
        none if none.is_empty() => "; there are none".to_owned(),
        all if ids.len() <= SHOWN_MAX => format!("; there are: {all}"),
        first => format!("; there are: {first}, …"),
    }
}

fn check_steps(steps: &[RouteStep], path: &Path, findings: &mut Findings) -> Vec<CheckedStep> {
    let checked = steps.iter().enumerate();
    checked.filter_map(|(index, step)| check_step(step, &path.index(index), findings)).collect()
}

/// Parses a filter. An invalid one gives a finding, and is replaced by a filter that matches every message.
fn check_filter(text: &str, path: &Path, findings: &mut Findings) -> Pipeline {
    match query::parse_pipeline(text) {
        Ok(pipeline) => match refusal(&pipeline) {
            None => return pipeline,
            Some(message) => findings.value(path, message),
        },
        Err(error) => {
            let suggestion = error.suggestion.map(|meant| format!(" (did you mean `{meant}`?)"));
            let message = format!("{}{}", error.message, suggestion.unwrap_or_default());
            findings.inside(path, error.span, message);
        }
    }
    Pipeline { filter: Query::All, stages: Vec::new() }
}

/// The reason why a route cannot select messages with this pipeline, if there is one.
fn refusal(pipeline: &Pipeline) -> Option<String> {
    let asks = |stage: &Stage| matches!(stage, Stage::Where(query) if query.uses_logspace());
    if pipeline.filter.uses_logspace() || pipeline.stages.iter().any(asks) {
        return Some(
            "a route decides the logspace, so it cannot ask for one: leave out `logspace:`".to_owned(),
        );
    }
    pipeline.streams().err().map(|why| why.to_string())
}

/// The ids of possible targets: the logspaces, then the destinations.
fn target_ids(document: &Document) -> impl Iterator<Item = &str> {
    let logspaces = document.logspaces.iter().map(|logspace| logspace.id.as_str());
    logspaces.chain(document.destinations.iter().map(|destination| destination.id.as_str()))
}
