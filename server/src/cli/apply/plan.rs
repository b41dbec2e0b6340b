//! The changes that make a server like the files.

use super::files::WantedState;
use super::target::ApplyTarget;
use crate::cli::failure::{CommandFailure, Result};
use logstead_flow::machine::clock;
use logstead_record::Timestamp;
use serde_json::{Map, Value};
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// The greatest number of pages of a list that are read.
const PAGES_MAX: usize = 1000;

/// The parts of a server's state that the files are about.
pub(super) struct ServerState {
    router: Option<LiveDocument>,
    /// The name of the caller's own account.
    own_name: String,
    users: Vec<Value>,
    tokens: Vec<Value>,
    /// The caller's own.
    saved_searches: Vec<Value>,
}

/// The live router document, and the changes that the files make to it.
struct LiveDocument {
    tag: String,
    changes: Vec<String>,
    is_same: bool,
}

/// All changes, in their order.
pub(super) struct ChangePlan {
    pub(super) steps: Vec<PlanStep>,
    /// The number of things that no file names and that stay.
    pub(super) unnamed: usize,
}

/// One change, and how it is shown.
pub(super) struct PlanStep {
    sign: char,
    /// The thing that changes.
    pub(super) title: String,
    details: Vec<String>,
    pub(super) change: PlannedChange,
}

