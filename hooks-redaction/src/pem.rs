//! Private keys in textual encoding (RFC 7468, OpenPGP, OpenSSH): from the BEGIN line to the END line.
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! let key = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIAbcdEfGhIjKlMnOpQrStUvWx\n-----END EC PRIVATE KEY-----";
//! assert_eq!(scrubber.scrub(key), "[PRIVATE_KEY_REDACTED]");
//! ```

use super::text::{byte, run_end};

/// Start of the first line of a key.
pub(super) const BEGIN: &[u8] = b"-----BEGIN ";
/// Start of the last line of a key.
pub(super) const END: &[u8] = b"-----END ";

/// Position of the next END line, cached so that many BEGIN lines do not each search the rest of the text.
#[derive(Debug, Default)]
pub(super) struct Ends {
    searched_from: usize,
    next: Option<usize>,
    known: bool,
}

impl Ends {
    fn after(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let fresh = self.known && from >= self.searched_from && self.next.is_none_or(|next| from <= next);
        if !fresh {
            let rest = bytes.get(from..).unwrap_or_default();
            self.next = memchr::memmem::find(rest, END).map(|at| from + at);
            self.searched_from = from;
            self.known = true;
        }
        self.next
    }
}

/// Parses the key whose `-----BEGIN ` is at `at`; with `lines`, also one with something in front of each line.
pub(super) fn read(bytes: &[u8], at: usize, lines: bool, ends: &mut Ends) -> Option<(usize, usize)> {
    let title_end = title(bytes, at + BEGIN.len())?;
    let plain = has_body(bytes, title_end);
    let cut_off = || {
        let end = if plain { body_end(bytes, title_end) } else { 0 };
        let alike = if lines { Material::alike(bytes, title_end).end } else { title_end };
        Some(end.max(alike)).filter(|end| *end > title_end)
    };
    let Some(end) = ends.after(bytes, title_end) else { return Some((at, cut_off()?)) };
    // After a key that was cut off, the END line of another block closes nothing.
    let closed = title(bytes, end + END.len());
    let between = bytes.get(title_end..end)?;
    let one_block = between.len() <= MAX_KEY
        && memchr::memmem::find(between, BEGIN).is_none()
        && (plain || lines && Material::any(bytes, title_end).is_most_of(title_end, end));
    let end = if one_block { closed } else { None };
    Some((at, end.or_else(cut_off)?))
}

/// Key material whose lines stand behind something: line numbers, comment signs, quotation marks, the time of a log.
#[derive(Debug)]
struct Material {
    /// End of the last line of the material, or where it would start.
    end: usize,
    /// Number of bytes that belong to it.
    length: usize,
    /// Whether the text ends where the material may go on.
    is_open: bool,
}

/// Shortest line of key material but the last; 64 characters are usual.
const LINE: usize = 32;
/// Most bytes between two lines of it.
const MAX_JOINT: usize = 96;

impl Material {
    /// Reads lines with anything between them.
    fn any(bytes: &[u8], from: usize) -> Self {
        Self::read(bytes, from, |_| true)
    }

    /// Reads lines with the same between all of them but for numbers and blanks. Nothing else shows where a key ends that
    /// was cut off.
    fn alike(bytes: &[u8], from: usize) -> Self {
        let mut first = None;
        Self::read(bytes, from, |joint| {
            let shape = shape(joint);
            *first.get_or_insert_with(|| shape.clone()) == shape
        })
    }

    fn read(bytes: &[u8], from: usize, mut is_joint: impl FnMut(&[u8]) -> bool) -> Self {
        let mut material = Self { end: from, length: 0, is_open: false };
        while material.end - from <= MAX_KEY {
            let window = bytes.len().min(material.end + MAX_JOINT + LINE);
            let Some(start) = line_of_key(bytes, material.end, window) else {
                material.is_open = bytes.len() == window;
                break;
            };
            let joint = bytes.get(material.end..start).unwrap_or_default();
            if !may_join(joint) || !is_joint(joint) {
                break;
            }
            let end = run_end(bytes, start, MAX_KEY, is_base64);
            material.length += end - start;
            material.end = end;
        }
        material
    }

    /// Returns whether a third of what is between the BEGIN line and the END line is key material, up to the END line.
    const fn is_most_of(&self, from: usize, end: usize) -> bool {
        self.length * 3 >= end - from && self.end + MAX_JOINT + LINE >= end
    }
}

