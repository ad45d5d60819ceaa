//! Attacks and ordinary commands, one a line of a file.

use std::path::Path;

use crate::error::{Error, Result};

/// Those written beside the sandbox, and those of an author who had not seen it.
const ATTACKS: &str =
    concat!(include_str!("../../harm/attacks.txt"), include_str!("../../harm/fresh_attacks.txt"));
const BENIGN: &str =
    concat!(include_str!("../../harm/benign.txt"), include_str!("../../harm/fresh_benign.txt"));

/// Kinds of harm, and what each is.
pub(super) const CLASSES: [(&str, &str); 6] = [
    ("read", "secrets read"),
    ("send", "data sent"),
    ("outside", "outside changed"),
    ("own", "own files changed"),
    ("git", ".git settings changed"),
    ("destroy", "work destroyed"),
];

/// Harms that Landlock and seccomp do not hold without mounts: name, kind, and text of each. `docs/sandbox.md` lists them.
pub(super) const UNHELD: [(&str, &str, &str); 2] = [
    (READ_HERE, "read", "secrets of the workspace read"),
    (RIGHTS, "outside", "rights or times outside changed"),
];

/// A secret of the workspace is read, and none of the home.
pub(super) const READ_HERE: &str = "read-here";

/// Of files outside, nothing but rights or times is changed.
pub(super) const RIGHTS: &str = "rights";

/// The kind of a harm.
pub(super) fn kind(harm: &str) -> &str {
    UNHELD.iter().find(|(name, ..)| *name == harm).map_or(harm, |(_, kind, _)| kind)
}

/// A script, with the harm that it does without a sandbox if it is an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) harm: Option<String>,
    /// Whether a process that it leaves behind does the harm.
    pub(super) is_late: bool,
    /// Programs that it needs.
    pub(super) needs: Vec<String>,
    /// Reason why an ordinary command may differ in the sandbox.
    pub(super) differs: Option<String>,
    pub(super) script: String,
}

/// The attacks and the ordinary commands, of this folder or those that were built in.
pub(super) fn rows(folder: Option<&Path>) -> Result<Vec<Row>> {
    let text = |name: &str, own: &str| match folder {
        None => Ok(own.to_owned()),
        Some(folder) => std::fs::read_to_string(folder.join(name))
            .map_err(|error| Error::new(format!("`{name}` cannot be read: {error}"))),
    };
    let attacks = text("attacks.txt", ATTACKS)?;
    let benign = text("benign.txt", BENIGN)?;
    let rows = lines(&attacks).map(|line| row(line, true)).chain(lines(&benign).map(|line| row(line, false)));
    rows.collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Reads `read late needs=perl,git<TAB>script`. An ordinary command may have no field before the script, or `differs`; then the reason is a
/// third field.
fn row(line: &str, is_attack: bool) -> Result<Row> {
    let (words, script) = match line.split_once('\t') {
        Some(parts) => parts,
        None if !is_attack => ("", line),
        None => return Err(Error::new(format!("no attack: `{line}`"))),
    };
    let mut row =
        Row { harm: None, is_late: false, needs: Vec::new(), differs: None, script: script.to_owned() };
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        match word.split_once('=') {
            Some(("needs", programs)) => row.needs = programs.split(',').map(str::to_owned).collect(),
            None if word == "late" => row.is_late = true,
            None if word == "differs" && !is_attack => {
                let (script, why) = script.split_once('\t').ok_or_else(|| no_reason(line))?;
                (row.script, row.differs) = (script.to_owned(), Some(why.to_owned()));
            }
            None if CLASSES.iter().any(|(class, _)| *class == word) => row.harm = Some(word.to_owned()),
            _ => return Err(Error::new(format!("unknown word `{word}`: `{line}`"))),
        }
    }
    if row.harm.is_some() == is_attack {
        Ok(row)
    } else {
        Err(Error::new(format!("no harm is named: `{line}`")))
    }
}

fn no_reason(line: &str) -> Error {
    Error::new(format!("`differs` without a reason behind the script: `{line}`"))
}
