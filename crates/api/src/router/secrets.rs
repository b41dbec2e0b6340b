//! The secrets of a router document: tokens, passwords and keys of destinations that stand in it instead of in a file.
//! Those who may change the document see them; others are shown it without them.

use crate::access::Caller;
use logstead_accounts::Role;
use logstead_config::{Document, from_toml, redacted_document, to_toml};

/// Whether the caller may see them.
pub(super) fn may_see_secrets(caller: &Caller) -> bool {
    Role::Operator <= caller.role
}

/// A document as TOML, without its secrets and, as they may hold some, without its comments.
pub(super) fn without_secrets(document: &Document) -> String {
    to_toml(&redacted_document(document))
}

/// The text of a document as the caller may see it. A text that can no longer be read as a document is not shown to
/// others.
pub(super) fn shown(toml: String, caller: &Caller) -> String {
    if may_see_secrets(caller) {
        return toml;
    }
    from_toml(&toml).map_or_else(|_| String::new(), |document| without_secrets(&document))
}
