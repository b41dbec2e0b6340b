//! The recipes of the manual do with messages what they claim.
//!
//! Keywords: documentation examples, recipes.

use logstead_config::{RouteTarget, SourceFormat, check_toml};
use logstead_record::{Batch, BatchBuilder, Origin, Timestamp};
use logstead_route::{Lookups, Router};
use logstead_syslog::format::{FrameContext, SyslogParser};
use std::sync::Arc;

const RECIPES: &str = include_str!("../../../../docs/recipes.md");
const BASICS: &str = "version = 1\n[[sources]]\nid = \"in\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n[[logspaces]]\nid = \"fw\"\n\n";

fn read(line: &str) -> Arc<Batch> {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::parse_rfc3339(b"2026-11-22T10:11:20Z").unwrap();
    builder.origin(Origin { source: b"in", peer: b"", received });
    SyslogParser::new(SourceFormat::Auto, jiff::tz::TimeZone::UTC).parse(
        line.as_bytes(),
        FrameContext::at(received),
        &mut builder,
    );
    Arc::new(builder.seal())
}

/// `→ TARGET: MESSAGE name=value …`, with the host if it has changed.
fn told(target: &RouteTarget, before: &Batch, batch: &Batch) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (RouteTarget::Logspace(id) | RouteTarget::Destination(id)) = target;
    let mut told = format!("→ {id}: {}", text(batch.message(0)));
    if before.host(0) != batch.host(0) {
        told += &format!(" host={}", text(batch.host(0)));
    }
    let old: Vec<_> = before.fields(0).collect();
    for (name, value) in batch.fields(0).filter(|field| !old.contains(field)) {
        told += &format!(" {}={}", text(name), text(value));
    }
    told
}

#[test]
fn recipes_do_what_they_say() {
    let mut recipes = 0;
    for recipe in RECIPES.split("## ").skip(1) {
        let block =
            |kind: &str| recipe.split(&format!("```{kind}\n")).nth(1).unwrap().split("```").next().unwrap();
        let document = format!("{BASICS}{}", block("toml"));
        let (_, checked) =
            check_toml(&document).unwrap_or_else(|problems| panic!("{problems:?}\n{document}"));
        let router = Router::new(&checked, &Lookups::default(), None);
        let mut lines = block("text").lines().peekable();
        while let Some(line) = lines.next() {
            let batch = read(line);
            let routed = router.route(&batch, "in");
            let own = |own: &Option<Arc<Batch>>| own.clone().unwrap_or(batch.clone());
            let found: Vec<String> = routed
                .deliveries
                .iter()
                .map(|delivery| told(&router.targets[delivery.target], &batch, &own(&delivery.batch)))
                .collect();
            let mut expected = Vec::new();
            while let Some(outcome) = lines.next_if(|line| line.starts_with('→')) {
                expected.push(outcome.to_owned());
            }
            assert_eq!(found, expected, "{line}\n{recipe}");
        }
        recipes += 1;
    }
    assert_eq!(recipes, 8);
}
