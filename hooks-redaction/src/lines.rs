//! Finds the password in a line of a program's own configuration or protocol: `masterauth …` of Redis, `stats auth user:…`
//! of HAProxy, `username joe password 0 …` of a router, `PASS …` of FTP.
//!
//! A line of Redis:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("masterauth Xk7-qP2vRw9z"), "masterauth [PASSWORD_REDACTED]");
//! ```

use super::{
    accounts,
    label::Label,
    prose,
    quotation::quotation,
    span::Span,
    text::{byte, byte_before, floor, line_before, run_end},
    value::{self, Style},
};

/// Finds the password of the line in which the name at `start..end` stands.
pub(super) fn find(text: &str, start: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let name = text.get(start..end)?;
    let listed = byte(bytes, end) == b'}'
        || b" \t".contains(&byte(bytes, end)) && b" \t".contains(&byte(bytes, end + 1));
    if !(listed || NAMES.contains(&name)) {
        return None;
    }
    let before = line_before(bytes, start, 96);
    match name {
        "masterauth" | "insecure-password" => next_word(text, end),
        "rootpw" => root(text, end),
        "auth" if before.trim_ascii() == b"stats" => accounts::user_option(text, end),
        "AUTH" => redis(text, start, end).or_else(|| plain(text, end)),
        "LOGIN" => imap(text, before, end),
        "PASS" => asked(text, before, end),
        "key" | "key-string" | "authentication-key" if is_of_router(before, KEYS) => {
            numbered(text, end, true)
        }
        "password" | "secret" if is_of_router(before, ROUTER) => {
            numbered(text, end, false).filter(|found| {
                // At the start of a line, it may be a sentence.
                let first = !before.trim_ascii().is_empty();
                first || text.get(found.start..found.end).is_some_and(|found| value::is_mixed(found, 4))
            })
        }
        _ if listed => registry(text, before, end),
        _ => None,
    }
}

/// Names that have a line of their own.
const NAMES: &[&str] = &[
    "masterauth",
    "insecure-password",
    "rootpw",
    "auth",
    "AUTH",
    "LOGIN",
    "PASS",
    "key",
    "key-string",
    "authentication-key",
    "password",
    "secret",
];

/// First words of the lines of a router in which a password may stand.
const ROUTER: &[&[u8]] = &[
    b"username",
    b"enable",
    b"neighbor",
    b"ppp",
    b"password",
    b"user",
    b"ip",
    b"server-private",
    b"aaa",
    b"line",
];
/// First words of the lines in which a key may stand.
const KEYS: &[&[u8]] =
    &[b"tacacs-server", b"radius-server", b"tacacs", b"radius", b"crypto", b"ip", b"ntp", b"key", b"server"];

fn is_of_router(before: &[u8], firsts: &[&[u8]]) -> bool {
    let first = before.trim_ascii_start().split(|b| *b == b' ').next().unwrap_or_default();
    before.len() < 96 && (firsts.contains(&first) || before.trim_ascii().is_empty())
}

/// Finds the word behind the number of its encoding, which is 0 for plain text: `password 0 …`.
fn numbered(text: &str, end: usize, is_key: bool) -> Option<Span> {
    let bytes = text.as_bytes();
    let number = run_end(bytes, end, 2, |b| b == b' ');
    let digits = run_end(bytes, number, 2, |b| b.is_ascii_digit());
    let is_numbered =
        digits == number + 1 && b"05789".contains(&byte(bytes, number)) && byte(bytes, digits) == b' ';
    let from = if is_numbered { digits + 1 } else { number };
    let to = run_end(bytes, from, 128, |b| !b.is_ascii_whitespace());
    let alone =
        matches!(byte(bytes, run_end(bytes, to, 4, |b| b == b' ' || b == b'\r')), 0 | b'\n') || is_key;
    let found = text.get(from..floor(text, to))?;
    let secret = if is_numbered {
        value::is_password(found, Style::Attached)
    } else {
        is_key && value::is_mixed(found, 6) && prose::is_one(found, true)
    };
    (number > end && alone && secret).then(|| Span::new(from, to, Label::Password))
}

