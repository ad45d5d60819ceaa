//! Finds the credential in an `Authorization`, `Cookie` or API key header, and after `Bearer` alone.
//!
//! A header of a request:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! assert_eq!(Scrubber::default().scrub("Authorization: Bearer Xk7qP2vRw9zLm3nT"), "Authorization: Bearer [AUTH_HEADER_REDACTED]");
//! ```

use super::{
    code,
    label::Label,
    separators,
    span::Span,
    text::{byte, byte_before, floor, is_ident, line_before, run_end},
    value,
};

/// Headers whose value is a key.
const KEYS: &[&str] = &[
    "x-api-key",
    "api-key",
    "apikey",
    "x-auth-token",
    "x-auth-key",
    "x-access-token",
    "private-token",
    "x-token",
    "job-token",
    "deploy-token",
    "x-vault-token",
    "x-goog-api-key",
    "x-functions-key",
    "x-amz-security-token",
    "ocp-apim-subscription-key",
    "x-gitlab-token",
    "x-csrf-token",
    "x-xsrf-token",
    "x-session-token",
    "dd-api-key",
    "circle-token",
    "x-rapidapi-key",
    "x-figma-token",
    "fastly-key",
    "x-shopify-access-token",
];

/// Returns whether a name is that of a header with a credential.
pub(super) fn is_name(name: &str) -> bool {
    let others = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
    let keys = KEYS.iter().filter(|key| **key != "apikey");
    others.iter().chain(keys).any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the name of a header, also of a variable that a server sets from it: `HTTP_X_API_KEY` (RFC 3875).
fn plain_name(name: &str) -> String {
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    match name.strip_prefix("http_") {
        Some(name) => name.replace('_', "-"),
        None => name,
    }
}

/// Longest header value.
const MAX_VALUE: usize = 8192;

/// Length of the part of a value that is parsed first, to check whether there is a credential at all.
const FIRST_LOOK: usize = 256;

/// Finds the credential of the header whose name is at `start..end`; with `lines`, also in the next line.
pub(super) fn find(text: &str, start: usize, end: usize, lines: bool) -> Option<Span> {
    within(text, start, end, FIRST_LOOK, lines).and_then(|_| within(text, start, end, MAX_VALUE, lines))
}

/// Finds the credential in the first `limit` bytes of a header's value.
fn within(text: &str, start: usize, end: usize, limit: usize, lines: bool) -> Option<Span> {
    let bytes = text.as_bytes();
    let (start_of_name, name) = (start, text.get(start..end)?);
    let is_first = || {
        let before = line_before(bytes, start_of_name, 16);
        before.len() < 16 && before.iter().all(|b| b" ><*".contains(b)) && is_name(name)
    };
    let may_be_paired = b": \t\"'\r\n".contains(&byte(bytes, end));
    let paired = || if may_be_paired && is_name(name) { paired_value(bytes, start, end) } else { None };
    if let Some(literal) = literal_before(text, start).filter(|_| is_name(name)) {
        return Some(literal);
    }
    let (end_of_name, from) = (end, paired().or_else(|| value_start(bytes, end))?);
    let name = plain_name(name);
    let to = floor(text, run_end(bytes, from, limit, |b| !b"\"'`\r\n".contains(&b))).max(from);
    let to = escaped_end(bytes, from, to);
    let (start, end) = match name.as_str() {
        "authorization" | "proxy-authorization" => credential(text, from, to)?,
        "cookie" => (from, to),
        "set-cookie" => {
            (from, from + bytes.get(from..to)?.iter().position(|b| *b == b';').unwrap_or(to - from))
        }
        key if KEYS.contains(&key) => {
            // Without a hyphen it is rather a field.
            let field = run_end(bytes, from, to - from, |b| !b",;}".contains(&b));
            (from, word_end(bytes, from, if name == "apikey" { field } else { to }))
        }
        _ => return None,
    };
    let head = text.get(start..head_end(text, start, end))?;
    let cookie = name.ends_with("cookie");
    let pair = head.split_once('=').filter(|(name, _)| name.bytes().all(|b| b.is_ascii_graphic()));
    let pair_value = pair.map(|(_, value)| value);
    let judged = if cookie { pair_value? } else { head };
    let typed = code::is_declared(judged, value::Style::Plain(true)) && name == "authorization";
    // Keys of vendors have digits; members and constants of a program are no keys.
    let key = cookie || name.ends_with("authorization") || name.starts_with("set-");
    let bare =
        byte(bytes, end_of_name) == byte_before(bytes, from) || !b"\"'`".contains(&byte(bytes, end_of_name));
    let variable = !bare && judged.bytes().all(|b| is_ident(b) || b == b'.');
    let member = value::is_code(judged) || code::is_declared(judged, value::Style::Plain(true));
    let code = !key && (member || !value::is_mixed(judged, 6)) || judged.contains("://") || variable;
    let secret =
        !typed && !code && !value::is_placeholder(judged) && !value::is_word(judged) && judged.len() >= 3;
    let called = name.ends_with("authorization")
        && judged
            .find('(')
            .is_some_and(|open| judged.get(..open).is_some_and(|name| name.bytes().all(is_ident)));
    let end = if lines && is_first() { folded(bytes, end) } else { end };
    (secret && !called && (cookie || !judged.starts_with(['<', '{', '$'])))
        .then(|| Span::new(start, end, Label::AuthHeader))
}

/// Finds the value in front of the name of its header at `start` (Swift): `setValue("…", forHTTPHeaderField: "X-Api-Key")`.
fn literal_before(text: &str, start: usize) -> Option<Span> {
    let line = line_before(text.as_bytes(), start, 160);
    let open = line.strip_suffix(b"forHTTPHeaderField: \"")?.trim_ascii_end().strip_suffix(b"\",")?;
    let from = memchr::memrchr(b'"', open)? + 1;
    let (from, to) = (start - line.len() + from, start - line.len() + open.len());
    let last = text.get(from..to)?.rsplit(' ').next()?;
    (value::is_mixed(last, 8) && !value::is_placeholder(last))
        .then(|| Span::new(to - last.len(), to, Label::AuthHeader))
}

/// Directives of servers that set a header, which follows them with its value.
const DIRECTIVES: &[&[u8]] =
    &[b"header_up", b"proxy_set_header", b"set-header", b"RequestHeader set", b"request_header"];

/// Returns the end of a value that goes on in the next line, which then starts with a blank and has nothing else (RFC 9112, section
/// 5.2).
fn folded(bytes: &[u8], end: usize) -> usize {
    let newline = end + usize::from(byte(bytes, end) == b'\r');
    let from = run_end(bytes, newline + 1, 8, |b| b == b' ' || b == b'\t');
    let to = run_end(bytes, from, MAX_VALUE, |b| b.is_ascii_alphanumeric() || b"-._~+/=%;".contains(&b));
    let run = bytes.get(from..to).unwrap_or_default();
    let alone = matches!(byte(bytes, to), 0 | b'\n' | b'\r');
    let random =
        run.len() >= 8 && run.iter().any(u8::is_ascii_digit) && run.iter().any(u8::is_ascii_alphabetic);
    // A terminal cut the line, in a listing that marks each line.
    let mark = line_before(bytes, end, MAX_VALUE).first().copied().unwrap_or(0);
    let cut = b"><*".contains(&mark) && byte(bytes, newline + 1) != mark;
    let folded = byte(bytes, newline) == b'\n' && (from > newline + 1 || cut) && alone && random;
    if folded { to } else { end }
}

/// Finds the cookies that the option `-b` of curl at `at` sends; a word without `=` is a file.
pub(super) fn cookie_option(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let quote = byte(bytes, at);
    let from = at + usize::from(b"\"'".contains(&quote));
    let end = run_end(bytes, from, MAX_VALUE, |b| match from > at {
        true => b != quote && b != b'\n',
        false => !b.is_ascii_whitespace(),
    });
    let value = text.get(from..head_end(text, from, end))?.split_once('=')?.1;
    (value.len() >= 3 && !value::is_placeholder(value)).then_some((from, end))
}

/// Finds the token after the word `bearer`, which ends at `end`.
pub(super) fn bearer(text: &str, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    // `AuthenticationHeaderValue("Bearer", "…")`
    let quoted = bytes.get(end..end + 2) == Some(b"\",");
    let from = run_end(bytes, end, 5, |b| b == b' ' || quoted && b"\",".contains(&b));
    let to = run_end(bytes, from, MAX_VALUE, |b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b));
    let to = trimmed(bytes, from, to);
    let token = text.get(from..head_end(text, from, to))?;
    (from > end && value::is_mixed(token, 16) && !value::is_placeholder(token))
        .then(|| Span::new(from, to, Label::AuthHeader))
}

