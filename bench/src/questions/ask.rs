//! Asks a server over one connection that is kept, and says what an answer cost: the time until it was read, and the CPU
//! time of the server's threads, which does not depend on who else uses the machine.

use super::answer::AnswerContent;
use super::list::{AskedTime, Question, QuestionSet, RequestKind};
use crate::server::{Server, TOKEN};
use crate::table::median;
use anyhow::Result;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The first and the last moment of all lines, and the beginning of the last fifteen minutes.
const BEGIN: &str = "2026-11-01T00:00:00Z";
const END: &str = "2026-11-02T00:00:00Z";
const LAST: &str = "2026-11-01T23:45:00Z";
/// The longest time for an answer; the server's own limit is half a minute.
const ANSWER_MAX: Duration = Duration::from_secs(90);
/// The pause between an answer and the reading of the CPU time, so that what an answer leaves behind counts too.
const PAUSE: Duration = Duration::from_millis(5);
/// How long a question is asked again at most; it is asked once more at least.
const AGAIN_MAX: Duration = Duration::from_secs(15);
/// The requests with which a filter is asked again, in this order.
pub(super) const REPEATED: [&str; 4] = ["count", "newest", "histogram", "facets"];

/// One request and its answer.
#[derive(Debug)]
pub(super) struct AnswerCost {
    pub(super) wall_ms: f64,
    pub(super) cpu_ms: f64,
    pub(super) content: AnswerContent,
    /// The refusal, if the answer is one.
    pub(super) problem: Option<String>,
}

/// A question asked again and again.
#[derive(Debug)]
pub(super) struct WarmCosts {
    pub(super) least_wall_ms: f64,
    pub(super) cpu_ms: f64,
    /// The median CPU time of each of the repeated requests.
    pub(super) repeat_ms: [f64; 4],
    /// Whether each of these was answered completely.
    pub(super) is_repeat_complete: bool,
    /// Whether all complete answers were the same.
    pub(super) is_stable: bool,
}

/// A client of a server with lines of one set.
pub(super) struct Asker<'a> {
    server: &'a Server,
    agent: ureq::Agent,
    set: QuestionSet,
}