/// Finds the next word.
fn next_word(text: &str, end: usize) -> Option<Span> {
    let from = run_end(text.as_bytes(), end, 8, |b| b == b' ' || b == b'\t');
    (from > end).then(|| accounts::option_value(text, from, true)).flatten()
}

/// Finds the password of `rootpw --plaintext …` in a kickstart file.
fn root(text: &str, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let option = b" --plaintext ";
    let is_plain = bytes.get(end..end + option.len()) == Some(option);
    next_word(text, if is_plain { end + option.len() - 1 } else { end })
}

/// Finds the password of a command of Redis: `"AUTH" "…"` in its log, `> AUTH …` at its prompt.
fn redis(text: &str, start: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if byte_before(bytes, start) == b'"' && byte(bytes, end) == b'"' {
        let (open, close) = quotation(bytes, run_end(bytes, end + 1, 2, |b| b == b' '))?;
        let second = quotation(bytes, run_end(bytes, close + 1, 2, |b| b == b' '));
        let (open, close) = second.unwrap_or((open, close));
        return Some(Span::new(open, close, Label::Password)).filter(|_| byte(bytes, end + 1) == b' ');
    }
    let before = line_before(bytes, start, 64);
    let (from, to) = last_word(text, end)?;
    let prompt = before.is_empty() || before.ends_with(b"> ");
    (prompt && prose::is_one(text.get(from..to)?, true)).then(|| Span::new(from, to, Label::Password))
}

/// Returns the only word, or the second of two, between `end` and the end of the line.
fn last_word(text: &str, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let word = |from: usize| {
        let from = run_end(bytes, from, 2, |b| b == b' ');
        (from, run_end(bytes, from, 128, |b| !b.is_ascii_whitespace()))
    };
    let ends = |to: usize| matches!(byte(bytes, to), 0 | b'\n' | b'\r');
    let (from, to) = word(end);
    if from == end || ends(from) {
        return None;
    }
    let (from, to) = if ends(to) { (from, to) } else { word(to) };
    let (from, to) = quotation(bytes, from).map_or((from, to), |(open, close)| (open, close));
    let rest = run_end(bytes, to, 2, |b| b == b'"' || b == b'\'');
    ends(rest).then_some((from, floor(text, to)))
}

