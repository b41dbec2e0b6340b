//! Trying a document on messages, without sending or storing anything.
//!
//! | module     | owns                                                                     |
//! |------------|--------------------------------------------------------------------------|
//! | `source_reader` | a message as it was received: pasted, or read again from its raw bytes |
//! | `shown_message` | a message as it looks at one point of its way                       |
//! | `report`   | the answer to a test                                                     |
//! | `routing_record` | the way of a batch through one document                            |
//! | `outcomes` | the outcome of each of its messages                                      |
//! | `compare`  | two documents on the same messages: the outcomes in each                 |
//! | `sample`   | a sample of a range: how many messages of which parts, and the margin    |
//! | `run`      | a dry run of a draft: stored messages or pasted ones, a sample or all    |
//! | `history`  | `POST /router/test`: the live document and a draft, on stored messages   |
//! | `trace`    | `POST /router/trace`: the way of one message, with the reasons           |
//! | `why`      | the reason why a query does not match a message, in words                |

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
