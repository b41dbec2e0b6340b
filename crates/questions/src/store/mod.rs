//! Several logspaces as one store: searched together, answered in one order.
//!
//! | module      | owns                                                              |
//! |-------------|-------------------------------------------------------------------|
//! | `logspaces` | the logspaces to search, the criteria, counts and tables          |
//! | `copies`    | the copies to leave out                                           |
//! | `order`     | the order of all their messages                                   |
//! | `page`      | the first messages of all in that order                           |
//! | `read`      | all of them in that order, with bounded memory                    |
//! | `streamed_stages` | stages that messages pass through one by one                |
//! | `follow`    | the messages stored from now on                                   |
//! | `coverage`  | the work done, and its gaps                                       |
//!
//! **Invariant:** every search of more than one logspace goes through here, so the API and the commands give the same
//! messages in the same order.

mod copies;
mod coverage;
mod follow;
mod logspaces;
mod order;
mod page;
mod read;
mod streamed_stages;
#[cfg(test)]
mod tests;

pub use copies::Copies;
pub use coverage::Coverage;
pub use logspaces::{Logspaces, SearchCriteria};
pub use order::{GlobalPosition, Hits};
pub use page::{Page, PageRequest};
pub use read::{Cancelled, MessageReader, MessageRun, WrittenRows};
pub use streamed_stages::StreamedStages;
