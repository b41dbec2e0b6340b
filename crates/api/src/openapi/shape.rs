//! Gives schemas the shapes that code generators understand.
//!
//! | derived from Rust                            | described                                                   |
//! |----------------------------------------------|-------------------------------------------------------------|
//! | `allOf`: a structure within a structure      | one object with all properties                              |
//! | variants that a property distinguishes       | named objects, and a discriminator                          |
//! | variants that are named by their only key    | one object, which has exactly one of its properties         |
//! | a default of `null`                          | nothing: it only says that the property may be missing      |
//! | a schema that only its variants were made of | nothing                                                     |
//!
//! **Invariant:** exactly the values that fitted before still fit.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Schemas = Map<String, Value>;

const REFERENCE: &str = "#/components/schemas/";

/// Gives all schemas of a description these shapes.
pub(super) fn simplify(api: &mut Value) {
    let schemas = schemas_of(api);
    for schema in api_parts(api) {
        flatten_all(schema, &schemas);
    }
    prune(api);
    let mut schemas = schemas_of(api);
    let unions: Vec<String> = schemas
        .iter()
        .filter(|(_, schema)| schema["oneOf"].is_array())
        .map(|(name, _)| name.clone())
        .collect();
    for name in unions {
        name_variants(&name, &mut schemas);
    }
    api["components"]["schemas"] = Value::Object(schemas);
}

/// Gives schemas other names.
pub(super) fn rename(api: &mut Value, names: &[(&str, &str)]) {
    let mut schemas = schemas_of(api);
    for (old, new) in names {
        let schema = schemas.remove(*old).unwrap_or_else(|| panic!("there is no schema {old} to rename"));
        let replaced = schemas.insert((*new).to_owned(), schema);
        assert!(replaced.is_none(), "two schemas are called {new}");
    }
    api["components"]["schemas"] = Value::Object(schemas);
    let names = names.iter().map(|(old, new)| (format!("{REFERENCE}{old}"), format!("{REFERENCE}{new}")));
    point(api, &names.collect());
}

/// Replaces references.
fn point(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::Object(members) => members.values_mut().for_each(|member| point(member, names)),
        Value::Array(items) => items.iter_mut().for_each(|item| point(item, names)),
        Value::String(text) => {
            if let Some(new) = names.get(text) {
                text.clone_from(new);
            }
        }
        _ => {}
    }
}

fn schemas_of(api: &Value) -> Schemas {
    api["components"]["schemas"].as_object().cloned().unwrap_or_default()
}

/// The parts of a description that contain schemas.
fn api_parts(api: &mut Value) -> impl Iterator<Item = &mut Value> {
    let parts = api.as_object_mut().into_iter().flatten();
    parts.filter(|(name, _)| ["paths", "components"].contains(&name.as_str())).map(|(_, part)| part)
}

/// Flattens every schema within a value, and removes defaults of `null`.
fn flatten_all(value: &mut Value, schemas: &Schemas) {
    if value["allOf"].is_array() {
        *value = flat(value, schemas);
    }
    match value {
        Value::Object(members) => {
            if members.get("default").is_some_and(Value::is_null) {
                members.remove("default");
            }
            members.values_mut().for_each(|member| flatten_all(member, schemas));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| flatten_all(item, schemas)),
        _ => {}
    }
}

/// The schema without `allOf`. A union with further properties becomes a union whose variants have them.
fn flat(schema: &Value, schemas: &Schemas) -> Value {
    let (Some(own), Some(parts)) = (schema.as_object(), schema["allOf"].as_array()) else {
        return schema.clone();
    };
    let mut whole = own.clone();
    whole.remove("allOf");
    let parts = parts.iter().map(|part| flat(resolved(part, schemas), schemas));
    let (unions, parts): (Vec<Value>, Vec<Value>) = parts.partition(|part| part["oneOf"].is_array());
    let mut rest = Schemas::new();
    parts.iter().for_each(|part| merge(&mut rest, part));
    let [union] = unions.as_slice() else {
        assert!(unions.is_empty(), "a structure is within two unions: {schema}");
        merge(&mut whole, &Value::Object(rest));
        return Value::Object(whole);
    };
    rest.remove("description");
    let variants = union["oneOf"].as_array().into_iter().flatten().map(|variant| {
        let mut variant = flat(resolved(variant, schemas), schemas);
        if let Value::Object(variant) = &mut variant {
            merge(variant, &Value::Object(rest.clone()));
        }
        variant
    });
    whole.insert("oneOf".to_owned(), variants.collect());
    Value::Object(whole)
}

