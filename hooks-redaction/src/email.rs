//! Finds e-mail addresses: Unicode, quoted, escaped and percent-encoded ones.
//!
//! An address needs a real top-level domain. Remotes (`user@host:path`), package versions (`name@1.2.3`), the
//! user part of a URL, logins of `ssh` and similar programs, and members of code (`this@Outer.field`) are not
//! addresses.
//!
//! An address, and the name of a package with its version:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::emails();
//! assert_eq!(scrubber.scrub("from ada@b.org, with left-pad@1.3.0"), "from [EMAIL_REDACTED], with left-pad@1.3.0");
//! ```

use super::{
    span::Span,
    text::{byte, byte_before, line_before, run_end, run_start},
    tld, wrap,
};

/// RFC 5321 allows 64 bytes; the rest is room for encodings.
const MAX_LOCAL: usize = 256;
/// RFC 1035 allows 255 bytes.
const MAX_DOMAIN: usize = 256;
/// Signs between the labels of a domain.
const DOTS: [char; 2] = ['.', '\u{ff0e}'];

/// Ends an address after the leading letters of its last label, if there are two or more.
pub(super) fn end_with_letters(text: &str, address: &mut Span) {
    let inside = text.get(address.start..address.end).unwrap_or_default();
    let Some(last) = inside.rfind('.').map(|dot| dot + 1) else { return };
    let letters = inside.bytes().skip(last).take_while(u8::is_ascii_alphabetic).count();
    if letters >= 2 {
        address.end = address.start + last + letters;
    }
}

/// Returns the extent of the address around an `@` that spans `at..after`, starting at `floor` or later.
pub(super) fn address(text: &str, at: usize, after: usize, floor: usize) -> Option<(usize, usize)> {
    let end = domain_end(text, after).or_else(|| domain_over_lines(text, after))?;
    let start = quoted_local(text, at, floor).or_else(|| local_start(text, at, end, floor))?;
    let local = text.get(start..at)?;
    let bytes = text.as_bytes();
    let raw = after == at + 1;
    let in_url = raw && text.get(..start).is_some_and(|head| head.ends_with("://"));
    let keyword = matches!(local, "this" | "super" | "return");
    let service = matches!(local, "git" | "hg" | "svn") && is_forge(bytes, text.get(after..end)?, end);
    // Names of algorithms (RFC 4251, section 6).
    let service =
        service || (local.contains('-') && matches!(text.get(after..end)?, "openssh.com" | "libssh.org"));
    if in_url
        || keyword
        || service
        || (raw && is_remote(text, end))
        || is_login(line_before(bytes, start, 160))
    {
        return None;
    }
    Some((start, end))
}

/// Returns the end of the domain that starts at `start`, if it is a domain.
fn domain_end(text: &str, start: usize) -> Option<usize> {
    let mut labels = 1;
    let mut from = start;
    let mut at = start;
    for c in text.get(start..)?.chars() {
        let size = c.len_utf8();
        if at + size - start > MAX_DOMAIN {
            break;
        }
        if DOTS.contains(&c) {
            labels += 1;
            from = at + size;
        } else if !(c.is_alphanumeric() || c == '-' || c == '_') || ends_latin(text, from, at, c) {
            break;
        }
        at += size;
    }
    let mut domain = text.get(start..at)?;
    let (first, rest) = domain.split_once(DOTS)?;
    if first.is_empty() || first.starts_with('-') || is_version(first, rest) {
        return None;
    }
    let mut complete = true;
    while let Some((before, last)) = domain.rsplit_once(DOTS) {
        let from = start + domain.len() - last.len();
        let top =
            last.split(['_', '-']).next().filter(|top| !last.starts_with("xn--") && tld::is_common(top));
        let top = top.unwrap_or(last.trim_end_matches(['-', '_']));
        let end = from + top.len();
        if tld::is_tld(top) && (complete || tld::is_common(top)) {
            return is_written_as_domain(text, start, end, top, labels).then_some(end);
        }
        // `jane@example.com.Then` is a missing space; `x@a.b.c` is something else.
        complete = last.is_empty() || last.starts_with(char::is_uppercase);
        domain = before;
        labels -= 1;
    }
    None
}

/// Returns the end of a domain that a line end cuts in two, if it is a domain only with the next line.
fn domain_over_lines(text: &str, start: usize) -> Option<usize> {
    let is_domain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
    let bytes = text.as_bytes();
    let end = run_end(bytes, start, MAX_DOMAIN, is_domain);
    let next = wrap::next_line(bytes, end)?;
    let rest = run_end(bytes, next, MAX_DOMAIN, is_domain);
    let head = text.get(start..end)?;
    let joined = format!("{head}{}", text.get(next..rest)?);
    let found = domain_end(&joined, 0).filter(|found| *found > head.len())?;
    let top = joined.get(..found)?.rsplit('.').next()?;
    tld::is_common(top).then_some(next + found - head.len())
}

