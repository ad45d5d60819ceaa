//! Programs that start the program named in their words, and the words before that name.

use super::argument::Argument;
use super::run::operands_from;

/// Words before the program that a wrapper starts.
pub(super) struct Wrapper {
    /// Short options that take the next word.
    pub(super) short: &'static str,
    /// Long options that take the next word.
    pub(super) long: &'static [&'static str],
    /// Number of operands before the program.
    pub(super) operands: usize,
    /// Whether `NAME=value` may precede the program.
    pub(super) assignments: bool,
}

/// Returns the wrapper with this name.
pub(super) fn wrapper(name: &str) -> Option<Wrapper> {
    include!(concat!(env!("OUT_DIR"), "/wrappers.rs"))
}

/// Returns whether a wrapper without a program starts a shell, which reads its commands from the input.
pub(super) fn starts_shell(name: &str, options: &[Argument]) -> bool {
    let asks = |word: &Argument| {
        let bundle = word.prefix().strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
        bundle.is_some_and(|bundle| bundle.contains(['s', 'i']))
            || matches!(word.prefix(), "--shell" | "--login")
    };
    match name {
        "sudo" | "doas" => options.iter().any(asks),
        "chroot" | "unshare" | "nsenter" | "pkexec" | "fakeroot" => true,
        _ => false,
    }
}

/// Returns the folder in which a program starts another one, if its options set it.
pub(super) fn folder(name: &str, options: &[Argument]) -> Option<Argument> {
    let (letter, long): (&str, &[&str]) = match name {
        "env" => ("C", &["chdir"]),
        "sudo" => ("D", &["chdir"]),
        "bwrap" | "firejail" => ("", &["chdir"]),
        "nsenter" => ("w", &["wd"]),
        "make" | "gmake" | "bmake" | "remake" => ("C", &["directory"]),
        "tmux" => ("c", &[]),
        "parallel" => ("", &["wd", "workdir"]),
        "systemd-run" => ("", &["working-directory"]),
        "wezterm" | "zellij" | "ghostty" | "rio" => ("", &["cwd", "working-directory"]),
        "gnome-terminal" | "mate-terminal" | "xfce4-terminal" | "tilix" | "konsole" | "alacritty" | "kgx"
        | "ptyxis" => ("", &["working-directory", "workdir"]),
        "wsl" => ("", &["cd"]),
        _ => return None,
    };
    options.iter().enumerate().rev().find_map(|(at, word)| {
        let text = word.prefix();
        let next = || Some(options.get(at + 1).cloned().unwrap_or_else(Argument::unknown));
        if let Some(name) = text.strip_prefix("--").filter(|name| !name.is_empty()) {
            let (name, attached) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
            let is_meant = long.iter().any(|long| long.starts_with(name));
            return match attached {
                true if is_meant => word.strip_prefix(&format!("--{name}=")),
                false if is_meant => next(),
                _ => None,
            };
        }
        let bundle = text.strip_prefix('-').filter(|_| !letter.is_empty())?;
        let (before, attached) = bundle.split_once(letter)?;
        if attached.is_empty() && word.literal().is_some() {
            next()
        } else {
            word.strip_prefix(&format!("-{before}{letter}"))
        }
    })
}

/// Returns whether a program has the form `PROGRAM run WORDS` and starts its words.
fn is_runner(name: &str, subcommand: &str) -> bool {
    matches!(
        (name, subcommand),
        (
            "uv" | "poetry"
                | "pipenv"
                | "rye"
                | "pdm"
                | "hatch"
                | "conda"
                | "micromamba"
                | "mamba"
                | "doppler"
                | "pipx",
            "run"
        ) | (
            "bundle" | "mise" | "asdf" | "rbenv" | "pyenv" | "rtx" | "bun" | "npm" | "pnpm" | "yarn",
            "exec" | "x"
        ) | ("pnpm" | "yarn", "dlx")
    )
}

/// Returns the place of the subcommand with which a program runs the program of a package.
pub(super) fn runner_at(name: &str, words: &[Argument]) -> Option<usize> {
    let at = words.iter().position(|word| !word.prefix().starts_with('-'))?;
    is_runner(name, words.get(at)?.literal()?).then_some(at)
}

/// Programs that run the program of a package: `npx vercel@latest --prod`.
pub(super) const PACKAGE_RUNNERS: &[&str] = &["bunx", "npx", "pnpx", "uvx"];

/// Returns the words of the program that `npx`, `uv run` and the like start; `None` if the program is not such a runner.
pub(super) fn started<'w>(name: &str, words: &'w [Argument]) -> Option<&'w [Argument]> {
    if PACKAGE_RUNNERS.contains(&name) {
        return Some(operands_from(
            words,
            "pc",
            &["package", "call", "from", "with", "python", "env-file"],
            0,
        ));
    }
    let at = runner_at(name, words)?;
    let values = ["package", "name", "prefix", "with", "python", "env-file", "extra", "group"];
    Some(operands_from(words.get(at + 1..).unwrap_or_default(), "npCE", &values, 0))
}

/// Returns the words of a program that is named by its package, without the version of the package.
pub(super) fn without_version(argv: &[Argument]) -> Vec<Argument> {
    let Some((program, words)) = argv.split_first() else { return Vec::new() };
    let name = program.literal().and_then(|name| name.rsplit_once('@')).map(|(name, _)| name);
    let name = name.filter(|name| !name.is_empty() && !name.ends_with('/'));
    let program = name.map_or_else(|| program.clone(), Argument::from);
    std::iter::once(program).chain(words.iter().cloned()).collect()
}

/// Variables whose value some program runs as a command.
pub(super) const COMMAND_VARIABLES: &[&str] = table!("variables_commands");
