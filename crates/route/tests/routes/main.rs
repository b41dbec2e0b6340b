//! Routes and their steps, case by case, and as in the recipes of the manual.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;
mod recipes;