/// Returns the start of a line of key material within `from..to`.
fn line_of_key(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    while at + LINE <= to {
        let end = run_end(bytes, at, LINE, is_base64);
        let line = bytes.get(at..end).unwrap_or_default();
        if line.len() == LINE && is_random(line) {
            return Some(at);
        }
        at = run_end(bytes, end, MAX_KEY, is_base64) + 1;
    }
    None
}

/// Returns whether a line is no word: it has capital and small letters, and digits, or many changes between them.
fn is_random(line: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| line.iter().any(class);
    let changes = line.windows(2).filter(|two| matches!(two, [b'a'..=b'z', b'A'..=b'Z'])).count();
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && (has(u8::is_ascii_digit) || changes >= 4)
}

/// Returns whether two lines of key material may have this between them: no other block, no long word and no marker, which
/// may be another credential; little at the end of the first line.
fn may_join(joint: &[u8]) -> bool {
    let end_of_line = memchr::memchr(b'\n', joint).map_or(joint.len() / 2, |newline| newline);
    let mut words = joint.split(|b| !(b.is_ascii_alphanumeric() || b"_-".contains(b)));
    end_of_line <= MAX_TAIL
        && memchr::memmem::find(joint, b"-----").is_none()
        && words.all(|word| word.len() < MAX_WORD && !word.ends_with(b"_REDACTED"))
}

/// Most bytes after a line of key material in the same line.
const MAX_TAIL: usize = 8;
/// Longest word between two lines of key material, plus one.
const MAX_WORD: usize = 20;

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"+/=".contains(&b)
}

/// Shape of the text between two lines: it with one sign for each number and each run of blanks in it.
fn shape(joint: &[u8]) -> Vec<u8> {
    let sign = |b: &u8| match b {
        b'0'..=b'9' | b' ' | b'\t' => b' ',
        other => *other,
    };
    let mut shape: Vec<u8> = joint.iter().map(sign).collect();
    shape.dedup_by(|a, b| *a == b' ' && *b == b' ');
    shape
}

/// Longest private key in text form.
const MAX_KEY: usize = 64 * 1024;

/// Returns whether the `-----BEGIN ` at `at` may start a key that is cut off at the end of `bytes`.
pub(super) fn may_start(bytes: &[u8], at: usize) -> bool {
    let Some(title_end) = title(bytes, at + BEGIN.len()) else { return false };
    has_body(bytes, title_end) || Material::any(bytes, title_end).is_open
}

/// Returns whether the material of the key whose BEGIN line is at `at` goes on behind `end`.
pub(super) fn goes_on(bytes: &[u8], at: usize, end: usize) -> bool {
    title(bytes, at + BEGIN.len()).is_some_and(|from| {
        let before = bytes.get(..end).unwrap_or_default();
        let plain = has_body(bytes, from);
        plain && (body_end(bytes, from) > end || !has_body(before, from))
            || Material::alike(bytes, from).end > end
    })
}

/// Returns the end of the key material that `bytes` go on with, and whether the key ends there.
pub(super) fn rest(bytes: &[u8]) -> (usize, bool) {
    let end = body_end(bytes, 0);
    let tail = bytes.get(end..).unwrap_or_default();
    if end >= MAX_KEY || tail.len() < END.len() && END.starts_with(tail) {
        return (end, false);
    }
    if !tail.starts_with(END) {
        return (end, true);
    }
    match title(bytes, end + END.len()) {
        Some(title_end) => (title_end, true),
        // The title may be cut off.
        None => (end, tail.len() >= 64),
    }
}

