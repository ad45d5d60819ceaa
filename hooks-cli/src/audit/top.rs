//! `hooks top`: sessions, agents, calls and denials of a log, drawn again as records arrive.
//!
//! The log is read once. What is kept of it has a fixed size, and the screen fits in a terminal of 80 by 24.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anstream::adapter::strip_str;
use clap::Args;
use hooks::audit::{Committed, Positions};
use hooks::time::{Clock as _, Timestamp};
use hooks::{EventKind, Strength, SystemClock};

use super::cli::LogChoice;
use super::plain::plain;
use super::reading::Reading;
use super::sums::{Sums, Table, decides};
use crate::failure::{Failure, Status};
use crate::output::is_read_on;
use crate::paint::{BAD, LOUD, OPEN, QUIET, one_line};
use crate::replay::interruption;

/// Time between two looks at the log.
const PAUSE: Duration = Duration::from_millis(250);
/// Batches of records between two drawings, while older records are read.
const BATCHES: u32 = 16;
const SHOWN_SESSIONS: usize = 6;
const SHOWN_AGENTS: usize = 4;
const SHOWN_DENIALS: usize = 3;
/// Minutes whose calls are shown.
const MINUTES: u64 = 30;
const MINUTE_MS: u64 = 60_000;
/// Columns of the screen that are used.
const WIDTH: usize = 79;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Shows the other screen of the terminal, without a cursor and without breaking lines.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks top                              # the log of this folder, until Ctrl-C
  hooks top --log audit-log
  hooks top --once                       # print it once; needs no terminal

Sums are over the whole log. Sessions and agents are the last ones of at most 1,000 that are kept.
Exit status: 0 printed or interrupted, 2 the log cannot be read, 3 some of the log is damaged, and the rest was counted.")]
pub(crate) struct TopOptions {
    #[command(flatten)]
    place: LogChoice,
    /// Print the state of the log once, and end
    #[arg(long)]
    once: bool,
}

/// Shows the log.
pub(crate) fn run(options: &TopOptions) -> Result<Status, Failure> {
    let folder = super::folder(&options.place)?;
    if options.once {
        return once(&folder);
    }
    if !io::stdout().is_terminal() {
        return Err(Failure::message("standard output is not a terminal; add `--once` to print it once"));
    }
    // A stream that removes colours would remove the codes that move the cursor as well.
    let mut out = io::stdout();
    write!(out, "{ENTER}")?;
    let shown = live(&folder, &mut out);
    write!(out, "{LEAVE}")?;
    out.flush()?;
    shown
}

fn once(folder: &Path) -> Result<Status, Failure> {
    let mut reading = Reading::new(folder, Positions::default());
    let mut top = Top::default();
    while top.add(&reading.next()?) {}
    let mut out = anstream::stdout();
    for line in top.lines(top.last, reading.trouble().is_some()) {
        writeln!(out, "{line}")?;
    }
    Ok(reading.status(Status::Well))
}

fn live(folder: &Path, out: &mut impl Write) -> Result<Status, Failure> {
    let is_interrupted = interruption();
    let mut reading = Reading::new(folder, Positions::default());
    let mut top = Top::default();
    let is_coloured = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    loop {
        let mut batches = 0;
        while batches < BATCHES && !is_interrupted.load(Ordering::Relaxed) && top.add(&reading.next()?) {
            batches += 1;
        }
        let now = SystemClock.now().0.max(top.last);
        let lines = top.lines(now, reading.trouble().is_some());
        // Each line is erased as it is written, so that the screen does not flicker.
        let lines: String = lines
            .iter()
            .map(|line| if is_coloured { line.clone() } else { strip_str(line).to_string() })
            .map(|line| format!("{line}\x1b[K\r\n"))
            .collect();
        write!(out, "\x1b[H{lines}\x1b[J")?;
        out.flush()?;
        let pause = if batches == BATCHES { Duration::ZERO } else { PAUSE };
        if is_interrupted.load(Ordering::Relaxed) || !is_read_on(pause) {
            return Ok(reading.status(Status::Well));
        }
    }
}

