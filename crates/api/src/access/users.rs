//! Users: who can log in, and with which rights.

use super::account::{Sessions, listed};
use super::credentials::{check_current, check_name, hash_password};
use super::grants::{access_of, check_grant, check_role_of_user, managed_user, may_manage};
use super::token_change::ATTEMPTS_MAX;
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Json, MergePatch, Path, Peer, Query, present};
use crate::headers::created;
use crate::list::{ListIdentity, ListParams, Page};
use crate::problem_type::ProblemType;
use crate::waiting::{blocking, busy};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use logstead_accounts as accounts;
use logstead_accounts::{Grant, Meta, Role};
use logstead_flow::machine::clock;
use serde::{Deserialize, Serialize};

/// A user to create.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserToCreate {
    /// At most 64 lowercase letters (a to z), digits and `. _ - @`; it begins with a letter or a digit.
    #[schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9][a-z0-9._@-]*$")]
    name: String,
    role: Role,
    /// The password: at least 8 characters, and not easy to guess.
    #[schema(min_length = 8, max_length = 1024)]
    password: String,
    /// Ids of the logspaces that the user may search and, as an operator, manage; all by default. An administrator
    /// limited to some logspaces manages the accounts that have no others.
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything that is found; none by default.
    #[serde(default)]
    #[schema(example = "host:web-*")]
    scope: Option<String>,
}

/// The rights of a user. Every part is required, so that nothing is granted by omission.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserChange {
    role: Role,
    /// Ids of the logspaces that the user may search and, as an operator, manage; null for all.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything that is found; null for none.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = "host:web-*")]
    scope: Option<String>,
    /// The password: at least 8 characters, and not easy to guess. Required for a user who does not exist yet. If it is
    /// not the present password, it replaces it, and the user's sessions end. By default, the password stays.
    #[serde(default)]
    #[schema(min_length = 8, max_length = 1024)]
    password: Option<String>,
}

/// The rights of a user to change (RFC 7396): a part that is left out stays, and null removes it.
#[derive(Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserRightsChange {
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    role: Option<Role>,
    /// Ids of the logspaces that the user may search and, as an operator, manage; null for all.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<String>>)]
    logspaces: Option<Option<Vec<String>>>,
    /// A filter that limits everything that is found; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, example = "host:web-*")]
    scope: Option<Option<String>>,
}

/// A user.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = User)]
pub(crate) struct ListedUser {
    name: String,
    role: Role,
    /// Ids of the logspaces that may be searched; null for all.
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything that is found; null for none.
    #[schema(required)]
    scope: Option<String>,
    /// The provider that keeps the user's password: `oidc:ID` or `ldap:ID`; null if Logstead does.
    #[schema(required)]
    origin: Option<String>,
    /// Whether the user is disabled, so that nobody can log in as this user.
    disabled: bool,
    /// Whether a login requires a code from an authenticator app.
    second_factor: bool,
    #[schema(format = DateTime)]
    created_at: String,
}

/// All users.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Users {
    users: Vec<ListedUser>,
    /// The cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
}

/// A user's new password.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordChange {
    /// The password: at least 8 characters, and not easy to guess.
    #[schema(min_length = 8, max_length = 1024)]
    password: String,
    /// The current password. Required to change one's own.
    #[serde(default)]
    current_password: Option<String>,
}

/// All users whom the caller may manage.
#[utoipa::path(
    get, path = "/api/v1/users", tag = "accounts", params(ListParams), responses((status = 200, body = Users))
)]
pub(crate) async fn list_users(
    call: Call,
    Query(ListParams { limit, cursor }): Query<ListParams>,
) -> Result<axum::Json<Users>> {
    let mut users = call.meta(|meta| meta.users()).await?;
    users.retain(|user| may_manage(&call.caller, user.role, &user.grant));
    users.sort_by(|one, other| one.name.cmp(&other.name));
    let list = ListIdentity::new("users", ());
    let page = Page::new(&list, limit, cursor.as_deref(), users, |user| user.name.clone())?;
    let users = page.entries.into_iter().map(ListedUser::from).collect();
    Ok(axum::Json(Users { users, cursor: page.cursor }))
}

