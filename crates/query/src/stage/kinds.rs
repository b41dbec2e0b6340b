//! The stages by name.

/// A kind of stage.
pub(crate) struct StageKind {
    /// Its names, the canonical one first.
    pub(crate) names: &'static [&'static str],
    pub(crate) example: &'static str,
}

pub(crate) const KINDS: [StageKind; 16] = [
    StageKind { names: &["where", "filter", "search"], example: "where status>=500 user:*" },
    StageKind { names: &["fields", "table", "keep"], example: "fields time, host, message" },
    StageKind { names: &["sort", "order"], example: "sort -count, host" },
    StageKind { names: &["limit", "head", "take"], example: "limit 10" },
    StageKind { names: &["tail"], example: "tail 10" },
    StageKind { names: &["stats"], example: "stats count(), avg(bytes) by host" },
    StageKind { names: &["timechart"], example: "timechart span=5m count() by host" },
    StageKind { names: &["top"], example: "top 10 host by program" },
    StageKind { names: &["rare"], example: "rare 10 host by program" },
    StageKind { names: &["uniq"], example: "uniq host, program" },
    StageKind { names: &["dedup"], example: "dedup host, user" },
    StageKind { names: &["gap"], example: "gap host > 10m" },
    StageKind { names: &["extract"], example: "extract \"user=<user> from <ip>\"" },
    StageKind {
        names: &["parse", "rex", "extract_regexp"],
        example: "parse json, parse kv, parse regex /user=(?<user>\\w+)/ from message",
    },
    StageKind {
        names: &["eval", "extend", "let"],
        example: "eval seconds = took / 1000, who = coalesce(user, uid)",
    },
    StageKind { names: &["raw"], example: "raw" },
];

/// The names of planned stages.
pub(super) const LATER: [&str; 3] = ["patterns", "new_patterns", "context"];

/// Words that name a field in a stage only when quoted.
pub(crate) const WORDS: [&str; 6] = ["by", "as", "from", "asc", "desc", "limit"];

/// The kind of stage with this name, in lower case.
pub(crate) fn kind_of(name: &str) -> Option<&'static StageKind> {
    KINDS.iter().find(|kind| kind.names.contains(&name))
}

impl StageKind {
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
