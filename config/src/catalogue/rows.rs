//! The settings of logspaces and routes.

use super::setting::settings;
use crate::choice::Durability;

settings! {
    /// The keys of a logspace.
    pub(crate) LOGSPACE {
        "id": Text, "Name", required => "Used by routes and searches.";
        "retention.age": Duration, "Keep for", min = "1h", empty = "without limit"
            => "The age at which messages are removed, for example 90d or 12h.";
        "retention.size": Size, "Keep at most", min = "1MiB", empty = "without limit"
            => "The most bytes on disk, for example 200GiB. The oldest messages are removed first.";
        "durability": Choice<Durability>, "Durability", default = "fsync"
            => "When a message is acknowledged. fsync: once it is on the disk; os: once the operating \
                system has it, which is faster and loses the last messages if the power fails.";
        "encryption": Later, "Encryption", default = "none" => "";
    }

    /// The keys of a route.
    pub(crate) ROUTE {
        "id": Text, "Name", required => "Used by counters.";
        "enabled": Switch, "Enabled", default = "true" => "Whether it takes messages.";
        "from": List, "From", default = "" => "None ticked: all sources.";
        "where": Text, "Filter", default = "*" => "In the query language; empty or * takes everything.";
        "steps": Steps, "Steps", default = ""
            => "What is done to the messages before their targets get them.";
        "to": List, "Send to", required => "Logspaces and destinations.";
        "final": Switch, "Final", default = "false" => "Messages taken here go to no later route.";
        "fallback": Switch, "Fallback", default = "false"
            => "Takes only messages that no earlier route took.";
        "flow_control": Switch, "Flow control", default = "true"
            => "A full destination slows the sender down instead of dropping messages.";
    }
}
