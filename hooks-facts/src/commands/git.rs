//! Programs that git starts: aliases, hooks given on the command line, and commands for each commit or
//! module.

use super::argument::Argument;
use super::run::operands_from;
use super::walk::{Variable, Walk};
use crate::shell::Span;

/// Global options that take the next word.
const GLOBAL_SHORT: &str = "Cc";
const GLOBAL_LONG: &[&str] =
    &["git-dir", "work-tree", "namespace", "super-prefix", "config-env", "exec-path", "attr-source"];

/// Returns the words from the subcommand on.
pub(super) fn subcommand(words: &[Argument]) -> &[Argument] {
    operands_from(words, GLOBAL_SHORT, GLOBAL_LONG, 0)
}

/// Returns the words before the subcommand, and those from it on.
pub(super) fn split(words: &[Argument]) -> (&[Argument], &[Argument]) {
    let rest = subcommand(words);
    (words.get(..words.len() - rest.len()).unwrap_or_default(), rest)
}

/// Settings for one run that start no program and change no other folder; a dot at the end stands for all
/// settings below.
const HARMLESS: &[&str] = table!("program_words_git_settings");

/// Returns whether the settings before the subcommand start no program.
pub(super) fn are_harmless(words: &[Argument]) -> bool {
    let (globals, _) = split(words);
    globals.iter().enumerate().all(|(at, word)| {
        let option = word.prefix();
        if option.starts_with("--exec-path=") || option.starts_with("--config-env") {
            return false;
        }
        let Some(attached) = word.strip_prefix("-c") else { return true };
        let setting = if attached.len() > 0 { Some(&attached) } else { globals.get(at + 1) };
        setting.is_none_or(|setting| {
            let (key, value) = setting.prefix().split_once('=').unwrap_or((setting.prefix(), ""));
            let key = key.to_lowercase();
            let is_pager = key == "core.pager" && setting.literal().is_some();
            let is_in = |name: &str| key == name || (name.ends_with('.') && key.starts_with(name));
            HARMLESS.iter().any(|name| is_in(name)) || is_pager && matches!(value, "" | "cat" | "less")
        })
    })
}

pub(super) fn run(walk: &mut Walk, words: &[Argument], span: Span) {
    let rest = subcommand(words);
    let globals = words.get(..words.len() - rest.len()).unwrap_or_default();
    let Some((command, arguments)) = rest.split_first() else { return };
    let name = command.prefix();
    let is_computed = command.literal().is_none();
    let mut settings: Vec<Argument> = Vec::new();
    for (at, word) in globals.iter().enumerate() {
        match word.strip_prefix("-c") {
            Some(setting) if setting.len() > 0 => settings.push(setting),
            Some(_) => settings.extend(globals.get(at + 1).cloned()),
            None => {}
        }
    }
    let plain: Vec<_> = arguments.iter().filter(|word| !word.prefix().starts_with('-')).collect::<Vec<_>>();
    if let ("config", [key, value] | [_, key, value]) = (name, plain.as_slice()) {
        let setting = walk.joined(&[(*key).clone(), (*value).clone()], "=");
        // An alias that is only set runs nothing; a later `git` that uses it does.
        match (key.prefix().to_lowercase().strip_prefix("alias."), value.literal()) {
            (Some(alias), Some(value)) => {
                walk.git_aliases.insert(alias.to_owned(), value.to_owned());
            }
            _ => settings.push(setting),
        }
        if let (Some(key), Some(value)) = (key.literal(), value.literal()) {
            walk.keeps_git_setting(arguments, key, value);
        }
    }
    let mut hooks_folder = None;
    for (key, value) in walk.git_settings(span) {
        if key == "core.hookspath" {
            hooks_folder = Some(value);
        } else if let Some(alias) = key.strip_prefix("alias.") {
            walk.git_aliases.insert(alias.to_owned(), value);
        } else if runs_its_value(&key) {
            settings.push(Argument::Literal(format!("{key}={value}")));
        }
    }
    for setting in settings_of_environment(walk) {
        // It is the same as with `-c`, and rules are written for that.
        let same = [&["git".into(), "-c".into(), setting.clone()], rest].concat();
        walk.invoke(&same, span);
        settings.push(setting);
    }
    for setting in settings {
        let text = setting.as_shell_text();
        let Some((key, value)) = text.split_once('=') else { continue };
        let key = key.to_lowercase();
        if key == "core.hookspath" {
            hooks_folder = Some(value.to_owned());
        }
        if let Some(alias) = key.strip_prefix("alias.") {
            walk.git_aliases.insert(alias.to_owned(), value.to_owned());
            // A command that is computed may be the alias.
            if let Some(shell) = value.strip_prefix('!').filter(|_| is_computed) {
                walk.maybe_text(shell, span);
            }
        } else if runs_its_value(&key) {
            walk.maybe_text(value.trim_start_matches('!'), span);
        }
    }
    // An alias may name another one; git follows each once.
    if let Some(alias) = walk.git_aliases.remove(&name.to_lowercase()) {
        let rest = walk.joined(arguments, " ").as_shell_text();
        let text = match alias.strip_prefix('!') {
            Some(shell) => format!("{shell} {rest}"),
            None => format!("git {alias} {rest}"),
        };
        walk.text(&text, &walk.inherited_input(), span);
        walk.git_aliases.insert(name.to_lowercase(), alias);
        return;
    }
    walk.git_hooks(name, arguments, hooks_folder.as_deref(), span);
    match name {
        "bisect" if arguments.first().is_some_and(|word| word.prefix() == "run") => {
            walk.run_some(arguments.get(1..).unwrap_or_default(), &walk.inherited_input(), span);
        }
        "for-each-repo" => {
            let rest = operands_from(arguments, "", &["config"], 0);
            let argv: Vec<_> = std::iter::once("git".into()).chain(rest.iter().cloned()).collect();
            walk.run(&argv, &walk.inherited_input(), span);
        }
        "submodule" if arguments.iter().any(|word| word.prefix() == "foreach") => {
            let at = arguments.iter().position(|word| word.prefix() == "foreach").unwrap_or(0);
            let rest = operands_from(arguments.get(at + 1..).unwrap_or_default(), "", &[], 0);
            let text = walk.joined(rest, " ");
            walk.text(&text.as_shell_text(), &walk.inherited_input(), span);
        }
        _ => options(walk, name, arguments, span),
    }
}

