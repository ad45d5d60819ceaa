//! The folder that a command ends in. Claude Code starts the next command there.
//!
//! It has its shell write the folder into a file of its own, which the sandbox does not open. So the shell writes it beside the
//! other temporary files of the command, and from there it is handed on.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The end of the text that Claude Code has its shell run, up to the path of its file.
const WRITES: &str = "&& pwd -P >| ";

/// Variable of the shell with the path of our file. A command that changes it loses its folder, and nothing else.
const OUR_FILE: &str = "_hooks_ends_in";

/// Most bytes of a path.
const LONGEST: u64 = 1 << 13;

/// The file of the client, and the name of ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EndingFolder {
    file: PathBuf,
    name: String,
}

impl EndingFolder {
    /// Has the text of a command line write our file; `None` if the client asks for no folder. The commands of the model stand
    /// quoted before the end of the text, so they cannot name a file.
    pub(super) fn moved(text: &str) -> Option<(String, Self)> {
        let (before, path) = text.rsplit_once(WRITES)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
        let name = path.rsplit_once('/')?.1;
        if !path.starts_with('/') || !path.chars().all(is_plain) || name.is_empty() || name.starts_with('.') {
            return None;
        }
        let text = format!("{OUR_FILE}=\"$TMPDIR/{name}\"\n{before}{WRITES}\"${OUR_FILE}\"");
        Some((text, Self { file: path.into(), name: name.to_owned() }))
    }

    /// Hands the folder on, if the command wrote one that exists outside of the sandbox too.
    pub(super) fn hand_on(&self, temporary: &Path) -> io::Result<()> {
        let Some(text) = written(&temporary.join(&self.name))? else { return Ok(()) };
        let folder = Path::new(text.strip_suffix('\n').unwrap_or(&text));
        if !folder.is_absolute() || !folder.is_dir() {
            return Ok(());
        }
        not_followed().write(true).create(true).truncate(true).open(&self.file)?.write_all(text.as_bytes())
    }
}

/// The text of a file; `None` if it is missing, or none that a shell writes. The command may have put anything in its place, such as
/// a link to a secret or a pipe without an end.
fn written(path: &Path) -> io::Result<Option<String>> {
    let file = match not_followed().read(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    Ok(Some(text).filter(|text| u64::try_from(text.len()).is_ok_and(|length| length <= LONGEST)))
}

/// Opens a file that is no link, without waiting for another process.
#[cfg(unix)]
fn not_followed() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let mut options = fs::OpenOptions::new();
    options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

#[cfg(not(unix))]
fn not_followed() -> fs::OpenOptions {
    fs::OpenOptions::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_the_text_names_the_file() {
        let text =
            "source x || true && eval 'a && pwd -P >| /etc/b' < /dev/null && pwd -P >| /tmp/claude-1-cwd";
        let (moved, folder) = EndingFolder::moved(text).unwrap();
        assert_eq!(folder.file, Path::new("/tmp/claude-1-cwd"));
        let beginning = "_hooks_ends_in=\"$TMPDIR/claude-1-cwd\"\nsource x";
        assert!(moved.starts_with(beginning), "{moved}");
        let end = "&& pwd -P >| /etc/b' < /dev/null && pwd -P >| \"$_hooks_ends_in\"";
        assert!(moved.ends_with(end), "{moved}");
        for text in [
            "eval 'a' && pwd",
            "eval 'a && pwd -P >| /tmp/x' < /dev/null",
            "eval a && pwd -P >| \"/tmp/a b\"",
            "eval a && pwd -P >| relative",
            "eval a && pwd -P >| /tmp/",
            "eval a && pwd -P >| /tmp/..",
        ] {
            assert_eq!(EndingFolder::moved(text), None, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_a_folder_is_handed_on() {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("inside");
        fs::create_dir(&inside).unwrap();
        let folder = EndingFolder { file: place.path().join("out"), name: "ours".to_owned() };
        let handed_on = || {
            folder.hand_on(&inside).unwrap();
            fs::read_to_string(&folder.file).ok()
        };
        assert_eq!(handed_on(), None);
        for text in ["", "\n", "relative\n", "/nowhere/at/all\n", "/etc/passwd\n"] {
            fs::write(inside.join("ours"), text).unwrap();
            assert_eq!(handed_on(), None, "{text}");
        }
        fs::write(inside.join("ours"), "/\n").unwrap();
        assert_eq!(handed_on().as_deref(), Some("/\n"));
        fs::write(&folder.file, "").unwrap();
        fs::remove_file(inside.join("ours")).unwrap();
        fs::write(place.path().join("secret"), "/\n").unwrap();
        std::os::unix::fs::symlink(place.path().join("secret"), inside.join("ours")).unwrap();
        assert!(folder.hand_on(&inside).is_err(), "a link is not followed");
        fs::remove_file(inside.join("ours")).unwrap();
        let pipe = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, inside.join("ours"), pipe, 0o600.into(), 0).unwrap();
        assert_eq!(handed_on().as_deref(), Some(""), "a pipe is not waited for");
        fs::remove_file(inside.join("ours")).unwrap();
        fs::write(inside.join("ours"), "/".repeat(10_000)).unwrap();
        assert_eq!(handed_on().as_deref(), Some(""), "a text without an end is not read");
    }
}
