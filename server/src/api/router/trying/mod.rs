//! Trying a document on messages, without sending or storing anything.
//!
//! | module     | owns                                                                     |
//! |------------|--------------------------------------------------------------------------|
//! | `received` | a message as it was received: pasted, or read again from its raw bytes   |
//! | `shown`    | a message as it looks at one place of its way                            |
//! | `compare`  | two documents on the same messages: what becomes of them in each         |
//! | `history`  | `POST /router/test`: the live document and a draft, on stored messages   |
//! | `trace`    | `POST /router/trace`: the way of one message, with the reasons           |
//! | `why`      | why a query does not mean a message, in words                            |

mod compare;
pub(in crate::api) mod history;
mod received;
mod shown;
pub(in crate::api) mod trace;
mod why;
