//! The result of all rows.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::data::{CLASSES, Row};
use super::world::Outcome;
use crate::error::{Error, Result};

/// Of so many ordinary commands, one may differ with a reason.
const DIFFER: usize = 100;

/// Result of one row.
#[derive(Debug)]
pub(super) enum Judged {
    /// A program is missing.
    Skipped(String),
    /// No world could be made for it.
    Failed(String),
    Ran(Box<Runs>),
}

/// Outcomes of a row without us, in the sandbox, and behind the guard in the sandbox.
#[derive(Debug)]
pub(super) struct Runs {
    pub(super) bare: Outcome,
    pub(super) held: Outcome,
    pub(super) guarded: Outcome,
}

#[derive(Debug, Default)]
struct Line {
    attacks: usize,
    harmful: usize,
    in_sandbox: usize,
    denied: usize,
    guarded: usize,
}

/// All results.
#[derive(Debug, Default)]
pub(super) struct Table {
    lines: BTreeMap<String, Line>,
    commands: usize,
    differ: usize,
    /// Commands that differ with a reason.
    listed: Vec<String>,
    skipped: Vec<String>,
    missed: Vec<String>,
}

impl Table {
    pub(super) fn add(&mut self, row: &Row, judged: Judged) {
        match (judged, &row.harm) {
            (Judged::Skipped(program), _) => self.skipped.push(format!("needs {program}: {}", row.script)),
            (Judged::Failed(why), _) => self.missed.push(format!("was not run: {}: {why}", row.script)),
            (Judged::Ran(runs), Some(harm)) => {
                self.add_attack(harm, &row.script, &runs.bare, &runs.held, &runs.guarded);
            }
            (Judged::Ran(runs), None) => self.add_command(row, &runs.bare, &runs.held),
        }
    }

    fn add_attack(&mut self, harm: &str, script: &str, bare: &Outcome, held: &Outcome, guarded: &Outcome) {
        let line = self.lines.entry(harm.to_owned()).or_default();
        line.attacks += 1;
        let is_harmful = bare.harms.contains(&harm);
        line.harmful += usize::from(is_harmful);
        line.in_sandbox += usize::from(!held.harms.is_empty());
        line.denied += usize::from(guarded.is_denied);
        line.guarded += usize::from(!guarded.harms.is_empty());
        if !is_harmful {
            self.missed.push(format!("no harm `{harm}` without a sandbox: {script}{}", told(bare)));
        }
        for (where_, outcome) in [("the sandbox", held), ("the guard and the sandbox", guarded)] {
            if !outcome.harms.is_empty() {
                let harms = outcome.harms.join(", ");
                self.missed.push(format!("HARM {harms} in {where_}: {script}{}", told(outcome)));
            }
        }
    }

    fn add_command(&mut self, row: &Row, bare: &Outcome, held: &Outcome) {
        self.commands += 1;
        let script = &row.script;
        if (&bare.output, bare.status, &bare.files) != (&held.output, held.status, &held.files) {
            self.differ += 1;
            if let Some(why) = &row.differs {
                self.listed.push(format!("{script}: {why}"));
                return;
            }
            let names = |of: &Outcome, other: &Outcome| {
                let new = of.files.iter().filter(|(path, text)| other.files.get(*path) != Some(text));
                new.map(|(path, _)| path.display().to_string()).collect::<Vec<_>>().join(" ")
            };
            let (only, other) = (names(bare, held), names(held, bare));
            self.missed.push(format!(
                "differs: {script}\n  without: {only}{}\n  in the sandbox: {other}{}",
                told(bare),
                told(held)
            ));
        }
    }

    /// An error with everything that is not as it has to be.
    pub(super) fn missed(&self) -> Result {
        let mut missed = self.missed.clone();
        let most = self.commands.div_ceil(DIFFER);
        if self.listed.len() > most {
            let listed = self.listed.len();
            missed.push(format!("{listed} ordinary commands differ with a reason; at most {most} may"));
        }
        if missed.is_empty() { Ok(()) } else { Err(Error::new(missed.join("\n"))) }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| harm | attacks | done without | done under exec | denied by the guard | done under both |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for (class, what) in CLASSES {
            if let Some(line) = self.lines.get(class) {
                let Line { attacks, harmful, in_sandbox, denied, guarded } = line;
                writeln!(f, "| {what} | {attacks} | {harmful} | {in_sandbox} | {denied} | {guarded} |")?;
            }
        }
        writeln!(
            f,
            "{} ordinary commands, {} differ; {} skipped",
            self.commands,
            self.differ,
            self.skipped.len()
        )?;
        self.listed.iter().try_for_each(|line| writeln!(f, "differs as expected, {line}"))?;
        self.skipped.iter().try_for_each(|line| writeln!(f, "skipped, {line}"))
    }
}

fn told(outcome: &Outcome) -> String {
    let mut text = format!("\n  status {:?}", outcome.status);
    for line in String::from_utf8_lossy(&outcome.output).lines().chain(outcome.errors.lines()).take(8) {
        // Writing to a text does not fail.
        _ = write!(text, "\n  | {line}");
    }
    text
}
