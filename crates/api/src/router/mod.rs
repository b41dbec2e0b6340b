//! The router document over HTTP: reading, checking, changing, and restoring an earlier revision.
//!
//! | module      | owns                                                     |
//! |-------------|----------------------------------------------------------|
//! | `document_form` | the forms of a document, and the header `If-Match`   |
//! | `draft`     | a document that was sent, checked                        |
//! | `apply`     | making a draft live                                      |
//! | `document`  | the live document: reading, checking, replacing          |
//! | `logspace`  | one of its logspaces                                     |
//! | `sender_zone` | the zone of one sender                                 |
//! | `dry_run`   | a document tried on messages: tests on history, traces   |
//! | `lookups`   | the files of tables that steps look values up in         |
//! | `revisions` | earlier documents: listing, comparing, restoring         |
//!
//! **Invariant:** a change names the revision that it is based on, and becomes live only while that one is live.
//! **Invariant:** the live document is stored as a revision with author and comment.

mod apply;
pub(super) mod document;
mod document_form;
mod draft;
pub(super) mod dry_run;
pub(super) mod logspace;
pub(super) mod lookups;
pub(super) mod revisions;
pub(super) mod sender_zone;
