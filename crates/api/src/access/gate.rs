//! Admits senders to sources that have their own sockets, with the tokens that the web listener accepts.
//!
//! **Invariant:** messages that a token sends to either count against the same limits.

use super::authenticate::presented;
use crate::access::{Caller, Needs};
use crate::ingest::pace::TokenPace;
use crate::ingest::protocol::IngestProtocol;
use axum::http::header;
use logstead_accounts::{Account, Meta, Secret, TokenLimits};
use logstead_flow::gate::{Gate, GateError, SendToken};
use logstead_flow::machine::clock;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Looks tokens up.
pub(crate) struct TokenGate {
    pub(crate) meta: Meta,
    pub(crate) pace: Arc<Mutex<TokenPace>>,
}

struct TokenPass {
    account: Account,
    name: String,
    limits: TokenLimits,
    pace: Arc<Mutex<TokenPace>>,
}

impl Gate for TokenGate {
    fn token(&self, authorization: &str) -> Result<Box<dyn SendToken>, GateError> {
        let header = authorization.parse().ok().map(|value| (header::AUTHORIZATION, value));
        let Some(secret) = presented(&header.into_iter().collect()) else {
            return Err(GateError::Unknown("send a token as `authorization: Bearer TOKEN`".to_owned()));
        };
        let found = self.meta.use_token(Secret::presented(&secret).hash(), clock::now());
        let token = found
            .map_err(|error| GateError::Unavailable(error.to_string()))?
            .ok_or_else(|| GateError::Unknown("this token is unknown or has expired".to_owned()))?;
        let (account, name) = (Account::Token(token.id), token.name);
        let caller = Caller::new(account, format!("token:{name}"), token.role, token.grant);
        let may_send = caller.and_then(|caller| caller.check(Needs::Ingest(IngestProtocol::Otlp)));
        may_send.map_err(|error| GateError::Forbidden(error.detail().to_owned()))?;
        Ok(Box::new(TokenPass { account, name, limits: token.limits, pace: self.pace.clone() }))
    }
}

impl SendToken for TokenPass {
    fn name(&self) -> &str {
        &self.name
    }

    fn body_bytes_max(&self) -> Option<usize> {
        self.limits.body_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    fn wait(&self) -> Option<Duration> {
        self.pace.lock().wait(self.account, &self.limits, Instant::now())
    }

    fn charge(&self, messages: usize, bytes: usize) {
        self.pace.lock().charge(self.account, &self.limits, messages, bytes, Instant::now());
    }
}