fn resolved<'a>(schema: &'a Value, schemas: &'a Schemas) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|to| to.strip_prefix(REFERENCE));
    name.and_then(|name| schemas.get(name)).unwrap_or(schema)
}

/// Adds the properties of a structure to another one, and whatever else that one does not say itself.
fn merge(whole: &mut Schemas, part: &Value) {
    for (key, value) in part.as_object().into_iter().flatten() {
        match (whole.get_mut(key), value) {
            (Some(Value::Object(own)), Value::Object(more)) => {
                more.iter().for_each(|(name, value)| {
                    own.entry(name).or_insert_with(|| value.clone());
                });
            }
            (Some(Value::Array(own)), Value::Array(more)) if key == "required" => {
                let new: Vec<_> = more.iter().filter(|name| !own.contains(name)).cloned().collect();
                own.extend(new);
            }
            (Some(_), _) => {}
            (None, _) => {
                whole.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Removes the schemas that nothing refers to.
fn prune(api: &mut Value) {
    let schemas = schemas_of(api);
    let (mut used, mut new) = (BTreeSet::new(), references(&api["paths"]));
    while let Some(name) = new.pop_first() {
        if let Some(schema) = schemas.get(&name)
            && used.insert(name)
        {
            new.extend(references(schema));
        }
    }
    let used = schemas.into_iter().filter(|(name, _)| used.contains(name));
    api["components"]["schemas"] = Value::Object(used.collect());
}

/// The names of the schemas that a part of the description refers to.
fn references(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Object(members) => members.values().flat_map(references).collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::String(text) => text.strip_prefix(REFERENCE).map(str::to_owned).into_iter().collect(),
        _ => BTreeSet::new(),
    }
}

/// Names the variants of a union, or turns it into a structure if each variant is named by its only key.
fn name_variants(name: &str, schemas: &mut Schemas) {
    let union = schemas[name].clone();
    let variants: Vec<Value> = union["oneOf"].as_array().into_iter().flatten().cloned().collect();
    if let Some(whole) = keyed(&variants) {
        let mut union = union.as_object().cloned().unwrap_or_default();
        union.remove("oneOf");
        union.extend(whole);
        schemas.insert(name.to_owned(), Value::Object(union));
        return;
    }
    let Some((property, tags)) = tagged(&variants, schemas) else { return };
    let mut mapping = BTreeMap::new();
    for (tag, variant) in tags.iter().zip(&variants) {
        let reference = variant["$ref"].as_str().map(str::to_owned).unwrap_or_else(|| {
            let of = format!("{}{name}", pascal(tag));
            assert!(!schemas.contains_key(&of), "a variant and a schema are both called {of}");
            schemas.insert(of.clone(), variant.clone());
            format!("{REFERENCE}{of}")
        });
        mapping.insert(tag.clone(), reference);
    }
    let union = &mut schemas[name];
    union["oneOf"] = tags.iter().map(|tag| json!({"$ref": mapping[tag]})).collect();
    union["discriminator"] = json!({"propertyName": property, "mapping": mapping});
    // Validators take a discriminator as the whole truth, and else let null pass as well.
    union["type"] = json!("object");
}

/// The keywords of an object that has the only property of exactly one of these variants.
fn keyed(variants: &[Value]) -> Option<Schemas> {
    let mut properties = Schemas::new();
    for variant in variants {
        let own = variant["properties"].as_object().filter(|own| own.len() == 1)?;
        let (name, value) = own.iter().next()?;
        let is_new = properties.insert(name.clone(), value.clone()).is_none();
        if !is_new || variant["required"] != json!([name]) {
            return None;
        }
    }
    let whole = json!({"type": "object", "properties": properties, "minProperties": 1, "maxProperties": 1});
    whole.as_object().cloned()
}

/// The property that distinguishes variants, and its value in each.
fn tagged(variants: &[Value], schemas: &Schemas) -> Option<(String, Vec<String>)> {
    let variants: Vec<&Value> = variants.iter().map(|variant| resolved(variant, schemas)).collect();
    let properties = variants.first()?["properties"].as_object()?;
    properties.keys().find_map(|property| {
        let tags: Option<Vec<String>> = variants.iter().map(|variant| tag(variant, property)).collect();
        let tags = tags?;
        let different: BTreeSet<&String> = tags.iter().collect();
        (different.len() == tags.len()).then(|| (property.clone(), tags))
    })
}

/// The only value that a property of a variant may have.
fn tag(variant: &Value, property: &str) -> Option<String> {
    let required = variant["required"].as_array()?;
    let [tag] = variant["properties"][property]["enum"].as_array()?.as_slice() else { return None };
    required.iter().any(|name| name == property).then(|| tag.as_str().map(str::to_owned))?
}

/// `splunk_hec` becomes `SplunkHec`.
fn pascal(tag: &str) -> String {
    let words = tag.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simplified(schemas: &Value) -> Value {
        let used: Vec<_> =
            schemas.as_object().unwrap().keys().filter(|name| name.starts_with("Used")).collect();
        let used: Vec<_> = used.iter().map(|name| json!({"$ref": format!("{REFERENCE}{name}")})).collect();
        let mut api = json!({"paths": {"/": used}, "components": {"schemas": schemas}});
        simplify(&mut api);
        api["components"]["schemas"].take()
    }

    #[test]
    fn a_union_within_a_structure_becomes_flat_variants() {
        let one = |kind: &str| json!({"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string", "enum": [kind]}}});
        let schemas = simplified(&json!({
            "Used": {"description": "A thing.", "allOf": [
                {"$ref": "#/components/schemas/Kind"},
                {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "default": null}}},
            ]},
            "Kind": {"oneOf": [
                {"description": "First.", "allOf": [{"$ref": "#/components/schemas/Inner"}, one("a_b")]},
                one("c"),
            ]},
            "Inner": {"type": "object", "properties": {"size": {"type": "integer"}}},
        }));
        assert_eq!(schemas["Used"]["description"], "A thing.");
        assert_eq!(
            schemas["Used"]["discriminator"],
            json!({"propertyName": "kind", "mapping": {"a_b": "#/components/schemas/ABUsed", "c": "#/components/schemas/CUsed"}})
        );
        assert_eq!(
            schemas["ABUsed"],
            json!({
                "type": "object", "description": "First.", "required": ["kind", "id"],
                "properties": {
                    "id": {"type": "string"}, "kind": {"type": "string", "enum": ["a_b"]}, "size": {"type": "integer"},
                },
            })
        );
        assert_eq!(schemas.as_object().unwrap().len(), 3);
    }

    #[test]
    fn a_default_does_not_change_the_type() {
        let schemas = simplified(&json!({"Used": {"type": "object", "properties": {"order": {"allOf": [
            {"type": "string", "enum": ["newest", "oldest"]}, {"type": "object", "default": "newest"},
        ]}}}}));
        let order = json!({"type": "string", "enum": ["newest", "oldest"], "default": "newest"});
        assert_eq!(schemas["Used"]["properties"]["order"], order);
    }

    #[test]
    fn variants_with_a_key_each_become_one_structure() {
        let variant = |name: &str| json!({"type": "object", "required": [name], "properties": {name: {"type": "string"}}});
        let schemas =
            simplified(&json!({"Used": {"description": "A line.", "oneOf": [variant("a"), variant("b")]}}));
        assert_eq!(
            schemas["Used"],
            json!({
                "type": "object", "description": "A line.", "minProperties": 1, "maxProperties": 1,
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            })
        );
    }
}