struct Denial {
    heading: String,
    reason: String,
}

/// The state of the screen.
#[derive(Default)]
struct Top {
    records: u64,
    all: Sums,
    last: u64,
    tokens: (u64, u64),
    sessions: Table,
    agents: Table,
    minutes: BTreeMap<u64, u64>,
    denials: VecDeque<Denial>,
}

impl Top {
    /// Adds records. Returns whether there were any.
    fn add(&mut self, records: &[Committed]) -> bool {
        for committed in records {
            self.take(committed);
        }
        !records.is_empty()
    }

    fn take(&mut self, committed: &Committed) {
        let record = &committed.record;
        self.records += 1;
        self.last = self.last.max(record.at.0);
        self.all.add(record);
        self.sessions.add(&record.session, record);
        self.agents.add(&record.agent, record);
        // A child's tokens are in its own model calls too, if they are recorded.
        let is_model_call = record.event == EventKind::AfterModelCall.name();
        if let Some(usage) = record.tokens.filter(|_| is_model_call) {
            self.tokens.0 = self.tokens.0.saturating_add(usage.input_tokens);
            self.tokens.1 = self.tokens.1.saturating_add(usage.output_tokens);
        }
        if record.event == EventKind::PreToolUse.name() {
            *self.minutes.entry(record.at.0 / MINUTE_MS).or_default() += 1;
            if self.minutes.len() > 2 * usize::try_from(MINUTES).unwrap_or(usize::MAX) {
                self.minutes.pop_first();
            }
        }
        if decides(record) && record.outcome == Some(Strength::Deny) {
            self.denials.push_back(denial(committed));
            if self.denials.len() > SHOWN_DENIALS {
                self.denials.pop_front();
            }
        }
    }

    /// The lines of the screen at the time `now`.
    fn lines(&self, now: u64, is_damaged: bool) -> Vec<String> {
        let Sums { calls, asked, denied, .. } = self.all;
        let (read, written) = self.tokens;
        let mut lines = vec![
            format!(
                "{LOUD}hooks top{LOUD:#}  {} records until {}",
                self.records,
                if self.records == 0 { "now".to_owned() } else { Timestamp(self.last).to_string() }
            ),
            format!(
                "{calls} calls, {BAD}{denied} denied{BAD:#}, {OPEN}{asked} asked{OPEN:#}, {} spent, {read} tokens in, {written} out",
                spent(&self.all)
            ),
            self.bars(now),
        ];
        if is_damaged {
            lines.push(format!("{BAD}some of the log is damaged{BAD:#}; `hooks audit verify` shows where"));
        }
        let tables = [(&self.sessions, "sessions", SHOWN_SESSIONS), (&self.agents, "agents", SHOWN_AGENTS)];
        for (table, name, most) in tables {
            let rows = table.latest(most);
            lines.push(format!("{LOUD}{}{LOUD:#}", table.heading(name, rows.len())));
            lines.extend(rows.into_iter().map(|(name, row)| line_of(name, row)));
        }
        lines.push(format!("{LOUD}last denials{LOUD:#}"));
        for Denial { heading, reason } in self.denials.iter().rev() {
            lines.push(heading.clone());
            lines.push(format!("  {QUIET}{reason}{QUIET:#}"));
        }
        lines
    }

    /// The calls of each of the last minutes, as bars.
    fn bars(&self, now: u64) -> String {
        let now = now / MINUTE_MS;
        let of = |minute: u64| self.minutes.get(&minute).copied().unwrap_or(0);
        let counts: Vec<u64> = (now.saturating_sub(MINUTES - 1)..=now).map(of).collect();
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let steps = BARS.len() as u64 - 1;
        let bar = |count: &u64| match count {
            0 => ' ',
            _ => {
                let step = usize::try_from(u128::from(*count) * u128::from(steps) / u128::from(most));
                step.ok().and_then(|step| BARS.get(step)).copied().unwrap_or('█')
            }
        };
        let bars: String = counts.iter().map(bar).collect();
        format!("calls per minute [{bars}] {} now, at most {most}", of(now))
    }
}

