//! Rebuilds when the console was rebuilt.

use std::path::Path;

fn main() -> std::io::Result<()> {
    // A missing path would count as changed every time.
    let console = Path::new("../web/dist");
    std::fs::create_dir_all(console)?;
    println!("cargo::rerun-if-changed={}", console.display());
    Ok(())
}
