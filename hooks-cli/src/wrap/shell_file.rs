//! The file that Claude Code starts in place of the user's shell.
//!
//! If it is missing, Claude Code starts the usual shell without a word. So `hooks doctor` and `hooks run` check it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use hooks::config::places::Places;

use crate::failure::Failure;
use crate::init::command;
use crate::private::digest;

/// Variable in the settings of Claude Code that names its shell.
pub(crate) const VARIABLE: &str = "CLAUDE_CODE_SHELL";

/// The folder for the settings of the machine.
pub(crate) const OF_MACHINE: &str = "/etc/hooks/shell";

/// Places of bash that are tried before `PATH`. Claude Code takes only a file with the name of a shell that it knows.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// Name of each file.
const NAME: &str = "bash";

/// Most bytes of a file of ours.
const LONGEST: u64 = 1 << 16;

/// The command that the file runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellFile {
    /// The program `hooks`.
    pub(crate) program: String,
    /// The rules, if the command line of `hooks run` names some.
    pub(crate) config: Option<String>,
    /// The shell that runs the commands.
    pub(crate) shell: String,
}

impl ShellFile {
    /// A file for the bash of this machine.
    pub(crate) fn new(program: String, config: Option<String>) -> Result<Self, Failure> {
        let shell = bash();
        let shell = shell.as_deref().and_then(Path::to_str).ok_or_else(|| {
            Failure::message(
                "`sandbox.calls: wrapped` needs bash, which is not installed; nothing was changed",
            )
        })?;
        Ok(Self { program, config, shell: shell.to_owned() })
    }

    /// Path of the file in its folder: one for each file of rules that is named. Its name is that of a shell, so that guards read
    /// what it is given.
    pub(crate) fn below_folder(&self) -> PathBuf {
        let of = |config: &String| PathBuf::from(digest(config).get(..16).unwrap_or_default()).join(NAME);
        self.config.as_ref().map_or_else(|| NAME.into(), of)
    }

    /// Text of the file.
    pub(crate) fn text(&self) -> String {
        let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
        let config = self.config.as_deref().map(|config| format!(" --config {}", quoted(config)));
        format!(
            "#!/bin/sh\n\
             # The shell of Claude Code: it runs commands in the sandbox of `hooks`. `hooks init claude` writes this file.\n\
             exec {} exec --shell{} -- {} \"$@\"\n",
            quoted(&self.program),
            config.unwrap_or_default(),
            quoted(&self.shell)
        )
    }

    /// Parses a text; `None` if it is not exactly what [`text`](Self::text) gives.
    fn parse(text: &str) -> Option<Self> {
        let mut words = command::words(text.lines().nth(2)?).peekable();
        let mut is_next = |word: &str| words.next().is_some_and(|next| next == word);
        if !is_next("exec") {
            return None;
        }
        let program = words.next()?;
        let mut is_next = |word: &str| words.next_if(|next| next == word).is_some();
        if !(is_next("exec") && is_next("--shell")) {
            return None;
        }
        let has_config = is_next("--config");
        let config = if has_config { Some(words.next()?) } else { None };
        let shell = words.nth(1)?;
        let file = Self { program, config, shell };
        (file.text() == text).then_some(file)
    }

    /// Reads the file at `path`.
    ///
    /// Returns the reason why Claude Code would not run commands by it.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let about = fs::metadata(path).map_err(|_| format!("its shell `{name}` is not there"))?;
        if !is_ours(path) {
            return Err(format!("its shell `{name}` is not the file of `hooks`"));
        }
        if !is_program(&about) {
            return Err(format!("its shell `{name}` is not an executable file"));
        }
        let text = (about.len() <= LONGEST).then(|| fs::read_to_string(path).ok()).flatten();
        let file = text.as_deref().and_then(Self::parse);
        let file = file.ok_or_else(|| format!("its shell `{name}` was changed"))?;
        if !Path::new(&file.program).is_file() {
            return Err(format!("`{}`, which its shell calls, is not there", file.program));
        }
        Ok(file)
    }
}

/// The bash of this machine.
pub(super) fn bash() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let known = SHELLS.iter().map(PathBuf::from);
    let mut all = known.chain(env::split_paths(&path).map(|folder| folder.join("bash")));
    all.find(|path| path.is_absolute() && path.is_file())
}

/// The folder for the settings of this user; `None` if there is no folder for state.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(Places::here().state()?.join("hooks/shell"))
}

/// Whether a path is one of files that are written here.
pub(crate) fn is_ours(path: &Path) -> bool {
    let is_folder = |above: &Path| above == Path::new(OF_MACHINE) || Some(above) == folder().as_deref();
    path.file_name().is_some_and(|name| name == NAME) && path.ancestors().skip(1).take(2).any(is_folder)
}

#[cfg(unix)]
fn is_program(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.is_file() && about.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_program(about: &fs::Metadata) -> bool {
    about.is_file()
}

/// Makes the file one that can be started, as far as it is there.
#[cfg(unix)]
pub(crate) fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match fs::set_permissions(path, fs::Permissions::from_mode(0o755)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes the file one that can be started.
#[cfg(not(unix))]
pub(crate) fn make_executable(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::ShellFile;

    #[test]
    fn only_the_text_that_is_written_is_read_again() {
        for (program, config) in [
            ("/usr/bin/hooks", None),
            ("/it's a/hooks", Some("/a b/hooks.yaml")),
            ("/$HOME/hooks", Some("/;")),
        ] {
            let file = ShellFile {
                program: program.to_owned(),
                config: config.map(str::to_owned),
                shell: "/bin/bash".to_owned(),
            };
            let text = file.text();
            assert_eq!(ShellFile::parse(&text), Some(file), "{text}");
            for other in [
                text.replace("exec --shell", "exec"),
                text.replace("exec '", "true || exec '"),
                text.replace("#!/bin/sh\n", "#!/bin/sh\nexec /bin/bash \"$@\"\n"),
                format!("{text}rm x\n"),
                text.replace("--shell", "--report"),
                String::new(),
            ] {
                assert_eq!(ShellFile::parse(&other), None, "{other}");
            }
        }
    }
}