/// A request that makes the change.
pub(super) enum PlannedChange {
    Router { toml: String, tag: String },
    Call { method: &'static str, path: String, body: Option<Value> },
    NewToken { body: Value, secret_file: PathBuf },
}

impl ServerState {
    /// Reads what the files are about. A document that the server does not accept is an error.
    pub(super) fn read(target: &dyn ApplyTarget, wanted: &WantedState) -> Result<ServerState> {
        let router = wanted.router.as_deref().map(|toml| LiveDocument::read(target, toml)).transpose()?;
        let list = |is_wanted: bool, path: &str, key: &str| match is_wanted {
            true => all(target, path, key),
            false => Ok(Vec::new()),
        };
        let mut saved_searches = list(wanted.saved_searches.is_some(), "saved-searches", "saved_searches")?;
        saved_searches.retain(|search| search["mine"] == true);
        let mut tokens = list(wanted.tokens.is_some(), "tokens", "tokens")?;
        tokens.retain(|token| !has_ended(token));
        Ok(ServerState {
            router,
            own_name: target.own_name()?,
            users: list(wanted.users.is_some(), "users", "users")?,
            tokens,
            saved_searches,
        })
    }
}

/// True if a token has expired. Its name may be used again.
fn has_ended(token: &Value) -> bool {
    let end = Timestamp::parse_rfc3339(text(token, "expires_at").as_bytes());
    end.is_some_and(|end| end <= clock::now())
}

/// All entries of a list.
fn all(target: &dyn ApplyTarget, path: &str, key: &str) -> Result<Vec<Value>> {
    let (mut entries, mut cursor) = (Vec::new(), None::<String>);
    for _ in 0..PAGES_MAX {
        let parameters: Vec<(&str, &str)> =
            cursor.as_deref().map(|cursor| ("cursor", cursor)).into_iter().collect();
        let mut page = target.ask(path, &parameters)?;
        if let Value::Array(of_page) = page[key].take() {
            entries.extend(of_page);
        }
        let Value::String(next) = &page["cursor"] else { return Ok(entries) };
        cursor = Some(next.clone());
    }
    Err(CommandFailure::No(format!("/{path} has more than {PAGES_MAX} pages")))
}

impl LiveDocument {
    fn read(target: &dyn ApplyTarget, toml: &str) -> Result<LiveDocument> {
        let (tag, live) = target.document()?;
        if live == toml {
            return Ok(LiveDocument { tag, changes: Vec::new(), is_same: true });
        }
        let answer = target.validation(toml)?;
        let changes = answer["changes"].as_array().into_iter().flatten();
        let changes = changes.filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(LiveDocument { tag, changes, is_same: false })
    }
}

/// The changes that make the server like the files. Nothing is removed without `prune`.
pub(super) fn changes(wanted: &WantedState, state: &ServerState, prune: bool) -> Result<ChangePlan> {
    let mut steps = Vec::new();
    if let (Some(toml), Some(live)) = (&wanted.router, &state.router)
        && !live.is_same
    {
        let change = PlannedChange::Router { toml: toml.clone(), tag: live.tag.clone() };
        steps.push(PlanStep { sign: '~', title: "router".to_owned(), details: live.changes.clone(), change });
    }
    users(wanted, state, &mut steps)?;
    tokens(wanted, state, &mut steps)?;
    saved_searches(wanted, state, &mut steps);
    let removals = removals(wanted, state);
    let unnamed = if prune { 0 } else { removals.len() };
    steps.extend(removals.into_iter().filter(|_| prune));
    Ok(ChangePlan { steps, unnamed })
}

fn users(wanted: &WantedState, state: &ServerState, steps: &mut Vec<PlanStep>) -> Result<()> {
    for user in wanted.users.iter().flatten() {
        let (name, rights) = (&user.name, user.rights());
        let title = format!("user {name}");
        let path = format!("users/{name}");
        let present = state.users.iter().find(|present| text(present, "name") == name);
        match present {
            None => {
                let mut body = rights;
                body["name"] = name.as_str().into();
                body["password"] = wanted.password(user)?.into();
                steps.push(PlanStep::add(title.clone(), "users", body));
            }
            Some(present) => {
                let details = differences(&rights, present);
                if !details.is_empty() {
                    steps.push(PlanStep::change(title.clone(), details, "PUT", path.clone(), rights));
                }
            }
        }
        let is_disabled = present.is_some_and(|present| present["disabled"] == true);
        if is_disabled != user.disabled {
            let action = if user.disabled { "disable" } else { "enable" };
            let change = PlannedChange::Call { method: "POST", path: format!("{path}/{action}"), body: None };
            steps.push(PlanStep { sign: '~', title, details: vec![action.to_owned()], change });
        }
    }
    Ok(())
}

fn tokens(wanted: &WantedState, state: &ServerState, steps: &mut Vec<PlanStep>) -> Result<()> {
    for token in wanted.tokens.iter().flatten() {
        let (name, terms) = (&token.name, token.terms());
        let title = format!("token {name}");
        let Some(present) = state.tokens.iter().find(|present| text(present, "name") == name) else {
            let mut body = terms;
            body["name"] = name.as_str().into();
            body["role"] = serde_json::to_value(token.role).map_err(CommandFailure::no)?;
            let change = PlannedChange::NewToken { body, secret_file: wanted.secret_file(token)? };
            steps.push(PlanStep { sign: '+', title, details: Vec::new(), change });
            continue;
        };
        wanted.check_secret_is_kept(token)?;
        let role = token.role.to_string();
        if text(present, "role") != role {
            let present = text(present, "role");
            return Err(CommandFailure::No(format!(
                "tokens.toml: token {name} has the role {present}, not {role}, and a token keeps its role: remove it \
                 first, or give the new one another name"
            )));
        }
        let details = differences(&terms, present);
        if !details.is_empty() {
            let mut patch = terms;
            patch["limits"] = token.all_limits();
            steps.push(PlanStep::change(title, details, "PATCH", format!("tokens/{}", present["id"]), patch));
        }
    }
    Ok(())
}

fn saved_searches(wanted: &WantedState, state: &ServerState, steps: &mut Vec<PlanStep>) {
    for search in wanted.saved_searches.iter().flatten() {
        let title = format!("saved search {}", search.title());
        let is_it = |present: &&Value| {
            text(present, "name") == search.name && text(present, "folder") == search.folder
        };
        let request = search.request();
        match state.saved_searches.iter().find(is_it) {
            None => steps.push(PlanStep::add(title, "saved-searches", request)),
            Some(present) => {
                let details = differences(&request, present);
                let path = format!("saved-searches/{}", present["id"]);
                if !details.is_empty() {
                    steps.push(PlanStep::change(title, details, "PUT", path, request));
                }
            }
        }
    }
}

/// The removal of everything that no file names, but not of the caller's own account.
fn removals(wanted: &WantedState, state: &ServerState) -> Vec<PlanStep> {
    let mut steps = Vec::new();
    if let Some(users) = &wanted.users {
        for present in &state.users {
            let name = text(present, "name");
            if name != state.own_name && !users.iter().any(|user| user.name == name) {
                steps.push(PlanStep::remove(format!("user {name}"), format!("users/{name}")));
            }
        }
    }
    if let Some(tokens) = &wanted.tokens {
        for present in &state.tokens {
            let name = text(present, "name");
            if name != state.own_name && !tokens.iter().any(|token| token.name == name) {
                steps.push(PlanStep::remove(format!("token {name}"), format!("tokens/{}", present["id"])));
            }
        }
    }
    if let Some(searches) = &wanted.saved_searches {
        for present in &state.saved_searches {
            let (folder, name) = (text(present, "folder"), text(present, "name"));
            if !searches.iter().any(|search| search.folder == folder && search.name == name) {
                let path = format!("saved-searches/{}", present["id"]);
                steps.push(PlanStep::remove(format!("saved search {folder}/{name}"), path));
            }
        }
    }
    steps
}

/// A sentence for each member that differs from the present state.
fn differences(wanted: &Value, present: &Value) -> Vec<String> {
    let none = Map::new();
    let members = wanted.as_object().unwrap_or(&none).iter();
    let differing = members.filter(|(key, value)| present[key.as_str()] != **value);
    differing.map(|(key, value)| format!("{key}: {} becomes {value}", present[key.as_str()])).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

impl PlanStep {
    fn add(title: String, path: &str, body: Value) -> PlanStep {
        let change = PlannedChange::Call { method: "POST", path: path.to_owned(), body: Some(body) };
        PlanStep { sign: '+', title, details: Vec::new(), change }
    }

    fn change(
        title: String,
        details: Vec<String>,
        method: &'static str,
        path: String,
        body: Value,
    ) -> PlanStep {
        PlanStep { sign: '~', title, details, change: PlannedChange::Call { method, path, body: Some(body) } }
    }

    fn remove(title: String, path: String) -> PlanStep {
        let change = PlannedChange::Call { method: "DELETE", path, body: None };
        PlanStep { sign: '-', title, details: Vec::new(), change }
    }
}

impl Display for PlanStep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.sign, self.title)?;
        self.details.iter().try_for_each(|detail| write!(f, "\n    {detail}"))
    }
}