/// Finds the credentials of `AUTH PLAIN …`, in base64 (RFC 4954).
fn plain(text: &str, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let scheme = bytes.get(end..)?.strip_prefix(b" PLAIN ").or(bytes.get(end..)?.strip_prefix(b" LOGIN "))?;
    let from = bytes.len() - scheme.len();
    let to = run_end(bytes, from, 512, |b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    (to >= from + 8 && value::is_mixed(text.get(from..to)?, 8))
        .then(|| Span::new(from, to, Label::AuthHeader))
}

/// Finds the password of `tag LOGIN user password` (RFC 3501).
fn imap(text: &str, before: &[u8], end: usize) -> Option<Span> {
    let tag = before.trim_ascii_end().rsplit(|b| *b == b' ').next()?;
    let known = (1..=10).contains(&tag.len())
        && tag.iter().all(u8::is_ascii_alphanumeric)
        && tag.iter().any(u8::is_ascii_digit);
    let user = run_end(text.as_bytes(), end + 1, 96, |b| !b.is_ascii_whitespace());
    let (from, to) = last_word(text, user).filter(|_| known && user > end + 1)?;
    value::is_password(text.get(from..to)?, Style::Quoted).then(|| Span::new(from, to, Label::Password))
}

/// Finds the password of `PASS …` (RFC 959, RFC 1939, RFC 2812). A test that passed begins with `PASS` too.
fn asked(text: &str, before: &[u8], end: usize) -> Option<Span> {
    let (from, to) = last_word(text, end)?;
    let found = text.get(from..to)?;
    let before = before.trim_ascii_end();
    let sent =
        [&b"C:"[..], b">", b">>", b"--->", b"->", b"C>", b"<"].iter().any(|sign| before.ends_with(sign));
    let certain = (before.is_empty() && prose::is_one(found, true))
        || sent && value::is_password(found, Style::Attached);
    let one = run_end(text.as_bytes(), end + 1, 128, |b| !b.is_ascii_whitespace()) >= to;
    let path = found.contains(['/', '\\', ':']) || found.starts_with('[');
    (certain && one && !path && !found.ends_with(')')).then(|| Span::new(from, to, Label::Password))
}

/// Finds the value of a password in a listing: `DefaultPassword  REG_SZ  …` of Windows, `${PASSWORD}    …` of Robot Framework.
fn registry(text: &str, before: &[u8], end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let robot = before.ends_with(b"${") && byte(bytes, end) == b'}';
    let blank = |from: usize| run_end(bytes, from, 64, |b| b == b' ' || b == b'\t');
    let at = blank(if robot { end + 1 } else { end });
    let kind = bytes.get(at..)?.starts_with(b"REG_SZ");
    let name = text.get(end.saturating_sub(super::names::MAX_NAME.min(end))..end)?;
    if !(robot && at > end + 2 || kind && at > end)
        || super::names::noun(name.rsplit(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).next()?)
            != Some(super::names::Noun::Password)
    {
        return None;
    }
    let from = if kind { blank(at + 6) } else { at };
    accounts::option_value(text, from, true)
}

/// Finds the password of a user in the access list of Redis, `user joe on >… ~* +@all`, by the sign at `at`.
pub(super) fn access_list(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let line = line_before(bytes, at, 160);
    let known = line.starts_with(b"user ") || memchr::memmem::find(line, b"SETUSER ").is_some();
    let sign = memchr::memmem::find(line, b" >").filter(|_| known)?;
    accounts::option_value(text, at - line.len() + sign + 2, true)
}

#[cfg(test)]
mod tests {
    use super::super::Scrubber;

    #[test]
    fn lines_of_programs() {
        for (text, wanted) in [
            ("masterauth winter77x", "winter77x"),
            ("user joe on >winter77x ~app:* +@all", "winter77x"),
            ("1.1 [0 h:1] \"AUTH\" \"winter77x\"", "winter77x"),
            ("> AUTH joe winter77x", "winter77x"),
            ("    stats auth joe:winter77x", "winter77x"),
            ("  user joe insecure-password winter77x", "winter77x"),
            ("rootpw --plaintext winter77x", "winter77x"),
            ("username joe privilege 15 password 0 winter77x", "winter77x"),
            ("enable secret 0 winter77x", "winter77x"),
            ("tacacs-server key winter77x", "winter77x"),
            ("USER joe\n331 more\nPASS Winter77x", "Winter77x"),
            ("C: PASS winter", "winter"),
            ("a1 LOGIN joe \"winter-77x\"", "winter-77x"),
            ("    DefaultPassword    REG_SZ    winter77x", "winter77x"),
            ("${PASSWORD}    winter77x", "winter77x"),
        ] {
            let marked = text.replace(wanted, "[PASSWORD_REDACTED]");
            assert_eq!(Scrubber::all().scrub(text), marked, "{text}");
        }
        assert_eq!(
            Scrubber::all().scrub("C: AUTH PLAIN AGpvZQB3aW50ZXI3N3g="),
            "C: AUTH PLAIN [AUTH_HEADER_REDACTED]"
        );
    }

    #[test]
    fn lines_without_a_password() {
        for text in [
            "PASS src/a2.test.js",
            "PASS tests/login",
            "PASS TestLogin",
            "PASS test_case_2",
            "PASS (12.3s)",
            "AUTH required",
            "a LOGIN page2 is",
            "masterauth $PASS1",
            "user joe off",
            "The password 0 is not valid",
            "password 5 characters",
        ] {
            assert_eq!(Scrubber::all().scrub(text), text);
        }
    }
}
