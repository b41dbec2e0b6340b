//! Questions to the store: parsing and interpreting them, their turns and their end.
//!
//! A handler takes a [`CallerQuestion`], which has the question with the caller's grant applied, and its own parameters.
//!
//! | module     | owns                                                            |
//! |------------|-----------------------------------------------------------------|
//! | `caller_question` | both together, as handlers take it                       |
//! | `read`     | the parameters that all questions share, split from the others  |
//! | `describe` | the same parameters in the description of the API               |
//! | `store_question` | the question they make for this caller                    |
//! | `effort`   | the cost of an answer, before it is made                        |
//! | `cancel`   | running a question, and ending it early                         |
//! | `turn`     | the order of questions, and their lanes                         |
//! | `warning`  | warnings about an answer                                        |

mod caller_question;
pub(super) mod cancel;
pub(super) mod clocks;
pub(super) mod describe;
mod effort;
mod hint;
mod read;
mod store_question;
pub(super) mod turn;
mod turns;
pub(super) mod warning;

pub(super) use caller_question::CallerQuestion;
pub(super) use effort::{AnswerCost, Effort};
pub(super) use read::{
    AllowedStages, CommonParameters, QuestionParameters, QuestionRequest, Unparsed, list, split_list,
};
pub(super) use store_question::{StoreQuestion, no_logspaces, select_logspaces, time, unknown_logspace};
