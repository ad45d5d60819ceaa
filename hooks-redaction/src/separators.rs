//! Reads what stands between the name of a secret and its value: a sign, an element, a type, the words of a sentence.

use super::{
    assignments::{is_login, is_upper},
    below, elements,
    names::Noun,
    quotation::quotation,
    text::{byte, line_before, run_end},
};

/// Text between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Equals,
    SpacedEquals,
    Colon,
    Element,
    /// Between the cells of a table, where captions stand as well.
    Cell,
    QuotedOnly,
    Option,
    Prose,
}

/// Parses the separator between a name and its value; returns it with the position of the value.
pub(super) fn separator(
    bytes: &[u8],
    start: usize,
    end: usize,
    noun: Noun,
    lines: bool,
) -> Option<(Separator, usize)> {
    let blank = |from: usize| run_end(bytes, from, 40, |b| b == b' ' || b == b'\t');
    if byte(bytes, end) == b'>' && opens_element(line_before(bytes, start, 24)) {
        return Some((Separator::Element, elements::inside(bytes, end + 1, lines)));
    }
    let quoted = run_end(bytes, end, 5, |b| b"\\\"'`]".contains(&b));
    if let Some(from) = value_below(bytes, start, quoted) {
        return Some((Separator::Colon, from));
    }
    if quoted > end && byte(bytes, quoted) == b'>' {
        return Some((Separator::Element, elements::inside(bytes, quoted + 1, lines)));
    }
    if bytes.get(end..end + 2) == Some(b"</")
        && let Some((from, is_value)) = elements::beside(bytes, end, lines)
    {
        return Some((if is_value { Separator::Element } else { Separator::Cell }, from));
    }
    let variable = lines && quoted > end && line_before(bytes, start, 16).ends_with(VARIABLE);
    if let Some(from) = default_of_variable(bytes, quoted).filter(|_| variable) {
        return Some((Separator::QuotedOnly, from));
    }
    let at = blank(quoted);
    let spaced = at > quoted;
    if quoted > end && bytes.get(at..at + 6) == Some(b"value=") {
        return Some((Separator::QuotedOnly, at + 6));
    }
    let two = bytes.get(at..at + 2).unwrap_or_default();
    let compared = matches!(two, b"==" | b"!=");
    match byte(bytes, at) {
        b',' if quoted > end && noun == Noun::Password && is_strong(bytes, blank(at + 1)) => {
            Some((Separator::QuotedOnly, blank(at + 1)))
        }
        _ if compared => Some((Separator::QuotedOnly, blank(run_end(bytes, at, 3, |b| b"=!".contains(&b))))),
        // `token=>…` is a function.
        _ if two == b"=>" && quoted == end => Some((Separator::QuotedOnly, blank(at + 2))),
        _ if two == b"=>" || two == b":=" || two == b"->" || two == b"<-" => {
            Some((Separator::SpacedEquals, blank(at + 2)))
        }
        b'=' => {
            let from = blank(at + 1);
            Some((if spaced || from > at + 1 { Separator::SpacedEquals } else { Separator::Equals }, from))
        }
        // `${DB_PASSWORD:?is not set}`
        b':' if b"?+".contains(&byte(bytes, at + 1)) && line_before(bytes, start, 2) == b"${" => None,
        b':' if byte(bytes, at + 1) != b':' => {
            let direct = quoted == end || at == quoted;
            let below = if lines && direct { below::value(bytes, start, at) } else { None };
            let below = below.or_else(|| member(bytes, blank(at + 1), lines).filter(|_| quoted > end));
            Some((Separator::Colon, below.unwrap_or_else(|| behind_mark(bytes, blank(at + 1)))))
        }
        // `t.pass("tests/a.rs")` is a call of a test.
        b'(' if bytes.get(start..end)? == b"pass" => None,
        b'(' if quoted == end && is_asked_for(bytes.get(start..end)?, bytes.get(at + 1..)?) => None,
        b'(' if quoted == end => Some((Separator::QuotedOnly, blank(at + 1))),
        b',' if lines && quoted > end && pair_value(bytes, at + 1).is_some() => {
            Some((Separator::Colon, pair_value(bytes, at + 1)?))
        }
        b',' if quoted > end && is_upper(bytes.get(start..end)?) => {
            Some((Separator::QuotedOnly, blank(at + 1)))
        }
        _ if quoted == end && behind_type(bytes, end).is_some() => {
            Some((Separator::QuotedOnly, blank(behind_type(bytes, end)?)))
        }
        _ if !spaced || quoted > end => None,
        // A column of a text of help follows.
        _ if bytes.get(start..start + 2)? == b"--" && at > end + 1 => None,
        _ if is_option(bytes.get(start..end)?) => Some((Separator::Option, at)),
        _ if is_set(line_before(bytes, start, 32)) => Some((Separator::Option, at)),
        _ if noun == Noun::Password => prose(bytes, start, at, lines),
        _ => None,
    }
}

