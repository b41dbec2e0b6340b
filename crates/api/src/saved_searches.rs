//! Named searches over HTTP: the caller's own, and shared ones.
//!
//! **Invariant:** a question is shared, not its answer: callers see only messages that their own grants allow. A shared
//! search that names a logspace is shown only to callers who may know of that logspace.

use super::access::{Call, Caller};
use super::error::{ApiError, Result};
use super::extract::{Json, Path, Query};
use super::headers::created;
use super::list::{ListIdentity, ListParams, PAGE_MAX, page_size};
use super::question::no_logspaces;
use super::state::SharedState;
use axum::http::StatusCode;
use axum::response::Response;
use logstead_accounts as accounts;
use logstead_accounts::{ListSize, Role, SearchKey, SearchToSave};
use logstead_config::is_private;
use logstead_flow::machine::clock;
use logstead_query as query;
use logstead_query::{Unparsed, parse_time};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of a name.
pub(super) const NAME_CHARS_MAX: usize = 100;
/// Maximum length of a folder.
pub(super) const FOLDER_CHARS_MAX: usize = 200;
/// Maximum number of tags per search.
pub(super) const TAGS_MAX: usize = 20;
/// Maximum length of a tag.
pub(super) const TAG_CHARS_MAX: usize = 50;
/// Maximum number of logspaces per search.
pub(super) const LOGSPACES_MAX: usize = 1000;
/// Maximum length of a time or a logspace id.
pub(super) const WORD_CHARS_MAX: usize = 100;
/// An answer ends after the search with which it reaches this many bytes.
const LIST_BYTES_MAX: usize = 2 << 20;
/// Maximum length of a view, as compact JSON.
const VIEW_BYTES_MAX: usize = 16 << 10;

/// A search to save.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedSearchRequest {
    /// Unique among the owner's searches in this folder; at most 100 characters.
    name: String,
    /// The folder to show it in, such as `ops/network`; at most 200 characters.
    #[serde(default)]
    folder: String,
    /// Words by which it can be found: at most 20, of at most 50 characters each.
    #[serde(default)]
    tags: Vec<String>,
    /// Whether everyone may see and use it. Searches of tokens are always shared.
    #[serde(default)]
    shared: bool,
    /// The query, in the query language, optionally with stages.
    #[serde(default)]
    query: String,
    /// The start of the range: RFC 3339, or relative, such as `-1h`.
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    to: Option<String>,
    /// Ids of the logspaces; null for all.
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    /// How to show the results: any JSON of at most 16 KiB, stored unchanged.
    #[serde(default)]
    view: Value,
}

/// A search that was saved.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SavedSearch {
    id: i64,
    name: String,
    folder: String,
    tags: Vec<String>,
    shared: bool,
    /// The owner's name when the search was saved: a user's name, or `token:` and a token's name.
    owner: String,
    query: String,
    #[schema(required)]
    from: Option<String>,
    #[schema(required)]
    to: Option<String>,
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    view: Value,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// The time of the last use by anyone.
    #[schema(format = DateTime, required)]
    last_used: Option<String>,
    /// Whether it belongs to the caller.
    mine: bool,
}

/// The caller's own searches and shared ones, by folder and name.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SavedSearches {
    saved_searches: Vec<SavedSearch>,
    /// The cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
}

/// The caller's own searches, and shared ones. An answer has up to about 2 MiB of searches.
#[utoipa::path(
    get, path = "/api/v1/saved-searches", tag = "saved searches", operation_id = "list_saved_searches",
    params(ListParams), responses((status = 200, body = SavedSearches))
)]
pub(crate) async fn list(
    call: Call,
    Query(ListParams { limit, cursor }): Query<ListParams>,
) -> Result<axum::Json<SavedSearches>> {
    let (viewer, list) = (call.caller.account, ListIdentity::new("saved searches", ()));
    let size = ListSize { searches: page_size(limit, PAGE_MAX, PAGE_MAX)?, bytes: LIST_BYTES_MAX };
    let after: Option<SearchKey> = list.last_key(cursor.as_deref())?;
    let (searches, has_more) =
        call.meta(move |meta| meta.saved_searches_after(viewer, after.as_ref(), size)).await?;
    let last = searches.last().filter(|_| has_more);
    let cursor = last.map(|last| list.cursor_after(&last.key())).transpose()?;
    let logspaces = all_logspaces(&call.shared);
    let visible = searches.into_iter().filter(|search| may_know(&call.caller, &search.search, &logspaces));
    let saved_searches = visible.map(|search| SavedSearch::new(search, &call.caller)).collect();
    Ok(axum::Json(SavedSearches { saved_searches, cursor }))
}

