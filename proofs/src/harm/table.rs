//! The result of all rows.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::data::{CLASSES, Row, UNHELD, kind};
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
    /// Whether what Landlock does not hold is counted apart.
    has_landlock_alone: bool,
    /// Attacks with such a harm.
    unheld: BTreeMap<&'static str, usize>,
}

impl Table {
    pub(super) fn new(has_landlock_alone: bool) -> Self {
        Self { has_landlock_alone, ..Self::default() }
    }

    /// The harms of an outcome that have to be held.
    fn held_harms(&self, outcome: &Outcome) -> Vec<&'static str> {
        let is_left = |harm: &&str| self.has_landlock_alone && UNHELD.iter().any(|(name, ..)| name == harm);
        outcome.harms.iter().copied().filter(|harm| !is_left(harm)).collect()
    }

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
        let (in_sandbox, behind_guard) = (self.held_harms(held), self.held_harms(guarded));
        for harm in &held.harms {
            if !in_sandbox.contains(harm) {
                *self.unheld.entry(harm).or_default() += 1;
            }
        }
        let is_harmful = bare.harms.iter().any(|done| kind(done) == harm);
        if self.has_landlock_alone && !is_harmful {
            // Of this user, or with the rules of this form.
            self.skipped.push(format!("no harm here: {script}"));
        }
        let line = self.lines.entry(harm.to_owned()).or_default();
        line.attacks += 1;
        line.harmful += usize::from(is_harmful);
        line.in_sandbox += usize::from(!in_sandbox.is_empty());
        line.denied += usize::from(guarded.is_denied);
        line.guarded += usize::from(!behind_guard.is_empty());
        if !is_harmful && !self.has_landlock_alone {
            self.missed.push(format!("no harm `{harm}` without a sandbox: {script}{}", told(bare)));
        }
        for (where_, outcome, harms) in
            [("the sandbox", held, in_sandbox), ("the guard and the sandbox", guarded, behind_guard)]
        {
            if !harms.is_empty() {
                let harms = harms.join(", ");
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
        for (name, _, what) in UNHELD {
            if let Some(count) = self.unheld.get(name) {
                writeln!(f, "not held without mounts: {what} by {count} attacks")?;
            }
        }
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
