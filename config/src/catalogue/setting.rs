//! A key of the router document, with its possible values and its description.

use serde::{Serialize, Serializer};

use crate::node::{DocumentNode, NodeOrigin};
use crate::problem::{Findings, Path};
use crate::read::{Choice, ReadValue};

/// A row of the catalogue. Values are written as in TOML, without quotes and brackets.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Setting {
    /// The key, dotted if it is in a table, such as `coalesce.delay`.
    pub key: &'static str,
    /// The name that it had before, which is still read, with a warning.
    #[serde(skip)]
    pub old_key: Option<&'static str>,
    /// Its label in the form.
    pub label: &'static str,
    /// The kind of value.
    #[serde(flatten, serialize_with = "SettingKind::serialize")]
    pub kind: SettingKind,
    /// The default.
    #[serde(flatten)]
    pub standard: DefaultValue,
    /// The least allowed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<&'static str>,
    /// The greatest allowed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<&'static str>,
    /// Whether it is a secret, such as a password.
    #[serde(skip)]
    pub is_secret: bool,
    /// The placeholder in an empty field of the form, unless it is the default: an example, or the meaning of empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<&'static str>,
    /// A help text for the form; the manual says more.
    pub help: &'static str,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    /// Any text.
    Text,
    /// A number of bytes, such as `64KiB`.
    Size,
    /// A duration, such as `90d`.
    Duration,
    /// A whole number.
    Number,
    /// A boolean value.
    Switch,
    /// A list of texts.
    List,
    /// One of a fixed set of names.
    Choice(fn() -> Vec<&'static str>),
    /// The steps of a route, which have their own kinds.
    Steps,
    /// A key of a later version: only its default is accepted.
    Later,
}

/// The default of a missing key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "standard", content = "default", rename_all = "snake_case")]
pub enum DefaultValue {
    /// The key is required.
    Required,
    /// No value.
    Nothing,
    /// This value.
    Value(&'static str),
}

impl Setting {
    pub(super) const fn new(
        key: &'static str,
        kind: SettingKind,
        label: &'static str,
        help: &'static str,
    ) -> Setting {
        Setting {
            key,
            old_key: None,
            label,
            kind,
            standard: DefaultValue::Nothing,
            min: None,
            max: None,
            is_secret: false,
            placeholder: None,
            help,
        }
    }

    pub(super) const fn formerly(self, old_key: &'static str) -> Setting {
        Setting { old_key: Some(old_key), ..self }
    }

    pub(super) const fn required(self) -> Setting {
        Setting { standard: DefaultValue::Required, ..self }
    }

    pub(super) const fn default(self, value: &'static str) -> Setting {
        Setting { standard: DefaultValue::Value(value), ..self }
    }

    pub(super) const fn min(self, min: &'static str) -> Setting {
        Setting { min: Some(min), ..self }
    }

    pub(super) const fn max(self, max: &'static str) -> Setting {
        Setting { max: Some(max), ..self }
    }

    pub(super) const fn empty(self, placeholder: &'static str) -> Setting {
        Setting { placeholder: Some(placeholder), ..self }
    }

    pub(super) const fn secret(self) -> Setting {
        Setting { is_secret: true, ..self }
    }

    /// The default, read as a value.
    pub(crate) fn standard<T: ReadValue>(&self) -> T {
        let DefaultValue::Value(text) = self.standard else { panic!("`{}` has no default", self.key) };
        read(text)
    }

    /// The limits, read as values.
    pub(crate) fn limits<T: ReadValue>(&self) -> (Option<T>, Option<T>) {
        (self.min.map(read), self.max.map(read))
    }
}

impl SettingKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct KindFields {
            kind: &'static str,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            choices: Vec<&'static str>,
        }
        let told = |kind| KindFields { kind, choices: Vec::new() };
        match self {
            SettingKind::Text => told("text"),
            SettingKind::Size => told("size"),
            SettingKind::Duration => told("duration"),
            SettingKind::Number => told("number"),
            SettingKind::Switch => told("switch"),
            SettingKind::List => told("list"),
            SettingKind::Choice(choices) => KindFields { kind: "choice", choices: choices() },
            SettingKind::Steps => told("steps"),
            SettingKind::Later => told("later"),
        }
        .serialize(serializer)
    }
}

/// Defines groups of settings. A row has the key, the kind of its value, the label, what else is said of it, by the
/// functions of [`Setting`], and the help.
macro_rules! settings {
    ($($(#[$about:meta])* $visible:vis $group:ident {
        $($key:literal: $kind:ident $(<$choice:ty>)?, $label:literal $(, $more:ident $(= $value:expr)?)* => $help:literal;)+
    })+) => {$(
        $(#[$about])*
        $visible const $group: &[$crate::catalogue::setting::Setting] = &[$(
            $crate::catalogue::setting::Setting::new(
                $key,
                $crate::catalogue::setting::SettingKind::$kind $(($crate::catalogue::setting::names::<$choice>))?,
                $label,
                $help,
            )$(.$more($($value)?))*
        ),+];
    )+};
}

pub(super) use settings;

/// The row of a key, if it has one; `table` is the table that contains it, with its dot.
pub(crate) fn find(groups: &[&'static [Setting]], table: &str, key: &str) -> Option<&'static Setting> {
    let mut rows = groups.iter().copied().flatten();
    rows.find(|row| row.key.strip_prefix(table) == Some(key))
}

/// The names of the values of a choice.
pub(crate) fn names<T: Choice>() -> Vec<&'static str> {
    T::NAMES.iter().map(|(name, _)| *name).collect()
}

fn read<T: ReadValue>(text: &str) -> T {
    let mut findings = Findings::default();
    let value = T::read(&DocumentNode::bare(text, NodeOrigin::Unplaced), &Path::default(), &mut findings);
    value.unwrap_or_else(|| panic!("the catalogue says `{text}`, which is not a valid value"))
}