/// Returns whether `word` ends in an address whose domain may go on in the next line.
pub(super) fn is_open(word: &str) -> bool {
    let Some(at) = word.rfind('@') else { return false };
    let domain = word.get(at + 1..).unwrap_or_default().trim_end_matches('=');
    let plain = domain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
    at > 0 && plain && domain_end(word, at + 1).is_none()
}

/// Returns whether `c` is the first letter of a script without spaces, directly after Latin letters.
fn ends_latin(text: &str, from: usize, at: usize, c: char) -> bool {
    is_unspaced(c) && at > from && text.get(from..at).is_some_and(str::is_ascii)
}

/// Chinese, Japanese and Korean letters: text in them runs into an address without a space.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Returns whether a domain with this first label and these further ones is a version (`18.3.0-canary.x`) or a density
/// (`2x.png`).
fn is_version(first: &str, rest: &str) -> bool {
    let number = first.strip_prefix('v').unwrap_or(first);
    let digits = number.trim_end_matches('x');
    let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all_digits && (digits.len() < number.len() || rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether the case of the letters and the following text fit a domain rather than a member of code.
fn is_written_as_domain(text: &str, start: usize, end: usize, top: &str, labels: usize) -> bool {
    if tld::is_common(top) {
        return true;
    }
    let domain = text.get(start..end).unwrap_or_default();
    let mixed =
        |part: &str| part.chars().any(char::is_lowercase) && part.chars().skip(1).any(char::is_uppercase);
    let capital_top = top.starts_with(char::is_uppercase) && top.chars().any(char::is_lowercase);
    let called = byte(text.as_bytes(), end) == b'(' && (top.len() > 2 || labels > 2);
    !capital_top && !called && !domain.split('.').any(mixed)
}

/// Returns the start of a quoted local part such as `"john doe"@`.
fn quoted_local(text: &str, at: usize, floor: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if byte_before(bytes, at) != b'"' {
        return None;
    }
    let inner_end = at - 1;
    let low = floor.max(inner_end.saturating_sub(64));
    let open = low + memchr::memrchr(b'"', bytes.get(low..inner_end)?)?;
    let inner = text.get(open + 1..inner_end)?;
    let fits = |c: char| c.is_alphanumeric() || " ._%+-\\'!#$&*/?^`|~@".contains(c);
    let opens = open == 0 || !byte_before(bytes, open).is_ascii_alphanumeric();
    (opens && !inner.trim().is_empty() && inner.chars().all(fits)).then_some(open)
}

/// Returns the start of a plain local part that ends at `at`.
fn local_start(text: &str, at: usize, end: usize, floor: usize) -> Option<usize> {
    let head = text.get(floor..at)?;
    let mut start = at;
    let mut latin = false;
    for c in head.chars().rev() {
        let plain = c.is_alphanumeric() || "._%+-'\u{2019}".contains(c);
        if !plain || (latin && is_unspaced(c)) || at - start + c.len_utf8() > MAX_LOCAL {
            break;
        }
        latin |= c.is_ascii_alphanumeric();
        start -= c.len_utf8();
    }
    start = skip_escapes(text, start, at);
    let local = text.get(start..at)?;
    let bare = local.trim_start_matches(['.', '-', '\'', '+', '\u{2019}']);
    start += local.len() - bare.len();
    // `f'jane@example.com'`: an apostrophe that is closed after the address opened a quotation.
    if byte(text.as_bytes(), end) == b'\'' && !local.starts_with('\'') {
        start = text.get(start..at)?.rfind('\'').map_or(start, |quote| start + quote + 1);
    }
    text.get(start..at)?.contains(char::is_alphanumeric).then_some(start)
}

/// Steps over an escape that ends where the local part seems to start: `\n`, `\u003c`, `%3C`.
fn skip_escapes(text: &str, start: usize, at: usize) -> usize {
    let bytes = text.as_bytes();
    let is_hex = |from: usize, n: usize| (from..from + n).all(|i| byte(bytes, i).is_ascii_hexdigit());
    if byte_before(bytes, start) == b'\\' {
        let first = byte(bytes, start);
        if first == b'u' && is_hex(start + 1, 4) && start + 5 < at {
            return start + 5;
        }
        if b"nrt".contains(&first) && start + 1 < at {
            return start + 1;
        }
    }
    let local = bytes.get(start..at).unwrap_or_default();
    if memchr::memchr(b'%', local).is_none() {
        return start;
    }
    let delimiters = [b"%20", b"%22", b"%26", b"%27", b"%2C", b"%3A", b"%3B", b"%3C", b"%3D", b"%2c", b"%3a"];
    let more = [b"%3b", b"%3c", b"%3d", b"%0A", b"%0a", b"%2F", b"%2f"];
    let last = local.windows(3).rposition(|w| delimiters.iter().chain(&more).any(|d| w == d.as_slice()));
    last.map_or(start, |place| start + place + 3)
}

/// Returns whether a domain is that of a service for repositories, or a path of one follows.
fn is_forge(bytes: &[u8], domain: &str, end: usize) -> bool {
    let known = ["git", "bitbucket", "codeberg", "sr.ht", "ssh.", "azure", "svn", "hg."];
    b":/".contains(&byte(bytes, end)) || known.iter().any(|name| domain.contains(name))
}

/// Returns whether `:path` follows the host, as in `user@host:dir/file`.
fn is_remote(text: &str, end: usize) -> bool {
    let Some(path) = text.get(end..).and_then(|rest| rest.strip_prefix(':')) else { return false };
    let word = run_start(text.as_bytes(), end, MAX_LOCAL + MAX_DOMAIN, |b| !b.is_ascii_whitespace());
    if memchr::memmem::find(text.as_bytes().get(word..end).unwrap_or_default(), b"://").is_some() {
        return false;
    }
    let stop = |b: &u8| b.is_ascii_whitespace() || b"\"'`<>,;)".contains(b);
    let length = path.bytes().take(256).position(|b| stop(&b)).unwrap_or(path.len().min(256));
    let path = path.as_bytes().get(..length).unwrap_or_default();
    path.starts_with(b"~") || path.starts_with(b".") || path.ends_with(b".git") || path.contains(&b'/')
}

/// Returns whether a line ends with a login command and perhaps its options: `ssh -p 22 `.
fn is_login(line: &[u8]) -> bool {
    let mut argument = false;
    if !line.ends_with(b" ") {
        return false;
    }
    for word in line.split(|b| *b == b' ').rev().filter(|word| !word.is_empty()).take(8) {
        let name = word.rsplit(|b| *b == b'/').next().unwrap_or_default();
        if matches!(name, b"ssh" | b"scp" | b"sftp" | b"rsync" | b"mosh" | b"ssh-copy-id" | b"sshfs") {
            return true;
        }
        let option = word.starts_with(b"-");
        if !option && argument {
            return false;
        }
        argument = !option;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::{label::Label, scan::scan};

    fn found(text: &str) -> Vec<&str> {
        let labels = [Label::Email].into_iter().collect();
        let spans = scan(text, labels).spans;
        spans.iter().map(|span| text.get(span.start..span.end).unwrap()).collect()
    }

    #[test]
    fn addresses() {
        for (text, wanted) in [
            ("to jane.doe+tag@mail.example.co.uk, please", "jane.doe+tag@mail.example.co.uk"),
            ("jöhn@exämple.com", "jöhn@exämple.com"),
            ("почта@пример.рф", "почта@пример.рф"),
            ("\"john doe\"@example.com", "\"john doe\"@example.com"),
            ("(o'brien@example.ie)", "o'brien@example.ie"),
            ("f'jane@example.com'", "jane@example.com"),
            ("u@sub_domain.com", "u@sub_domain.com"),
            ("q=user%40example.com&x", "user%40example.com"),
            ("a%3Cjane%40example.com%3E", "jane%40example.com"),
            ("user&#64;example.com", "user&#64;example.com"),
            ("user\\u0040example.com", "user\\u0040example.com"),
            (r"a\njane@example.com\n", "jane@example.com"),
            ("user＠example.com", "user＠example.com"),
            ("a@xn--e1afmkfd.xn--p1ai", "a@xn--e1afmkfd.xn--p1ai"),
            ("联系jane@example.com或者", "jane@example.com"),
            ("John@Example.Com.", "John@Example.Com"),
            ("mail jane@example.com.Then", "jane@example.com"),
            ("a@b.com@c.org", "a@b.com"),
            ("ann@163.com", "ann@163.com"),
            ("Bastian <git@kchr.example>", "git@kchr.example"),
            ("to jane@exam\nple.com now", "jane@exam\nple.com"),
            ("to jane@example.=\r\ncom now", "jane@example.=\r\ncom"),
        ] {
            assert_eq!(found(text), [wanted], "{text}");
        }
        assert_eq!(found("x@y.com/z@w.com"), ["x@y.com", "z@w.com"]);
    }

    #[test]
    fn not_addresses() {
        for text in [
            "git@github.com:org/repo.git",
            "Hi! git@github.com: Permission denied",
            "aes128-gcm@openssh.com",
            "scp dev@build.example.com:/srv/out.tgz .",
            "ssh -p 22 dev@build.example.com",
            "ssh://jane@host.example.com/x",
            "react@18.3.0-canary.dev",
            "pkg@v1.2.com",
            "logo@2x.png",
            "img@2x.io",
            "this@MainActivity.applicationContext.foo",
            "case x@Foo.Bar(_) => 1",
            "user@localhost",
            "@scope/pkg",
            "a@@b.com",
            "wg-quick@wg0.service",
            "me @ example.com",
            "a@b.c",
            "to jane@exam\nple.example now",
            "{\"a\":\"@b.com\"}",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
