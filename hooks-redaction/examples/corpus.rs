//! Scrubs every file of some folders and prints what was found: counts by label, the speed, and findings drawn at random,
//! so that a reader can judge how many are wrong.
//!
//! `cargo xtask scrub-corpus FOLDER... [--sample N] [--seed N] [--limit MIB]`; without a folder, the documentation.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hooks_redaction::{Scrubber, Span};

/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;
/// Bytes on each side of a finding that are printed.
const AROUND: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let mut corpus = Corpus::new(100, 1, u64::MAX);
    let mut folders = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number =
            || arguments.next().ok_or("a number is missing")?.parse::<u64>().map_err(Box::<dyn Error>::from);
        match argument.as_str() {
            "--sample" => corpus.size = usize::try_from(number()?)?,
            "--seed" => corpus.random = number()?.max(1),
            "--limit" => corpus.limit = number()? << 20,
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    if folders.is_empty() {
        folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs"));
    }
    for folder in folders {
        corpus.read_folder(&folder)?;
    }
    corpus.print();
    Ok(())
}

/// The text that was read, and the findings in it.
struct Corpus {
    scrubber: Scrubber,
    size: usize,
    random: u64,
    limit: u64,
    files: u64,
    bytes: u64,
    lines: u64,
    time: Duration,
    counts: BTreeMap<String, u64>,
    found: u64,
    sample: Vec<String>,
}

impl Corpus {
    fn new(size: usize, random: u64, limit: u64) -> Self {
        Self {
            scrubber: Scrubber::all(),
            size,
            random,
            limit,
            files: 0,
            bytes: 0,
            lines: 0,
            time: Duration::ZERO,
            counts: BTreeMap::new(),
            found: 0,
            sample: Vec::new(),
        }
    }

    /// Reads the files of a folder in order of their names. Links are not followed.
    fn read_folder(&mut self, folder: &Path) -> std::io::Result<()> {
        let mut open = vec![folder.to_owned()];
        while let Some(path) = open.pop() {
            let kind = fs::symlink_metadata(&path)?;
            if kind.is_dir() {
                let mut inside = fs::read_dir(&path)?
                    .map(|entry| Ok(entry?.path()))
                    .collect::<std::io::Result<Vec<_>>>()?;
                inside.sort_unstable_by(|a, b| b.cmp(a));
                open.extend(inside);
            } else if kind.is_file() && kind.len() <= MAX_FILE && self.bytes < self.limit {
                let bytes = fs::read(&path)?;
                // Other files are no text: pictures, archives, programs.
                if let Ok(text) = String::from_utf8(bytes) {
                    self.read_text(&path, &text);
                }
            }
        }
        Ok(())
    }

    fn read_text(&mut self, path: &Path, text: &str) {
        let start = now();
        let scrubbed = self.scrubber.scrub_reported(text);
        self.time += start.elapsed();
        self.files += 1;
        self.bytes += text.len() as u64;
        self.lines += text.lines().count() as u64;
        for span in scrubbed.spans {
            *self.counts.entry(span.label.to_string()).or_default() += 1;
            self.found += 1;
            self.draw(path, text, &span);
        }
    }

    /// Keeps each finding with the same probability.
    fn draw(&mut self, path: &Path, text: &str, span: &Span) {
        let place = if self.sample.len() < self.size { self.sample.len() } else { self.below(self.found) };
        if place >= self.size {
            return;
        }
        let from = floor(text, span.start.saturating_sub(AROUND));
        let to = floor(text, span.end.min(span.start + 2 * AROUND) + AROUND);
        let near = text.get(from..span.start).unwrap_or_default().lines().next_back().unwrap_or_default();
        let value =
            text.get(span.start..floor(text, span.end.min(span.start + 2 * AROUND))).unwrap_or_default();
        let behind = text.get(span.end..to).unwrap_or_default().lines().next().unwrap_or_default();
        let line = text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
        let shown = format!("{}\t{near}>>>{value:?}<<<{behind}\t{}:{line}", span.label, path.display());
        match self.sample.get_mut(place) {
            Some(slot) => *slot = shown,
            None => self.sample.push(shown),
        }
    }

    /// Returns a number below `bound`.
    fn below(&mut self, bound: u64) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % bound).unwrap_or(usize::MAX)
    }

    fn print(&self) {
        let seconds = self.time.as_secs_f64().max(f64::EPSILON);
        let speed = self.bytes as f64 / seconds / 1e6;
        println!(
            "{} files, {} lines, {} bytes, {seconds:.2} s, {speed:.0} MB/s",
            self.files, self.lines, self.bytes
        );
        let share = self.found as f64 * 10_000.0 / self.lines.max(1) as f64;
        println!("{} findings, {share:.2} in 10,000 lines", self.found);
        for (label, count) in &self.counts {
            println!("{count:>8}  {label}");
        }
        for shown in &self.sample {
            println!("{shown}");
        }
    }
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[expect(clippy::disallowed_methods, reason = "an example that measures time")]
fn now() -> Instant {
    Instant::now()
}
