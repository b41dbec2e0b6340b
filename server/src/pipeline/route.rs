//! Which messages of a batch go where. Pure: a batch in, selections out.

use crate::flow::counters::{Counters, RouteCounters};
use logstead_config::{Checked, Target};
use logstead_record::query::{Context, Matcher, Query};
use logstead_record::{Batch, Selection, Timestamp};
use std::sync::Arc;

/// The routes of one revision, ready to run.
pub struct Router {
    routes: Vec<Route>,
    targets: Vec<Target>,
}

struct Route {
    /// Sources it takes messages from.
    from: Vec<String>,
    filter: Filter,
    /// Positions in the router's targets.
    to: Vec<usize>,
    is_final: bool,
    is_fallback: bool,
    flow_control: bool,
    counters: Arc<RouteCounters>,
}

/// What a route matches.
enum Filter {
    Fixed(Matcher),
    /// Depends on the time of day, which for a batch is when it was received. So routing stays a pure function of the
    /// batch.
    Moving(Query),
}

impl Filter {
    fn new(query: &Query) -> Filter {
        if query.uses_now() {
            Filter::Moving(query.clone())
        } else {
            Filter::Fixed(Matcher::new(query, &Context { now: Timestamp::default(), logspace: "" }))
        }
    }

    fn select_within(&self, batch: &Batch, within: &Selection) -> Selection {
        match self {
            Filter::Fixed(matcher) => matcher.select_within(batch, within),
            Filter::Moving(_) if batch.is_empty() => within.clone(),
            Filter::Moving(query) => {
                let context = Context { now: batch.received(0), logspace: "" };
                Matcher::new(query, &context).select_within(batch, within)
            }
        }
    }
}

/// Messages that go to one target.
#[derive(Debug)]
pub struct Delivery {
    /// Where to: a position in [`Router::targets`].
    pub target: usize,
    /// Which messages.
    pub rows: Selection,
    /// Whether a full destination slows the sender down instead of dropping.
    pub flow_control: bool,
}

/// What becomes of a batch.
#[derive(Debug)]
pub struct Routed {
    /// Which targets get which messages.
    pub deliveries: Vec<Delivery>,
    /// Messages that no route matched.
    pub unrouted: usize,
}

impl Router {
    /// Compiles the routes of a checked document.
    pub fn new(checked: &Checked, counters: &Counters) -> Router {
        let mut targets: Vec<Target> = Vec::new();
        let routes = checked.routes.iter().map(|checked| Route {
            from: checked.from.clone(),
            filter: Filter::new(&checked.filter),
            to: checked.to.iter().map(|target| position_of(&mut targets, target)).collect(),
            is_final: checked.route.is_final,
            is_fallback: checked.route.fallback,
            flow_control: checked.route.flow_control,
            counters: counters.route(&checked.route.id),
        });
        let routes = routes.collect();
        Router { routes, targets }
    }

    /// Every target that a route names.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Sends each message of a batch from `source` where the routes say. A message goes to a target once, however many
    /// routes name it.
    pub fn route(&self, batch: &Batch, source: &str) -> Routed {
        let rows = batch.rows();
        let mut open = Selection::all(rows);
        let mut matched = Selection::none(rows);
        let mut deliveries: Vec<Delivery> = Vec::new();
        for route in self.routes.iter().filter(|route| route.takes_from(source)) {
            let mut candidates = open.clone();
            if route.is_fallback {
                candidates.subtract(&matched);
            }
            let rows = route.filter.select_within(batch, &candidates);
            if rows.is_empty() {
                continue;
            }
            route.counters.messages.add(rows.count());
            for &target in &route.to {
                deliver(&mut deliveries, target, &rows, route.flow_control);
            }
            matched.union(&rows);
            if route.is_final {
                open.subtract(&rows);
            }
        }
        Routed { deliveries, unrouted: rows - matched.count() }
    }
}

