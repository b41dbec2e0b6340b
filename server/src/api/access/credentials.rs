//! Names and passwords: which ones are allowed, and whether a password is right.
//!
//! **Invariant:** a password is tried only by an attempt that does not have to wait, and every outcome is counted.

use crate::api::access::throttle::Attempt;
use crate::api::error::{ApiError, Result};
use crate::api::state::Shared;
use crate::api::waiting::blocking;
use crate::meta::{Credentials, name, password};
use axum::http::StatusCode;
use std::time::Instant;

/// 422 for a name that a new user or token cannot have.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match name::flaw(name) {
        Some(flaw) => Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, flaw).path("name")),
        None => Ok(()),
    }
}

/// The hash of a new password of the user `name`; 422 if it is too weak.
pub(crate) async fn hash_password(shared: &Shared, name: &str, password: String) -> Result<String> {
    if let Some(weakness) = password::weakness(&password, name) {
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, weakness).path("password"));
    }
    let _permit = shared.password_permit().await?;
    Ok(blocking(move || password::hash(&password)).await??)
}

/// 429 for an attempt that has to wait.
pub(crate) fn refuse_the_impatient(shared: &Shared, attempt: &Attempt) -> Result<()> {
    let Some(wait) = shared.throttle.lock().wait(attempt, Instant::now()) else { return Ok(()) };
    let seconds = wait.as_secs() + 1;
    let detail = format!("too many failed attempts: try again in {seconds} s");
    Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, detail).retry_after_seconds(seconds))
}

/// The user as stored, if the password is right. After too many failures an attempt has to wait.
pub(in crate::api) async fn check_password(
    shared: &Shared,
    attempt: &Attempt,
    name: &str,
    password: String,
) -> Result<Option<Credentials>> {
    refuse_the_impatient(shared, attempt)?;
    let _permit = shared.password_permit().await?;
    // Again: if there were many attempts at once, the first ones have ended by now.
    refuse_the_impatient(shared, attempt)?;
    let name = name.to_owned();
    let checked = shared.meta(move |meta| {
        let found = meta.credentials(&name)?;
        let fits = password::verify(&password, found.as_ref().map(|user| user.password_hash.as_str()));
        Ok(found.filter(|_| fits))
    });
    let user = checked.await?;
    let mut throttle = shared.throttle.lock();
    match user {
        Some(_) => throttle.succeeded(attempt),
        None => throttle.failed(attempt, Instant::now()),
    }
    Ok(user)
}
