//! The search: events that both files judge.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hooks::Strength;
use hooks::config::as_written;
use hooks::time::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::step::Step;
use super::words::{self, Words};
use super::{Limits, calls, histories};
use crate::failure::Failure;
use crate::replay::{Decided, Side};

/// Most events in histories.
const MOST_STEPS: u64 = 300_000;
/// Most events in the histories for a section, after the first difference.
const MOST_AFTER: u64 = 500;
/// Denials in a row by both files, after which a history ends.
const MOST_DENIED: usize = 8;
/// Sections whose changes events can show. Others are named if they differ.
const COMPARED: [&str; 23] = [
    "version",
    "profile",
    "self_protection",
    "tenant",
    "tenants",
    "paths",
    "tools",
    "write_guard",
    "read_guard",
    "command_guard",
    "ask_user",
    "limits",
    "budget",
    "redaction",
    "reviewer_lockout",
    "spawn",
    "rules",
    "packs",
    "protected",
    "boundaries",
    "routes",
    "sequences",
    "mode",
];

/// Answer of a file to an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Shown {
    pub(super) decision: Strength,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rules: Vec<String>,
    /// The event as it goes on, if it is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rewritten: Option<Value>,
}

impl From<Decided> for Shown {
    fn from(decided: Decided) -> Self {
        let Decided { strength, reasons, rewritten, .. } = decided;
        let rules = reasons.iter().filter(|reason| reason.strength == strength);
        let rules: BTreeSet<String> =
            rules.map(|reason| format!("{}/{}", reason.policy, reason.rule)).collect();
        Self { decision: strength, rules: rules.into_iter().collect(), rewritten }
    }
}

impl Shown {
    fn key(&self) -> (Strength, Vec<String>, bool) {
        (self.decision, self.rules.clone(), self.rewritten.is_some())
    }
}

/// Events of which the files judge the last one differently, for one pair of deciding rules.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) before: Vec<Step>,
    pub(super) step: Step,
    /// The moment, if the difference is not one of today.
    pub(super) at: Option<Timestamp>,
    pub(super) old: Shown,
    pub(super) new: Shown,
    /// Further events that the same rules decide differently.
    pub(super) more: u64,
    name: String,
    root: PathBuf,
}

impl Difference {
    /// The events as lines for `hooks eval`, with equal ones in a row as one.
    pub(super) fn to_json(&self) -> Value {
        let has_time = self.before.iter().chain([&self.step]).any(|step| step.after > 0);
        let now = self.at.or_else(|| has_time.then(now));
        let line = |step: &Step| step.line(&self.name, &self.root, now);
        let mut before: Vec<(u64, Value)> = Vec::new();
        for event in self.before.iter().map(line) {
            match before.last_mut() {
                Some((times, last)) if *last == event => *times = times.saturating_add(1),
                _ => before.push((1, event)),
            }
        }
        let before = before.into_iter().map(|(times, event)| json!({"times": times, "event": event}));
        json!({
            "before": before.collect::<Vec<_>>(),
            "event": line(&self.step),
            "old": self.old,
            "new": self.new,
            "more": self.more,
        })
    }
}

/// The beginning of this day, where windows of minutes, hours and a day begin: shortly before the end of one, a longer one ends at
/// the same time, and no event would show the difference.
fn now() -> Timestamp {
    let now = hooks::system().clock.now().0;
    Timestamp(now.saturating_sub(now % DAY))
}

type Key = (Strength, Vec<String>, bool);

/// Milliseconds of a day.
const DAY: u64 = 24 * 60 * 60 * 1_000;

pub(super) struct Search {
    old: Side,
    new: Side,
    /// Words of either file, and of one alone.
    words: (Words, Words),
    written: [Value; 2],
    root: PathBuf,
    now: Timestamp,
    found: BTreeMap<(Key, Key), Difference>,
    tried: u64,
    histories: u64,
    is_cut: bool,
    depend_on_files: u64,
}