/// Saves a search.
#[utoipa::path(
    post, path = "/api/v1/saved-searches", tag = "saved searches", request_body = SavedSearchRequest, operation_id = "create_saved_search",
    responses((
        status = 201, body = SavedSearch, headers(("Location" = String, description = "The address of what was created"))
    ))
)]
pub(crate) async fn create(call: Call, Json(request): Json<SavedSearchRequest>) -> Result<Response> {
    let new = request.check(&call.caller)?;
    let owner = call.caller.actor();
    let saved = call.meta(move |meta| meta.add_saved_search(&owner, &new, clock::now())).await?;
    let saved = SavedSearch::new(saved, &call.caller);
    Ok(created(&call.shared.state.settings.web, &format!("saved-searches/{}", saved.id), saved))
}

/// A search: the caller's own, or a shared one.
#[utoipa::path(
    get, path = "/api/v1/saved-searches/{id}", tag = "saved searches", params(("id" = i64, Path)), operation_id = "get_saved_search",
    responses((status = 200, body = SavedSearch))
)]
pub(crate) async fn get(call: Call, Path(id): Path<i64>) -> Result<axum::Json<SavedSearch>> {
    let found = known(&call, id).await?;
    Ok(axum::Json(SavedSearch::new(found, &call.caller)))
}

/// Replaces a search: the caller's own or, as an administrator, a shared one. It keeps its owner.
#[utoipa::path(
    put, path = "/api/v1/saved-searches/{id}", operation_id = "put_saved_search", tag = "saved searches", params(("id" = i64, Path)), request_body = SavedSearchRequest, responses((status = 200, body = SavedSearch))
)]
pub(crate) async fn replace(
    call: Call,
    Path(id): Path<i64>,
    Json(request): Json<SavedSearchRequest>,
) -> Result<axum::Json<SavedSearch>> {
    known(&call, id).await?;
    let new = request.check(&call.caller)?;
    let (account, admin) = (call.caller.account, manages_shared(&call.caller));
    let saved =
        call.meta(move |meta| meta.replace_saved_search(account, admin, id, &new, clock::now())).await?;
    Ok(axum::Json(SavedSearch::new(saved, &call.caller)))
}

