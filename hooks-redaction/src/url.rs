//! The password in `scheme://user:password@host` (RFC 3986, section 3.2.1).
//!
//! The password of an address:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! assert_eq!(Scrubber::default().scrub("postgres://ada:Xk7-qP2vRw@db.example/shop"), "postgres://ada:[URL_PASSWORD_REDACTED]@db.example/shop");
//! ```

use super::{
    text::{run_end, run_start},
    value,
};

/// Longest user part that is searched for.
const MAX_USERINFO: usize = 512;

/// Returns the extent of the password after the `://` at `at`; with `lines`, also over the line end of a terminal.
pub(super) fn password(text: &str, at: usize, lines: bool) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let start = at + 3;
    let plain = |b: u8| !b.is_ascii_whitespace() && !b"\"'`<>".contains(&b);
    let strict = run_end(bytes, start, MAX_USERINFO, |b| plain(b) && !b"/?#".contains(&b));
    let authority = bytes.get(start..strict)?;
    let colon = start + authority.iter().position(|b| *b == b':')?;
    let last_at = match memchr::memrchr(b'@', authority) {
        Some(last_at) => last_at,
        // An unescaped `/`, `?` or `#` in the password; a port has only digits.
        None if is_port(bytes.get(colon + 1..strict)?) => return None,
        None if lines && bytes.get(strict) == Some(&b'\n') => {
            let end = wrapped(bytes, strict)?;
            let found = text.get(colon + 1..strict)?;
            return (!found.is_empty() && !value::is_placeholder(found)).then_some((colon + 1, end));
        }
        None => memchr::memchr(b'@', bytes.get(start..run_end(bytes, start, MAX_USERINFO, plain))?)?,
    };
    let end = start + last_at;
    let found = text.get(colon + 1..end)?;
    // As documentation writes it.
    let user = text.get(start..colon)?;
    let shown = matches!(user, "user" | "username") && matches!(found, "pass" | "password" | "passwd");
    let named = shown
        || matches!(found, "PASSWORD" | "PASS" | "PWD" | "PW" | "SECRET" | "TOKEN" | "REDACTED")
        || found.trim_matches(['[', ']', '<', '>']) == "password" && found.ends_with(']');
    (!found.is_empty() && !named && !value::is_placeholder(found)).then_some((colon + 1, end))
}

/// Shortest line that a terminal wraps.
const FULL_LINE: usize = 60;

/// Returns the end of a password that goes on in the next line, as a terminal cut its line at `newline`.
fn wrapped(bytes: &[u8], newline: usize) -> Option<usize> {
    let full = super::text::line_before(bytes, newline, FULL_LINE).len() >= FULL_LINE;
    let end = run_end(bytes, newline + 1, 128, |b| !b.is_ascii_whitespace() && !b"\"'`<>/?#@:".contains(&b));
    let host = bytes.get(end + 1)?.is_ascii_alphanumeric() && bytes.get(end) == Some(&b'@');
    (full && host).then_some(end)
}

/// Returns whether the password of the address that ends a line may go on in the next one.
pub(super) fn is_open(word: &str) -> bool {
    word.rsplit_once("://").is_some_and(|(_, rest)| rest.is_empty() || !rest.contains(['@', '?', '#']))
}

/// Returns the extent of the password in a data source of Go, `user:password@tcp(host)`, whose `@` is at `at`.
pub(super) fn data_source(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = run_start(bytes, at, 128, |b| !b.is_ascii_whitespace() && !b"\"'`=/".contains(&b));
    let colon = start + memchr::memchr(b':', bytes.get(start..at)?)?;
    let found = std::str::from_utf8(bytes.get(colon + 1..at)?).ok()?;
    (colon > start && !found.is_empty() && !value::is_placeholder(found)).then_some((colon + 1, at))
}

/// Returns the extent of the password in a data source of Oracle, `jdbc:oracle:thin:user/password@host`, whose `@` is at `at`.
pub(super) fn oracle(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = run_start(bytes, at, 160, |b| !b.is_ascii_whitespace() && !b"\"'`=".contains(&b));
    let source = bytes.get(start..at)?;
    let driver = memchr::memmem::find(source, b"oracle:")?;
    let user =
        driver + b"oracle:".len() + memchr::memchr(b':', source.get(driver + b"oracle:".len()..)?)? + 1;
    let slash = user + memchr::memchr(b'/', source.get(user..)?)?;
    let found = std::str::from_utf8(source.get(slash + 1..)?).ok()?;
    (slash > user && !found.is_empty() && !value::is_placeholder(found)).then_some((start + slash + 1, at))
}

fn is_port(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        password(text, text.find("://")?, true).map(|(start, end)| text.get(start..end).unwrap())
    }

    #[test]
    fn passwords() {
        for (text, wanted) in [
            ("postgres://a:pw123456@h/db", "pw123456"),
            ("redis://:s3cret@10.0.0.5:6379", "s3cret"),
            ("mysql://u:a:b@h/db", "a:b"),
            ("amqp://guest:gu35t!@mq:5672/%2f", "gu35t!"),
            ("postgres://u:p/w#x@h/db", "p/w#x"),
            ("http://u:p@ss@h", "p@ss"),
            (
                "some words in front of it, psql postgres://user:abcdefgh12345678\nijkl@h/db",
                "abcdefgh12345678\nijkl",
            ),
        ] {
            assert_eq!(found(text), Some(wanted), "{text}");
        }
        let found = |text: &str| oracle(text.as_bytes(), text.find('@').unwrap());
        assert_eq!(found("jdbc:oracle:thin:joe/hunter2@//h:1521/x"), Some((21, 28)));
        assert_eq!(found("jdbc:oracle:thin:@//h:1521/x"), None);
    }

    #[test]
    fn no_passwords() {
        for text in [
            "redis://cache:6379/0",
            "https://medium.com/@someone",
            "s3://bucket/key@v1",
            "http://h:80/@x",
            "http://[::1]:80/",
            "https://u:${PASS}@h",
            "https://u:<password>@h",
            "https://jane@h/x",
            "https://u:***@h",
            "postgres://user:password@localhost/db",
            "mysql://USER:PASSWORD@HOST:PORT/NAME",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