/// Returns the start of the value in another notation: in the line below a name in YAML, as the value of a pair in JSON, and
/// between quotation marks behind the name in the configuration of a server: `proxy_set_header Authorization "Basic …"`.
fn paired_value(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let quoted = run_end(bytes, end, 3, |b| b"\\\"'`]".contains(&b));
    let from = separators::value_below(bytes, start, quoted)
        .or_else(|| {
            (byte(bytes, quoted) == b',').then(|| separators::pair_value(bytes, quoted + 1)).flatten()
        })
        .or_else(|| {
            let at = run_end(bytes, end, 4, |b| b == b' ' || b == b'\t');
            let scheme = [&b"Basic "[..], b"Bearer ", b"Token "];
            let inside = bytes.get(at + 1..)?;
            let known = scheme.iter().any(|scheme| inside.starts_with(scheme));
            let known = known && b"\"'".contains(&byte(bytes, at));
            let directive = || {
                let before = line_before(bytes, start, 32).trim_ascii_end();
                DIRECTIVES.iter().any(|word| before.ends_with(word))
            };
            (at > end && (known || directive())).then_some(at)
        })
        .or_else(|| listed_below(bytes, end))?;
    Some(run_end(bytes, from, 2, |b| b"\\\"'`".contains(&b)))
}

