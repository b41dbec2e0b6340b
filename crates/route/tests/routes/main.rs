//! Routes and their steps, case by case, and as the recipes of the manual have them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;
mod recipes;
