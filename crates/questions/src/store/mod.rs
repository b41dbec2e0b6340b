//! Several logspaces as one store: searched together, answered in one order.
//!
//! | module      | owns                                                              |
//! |-------------|-------------------------------------------------------------------|
//! | `logspaces` | which logspaces are asked, what they are asked, counts and tables |
//! | `copies`    | which copies they leave out                                       |
//! | `order`     | the order of all their messages                                   |
//! | `page`      | the first messages of all in that order                           |
//! | `read`      | all of them in that order, with bounded memory                    |
//! | `passing`   | what stages leave of messages, and how they look then             |
//! | `follow`    | what is stored from now on                                        |
//! | `coverage`  | what they looked at                                               |
//!
//! **Invariant:** every search of more than one logspace goes through here, so the API and the commands give the same
//! messages in the same order.

mod copies;
#[cfg(test)]
mod copies_once;
mod coverage;
mod follow;
mod logspaces;
mod order;
mod page;
mod read;
mod streamed_stages;

pub use copies::Copies;
pub use coverage::Coverage;
pub use logspaces::{Logspaces, SearchCriteria};
pub use order::{GlobalPosition, Hits};
pub use page::{Page, PageRequest};
pub use read::{Cancelled, MessageReader};
pub use streamed_stages::StreamedStages;
