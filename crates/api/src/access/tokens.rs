//! API tokens.
//!
//! **Invariant:** a token's secret is shown once, when it is created.

use super::credentials::check_name;
use super::grants::{access_of, check_grant, managed_token, may_manage};
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Json, Path, Query};
use crate::headers::created;
use crate::list::{ListIdentity, Page};
use axum::http::StatusCode;
use axum::response::Response;
use logstead_accounts::{ApiToken, NewToken, Role, TokenLimits};
use logstead_config::Period;
use logstead_flow::machine::clock;
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};

/// Maximum time for which both secrets of a token work.
const OVERLAP_MAX: Period = Period::days(30);

/// A token to create.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenRequest {
    /// Its name, unique among the tokens that have not ended: at most 64 lowercase letters (a to z), digits and `. _
    /// - @`; it begins with a letter or a digit.
    #[schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9][a-z0-9._@-]*$")]
    name: String,
    role: Role,
    /// Ids of the logspaces that the token may search and, as an operator, manage; all by default. For the role
    /// ingest, ids of those that it may name in a request; none by default, so that the routes decide.
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything that is found; none by default. Not for the role ingest.
    #[serde(default)]
    #[schema(example = "host:web-*")]
    scope: Option<String>,
    /// The time when it ends (RFC 3339); never by default.
    #[serde(default)]
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// How much it may send; unlimited by default.
    #[serde(default)]
    limits: TokenLimits,
}

/// How to give a token a new secret.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rotation {
    /// How long the present secret keeps working alongside the new one, at most `30d`.
    #[serde(default = "day")]
    #[schema(default = "24h", example = "24h")]
    overlap: String,
}

fn day() -> String {
    "24h".to_owned()
}

/// A new token. Its secret is shown only this once.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CreatedToken {
    id: i64,
    name: String,
    role: Role,
    /// The secret, to send as `Authorization: Bearer TOKEN`.
    token: String,
}

/// A token without its secret.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Token)]
pub(crate) struct ListedToken {
    id: i64,
    name: String,
    role: Role,
    /// Ids of the logspaces that may be searched; null for all.
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything that is found; null for none.
    #[schema(required)]
    scope: Option<String>,
    created_by: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime, required)]
    expires_at: Option<String>,
    /// The time of the last use, to the minute.
    #[schema(format = DateTime, required)]
    last_used: Option<String>,
    /// How much it may send.
    limits: TokenLimits,
    /// The time when its previous secret stops working; null if none works.
    #[schema(format = DateTime, required)]
    former_until: Option<String>,
}

/// All tokens.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Tokens {
    tokens: Vec<ListedToken>,
    /// The cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
}

/// The tokens to list.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TokensParams {
    /// Only tokens of this name: at most one that works, and any number of those that have ended.
    name: Option<String>,
    /// Maximum number of tokens.
    #[param(default = 1000, minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// The start of the page: the `cursor` of the previous page of this list.
    cursor: Option<String>,
}

/// All tokens that the caller may manage, without their secrets.
#[utoipa::path(
    get, path = "/api/v1/tokens", tag = "accounts", params(TokensParams), responses((status = 200, body = Tokens))
)]
pub(crate) async fn list_tokens(
    call: Call,
    Query(TokensParams { name, limit, cursor }): Query<TokensParams>,
) -> Result<axum::Json<Tokens>> {
    let mut tokens = call.meta(|meta| meta.tokens()).await?;
    tokens.retain(|token| may_manage(&call.caller, token.role, &token.grant));
    tokens.retain(|token| name.as_ref().is_none_or(|name| *name == token.name));
    tokens.sort_by_key(|token| token.id);
    let list = ListIdentity::new("tokens", &name);
    let page = Page::new(&list, limit, cursor.as_deref(), tokens, |token| token.id)?;
    let tokens = page.entries.into_iter().map(ListedToken::from).collect();
    Ok(axum::Json(Tokens { tokens, cursor: page.cursor }))
}

/// A token without its secret, also if it has ended.
#[utoipa::path(get, path = "/api/v1/tokens/{id}", tag = "accounts", params(("id" = i64, Path)), responses((status = 200, body = ListedToken)))]
pub(crate) async fn get_token(call: Call, Path(id): Path<i64>) -> Result<axum::Json<ListedToken>> {
    managed_token(&call, id).await.map(|token| axum::Json(token.into()))
}

