//! Searches a logspace, while it grows: sealed segments by their indexes, the tail by looking at every message.
//!
//! | module     | owns                                                                     |
//! |------------|--------------------------------------------------------------------------|
//! | `searcher` | the entry point for all questions                                        |
//! | `question` | the filter, the range, and how long the answer is wanted             |
//! | `coverage` | what was looked at, and what could not be                                |
//! | `results`  | messages that were found                                                 |
//! | `required` | which words a pattern or an expression needs                             |
//! | `plan`     | what a query asks of an index                                            |
//! | `bounds`   | between which sets of rows an answer lies                                |
//! | `evaluate` | plan and index → bounds                                                  |
//! | `forms`    | many wildcards, looked for together                                      |
//! | `candidates` | bounds and blocks → exactly the rows of a segment                        |
//! | `get`      | one message by its sequence                                              |
//! | `page`     | the newest or oldest messages                                            |
//! | `sweep`    | all messages, for counts and everything that is made of them             |
//! | `answers`  | histograms, facets and tables, from columns if they suffice              |
//! | `columns`  | what columns of a segment give to them                                    |
//! | `explain`  | how it is done, and what it costs                                        |
//! | `follow`   | what was stored from a sequence on, in that order                        |
//!
//! **Invariant:** what is found is what sorting and filtering every message would find, apart from what
//! [`Coverage`] says is missing. A page that begins after a [`Position`] never repeats or skips a message that
//! was there when the page before was read.

mod answers;
mod bounds;
mod candidates;
mod columns;
mod coverage;
mod evaluate;
mod explain;
mod field_names;
mod follow;
mod forms;
mod get;
mod page;
mod plan;
mod question;
mod required;
mod results;
mod searcher;
mod sweep;

pub use answers::AnswerTarget;
pub use coverage::Coverage;
pub use explain::{ClauseExplanation, Explanation, TemplateMatches};
pub use follow::{FollowEvent, Follower, MatchedRows, MissingCause, Visit};
pub use question::{Filter, Order, Position, Request};
pub use results::{CountResult, Hit, ResultPage, SearchError};
pub use searcher::Searcher;
