//! Trying a document on messages, without sending or storing anything.
//!
//! | module     | owns                                                                     |
//! |------------|--------------------------------------------------------------------------|
//! | `received` | a message as it was received: pasted, or read again from its raw bytes   |
//! | `shown`    | a message as it looks at one place of its way                            |
//! | `report`   | what a test says: the shape of its answer                                |
//! | `seen`     | what is seen of messages on their way through one document               |
//! | `outcomes` | what becomes of each of them in it                                       |
//! | `compare`  | two documents on the same messages: what becomes of them in each         |
//! | `sample`   | a sample of a range: how many messages of which parts, and how far off   |
//! | `trial`    | a draft on trial: stored messages or pasted ones, a sample or all        |
//! | `history`  | `POST /router/test`: the live document and a draft, on stored messages   |
//! | `trace`    | `POST /router/trace`: the way of one message, with the reasons           |
//! | `why`      | why a query does not mean a message, in words                            |

mod compare;
pub(crate) mod history;
mod outcomes;
mod report;
mod routing_record;
mod run;
mod sample;
mod shown_message;
mod source_reader;
pub(crate) mod trace;
mod why;
