//! Commits and checkouts of a command.

use hooks_core::{Evidence, Reason, Verdict};
use hooks_facts::calls::{Call, ParsedCommand};
use hooks_facts::commands::{Analysis, Invocation, Options};
use hooks_facts::globs;

use super::{Governing, NAME, PhaseGuard, apostrophes, uncertain};
use crate::phases::git::{Certainty, GitCommand};

impl PhaseGuard {
    /// Judges the git commands of a call, and the parts of its commands that cannot be known.
    pub(super) fn judge_commands(
        &self,
        call: Call<'_>,
        governing: Governing<'_>,
        makes_no_commit: bool,
    ) -> Verdict {
        let mut verdict = Verdict::NO_OPINION;
        for command in &call.commands().found {
            let other = apostrophes::other_reading(&command.text);
            let other = other.map(|text| Analysis::of_text(&text, &Options::default()));
            for analysis in std::iter::once(&command.analysis).chain(&other) {
                verdict.merge(self.judge_gits(governing, command, analysis, makes_no_commit));
            }
            if verdict.is_final() {
                return verdict;
            }
            let is_shell = call.kind().runs_commands();
            if is_shell && let Some(unresolved) = command.analysis.unresolved.first() {
                verdict.merge(self.judge_unresolved(governing, command, &unresolved.reason.to_string()));
            }
        }
        for pointer in &call.commands().unusable {
            let reason =
                Reason::new(NAME, "unusable-command", format!("the command at `{pointer}` is not a text"));
            let reason = reason.on(&**pointer).instead("give the command as a text or a list of words");
            verdict.merge(uncertain(self.unresolvable, || reason));
        }
        verdict
    }

    fn judge_gits(
        &self,
        governing: Governing<'_>,
        command: &ParsedCommand,
        analysis: &Analysis,
        makes_no_commit: bool,
    ) -> Verdict {
        let mut verdict = Verdict::NO_OPINION;
        for invocation in &analysis.invocations {
            let Some(git) = analysis.git_words(invocation).and_then(GitCommand::new) else { continue };
            if makes_no_commit {
                let reason = || commit_reason(governing, command, invocation);
                verdict.merge(self.judge_git(governing, git.commits(), reason));
            }
            let reason = || branch_reason(governing, command, invocation);
            verdict.merge(self.judge_git(governing, git.leads_to(&self.branches), reason));
        }
        verdict
    }

    fn judge_git(
        &self,
        governing: Governing<'_>,
        certainty: Certainty,
        reason: impl FnOnce() -> Reason,
    ) -> Verdict {
        match certainty {
            Certainty::No => Verdict::NO_OPINION,
            Certainty::Yes => self.forbidden(governing, reason()),
            Certainty::Unknown => uncertain(self.unresolvable, || {
                let mut reason = reason();
                reason.message = format!("it cannot be known before it runs: {}", reason.message);
                reason.rule = "unresolvable".into();
                reason.instead("write the command out, without aliases and variables")
            }),
        }
    }

    fn judge_unresolved(&self, governing: Governing<'_>, command: &ParsedCommand, problem: &str) -> Verdict {
        uncertain(self.unresolvable, || {
            let (message, advice) = problem.split_once("; ").unwrap_or((problem, "write it in another way"));
            let message = format!("{} forbids commands that cannot be known: {message}", governing.phase());
            Reason::new(NAME, "unresolvable", message).on(&*command.pointer).instead(advice)
        })
    }
}

fn commit_reason(governing: Governing<'_>, command: &ParsedCommand, invocation: &Invocation) -> Reason {
    let message =
        format!("{} runs tasks in parallel, and `{}` makes a commit", governing.phase(), shown(invocation));
    let reason =
        Reason::new(NAME, "commit", message).instead("leave the commit to the host, after all tasks");
    on(reason, command, invocation)
}

fn branch_reason(governing: Governing<'_>, command: &ParsedCommand, invocation: &Invocation) -> Reason {
    let message =
        format!("{} is active, and `{}` leads to a protected branch", governing.phase(), shown(invocation));
    let reason = Reason::new(NAME, "branch", message).instead("stay on the branch of the pipeline");
    on(reason, command, invocation)
}

fn on(reason: Reason, command: &ParsedCommand, invocation: &Invocation) -> Reason {
    let argv = invocation.argv.iter().map(|word| globs::shown(&word.outline())).collect();
    reason.on(&*command.pointer).because(Evidence::Command { argv })
}

/// The start of an invocation, for messages.
fn shown(invocation: &Invocation) -> String {
    const LONGEST: usize = 120;
    let words: Vec<_> = invocation.argv.iter().map(|word| globs::shown(&word.outline())).collect();
    let text = words.join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