impl Route {
    fn takes_from(&self, source: &str) -> bool {
        self.from.iter().any(|id| id == source)
    }
}

fn position_of(targets: &mut Vec<Target>, target: &Target) -> usize {
    targets.iter().position(|known| known == target).unwrap_or_else(|| {
        targets.push(target.clone());
        targets.len() - 1
    })
}

/// Adds rows for a target. Flow control applies to rows that any route sends with it.
fn deliver(deliveries: &mut Vec<Delivery>, target: usize, rows: &Selection, flow_control: bool) {
    match deliveries.iter_mut().find(|delivery| delivery.target == target) {
        Some(delivery) => {
            delivery.rows.union(rows);
            delivery.flow_control |= flow_control;
        }
        None => deliveries.push(Delivery { target, rows: rows.clone(), flow_control }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Origin, Row};

    const MESSAGES: [&str; 4] = ["deny a", "deny b", "allow c", "other"];

    /// Where each message of [`MESSAGES`] goes, as `logspace:numbers`.
    fn check(routes: &str, expected: &[&str], unrouted: usize) {
        let spaces = ["main", "fw", "rest"].map(|id| format!("[[logspaces]]\nid = \"{id}\"\n")).concat();
        let source = "[[sources]]\nid = \"http\"\nkind = \"http\"\n";
        let (_, checked) =
            logstead_config::check_toml(&format!("version = 1\n{source}{spaces}{routes}")).unwrap();
        let router = Router::new(&checked, &Counters::default());
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"http", peer: b"", received: Timestamp::default() });
        for message in MESSAGES {
            builder.push(&Row::text(message.as_bytes()));
        }
        let routed = router.route(&builder.seal(), "http");
        let found: Vec<String> = routed
            .deliveries
            .iter()
            .map(|d| {
                let Target::Logspace(id) = &router.targets()[d.target] else { panic!("a logspace") };
                format!("{id}:{}", d.rows.iter().map(|row| row.to_string()).collect::<String>())
            })
            .collect();
        assert_eq!(found, expected, "{routes}");
        assert_eq!(routed.unrouted, unrouted, "{routes}");
    }

    fn route(id: &str, rule: &str) -> String {
        format!("[[routes]]\nid = \"{id}\"\n{}\n", rule.replace("; ", "\n"))
    }

    #[test]
    fn routes_apply_in_order_and_a_final_one_keeps_its_messages() {
        let all = route("all", "to = [\"main\"]");
        check(&all, &["main:0123"], 0);
        let deny =
            |is_final: bool| route("fw", &format!("where = 'deny'; to = [\"fw\"]; final = {is_final}"));
        check(&(deny(true) + &all), &["fw:01", "main:23"], 0);
        check(&(deny(false) + &all), &["fw:01", "main:0123"], 0);
        check(&deny(true), &["fw:01"], 2);
    }

    #[test]
    fn a_fallback_takes_only_what_no_earlier_route_matched() {
        let deny = route("fw", "where = 'deny'; to = [\"fw\"]; final = false");
        let fallback = route("rest", "fallback = true; to = [\"rest\"]");
        check(&(deny + &fallback), &["fw:01", "rest:23"], 0);
    }

    #[test]
    fn a_filter_on_the_age_of_messages_goes_by_the_time_of_receipt() {
        let old = route("old", "where = 'received<now-1h'; to = [\"fw\"]; final = true");
        let fresh = route("fresh", "where = 'received>=now-1h'; to = [\"main\"]");
        check(&(old + &fresh), &["main:0123"], 0);
    }

    #[test]
    fn a_message_goes_to_a_target_once() {
        let twice =
            route("a", "where = 'deny'; to = [\"main\"]; final = false") + &route("b", "to = [\"main\"]");
        check(&twice, &["main:0123"], 0);
        check(&route("a", "from = [\"http\"]; to = [\"main\", \"fw\"]"), &["main:0123", "fw:0123"], 0);
    }
}
