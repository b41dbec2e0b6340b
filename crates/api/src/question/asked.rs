//! A question with everything a handler needs: read, narrowed to its caller's grant, and with its own parameters.

use super::{Common, Parameters, Question, Read};
use crate::access::Caller;
use crate::error::{ApiError, Result};
use crate::extract::{Json, Query};
use crate::state::Shared;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::Method;
use std::time::Instant;

/// A question that was asked, in the body of a POST or in the query string of a GET.
pub(crate) struct Asked<T> {
    pub(crate) shared: Shared,
    pub(crate) caller: Caller,
    pub(crate) question: Question,
    /// The parameters of this kind of question.
    pub(crate) own: T,
    /// As it was sent.
    pub(crate) common: Common,
    pub(crate) started: Instant,
}

impl<T: Parameters> FromRequest<Shared> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Shared) -> Result<Asked<T>> {
        let started = Instant::now();
        let caller = request.extensions().get::<Caller>().cloned();
        let caller = caller.ok_or_else(|| ApiError::internal("a question without a caller"))?;
        let Read { common, own } = read(request).await?;
        let question = Question::read(shared, &caller, &common, T::STAGES).await?;
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
