//! Finds the files that a patch text names: `*** Add File:` headers and unified diffs.
//!
//! Only headers count. In a hunk, the line counts of its `@@` line determine the lines of content, so a
//! removed line that looks like a header is not one. If a patch has no counts, a line that looks like a
//! header is treated as one: a guard then judges a path too many, never one too few.

use super::path_arguments::PathRole;

/// Path that a patch names.
pub(super) struct Header {
    /// Number of the line, from one.
    pub(super) line: usize,
    /// `None` if the quoting of the name is invalid.
    pub(super) path: Option<String>,
    pub(super) role: PathRole,
}

/// Returns all headers, in order.
pub(super) fn headers(text: &str) -> Vec<Header> {
    let mut reader = PatchParser::default();
    for (index, line) in text.split('\n').enumerate() {
        reader.number = index + 1;
        reader.line(line.strip_suffix('\r').unwrap_or(line));
    }
    reader.headers
}

/// Returns the files that a patch text names, and the change to each; `None` for a name that cannot be
/// parsed.
///
/// ```
/// use hooks_facts::tools::{PathRole, patched_files};
///
/// let patch = "*** Begin Patch\n*** Add File: src/new.rs\n+fn main() {}\n*** Delete File: src/old.rs\n*** End Patch";
/// let files: Vec<_> = patched_files(patch).collect();
/// assert_eq!(files[0], (Some("src/new.rs".to_owned()), PathRole::Written));
/// assert_eq!(files[1], (Some("src/old.rs".to_owned()), PathRole::Removed));
/// ```
pub fn patched_files(text: &str) -> impl Iterator<Item = (Option<String>, PathRole)> {
    headers(text).into_iter().map(|header| (header.path, header.role))
}

/// Possible meanings of the current line.
#[derive(Default)]
enum State {
    /// A header.
    #[default]
    Outside,
    /// The lines of a file added by an `*** Add File:` header.
    Added,
    /// The lines below an `*** Update File:` header.
    Updated,
    /// A hunk of a unified diff, with the remaining numbers of old and new lines.
    Hunk { old: u64, new: u64 },
}

#[derive(Default)]
struct PatchParser {
    state: State,
    number: usize,
    /// Directory of the current file, if that file is a link.
    link: Option<String>,
    /// File of the current diff.
    file: Option<String>,
    headers: Vec<Header>,
}

impl PatchParser {
    fn line(&mut self, line: &str) {
        match &mut self.state {
            State::Added if line.starts_with('+') => return,
            State::Updated if line.starts_with([' ', '+', '-']) && !starts_file(line) => return,
            State::Hunk { old, new } if *old + *new > 0 => match line.as_bytes().first() {
                Some(b' ') | None => {
                    (*old, *new) = (old.saturating_sub(1), new.saturating_sub(1));
                    return;
                }
                Some(b'-') => {
                    *old = old.saturating_sub(1);
                    return;
                }
                Some(b'+') => {
                    *new = new.saturating_sub(1);
                    let target = line.get(1..).unwrap_or_default();
                    return self.link_line(target);
                }
                Some(b'\\') => return,
                Some(_) => {}
            },
            _ => {}
        }
        self.header(line);
    }

    fn header(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Some(path) = trimmed.strip_prefix("*** Add File:") {
            self.state = State::Added;
            self.plain(path, PathRole::Written);
        } else if let Some(path) = trimmed.strip_prefix("*** Update File:") {
            self.state = State::Updated;
            self.plain(path, PathRole::Written);
        } else if let Some(path) = trimmed.strip_prefix("*** Delete File:") {
            self.state = State::Outside;
            self.plain(path, PathRole::Removed);
        } else if let Some(path) = trimmed.strip_prefix("*** Move to:") {
            self.state = State::Updated;
            self.plain(path, PathRole::Written);
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            self.state = State::Outside;
            (self.link, self.file) = (None, None);
            // Two different names are repeated in `rename` or `---` lines.
            if let Some(name) = same_name(names) {
                self.name(name, PathRole::Written);
            }
        } else if let Some(name) = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")) {
            self.state = State::Outside;
            self.name(name, PathRole::Written);
        } else if let Some(name) = line.strip_prefix("rename from ") {
            self.name(name, PathRole::Removed);
        } else if let Some(name) = line
            .strip_prefix("rename to ")
            .or_else(|| line.strip_prefix("copy to "))
            .or_else(|| line.strip_prefix("Index: "))
        {
            self.name(name, PathRole::Written);
        } else if let Some(name) = line.strip_prefix("copy from ") {
            self.name(name, PathRole::Read);
        } else if line.starts_with("@@") {
            let (old, new) = hunk_lengths(line).unwrap_or_default();
            if !matches!(self.state, State::Updated) {
                self.state = State::Hunk { old, new };
            }
        } else if is_link_mode(line) {
            self.link = self.file.clone();
        }
    }

    /// Adds a name that extends to the end of the line.
    fn plain(&mut self, path: &str, role: PathRole) {
        self.push(Some(path.trim().to_owned()), role);
    }

    /// Adds a name of a unified diff: with or without quotes, a one-letter prefix, and a time.
    fn name(&mut self, name: &str, role: PathRole) {
        let name = name.trim_end();
        let path = if name.starts_with('"') {
            unquoted(name)
        } else {
            Some(name.split('\t').next().unwrap_or_default().to_owned())
        };
        let path = path.map(|path| if path == "/dev/null" { path } else { without_prefix(&path).to_owned() });
        if path.as_deref() == Some("/dev/null") {
            return;
        }
        self.file = path.clone().or_else(|| self.file.take());
        self.push(path, role);
    }

    /// Handles an added line, which is the target of a new link.
    fn link_line(&mut self, target: &str) {
        let Some(link) = self.link.take() else { return };
        let directory = link.rsplit_once('/').map_or("", |(directory, _)| directory);
        let path = if target.starts_with('/') || directory.is_empty() {
            target.to_owned()
        } else {
            format!("{directory}/{target}")
        };
        self.push(Some(path), PathRole::LinkTarget);
    }

    fn push(&mut self, path: Option<String>, role: PathRole) {
        let repeated = self.headers.last().is_some_and(|last| last.path == path && last.role == role);
        if !repeated {
            self.headers.push(Header { line: self.number, path, role });
        }
    }
}

