//! Patterns of a profile as regular expressions of a Seatbelt profile.

use std::path::Path;

use crate::plan::glob::alternatives;

/// Homes of users on macOS and Linux: a closed file below `~` is closed for each of them.
const HOMES: &str = "(/(Users|home)/[^/]+|(/private)?(/var)?/root)";

/// Places that patterns begin at.
pub(super) struct Bases<'b> {
    pub(super) workspace: &'b Path,
    pub(super) home: Option<&'b Path>,
}

/// Effect of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The pattern closes: anywhere if it begins with `**`, in any home, in any case.
    Closes,
    /// The pattern opens: in the workspace or the user's own home, as written.
    Opens,
}

impl Bases<'_> {
    /// Regular expressions for a pattern; empty if it has too many alternatives.
    pub(super) fn expressions(&self, pattern: &str, meaning: Meaning) -> Vec<String> {
        let all = alternatives(pattern).unwrap_or_default();
        all.iter().flat_map(|one| self.bodies(one, meaning)).map(|body| format!("^{body}$")).collect()
    }

    /// Regular expressions for the folders on the way to a pattern: with another name, what is in them would be open.
    pub(super) fn folders(&self, pattern: &str) -> Vec<String> {
        let all = alternatives(pattern).unwrap_or_default();
        let mut found = Vec::new();
        for one in &all {
            let mut rest = one.trim_end_matches("/**");
            if rest.len() < one.len() {
                found.extend(self.bodies(rest, Meaning::Closes));
            }
            while let Some((before, _)) = rest.rsplit_once('/') {
                let name = before.rsplit('/').next().unwrap_or_default();
                if name.is_empty() || name == "~" || name.contains(['*', '?']) {
                    break;
                }
                found.extend(self.bodies(before, Meaning::Closes));
                rest = before;
            }
        }
        found.sort();
        found.dedup();
        found.into_iter().map(|body| format!("^{body}$")).collect()
    }

    fn bodies(&self, pattern: &str, meaning: Meaning) -> Vec<String> {
        let home = self.home.and_then(Path::to_str);
        let workspace = self.workspace.to_str().unwrap_or_default();
        let is_closing = meaning == Meaning::Closes;
        if let Some(below) = pattern.strip_prefix("~/") {
            let own = home.map(|home| quoted(home, is_closing));
            let any = is_closing.then(|| HOMES.to_owned());
            return own.into_iter().chain(any).map(|base| base + &segments(below, is_closing)).collect();
        }
        if pattern.starts_with('/') {
            // These are links to folders below `/private` on macOS.
            let is_linked = ["/etc/", "/tmp/", "/var/"].iter().any(|folder| pattern.starts_with(folder));
            let private = if is_linked && is_closing { "(/private)?" } else { "" };
            return vec![private.to_owned() + &segments(pattern, is_closing)];
        }
        if is_closing && (pattern == "**" || pattern.starts_with("**/")) {
            return vec![segments(pattern, is_closing)];
        }
        vec![quoted(workspace, is_closing) + &segments(pattern, is_closing)]
    }
}

/// The segments of a pattern, each with the slash before it.
fn segments(pattern: &str, is_closing: bool) -> String {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        match (*part, at + 1 == parts.len()) {
            // A folder of which everything is closed is closed itself.
            ("**", true) if is_closing => text.push_str("(/.*)?"),
            ("**", true) => text.push_str("/.*"),
            ("**", false) => text.push_str("(/[^/]+)*"),
            (part, _) => {
                text.push('/');
                segment(part, is_closing, &mut text);
            }
        }
    }
    text
}

fn segment(part: &str, ignores_case: bool, text: &mut String) {
    let mut is_escaped = false;
    for c in part.chars() {
        match c {
            '\\' if !is_escaped => {
                is_escaped = true;
                continue;
            }
            '*' if !is_escaped => text.push_str("[^/]*"),
            '?' if !is_escaped => text.push_str("[^/]"),
            c => literal(c, ignores_case, text),
        }
        is_escaped = false;
    }
}

fn quoted(path: &str, ignores_case: bool) -> String {
    let mut text = String::new();
    path.trim_end_matches('/').chars().for_each(|c| literal(c, ignores_case, &mut text));
    text
}

/// A character as itself. What cannot stand in the quotes of a profile is any character.
fn literal(c: char, ignores_case: bool, text: &mut String) {
    match c {
        '"' | '\\' => text.push('.'),
        c if c.is_control() => text.push('.'),
        c if ignores_case && c.is_ascii_alphabetic() => {
            text.extend(['[', c.to_ascii_lowercase(), c.to_ascii_uppercase(), ']']);
        }
        '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => text.extend(['\\', c]),
        c => text.push(c),
    }
}
