//! Special meanings of names on Windows.

use super::error::PathError;
use super::lexical::is_drive;

/// Returns an error if the path is not a plain file there; the path has slashes only.
pub(super) fn check(path: &str) -> Result<(), PathError> {
    let owned = || path.to_owned();
    let bytes = path.as_bytes();
    let drive_relative =
        matches!(bytes, [letter, b':', ..] if letter.is_ascii_alphabetic()) && !is_drive(path);
    if path.starts_with("//") || path.starts_with("/??/") || drive_relative {
        return Err(PathError::DevicePath { path: owned() });
    }
    let names = if is_drive(path) { path.get(2..).unwrap_or_default() } else { path };
    for name in names.split('/') {
        if name.contains(':') {
            return Err(PathError::Stream { path: owned() });
        }
        let plain = without_tail(name);
        let is_dots_in_disguise = plain.is_empty() && !matches!(name, "" | "." | "..");
        if is_dots_in_disguise || is_device(plain) || is_short_name(plain) {
            return Err(PathError::ReservedName { path: owned(), name: name.to_owned() });
        }
    }
    Ok(())
}

/// Returns the path as Windows stores it: names without dots and blanks at their end. `None` if it stays the
/// same.
pub(super) fn stored(path: &str) -> Option<String> {
    let keep = |name: &str| matches!(name, "." | "..") || without_tail(name) == name;
    if path.split('/').all(keep) {
        return None;
    }
    let names =
        path.split('/').map(|name| if matches!(name, "." | "..") { name } else { without_tail(name) });
    Some(names.collect::<Vec<_>>().join("/"))
}

fn without_tail(name: &str) -> &str {
    name.trim_end_matches(['.', ' '])
}

/// `CON`, `com1.txt` and similar names.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$") {
        return true;
    }
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    number.is_some_and(|number| {
        matches!(number, "¹" | "²" | "³") || (number.len() == 1 && number.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// `GIT~1`, the name in 8.3 form of a file with a longer name.
fn is_short_name(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((start, number)) = stem.rsplit_once('~') else { return false };
    stem.len() <= 8
        && extension.len() <= 3
        && !start.is_empty()
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
}