impl Search {
    pub(super) fn new(old: &Path, new: &Path) -> Result<Self, Failure> {
        let files = [old, new];
        let root = std::path::absolute(new)?;
        let root = root.parent().unwrap_or(&root).to_path_buf();
        let written = [written(old)?, written(new)?];
        let (old, new) = (Side::new(old, &files, false)?, Side::new(new, &files, false)?);
        let [in_old, in_new] = &written;
        let words = Words::collect(old.config(), in_old).compared(&Words::collect(new.config(), in_new));
        let (found, now) = (BTreeMap::new(), now());
        let (tried, histories, is_cut, depend_on_files) = (0, 0, false, 0);
        Ok(Self { old, new, words, written, root, now, found, tried, histories, is_cut, depend_on_files })
    }

    pub(super) async fn look(&mut self) -> Result<(), Failure> {
        let (all, changed) = self.words.clone();
        let (calls, is_cut) = calls::all(&all, &changed);
        self.is_cut = is_cut;
        let examples = words::examples(&all, [self.old.config(), self.new.config()]);
        let begun = changed.moments.iter().filter_map(|text| moment(text)).map(Some);
        for at in std::iter::once(None).chain(begun) {
            for step in examples.iter().chain(&calls) {
                self.alone(step, at).await?;
            }
        }
        let [old, new] = self.written.clone();
        for section in histories::all(&all, [&old, &new]) {
            self.section(&section).await?;
        }
        if old.get("budget") != new.get("budget") {
            self.spending(&all).await?;
        }
        Ok(())
    }

    /// Has both judge an event that nothing counts.
    async fn alone(&mut self, step: &Step, at: Option<Timestamp>) -> Result<(), Failure> {
        if let Some((old, new)) = self.ask("diff", step, at, false).await? {
            self.compare(&[], step, at, (old, new));
        }
        Ok(())
    }

    /// Looks at the histories for a section; after a difference, only at a few more.
    async fn section(&mut self, histories: &[Vec<Step>]) -> Result<(), Failure> {
        let (found, mut last) = (self.found.len(), u64::MAX);
        for steps in histories {
            if self.tried >= last {
                break;
            }
            self.history(steps).await?;
            if self.found.len() > found {
                last = last.min(self.tried.saturating_add(MOST_AFTER));
            }
        }
        Ok(())
    }

    /// Has both judge events in a row, up to the first difference. Returns the answers to the last ones.
    async fn history(&mut self, steps: &[Step]) -> Result<Vec<(Shown, Shown)>, Failure> {
        self.old.forget(self.now);
        self.new.forget(self.now);
        self.histories = self.histories.saturating_add(1);
        let name = format!("diff-{}", self.histories);
        let (mut denied, mut answers) = (0_usize, Vec::new());
        for (number, step) in steps.iter().enumerate() {
            if self.tried >= MOST_STEPS {
                self.is_cut = true;
                break;
            }
            let Some((old, new)) = self.ask(&name, step, None, true).await? else { continue };
            answers.push((old.clone(), new.clone()));
            let is_denied = old.decision == Strength::Deny && new.decision == Strength::Deny;
            let before = steps.get(..number).unwrap_or_default();
            denied = if is_denied { denied.saturating_add(1) } else { 0 };
            if self.compare(before, step, None, (old, new)) || denied >= MOST_DENIED {
                break;
            }
        }
        Ok(answers)
    }

    /// The answers of both, unless the event only informs or one depends on files.
    async fn ask(
        &mut self,
        name: &str,
        step: &Step,
        at: Option<Timestamp>,
        counts: bool,
    ) -> Result<Option<(Shown, Shown)>, Failure> {
        self.tried = self.tried.saturating_add(1);
        let event = step.event().map_err(|error| Failure::message(error.to_string()))?;
        let context = step.context(name, &self.root, at.unwrap_or(self.now));
        let old = self.old.judge_alone(context.clone(), event.clone(), counts).await;
        let new = self.new.judge_alone(context, event, counts).await;
        let (Some(old), Some(new)) = (old, new) else { return Ok(None) };
        if old.needs_files() || new.needs_files() {
            self.depend_on_files = self.depend_on_files.saturating_add(1);
            return Ok(None);
        }
        Ok(Some((old.into(), new.into())))
    }

