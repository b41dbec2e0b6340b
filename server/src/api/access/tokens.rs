//! API tokens.
//!
//! **Invariant:** a token's secret is shown once, when it is created.

use super::credentials::check_name;
use super::grants::{access_of, check_grant};
use crate::api::access::Caller;
use crate::api::error::{ApiError, Result};
use crate::api::extract::{Json, Path};
use crate::api::state::Shared;
use crate::machine::clock;
use crate::meta::{NewToken, Role};
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};

/// A token to create.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenRequest {
    /// Its name, unique among the tokens that work: at most 64 lowercase letters (a to z), digits and `. _ - @`; it
    /// begins with a letter or a digit.
    #[schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9][a-z0-9._@-]*$")]
    name: String,
    role: Role,
    /// Ids of the logspaces that may be searched; all by default. For analysts only.
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything that is found; none by default. For analysts only.
    #[serde(default)]
    #[schema(example = "host:web-*")]
    scope: Option<String>,
    /// When it ends (RFC 3339); never by default.
    #[serde(default)]
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

/// A new token: the only time its secret is shown.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CreatedToken {
    id: i64,
    name: String,
    role: Role,
    /// To send as `Authorization: Bearer TOKEN`.
    token: String,
}

/// A token without its secret.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Token {
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
    /// To the minute.
    #[schema(format = DateTime, required)]
    last_used: Option<String>,
}

/// All tokens.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Tokens {
    tokens: Vec<Token>,
}

/// All tokens, without their secrets.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "accounts", responses((status = 200, body = Tokens)))]
pub(crate) async fn list_tokens(State(shared): State<Shared>) -> Result<axum::Json<Tokens>> {
    let tokens = shared.meta(|meta| meta.tokens()).await?;
    let tokens = tokens.into_iter().map(|token| Token {
        id: token.id,
        name: token.name,
        role: token.role,
        logspaces: token.grant.logspaces,
        scope: token.grant.scope,
        created_by: token.created_by,
        created_at: token.created_at.to_string(),
        expires_at: token.expires_at.map(|time| time.to_string()),
        last_used: token.last_used.map(|time| time.to_string()),
    });
    Ok(axum::Json(Tokens { tokens: tokens.collect() }))
}

/// Creates a token and shows its secret this one time.
#[utoipa::path(
    post, path = "/api/v1/tokens", tag = "accounts", responses((status = 201, body = CreatedToken))
)]
pub(crate) async fn create_token(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<TokenRequest>,
) -> Result<(StatusCode, axum::Json<CreatedToken>)> {
    check_name(&new.name)?;
    let now = clock::now();
    let expires_at = new.expires_at.as_deref().map(|text| check_expiry(text, now)).transpose()?;
    let TokenRequest { name, role, logspaces, scope, .. } = new;
    let grant = check_grant(&shared, role, logspaces, scope)?;
    let detail = access_of(role, &grant);
    let (token_name, created_by) = (name.clone(), caller.actor());
    let (id, secret) = shared
        .meta(move |meta| {
            let new = NewToken { name: &token_name, role, created_by, expires_at };
            meta.add_granted_token(&new, &grant, now)
        })
        .await?;
    shared.audit(caller.actor(), "token.create", format!("{name} (id {id}), {detail}")).await;
    let token = secret.reveal().to_owned();
    Ok((StatusCode::CREATED, axum::Json(CreatedToken { id, name, role, token })))
}

/// Removes a token: it stops working at once.
#[utoipa::path(
    delete, path = "/api/v1/tokens/{id}", tag = "accounts",
    params(("id" = i64, Path)), responses((status = 204))
)]
pub(crate) async fn remove_token(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<StatusCode> {
    let name = shared.meta(move |meta| meta.remove_token(id)).await?;
    let name = name.ok_or_else(|| ApiError::not_found(format!("there is no token {id}")))?;
    shared.audit(caller.actor(), "token.remove", format!("{name} (id {id})")).await;
    Ok(StatusCode::NO_CONTENT)
}

fn check_expiry(text: &str, now: Timestamp) -> Result<Timestamp> {
    let refused = |reason: &str| {
        let detail = format!("expires_at `{text}` {reason}");
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail).path("expires_at")
    };
    match Timestamp::parse_rfc3339(text.as_bytes()) {
        None => Err(refused("is not a time: write it as 2027-01-31T00:00:00Z")),
        Some(time) if time <= now => Err(refused("is in the past")),
        Some(time) => Ok(time),
    }
}