/// A user.
#[utoipa::path(get, path = "/api/v1/users/{name}", tag = "accounts", params(("name" = String, Path)), responses((status = 200, body = ListedUser)))]
pub(crate) async fn get_user(call: Call, Path(name): Path<String>) -> Result<axum::Json<ListedUser>> {
    managed_user(&call, &name).await.map(|user| axum::Json(user.into()))
}

/// Creates a user.
#[utoipa::path(
    post, path = "/api/v1/users", tag = "accounts", request_body = UserToCreate,
    responses((
        status = 201, body = ListedUser, headers(("Location" = String, description = "The address of what was created"))
    ))
)]
pub(crate) async fn create_user(call: Call, Json(new): Json<UserToCreate>) -> Result<Response> {
    add(&call, new).await
}

async fn add(call: &Call, new: UserToCreate) -> Result<Response> {
    check_name(&new.name)?;
    let UserToCreate { name, role, password, logspaces, scope } = new;
    check_role_of_user(role)?;
    let grant = check_grant(call, role, logspaces, scope)?;
    let hash = hash_password(&call.shared, &name, password).await?;
    let created_at = clock::now();
    let user = accounts::User {
        name,
        role,
        grant,
        origin: None,
        is_disabled: false,
        has_second_factor: false,
        created_at,
    };
    let added = user.clone();
    call.meta(move |meta| meta.add_granted_user(&added.name, role, &added.grant, &hash, created_at)).await?;
    let detail = format!("{}, {}", user.name, access_of(role, &user.grant));
    call.audit("user.create", detail).await;
    let path = format!("users/{}", user.name);
    Ok(created(&call.shared.state.settings.web, &path, ListedUser::from(user)))
}

/// Creates a user, or changes the rights and the password of one. The same request again changes nothing. A change
/// takes effect with the user's next request, also in open sessions.
#[utoipa::path(
    put, path = "/api/v1/users/{name}", operation_id = "put_user", tag = "accounts", params(("name" = String, Path)), request_body = UserChange,
    responses(
        (status = 200, body = ListedUser),
        (
            status = 201, body = ListedUser,
            headers(("Location" = String, description = "The address of what was created")),
        ),
    )
)]
pub(crate) async fn put_user(
    call: Call,
    Path(name): Path<String>,
    Json(wanted): Json<UserChange>,
) -> Result<Response> {
    let UserChange { role, logspaces, scope, password } = wanted;
    check_role_of_user(role)?;
    let before = match managed_user(&call, &name).await {
        Err(error) if error.is(ProblemType::NotFound) => {
            let Some(password) = password else {
                return Err(error.but("to create one, send a password too"));
            };
            return add(&call, UserToCreate { name, role, password, logspaces, scope }).await;
        }
        found => found?,
    };
    let grant = check_grant(&call, role, logspaces, scope)?;
    let hash = match password {
        Some(password) => other_password(&call, &before, password).await?,
        None => None,
    };
    let wanted = before.name.clone();
    let (before, after) = call.meta(move |meta| meta.change_user(&wanted, role, &grant)).await?;
    note_change(&call, &before, &after).await;
    if let Some(hash) = hash {
        let name = after.name.clone();
        call.meta(move |meta| meta.set_password(&name, &hash, None)).await?;
        call.audit("user.password", &*after.name).await;
    }
    Ok(axum::Json(ListedUser::from(after)).into_response())
}

/// The hash of a password that is not the user's present one; `None` if it is.
async fn other_password(call: &Call, user: &accounts::User, password: String) -> Result<Option<String>> {
    // Otherwise somebody at an unattended session could guess the password here.
    if call.caller.session.is_some() && call.caller.name == user.name {
        let detail = "change your own password with PUT /api/v1/users/NAME/password, and leave it out here";
        return Err(ApiError::invalid(detail).path("password"));
    }
    if let Some(origin) = user.origin.clone() {
        return Err(accounts::Error::PasswordElsewhere { name: user.name.clone(), origin }.into());
    }
    let name = user.name.clone();
    let known = call.meta(move |meta| meta.credentials(&name)).await?;
    let (hash, typed) = (known.map(|known| known.password_hash), password.clone());
    let permit = call.shared.password_permit().await?;
    let is_present = blocking(move || accounts::password::verify(&typed, hash.as_deref())).await?;
    drop(permit);
    if is_present { Ok(None) } else { hash_password(&call.shared, &user.name, password).await.map(Some) }
}

