//! A route: it selects messages and sends them to targets. Routes are tried in order.

use serde::Serialize;

use crate::catalogue::ROUTE;
use crate::node::DocumentNode;
use crate::problem::{Findings, Path};
use crate::read::ReadValue;
use crate::step::{RouteStep, STEPS_MAX};
use crate::table_reader::TableReader;

/// One rule of the router.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Route {
    /// The name that counters use.
    pub id: String,
    /// Whether it takes messages.
    pub enabled: bool,
    /// The sources whose messages it takes; empty for all.
    pub from: Vec<String>,
    /// The messages it takes, in the query language.
    #[serde(rename = "where")]
    pub filter: String,
    /// The steps applied to messages before their targets get them, in order.
    #[schema(value_type = Vec<Object>)]
    pub steps: Vec<RouteStep>,
    /// The logspaces and destinations that get them.
    pub to: Vec<String>,
    /// Whether messages that it takes go to no later route.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Whether it takes only messages that no earlier route took.
    pub fallback: bool,
    /// Whether a full destination slows senders down instead of dropping messages.
    pub flow_control: bool,
}

impl ReadValue for Route {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Route> {
        let mut fields = TableReader::of(node, path, findings)?;
        fields.described_by(&[ROUTE]);
        let route = Route {
            id: fields.required("id", String::new()),
            enabled: fields.get("enabled"),
            from: fields.get("from"),
            filter: fields.get("where"),
            steps: fields.or("steps", Vec::new()),
            to: fields.required("to", Vec::new()),
            is_final: fields.get("final"),
            fallback: fields.get("fallback"),
            flow_control: fields.get("flow_control"),
        };
        if STEPS_MAX < route.steps.len() {
            fields.note("steps", format!("has {} steps, and the limit is {STEPS_MAX}", route.steps.len()));
        }
        fields.finish();
        Some(route)
    }
}
