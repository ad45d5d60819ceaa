//! Names of files and agents, checked before they are used.

use std::fmt;

/// The longest name, in bytes. File systems allow 255, and other parts are added to a name.
const LONGEST: usize = 120;

/// A name that stays in its folder on every system: one part of a path, but not `.`, `..` or a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Reason why a name is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadName {
    /// The name has only white space.
    #[error("it is empty")]
    Empty,
    /// The name is too long for a file name.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    /// The name is `.` or `..`, or contains a slash or backslash.
    #[error("it would leave its folder; give a plain name without slashes")]
    Leaves,
    /// The name begins with a dot, as hidden files do.
    #[error("it begins with a dot")]
    Hidden,
    /// The name contains a character with a special meaning in some file system or terminal.
    #[error("it contains {0:?}, which is no part of a name")]
    Character(char),
    /// The name ends with a dot or a space, which Windows removes.
    #[error("it ends with a dot or a space")]
    Ends,
    /// The name is that of a device on Windows.
    #[error("it is the name of a device on Windows")]
    Reserved,
}

impl Name {
    /// Checks `name`.
    ///
    /// # Errors
    /// Returns a `BadName` if `name` is not a valid file name on every system.
    ///
    /// ```
    /// use hooks_team::{BadName, Name};
    ///
    /// assert!(Name::new("notes 2026.md").is_ok());
    /// assert_eq!(Name::new("../notes"), Err(BadName::Leaves));
    /// assert_eq!(Name::new("con"), Err(BadName::Reserved)); // a device on Windows
    /// assert_eq!(BadName::Leaves.to_string(), "it would leave its folder; give a plain name without slashes");
    /// ```
    pub fn new(name: impl Into<String>) -> Result<Self, BadName> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(BadName::Empty);
        }
        if name.len() > LONGEST {
            return Err(BadName::TooLong);
        }
        if name.contains(['/', '\\']) || name == "." || name == ".." {
            return Err(BadName::Leaves);
        }
        if let Some(bad) = name.chars().find(|c| is_unfit(*c)) {
            return Err(BadName::Character(bad));
        }
        if name.starts_with('.') {
            return Err(BadName::Hidden);
        }
        if name.ends_with(['.', ' ']) || name.starts_with(' ') {
            return Err(BadName::Ends);
        }
        if is_device(&name) {
            return Err(BadName::Reserved);
        }
        Ok(Self(name))
    }

    /// Returns the folder name of the agent `name`: letters and digits in lower case, with one dash between
    /// words, so that `Fact Checker` becomes `fact-checker`. `_` is kept; emoji around a name are dropped.
    ///
    /// # Errors
    /// Returns `Leaves` if `name` is a path; `Character` if it has a control character; `Empty` if no letter
    /// or digit is left.
    ///
    /// ```
    /// use hooks_team::Name;
    ///
    /// assert_eq!(Name::of_agent("Fact Checker 🔎").unwrap().as_str(), "fact-checker");
    /// assert_eq!(Name::of_agent("@Ada").unwrap().as_str(), "ada");
    /// assert!(Name::of_agent("ada/../bob").is_err());
    /// ```
    pub fn of_agent(name: &str) -> Result<Self, BadName> {
        let name = name.trim().trim_start_matches('@');
        if name.contains(['/', '\\']) || name.trim_matches('.').is_empty() && !name.is_empty() {
            return Err(BadName::Leaves);
        }
        if let Some(bad) = name.chars().find(|c| c.is_control()) {
            return Err(BadName::Character(bad));
        }
        Self::new(slug(name, LONGEST))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Formats `text` as a part of a file name, of at most `longest` bytes: letters and digits of all scripts in
/// lower case, with one dash between words.
pub(crate) fn slug(text: &str, longest: usize) -> String {
    let mut slug = String::new();
    let mut apart = false;
    for c in text.chars().flat_map(char::to_lowercase) {
        if !c.is_alphanumeric() && c != '_' {
            apart = true;
            continue;
        }
        let dash = usize::from(apart && !slug.is_empty());
        if slug.len() + dash + c.len_utf8() > longest {
            break;
        }
        if dash == 1 {
            slug.push('-');
        }
        apart = false;
        slug.push(c);
    }
    slug
}

/// Whether the character is a control or format character, or has a special meaning on Windows or in a shell.
fn is_unfit(c: char) -> bool {
    let formats = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || formats || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*')
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered.is_some_and(|rest| {
            rest.chars().count() == 1 && rest.contains(|c: char| c.is_ascii_digit() || "¹²³".contains(c))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_more_than_a_name_are_refused() {
        for bad in [
            "",
            " ",
            ".",
            "..",
            "../a",
            "a/b",
            "/a",
            "C:\\a",
            "c:a",
            "a\0",
            "a\n",
            ".git",
            "a.",
            "a ",
            "NUL",
            "com1.md",
            "aux.tar.gz",
            "a\u{202e}b",
            "a*",
            "CON .x",
        ] {
            assert!(Name::new(bad).is_err(), "{bad:?}");
        }
        assert!(Name::new("x".repeat(121)).is_err());
        for good in ["a", "a b", "history.md", "com10", "2026-01-01T00-00-00Z-x.md", "zoë"] {
            assert!(Name::new(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn agents_have_one_folder_however_they_are_written() {
        let agent = |name: &str| Name::of_agent(name).map(|name| name.to_string());
        assert_eq!(agent("Fact Checker").unwrap(), "fact-checker");
        assert_eq!(agent(" EECOM 🔧").unwrap(), "eecom");
        assert_eq!(agent("@copilot").unwrap(), "copilot");
        assert_eq!(agent("a_b-c").unwrap(), "a_b-c");
        assert_eq!(agent("../x"), Err(BadName::Leaves));
        assert_eq!(agent(".."), Err(BadName::Leaves));
        assert_eq!(agent("nul"), Err(BadName::Reserved));
        assert_eq!(agent("🔧"), Err(BadName::Empty));
        assert_eq!(agent("a\0b"), Err(BadName::Character('\0')));
    }

    #[test]
    fn slugs_are_short_and_in_every_script() {
        assert_eq!(slug("Use Postgres, not MySQL!", 12), "use-postgres");
        assert_eq!(slug("日本語の決定", 7), "日本");
        assert_eq!(slug("!!!", 9), "");
    }
}
