//! The outcome of each message of a batch in one document.

use super::report::Volume;
use super::routing_record::RoutingRecord;
use super::shown_message::ShownMessage;
use logstead_config::RouteTarget;
use logstead_record::{Batch, Selection};
use logstead_route::{Router, RoutingResult};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The outcome of each message of a batch.
pub(super) struct Outcomes {
    /// The distinct outcomes, each as the names of targets and reasons.
    pub(super) names: Vec<Vec<String>>,
    /// The index of the outcome of each message.
    pub(super) of_rows: Vec<usize>,
    /// The messages that a step has changed, each with the batch that has their new form.
    changed: Vec<(Selection, Arc<Batch>)>,
    deliveries: Vec<(String, Selection, Option<Arc<Batch>>)>,
    /// The record of their way through the routes.
    pub(super) seen: RoutingRecord,
}

impl Outcomes {
    pub(super) fn of(router: &Router, batch: &Batch, routed: RoutingResult, seen: RoutingRecord) -> Outcomes {
        let mut outcomes = Outcomes {
            names: vec![Vec::new()],
            of_rows: vec![0; batch.rows()],
            changed: Vec::new(),
            deliveries: Vec::new(),
            seen,
        };
        for delivery in routed.deliveries {
            let name = match &router.targets[delivery.target] {
                RouteTarget::Logspace(id) => format!("logspace:{id}"),
                RouteTarget::Destination(id) => format!("destination:{id}"),
            };
            outcomes.add(&name, &delivery.rows);
            if let Some(own) = &delivery.batch
                && !outcomes.changed.iter().any(|(_, other)| Arc::ptr_eq(other, own))
            {
                outcomes.changed.push((delivery.rows.clone(), own.clone()));
            }
            outcomes.deliveries.push((name, delivery.rows, delivery.batch));
        }
        for dropped in routed.dropped {
            let id = router.routes().nth(dropped.route).unwrap_or_default();
            outcomes.add(&format!("dropped:route:{id}/step:{}", dropped.step + 1), &dropped.rows);
        }
        outcomes.add("dropped:destination_disabled", &routed.disabled);
        outcomes.names[0].push("dropped:no_route".to_owned());
        outcomes.names.iter_mut().for_each(|names| names.sort());
        outcomes
    }

    /// Adds a name to the outcomes of these messages.
    fn add(&mut self, name: &str, rows: &Selection) {
        let mut with: BTreeMap<usize, usize> = BTreeMap::new();
        for row in rows.iter() {
            let old = self.of_rows[row];
            self.of_rows[row] = *with.entry(old).or_insert_with(|| {
                let mut names = self.names[old].clone();
                names.push(name.to_owned());
                self.names.push(names);
                self.names.len() - 1
            });
        }
    }

    pub(super) fn names_of(&self, row: usize) -> &[String] {
        &self.names[self.of_rows[row]]
    }

    pub(super) fn is_changed(&self, row: usize) -> bool {
        self.changed.iter().any(|(rows, _)| rows.contains(row))
    }

    pub(super) fn is_dropped(&self, row: usize) -> bool {
        self.names_of(row).iter().any(|name| name.starts_with("dropped:"))
    }

    /// The message as it reaches the first target that gets a changed version.
    pub(super) fn looks(&self, batch: &Batch, row: usize) -> ShownMessage {
        match self.changed.iter().find(|(rows, _)| rows.contains(row)) {
            Some((rows, own)) => ShownMessage::of(own, rows.count_within(0..row)),
            None => ShownMessage::of(batch, row),
        }
    }

    pub(super) fn volumes(&self, batch: &Batch) -> Vec<(String, Volume)> {
        let mut raw = Vec::new();
        let volume = |(name, rows, own): &(String, Selection, Option<Arc<Batch>>)| {
            let mut volume = Volume { messages: rows.count() as u64, bytes: 0 };
            for (at, row) in rows.iter().enumerate() {
                raw.clear();
                match own {
                    Some(own) => own.write_raw(at, &mut raw),
                    None => batch.write_raw(row, &mut raw),
                }
                volume.bytes += raw.len() as u64;
            }
            (name.clone(), volume)
        };
        self.deliveries.iter().map(volume).collect()
    }
}