/// Returns the start of the value behind an anchor or a type of YAML at `from`: `&name …`, `!!str …`.
fn behind_mark(bytes: &[u8], from: usize) -> usize {
    let end = run_end(bytes, from + 1, 32, |b| b.is_ascii_alphanumeric() || b"_!-".contains(&b));
    let text = matches!(bytes.get(from..end), Some(b"!!str" | b"!str" | b"!!binary"));
    let known = text || byte(bytes, from) == b'&' && end > from + 1;
    let value = run_end(bytes, end, 4, |b| b == b' ');
    // A reference of Rust has a value of its own: `password: &str = "…"`.
    if known && value > end && byte(bytes, value) != b'=' { value } else { from }
}

/// Returns the start of the value in the object at `from`, whose first member it is, or which has it in its first line:
/// `{"value": "…"}`, `{"type": "string", "value": "…"}`.
fn member(bytes: &[u8], from: usize, lines: bool) -> Option<usize> {
    let rest = bytes.get(from..bytes.len().min(from + 160))?.strip_prefix(b"{")?;
    let blank = |from: usize| run_end(bytes, from, 64, |b| b == b' ' || lines && b.is_ascii_whitespace());
    let line = rest.split(|b| *b == b'\n' || *b == b'}').next()?;
    let inside = if line.trim_ascii().is_empty() {
        blank(from + 1)
    } else {
        from + 1 + memchr::memmem::find(line, b"\"value\"")?
    };
    let known = bytes.get(inside..inside + 7)? == b"\"value\"";
    let colon = run_end(bytes, inside + 7, 2, |b| b == b' ');
    (known && byte(bytes, colon) == b':').then(|| run_end(bytes, colon + 1, 4, |b| b == b' '))
}

/// Returns whether the next argument is a text as only passwords are: `setProperty("password", "Dr4gon!x")`.
fn is_strong(bytes: &[u8], from: usize) -> bool {
    let Some((start, end)) = quotation(bytes, from) else { return false };
    is_strong_text(bytes.get(start..end).unwrap_or_default())
}

/// Returns whether a text has letters and signs, or letters in both cases and digits, as only passwords do.
pub(super) fn is_strong_text(text: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| text.iter().any(class);
    let signs = text.iter().any(|b| b"!@#$%^&*~+?".contains(b)) && has(u8::is_ascii_alphabetic);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    (8..=64).contains(&text.len()) && (signs || mixed) && text.iter().all(u8::is_ascii_graphic)
}

/// Returns the end of the `=` behind the type of a variable: `password string = "…"`, `password As String = "…"`,
/// `password[] = "…"`.
fn behind_type(bytes: &[u8], from: usize) -> Option<usize> {
    let end = run_end(bytes, from, 24, |b| b.is_ascii_alphanumeric() || b" []*&".contains(&b));
    let kind = bytes.get(from..end)?.trim_ascii();
    let known = [&b"string"[..], b"String", b"As String", b"&str", b"[]", b"*string"];
    (known.contains(&kind) && byte(bytes, end) == b'=' && byte(bytes, end + 1) != b'=').then_some(end + 1)
}

/// Returns whether the first argument of a function with the name of a secret is no secret: `get_password("mail", …)`,
/// `new Token("@scope/name:Type")`.
fn is_asked_for(name: &[u8], arguments: &[u8]) -> bool {
    let verbs = [&b"get"[..], b"set", b"find", b"delete", b"Username", b"username"];
    verbs.iter().any(|verb| name.starts_with(verb)) || arguments.starts_with(b"\"@")
}

/// Returns whether the text before a name opens an element: `<`, or `<` and the prefix of a namespace.
fn opens_element(before: &[u8]) -> bool {
    let name = before.rsplit(|b| *b == b'<').next().unwrap_or_default();
    let prefix = name
        .split_last()
        .is_some_and(|(colon, prefix)| *colon == b':' && prefix.iter().all(u8::is_ascii_alphanumeric));
    before.contains(&b'<') && (name.is_empty() || prefix)
}

