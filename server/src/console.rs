//! The files of the console, as `npm run build` left them in `web/dist`. They are embedded here, in the last crate to be
//! compiled, so that a first build makes the console beside the other crates.

use rust_embed::{Embed, EmbeddedFile};

#[derive(Embed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct ConsoleFolder;

/// The file of this name.
pub fn file(name: &str) -> Option<EmbeddedFile> {
    ConsoleFolder::get(name)
}
