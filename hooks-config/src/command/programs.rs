//! Finds guards that call programs which are not installed.
//!
//! A script that goes on without `jq` and ends with status 0 lets every call go ahead, without a word.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use hooks_command::config::HandlerKind;
use hooks_command::process::{Processes, expand_variables};
use hooks_command::{Block, Handler, HookEvent, Lane, Profile};
use hooks_core::fs::Disk as _;
use hooks_facts::commands::{Analysis, Options};
use hooks_facts::shell::{Command, Script, Syntax, read};
use hooks_system::StdFileSystem;

use super::super::read::Config;
use super::super::words::join;
use super::{Handlers, KEY};

/// Maximum length in bytes of a script that is read.
const LONGEST: u64 = 256 << 10;
/// Maximum nesting of commands in which functions are searched.
const DEEPEST: usize = 64;

/// A guard that calls a program which is not installed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingProgram {
    /// Path of the hook in the configuration.
    pub hook: String,
    /// Name of the program.
    pub program: String,
}

impl fmt::Display for MissingProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hook, program } = self;
        write!(
            f,
            "the hook `{hook}` calls `{program}`, which is not installed: if it ends with status 0 all the same, it \
             lets everything through; install `{program}`"
        )
    }
}

impl Config {
    /// The guards whose commands call programs that are not installed on this machine. Scripts that a command
    /// names are read, too, if they are below the working directory or have an absolute path.
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// let config = Config::parse("
    /// version: 1
    /// hooks:
    ///   tool_guard:
    ///     - hooks: { type: command, command: no-such-program -r .tool_name | grep -q shell && exit 2; exit 0 }
    /// ", "hooks.yaml")?;
    /// let missing = config.missing_programs();
    /// assert_eq!(missing[0].hook, "hooks.tool_guard[0].hooks");
    /// assert_eq!(missing[0].program, "no-such-program");
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub fn missing_programs(&self) -> Vec<MissingProgram> {
        self.handlers_of_all().map(in_handlers).unwrap_or_default()
    }
}

fn in_handlers(handlers: &Handlers) -> Vec<MissingProgram> {
    let mut found = Vec::new();
    if handlers.by_agent.is_empty() {
        in_block(KEY, &handlers.others, &mut found);
    }
    for (agent, block) in &handlers.by_agent {
        in_block(&join(&join("agents", agent), KEY), block, &mut found);
    }
    found
}

fn in_block(path: &str, block: &Block, found: &mut Vec<MissingProgram>) {
    for (name, _) in block.counts() {
        let Some(event) = HookEvent::named(name) else { continue };
        let powers = event.powers(Profile::September, Lane::Ordinary);
        if !powers.blocks && !powers.guards {
            continue;
        }
        for handler in block.entries(event).iter().flat_map(|entry| &entry.handlers) {
            let place = if handler.place.is_empty() { event.name } else { handler.place.as_str() };
            for program in in_handler(handler) {
                let missing = MissingProgram { hook: join(path, place), program };
                // One of our names stands for several events.
                if !found.contains(&missing) {
                    found.push(missing);
                }
            }
        }
    }
}

/// The missing programs of a handler, by name.
fn in_handler(handler: &Handler) -> BTreeSet<String> {
    if handler.kind != HandlerKind::Command {
        return BTreeSet::new();
    }
    let variables = expand_variables(&handler.env, &Processes::default());
    let path = variables.get("PATH").map(OsString::from).or_else(|| env::var_os("PATH"));
    let folders: Vec<PathBuf> = path.iter().flat_map(env::split_paths).collect();
    let is_installed = |name: &str| folders.iter().any(|folder| is_program(&folder.join(name)));
    let folder = Path::new(&handler.working_dir);
    let mut missing = missing(&handler.command, &is_installed);
    for script in scripts(&handler.command) {
        let text = StdFileSystem.read(&folder.join(script), LONGEST).ok().flatten();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(text) = text.filter(|text| is_shell_script(text)) {
            missing.extend(self::missing(&text, &is_installed));
        }
    }
    missing
}

fn is_program(path: &Path) -> bool {
    path.is_file() || (cfg!(windows) && path.with_extension("exe").is_file())
}

fn is_shell_script(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    match first.strip_prefix("#!") {
        Some(interpreter) => ["sh", "bash", "dash", "zsh", "ksh"]
            .iter()
            .any(|shell| interpreter.split(['/', ' ']).any(|word| word.trim() == *shell)),
        // Without that line, the shell runs the file itself.
        None => !text.contains('\0'),
    }
}

/// The programs that a text calls, and that are not installed. A program whose presence the text checks
/// itself (`command -v jq`) is left out, and so is everything if the text changes the path of programs.
fn missing(text: &str, is_installed: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    let analysis = Analysis::of_text(text, &Options::default());
    let mut functions = BTreeSet::new();
    if let Ok(script) = read(text, Syntax::Bash)
        && changes_path(&script, DEEPEST, &mut functions)
    {
        return BTreeSet::new();
    }
    let mut checked = BTreeSet::new();
    let mut called = BTreeSet::new();
    for invocation in &analysis.invocations {
        let mut words = invocation.argv.iter().map(|word| word.literal());
        let Some(Some(program)) = words.next() else { continue };
        if CHECKS.contains(&program) {
            checked.extend(words.flatten().map(str::to_owned));
        }
        let is_name = !program.is_empty() && !program.contains(['/', '\\', '=', '*', '?', '[', ' ']);
        if is_name && !is_builtin(program) {
            called.insert(program.to_owned());
        }
    }
    called.retain(|name| !checked.contains(name) && !functions.contains(name) && !is_installed(name));
    called
}