/// Returns the settings in `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0` and so on.
fn settings_of_environment(walk: &Walk) -> Vec<Argument> {
    let text = |name: String| match walk.variables.get(&name) {
        Some(Variable::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let pair = |number: usize| {
        let key = text(format!("GIT_CONFIG_KEY_{number}"))?;
        let value = text(format!("GIT_CONFIG_VALUE_{number}")).unwrap_or_else(Argument::unknown);
        Some(walk.joined(&[key, value], "="))
    };
    (0..walk.variables.len()).map_while(pair).collect()
}

/// Handles options of subcommands that contain a command.
fn options(walk: &mut Walk, name: &str, arguments: &[Argument], span: Span) {
    for (at, word) in arguments.iter().enumerate() {
        let is_filter =
            name == "filter-branch" && word.prefix().starts_with("--") && word.prefix().contains("-filter");
        let is_command = is_filter
            || match name {
                "rebase" => matches!(word.prefix(), "-x" | "--exec"),
                "difftool" | "mergetool" => matches!(word.prefix(), "-x" | "--extcmd"),
                "push" | "fetch" | "pull" | "clone" | "ls-remote" | "fetch-pack" | "send-pack" => {
                    matches!(word.prefix(), "--upload-pack" | "--receive-pack" | "--exec" | "-u")
                        && name != "push"
                        || matches!(word.prefix(), "--receive-pack" | "--exec")
                }
                "grep" => matches!(word.prefix(), "-O" | "--open-files-in-pager"),
                _ => false,
            };
        let attached = [
            "--exec=",
            "--extcmd=",
            "--upload-pack=",
            "--receive-pack=",
            "--open-files-in-pager=",
            "-x",
            "-O",
        ]
        .into_iter()
        .filter(|start| *start != "-O" || name == "grep")
        .find_map(|start| word.strip_prefix(start))
        .filter(|text| text.len() > 0 && !matches!(name, "clean" | "commit" | "cherry-pick" | "add"));
        let text = attached.or_else(|| arguments.get(at + 1).filter(|_| is_command).cloned());
        if let Some(text) = text {
            walk.maybe_started(&text.as_shell_text(), span);
        }
    }
}

/// Returns whether git runs the value of a setting as a command.
fn runs_its_value(key: &str) -> bool {
    matches!(
        key,
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.askpass"
            | "sequence.editor"
            | "diff.external"
            | "credential.helper"
            | "gpg.program"
            | "web.browser"
            | "uploadpack.packobjectshook"
    ) || key.starts_with("pager.")
        || key.starts_with("filter.")
        || (key.starts_with("difftool.") || key.starts_with("mergetool.") || key.starts_with("browser."))
            && key.ends_with(".cmd")
        || (key.starts_with("diff.") && (key.ends_with(".command") || key.ends_with(".textconv")))
        || (key.starts_with("merge.") && key.ends_with(".driver"))
}
