//! Recognises values that only stand for a secret: templates, references, masks.
//!
//! A value that the reader is to replace, and the address of a secret in a store:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! for text in ["DB_PASSWORD=changeme", "DB_PASSWORD=op://team/db/password"] {
//!     assert_eq!(scrubber.scrub(text), text);
//! }
//! ```

use super::{names, text::byte};

/// Texts that ask the reader to put a value in their place, in small letters and without signs.
const REQUESTS: &[&str] = &[
    "changeme",
    "changethis",
    "changemeplease",
    "pleasechange",
    "pleasechangeme",
    "replaceme",
    "replacethis",
    "replacewithyours",
    "fillme",
    "fillmein",
    "fillin",
    "setme",
    "editme",
    "todo",
    "tbd",
    "fixme",
    "notset",
    "unset",
    "insertpasswordhere",
    "putyourpasswordhere",
];

/// Returns whether a value asks the reader to replace it: `changeme`, `REPLACE_ME`.
fn is_request(value: &str) -> bool {
    if value.len() > 24 || !value.bytes().all(|b| b.is_ascii_alphabetic() || b"_- .!<>".contains(&b)) {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic);
    let plain: String = letters.map(|b| char::from(b.to_ascii_lowercase())).collect();
    REQUESTS.contains(&plain.as_str())
}

/// Returns whether a value is the address of a secret in a store: `op://vault/item/field`, `vault://…`, `ref+file://…`.
fn is_address(value: &str) -> bool {
    value.split_once("://").is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_lowercase())
            && scheme.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+.-".contains(&b))
            && !rest.contains('@')
    })
}

/// Returns whether a part of a text is put in when a program runs, and nothing beside it is of a secret: `v1_${random(24)}`,
/// `a#{b}c`.
fn is_interpolated(value: &str) -> bool {
    let (mut rest, mut parts) = (value, Vec::new());
    while let Some((start, end)) = interpolation(rest) {
        parts.push(rest.get(..start).unwrap_or_default());
        rest = rest.get(end..).unwrap_or_default();
    }
    let is_found = !parts.is_empty();
    parts.push(rest);
    is_found && !parts.into_iter().any(is_of_secret)
}

/// Returns the extent of the first part of a text that is put in when a program runs.
fn interpolation(value: &str) -> Option<(usize, usize)> {
    let bytes = value.as_bytes();
    let start = memchr::memchr_iter(b'{', bytes).filter_map(|open| open.checked_sub(1)).find(|start| {
        let rest = bytes.get(start + 2..).unwrap_or_default();
        let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_.:".contains(b)).count();
        b"$#".contains(&byte(bytes, *start)) && name >= 2 && b"}([:-".contains(&byte(rest, name))
    })?;
    let mut depth = 0_usize;
    let closes = |b: &u8| {
        match b {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    let length = bytes.get(start + 1..)?.iter().position(closes);
    Some((start, length.map_or(bytes.len(), |length| start + length + 2)))
}

/// Returns whether letters and digits change in a text as in no name, or a rare sign is among them.
fn is_of_secret(part: &str) -> bool {
    let is_digit = |b: &u8| b.is_ascii_digit();
    let changes = |word: &str| {
        let pairs = word.as_bytes().windows(2);
        pairs.filter(|pair| pair.first().is_some_and(is_digit) != pair.last().is_some_and(is_digit)).count()
    };
    let words = || part.split(|c: char| !c.is_ascii_alphanumeric());
    let signed = part.contains(['!', '^', '*', '~']) && words().any(|word| changes(word) > 0);
    part.len() >= 6 && (signed || words().any(|word| changes(word) >= 4))
}

/// Returns whether a quoted text is a member with the name of a secret, as templates of pages have them: `errors.password`.
pub(super) fn is_member(value: &str) -> bool {
    let identifier = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_')
    };
    value.contains('.')
        && value.split('.').all(identifier)
        && value.rsplit('.').next().is_some_and(|last| names::noun(last).is_some())
}

/// Returns whether a value is the path of a file: two folders or more, all of them words in small letters.
pub(super) fn is_path(value: &str) -> bool {
    let rest = ["/", "./", "../", "~/"].iter().find_map(|start| value.strip_prefix(start));
    let word = |part: &str| {
        let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
        letters * 2 >= part.len()
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
    };
    rest.is_some_and(|rest| rest.contains('/') && rest.split('/').all(word))
}

/// Returns whether `value` (its head) is a template, a reference or a mask.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let framed = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    let name = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b))
    };
    let opened = [
        "${", "$(", "{{", "#{", "%(", "<%", "@{", "!Ref", "!Sub", "!vault", "vault:", "arn:", "file:", "env:",
    ]
    .iter()
    .any(|open| value.starts_with(open));
    // Make and Compose write a dollar twice.
    let variable = value.strip_prefix('$').is_some_and(|rest| name(rest.strip_prefix('$').unwrap_or(rest)));
    let percent = framed("%", "%") && value.len() > 2;
    let format = matches!(value, "%s" | "%d" | "%v" | "%q" | "{}" | "\"" | "'" | "?");
    let filtered =
        value.strip_prefix('[').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    let mut letters = value.chars();
    let first = letters.next();
    let same = value.chars().count() >= 3 && letters.all(|c| Some(c) == first);
    let mask = value.chars().all(|c| "*xX•.…#-_".contains(c));
    let lower = value.to_lowercase();
    let template = ["your_", "your-", "your "].iter().any(|word| lower.contains(word))
        || lower.ends_with("_here")
        || lower.ends_with("-here");
    let frame = (framed("<", ">") || framed("{", "}") || framed("[", "]") || framed("__", "__"))
        && !value.contains(['"', ',']);
    value.is_empty()
        || filtered
        || opened
        || variable
        || percent
        || format
        || same
        || mask
        || template
        || frame
        || is_request(value)
        || is_address(value)
        || is_interpolated(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        for value in [
            "",
            "${X}",
            "$(cat f)",
            "$PASS",
            "{{ .x }}",
            "<password>",
            "%DB_PW%",
            "****",
            "xxxx",
            "...",
            "your-password",
            "TOKEN_HERE",
            "{token}",
            "[REDACTED]",
            "__PW__",
            "file:/run/secrets/db",
            "env:DB_PW1",
            "%s",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in [
            "changeme",
            "REPLACE_ME",
            "$$REGISTRY_PASSWORD",
            "op://team/db/password",
            "ref+vault://a/b#c",
            "app_${randomBytes(24).toString(\"hex\")}",
            "k-#{token_id}",
            "user-2024-${id}@team7",
            "oauth2_k8s_${name}_v2",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in [
            "changeme7",
            "a${b",
            "p://x y@z",
            "TBD-9",
            "hunter2",
            "$ecr3t!",
            "EXAMPLE-9",
            "FAKEvalue1",
            "p@ss",
            "<3hearts",
            "Sup3rS3cret_${STAGE}",
            "Xk7qP2vRw9z-${ENV}",
            "v1_${random(24)}-kQ7w2Z9#{stage}x",
            "Winter24!_${ENV}",
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn members_and_paths() {
        assert!(is_member("errors.password") && is_member("form.user.api_key") && !is_member("a.b.c"));
        assert!(!is_member("Xk7.password9") && !is_member("password"));
        assert!(is_path("/etc/app/sa.json") && is_path("./keys/db2/key.pem") && is_path("~/a/b-c"));
        assert!(!is_path("/abc") && !is_path("/Xk7/pQ2") && !is_path("a/b/c") && !is_path("/a/b77777/c"));
    }
}