/// The files that a text runs: `./guard.sh`, `sh guard.sh`.
fn scripts(text: &str) -> BTreeSet<String> {
    let analysis = Analysis::of_text(text, &Options::default());
    let files = analysis.invocations.iter().filter_map(|invocation| {
        let mut words = invocation.argv.iter().map(|word| word.literal());
        let program = words.next()??;
        if program.contains('/') && !program.starts_with("/bin/") && !program.starts_with("/usr/") {
            return Some(program.to_owned());
        }
        let is_shell = matches!(program.rsplit('/').next(), Some("sh" | "bash" | "dash" | "zsh" | "ksh"));
        let first = words.flatten().find(|word| !word.starts_with('-'))?;
        (is_shell || matches!(program, "." | "source")).then(|| first.to_owned())
    });
    files.collect()
}

/// Collects the functions that a script defines. Returns whether it sets `PATH`.
fn changes_path(script: &Script, depth: usize, functions: &mut BTreeSet<String>) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let stages = script.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
    stages.fold(false, |changes, stage| changes | in_command(stage, depth, functions))
}

fn in_command(command: &Command, depth: usize, functions: &mut BTreeSet<String>) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match command {
        Command::Simple(simple) => simple.assignments.iter().any(|assignment| assignment.name == "PATH"),
        Command::Compound(compound) => {
            compound.bodies.iter().fold(false, |changes, body| changes | changes_path(body, depth, functions))
        }
        Command::Function(function) => {
            functions.insert(function.name.clone());
            in_command(&function.body, depth, functions)
        }
        _ => false,
    }
}

/// Commands that check whether a program exists.
const CHECKS: [&str; 4] = ["command", "type", "which", "hash"];

/// Whether a shell has the command itself.
fn is_builtin(command: &str) -> bool {
    let lines = include_str!("../../data/shell_builtins.txt").lines();
    lines.skip_while(|line| line.starts_with("# ")).any(|line| line == command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        missing(text, &|name| ["grep", "cat", "sh", "which"].contains(&name)).into_iter().collect()
    }

    #[test]
    fn programs_that_are_not_there() {
        for (text, wanted) in [
            ("jq -r .tool_input.cmd | grep -q rm && exit 2; exit 0", &["jq"][..]),
            ("cmd=$(jq -r .tool_input.cmd); case $cmd in rm*) exit 2;; esac", &["jq"]),
            ("if cat | jq -e '.tool_name == \"shell\"' >/dev/null 2>&1; then exit 2; fi", &["jq"]),
            ("sh -c 'jq . | python3 -m json.tool' || true", &["jq", "python3"]),
            ("check() { jq .; }; check", &["jq"]),
            ("command -v jq >/dev/null || exit 2; jq .", &[]),
            ("which jq || { echo 'no jq' >&2; exit 2; }; jq .", &[]),
            ("PATH=/opt/tools:$PATH; jq .", &[]),
            ("cat | grep -q x && { echo no >&2; exit 2; }", &[]),
            ("$TOOL x; ./guard.sh; /opt/x/guard", &[]),
            ("read -r line; printf '%s' \"$line\"; [ -n \"$line\" ]; test -f x; set -e", &[]),
            ("if", &[]),
        ] {
            assert_eq!(found(text), wanted, "{text}");
        }
    }

    #[test]
    fn the_list_of_builtins_is_in_order_and_none_of_them_is_missing() {
        let listed: Vec<&str> = include_str!("../../data/shell_builtins.txt").lines().skip(2).collect();
        assert!(listed.is_sorted_by(|one, next| one < next), "{listed:?}");
        for builtin in listed {
            assert!(!found(&format!("{builtin} x; cat")).iter().any(|name| name == builtin), "{builtin}");
        }
        assert!(!is_builtin("jq") && !is_builtin("# Commands"));
    }

    #[test]
    fn scripts_that_a_command_runs() {
        for (text, wanted) in [
            ("./guards/a.sh --x", &["./guards/a.sh"][..]),
            ("bash -eu guard.sh", &["guard.sh"]),
            ("jq . | sh ./b.sh && . lib.sh", &["./b.sh", "lib.sh"]),
            ("grep x", &[]),
        ] {
            assert_eq!(scripts(text).into_iter().collect::<Vec<_>>(), wanted, "{text}");
        }
        assert!(
            is_shell_script("#!/usr/bin/env bash\nx")
                && is_shell_script("x")
                && is_shell_script("#!/bin/sh\n")
        );
        assert!(!is_shell_script("#!/usr/bin/env python3\n") && !is_shell_script("\u{0}ELF"));
    }

    #[test]
    fn only_guards_and_their_scripts_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("guard.sh");
        std::fs::write(&script, "#!/bin/sh\nno-such-program-1 . | grep -q rm && exit 2\nexit 0\n").unwrap();
        let text = format!(
            "agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - hooks:\n            - {{ type: command, command: {} }}\n      \
             stop: {{ type: command, command: no-such-program-2 }}\n",
            script.display()
        );
        let missing = Config::parse(&text, "agent.yaml").unwrap().missing_programs();
        let [missing] = &missing[..] else { panic!("{missing:?}") };
        assert_eq!(missing.hook, "agents.root.hooks.pre_tool_use[0].hooks[0]");
        assert_eq!(missing.program, "no-such-program-1");
    }
}