/// Changes some of a user's rights. The change takes effect with the user's next request, also in open sessions.
///
/// The body is a merge patch (RFC 7396), which may also be sent as `application/merge-patch+json`.
#[utoipa::path(
    patch, path = "/api/v1/users/{name}", tag = "accounts", params(("name" = String, Path)),
    request_body = UserRightsChange,
    responses((status = 200, body = ListedUser))
)]
pub(crate) async fn update_user(
    call: Call,
    Path(name): Path<String>,
    MergePatch(change): MergePatch<UserRightsChange>,
) -> Result<axum::Json<ListedUser>> {
    for _ in 0..ATTEMPTS_MAX {
        let before = managed_user(&call, &name).await?;
        let UserRightsChange { role, logspaces, scope } = change.clone();
        let role = role.unwrap_or(before.role);
        check_role_of_user(role)?;
        let Grant { logspaces: had, scope: limit } = before.grant.clone();
        let grant = match (logspaces, scope) {
            (None, None) => before.grant.clone(),
            (logspaces, scope) => check_grant(&call, role, logspaces.unwrap_or(had), scope.unwrap_or(limit))?,
        };
        let was = before.clone();
        if let Some(after) = call.meta(move |meta| meta.change_user_from(&was, role, &grant)).await? {
            note_change(&call, &before, &after).await;
            return Ok(axum::Json(after.into()));
        }
    }
    Err(busy("others change this user at the same time"))
}

async fn note_change(call: &Call, before: &accounts::User, after: &accounts::User) {
    let (was, is) = (access_of(before.role, &before.grant), access_of(after.role, &after.grant));
    if was != is {
        call.audit("user.change", format!("{}: {was}; now {is}", after.name)).await;
    }
}

/// Removes a user and ends the user's sessions.
#[utoipa::path(delete, path = "/api/v1/users/{name}", operation_id = "delete_user", tag = "accounts", params(("name" = String, Path)), responses((status = 204)))]
pub(crate) async fn remove_user(call: Call, Path(name): Path<String>) -> Result<StatusCode> {
    change_managed(call, name, "user.remove", |meta, name| meta.remove_user(name)).await
}

/// Changes a password: one's own or, as an administrator, anyone's. Ends the user's other sessions. Changing one's
/// own requires the present one: an unattended session is not enough.
#[utoipa::path(put, path = "/api/v1/users/{name}/password", tag = "accounts", params(("name" = String, Path)), request_body = PasswordChange, responses((status = 204)))]
pub(crate) async fn change_password(
    call: Call,
    peer: Peer,
    Path(name): Path<String>,
    Json(new): Json<PasswordChange>,
) -> Result<StatusCode> {
    let is_own = call.caller.session.is_some() && call.caller.name.eq_ignore_ascii_case(&name);
    if !is_own && call.caller.role < Role::Admin {
        let detail = format!("changing another user's password needs the role {}", Role::Admin);
        return Err(ApiError::forbidden(detail));
    }
    if is_own {
        check_current(&call, peer, new.current_password.as_deref()).await?;
    } else {
        managed_user(&call, &name).await?;
    }
    let hash = hash_password(&call.shared, &name, new.password).await?;
    let (user, keep) = (name.clone(), call.caller.session);
    call.meta(move |meta| meta.set_password(&user, &hash, keep)).await?;
    call.audit("user.password", name).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Disables a user: nobody can log in as this user any more, and the user's sessions end.
#[utoipa::path(post, path = "/api/v1/users/{name}/disable", tag = "accounts", params(("name" = String, Path)), responses((status = 204)))]
pub(crate) async fn disable_user(call: Call, Path(name): Path<String>) -> Result<StatusCode> {
    change_managed(call, name, "user.disable", |meta, name| meta.set_disabled(name, Some(clock::now()))).await
}

/// Enables a user again, who can then log in.
#[utoipa::path(post, path = "/api/v1/users/{name}/enable", tag = "accounts", params(("name" = String, Path)), responses((status = 204)))]
pub(crate) async fn enable_user(call: Call, Path(name): Path<String>) -> Result<StatusCode> {
    change_managed(call, name, "user.enable", |meta, name| meta.set_disabled(name, None)).await
}

/// The sessions of a user, the last used first.
#[utoipa::path(
    get, path = "/api/v1/users/{name}/sessions", operation_id = "list_user_sessions", tag = "accounts", params(("name" = String, Path)), responses((status = 200, body = Sessions))
)]
pub(crate) async fn list_sessions_of(call: Call, Path(name): Path<String>) -> Result<axum::Json<Sessions>> {
    managed_user(&call, &name).await?;
    let sessions = call.meta(move |meta| meta.sessions_of(&name, clock::now())).await?;
    Ok(axum::Json(listed(sessions, call.caller.session)))
}

