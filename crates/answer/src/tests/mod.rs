//! Compares answers with naive ones over random messages, and tests the stages one by one.
//!
//! | module   | proves                                                                 |
//! |----------|------------------------------------------------------------------------|
//! | `counts` | histograms and facets                                                  |
//! | `groups` | groups, their functions, their values and their spans of time          |
//! | `gaps`   | silences                                                               |
//! | `order`  | messages in order, and how many of them                                |
//! | `fields` | what is found in texts, computed, compared and shown                   |
//! | `stages` | that parts, tables and streams of messages give the same               |
//! | `compile` | what a pipeline needs, and why one is refused                         |
//! | `naive`, `sample`, `testing` | what these share                                   |

mod compile;
mod counts;
mod fields;
mod gaps;
mod groups;
mod naive;
mod order;
mod sample;
mod stages;
mod testing;
