//! `logstead inspect`: prints what a file of a store holds.

use super::{Failure, text};
use clap::Args;
use logstead_indexer::{InspectError, RealDisk};
use std::io;
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "Examples:
  logstead inspect data/logspaces/main/manifest
  logstead inspect data/logspaces/main/segments/00000000000000000000-1048576.blocks

Knows journal, blocks, index and manifest files; also while a server runs. Exit code 1: it is not there, is none of these, or
cannot be read as one.";

#[derive(Args, Debug)]
pub(super) struct Inspect {
    /// The file
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

impl Inspect {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.path.is_dir() {
            let path = self.path.display();
            return Err(Failure::no(format!("{path} is a folder: name a file in it")));
        }
        let lines = logstead_indexer::inspect(&RealDisk, &self.path).map_err(|error| match error {
            InspectError::Disk { ref source, .. } if source.kind() != io::ErrorKind::NotFound => {
                Failure::environment(error)
            }
            _ => Failure::no(error),
        })?;
        lines.iter().try_for_each(|line| text::line(line)).map_err(Failure::environment)
    }
}