/// Creates a token and shows its secret this once.
#[utoipa::path(
    post, path = "/api/v1/tokens", tag = "accounts", request_body = TokenRequest,
    responses((
        status = 201, body = CreatedToken, headers(("Location" = String, description = "The address of what was created"))
    ))
)]
pub(crate) async fn create_token(call: Call, Json(new): Json<TokenRequest>) -> Result<Response> {
    check_name(&new.name)?;
    let now = clock::now();
    let expires_at = new.expires_at.as_deref().map(|text| check_expiry(text, now)).transpose()?;
    let TokenRequest { name, role, logspaces, scope, limits, .. } = new;
    check_limits(&limits)?;
    let grant = check_grant(&call, role, logspaces, scope)?;
    let detail = access_of(role, &grant);
    let (token_name, created_by) = (name.clone(), call.caller.actor());
    let (id, secret) = call
        .meta(move |meta| {
            let new = NewToken { name: &token_name, role, created_by, expires_at };
            meta.add_limited_token(&new, &grant, &limits, now)
        })
        .await?;
    call.audit("token.create", format!("{name} (id {id}), {detail}")).await;
    let token = secret.reveal().to_owned();
    Ok(shown_once(&call, CreatedToken { id, name, role, token }))
}

fn shown_once(call: &Call, token: CreatedToken) -> Response {
    created(&call.shared.state.settings.web, &format!("tokens/{}", token.id), token)
}

/// Gives a token a new secret and shows it this once. The present secret works for a while longer, so that senders
/// can be changed one after the other.
#[utoipa::path(
    post, path = "/api/v1/tokens/{id}/rotate", tag = "accounts", params(("id" = i64, Path)), request_body = Rotation,
    responses((
        status = 201, body = CreatedToken, headers(("Location" = String, description = "The address of what was created"))
    ))
)]
pub(crate) async fn rotate_token(
    call: Call,
    Path(id): Path<i64>,
    Json(Rotation { overlap }): Json<Rotation>,
) -> Result<Response> {
    let period = overlap.parse::<Period>().ok().filter(|period| *period <= OVERLAP_MAX);
    let period = period.ok_or_else(|| {
        let detail =
            format!("overlap `{overlap}` is not a duration of at most {OVERLAP_MAX}: write it as 24h");
        ApiError::invalid(detail).path("overlap")
    })?;
    managed_token(&call, id).await?;
    let now = clock::now();
    let until = now.saturating_add(i64::try_from(period.duration().as_nanos()).unwrap_or(i64::MAX));
    let rotated = call.meta(move |meta| meta.rotate_token(id, until, now)).await?;
    let (name, role, secret) =
        rotated.ok_or_else(|| ApiError::not_found(format!("there is no valid token {id}")))?;
    call.audit("token.rotate", format!("{name} (id {id}), overlap {period}")).await;
    let token = secret.reveal().to_owned();
    Ok(shown_once(&call, CreatedToken { id, name, role, token }))
}

/// Removes a token: it stops working at once.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", operation_id = "delete_token", tag = "accounts", params(("id" = i64, Path)), responses((status = 204)))]
pub(crate) async fn remove_token(call: Call, Path(id): Path<i64>) -> Result<StatusCode> {
    managed_token(&call, id).await?;
    let name = call.meta(move |meta| meta.remove_token(id)).await?;
    let name = name.ok_or_else(|| ApiError::not_found(format!("there is no token {id}")))?;
    call.audit("token.remove", format!("{name} (id {id})")).await;
    Ok(StatusCode::NO_CONTENT)
}

/// 422 for a limit that lets nothing pass.
pub(super) fn check_limits(limits: &TokenLimits) -> Result<()> {
    let TokenLimits { messages_per_second, bytes_per_second, body_bytes } = limits;
    let named = [
        ("limits.messages_per_second", messages_per_second),
        ("limits.bytes_per_second", bytes_per_second),
        ("limits.body_bytes", body_bytes),
    ];
    let Some((path, _)) = named.into_iter().find(|(_, limit)| **limit == Some(0)) else { return Ok(()) };
    let detail = "a limit of 0 would let nothing pass: leave it out, or remove the token";
    Err(ApiError::invalid(detail).path(path))
}

pub(super) fn check_expiry(text: &str, now: Timestamp) -> Result<Timestamp> {
    let refused = |reason: &str| {
        let detail = format!("expires_at `{text}` {reason}");
        ApiError::invalid(detail).path("expires_at")
    };
    match Timestamp::parse_rfc3339(text.as_bytes()) {
        None => Err(refused("is not a time: write it as 2027-01-31T00:00:00Z")),
        Some(time) if time <= now => Err(refused("is in the past")),
        Some(time) => Ok(time),
    }
}

impl From<ApiToken> for ListedToken {
    fn from(token: ApiToken) -> ListedToken {
        let now = clock::now();
        ListedToken {
            id: token.id,
            name: token.name,
            role: token.role,
            logspaces: token.grant.logspaces,
            scope: token.grant.scope,
            created_by: token.created_by,
            created_at: token.created_at.to_string(),
            expires_at: token.expires_at.map(|time| time.to_string()),
            last_used: token.last_used.map(|time| time.to_string()),
            limits: token.limits,
            former_until: token.former_until.filter(|until| now < *until).map(|time| time.to_string()),
        }
    }
}
