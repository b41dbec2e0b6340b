//! What the tests of answers share: random messages, and a naive answer.
