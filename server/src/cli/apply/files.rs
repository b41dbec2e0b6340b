//! The files of a folder: the wanted state of a server.

use crate::cli::failure::{CommandFailure, Result};
use crate::cli::{secret, settings};
use logstead_accounts::{Role, TokenLimits, document_backups, name, password};
use logstead_query as query;
use logstead_query::Unparsed;
use logstead_record::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ROUTER: &str = "router.toml";
const USERS: &str = "users.toml";
const TOKENS: &str = "tokens.toml";
const SAVED_SEARCHES: &str = "saved-searches.toml";

/// The wanted state. `None` for each kind that the folder has no file for.
pub(super) struct WantedState {
    folder: PathBuf,
    pub(super) router: Option<String>,
    pub(super) users: Option<Vec<WantedUser>>,
    pub(super) tokens: Option<Vec<WantedToken>>,
    pub(super) saved_searches: Option<Vec<WantedSearch>>,
}

/// A user that the server should have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedUser {
    pub(super) name: String,
    role: Role,
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    pub(super) disabled: bool,
    #[serde(default)]
    password_file: Option<PathBuf>,
    #[serde(default)]
    password_env: Option<String>,
}

/// A token that the server should have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedToken {
    pub(super) name: String,
    pub(super) role: Role,
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    expires_at: Option<String>,
    #[serde(default)]
    limits: TokenLimits,
    #[serde(default)]
    secret_file: Option<PathBuf>,
}

