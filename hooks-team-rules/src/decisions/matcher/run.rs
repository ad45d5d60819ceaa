//! Programs that a call starts, and which of them a rule forbids.

use hooks_core::Evidence;
use hooks_facts::globs::Globs;

use super::super::change::{Run, normal};
use super::like::is_like;
use super::{Matcher, Violation};

/// Words with which a program only shows something.
pub(super) const SHOWING: &[&str] = &["--version", "-v", "-V", "version", "--help", "-h", "help"];

impl Matcher {
    pub(super) fn in_run(&self, run: &Run) -> Option<Violation> {
        if !self.runs_within(run)
            || !self.with.iter().all(|wanted| {
                (wanted.starts_with('$') && run.has_gaps)
                    || run.words.iter().any(|word| is_like(wanted, word.rsplit('=').next().unwrap_or(word)))
            })
        {
            return None;
        }
        let evidence = || {
            let argv = std::iter::once(&run.program).chain(&run.words).cloned().collect();
            Some(Evidence::Command { argv })
        };
        if let Some(name) = self.installed(run) {
            return Some(Violation { message: format!("installs `{name}`"), evidence: evidence() });
        }
        let lists = run.program == "git"
            && run.words.first().is_some_and(|word| word == "tag")
            && run.words.iter().skip(1).all(|word| {
                ["-l", "--list", "-n", "--contains", "--points-at", "--sort", "-v", "--verify"]
                    .iter()
                    .any(|option| word.starts_with(option))
            });
        let shows =
            lists || !run.words.is_empty() && run.words.iter().all(|word| SHOWING.contains(&word.as_str()));
        let is_allowed = run.words.iter().any(|word| self.allowed_words.contains(word))
            || self.allowed_words.iter().any(|allowed| is_start(allowed, run));
        if shows || is_allowed {
            return None;
        }
        let command = self.commands.iter().find(|command| command.is_run_by(run))?;
        Some(Violation { message: format!("runs `{}`", command.shown()), evidence: evidence() })
    }

    pub(super) fn runs_within(&self, run: &Run) -> bool {
        if !run.file.is_empty() {
            return self.covers(std::iter::once(run.file.as_str()));
        }
        let places = places(run);
        let named = |names: &[String]| {
            run.words.iter().any(|word| {
                names
                    .iter()
                    .any(|name| name == word.trim_start_matches('@').rsplit('/').next().unwrap_or(word))
            })
        };
        let is_in = |globs: &Globs| {
            places.iter().any(|place| globs.is_match(place) || globs.is_match(&format!("{place}/x")))
        };
        let within = self.within.as_ref().is_none_or(|within| is_in(within) || named(&self.within_names));
        within && !is_in(&self.except) && !named(&self.except_names)
    }
}

/// Returns the folders and files that a program's words name.
pub(super) fn places(run: &Run) -> Vec<String> {
    let words = run.words.iter().filter(|word| word.contains('/') && !word.contains("://")).map(|word| {
        let value = word.rsplit_once('=').map_or(word.as_str(), |(_, value)| value);
        normal(value)
    });
    let valued = run.words.windows(2).filter_map(|pair| match pair {
        [option, value]
            if [
                "-C",
                "--cwd",
                "--prefix",
                "--dir",
                "-w",
                "--workspace",
                "--filter",
                "-F",
                "-p",
                "--package",
                "--project",
                "--directory",
            ]
            .contains(&option.as_str()) =>
        {
            Some(normal(value))
        }
        _ => None,
    });
    words.chain(valued).chain(run.folders.iter().cloned()).collect()
}

pub(super) fn is_start(allowed: &str, run: &Run) -> bool {
    let mut wanted = allowed.split_whitespace();
    wanted.next() == Some(run.program.as_str())
        && allowed.contains(' ')
        && wanted.zip(run.words.iter()).all(|(wanted, word)| wanted == word)
}
