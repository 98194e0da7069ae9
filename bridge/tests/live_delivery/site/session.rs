//! A shell that follows a page: it saves the files, runs the commands, and holds what they print against the page.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use tempfile::TempDir;

use crate::documents::{Block, Chapter, blocks};
use crate::support::settings::free_address;

/// The demo takes up to a minute, on a busy machine more.
const LONGEST: Duration = Duration::from_secs(240);
/// How often a command that only looks is repeated until it shows what the page shows.
const LOOKS: u32 = 120;

pub(super) struct Session {
    shell: Child,
    lines: Receiver<String>,
    folder: TempDir,
    replaced: Vec<(String, String)>,
}

/// What a block printed, and the exit code of its last command.
struct Said {
    lines: Vec<String>,
    code: String,
}

impl Session {
    /// `replaced` are words of the page and what stands for them here.
    pub(super) fn start(programs: &[PathBuf], mut replaced: Vec<(String, String)>) -> Self {
        let folder = TempDir::new().unwrap();
        let mut path = programs.to_vec();
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
        let mut shell = Command::new("sh");
        shell.env("PATH", std::env::join_paths(path).unwrap());
        let admin = free_address().to_string();
        shell.env("CENL__ADMIN__LISTEN", &admin);
        shell.current_dir(folder.path()).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let out = BufReader::new(shell.stdout.take().unwrap());
        let (sender, lines) = mpsc::sync_channel(10_000);
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        writeln!(shell.stdin.as_mut().unwrap(), "exec 2>&1").unwrap();
        replaced.push(("127.0.0.1:9464".to_owned(), admin));
        Self {
            shell,
            lines,
            folder,
            replaced,
        }
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// How many commands the page has that ran.
    pub(super) fn follow(&mut self, page: &Chapter) -> usize {
        let (blocks, mut ran) = (blocks(&page.text), 0);
        for (number, block) in blocks.iter().enumerate() {
            if let Some(file) = block.file() {
                self.save(file, block);
            }
            if block.language == "sh" && block.not_run().is_none() {
                let shown = blocks
                    .get(number + 1)
                    .filter(|next| next.language == "text");
                self.hold(&page.path, block, shown);
                ran += 1;
            }
        }
        ran
    }

    fn here(&self, text: &str) -> String {
        let words = self.replaced.iter();
        words.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    fn save(&self, name: &str, block: &Block) {
        let file = self.folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let before = match block.adds() {
            true => fs::read_to_string(&file).unwrap() + "\n",
            false => String::new(),
        };
        fs::write(file, before + &self.here(&block.text)).unwrap();
    }

    fn hold(&mut self, page: &str, block: &Block, shown: Option<&Block>) {
        let commands = self.here(&block.text);
        let shown = shown.map(|shown| self.here(&shown.text));
        let is_look = ["cat ", "cenl-bridge tail ", "cenl-bridge status "];
        let is_look = is_look.iter().any(|start| commands.starts_with(start));
        let mut looks = if is_look { LOOKS } else { 1 };
        loop {
            let Said { lines, code } = self.run(&commands);
            println!("$ {commands}{}", lines.join("\n"));
            let fits = shown.as_ref().is_none_or(|shown| {
                let shown: Vec<_> = shown.lines().collect();
                fits(&shown, &lines)
            });
            if fits && code == "0" {
                return;
            }
            looks -= 1;
            let said = lines.join("\n");
            assert!(looks > 0, "{page}:{}: exit code {code}\n{said}", block.line);
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn run(&mut self, commands: &str) -> Said {
        fs::write(self.folder.path().join("commands"), commands).unwrap();
        let stdin = self.shell.stdin.as_mut().unwrap();
        // The shell goes on with what is behind a command that fails, as a reader's does.
        writeln!(stdin, ". ./commands </dev/null; printf '\\n@%s\\n' $?").unwrap();
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(LONGEST);
            let line = line.unwrap_or_else(|error| panic!("{error} after {lines:?}"));
            if let Some(code) = line.strip_prefix('@') {
                // Before the mark the output has a line break more.
                while lines.last().is_some_and(String::is_empty) {
                    lines.pop();
                }
                let code = code.to_owned();
                return Said { lines, code };
            }
            lines.push(line);
        }
    }
}

impl Drop for Session {
    /// Ends what the page started, too.
    fn drop(&mut self) {
        let group = format!("-{}", self.shell.id());
        let mut kill = Command::new("sh");
        drop(kill.args(["-c", "kill -s KILL -- \"$0\"", &group]).status());
        drop(self.shell.wait());
    }
}

/// Whether that is what a page shows: `…` stands for any text, alone on a line for any number of lines.
fn fits(shown: &[&str], said: &[String]) -> bool {
    match (shown.split_first(), said.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((&"…", shown)), _) => (0..=said.len()).any(|from| fits(shown, &said[from..])),
        (Some((line, shown)), Some((is, said))) => line_fits(line, is) && fits(shown, said),
        (Some(_), None) => false,
    }
}

fn line_fits(shown: &str, said: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = said.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<_> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        rest = behind;
    }
    rest.ends_with(last)
}

#[test]
fn what_is_printed_must_be_what_is_shown() {
    let said = ["a=1 b=2".to_owned(), "c".to_owned(), "d".to_owned()];
    for shown in [
        &["a=… b=2", "c", "d"][..],
        &["…", "d"],
        &["…"],
        &["a=1…", "c", "…", "d"],
    ] {
        assert!(fits(shown, &said), "{shown:?}");
    }
    for shown in [&["a=…", "c"][..], &["a=… b=3", "…"], &["…", "c"], &[]] {
        assert!(!fits(shown, &said), "{shown:?}");
    }
}