impl Asker<'_> {
    /// A client that is connected and known to the server, so that no question pays for that.
    pub(super) fn new(server: &Server, set: QuestionSet) -> Result<Asker<'_>> {
        let agent = ureq::Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(ANSWER_MAX))
            .build()
            .into();
        let asker = Asker { server, agent, set };
        asker.send("/session", None)?;
        Ok(asker)
    }

    /// Asks a question once.
    pub(super) fn ask(&self, question: &Question) -> Result<AnswerCost> {
        let (path, body) = request(question.kind, question.query, question.time);
        self.measure(path, &body)
    }

    /// Asks a question some times, and then its filter in other ways.
    pub(super) fn ask_again(
        &self,
        question: &Question,
        first: &AnswerContent,
        runs: usize,
    ) -> Result<WarmCosts> {
        let (mut walls, mut cpus) = (Vec::new(), Vec::new());
        let mut is_stable = true;
        let start = Instant::now();
        while walls.is_empty() || walls.len() < runs && start.elapsed() < AGAIN_MAX {
            let cost = self.ask(question)?;
            let both_complete = cost.content.is_complete && first.is_complete;
            is_stable &= !both_complete || cost.content == *first;
            is_stable &= cost.problem.is_none() || !first.is_complete;
            walls.push(cost.wall_ms);
            cpus.push(cost.cpu_ms);
        }
        let (repeat_ms, is_repeat_complete) = self.repeat(question, runs)?;
        Ok(WarmCosts {
            least_wall_ms: walls.into_iter().fold(f64::INFINITY, f64::min),
            cpu_ms: median(cpus),
            repeat_ms,
            is_repeat_complete,
            is_stable,
        })
    }

    /// Asks a filter for its count, its newest messages, their times and their values, in turns. Returns also whether all
    /// answers were complete.
    fn repeat(&self, question: &Question, runs: usize) -> Result<([f64; 4], bool)> {
        let facets = self.set.facets();
        let bodies = [
            request(RequestKind::Count, question.filter(), question.time),
            request(RequestKind::Newest, question.filter(), question.time),
            request(RequestKind::Histogram("10m"), question.filter(), question.time),
            ("/facets", json!({ "query": question.filter(), "fields": facets, "limit": 10 })),
        ];
        let mut costs = [const { Vec::new() }; 4];
        let mut is_complete = true;
        let start = Instant::now();
        while costs[0].is_empty() || costs[0].len() < runs && start.elapsed() < AGAIN_MAX {
            for ((path, body), costs) in bodies.iter().zip(&mut costs) {
                let cost = self.measure(path, body)?;
                is_complete &= cost.content.is_complete;
                costs.push(cost.cpu_ms);
            }
        }
        Ok((costs.map(median), is_complete))
    }

    fn measure(&self, path: &str, body: &Value) -> Result<AnswerCost> {
        let before = self.server.thread_nanos()?;
        let start = Instant::now();
        let (status, text) = self.send(path, Some(body))?;
        let wall = start.elapsed();
        std::thread::sleep(PAUSE);
        let after = self.server.thread_nanos()?;
        let spent = |(id, nanos): (&u32, &u64)| nanos.saturating_sub(*before.get(id).unwrap_or(&0));
        let nanos: u64 = after.iter().map(spent).sum();
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        let refusal = || answer["detail"].as_str().unwrap_or(&text).chars().take(300).collect::<String>();
        Ok(AnswerCost {
            wall_ms: wall.as_secs_f64() * 1e3,
            cpu_ms: nanos as f64 / 1e6,
            content: AnswerContent::read(&answer),
            problem: (status != 200).then(|| format!("{status}: {}", refusal())),
        })
    }

    /// Sends a request and reads its answer to the end.
    fn send(&self, path: &str, body: Option<&Value>) -> Result<(u16, String)> {
        let url = self.server.web_url(&format!("/api/v1{path}"));
        let token = format!("Bearer {TOKEN}");
        let mut answer = match body {
            Some(body) => self.agent.post(url).header("Authorization", token).send_json(body)?,
            None => self.agent.get(url).header("Authorization", token).call()?,
        };
        let text = answer.body_mut().with_config().limit(256 << 20).read_to_string()?;
        Ok((answer.status().as_u16(), text))
    }
}

/// The path and body of a request.
fn request(kind: RequestKind, query: &str, time: AskedTime) -> (&'static str, Value) {
    let (path, mut body) = match kind {
        RequestKind::Count => ("/count", json!({})),
        RequestKind::Newest => ("/search", json!({ "limit": 100 })),
        RequestKind::Oldest => ("/search", json!({ "limit": 100, "order": "oldest" })),
        RequestKind::Histogram(interval) => {
            ("/histogram", json!({ "interval": interval, "from": BEGIN, "to": END }))
        }
        RequestKind::Facets(fields) => ("/facets", json!({ "fields": fields, "limit": 10 })),
        RequestKind::Aggregate => ("/aggregate", json!({})),
    };
    body["query"] = query.into();
    if time == AskedTime::Last {
        body["from"] = LAST.into();
        body["to"] = END.into();
    }
    (path, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_query_and_what_its_kind_needs() {
        let (path, body) = request(RequestKind::Histogram("10m"), "a", AskedTime::Day);
        assert_eq!((path, &body["interval"], &body["from"]), ("/histogram", &json!("10m"), &json!(BEGIN)));
        let (path, body) = request(RequestKind::Oldest, "a", AskedTime::Last);
        assert_eq!((path, &body["order"], &body["from"]), ("/search", &json!("oldest"), &json!(LAST)));
        assert_eq!(request(RequestKind::Count, "a", AskedTime::Day).1, json!({ "query": "a" }));
    }
}