/// Returns the start of the value behind a name in JSON: `"name": "DB_PASSWORD", "value": "…"`.
pub(super) fn pair_value(bytes: &[u8], from: usize) -> Option<usize> {
    let blank = |from: usize| run_end(bytes, from, 32, |b| b == b' ' || b == b'\t');
    let line = blank(from) + usize::from(byte(bytes, blank(from)) == b'\r');
    let key = blank(line + usize::from(byte(bytes, line) == b'\n'));
    let known = bytes.get(key..key + 7)?.eq_ignore_ascii_case(b"\"value\"");
    let colon = blank(key + 7);
    (known && byte(bytes, colon) == b':').then(|| blank(colon + 1))
}

/// Start of the block of a variable of Terraform.
pub(super) const VARIABLE: &[u8] = b"variable \"";
/// Most bytes of such a block that are read.
pub(super) const MAX_BLOCK: usize = 256;

/// Returns the start of the default in the block of a variable of Terraform: `variable "x" { default = "…" }`.
fn default_of_variable(bytes: &[u8], from: usize) -> Option<usize> {
    let open = run_end(bytes, from, 2, |b| b == b' ');
    let block = bytes.get(open..bytes.len().min(open + MAX_BLOCK))?.strip_prefix(b"{")?;
    let block = block.split(|b| b"}[".contains(b)).next()?;
    let at = memchr::memmem::find(block, b"default")? + b"default".len();
    let value = run_end(block, at, 16, |b| b == b' ' || b == b'=');
    Some(open + 1 + value)
}

/// Returns the start of the value on the line below a name: `- name: DB_PASSWORD` and `  value: …` in YAML.
pub(super) fn value_below(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let next = run_end(bytes, end, 2, |b| b"\r\n".contains(&b));
    if next == end || !is_name_of_pair(line_before(bytes, start, 64)) {
        return None;
    }
    let key = run_end(bytes, next, 64, |b| b == b' ');
    let colon = bytes.get(key..)?.strip_prefix(b"value:")?;
    Some(key + b"value:".len() + run_end(colon, 0, 8, |b| b == b' '))
}

/// Returns whether the text before a name is `name:`, perhaps as an item of a list.
pub(super) fn is_name_of_pair(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b"\"").or(line.strip_suffix(b"'")).unwrap_or(line).trim_ascii_end();
    line.strip_prefix(b"- ").unwrap_or(line).trim_ascii() == b"name:"
}

/// Returns whether a name takes the next word: an option, a command such as `add-authtoken`, a line of `redis.conf`.
fn is_option(name: &[u8]) -> bool {
    name.starts_with(b"-") || name.starts_with(b"add-") || name == b"requirepass"
}

/// Returns whether a line ends with a command that sets a variable: `aws configure set `, `setx `, `set -x `.
fn is_set(line: &[u8]) -> bool {
    let Some(line) = line.strip_suffix(b" ") else { return false };
    let mut words = line.rsplit(|b| *b == b' ').filter(|word| !word.starts_with(b"-"));
    words.next().is_some_and(|word| matches!(word, b"set" | b"setx" | b"setenv" | b"config:set" | b"ENV"))
}

/// Parses "password is", "password was", "login x password".
fn prose(bytes: &[u8], start: usize, at: usize, lines: bool) -> Option<(Separator, usize)> {
    let line = line_before(bytes, start, 96);
    if line.starts_with(b"machine ") && line.split(|b| *b == b' ').any(|word| word == b"login") {
        return Some((Separator::Option, at));
    }
    // The same over several lines.
    if lines && line.trim_ascii().is_empty() && is_login(bytes, start.saturating_sub(line.len() + 1)) {
        return Some((Separator::Option, at));
    }
    // `SET PASSWORD FOR 'app'@'%' = '…'` in SQL.
    if bytes.get(at..at + 4) == Some(b"FOR ") {
        let equals = at + memchr::memchr(b'=', bytes.get(at..bytes.len().min(at + 96))?)?;
        return Some((Separator::QuotedOnly, run_end(bytes, equals + 1, 4, |b| b == b' ')));
    }
    // The control of a module: `password [success=1 default=ignore] pam_unix.so`.
    if byte(bytes, at) == b'[' {
        return None;
    }
    let word_end = run_end(bytes, at, 8, |b| b.is_ascii_alphabetic());
    // The next column of a listing.
    if line_before(bytes, at, 2) == b"  " {
        return None;
    }
    let link = matches!(bytes.get(at..word_end)?, b"is" | b"was" | b"are" | b"to" | b"set" | b"by" | b"BY");
    let next = run_end(bytes, word_end, 2, |b| b == b' ' || b == b':');
    Some((Separator::Prose, if link && next > word_end { next } else { at }))
}
