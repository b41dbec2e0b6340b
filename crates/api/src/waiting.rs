//! Ways for requests to wait: for threads that may block, and for one of a limited number of places.

use super::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use logstead_flow::request_id;
use std::any::Any;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Maximum time that a request waits for its turn before it is told to try again.
const TURN_WAIT_MAX: Duration = Duration::from_secs(10);

/// Runs a blocking call on a blocking thread.
pub(super) async fn blocking<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let done = boxed(Box::new(move || Box::new(call()))).await?;
    Ok(*done.downcast().expect("the type that the call returns"))
}

type Done = Box<dyn Any + Send>;

/// With one type for all calls, the runtime's code for a task is compiled once, not 130 times.
async fn boxed(call: Box<dyn FnOnce() -> Done + Send>) -> Result<Done> {
    tokio::task::spawn_blocking(request_id::carried(call)).await.map_err(ApiError::internal)
}

/// Waits for this many places; 503 with this reason if they do not become free in time.
pub(super) async fn places<'a>(all: &'a Semaphore, count: u32, reason: &str) -> Result<SemaphorePermit<'a>> {
    match timeout(TURN_WAIT_MAX, all.acquire_many(count)).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) | Err(_) => Err(busy(reason)),
    }
}

/// 503: try again.
pub(super) fn busy(reason: &str) -> ApiError {
    ApiError::new(ProblemType::Busy, format!("{reason}: try again")).retry_after_seconds(1)
}
