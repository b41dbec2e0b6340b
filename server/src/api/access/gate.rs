//! Admits senders to sources with sockets of their own, by the tokens that the web listener takes.

use super::authenticate::presented;
use crate::api::access::{Caller, Needs};
use crate::api::ingest::protocol::Protocol;
use crate::flow::gate::{Barred, Gate};
use crate::machine::clock;
use crate::meta::{Account, Meta, Secret};
use axum::http::header;

/// Looks tokens up.
pub(in crate::api) struct TokenGate(pub(in crate::api) Meta);

impl Gate for TokenGate {
    fn token(&self, authorization: &str) -> Result<String, Barred> {
        let header = authorization.parse().ok().map(|value| (header::AUTHORIZATION, value));
        let Some(secret) = presented(&header.into_iter().collect()) else {
            return Err(Barred::Unknown("send a token as `authorization: Bearer TOKEN`".to_owned()));
        };
        let found = self.0.use_token(Secret::presented(&secret).hash(), clock::now());
        let token = found
            .map_err(|error| Barred::Unavailable(error.to_string()))?
            .ok_or_else(|| Barred::Unknown("this token is unknown or has expired".to_owned()))?;
        let name = token.name.clone();
        let caller = Caller::new(Account::Token(token.id), format!("token:{name}"), token.role, token.grant);
        let may_send = caller.and_then(|caller| caller.check(Needs::Ingest(Protocol::Otlp)));
        may_send.map(|()| name).map_err(|error| Barred::Forbidden(error.detail().to_owned()))
    }
}
