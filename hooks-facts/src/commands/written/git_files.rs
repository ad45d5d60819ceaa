//! Git's own files: hooks that a subcommand triggers, and settings with aliases and commands.

use super::super::argument::Argument;
use super::super::walk::{Stream, Walk};
use super::tasks;
use crate::shell::Span;

/// Subcommands with the hooks that they trigger.
const TRIGGERS: &[(&str, &[&str])] = table!("runner_groups_git_hooks");

/// Files with git's settings.
const SETTINGS: &[&str] =
    &[".git/config", "~/.gitconfig", "~/.config/git/config", ".git/config.worktree", ".gitmodules"];

/// Folders with hooks of tools that set git's own folder.
const FOLDERS: &[&str] = &[".git/hooks", ".husky", ".husky/_", "~/.config/git/hooks"];

/// Files of tools that start hooks, with the place of the commands.
const TOOLS: &[(&str, &str)] = &[
    ("lefthook.yml", ""),
    ("lefthook.yaml", ""),
    (".lefthook.yml", ""),
    (".pre-commit-config.yaml", "repos.hooks*"),
    (".overcommit.yml", ""),
];

impl Walk {
    /// Returns the settings in the files that the command or the session wrote.
    pub(in super::super) fn git_settings(&mut self, span: Span) -> Vec<(String, String)> {
        if !self.follows_files() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for file in SETTINGS {
            if let Some(text) = self.written_text(file, span) {
                found.extend(settings_in(&text));
            }
        }
        found
    }

    /// Writes a setting as `git config` does.
    pub(in super::super) fn keeps_git_setting(&mut self, arguments: &[Argument], key: &str, value: &str) {
        let given = |long: &str| arguments.iter().any(|word| word.literal() == Some(long));
        let file = if given("--global") { "~/.gitconfig" } else { ".git/config" };
        let Some((section, name)) = key.rsplit_once('.') else { return };
        let section = match section.split_once('.') {
            Some((section, sub)) => format!("[{section} \"{sub}\"]"),
            None => format!("[{section}]"),
        };
        let text = format!("{section}\n\t{name} = {value}\n");
        self.appends(&Argument::from(file), &Stream::from_text(text));
    }

    /// Runs the hooks that a subcommand triggers.
    pub(in super::super) fn git_hooks(
        &mut self,
        subcommand: &str,
        arguments: &[Argument],
        folder: Option<&str>,
        span: Span,
    ) {
        if !self.follows_files() {
            return;
        }
        let Some((_, hooks)) = TRIGGERS.iter().find(|(name, _)| *name == subcommand) else { return };
        let given = |wanted: &[&str]| {
            arguments.iter().filter_map(Argument::literal).any(|word| wanted.contains(&word))
        };
        let skips = match subcommand {
            "commit" => given(&["--no-verify", "-n", "-nm"]),
            "push" | "merge" | "rebase" | "am" => given(&["--no-verify"]),
            _ => false,
        };
        for hook in *hooks {
            if skips
                && matches!(
                    *hook,
                    "pre-commit" | "commit-msg" | "pre-push" | "pre-merge-commit" | "pre-rebase"
                )
            {
                continue;
            }
            for place in FOLDERS.iter().copied().chain(folder) {
                let path = format!("{}/{hook}", place.trim_end_matches('/'));
                let path = if path.starts_with(['/', '~', '.']) { path } else { format!("./{path}") };
                if self.written(&path).is_some() && self.loaded.insert(format!("hook:{path}")) {
                    self.own_program(&Argument::from(&*path), &[], &self.inherited_input(), span);
                    self.loaded.remove(&format!("hook:{path}"));
                }
            }
            for (file, place) in TOOLS {
                if let Some(text) = self.written_text(file, span) {
                    tasks::run(self, file, &text, place, &[(*hook).into()], span);
                }
            }
        }
    }
}

/// Returns the settings of a file, each with its full name in lower case.
fn settings_in(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut section = String::new();
    for line in text.replace("\\\n", "").lines().map(str::trim) {
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some((name, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section = name.replace(" \"", ".").replace('"', "");
            continue;
        }
        if let Some((key, value)) = line.split_once('=') {
            let value = value.trim();
            let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
            let value = quoted.map_or_else(
                || value.to_owned(),
                |quoted| quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
            );
            found.push((format!("{section}.{}", key.trim()).to_lowercase(), value));
        }
    }
    found
}
