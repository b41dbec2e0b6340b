//! Builds again when the console was built again.

use std::path::Path;

fn main() -> std::io::Result<()> {
    // A path that is missing would count as changed every time.
    let console = Path::new("../../web/dist");
    std::fs::create_dir_all(console)?;
    println!("cargo::rerun-if-changed={}", console.display());
    Ok(())
}
