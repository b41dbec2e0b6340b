//! `logstead inspect`: prints the contents of a file of a store.

use super::failure::{CommandFailure, Result};
use super::text;
use clap::Args;
use logstead_indexer::{InspectError, RealDisk};
use std::io;
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "Examples:
  logstead inspect data/logspaces/main/manifest
  logstead inspect data/logspaces/main/segments/00000000000000000000-1048576.blocks

Reads journal, blocks, index and manifest files, even while a server is running. Exit code 1: the file does not exist, is none
of these, or cannot be read as one.";

#[derive(Args, Debug)]
pub(super) struct Inspect {
    /// The file
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

impl Inspect {
    pub(super) fn run(&self) -> Result<()> {
        if self.path.is_dir() {
            let path = self.path.display();
            return Err(CommandFailure::no(format!("{path} is a folder: name a file in it")));
        }
        let lines = logstead_indexer::inspect(&RealDisk, &self.path).map_err(|error| match error {
            InspectError::Disk { ref source, .. } if source.kind() != io::ErrorKind::NotFound => {
                CommandFailure::environment(error)
            }
            _ => CommandFailure::no(error),
        })?;
        lines.iter().try_for_each(|line| text::line(line))
    }
}
