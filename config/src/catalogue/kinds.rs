//! The kinds of items of one section of the document, each told once.

use super::setting::Setting;

/// The form of one kind of item.
pub(crate) struct KindForm {
    /// The name of the kind for people.
    pub(crate) label: &'static str,
    /// The keys that a new item has besides its id and kind, in TOML.
    pub(crate) initial: &'static str,
    /// The settings in groups, first the kind's own. If two groups have the same key, the first row counts.
    pub(crate) settings: &'static [&'static [Setting]],
}

/// Defines the enum of kinds. A row has the variant, and the name in documents; the rest of it is its [`KindForm`].
macro_rules! kinds {
    (
        $(#[$about:meta])* $kinds:ident: $noun:literal;
        $($(#[$of:meta])* $kind:ident, $name:literal, $label:literal, $initial:literal, $settings:expr;)+
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum $kinds {
            $($(#[$of])* $kind,)+
        }

        impl $crate::read::Choice for $kinds {
            const NOUN: &'static str = $noun;
            const NAMES: &'static [(&'static str, $kinds)] = &[$(($name, $kinds::$kind)),+];
        }

        impl $kinds {
            /// The name in documents.
            pub fn name(self) -> &'static str {
                match self { $($kinds::$kind => $name,)+ }
            }

            pub(crate) fn form(self) -> KindForm {
                match self {
                    $($kinds::$kind => KindForm { label: $label, initial: $initial, settings: $settings },)+
                }
            }
        }
    };
}

pub(super) use kinds;
