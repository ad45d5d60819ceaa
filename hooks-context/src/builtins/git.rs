//! Runs git read-only: with limits on time and output, and without a pager, hooks, prompts, or other programs
//! that a configuration could start.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_core::programs::{Finished, Program};

use super::world::World;

/// Settings that start programs, switched off for every call.
const SETTINGS: [(&str, &str); 14] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.alternateRefsCommand", "false"),
    ("core.quotePath", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("log.showSignature", "false"),
    ("color.ui", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
];

/// A git command with its folder, settings and limits.
pub(super) struct Git<'a> {
    world: &'a World,
    directory: PathBuf,
    settings: Vec<(String, OsString)>,
    variables: Vec<(String, OsString)>,
    limit: usize,
    patience: Duration,
}

impl<'a> Git<'a> {
    /// Runs git in `directory`, with the limits for short commands.
    pub(super) fn new(world: &'a World, directory: &Path) -> Self {
        Self {
            world,
            directory: directory.to_path_buf(),
            settings: Vec::new(),
            variables: Vec::new(),
            limit: 1 << 20,
            patience: Duration::from_secs(5),
        }
    }

    /// Sets the limits of output and time.
    pub(super) fn within(mut self, limit: usize, patience: Duration) -> Self {
        (self.limit, self.patience) = (limit, patience);
        self
    }

    /// Sets an environment variable.
    pub(super) fn with(mut self, variable: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((variable.to_owned(), value.into()));
        self
    }

    /// Sets a git setting.
    pub(super) fn set(mut self, setting: &str, value: impl Into<OsString>) -> Self {
        self.settings.push((setting.to_owned(), value.into()));
        self
    }

    /// Switches off the filters of the repository's own configuration, which are programs.
    pub(super) fn without_filters(mut self) -> Self {
        let names = self.run(["config", "-z", "--name-only", "--get-regexp", r"^filter\..*\."]);
        let names = names.filter(|found| found.code == Some(0)).map(|found| found.output).unwrap_or_default();
        let mut drivers: Vec<_> = names
            .split(|byte| *byte == 0)
            .filter_map(|name| std::str::from_utf8(name).ok())
            .filter_map(|name| name.strip_prefix("filter.")?.rsplit_once('.').map(|(driver, _)| driver))
            .collect();
        drivers.dedup();
        for driver in drivers {
            for (part, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                self.settings.push((format!("filter.{driver}.{part}"), value.into()));
            }
        }
        self
    }

    /// Runs git with `arguments`; returns `None` if git cannot be started or takes too long.
    pub(super) fn run<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Option<Finished> {
        let mut program = Program::new("git", self.directory.clone(), self.limit, self.patience);
        program.arguments.push("--no-pager".into());
        program.arguments.extend(arguments.into_iter().map(Into::into));
        program.variables = self.environment();
        self.world.programs.run(&program).ok()
    }

    /// Returns the output of git without trailing white space, or `None` if git fails. Output that was cut at
    /// the limit counts as success.
    pub(super) fn text<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Option<String> {
        let finished = self.run(arguments)?;
        if finished.code != Some(0) && !finished.is_cut {
            return None;
        }
        Some(String::from_utf8_lossy(&finished.output).trim_end().to_owned())
    }

    fn environment(&self) -> Vec<(String, OsString)> {
        let fixed = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_PAGER", "cat"),
            ("GIT_EDITOR", "false"),
            ("LC_ALL", "C"),
        ];
        let mut variables: Vec<_> =
            fixed.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        // In the environment a setting may have any name; on the command line, `=` would end the name.
        let settings = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
        let settings: Vec<(String, OsString)> = settings.chain(self.settings.iter().cloned()).collect();
        variables.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string().into()));
        for (at, (name, value)) in settings.into_iter().enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{at}"), name.into()));
            variables.push((format!("GIT_CONFIG_VALUE_{at}"), value));
        }
        variables.extend(self.variables.iter().cloned());
        variables
    }
}