/// Ends all sessions of a user.
#[utoipa::path(delete, path = "/api/v1/users/{name}/sessions", operation_id = "end_user_sessions", tag = "accounts", params(("name" = String, Path)), responses((status = 204)))]
pub(crate) async fn end_sessions_of(call: Call, Path(name): Path<String>) -> Result<StatusCode> {
    managed_user(&call, &name).await?;
    let user = name.clone();
    let ended = call.meta(move |meta| meta.end_sessions_of(&user, None, clock::now())).await?;
    call.audit("session.revoke", format!("{ended} of {name}")).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a session of a user.
#[utoipa::path(
    delete, path = "/api/v1/users/{name}/sessions/{id}", operation_id = "end_user_session", tag = "accounts", params(("name" = String, Path), ("id" = String, Path)), responses((status = 204))
)]
pub(crate) async fn end_session_of(
    call: Call,
    Path((name, id)): Path<(String, String)>,
) -> Result<StatusCode> {
    managed_user(&call, &name).await?;
    let (user, session) = (name.clone(), id.clone());
    if !call.meta(move |meta| meta.end_session_of(&user, &session, clock::now())).await? {
        return Err(ApiError::not_found(format!("{name} has no session {id}: it may have ended")));
    }
    call.audit("session.revoke", format!("{id} of {name}")).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the second factor of a user who has lost it. The user can then log in with the password alone, and set up
/// another one.
#[utoipa::path(delete, path = "/api/v1/users/{name}/totp", operation_id = "delete_user_totp", tag = "accounts", params(("name" = String, Path)), responses((status = 204)))]
pub(crate) async fn remove_totp_of(call: Call, Path(name): Path<String>) -> Result<StatusCode> {
    change_managed(call, name, "totp.reset", |meta, name| {
        let found = meta.credentials(name)?.ok_or_else(|| accounts::Error::NoSuchUser(name.to_owned()))?;
        meta.remove_totp(found.id)
    })
    .await
}

/// Changes a user whom the caller may manage, and records it.
async fn change_managed(
    call: Call,
    name: String,
    action: &'static str,
    change: fn(&Meta, &str) -> accounts::Result<()>,
) -> Result<StatusCode> {
    managed_user(&call, &name).await?;
    let user = name.clone();
    call.meta(move |meta| change(meta, &user)).await?;
    call.audit(action, name).await;
    Ok(StatusCode::NO_CONTENT)
}

impl From<accounts::User> for ListedUser {
    fn from(user: accounts::User) -> ListedUser {
        let accounts::User { grant: Grant { logspaces, scope }, .. } = user;
        ListedUser {
            name: user.name,
            role: user.role,
            logspaces,
            scope,
            origin: user.origin,
            disabled: user.is_disabled,
            second_factor: user.has_second_factor,
            created_at: user.created_at.to_string(),
        }
    }
}