/// Removes a search: the caller's own or, as an administrator, a shared one.
#[utoipa::path(
    delete, path = "/api/v1/saved-searches/{id}", operation_id = "delete_saved_search", tag = "saved searches", params(("id" = i64, Path)), responses((status = 204))
)]
pub(crate) async fn remove(call: Call, Path(id): Path<i64>) -> Result<StatusCode> {
    known(&call, id).await?;
    let (account, admin) = (call.caller.account, manages_shared(&call.caller));
    call.meta(move |meta| meta.remove_saved_search(account, admin, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Records that a search was used.
#[utoipa::path(
    post, path = "/api/v1/saved-searches/{id}/used", tag = "saved searches", params(("id" = i64, Path)), operation_id = "use_saved_search", responses((status = 204))
)]
pub(crate) async fn used(call: Call, Path(id): Path<i64>) -> Result<StatusCode> {
    known(&call, id).await?;
    call.meta(move |meta| meta.use_saved_search(call.caller.account, id, clock::now())).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The search with this id; 404 for one that the caller may not know of, as for one that does not exist.
async fn known(Call { shared, caller }: &Call, id: i64) -> Result<accounts::SavedSearch> {
    let viewer = caller.account;
    let found = shared.meta(move |meta| meta.saved_search(viewer, id)).await?;
    if may_know(caller, &found.search, &all_logspaces(shared)) {
        Ok(found)
    } else {
        Err(accounts::Error::NoSuchSearch(id).into())
    }
}

/// Whether the caller may change the shared searches of others. Administrators of only a part of the store may not,
/// as they could take searches away from those who see more.
fn manages_shared(caller: &Caller) -> bool {
    caller.role == Role::Admin && caller.grant.is_everything()
}

/// Whether all logspaces that a search names, in its list or in its query, are ones that the caller may know of.
fn may_know(caller: &Caller, search: &SearchToSave, logspaces: &[String]) -> bool {
    let listed = search.logspaces.iter().flatten().all(|id| caller.may_search(id));
    listed && named_in(&search.query, logspaces).all(|id| caller.may_search(id))
}

/// The logspaces that a query may name: words of its text that are the name of a logspace, or could be the name of a
/// private one, if the query mentions logspaces at all. It finds too many rather than too few, in any stage and in
/// any quotes.
fn named_in<'q>(query: &'q str, logspaces: &'q [String]) -> impl Iterator<Item = &'q str> {
    let speaks_of_them = query.to_ascii_lowercase().contains("logspace");
    let words = query.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    let is_one = |word: &&str| is_private(word) || logspaces.iter().any(|id| id == word);
    words.filter(move |word| speaks_of_them && is_one(word))
}

/// The ids of all logspaces.
fn all_logspaces(shared: &SharedState) -> Vec<String> {
    shared.state.pipeline.searchers().into_iter().map(|(id, _)| id).collect()
}

impl SavedSearchRequest {
    fn check(self, caller: &Caller) -> Result<SearchToSave> {
        let SavedSearchRequest { name, folder, tags, shared, query, from, to, logspaces, view } = self;
        let name = check_text(&name, "name", 1, NAME_CHARS_MAX)?;
        let folder = check_text(&folder, "folder", 0, FOLDER_CHARS_MAX)?;
        let tags = check_tags(&tags)?;
        if !shared && caller.session.is_none() {
            let detail = "only the token itself could see this search: send \"shared\": true";
            return Err(ApiError::invalid(detail).path("shared"));
        }
        query::parse_asked(&query, Unparsed::Refused)
            .map_err(|error| ApiError::of_query(&error, &query, "query"))?;
        check_time(from.as_deref(), "from")?;
        check_time(to.as_deref(), "to")?;
        check_logspaces(caller, logspaces.as_deref())?;
        check_view(&view)?;
        Ok(SearchToSave { name, folder, tags, shared, query, from, to, logspaces, view })
    }
}

/// The text without surrounding white space.
fn check_text(text: &str, path: &str, chars_min: usize, chars_max: usize) -> Result<String> {
    let text = text.trim();
    let refused = |reason: String| Err(ApiError::invalid(format!("{path} {reason}")).path(path));
    let length = text.chars().count();
    if length < chars_min || chars_max < length {
        return refused(format!("has {length} characters: it must have {chars_min} to {chars_max}"));
    }
    if text.chars().any(char::is_control) {
        return refused("has a line break or another control character: leave it out".to_owned());
    }
    Ok(text.to_owned())
}

/// The tags without duplicates, in their original order.
fn check_tags(tags: &[String]) -> Result<Vec<String>> {
    if TAGS_MAX < tags.len() {
        let detail = format!("there are {} tags: at most {TAGS_MAX} are allowed", tags.len());
        return Err(ApiError::invalid(detail).path("tags"));
    }
    let mut kept = Vec::new();
    for (at, tag) in tags.iter().enumerate() {
        let tag = check_text(tag, &format!("tags[{at}]"), 1, TAG_CHARS_MAX)?;
        if !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    Ok(kept)
}

fn check_time(text: Option<&str>, path: &str) -> Result<()> {
    let Some(text) = text else { return Ok(()) };
    if text.chars().count() <= WORD_CHARS_MAX && parse_time(text.trim()).is_some() {
        return Ok(());
    }
    let shown: String = text.chars().take(WORD_CHARS_MAX).collect();
    let detail = format!("{path} `{shown}` is not a time: write it as 2026-11-21T06:13:00Z, -15m or now-1h");
    Err(ApiError::invalid(detail).path(path))
}

/// A logspace may be removed and come back, so it need not exist.
fn check_logspaces(caller: &Caller, logspaces: Option<&[String]>) -> Result<()> {
    let Some(ids) = logspaces else { return Ok(()) };
    if ids.is_empty() {
        return Err(no_logspaces());
    }
    if LOGSPACES_MAX < ids.len() {
        let detail = format!("there are {} logspaces: name at most {LOGSPACES_MAX}", ids.len());
        return Err(ApiError::invalid(detail).path("logspaces"));
    }
    for (at, id) in ids.iter().enumerate() {
        check_text(id, &format!("logspaces[{at}]"), 1, WORD_CHARS_MAX)?;
        caller.check_logspace(id)?;
    }
    Ok(())
}

fn check_view(view: &Value) -> Result<()> {
    let bytes = view.to_string().len();
    if bytes <= VIEW_BYTES_MAX {
        return Ok(());
    }
    let detail = format!("the view has {bytes} bytes: at most {VIEW_BYTES_MAX} are allowed");
    Err(ApiError::invalid(detail).path("view"))
}

impl SavedSearch {
    fn new(saved: accounts::SavedSearch, caller: &Caller) -> SavedSearch {
        let accounts::SavedSearch { id, account, owner, search, created_at, updated_at, last_used } = saved;
        let SearchToSave { name, folder, tags, shared, query, from, to, logspaces, view } = search;
        SavedSearch {
            id,
            name,
            folder,
            tags,
            shared,
            mine: account == Some(caller.account),
            owner,
            query,
            from,
            to,
            logspaces,
            view,
            created_at: created_at.to_string(),
            updated_at: updated_at.to_string(),
            last_used: last_used.map(|time| time.to_string()),
        }
    }
}
