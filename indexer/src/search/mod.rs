//! Searches a logspace while it grows: sealed segments by their indexes, and the tail by reading every message.
//!
//! | module     | owns                                                                     |
//! |------------|--------------------------------------------------------------------------|
//! | `searcher` | the entry point for all questions                                        |
//! | `question` | the filter, the range, and how long the answer is wanted                 |
//! | `coverage` | the parts that were read, and those that could not be                    |
//! | `results`  | messages that were found                                                 |
//! | `required` | the words that a pattern or an expression needs                          |
//! | `plan`     | a query compiled for an index                                            |
//! | `bounds`   | the two sets of rows between which an answer lies                        |
//! | `evaluate` | plan and index → bounds                                                  |
//! | `forms`    | many wildcards, looked for together                                      |
//! | `filter_name` | the name of a filter, if its rows are remembered              |
//! | `remembered` | the rows that a filter matched, for the next question         |
//! | `candidates` | bounds and blocks → exactly the rows of a segment                      |
//! | `get`      | one message by its sequence                                              |
//! | `page`     | the newest or oldest messages                                            |
//! | `sweep`    | all messages, for counts and everything that is made of them             |
//! | `answers`  | histograms, facets and tables, from columns if they suffice              |
//! | `columns`  | answers from the columns of a segment                                    |
//! | `explain`  | how a query is answered, and its cost                                    |
//! | `follow`   | the messages from a sequence on, in the order they were stored           |
//!
//! **Invariant:** a search finds what sorting and filtering every message would find, apart from the parts that
//! [`Coverage`] says are missing. A page that begins after a [`Position`] never repeats or skips a message that
//! was there when the page before was read.

mod answers;
mod bounds;
mod candidates;
mod columns;
mod coverage;
mod evaluate;
mod explain;
mod field_names;
mod filter_name;
mod follow;
mod forms;
mod get;
mod page;
mod plan;
mod question;
mod remembered;
mod required;
mod results;
mod searcher;
mod sweep;

pub use answers::AnswerTarget;
pub use coverage::Coverage;
pub use explain::{ClauseExplanation, Explanation, TemplateMatches};
pub use follow::{FollowEvent, Follower, MatchedRows, MissingCause, Visit};
pub use question::{Filter, Order, Position, Request};
pub use results::{CountResult, Hit, PageRow, PageRows, ResultPage, SearchError};
pub use searcher::Searcher;
