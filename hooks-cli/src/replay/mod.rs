//! `hooks replay`: judges the events of a record again, by other rules.
//!
//! Threads take turns: each reads a batch of the record, makes the questions, and judges it when the batches before it were
//! judged. So one batch is read while another is judged, always in the order of the record. State is rebuilt from what is judged,
//! with the times of the record, in memory. Nothing outside is read but the record and the rules.

mod cli;
mod html;
mod moment;
pub(crate) mod past;
mod question;
mod record;
mod report;
mod sessions;
mod side;
mod source;
mod store;
mod turns;
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hooks::{EventKind, Strength};

pub(crate) use self::cli::Replay;
use self::moment::{Moment, Recorded, Step};
use self::report::{Change, Report, Verdict};
pub(crate) use self::side::{Decided, Side};
use self::source::Source;
use self::turns::Turns;
use crate::eval::runtime;
use crate::failure::{Failure, Status};

/// Judges the record, and reports what changed.
pub(crate) fn run(options: &Replay) -> Result<Status, Failure> {
    let files: Vec<_> = [Some(&*options.config), options.against.as_deref()].into_iter().flatten().collect();
    let new = Side::new(&options.config, &files, options.files_now)?;
    let against = options.against.as_deref();
    let old = against.map(|path| Side::new(path, &files, options.files_now)).transpose()?;
    let is_interrupted = interruption();
    let source = Source::new(options)?;
    let replaying = Replaying {
        report: Report::new(options.format, &new, old.as_ref())?,
        new,
        old,
        called: BTreeMap::new(),
    };
    let (mut replaying, read) = Turns::new(source, replaying).run(&is_interrupted);
    let is_interrupted = is_interrupted.load(Ordering::Relaxed);
    replaying.without_ends()?;
    let has_changes = replaying.report.end(is_interrupted, &read)?;
    read?;
    Ok(match (is_interrupted, has_changes) {
        (true, _) => Status::Usage,
        (false, true) => Status::Found,
        (false, false) => Status::Well,
    })
}

/// Becomes true when the user interrupts the program.
pub(crate) fn interruption() -> Arc<AtomicBool> {
    let is_interrupted = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&is_interrupted);
    // Without the thread, an interruption ends the program at once.
    thread::spawn(move || {
        let Ok(runtime) = runtime() else { return };
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            flag.store(true, Ordering::Relaxed);
        }
    });
    is_interrupted
}

/// A call of a transcript that has not ended.
struct Called {
    moment: Moment,
    new: Option<Decided>,
    old: Option<Decided>,
}

struct Replaying {
    new: Side,
    old: Option<Side>,
    report: Report,
    called: BTreeMap<Arc<str>, Called>,
}

impl Replaying {
    /// Judges all steps in turn.
    async fn judge_all(&mut self, steps: &mut [Step]) -> Result<(), Failure> {
        for step in steps {
            self.take(step).await?;
        }
        self.report.progress()
    }

    /// Compares the calls whose transcripts end before them.
    fn without_ends(&mut self) -> Result<(), Failure> {
        for (_, called) in std::mem::take(&mut self.called) {
            self.without_end(called, "the transcript ends before the call")?;
        }
        Ok(())
    }

    /// Compares a call whose end is not known, because of `why`.
    fn without_end(&mut self, mut called: Called, why: &'static str) -> Result<(), Failure> {
        if called.old.is_none() {
            called.moment.not_known.push(why);
        }
        self.compare(&called.moment, called.new, called.old)
    }

    async fn take(&mut self, step: &mut Step) -> Result<(), Failure> {
        if let Step::Recorded(moment) = step {
            let (new, old) = self.judge(moment).await;
            return if moment.recorded.is_some() { self.compare(moment, new, old) } else { Ok(()) };
        }
        match std::mem::replace(step, Step::Passed) {
            Step::Called(id, mut moment) => {
                let (new, old) = self.judge(&mut moment).await;
                // The end may be far away, and facts are large.
                (moment.new, moment.old) = (None, None);
                if let Some(earlier) = self.called.insert(id, Called { moment: *moment, new, old }) {
                    self.without_end(earlier, "another call has its id")?;
                }
            }
            Step::Ended(id, is_denied) => {
                if let Some(Called { mut moment, new, old }) = self.called.remove(&id) {
                    moment.recorded = Some(Recorded::WasDenied(is_denied));
                    self.compare(&moment, new, old)?;
                }
            }
            Step::Recorded(_) | Step::Passed => {}
        }
        Ok(())
    }

    /// Judges by both sides.
    async fn judge(&mut self, moment: &mut Moment) -> (Option<Decided>, Option<Decided>) {
        let old = match (&mut self.old, &mut moment.old) {
            (Some(side), Some(question)) => side.judge(question).await,
            _ => None,
        };
        let new = match &mut moment.new {
            Some(question) => self.new.judge(question).await,
            None => None,
        };
        (new, old)
    }

    fn compare(
        &mut self,
        moment: &Moment,
        new: Option<Decided>,
        old: Option<Decided>,
    ) -> Result<(), Failure> {
        let mut not_known = moment.not_known.clone();
        if [&new, &old].into_iter().flatten().any(Decided::needs_files) {
            not_known.push("it depends on files as they were then");
        }
        let assumes_no_links = [&new, &old].into_iter().flatten().any(|decided| decided.asked.links);
        let before = match (&self.old, old) {
            (Some(_), old) => old.map(Verdict::from),
            (None, _) => moment.recorded.as_ref().map(Verdict::recorded),
        };
        let after = new.map(Verdict::from);
        if not_known.is_empty() && (before.is_none() || after.is_none()) {
            // A result of a call that would not have run.
            let why = match moment.kind {
                EventKind::PostToolUse => "the call would not have run",
                _ => "the record does not have the decision",
            };
            not_known.push(why);
        }
        let was_call = matches!(moment.recorded, Some(Recorded::WasDenied(_))) && self.old.is_none();
        let is_same = match (&before, &after) {
            (Some(before), Some(after)) if was_call => {
                outcome_of_call(before.strength) == outcome_of_call(after.strength)
            }
            (Some(before), Some(after)) => before.strength == after.strength,
            _ => false,
        };
        match (not_known.is_empty(), is_same) {
            (true, true) => self.report.same(moment),
            _ => self.report.differs(&Change { moment, before, after, not_known, assumes_no_links }),
        }
    }
}

/// A transcript does not show whether a call that ran was allowed by a rule.
fn outcome_of_call(strength: Strength) -> Strength {
    if strength == Strength::Allow { Strength::NoOpinion } else { strength }
}
