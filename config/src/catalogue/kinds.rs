//! The kinds of items of one section of the document, each told once.

use super::setting::Setting;

/// The form of one kind of item.
pub(crate) struct KindForm {
    /// The name of the kind for people.
    pub(crate) label: &'static str,
    /// The keys that a new item has besides its id and kind, in TOML.
    pub(crate) initial: &'static str,
    /// The settings in groups, first the kind's own; for sources, without those that all have. If two groups have the
    /// same key, the first row counts.
    pub(crate) settings: &'static [&'static [Setting]],
}

/// Defines the enum of kinds. A row has the variant and its name in documents; the rest of it is its [`KindForm`].
macro_rules! kinds {
    (
        $(#[$about:meta])* pub enum $kinds:ident: $noun:literal {
            $($(#[$of:meta])* $kind:ident = $name:tt, $label:literal, $initial:literal, $settings:expr;)+
        }
    ) => {
        $crate::read::choices! {
            $(#[$about])*
            pub enum $kinds: $noun { $($(#[$of])* $kind = $name,)+ }
        }

        impl $kinds {
            pub(crate) fn form(self) -> KindForm {
                match self {
                    $($kinds::$kind => KindForm { label: $label, initial: $initial, settings: $settings },)+
                }
            }
        }
    };
}

pub(super) use kinds;
