//! What every question to the store has in common: how it is read, what it means, its turn and its end.
//!
//! A handler takes an [`Asked`] and finds there the question with the caller's grant applied, and its own parameters.
//!
//! | module     | owns                                                            |
//! |------------|-----------------------------------------------------------------|
//! | `read`     | the parameters that all questions share, told apart from others |
//! | `describe` | the same parameters in the description of the API               |
//! | `meant`    | what they mean for this caller                                  |
//! | `cancel`   | when a question runs, and its end before it is through          |
//! | `turn`     | whose question runs next, in which lane                         |
//! | `warning`  | what to know about an answer                                    |

pub(super) mod cancel;
pub(super) mod clocks;
pub(super) mod describe;
mod hint;
mod meant;
mod read;
pub(super) mod turn;
mod turns;
pub(super) mod warning;

use super::Shared;
use super::access::Caller;
use super::error::{ApiError, Result};
use super::extract::{Json, Query};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::Method;
pub(super) use meant::{Question, refusal, select_logspaces, unknown_logspace};
pub(super) use read::{Common, Parameters, Read, list, split_list};
use std::time::Instant;

/// A question that was asked, in the body of a POST or in the query string of a GET.
pub(crate) struct Asked<T> {
    pub(super) shared: Shared,
    pub(super) caller: Caller,
    pub(super) question: Question,
    /// What questions of this kind say besides.
    pub(super) own: T,
    /// As it was sent.
    pub(super) common: Common,
    pub(super) started: Instant,
}

impl<T: Parameters> FromRequest<Shared> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Shared) -> Result<Asked<T>> {
        let started = Instant::now();
        let caller = request.extensions().get::<Caller>().cloned();
        let caller = caller.ok_or_else(|| ApiError::internal("a question that nobody asks"))?;
        let Read { common, own } = read(request).await?;
        let question = Question::new(shared, &caller, &common, T::STAGES)?;
        Ok(Asked { shared: shared.clone(), caller, question, own, common, started })
    }
}

async fn read<T: Parameters>(request: Request) -> Result<Read<T>> {
    if request.method() == Method::POST {
        return Json::from_request(request, &()).await.map(|Json(read)| read);
    }
    let (mut parts, _) = request.into_parts();
    Query::from_request_parts(&mut parts, &()).await.map(|Query(read)| read)
}
