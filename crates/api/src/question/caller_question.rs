//! A question with everything that a handler needs: parsed, limited to its caller's grant, and with its own
//! parameters.

use super::{CommonParameters, QuestionParameters, QuestionRequest, StoreQuestion};
use crate::access::Caller;
use crate::error::{ApiError, Result};
use crate::extract::{Json, Query};
use crate::state::SharedState;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::Method;
use std::time::Instant;

/// A question, from the body of a POST or the query string of a GET.
pub(crate) struct CallerQuestion<T> {
    pub(crate) shared: SharedState,
    pub(crate) caller: Caller,
    pub(crate) question: StoreQuestion,
    /// The parameters of this kind of question.
    pub(crate) own: T,
    /// The common parameters as they were sent.
    pub(crate) common: CommonParameters,
    pub(crate) started: Instant,
}

impl<T: QuestionParameters> FromRequest<SharedState> for CallerQuestion<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &SharedState) -> Result<CallerQuestion<T>> {
        let started = Instant::now();
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, shared).await?;
        let QuestionRequest { common, own } = read(Request::from_parts(parts, body)).await?;
        let question = StoreQuestion::read(shared, &caller, &common, T::STAGES).await?;
        Ok(CallerQuestion { shared: shared.clone(), caller, question, own, common, started })
    }
}

async fn read<T: QuestionParameters>(request: Request) -> Result<QuestionRequest<T>> {
    if request.method() == Method::POST {
        return Json::from_request(request, &()).await.map(|Json(read)| read);
    }
    let (mut parts, _) = request.into_parts();
    Query::from_request_parts(&mut parts, &()).await.map(|Query(read)| read)
}