/// Returns the end of a line's title that names a private key, after its dashes.
fn title(bytes: &[u8], from: usize) -> Option<usize> {
    let end = run_end(bytes, from, 48, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let name = bytes.get(from..end)?;
    let private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    let dashes = run_end(bytes, end, 5, |b| b == b'-');
    (private && dashes - end == 5).then_some(dashes)
}

/// Returns whether key material follows; a mere mention of a BEGIN line has none.
fn has_body(bytes: &[u8], from: usize) -> bool {
    let start = run_end(bytes, from, 16, |b| b.is_ascii_whitespace() || b == b'\\' || b == b'r');
    let start = if byte(bytes, start) == b'n' && byte(bytes, start.saturating_sub(1)) == b'\\' {
        start + 1
    } else {
        start
    };
    let end = run_end(bytes, start, 24, |b| b.is_ascii_alphanumeric() || b"+/=-:".contains(&b));
    start > from && end - start >= 8 && byte(bytes, start) != b'-'
}

/// Returns the end of the key material of a key without an END line.
fn body_end(bytes: &[u8], from: usize) -> usize {
    run_end(bytes, from, MAX_KEY, |b| b.is_ascii_alphanumeric() || b"+/=\r\n\\".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        read(text.as_bytes(), text.find("-----BEGIN ")?, true, &mut Ends::default())
            .map(|(start, end)| text.get(start..end).unwrap())
    }

    #[test]
    fn keys() {
        let key = "-----BEGIN EC PRIVATE KEY-----\nhqkwXATS8x2J9/Gk\n-----END EC PRIVATE KEY-----";
        assert_eq!(found(&format!("a {key} b")), Some(key));
        let escaped = key.replace('\n', "\\n");
        assert_eq!(found(&format!("\"{escaped}\"")), Some(escaped.as_str()));
        let headed = key.replace("KEY-----\nhqk", "KEY-----\nProc-Type: 4,ENCRYPTED\n\nhqk");
        assert_eq!(found(&headed), Some(headed.as_str()));
        let cut = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B";
        assert_eq!(found(&format!("{cut}... ok")), Some(cut));
    }

    /// Lines behind numbers, signs and quotation marks, as programs print and write them.
    #[test]
    fn keys_in_front_of_which_something_stands() {
        let lines = [
            "-----BEGIN RSA PRIVATE KEY-----",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
            "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
            "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ",
            "qgtzJ6GR3eqoYSW9b9UMvkBpZODSctWSNGj3P7jR",
            "-----END RSA PRIVATE KEY-----",
        ];
        type Line = fn(usize, &str) -> String;
        let ways: [Line; 12] = [
            |number, line| format!("{:>6}→{line}\n", number + 8),
            |number, line| format!("{:>4} | {line}\n", number + 98),
            |number, line| format!("certs/server/key.pem:{}:{line}\n", number + 8),
            |_, line| format!("# {line}\n"),
            |_, line| format!("//! {line}\n"),
            |_, line| format!("-{line}\n"),
            |_, line| format!("api_1  | {line}\n"),
            |number, line| format!("2026-03-11T08:00:0{number}Z web app[12]: {line}\n"),
            |_, line| format!("    \"{line}\\n\" +\n"),
            |_, line| format!("'{line}', "),
            |_, line| format!("{line}%0A"),
            |_, line| line.to_owned(),
        ];
        for write in ways {
            let key: String = lines.iter().enumerate().map(|(number, line)| write(number, line)).collect();
            let text = format!("cat:\n{key}ok");
            let end = text.rfind("KEY-----").unwrap() + "KEY-----".len();
            assert_eq!(found(&text), text.get(text.find("-----BEGIN").unwrap()..end), "{text}");
            // A reader of a part of the file does not see the END line.
            let cut: String =
                lines.iter().take(4).enumerate().map(|(number, line)| write(number, line)).collect();
            let left = found(&cut).map(|found| cut.replace(found, "")).unwrap_or(cut);
            assert!(!left.contains("MIIE") && !left.contains("GeJZ"), "{left}");
        }
    }

    #[test]
    fn not_keys() {
        assert_eq!(found("-----BEGIN CERTIFICATE-----\nMIIBFAKE1234\n-----END CERTIFICATE-----"), None);
        assert_eq!(found("-----BEGIN PUBLIC KEY-----\nMIIBFAKE1234\n-----END PUBLIC KEY-----"), None);
        assert_eq!(found("looks for \"-----BEGIN PRIVATE KEY-----\" in it"), None);
        let digest = "0f9d4c1be7a2458d0f9d4c1be7a2458d0f9d4c1be7a2458d0f9d4c1be7a2458d";
        assert_eq!(found(&format!("-----BEGIN PRIVATE KEY-----`, sha256 {digest}")), None);
        let code = "-----BEGIN PRIVATE KEY-----\\n\")?;\nout.write_all(Base64::encode(&key))?;\nout.write_all(b\"-----END PRIVATE KEY-----";
        assert_eq!(found(code), None);
    }
}
