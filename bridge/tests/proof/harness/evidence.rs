//! What is kept for whoever has to find out why a run failed: files that the next run replaces.

use std::path::PathBuf;

/// See the module.
#[derive(Debug)]
pub(crate) struct Evidence {
    folder: PathBuf,
}

/// Lines of a text that are shown at once.
const SHOWN: usize = 30;

impl Evidence {
    /// Throws away what the last run of that name left. The proof of the broken bridge has a folder of
    /// its own.
    pub(crate) fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(env!("CARGO_PKG_NAME"))
            .join(name);
        // The first run finds nothing to remove.
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    /// Where it all lies.
    pub(crate) fn place(&self) -> String {
        self.folder.display().to_string()
    }

    pub(crate) fn keep(&self, name: &str, text: &str) {
        std::fs::write(self.folder.join(name), text).unwrap();
    }

    /// Keeps it, and shows where, and how it ends.
    pub(crate) fn show(&self, name: &str, text: &str) {
        self.keep(name, text);
        let lines: Vec<_> = text.lines().collect();
        let end = &lines[lines.len().saturating_sub(SHOWN)..];
        println!(
            "== {}\n{}",
            self.folder.join(name).display(),
            end.join("\n")
        );
    }
}
