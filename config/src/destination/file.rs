//! The destination that appends to files.

use serde::Serialize;

use crate::choice::Packing;
use crate::name_template::NameTemplate;
use crate::problem::quoted;
use crate::table_reader::TableReader;
use crate::unit::{Period, Size};

/// The longest name that leaves room for the suffix of a rotated file. A sender must not be able to make a longer one.
const NAME_BYTES_MAX: usize = 220;

/// The keys of a file destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct FileSink {
    /// The file, absolute or below the data directory; with fields of a message in it, there are several.
    #[schema(value_type = String)]
    pub path: NameTemplate,
    /// The conditions for rotation.
    pub rotate: Rotation,
}

/// The conditions under which a file is rotated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Rotate)]
pub struct Rotation {
    /// The greatest size of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub size: Option<Size>,
    /// The interval of rotation: files are rotated at its multiples, counted from 1970 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub age: Option<Period>,
    /// The compression of rotated files.
    pub compression: Packing,
}

impl FileSink {
    pub(super) fn read(fields: &mut TableReader<'_>) -> FileSink {
        let path = fields.required("path", FileSink::nowhere().path);
        if let Err(message) = check_path(&path) {
            fields.note("path", message);
        }
        FileSink { path, rotate: fields.settings_table("rotate.", Rotation::read) }
    }

    /// A stand-in for a destination that cannot be read.
    pub(super) fn nowhere() -> FileSink {
        let path = NameTemplate::parse("unknown").unwrap_or_else(|error| panic!("it is a template: {error}"));
        FileSink { path, rotate: Rotation { size: None, age: None, compression: Packing::None } }
    }
}

impl Rotation {
    fn read(fields: &mut TableReader<'_>) -> Rotation {
        Rotation {
            size: fields.optional_in_catalogue("size"),
            age: fields.optional_in_catalogue("age"),
            compression: fields.get("compression"),
        }
    }
}

/// Checks a path without access to the disk.
fn check_path(path: &NameTemplate) -> Result<(), String> {
    let shape = path.shape();
    if shape.is_empty() || shape.ends_with('/') {
        return Err(format!("{} names no file: write one like `forward/all.log`", quoted(path.as_str())));
    }
    if shape.split('/').any(|part| part == "..") {
        return Err(format!("{} leads out of its directory: write it without `..`", quoted(path.as_str())));
    }
    if !path.is_constant() && shape.split('/').any(|part| NAME_BYTES_MAX < part.len()) {
        return Err(format!(
            "{} can become longer than a file name may be: put a `/` between its parts",
            quoted(path.as_str())
        ));
    }
    Ok(())
}
