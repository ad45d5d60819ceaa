//! Programs that a call starts, and which of them a rule forbids.

use hooks_core::Evidence;

use super::super::change::{Changes, Run, normal};
use super::super::lex::Lexed;
use super::super::pattern::{Pattern, is_piped};
use super::super::tables;
use super::files::Files;
use super::like::is_like;
use super::text::is_query;
use super::{Matcher, Violation};

/// Words with which a program only shows something.
pub(super) const SHOWING: &[&str] = &["--version", "-v", "-V", "version", "--help", "-h", "help"];

impl Matcher {
    pub(super) fn in_run(&self, run: &Run, changes: &Changes) -> Option<Violation> {
        if !self.runs_within(run, changes)
            || !self.with.iter().all(|wanted| {
                (wanted.starts_with('$') && !run.open.is_empty())
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
            && (run.words.len() == 1
                || run.words.iter().skip(1).any(|word| {
                    ["-l", "--list", "-n", "--contains", "--points-at", "--sort", "-v", "--verify"]
                        .iter()
                        .any(|option| word.starts_with(option))
                }));
        let shows =
            lists || !run.words.is_empty() && run.words.iter().all(|word| SHOWING.contains(&word.as_str()));
        let is_allowed = run.words.iter().any(|word| self.allowed_words.contains(word))
            || self.allowed_words.iter().any(|allowed| is_start(allowed, run));
        if shows || is_allowed {
            return None;
        }
        if let Some(violation) = self.in_query(run) {
            return Some(violation);
        }
        if let Some(image) = self.patterned_image(run) {
            return Some(Violation { message: format!("uses the image `{image}`"), evidence: evidence() });
        }
        let command = self.commands.iter().find(|command| command.is_run_by(run))?;
        Some(Violation { message: format!("runs `{}`", command.shown()), evidence: evidence() })
    }

    /// Judges the SQL that a client of a database runs.
    fn in_query(&self, run: &Run) -> Option<Violation> {
        let is_sql = self.languages.iter().any(|name| name == "sql");
        if !is_sql || !tables::is_query_client(&run.program) {
            return None;
        }
        let sql = tables::language_called("sql")?;
        let found = run.words.iter().filter(|word| is_query(word)).find_map(|word| {
            let lexed = Lexed::new(word, &sql);
            self.content.iter().find(|(_, pattern)| pattern.count(word, &lexed, &sql) > 0)
        });
        found.map(|(shown, _)| Violation::new(format!("runs `{shown}`"), shown))
    }

    /// Judges a shell that reads what another program prints.
    pub(super) fn in_pipe(&self, changes: &Changes) -> Option<Violation> {
        let piped = |pattern: &Pattern| match pattern {
            Pattern::Pipe(program) => {
                let mut lines = changes.unread.iter().flat_map(|text| text.lines());
                lines.any(|line| is_piped(program, line))
            }
            _ => false,
        };
        let (shown, _) =
            self.content.iter().filter(|_| self.within.is_none()).find(|(_, pattern)| piped(pattern))?;
        Some(Violation::new(format!("runs {}", super::text::described(shown)), shown))
    }

    fn runs_within(&self, run: &Run, changes: &Changes) -> bool {
        if !run.file.is_empty() {
            return self.covers(std::iter::once(run.file.as_str()), changes);
        }
        let places = places(run);
        let named = |names: &[String]| {
            run.words.iter().any(|word| {
                names
                    .iter()
                    .any(|name| name == word.trim_start_matches('@').rsplit('/').next().unwrap_or(word))
            })
        };
        let is_in = |files: &Files| {
            let fits = |place: &str| {
                files.is_match(place, changes) || files.is_match(&format!("{place}/x"), changes)
            };
            places.iter().any(|place| fits(place))
        };
        let is_of_language = || {
            let endings = tables::installer(&run.program).map(|installer| installer.files);
            endings.is_some_and(|endings| self.is_for_language(endings, changes))
        };
        let is_within = |within: &Files| is_in(within) || named(&self.within_names) || is_of_language();
        let within = self.within.as_ref().is_none_or(is_within);
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
