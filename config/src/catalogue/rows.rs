//! The settings of logspaces and routes.

use super::setting::{Setting, SettingKind, names};
use crate::choice::Durability;

/// The keys of a logspace.
pub(crate) const LOGSPACE: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name").required().help("Used by routes and searches."),
    Setting::new("retention.age", SettingKind::Duration, "Keep for")
        .min("1h")
        .empty("without limit")
        .help("The age at which messages are removed, for example 90d or 12h."),
    Setting::new("retention.size", SettingKind::Size, "Keep at most")
        .min("1MiB")
        .empty("without limit")
        .help("The most bytes on disk, for example 200GiB. The oldest messages are removed first."),
    Setting::new("durability", SettingKind::Choice(names::<Durability>), "Durability").default("fsync").help(
        "When a message is acknowledged. fsync: once it is on the disk; os: once the operating system \
               has it, which is faster and loses the last messages if the power fails.",
    ),
    Setting::new("encryption", SettingKind::Later, "Encryption").default("none"),
];

/// The keys of a route.
pub(crate) const ROUTE: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name").required().help("Used by counters."),
    Setting::new("enabled", SettingKind::Switch, "Enabled")
        .default("true")
        .help("Whether it takes messages."),
    Setting::new("from", SettingKind::List, "From").default("").help("None ticked: all sources."),
    Setting::new("where", SettingKind::Text, "Filter")
        .default("*")
        .help("In the query language; empty or * takes everything."),
    Setting::new("steps", SettingKind::Steps, "Steps")
        .default("")
        .help("What is done to the messages before their targets get them."),
    Setting::new("to", SettingKind::List, "Send to").required().help("Logspaces and destinations."),
    Setting::new("final", SettingKind::Switch, "Final")
        .default("false")
        .help("Messages taken here go to no later route."),
    Setting::new("fallback", SettingKind::Switch, "Fallback")
        .default("false")
        .help("Takes only messages that no earlier route took."),
    Setting::new("flow_control", SettingKind::Switch, "Flow control")
        .default("true")
        .help("A full destination slows the sender down instead of dropping messages."),
];