    /// Keeps an event that is decided differently, if no other one shows the same difference. Returns whether it is.
    fn compare(
        &mut self,
        before: &[Step],
        step: &Step,
        at: Option<Timestamp>,
        (old, new): (Shown, Shown),
    ) -> bool {
        if old.decision == new.decision && old.rewritten == new.rewritten {
            return false;
        }
        let known = self.found.entry((old.key(), new.key()));
        let found = known.and_modify(|difference| difference.more = difference.more.saturating_add(1));
        found.or_insert_with(|| Difference {
            before: before.to_vec(),
            step: step.clone(),
            at,
            old,
            new,
            more: 0,
            name: if before.is_empty() { "diff".to_owned() } else { format!("diff-{}", self.histories) },
            root: self.root.clone(),
        });
        true
    }

    /// Looks for an amount that one file lets an agent spend and the other does not.
    async fn spending(&mut self, words: &Words) -> Result<(), Failure> {
        const MOST_TOKENS: u64 = 1 << 40;
        let found = self.found.len();
        for pause in [0, 3_600_000, 86_400_000, 31 * 86_400_000] {
            for (agent, model) in histories::payers(words) {
                let mut open = vec![(0, MOST_TOKENS)];
                while let Some((least, most)) = open.pop() {
                    let at_least = self.history(&histories::spent(&agent, &model, least, pause)).await?;
                    let at_most = self.history(&histories::spent(&agent, &model, most, pause)).await?;
                    let middle = least.midpoint(most);
                    if keys(&at_least) != keys(&at_most) && middle > least.saturating_add(least / 1_000) {
                        open.extend([(least, middle), (middle, most)]);
                    }
                }
            }
            if self.found.len() > found {
                break;
            }
        }
        Ok(())
    }

    pub(super) const fn tried(&self) -> u64 {
        self.tried
    }

    /// Limits of the search.
    pub(super) fn limits(&self) -> Limits {
        let [old, new] = &self.written;
        let sections =
            [old, new].into_iter().filter_map(Value::as_object).flat_map(|sections| sections.keys());
        let differing = sections.filter(|name| old.get(*name) != new.get(*name));
        let not_compared: BTreeSet<&String> =
            differing.filter(|name| !COMPARED.contains(&&***name)).collect();
        Limits {
            sections_not_compared: not_compared
                .into_iter()
                .filter(|name| *name != "until")
                .cloned()
                .collect(),
            events_left_out: self.is_cut,
            counts_not_compared: histories::left_out([old, new]),
            depend_on_files: self.depend_on_files,
        }
    }

    /// The differences, those that deny less first.
    pub(super) fn differences(self) -> Vec<Difference> {
        let mut all: Vec<Difference> = self.found.into_values().collect();
        all.sort_by_key(|difference| (difference.new.decision, difference.old.decision));
        all
    }
}

fn keys(answers: &[(Shown, Shown)]) -> Vec<(Key, Key)> {
    answers.iter().map(|(old, new)| (old.key(), new.key())).collect()
}

/// The sections of a file; none if it is not YAML, which its reader reports.
fn written(path: &Path) -> Result<Value, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::message(format!("`{}` cannot be read: {error}", path.display())))?;
    Ok(as_written(&text).unwrap_or_default())
}

/// The first moment of a day, or a moment.
fn moment(text: &str) -> Option<Timestamp> {
    if text.len() == 10 { format!("{text}T00:00:00Z").parse().ok() } else { text.parse().ok() }
}