/// A saved search that the server should have. It is shared with everyone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedSearch {
    pub(super) name: String,
    #[serde(default)]
    pub(super) folder: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    query: String,
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    to: Option<String>,
    #[serde(default)]
    logspaces: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsersFile {
    #[serde(default)]
    users: Vec<WantedUser>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokensFile {
    #[serde(default)]
    tokens: Vec<WantedToken>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSearchesFile {
    #[serde(default)]
    saved_searches: Vec<WantedSearch>,
}

impl WantedState {
    /// Reads all files of a folder.
    pub(super) fn read(folder: &Path) -> Result<WantedState> {
        check_names(folder)?;
        let document = text_of(folder, ROUTER)?;
        let router = document.map(|text| document_backups::without_header(&text).to_owned());
        let users = parsed(folder, USERS)?.map(|file: UsersFile| file.users);
        let tokens = parsed(folder, TOKENS)?.map(|file: TokensFile| file.tokens);
        let saved_searches =
            parsed(folder, SAVED_SEARCHES)?.map(|file: SavedSearchesFile| file.saved_searches);
        let state = WantedState { folder: folder.to_owned(), router, users, tokens, saved_searches };
        state.check()?;
        Ok(state)
    }

    fn check(&self) -> Result<()> {
        let users = self.users.iter().flatten().map(|user| user.name.clone());
        let tokens = self.tokens.iter().flatten().map(|token| token.name.clone());
        let searches = self.saved_searches.iter().flatten().map(WantedSearch::title);
        named_once(USERS, users)?;
        named_once(TOKENS, tokens)?;
        named_once(SAVED_SEARCHES, searches)?;
        for user in self.users.iter().flatten() {
            let wrong = |reason| CommandFailure::No(format!("{USERS}: user {}: {reason}", user.name));
            check_account(&user.name, user.scope.as_deref()).map_err(wrong)?;
        }
        for token in self.tokens.iter().flatten() {
            let wrong = |reason| CommandFailure::No(format!("{TOKENS}: token {}: {reason}", token.name));
            check_account(&token.name, token.scope.as_deref()).map_err(wrong)?;
            let expires_at = token.expires_at.as_deref();
            if let Some(text) = expires_at.filter(|text| Timestamp::parse_rfc3339(text.as_bytes()).is_none())
            {
                let reason = format!("expires_at `{text}` is not a time: write it as 2027-01-31T00:00:00Z");
                return Err(wrong(reason));
            }
        }
        for search in self.saved_searches.iter().flatten() {
            query::parse_asked(&search.query, Unparsed::Refused).map_err(|error| {
                CommandFailure::No(format!("{SAVED_SEARCHES}: {}: {}", search.title(), error.message))
            })?;
        }
        Ok(())
    }

    /// The password of a user to create.
    pub(super) fn password(&self, user: &WantedUser) -> Result<String> {
        let wrong = |reason: String| CommandFailure::No(format!("{USERS}: user {}: {reason}", user.name));
        let password = match (&user.password_file, &user.password_env) {
            (Some(file), None) => secret::of_file(&self.folder.join(file)).map_err(wrong)?,
            (None, Some(variable)) => match std::env::var(variable) {
                Ok(password) if !password.is_empty() => password,
                _ => return Err(wrong(format!("the variable {variable} is not set"))),
            },
            (None, None) => return Err(wrong("a new user needs password_file or password_env".to_owned())),
            (Some(_), Some(_)) => {
                return Err(wrong("give password_file or password_env, not both".to_owned()));
            }
        };
        password::weakness(&password, &user.name).map_or(Ok(password), |weakness| Err(wrong(weakness)))
    }

    /// The file for the secret of a token to create.
    pub(super) fn secret_file(&self, token: &WantedToken) -> Result<PathBuf> {
        let wrong = |reason: String| CommandFailure::No(format!("{TOKENS}: token {}: {reason}", token.name));
        let Some(file) = &token.secret_file else {
            return Err(wrong("a new token needs secret_file, where its secret is written".to_owned()));
        };
        let path = self.folder.join(file);
        match is_empty(&path) {
            None | Some(true) => Ok(path),
            Some(false) => {
                let path = path.display();
                Err(wrong(format!(
                    "it is new, but {path} has a secret already: move the file away, or name another"
                )))
            }
        }
    }

    /// Refuses a token that exists and whose secret is in no file: the command that created it was killed, or the disk
    /// was full.
    pub(super) fn check_secret_is_kept(&self, token: &WantedToken) -> Result<()> {
        let Some(file) = &token.secret_file else { return Ok(()) };
        let path = self.folder.join(file);
        if is_empty(&path) != Some(true) {
            return Ok(());
        }
        let (name, path) = (&token.name, path.display());
        Err(CommandFailure::No(format!(
            "{TOKENS}: token {name} exists, but {path} is empty: its secret was lost when it was created. Remove the \
             token, and apply the files again"
        )))
    }
}

impl WantedUser {
    /// The rights, as the API has them.
    pub(super) fn rights(&self) -> Value {
        let (logspaces, scope) = (sorted(self.logspaces.as_ref()), trimmed(self.scope.as_ref()));
        json!({"role": self.role, "logspaces": logspaces, "scope": scope})
    }
}

impl WantedToken {
    /// The terms that may change, as the API has them.
    pub(super) fn terms(&self) -> Value {
        let expires_at =
            self.expires_at.as_deref().and_then(|text| Timestamp::parse_rfc3339(text.as_bytes()));
        let (logspaces, scope) = (sorted(self.logspaces.as_ref()), trimmed(self.scope.as_ref()));
        json!({
            "logspaces": logspaces, "scope": scope, "limits": self.limits,
            "expires_at": expires_at.map(|time| time.to_string()),
        })
    }
}

impl WantedToken {
    /// All limits, those without a value as well: a patch leaves alone those that it does not name.
    pub(super) fn all_limits(&self) -> Value {
        let TokenLimits { messages_per_second, bytes_per_second, body_bytes } = self.limits;
        json!({
            "messages_per_second": messages_per_second, "bytes_per_second": bytes_per_second, "body_bytes": body_bytes,
        })
    }
}

impl WantedSearch {
    /// Its folder and name, which nobody's other search has.
    pub(super) fn title(&self) -> String {
        [&*self.folder, &*self.name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }

    /// The search, as the API has it.
    pub(super) fn request(&self) -> Value {
        json!({
            "name": self.name, "folder": self.folder, "tags": self.tags, "shared": true, "query": self.query,
            "from": self.from, "to": self.to, "logspaces": self.logspaces,
        })
    }
}

/// The mistakes that the server would find only between two changes.
fn check_account(name: &str, scope: Option<&str>) -> Result<(), String> {
    if let Some(flaw) = name::flaw(name) {
        return Err(flaw);
    }
    let wrong = |error: query::ParseError| format!("scope: {}", error.message);
    scope.map_or(Ok(()), |scope| query::parse(scope).map(drop).map_err(wrong))
}

/// Ids of logspaces in the order in which the server keeps them.
fn sorted(ids: Option<&Vec<String>>) -> Option<BTreeSet<&String>> {
    ids.map(|ids| ids.iter().collect())
}

fn trimmed(scope: Option<&String>) -> Option<&str> {
    scope.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// A file whose name is none of ours is probably misspelt, and would be ignored in silence.
fn check_names(folder: &Path) -> Result<()> {
    let cannot = |error| CommandFailure::No(format!("{}: {error}", folder.display()));
    let mut has_one = false;
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name();
        let name = name.to_string_lossy();
        if [ROUTER, USERS, TOKENS, SAVED_SEARCHES].contains(&&*name) {
            has_one = true;
        } else if name.ends_with(".toml") {
            return Err(CommandFailure::No(format!(
                "{}: the file {name} is unknown: there may be {ROUTER}, {USERS}, {TOKENS} and {SAVED_SEARCHES}",
                folder.display()
            )));
        }
    }
    if has_one {
        return Ok(());
    }
    let folder = folder.display();
    let known = format!("{ROUTER}, {USERS}, {TOKENS} and {SAVED_SEARCHES}");
    Err(CommandFailure::No(format!("{folder}: there is nothing to apply: it has none of {known}")))
}

/// `None` if there is no such file.
fn is_empty(path: &Path) -> Option<bool> {
    fs::metadata(path).ok().map(|file| file.len() == 0)
}

fn text_of(folder: &Path, name: &str) -> Result<Option<String>> {
    let path = folder.join(name);
    if path.exists() { settings::read(&path).map(Some) } else { Ok(None) }
}

fn parsed<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>> {
    let Some(text) = text_of(folder, name)? else { return Ok(None) };
    let wrong = |error: toml::de::Error| CommandFailure::No(format!("{name}: {error}"));
    toml::from_str(&text).map(Some).map_err(wrong)
}

fn named_once(file: &str, names: impl Iterator<Item = String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        if seen.contains(&name) {
            return Err(CommandFailure::No(format!("{file}: `{name}` is there twice")));
        }
        seen.insert(name);
    }
    Ok(())
}
