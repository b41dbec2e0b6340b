//! `logstead licences`: prints the licences of Logstead and of the packages in it; some of them must be distributed
//! with their text.

use super::failure::Result;
use super::text;
use clap::Args;

pub(super) const EXAMPLES: &str = "Examples:
  logstead licences
  logstead licences | less

The console serves the texts of the packages at /licences.txt.";

/// The licence texts, as written by `npm run licences`.
const PACKAGES: &str = include_str!("../../../docs/licence-texts.txt");
const OWN: &str = include_str!("../../../LICENSE");

#[derive(Args, Debug)]
pub(super) struct Licences {}

impl Licences {
    #[expect(clippy::unused_self, reason = "as every command is run")]
    pub(super) fn run(&self) -> Result<()> {
        let all = format!("Logstead\n\n{OWN}\n{}\n{PACKAGES}", "=".repeat(80));
        text::bytes(all.trim_end().as_bytes())
    }
}
