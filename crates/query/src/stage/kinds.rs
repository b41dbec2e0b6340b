//! The stages by name.

/// A kind of stage.
pub(crate) struct Kind {
    /// What it is called, first by its own name.
    pub(crate) names: &'static [&'static str],
    pub(crate) example: &'static str,
}

pub(crate) const KINDS: [Kind; 16] = [
    Kind { names: &["where", "filter", "search"], example: "where status>=500 user:*" },
    Kind { names: &["fields", "table", "keep"], example: "fields time, host, message" },
    Kind { names: &["sort", "order"], example: "sort -count, host" },
    Kind { names: &["limit", "head", "take"], example: "limit 10" },
    Kind { names: &["tail"], example: "tail 10" },
    Kind { names: &["stats"], example: "stats count(), avg(bytes) by host" },
    Kind { names: &["timechart"], example: "timechart span=5m count() by host" },
    Kind { names: &["top"], example: "top 10 host by program" },
    Kind { names: &["rare"], example: "rare 10 host by program" },
    Kind { names: &["uniq"], example: "uniq host, program" },
    Kind { names: &["dedup"], example: "dedup host, user" },
    Kind { names: &["gap"], example: "gap host > 10m" },
    Kind { names: &["extract"], example: "extract \"user=<user> from <ip>\"" },
    Kind {
        names: &["parse", "rex", "extract_regexp"],
        example: "parse json, parse kv, parse regex /user=(?<user>\\w+)/ from message",
    },
    Kind {
        names: &["eval", "extend", "let"],
        example: "eval seconds = took / 1000, who = coalesce(user, uid)",
    },
    Kind { names: &["raw"], example: "raw" },
];

/// Stages that are planned.
pub(super) const LATER: [&str; 3] = ["patterns", "new_patterns", "context"];

/// Words that name a field in a stage only when quoted.
pub(crate) const WORDS: [&str; 6] = ["by", "as", "from", "asc", "desc", "limit"];

/// The kind of stage that is called so, in lower case.
pub(crate) fn kind_of(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.names.contains(&name))
}

impl Kind {
    /// The name that it is printed with.
    pub(crate) fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Whether expressions follow its name.
    pub(crate) fn has_expressions(&self) -> bool {
        self.name() == "eval"
    }

    /// Whether a filter follows its name.
    pub(crate) fn has_filter(&self) -> bool {
        self.name() == "where"
    }
}