/// Returns whether a line of an update starts the unified diff of the next file.
fn starts_file(line: &str) -> bool {
    line.starts_with("+++ b/") || line.starts_with("--- a/")
}

/// Modes of symbolic links start with 12.
fn is_link_mode(line: &str) -> bool {
    let mode = line.strip_prefix("new file mode ").or_else(|| line.strip_prefix("new mode "));
    mode.is_some_and(|mode| mode.starts_with("12"))
        || (line.starts_with("index ")
            && line.rsplit(' ').next().is_some_and(|mode| mode.starts_with("1200")))
}

/// Returns the name if `a/x b/x` names one file: two names of the same length are split in the middle.
fn same_name(names: &str) -> Option<&str> {
    let middle = names.len() / 2;
    let (old, new) = (names.get(..middle)?, names.get(middle..)?.strip_prefix(' ')?);
    (without_prefix(old) == without_prefix(new)).then_some(old)
}

/// Returns the path without the prefix of git (`a/`, `b/`; `i/`, `w/`, `c/`, `o/` with mnemonic prefixes).
fn without_prefix(path: &str) -> &str {
    match path.as_bytes() {
        [b'a' | b'b' | b'i' | b'w' | b'c' | b'o', b'/', _, ..] => path.get(2..).unwrap_or(path),
        _ => path,
    }
}

/// Returns the numbers of old and new lines in `@@ -1,2 +3,4 @@`; a missing number is one.
fn hunk_lengths(line: &str) -> Option<(u64, u64)> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let length = |word: Option<&str>, sign: char| -> Option<u64> {
        let range = word?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok())
    };
    Some((length(words.next(), '-')?, length(words.next(), '+')?))
}

/// Decodes a name in quotes with C escapes, as git writes special names.
fn unquoted(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.get(1..)?.bytes().peekable();
    loop {
        match rest.next()? {
            b'"' => break,
            b'\\' => match rest.next()? {
                digit @ b'0'..=b'3' => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let digit = rest.next().filter(|digit| matches!(digit, b'0'..=b'7'))?;
                        value = value * 8 + u32::from(digit - b'0');
                    }
                    bytes.push(u8::try_from(value).ok()?);
                }
                b'n' => bytes.push(b'\n'),
                b't' => bytes.push(b'\t'),
                b'r' => bytes.push(b'\r'),
                plain @ (b'"' | b'\\') => bytes.push(plain),
                _ => return None,
            },
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paths(text: &str) -> Vec<(String, PathRole)> {
        headers(text).into_iter().map(|header| (header.path.unwrap_or("?".into()), header.role)).collect()
    }

    fn written(path: &str) -> (String, PathRole) {
        (path.into(), PathRole::Written)
    }

    #[test]
    fn headers_of_the_patch_tool() {
        let text = "*** Begin Patch\n*** Update File: a b.rs\n*** Move to: c.rs\n@@\n-*** Delete File: no\n *** Add File: no\n\
                    +*** Delete File: no\n*** Delete File: d\n  *** Add File: e\n+x\n*** End Patch\n";
        let removed = ("d".to_owned(), PathRole::Removed);
        assert_eq!(paths(text), [written("a b.rs"), written("c.rs"), removed, written("e")]);
    }

    #[test]
    fn content_of_a_hunk_is_no_header() {
        let text = "--- a/test/a.md\n+++ b/test/a.md\n@@ -1 +1 @@\n--- a/no\n+++ b/no\n--- a/x\n+++ b/y\n";
        assert_eq!(paths(text), [written("test/a.md"), written("x"), written("y")]);
    }

    #[test]
    fn a_hunk_that_promises_too_much_does_not_hide_the_next_diff() {
        let text = "--- a/x\n+++ b/x\n@@ -1,900 +1,900 @@\n-a\ndiff --git a/y b/y\nold mode 100644\n";
        assert_eq!(paths(text), [written("x"), written("y")]);
    }

    #[test]
    fn renames_copies_quoted_names_and_links() {
        let text = "diff --git a/o b/n\nrename from o\nrename to n\n";
        assert_eq!(paths(text), [("o".into(), PathRole::Removed), written("n")]);
        assert_eq!(paths("copy from o\ncopy to n"), [("o".into(), PathRole::Read), written("n")]);
        assert_eq!(paths("+++ \"b/s\\303\\251 \\\"x\\\"\"\n"), [written("sé \"x\"")]);
        assert_eq!(paths("+++ \"b/\\q\"\n"), [written("?")]);
        let link = "diff --git a/src/l b/src/l\nnew file mode 120000\n--- /dev/null\n+++ b/src/l\n@@ -0,0 +1 @@\n+../x\n";
        assert_eq!(paths(link), [written("src/l"), ("src/../x".into(), PathRole::LinkTarget)]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|\n|[-+ @*]|diff --git |\\*\\*\\* Add File: )*") {
            let _ = headers(&text).len();
        }
    }
}
