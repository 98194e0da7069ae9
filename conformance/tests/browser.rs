//! The HTML report in a real browser, on a phone, on a desk and on paper. A browser that is missing is
//! a failure.
//!
//! The report forbids scripts and the network to itself (Content-Security-Policy), so what is seen here
//! is seen without them.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::collections::BTreeSet;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The colour of the verdict's edge when it does not comply, and the colour of headings: style.css.
const FAIL: [u8; 3] = [0xA3, 0x00, 0x1B];
const HEADING: [u8; 3] = [0x15, 0x42, 0x73];

fn report(folder: &Path) -> PathBuf {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/inputs");
    let output = Command::new(env!("CARGO_BIN_EXE_cenl-conformance"))
        .args(["check", "--format", "html", "--today", "2026-11-21"])
        .args([
            "--waivers",
            "waivers.toml",
            "--declarations",
            "declarations.toml",
        ])
        .args(["events.jsonl", "good.json", "requests.http", "tail.jsonl"])
        .current_dir(inputs)
        .output()
        .unwrap();
    let file = folder.join("report.html");
    fs::write(&file, output.stdout).unwrap();
    file
}

fn browse(folder: &Path, page: &Path, words: &[String]) -> String {
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            // Small in a container.
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .args(words)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("chromium is missing: apt-get install chromium fonts-dejavu-core");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// How wide a page wants to be in a frame of 390 pixels, folded and unfolded: a window of the browser is
/// never narrower than 500. What is left of the frame's right edge is told too.
const MEASURE: &str = r#"
const frame = document.querySelector("iframe");
frame.onload = () => {
  const page = frame.contentDocument;
  const measure = () => {
    const shown = [...page.querySelectorAll("body *")].filter((one) => !one.closest("thead, caption"));
    const beyond = shown.filter((one) => one.getBoundingClientRect().right > 390.5).map((one) => one.outerHTML);
    return [page.scrollingElement.scrollWidth, beyond.slice(0, 3).join(" ")].join(" ").trim();
  };
  const told = [page.defaultView.innerWidth, measure()];
  for (const one of page.querySelectorAll("details")) one.open = true;
  document.title = [...told, measure()].join(", ");
};
"#;

/// Words that no line is long enough for, wherever a report repeats what it was given.
fn unbreakable(folder: &Path, language: &str) -> String {
    let long = "x".repeat(200);
    let address = format!("https://voorbeeld.nl/{}", "pad".repeat(80));
    let events = [
        format!(
            r#"{{"specversion":"1.0","id":"","source":"{address}","type":"nl.{long}","Naam{long}":"{long}","time":"{long}"}}"#
        ),
        format!(
            r#"{{"protocol":"kafka","position":"kafka:{long}/0/1","headers":[["ce_specversion","1.0"],["ce_id","{long}"],["ce_source","/{long}"],["ce_type","{long}"],["ce_{long}","{long}"]],"body_base64":"e30="}}"#
        ),
    ];
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let (file, foreign) = (format!("{long}.jsonl"), format!("map/{long}.png"));
    write(&file, &events.join("\n"));
    fs::create_dir_all(folder.join("map")).unwrap();
    write(&foreign, "");
    write(
        "waivers.toml",
        &format!(
            "[[waiver]]\nrule='CE-ID-2'\nreason='{long}'\nowner='{long}'\nuntil=2099-01-01\nsource='{address}'\ntype='*{long}'\n"
        ),
    );
    write(
        "declarations.toml",
        &format!(
            "[[declaration]]\nrule='CE-TIME-2'\nreference='{address}'\nowner='{long}'\ndate=2026-11-02\n"
        ),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_cenl-conformance"))
        .args(["check", "--format", "html", "--lang", language])
        .args([
            "--waivers",
            "waivers.toml",
            "--declarations",
            "declarations.toml",
        ])
        .args([&*file, "map", &format!("{long}.json")])
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn nothing_is_wider_than_a_phone() {
    let folder = TempDir::new().unwrap();
    for language in ["nl", "en"] {
        let report = unbreakable(folder.path(), language);
        for part in [
            "findings",
            "waivers",
            "declared",
            "inputs",
            "rules",
            "not-tested",
            "problems",
        ] {
            assert!(report.contains(&format!("<h2 id=\"{part}\">")), "{part}");
        }
        let report = report.replace('&', "&amp;").replace('"', "&quot;");
        let style = "width: 390px; height: 800px; border: 0";
        let page = format!(
            "<!DOCTYPE html><iframe style=\"{style}\" srcdoc=\"{report}\"></iframe><script>{MEASURE}</script>"
        );
        let file = folder.path().join("frame.html");
        fs::write(&file, page).unwrap();
        let words = ["--dump-dom", "--virtual-time-budget=10000"].map(str::to_owned);
        let told = browse(folder.path(), &file, &words);
        let title = told
            .split("<title>")
            .nth(1)
            .and_then(|rest| rest.split("</title>").next());
        assert_eq!(title, Some("390, 390, 390"), "{language}");
    }
}

struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

fn picture(page: &Path, folder: &Path, width: usize, height: usize) -> Picture {
    let file = folder.join("picture.png");
    let screenshot = format!("--screenshot={}", file.display());
    browse(
        folder,
        page,
        &[screenshot, format!("--window-size={width},{height}")],
    );
    let mut decoder = png::Decoder::new(BufReader::new(fs::File::open(file).unwrap()));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = bytes[..info.buffer_size()].chunks_exact(info.color_type.samples());
    Picture {
        width: info.width as usize,
        height: info.height as usize,
        pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
    }
}

impl Picture {
    fn rows_with(&self, colour: [u8; 3]) -> BTreeSet<usize> {
        let rows = self.pixels.chunks_exact(self.width).enumerate();
        rows.filter(|(_, row)| row.contains(&colour))
            .map(|(at, _)| at)
            .collect()
    }

    /// Whether anything but paper is in the last columns, as where text runs out of the page.
    fn runs_over(&self, columns: usize) -> bool {
        let mut rows = self.pixels.chunks_exact(self.width);
        rows.any(|row| {
            row[self.width - columns..]
                .iter()
                .any(|pixel| *pixel != [255; 3])
        })
    }
}

#[test]
fn the_report_is_seen_without_scripts() {
    let folder = TempDir::new().unwrap();
    let page = report(folder.path());
    for (width, height) in [(390, 2_400), (1_280, 1_600)] {
        let picture = picture(&page, folder.path(), width, height);
        assert_eq!((picture.width, picture.height), (width, height));
        // The verdict stands on the first screen, and is as high as a few lines.
        let verdict = picture.rows_with(FAIL);
        assert!(
            verdict.first().is_some_and(|row| *row < 250),
            "{width}: {verdict:?}"
        );
        assert!(
            verdict.iter().take_while(|row| **row < 700).count() > 80,
            "{width}"
        );
        // Headings all the way down: the page is not cut off.
        let headings = picture.rows_with(HEADING);
        assert!(headings.iter().any(|row| *row > height / 2), "{width}");
        assert!(
            !picture.runs_over(8),
            "{width}: something runs out of the page"
        );
    }
}

#[test]
fn the_report_prints() {
    let folder = TempDir::new().unwrap();
    let page = report(folder.path());
    let file = folder.path().join("report.pdf");
    let print = format!("--print-to-pdf={}", file.display());
    browse(
        folder.path(),
        &page,
        &[print, "--no-pdf-header-footer".to_owned()],
    );
    let pdf = fs::read(file).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    let pages = pdf
        .windows(11)
        .filter(|part| part == b"/Type /Page")
        .count();
    // What is folded on a screen is not folded on paper: 13 pages without the rules.
    assert!(pages > 20, "{pages} pages");
}
