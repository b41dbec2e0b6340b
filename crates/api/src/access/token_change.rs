//! Changes of a token, which keeps its secret.
//!
//! **Invariant:** requests that the token has begun see its new rights and limits when they are next checked.

use super::credentials::check_name;
use super::grants::{access_of, check_grant, managed_token};
use super::tokens::{ListedToken, check_expiry, check_limits};
use crate::access::Call;
use crate::error::Result;
use crate::extract::{MergePatch, Path, present};
use crate::waiting::busy;
use logstead_accounts::{ApiToken, Grant, TokenLimits};
use logstead_flow::machine::clock;
use serde::Deserialize;

/// A change is tried this often if others change the same account at the same time.
pub(super) const ATTEMPTS_MAX: usize = 8;

/// The parts of a token to change (RFC 7396): a part that is left out stays, and null removes it.
#[derive(Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenChange {
    /// Its name, as for a new token.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 64, pattern = "^[a-z0-9][a-z0-9._@-]*$")]
    name: Option<String>,
    /// Ids of the logspaces, as for a new token; null for all, or for none with the role ingest.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<String>>)]
    logspaces: Option<Option<Vec<String>>>,
    /// A filter that limits everything that is found; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, example = "host:web-*")]
    scope: Option<Option<String>>,
    /// The time when it ends (RFC 3339); null for never.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Option<String>>,
    /// How much it may send; null for unlimited.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<LimitsChange>)]
    limits: Option<Option<LimitsChange>>,
}

/// The limits of a token to change: a limit that is left out stays, and null removes it.
#[derive(Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LimitsChange {
    /// Average number of messages per second.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u64>, minimum = 1)]
    messages_per_second: Option<Option<u64>>,
    /// Average number of bytes per second, in unpacked bodies.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u64>, minimum = 1)]
    bytes_per_second: Option<Option<u64>>,
    /// Size of one unpacked body in bytes.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u64>, minimum = 1)]
    body_bytes: Option<Option<u64>>,
}

/// Changes parts of a token, which keeps its secret. What the token is doing at the moment continues with its new
/// rights and limits, or ends if it may no longer be done.
///
/// The body is a merge patch (RFC 7396), which may also be sent as `application/merge-patch+json`.
#[utoipa::path(
    patch, path = "/api/v1/tokens/{id}", tag = "accounts", params(("id" = i64, Path)),
    request_body = TokenChange,
    responses((status = 200, body = ListedToken))
)]
pub(crate) async fn update_token(
    call: Call,
    Path(id): Path<i64>,
    MergePatch(change): MergePatch<TokenChange>,
) -> Result<axum::Json<ListedToken>> {
    for _ in 0..ATTEMPTS_MAX {
        let before = managed_token(&call, id).await?;
        let after = change.clone().applied(&call, &before)?;
        if after == before {
            return Ok(axum::Json(after.into()));
        }
        let (was, is) = (before.clone(), after.clone());
        if call.meta(move |meta| meta.change_token(&was, &is, clock::now())).await? {
            let (was, is) = (described(&before), described(&after));
            call.audit("token.change", format!("{} (id {id}): {was}; now {is}", before.name)).await;
            return Ok(axum::Json(after.into()));
        }
    }
    Err(busy("others change this token at the same time"))
}

impl TokenChange {
    fn applied(self, call: &Call, before: &ApiToken) -> Result<ApiToken> {
        let mut after = before.clone();
        if let Some(name) = self.name {
            check_name(&name)?;
            after.name = name;
        }
        if self.logspaces.is_some() || self.scope.is_some() {
            let Grant { logspaces, scope } = before.grant.clone();
            let (logspaces, scope) = (self.logspaces.unwrap_or(logspaces), self.scope.unwrap_or(scope));
            after.grant = check_grant(call, before.role, logspaces, scope)?;
        }
        if let Some(expires_at) = self.expires_at {
            after.expires_at = expires_at.map(|text| check_expiry(&text, clock::now())).transpose()?;
        }
        match self.limits {
            None => {}
            Some(None) => after.limits = TokenLimits::default(),
            Some(Some(limits)) => after.limits = limits.applied(before.limits),
        }
        check_limits(&after.limits)?;
        Ok(after)
    }
}

impl LimitsChange {
    fn applied(self, before: TokenLimits) -> TokenLimits {
        TokenLimits {
            messages_per_second: self.messages_per_second.unwrap_or(before.messages_per_second),
            bytes_per_second: self.bytes_per_second.unwrap_or(before.bytes_per_second),
            body_bytes: self.body_bytes.unwrap_or(before.body_bytes),
        }
    }
}

/// The changeable parts of a token, for the audit log.
fn described(token: &ApiToken) -> String {
    let TokenLimits { messages_per_second, bytes_per_second, body_bytes } = token.limits;
    let limits = [
        ("messages_per_second", messages_per_second),
        ("bytes_per_second", bytes_per_second),
        ("body_bytes", body_bytes),
    ];
    let limits = limits.into_iter().filter_map(|(name, limit)| Some(format!(", {name} {}", limit?)));
    let end = token.expires_at.map(|time| format!(", until {time}")).unwrap_or_default();
    format!("{}, {}{}{end}", token.name, access_of(token.role, &token.grant), limits.collect::<String>())
}
