//! A logspace: a named store with its own retention and durability.

use serde::Serialize;

use crate::catalogue::LOGSPACE;
use crate::choice::Durability;
use crate::node::{DocumentNode, NodeValue};
use crate::problem::{Findings, Path};
use crate::read::ReadValue;
use crate::table_reader::TableReader;
use crate::unit::{Period, Size};

/// A named store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Logspace {
    /// The name that routes and searches use.
    pub id: String,
    /// The limits of its messages.
    pub retention: Retention,
    /// The time at which a message is acknowledged.
    pub durability: Durability,
}

/// The limits of a logspace. Without limits it keeps everything.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, utoipa::ToSchema)]
pub struct Retention {
    /// The greatest age of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub age: Option<Period>,
    /// The greatest size of the logspace on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub size: Option<Size>,
}

impl ReadValue for Logspace {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Logspace> {
        let mut fields = TableReader::of(node, path, findings)?;
        fields.described_by(&[LOGSPACE]);
        let logspace = Logspace {
            id: fields.required("id", String::new()),
            retention: fields.settings_table("retention.", Retention::read),
            durability: fields.get("durability"),
        };
        let none = NodeValue::Text("none".to_owned());
        fields.later("encryption", &none, "leave it out, or write `\"none\"`");
        fields.finish();
        Some(logspace)
    }
}

impl Retention {
    fn read(fields: &mut TableReader<'_>) -> Retention {
        Retention { age: fields.optional_in_catalogue("age"), size: fields.optional_in_catalogue("size") }
    }
}
