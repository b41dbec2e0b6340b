//! What every question to the store has in common: how it is read, what it means, its turn and its end.
//!
//! A handler takes an [`CallerQuestion`], which has the question with the caller's grant applied, and its own parameters.
//!
//! | module     | owns                                                            |
//! |------------|-----------------------------------------------------------------|
//! | `asked`    | both together, as handlers take it                              |
//! | `read`     | the parameters that all questions share, split from the others  |
//! | `describe` | the same parameters in the description of the API               |
//! | `meant`    | what they mean for this caller                                  |
//! | `effort`   | what an answer costs, before it is made                         |
//! | `cancel`   | when a question runs, and when it ends early                    |
//! | `turn`     | whose question runs next, in which lane                         |
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
pub(super) use store_question::{Question, no_logspaces, select_logspaces, time, unknown_logspace};
