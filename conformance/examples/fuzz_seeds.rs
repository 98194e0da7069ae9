//! Writes the inputs that fuzzing begins with: a folder per target, a file per vector.
//!
//! `scripts/fuzz` calls it with the folder to write to.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[path = "../tests/exact/seeds.rs"]
mod seeds;

fn main() -> io::Result<()> {
    let corpus = env::args_os().nth(1).map(PathBuf::from);
    let corpus = corpus.expect("the folder to write to is the argument");
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    for (target, inputs) in seeds::seeds(&vectors) {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        for (name, bytes) in inputs {
            fs::write(folder.join(name), bytes)?;
        }
    }
    Ok(())
}
