//! Counts answered requests: by endpoint, by status, and by duration.
//!
//! **Invariant:** an endpoint is a method and the template of a route, so that there are no more than the API has.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Duration;

/// The upper bounds of the buckets for durations, in milliseconds.
const BOUNDS_MS: [u64; 13] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000, 30_000];

/// Counts requests and their answers.
#[derive(Default, Debug)]
pub struct Requests(Mutex<RequestCounts>);

#[derive(Default, Debug)]
struct RequestCounts {
    open: u64,
    by_endpoint: BTreeMap<String, EndpointAnswers>,
}

/// The answers of one endpoint.
#[derive(Clone, Default, Debug)]
pub struct EndpointAnswers {
    /// Answers by HTTP status.
    pub by_status: BTreeMap<u16, u64>,
    /// The number of requests in each bucket: a request is counted at the first bound that it does not exceed.
    within: [u64; BOUNDS_MS.len()],
    took: Duration,
}

impl Requests {
    /// Counts a request that arrived.
    pub fn begin(&self) {
        self.0.lock().open += 1;
    }

    /// Counts a request that was answered or given up.
    pub fn end(&self, endpoint: &str, status: u16, took: Duration) {
        let mut state = self.0.lock();
        state.open = state.open.saturating_sub(1);
        if !state.by_endpoint.contains_key(endpoint) {
            state.by_endpoint.insert(endpoint.to_owned(), EndpointAnswers::default());
        }
        if let Some(answered) = state.by_endpoint.get_mut(endpoint) {
            answered.count(status, took);
        }
    }

    /// The number of requests that are not answered yet.
    pub fn open(&self) -> u64 {
        self.0.lock().open
    }

    /// The answered requests of each endpoint.
    pub fn by_endpoint(&self) -> Vec<(String, EndpointAnswers)> {
        let state = self.0.lock();
        state.by_endpoint.iter().map(|(endpoint, answered)| (endpoint.clone(), answered.clone())).collect()
    }
}

impl EndpointAnswers {
    fn count(&mut self, status: u16, took: Duration) {
        *self.by_status.entry(status).or_default() += 1;
        let bound = BOUNDS_MS.iter().position(|bound| took <= Duration::from_millis(*bound));
        if let Some(within) = bound.and_then(|bound| self.within.get_mut(bound)) {
            *within += 1;
        }
        self.took += took;
    }

    /// The number of requests that took at most each of these times in seconds, the total time, and the total number.
    pub fn seconds(&self) -> (Vec<(f64, u64)>, f64, u64) {
        let mut count = 0;
        let buckets = BOUNDS_MS.iter().zip(self.within).map(|(bound, within)| {
            count += within;
            (*bound as f64 / 1000.0, count)
        });
        (buckets.collect(), self.took.as_secs_f64(), self.by_status.values().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_endpoint_status_and_time() {
        let requests = Requests::default();
        for (status, millis) in [(200, 1), (200, 40), (500, 60_000)] {
            requests.begin();
            requests.end("GET /a", status, Duration::from_millis(millis));
        }
        requests.begin();
        assert_eq!(requests.open(), 1);
        let all = requests.by_endpoint();
        let [(endpoint, answered)] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((endpoint.as_str(), &answered.by_status), ("GET /a", &[(200, 2), (500, 1)].into()));
        let (buckets, seconds, count) = answered.seconds();
        assert_eq!((buckets[0], buckets[5], buckets[12]), ((0.001, 1), (0.05, 2), (30.0, 2)));
        assert_eq!((seconds, count), (60.041, 3));
    }
}