/// Returns the start of the first item of a list in the line below a name (YAML).
fn listed_below(bytes: &[u8], end: usize) -> Option<usize> {
    let line = bytes.get(end..)?.strip_prefix(b":\n")?;
    let item = run_end(bytes, bytes.len() - line.len(), 32, |b| b == b' ');
    (bytes.get(item..item + 2)? == b"- ").then_some(item + 2)
}

/// Returns the start of the value: after a colon, or after `=` or `=>` and a quotation mark.
fn value_start(bytes: &[u8], end: usize) -> Option<usize> {
    let blank = |from: usize| run_end(bytes, from, 4, |b| b == b' ' || b == b'\t');
    let quoted = run_end(bytes, end, 3, |b| b"\\\"'`]".contains(&b));
    let at = blank(quoted);
    let from = match byte(bytes, at) {
        b':' if byte(bytes, at + 1) != b':' => blank(at + 1),
        // A comparison is no header, nor what follows in a list but text.
        b'=' if bytes.get(at..at + 2) == Some(b"==") => return None,
        b',' if !b"\"'`\\".contains(&byte(bytes, blank(at + 1))) => return None,
        b'=' if quoted == end && line_before(bytes, end, 15) == b"document.cookie" => {
            let open = blank(at + 1);
            b"\"'`".contains(&byte(bytes, open)).then_some(open)?
        }
        b'=' | b',' if quoted > end => blank(run_end(bytes, at, 2, |b| b"=>,".contains(&b))),
        _ => return None,
    };
    let list = byte(bytes, from) == b'[' && b"\"'".contains(&byte(bytes, from + 1));
    Some(run_end(bytes, from + usize::from(list), 2, |b| b"\\\"'`".contains(&b)))
}

/// Returns the end of a value that an escape cuts off: at `\n`, or at `\"`.
fn escaped_end(bytes: &[u8], from: usize, to: usize) -> usize {
    let inside = bytes.get(from..to).unwrap_or_default();
    let escape = inside.windows(2).position(|pair| matches!(pair, [b'\\', b'n' | b'r']));
    let to = escape.map_or(to, |length| from + length);
    if byte_before(bytes, to) == b'\\' && to > from { to - 1 } else { to }
}

fn word_end(bytes: &[u8], from: usize, to: usize) -> usize {
    trimmed(bytes, from, run_end(bytes, from, to - from, |b| !b.is_ascii_whitespace()))
}

fn trimmed(bytes: &[u8], from: usize, mut to: usize) -> usize {
    while to > from && b".,;:)}]".contains(&byte_before(bytes, to)) {
        to -= 1;
    }
    to
}

/// Returns the part of an Authorization value after the scheme (RFC 9110, section 11.4).
fn credential(text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let scheme_end = run_end(bytes, from, to - from, |b| b.is_ascii_alphanumeric() || b == b'-');
    let scheme = text.get(from..scheme_end)?;
    if byte(bytes, scheme_end) != b' ' || scheme_end >= to {
        let end = word_end(bytes, from, to);
        return value::is_mixed(text.get(from..head_end(text, from, end))?, 8).then_some((from, end));
    }
    let start = run_end(bytes, scheme_end, 4, |b| b == b' ').min(to);
    let listed =
        ["digest", "aws4-hmac-sha256", "oauth", "signature", "hawk", "sharedkey", "hmac", "negotiate"];
    let whole = listed.iter().any(|name| scheme.eq_ignore_ascii_case(name));
    Some((start, if whole { parameters_end(bytes, start, to) } else { word_end(bytes, start, to) }))
}

