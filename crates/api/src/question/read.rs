//! Reads a question in one pass: the parameters that all questions share into one struct, the others into their own.
//!
//! **Invariant:** an unknown parameter is refused, with a list of the known ones.

use logstead_query as query;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use std::fmt::{self, Formatter};

/// The parameters of one kind of question, besides the common ones.
pub(crate) trait QuestionParameters: DeserializeOwned + Send {
    /// The common parameters that this kind accepts.
    const COMMON: &'static [&'static str] =
        &["query", "unparsed", "from", "to", "timezone", "logspaces", "copies"];
    /// The stages that the query may have.
    const STAGES: AllowedStages = AllowedStages::None;
}

/// The stages that a query may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AllowedStages {
    None,
    /// Stages that process messages one by one.
    Streaming,
    All,
}

/// The common parameters.
#[derive(Clone, Default, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[schema(as = Common)]
pub(crate) struct CommonParameters {
    /// The query, in the query language; empty or `*` means all.
    #[schema(value_type = String, required = false)]
    #[param(value_type = String, required = false)]
    pub(crate) query: Option<String>,
    /// The treatment of a query that cannot be parsed.
    #[schema(default = "refuse")]
    #[param(default = "refuse", inline)]
    pub(crate) unparsed: Option<Unparsed>,
    /// Beginning of the range: RFC 3339, or relative as `-15m`, `now-1h`. Unbounded by default.
    pub(crate) from: Option<String>,
    /// End of the range, exclusive. Unbounded by default.
    pub(crate) to: Option<String>,
    /// The time zone for days and for times that name none, by name: `Europe/Vienna`. UTC by default.
    pub(crate) timezone: Option<String>,
    /// Logspace ids, all by default. In a query string, separated by commas.
    #[param(value_type = Option<String>)]
    pub(crate) logspaces: Option<Vec<String>>,
    /// The treatment of copies: messages that routes stored in several of these logspaces. Without it they count once,
    /// in the first of those logspaces in the router document.
    #[schema(inline)]
    #[param(inline)]
    pub(crate) copies: Option<CopiesAsked>,
}

/// The copies that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CopiesAsked {
    /// All copies count, each in its own logspace.
    All,
}

/// The treatment of a query that cannot be parsed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unparsed {
    /// The query is refused, with the line and column of the error.
    #[default]
    Refuse,
    /// The filter is searched for as literal text, and a warning says so.
    Text,
}

impl From<Unparsed> for query::Unparsed {
    fn from(unparsed: Unparsed) -> query::Unparsed {
        match unparsed {
            Unparsed::Refuse => query::Unparsed::Refused,
            Unparsed::Text => query::Unparsed::Text,
        }
    }
}

/// A question as it was sent.
pub(crate) struct QuestionRequest<T> {
    pub(crate) common: CommonParameters,
    pub(crate) own: T,
}

impl<'de, T: QuestionParameters> Deserialize<'de> for QuestionRequest<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<QuestionRequest<T>, D::Error> {
        let mut common = CommonParameters::default();
        let own =
            T::deserialize(CommonKeysTaker { inner: deserializer, common: &mut common, keys: T::COMMON })?;
        Ok(QuestionRequest { common, own })
    }
}

impl CommonParameters {
    /// A number that identifies the question.
    pub(super) fn key(&self) -> u64 {
        let CommonParameters { query, unparsed, from, to, timezone, logspaces, copies } = self;
        let is_text = *unparsed == Some(Unparsed::Text);
        let query = query.as_deref().unwrap_or_default().trim();
        let asked = (query, is_text, from, to, timezone, logspaces, copies);
        let hash = blake3::hash(format!("{asked:?}").as_bytes());
        hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn read<'de, A: MapAccess<'de>>(&mut self, name: &'static str, map: &mut A) -> Result<(), A::Error> {
        let is_there = match name {
            "query" => self.query.is_some(),
            "unparsed" => self.unparsed.is_some(),
            "from" => self.from.is_some(),
            "to" => self.to.is_some(),
            "timezone" => self.timezone.is_some(),
            "copies" => self.copies.is_some(),
            _ => self.logspaces.is_some(),
        };
        if is_there {
            return Err(A::Error::duplicate_field(name));
        }
        match name {
            "query" => self.query = Some(map.next_value()?),
            "unparsed" => self.unparsed = map.next_value()?,
            "from" => self.from = map.next_value()?,
            "to" => self.to = map.next_value()?,
            "timezone" => self.timezone = map.next_value()?,
            "copies" => self.copies = map.next_value()?,
            _ => self.logspaces = map.next_value::<CommaList>()?.0,
        }
        Ok(())
    }
}

/// Sits between a struct and its deserializer, and takes the common keys.
struct CommonKeysTaker<'a, I> {
    inner: I,
    common: &'a mut CommonParameters,
    keys: &'static [&'static str],
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for CommonKeysTaker<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = CommonKeysMap {
            inner: visitor,
            common: self.common,
            keys: KnownKeys { common: self.keys, fields },
        };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The same for the visitor of the struct, and then for the map that it visits.