fn line_of(name: &str, row: &Sums) -> String {
    let Sums { calls, asked, denied, last, .. } = row;
    // A row of an agent has its name already.
    let agent = if row.agent == name { "" } else { &row.agent };
    let (name, agent) = (one_line(&plain(name), 20), one_line(&plain(agent), 8));
    let at = Timestamp(*last).to_string();
    let at = at.get(11..19).unwrap_or_default();
    let cost = spent(row);
    format!(
        "  {name:<20} {agent:<8} {calls:>7} calls {denied:>4} den {asked:>3} ask {cost:>8} {QUIET}{at}{QUIET:#}"
    )
}

fn denial(committed: &Committed) -> Denial {
    let record = &committed.record;
    let or_empty = |text: &Option<String>| plain(text.as_deref().unwrap_or_default());
    let tool = record.tool.as_deref().unwrap_or(&record.event);
    let heading = format!(
        "  {} {} {} {} {}/{}",
        record.at,
        committed.position(),
        one_line(&plain(&record.agent), 10),
        one_line(&plain(tool), 10),
        or_empty(&record.policy),
        or_empty(&record.rule)
    );
    let reason = committed.payload().and_then(|payload| {
        let strongest = payload.reasons.iter().find(|reason| reason["strength"] == "deny")?;
        strongest["message"].as_str().map(str::to_owned)
    });
    let reason =
        one_line(&plain(&reason.unwrap_or_else(|| "(the record has no reason)".to_owned())), WIDTH - 2);
    Denial { heading: one_line(&heading, WIDTH), reason }
}

/// The cost, a dash if it is not known, or the least of it.
fn spent(sums: &Sums) -> String {
    match (sums.cost, sums.unpriced) {
        (0, 0) => "$0".to_owned(),
        (0, _) => "—".to_owned(),
        (1..10_000, _) => "<$0.01".to_owned(),
        (micro, unpriced) => {
            let least = if unpriced > 0 { "≥" } else { "" };
            format!("{least}${}.{:02}", micro / 1_000_000, micro % 1_000_000 / 10_000)
        }
    }
}

#[cfg(test)]
mod tests {
    use hooks::audit::{Kept, Record};

    use super::*;

    fn call(number: u64) -> Committed {
        let mut record = Record::new("pre_tool_use", Timestamp(number * 1_000));
        record.session = format!("session-{number}");
        record.agent = format!("agent-{}\u{1b}[2J{}", number % 5_000, "x".repeat(200));
        record.tool = Some("Bash\n\u{202e}".to_owned());
        record.outcome = Some(if number.is_multiple_of(10) { Strength::Deny } else { Strength::Allow });
        Committed { chain: "w0".into(), log: "".into(), record, payload: Kept::Nothing }
    }

    #[test]
    fn what_is_kept_has_a_fixed_size_and_the_sums_have_all() {
        let mut top = Top::default();
        for number in 0..100_000 {
            top.take(&call(number));
        }
        assert!(top.sessions.len() <= 1_000 && top.agents.len() <= 1_000);
        assert!(top.minutes.len() <= 60 && top.denials.len() == SHOWN_DENIALS);
        let lines = top.lines(top.last, true);
        assert!(lines.len() <= 24, "{lines:?}");
        let text = strip_str(&lines.join("\n")).to_string();
        assert!(text.contains("100000 records") && text.contains("100000 calls, 10000 denied"), "{text}");
        // Records have one call each second, so the last minute of 99,999 seconds has 40.
        assert!(text.contains("40 now, at most 60"), "{text}");
        assert!(text.contains("session-99999") && text.contains(", and more"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