/// Returns the end of `name="value", name=value`, or `to`, which is at the first quotation mark.
fn parameters_end(bytes: &[u8], start: usize, to: usize) -> usize {
    let mut end = to;
    let mut from = start;
    while from < start + MAX_VALUE {
        let name = run_end(bytes, from, 32, |b| is_ident(b) || b == b'-');
        if name == from || byte(bytes, name) != b'=' {
            break;
        }
        let value = match byte(bytes, name + 1) {
            b'"' => run_end(bytes, name + 2, MAX_VALUE, |b| b != b'"' && b != b'\n') + 1,
            _ => run_end(bytes, name + 1, MAX_VALUE, |b| !b.is_ascii_whitespace() && !b",\"'".contains(&b)),
        };
        end = end.max(value.min(bytes.len()));
        from = run_end(bytes, value, 4, |b| b", ".contains(&b));
        if from == value {
            break;
        }
    }
    end
}

fn head_end(text: &str, start: usize, end: usize) -> usize {
    floor(text, end.min(start + value::HEAD)).max(start)
}

#[cfg(test)]
mod tests {
    use super::{super::assignments::name_around, *};

    fn found<'t>(text: &'t str, word: &str) -> Option<&'t str> {
        let (start, end) = name_around(text.as_bytes(), text.find(word)?);
        find(text, start, end, true).map(|span| text.get(span.start..span.end).unwrap())
    }

    #[test]
    fn credentials() {
        for (text, word, wanted) in [
            (
                "curl -H \"Authorization: Bearer ghp_abcdefghijklmnop\"",
                "Authorization",
                "ghp_abcdefghijklmnop",
            ),
            ("Authorization: Basic dXNlcjpwYXNz\r\nHost: x", "Authorization", "dXNlcjpwYXNz"),
            ("{\"authorization\":\"Bearer abc\"}", "authorization", "abc"),
            (
                "Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=c",
                "Authorization",
                "Credential=a/b, Signature=c",
            ),
            ("Cookie: sid=31d4d96e; theme=dark\n", "Cookie", "sid=31d4d96e; theme=dark"),
            ("Set-Cookie: sid=31d4d96e; HttpOnly", "Set-Cookie", "sid=31d4d96e"),
            ("X-Api-Key: 12ab34cd", "X-Api-Key", "12ab34cd"),
            ("- name: Authorization\n  value: Basic dXNlcjpwYXNz\n", "Authorization", "dXNlcjpwYXNz"),
            ("{\"name\":\"Cookie\",\"value\":\"sid=31d4d96e\"}", "Cookie", "sid=31d4d96e"),
            ("proxy_set_header Authorization \"Basic dXNlcjpwYXNz\";", "Authorization", "dXNlcjpwYXNz"),
            ("\"HTTP_COOKIE\"=>\"sid=31d4d96e\"", "HTTP_COOKIE", "sid=31d4d96e"),
            ("HTTP_AUTHORIZATION: Bearer 31d4d96e", "HTTP_AUTHORIZATION", "31d4d96e"),
        ] {
            assert_eq!(found(text, word), Some(wanted), "{text}");
        }
        let curl = "curl -b 'JSESSIONID=A3A64AF4' https://h.example";
        assert_eq!(cookie_option(curl, 8), Some((9, 28)));
        assert_eq!(cookie_option("curl -b cookies.txt https://h.example", 8), None);
    }

    #[test]
    fn no_credentials() {
        for (text, word) in [
            ("Authorization: Bearer <token>", "Authorization"),
            ("Authorization: Bearer $TOKEN", "Authorization"),
            ("Authorization: required", "Authorization"),
            ("authorization: none", "authorization"),
            ("X-Api-Key: ${KEY}", "X-Api-Key"),
            ("Cookie: see below", "Cookie"),
            ("Authorization: Basic base64(user:password)", "Authorization"),
            ("pub Authorization: WINBIO_PRESENCE_0,", "Authorization"),
        ] {
            assert_eq!(found(text, word), None, "{text}");
        }
        let folded = "X-Api-Key: 12ab34cd\n 56ef78ab\nHost: h";
        assert_eq!(found(folded, "X-Api"), Some("12ab34cd\n 56ef78ab"));
        assert!(bearer("bearer tokens expire in 1 h", 6).is_none());
        assert!(bearer("Bearer 0123456789abcdef0123", 6).is_some());
    }
}
