//! Programs that start the program named in their words, and the words before that name.

use super::argument::Argument;

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

const fn plain(short: &'static str, long: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { short, long, operands, assignments: false }
}

/// Returns the wrapper with this name.
pub(super) fn wrapper(name: &str) -> Option<Wrapper> {
    let wrapper = match name {
        "env" => Wrapper { short: "uCa", long: &["unset", "chdir", "argv0"], operands: 0, assignments: true },
        "sudo" | "doas" => Wrapper {
            short: "ughpCrtTUDRa",
            long: &[
                "user",
                "group",
                "host",
                "prompt",
                "close-from",
                "role",
                "type",
                "chdir",
                "chroot",
                "command-timeout",
                "other-user",
            ],
            operands: 0,
            assignments: true,
        },
        "timeout" => plain("sk", &["signal", "kill-after"], 1),
        "nice" => plain("n", &["adjustment"], 0),
        "ionice" => plain("cnp", &["class", "classdata"], 0),
        "chrt" => plain("TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1),
        "taskset" => plain("", &[], 1),
        "stdbuf" => plain("ioe", &["input", "output", "error"], 0),
        "time" => plain("fo", &["format", "output"], 0),
        "exec" => plain("a", &[], 0),
        "strace" | "ltrace" => plain("eopsSuEaIPUX", &["trace", "output", "attach", "user"], 0),
        "chroot" => plain("", &["userspec", "groups"], 1),
        "gosu" | "su-exec" => plain("", &[], 1),
        "unshare" | "nsenter" => plain("tSGRw", &["target", "setuid", "setgid", "root", "wd"], 0),
        "setpriv" => plain(
            "",
            &["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits"],
            0,
        ),
        "systemd-run" => plain(
            "pEMHt",
            &["unit", "property", "description", "slice", "uid", "gid", "setenv", "machine", "host"],
            0,
        ),
        "prlimit" | "cpulimit" => plain("lpe", &["limit", "pid", "exe"], 0),
        "faketime" => plain("f", &[], 1),
        "firejail" | "bwrap" | "proot" => {
            plain("", &["bind", "ro-bind", "dev", "proc", "tmpfs", "chdir", "setenv"], 0)
        }
        "xvfb-run" => plain("nsef", &["server-num", "server-args", "error-file", "auth-file"], 0),
        "dbus-run-session" => plain("", &["config-file", "dbus-daemon"], 0),
        "command" | "builtin" | "nohup" | "setsid" | "busybox" | "toybox" | "unbuffer" | "caffeinate"
        | "torsocks" | "proxychains" | "proxychains4" | "rlwrap" | "ccache" | "distcc" | "sccache"
        | "noglob" | "nocorrect" | "eatmydata" | "fakeroot" | "choom" | "entr" | "chpst" | "softlimit"
        | "ld.so" | "winpty" | "then" | "not" => plain("", &[], 0),
        "direnv" | "dotenv" => plain("", &[], 2),
        "pkexec" => plain("u", &["user"], 0),
        "envdir" | "setlock" => plain("", &[], 1),
        _ => return None,
    };
    Some(wrapper)
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

/// Returns the folder that a wrapper's options set for the program.
pub(super) fn folder(name: &str, options: &[Argument]) -> Option<Argument> {
    let (short, long): (&str, &str) = match name {
        "env" => ("-C", "--chdir"),
        "sudo" => ("-D", "--chdir"),
        "bwrap" | "firejail" => ("--chdir", "--chdir"),
        "nsenter" => ("-w", "--wd"),
        _ => return None,
    };
    let letter = short.trim_start_matches('-');
    options.iter().enumerate().rev().find_map(|(at, word)| {
        let text = word.prefix();
        let next = || Some(options.get(at + 1).cloned().unwrap_or_else(Argument::unknown));
        if let Some(name) = text.strip_prefix("--").filter(|name| !name.is_empty()) {
            let (name, attached) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
            let is_meant = long.trim_start_matches('-').starts_with(name);
            return match attached {
                true if is_meant => word.strip_prefix(&format!("--{name}=")),
                false if is_meant => next(),
                _ => None,
            };
        }
        let bundle = text.strip_prefix('-')?;
        let (before, attached) = bundle.split_once(letter)?;
        if attached.is_empty() && word.literal().is_some() {
            next()
        } else {
            word.strip_prefix(&format!("-{before}{letter}"))
        }
    })
}

/// Returns whether a program has the form `PROGRAM run WORDS` and starts its words.
pub(super) fn is_runner(name: &str, subcommand: &str) -> bool {
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
                | "doppler",
            "run"
        ) | ("bundle" | "mise" | "asdf" | "rbenv" | "pyenv" | "rtx" | "npm" | "pnpm" | "yarn", "exec" | "x")
    )
}

/// Variables that name the folder of the user's settings, of all programs or of an agent client.
pub(super) const SETTINGS_VARIABLES: &[&str] = &[
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "HOME",
    "HOOKS_CONFIG",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
];

/// Variables whose value some program runs as a command.
pub(super) const COMMAND_VARIABLES: &[&str] = &[
    "PAGER",
    "GIT_PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "PROMPT_COMMAND",
    "RUSTC_WRAPPER",
    "CC",
    "CXX",
];
