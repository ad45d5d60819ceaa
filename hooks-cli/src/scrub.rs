//! `hooks scrub`: copies standard input to standard output without secrets and personal data.

use std::io::{self, IsTerminal, Read, Write};

use hooks::redaction::{Label, Labels, Report, Scrubber};

use crate::cli::Scrub;
use crate::failure::{Failure, Status};
use crate::json_texts::{JsonTexts, Parsed, parsed};
use crate::load;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// Bytes between two lines of progress.
const STEP: u64 = 16 << 20;

/// Scrubs standard input.
pub(crate) fn run(options: &Scrub) -> Result<Status, Failure> {
    let scrubber = scrubber(options)?;
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let report = if options.json {
        values(&scrubber, &mut input, &mut out)?
    } else {
        text(&scrubber, &mut input, &mut out)?
    };
    out.flush()?;
    if options.report {
        writeln!(io::stderr(), "{}", serde_json::to_string(&report)?)?;
    }
    Ok(if options.check && report.total() > 0 { Status::Found } else { Status::Well })
}

/// Returns the scrubber of the configuration, or one for every label.
fn scrubber(options: &Scrub) -> Result<Scrubber, Failure> {
    let Some(path) = &options.config else {
        let labels = if options.secrets { secrets() } else { Labels::all() };
        return Ok(Scrubber::new(labels));
    };
    let hooks = load::config(path, None)?.hooks();
    let scrubber = hooks.extension::<Scrubber>().cloned();
    scrubber.ok_or_else(|| {
        Failure::message(format!("`{}` has no `redaction`; add it, or omit `--config`", path.display()))
    })
}

fn secrets() -> Labels {
    Label::built_in().filter(|label| !label.is_personal()).collect()
}

fn text(scrubber: &Scrubber, input: &mut impl Read, out: &mut impl Write) -> io::Result<Report> {
    let mut stream = scrubber.byte_stream();
    let mut progress = Progress::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let scrubbed = stream.push(chunk.get(..read).unwrap_or_default());
        out.write_all(&scrubbed)?;
        // What waits for the next line may wait long, as behind `tail -f`.
        if !scrubbed.is_empty() {
            out.flush()?;
        }
        progress.advance(read, stream.report().total());
    }
    out.write_all(&stream.finish())?;
    progress.end();
    Ok(stream.report().clone())
}

/// Scrubs JSON values, one after the other; writes each on a line.
fn values(scrubber: &Scrubber, input: &mut impl Read, out: &mut impl Write) -> Result<Report, Failure> {
    let mut report = Report::default();
    let mut texts = JsonTexts::new(io::BufReader::new(input));
    while let Some((text, line)) =
        texts.next_text().map_err(|_| Failure::message("the input cannot be read"))?
    {
        match parsed(&text) {
            Ok(Parsed::Whole(mut value)) => {
                report.merge(&scrubber.scrub_value_reported(&mut value).1);
                writeln!(out, "{value}")?;
            }
            // A value of this program would not have all of it.
            Ok(Parsed::OnlyText(text)) => {
                let scrubbed = scrubber.scrub_reported(&text);
                report.merge(&scrubbed.report);
                writeln!(out, "{}", scrubbed.text)?;
            }
            Err(error) => return Err(not_json(&error, line)),
        }
        out.flush()?;
    }
    Ok(report)
}

/// The position of what is not JSON, without the text, which was not scrubbed. The value begins on the line `first`.
fn not_json(error: &serde_json::Error, first: usize) -> Failure {
    let (line, column) = (error.line().saturating_sub(1).saturating_add(first), error.column());
    // The parser has no kind for it.
    if error.to_string().starts_with("recursion limit exceeded") {
        return Failure::message(format!(
            "the value at line {line} is nested deeper than 127 levels, and nothing of it was written; omit `--json` for text"
        ));
    }
    Failure::message(format!("the input is not JSON at line {line}, column {column}; omit `--json` for text"))
}

/// Progress on a terminal.
struct Progress {
    shown: bool,
    bytes: u64,
    next: u64,
}

impl Progress {
    fn new() -> Self {
        // Output on the terminal shows the progress itself.
        let shown = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Self { shown, bytes: 0, next: STEP }
    }

    fn advance(&mut self, read: usize, found: u64) {
        self.bytes = self.bytes.saturating_add(u64::try_from(read).unwrap_or_default());
        if self.shown && self.bytes >= self.next {
            self.next = self.bytes.saturating_add(STEP);
            // A terminal that went away is no reason to stop.
            drop(write!(io::stderr(), "\r{} MiB read, {found} findings removed", self.bytes >> 20));
        }
    }

    fn end(&self) {
        if self.shown && self.next > STEP {
            drop(writeln!(io::stderr()));
        }
    }
}
