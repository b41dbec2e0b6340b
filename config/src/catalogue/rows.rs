//! The settings of logspaces and routes.

use super::setting::{Setting, SettingKind, names};
use crate::choice::Durability;

/// The keys of a logspace.
pub(crate) const LOGSPACE: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name")
        .required()
        .help("Used by routes and searches.")
        .means("The name used by routes and searches."),
    Setting::new("retention.age", SettingKind::Duration, "Keep for")
        .min("1h")
        .empty("without limit")
        .help("How old a message becomes, as 90d or 12h.")
        .means("How long messages are kept, at least {min}. When this limit or the next is reached, the oldest \
                messages are removed. Without either limit, the logspace grows until the disk is full, and a warning \
                says so."),
    Setting::new("retention.size", SettingKind::Size, "Keep at most")
        .min("1MiB")
        .empty("without limit")
        .help("How many bytes on disk, as 200GiB. The oldest go first.")
        .means("How many bytes the logspace may take on disk, at least {min}."),
    Setting::new("durability", SettingKind::Choice(names::<Durability>), "Durability")
        .default("fsync")
        .help("When a message is acknowledged. fsync: once it is on the disk; os: once the operating system \
               has it, which is faster and loses the last messages if the power fails.")
        .means("When a message is acknowledged. `fsync`: once it is on disk. `os`: once the operating system has \
                it, which is faster and loses the last messages if the power fails."),
    Setting::new("encryption", SettingKind::Later, "Encryption")
        .default("none")
        .means("Not supported by this version: only `none` is accepted."),
];

/// The keys of a route.
pub(crate) const ROUTE: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name")
        .required()
        .help("Used by counters.")
        .means("The name used by counters."),
    Setting::new("enabled", SettingKind::Switch, "Enabled")
        .default("true")
        .help("Whether it takes messages.")
        .means("With `false`, it takes no messages, as if it did not exist.")
    ,
    Setting::new("from", SettingKind::List, "From")
        .default("")
        .help("None ticked: all sources.")
        .means("The sources that it takes messages from. Empty means all of them, including those added later."),
    Setting::new("where", SettingKind::Text, "Filter")
        .default("*")
        .help("In the query language; empty or * takes everything.")
        .means("The messages that it takes, in the query language of the search bar. In single quotes, nothing has \
                to be escaped. It may use the [stages](query-language.md#where-messages-pass) `extract`, `parse`, \
                `eval` and `where`. It cannot contain `logspace:`, since the route decides that. `now` in a time is \
                the time at which the message was received."),
    Setting::new("steps", SettingKind::Steps, "Steps")
        .default("")
        .help("What is done to the messages before their targets get them.")
        .means("The steps that change the messages, in order, before the targets of this route get them: see \
                [Steps](#steps)."),
    Setting::new("to", SettingKind::List, "Send to")
        .required()
        .help("Logspaces and destinations.")
        .means("The logspaces and destinations that receive the messages, at least one."),
    Setting::new("final", SettingKind::Switch, "Final")
        .default("false")
        .help("Messages taken here go to no later route.")
        .means("Messages taken here go to no later route."),
    Setting::new("fallback", SettingKind::Switch, "Fallback")
        .default("false")
        .help("Takes only messages that no earlier route took.")
        .means("It takes only messages that no earlier route took."),
    Setting::new("flow_control", SettingKind::Switch, "Flow control")
        .default("true")
        .help("A full destination slows the sender down instead of dropping messages.")
        .means("When a destination's queue is full, senders that can be slowed down are slowed down, and nothing is \
                lost. With `false`, messages that do not fit are dropped for that destination and counted."),
];