struct CommonKeysMap<'a, I> {
    inner: I,
    common: &'a mut CommonParameters,
    keys: KnownKeys,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for CommonKeysMap<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(CommonKeysMap { inner: map, common: self.common, keys: self.keys })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for CommonKeysMap<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.inner.next_key_seed(self.keys)? {
            match key {
                ParameterKey::Common(name) => self.common.read(name, &mut self.inner)?,
                ParameterKey::Own(name) => {
                    let name: StrDeserializer<'_, A::Error> = name.into_deserializer();
                    return seed.deserialize(name).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

/// All known keys.
#[derive(Clone, Copy)]
struct KnownKeys {
    common: &'static [&'static str],
    fields: &'static [&'static str],
}

enum ParameterKey {
    Common(&'static str),
    Own(&'static str),
}

impl<'de> DeserializeSeed<'de> for KnownKeys {
    type Value = ParameterKey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ParameterKey, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KnownKeys {
    type Value = ParameterKey;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("field identifier")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<ParameterKey, E> {
        let of = |keys: &[&'static str]| keys.iter().copied().find(|known| *known == key);
        let known =
            of(self.common).map(ParameterKey::Common).or_else(|| of(self.fields).map(ParameterKey::Own));
        known.ok_or_else(|| {
            let all: Vec<String> =
                self.common.iter().chain(self.fields).map(|known| format!("`{known}`")).collect();
            E::custom(format_args!("unknown field `{key}`, expected one of {}", all.join(", ")))
        })
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct CommaList(#[serde(deserialize_with = "list")] Option<Vec<String>>);

/// The parts between the commas, except empty ones.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Deserializes a list, which is separated by commas in a query string.
pub(crate) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    struct ListVisitor;

    impl<'de> Visitor<'de> for ListVisitor {
        type Value = Option<Vec<String>>;

        fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
            f.write_str("a list of texts, or a text with commas")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(split_list(text)))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(serde::de::value::SeqAccessDeserializer::new(list)).map(Some)
        }
    }

    deserializer.deserialize_any(ListVisitor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All parameters in a single struct of the same name, for comparison.
    mod together {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only read")]
        pub(super) struct Own {
            #[serde(default)]
            query: String,
            unparsed: Option<super::Unparsed>,
            from: Option<String>,
            to: Option<String>,
            timezone: Option<String>,
            #[serde(default, deserialize_with = "super::list")]
            logspaces: Option<Vec<String>>,
            copies: Option<super::CopiesAsked>,
            limit: Option<u32>,
        }
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Own {
        limit: Option<u32>,
    }

    impl QuestionParameters for Own {}

    #[test]
    fn what_is_no_question_is_refused_as_if_it_were_read_by_one_struct() {
        for text in [
            r#"{"quary": "x"}"#,
            r#"{"query": null}"#,
            r#"{"query": "a", "limit": 1, "query": "b"}"#,
            r#"{"from": 5}"#,
            r#"{"to": "a", "to": "b"}"#,
            r#"{"copies": "some"}"#,
            r#"{"logspaces": 7}"#,
            r#"{"logspaces": [7]}"#,
            r#"{"limit": "x"}"#,
            r#"{"limit": 1, "limit": 2}"#,
            r#""text""#,
            "7",
            r#"{"query": "a""#,
            "{",
        ] {
            let whole = serde_json::from_str::<together::Own>(text).map(drop).unwrap_err();
            let split = serde_json::from_str::<QuestionRequest<Own>>(text).map(drop).unwrap_err();
            assert_eq!(split.to_string(), whole.to_string(), "{text}");
        }
    }

    #[test]
    fn common_parameters_and_others_are_read_in_any_order() {
        let text = r#"{"limit": 5, "logspaces": "a, b", "query": "x", "from": null}"#;
        let QuestionRequest { common, own }: QuestionRequest<Own> = serde_json::from_str(text).unwrap();
        assert_eq!((common.query.as_deref(), own.limit), (Some("x"), Some(5)));
        assert_eq!(common.logspaces, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!((common.from, common.to, common.timezone), (None, None, None));
    }
}
