//! The limits of requests in the API description. They come from the constants that are enforced, so the two cannot
//! differ.

use super::access::grants;
use super::ask::{facets, query};
use super::saved_searches;
use logstead_accounts::name::NAME_CHARS_MAX;
use logstead_accounts::password::{PASSWORD_BYTES_MAX, PASSWORD_CHARS_MIN};
use logstead_query::QUERY_BYTES_MAX;
use utoipa::openapi::schema::{Array, ArrayItems, Object, Schema};
use utoipa::openapi::{OpenApi, RefOr};

/// The pattern of a name.
pub(super) const NAME_PATTERN: &str = "^[a-z0-9][a-z0-9._@-]*$";

/// A limit of a value.
enum SchemaLimit {
    /// Minimum and maximum number of characters.
    Text(usize, usize),
    /// Maximum number of characters, which have to be allowed in a name.
    Name(usize),
    /// Minimum and maximum number of items.
    Items(usize, usize),
    /// Maximum number of items, and maximum length of each.
    Texts(usize, usize),
}

/// Properties of schemas, with their limits.
fn limits() -> Vec<(&'static str, &'static str, SchemaLimit)> {
    use SchemaLimit::{Items, Name, Text, Texts};
    let asking = [
        "SearchRequest", "CountRequest", "HistogramRequest", "FacetsRequest", "AggregateRequest",
        "ExplainRequest", "ExportRequest", "FieldsRequest", "OverviewRequest", "QueryRequest",
        "SavedSearchRequest",
    ];
    let mut limits: Vec<_> =
        asking.into_iter().map(|schema| (schema, "query", Text(0, QUERY_BYTES_MAX))).collect();
    limits.extend([
        ("UserToCreate", "name", Name(NAME_CHARS_MAX)),
        ("Setup", "name", Name(NAME_CHARS_MAX)),
        ("TokenRequest", "name", Name(NAME_CHARS_MAX)),
        ("UserToCreate", "password", Text(PASSWORD_CHARS_MIN, PASSWORD_BYTES_MAX)),
        ("Setup", "password", Text(PASSWORD_CHARS_MIN, PASSWORD_BYTES_MAX)),
        ("UserChange", "password", Text(PASSWORD_CHARS_MIN, PASSWORD_BYTES_MAX)),
        ("PasswordChange", "password", Text(PASSWORD_CHARS_MIN, PASSWORD_BYTES_MAX)),
        ("UserToCreate", "scope", Text(0, grants::SCOPE_BYTES_MAX)),
        ("UserChange", "scope", Text(0, grants::SCOPE_BYTES_MAX)),
        ("TokenRequest", "scope", Text(0, grants::SCOPE_BYTES_MAX)),
        ("QueryRequest", "edits", Items(0, query::EDITS_MAX)),
        ("FacetsRequest", "fields", Items(1, facets::FIELDS_MAX)),
        ("OverviewRequest", "fields", Items(0, facets::FIELDS_MAX)),
        ("SavedSearchRequest", "name", Text(1, saved_searches::NAME_CHARS_MAX)),
        ("SavedSearchRequest", "folder", Text(0, saved_searches::FOLDER_CHARS_MAX)),
        ("SavedSearchRequest", "tags", Texts(saved_searches::TAGS_MAX, saved_searches::TAG_CHARS_MAX)),
        (
            "SavedSearchRequest",
            "logspaces",
            Texts(saved_searches::LOGSPACES_MAX, saved_searches::WORD_CHARS_MAX),
        ),
    ]);
    limits
}

/// Adds all limits to a description. Returns those whose property does not exist, because it was renamed.
#[must_use]
pub(super) fn describe(api: &mut OpenApi) -> Vec<String> {
    let missing = limits().into_iter().filter_map(|(schema, property, limit)| {
        let found = property_of(api, schema, property).is_some_and(|found| limit.describe(found));
        (!found).then(|| format!("{schema}.{property}"))
    });
    missing.collect()
}

fn property_of<'a>(api: &'a mut OpenApi, schema: &str, property: &str) -> Option<&'a mut Schema> {
    match api.components.as_mut()?.schemas.get_mut(schema)? {
        RefOr::T(Schema::Object(object)) => match object.properties.get_mut(property)? {
            RefOr::T(schema) => Some(schema),
            RefOr::Ref(_) => None,
        },
        _ => None,
    }
}

impl SchemaLimit {
    /// Adds the limit; `false` if the value cannot have such a limit.
    fn describe(&self, schema: &mut Schema) -> bool {
        match (self, schema) {
            (SchemaLimit::Text(least, most), Schema::Object(text)) => set_length(text, *least, *most),
            (SchemaLimit::Name(most), Schema::Object(text)) => {
                set_length(text, 1, *most);
                text.pattern = Some(NAME_PATTERN.to_owned());
            }
            (SchemaLimit::Items(least, most), Schema::Array(list)) => set_items(list, *least, *most),
            (SchemaLimit::Texts(most, chars), Schema::Array(list)) => {
                set_items(list, 0, *most);
                if let ArrayItems::RefOrSchema(items) = &mut list.items
                    && let RefOr::T(Schema::Object(text)) = &mut **items
                {
                    set_length(text, 1, *chars);
                }
            }
            _ => return false,
        }
        true
    }
}

fn set_length(text: &mut Object, least: usize, most: usize) {
    (text.min_length, text.max_length) = (Some(least).filter(|least| 0 < *least), Some(most));
}

fn set_items(list: &mut Array, least: usize, most: usize) {
    (list.min_items, list.max_items) = (Some(least).filter(|least| 0 < *least), Some(most));
}
