//! A line about past sessions of a client, judged by rules, for `hooks init`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::Strength;
use hooks_protocols::{Client, TranscriptCalls};

use super::moment::Step;
use super::sessions::SessionsSource;
use super::side::Side;
use crate::eval::runtime;
use crate::failure::Failure;

/// Time for all of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Calls of past sessions.
#[derive(Default)]
struct Sums {
    calls: u64,
    denied: u64,
    asked: u64,
    is_cut: bool,
}

/// Judges the calls of past sessions by the rules at `config`: those of sessions in `project`, or all of them. Returns a line
/// for a person; `None` if there are no calls.
pub(crate) fn line(client: Client, home: &Path, config: &Path, project: Option<&Path>) -> Option<String> {
    let folder = home.join(TranscriptCalls::folder(client)?);
    if !folder.is_dir() {
        return None;
    }
    let command = format!("hooks replay --transcripts {} --config {}", folder.display(), config.display());
    // The settings are written all the same.
    let Ok(sums) = judge(&folder, config, project) else {
        return Some(format!("`{command}` shows what these rules would have done in past sessions"));
    };
    let Sums { calls, denied, asked, is_cut } = sums;
    if calls == 0 {
        return None;
    }
    let part = if is_cut { "the first " } else { "" };
    Some(format!(
        "in past sessions, these rules would have denied {denied} and asked about {asked} of {part}{calls} calls; `{command}` lists \
         what changes"
    ))
}

fn judge(folder: &Path, config: &Path, project: Option<&Path>) -> Result<Sums, Failure> {
    let clock = hooks::system().clock;
    let began = clock.tick();
    let is_late = || clock.tick().since(began) > PATIENCE;
    let mut side = Side::new(config, &[config], false)?;
    let mut source = SessionsSource::new(folder, None, &is_late)?;
    let is_here = |cwd: &PathBuf| project.is_none_or(|project| cwd.starts_with(project));
    let mut sums = Sums { is_cut: source.is_cut(), ..Sums::default() };
    runtime()?.block_on(async {
        loop {
            let steps = source.next()?;
            if steps.is_empty() {
                return Ok(sums);
            }
            for step in steps {
                let Step::Called(_, mut moment) = step else { continue };
                let Some(event) = moment.event.take().filter(|_| is_here(&moment.context.cwd)) else {
                    continue;
                };
                let mut question = side.rules().question(&mut moment, event)?;
                let Some(decided) = side.judge(&mut question).await else { continue };
                sums.calls += 1;
                sums.denied += u64::from(decided.strength == Strength::Deny);
                sums.asked += u64::from(decided.strength == Strength::Ask);
            }
            if is_late() {
                sums.is_cut = true;
                return Ok(sums);
            }
        }
    })
}
