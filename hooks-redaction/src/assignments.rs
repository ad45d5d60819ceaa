//! Finds the value in `password=…`, `"secret": "…"`, `--token …`, `<password>…</password>` and "the password
//! is …".

use super::{
    elements,
    label::Label,
    names::{self, Noun},
    span::Span,
    text::{byte, byte_before, floor, line_before, run_end, run_start},
    value::{self, Style},
};

/// Longest value, with or without quotation marks.
const MAX_VALUE: usize = 4096;

/// Value after a name.
#[derive(Debug)]
struct Value {
    start: usize,
    end: usize,
    style: Style,
}

/// Text between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
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

/// Returns the extent of the name around `at`.
pub(super) fn name_around(bytes: &[u8], at: usize) -> (usize, usize) {
    let class = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let mut start = run_start(bytes, at, names::MAX_NAME, class);
    let mut end = run_end(bytes, at, names::MAX_NAME, class);
    if byte_before(bytes, start) == b'\\' && b"nrt".contains(&byte(bytes, start)) && start < at {
        start += 1;
    }
    while end > at && byte_before(bytes, end) == b'-' {
        end -= 1;
    }
    (start, end)
}

/// Finds the secret after the name at `start..end`; with `lines`, also by the lines around it.
pub(super) fn find(text: &str, start: usize, end: usize, lines: bool) -> Option<Span> {
    let name = text.get(start..end)?;
    if let Some(secret) = aws_secret_behind(text.as_bytes(), name, start, end, lines) {
        return Some(secret);
    }
    // Most names in prose and code have no value. This is cheaper than their words.
    let guess =
        if name.bytes().any(|b| b.eq_ignore_ascii_case(&b'p')) { Noun::Password } else { Noun::Token };
    separator(text.as_bytes(), start, end, guess, lines)?;
    let noun = names::noun(name)?;
    let value = value_behind(text, start, end, noun, lines)?;
    // The next name of a list of names.
    if is_upper(name.as_bytes())
        && text.get(value.start..value.end).is_some_and(|next| is_upper(next.as_bytes()))
    {
        return None;
    }
    let head_end = floor(text, value.end.min(value.start + value::HEAD));
    let head = text.get(value.start..head_end)?;
    if names::is_aws_secret(name) && super::forms::is_aws_secret(head.as_bytes()) {
        return Some(Span::new(value.start, value.end, Label::AwsSecretAccessKey));
    }
    let shell = value.style == Style::Attached && name.bytes().all(|b| !b.is_ascii_lowercase());
    // A form of OpenSSL, which the options of commands know.
    if name == "-pass" && head.starts_with("pass:") {
        return None;
    }
    // The folder of a process; a variable that is named as the parameter.
    let bare = head.trim_end_matches([',', ';', ')']);
    if (bare.starts_with(['/', '~']) && name.to_ascii_lowercase().ends_with("pwd"))
        || bare.eq_ignore_ascii_case(name)
        || names_parameter(text.as_bytes(), name, head, value.end)
    {
        return None;
    }
    if reads_on(text.as_bytes(), start, &value) || is_caption(name, head) {
        return None;
    }
    // The number of a public key (OpenPGP).
    if name.to_ascii_lowercase().ends_with("signingkey") && head.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let label = match noun {
        Noun::Password => value::is_password(head, value.style).then_some(Label::Password),
        Noun::Secret if shell && name.len() > 4 => {
            (value::is_password(head, value.style) && head.len() >= 6).then_some(Label::Password)
        }
        Noun::Secret if lines && names::is_bare_pass(name) && is_for_user(text.as_bytes(), start) => {
            value::is_password(head, value.style).then_some(Label::Password)
        }
        Noun::Secret if value.style == Style::Quoted && value::has_rare_sign(head) => {
            value::is_password(head, value.style).then_some(Label::Password)
        }
        Noun::Secret => value::is_token(head, value.style, 6).then_some(Label::Password),
        Noun::Token => value::is_token(head, value.style, 8).then_some(Label::ApiKey),
    }?;
    Some(Span::new(value.start, value.end, label))
}

/// Returns whether a value is the first word of a text, in a file of texts: `two_factor_passcode=Code of the device`.
fn reads_on(bytes: &[u8], start: usize, value: &Value) -> bool {
    if value.style != Style::Attached
        || !line_before(bytes, start, 1).is_empty()
        || !byte(bytes, start).is_ascii_lowercase()
    {
        return false;
    }
    let end = run_end(bytes, value.end, 120, |b| b != b'\n');
    let rest = bytes.get(value.end..end).unwrap_or_default();
    let words = rest.split(|b| *b == b' ').filter(|word| !word.is_empty()).count();
    let letters = bytes
        .get(value.start..value.end)
        .is_some_and(|word| word.iter().all(|b| b.is_ascii_alphabetic() || *b >= 0x80));
    letters && rest.starts_with(b" ") && words >= 2 && !rest.contains(&b'=') && !rest.contains(&b'-')
}

/// Verbs at the start of the names of captions.
const VERBS: &[&str] = &[
    "show",
    "hide",
    "toggle",
    "forgot",
    "forgotten",
    "change",
    "reset",
    "confirm",
    "update",
    "repeat",
    "retype",
    "enter",
    "lost",
];

/// Returns whether a value is the caption of a button or field: `"reset_password": "Reset"`.
fn is_caption(name: &str, value: &str) -> bool {
    let first = names::words(name).into_iter().next().unwrap_or_default();
    let word = value.starts_with(char::is_uppercase) && value.chars().skip(1).all(char::is_lowercase);
    word && VERBS.contains(&first.as_str())
}

/// Returns whether a name is that of a type or file, or a part of an address: `AWS::AppSync::ApiKey`, `etc/passwd`,
/// `arn:aws:…:secret:…`.
pub(super) fn is_part_of_path(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = line_before(bytes, start, 2);
    before == b"::"
        || (before.ends_with(b":") && byte(bytes, end) == b':')
        || (before.ends_with(b"/") && before != b"*/" && byte(bytes, end) != b'=')
}

/// Returns whether the value of an option is the name of its parameter in a text of help: `--password=name  Password to use`.
fn names_parameter(bytes: &[u8], name: &str, value: &str, end: usize) -> bool {
    name.starts_with("--")
        && value.bytes().all(|b| b.is_ascii_lowercase())
        && bytes.get(end..end + 2) == Some(b"  ")
}

/// Returns whether `pass` at `at` belongs to a user: the line above names one, or it is an argument of OpenSSL.
fn is_for_user(bytes: &[u8], at: usize) -> bool {
    let line = line_before(bytes, at, 32);
    if line.ends_with(b"-passin ") || line.ends_with(b"-passout ") {
        return true;
    }
    names_user(bytes, at.saturating_sub(line.len() + 1))
}

/// Returns whether the line that ends at `end` names a user, as the one above a password may.
pub(super) fn names_user(bytes: &[u8], end: usize) -> bool {
    let line = first_word(whole_line(bytes, end)).to_ascii_lowercase();
    [&b"user"[..], b"username", b"login", b"email"].iter().any(|name| {
        line.strip_prefix(*name).is_some_and(|rest| matches!(rest.first(), Some(b':' | b'=' | b'"' | b' ')))
    })
}

/// Returns the line that ends at `end`, if it is short.
fn whole_line(bytes: &[u8], end: usize) -> &[u8] {
    let line = line_before(bytes, end, 97);
    if line.len() < 97 { line } else { &[] }
}

/// Returns a line from its first letter or digit on.
fn first_word(line: &[u8]) -> &[u8] {
    let start = line.iter().position(u8::is_ascii_alphanumeric).unwrap_or(line.len());
    line.get(start..).unwrap_or_default()
}

/// Returns whether the line of `.netrc` that ends at `end` names the user of the password in the next line.
pub(super) fn is_login(bytes: &[u8], end: usize) -> bool {
    let line = first_word(whole_line(bytes, end));
    line.starts_with(b"login ") || line.starts_with(b"account ")
}

/// Finds the secret of an AWS access key after its name and a blank, or "is": its form is known, so it needs no sign.
fn aws_secret_behind(bytes: &[u8], name: &str, start: usize, end: usize, lines: bool) -> Option<Span> {
    if byte(bytes, end) != b' ' {
        return None;
    }
    let phrase = || {
        let before = line_before(bytes, start, 16).to_ascii_lowercase();
        before.ends_with(b"secret ") || before.ends_with(b"secret access ")
    };
    if !(names::is_aws_secret(name) || name.eq_ignore_ascii_case("key") && phrase()) {
        return None;
    }
    let blank = run_end(bytes, end, 8, |b| b == b' ');
    let from = if bytes.get(blank..)?.starts_with(b"is ") { blank + 3 } else { blank };
    let class = |b: u8| b.is_ascii_alphanumeric() || b"/+".contains(&b);
    let to = run_end(bytes, from, 41, class);
    let wrapped = || {
        // A terminal may have cut it in two.
        let full = line_before(bytes, to, 60).len() >= 60 && byte(bytes, to) == b'\n' && to > from + 3;
        let end = run_end(bytes, to + 1, 41, class);
        let whole = [bytes.get(from..to)?, bytes.get(to + 1..end)?].concat();
        (full && super::forms::is_aws_secret(&whole)).then_some(end)
    };
    let end = if super::forms::is_aws_secret(bytes.get(from..to)?) {
        Some(to)
    } else {
        wrapped().filter(|_| lines)
    }?;
    Some(Span::new(from, end, Label::AwsSecretAccessKey))
}

/// Finds the password behind the address `start..end` of a user, in a map of a mail server: `[host]:587 user@host:password`.
pub(super) fn mapped(text: &str, start: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let to = run_end(bytes, end + 1, 128, |b| !b.is_ascii_whitespace());
    let host = line_before(bytes, start, 128)
        .strip_suffix(b" ")
        .or(line_before(bytes, start, 128).strip_suffix(b"\t"))?
        .trim_ascii();
    let is_host = host.contains(&b'.')
        && host.len() < 120
        && host.iter().all(|b| b.is_ascii_alphanumeric() || b".-[]:".contains(b));
    let alone = matches!(byte(bytes, to), 0 | b'\n' | b'\r') && byte(bytes, end) == b':';
    let found = text.get(end + 1..floor(text, to))?;
    (is_host && alone && value::is_password(found, Style::Attached))
        .then(|| Span::new(end + 1, to, Label::Password))
}

/// Finds the password of `user:password` after a user option that ends at `at`.
pub(super) fn user_option(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let from = run_end(bytes, at, 4, |b| b == b' ' || b == b'=');
    let (quote, from) = match byte(bytes, from) {
        quote @ (b'"' | b'\'') => (Some(quote), from + 1),
        _ => (None, from),
    };
    let end = run_end(bytes, from, 256, |b| match quote {
        Some(quote) => b != quote && b != b'\n',
        None => !b.is_ascii_whitespace() && !b"\"'".contains(&b),
    });
    let colon = from + memchr::memchr(b':', bytes.get(from..end)?)?;
    let found = text.get(colon + 1..end)?;
    let user = bytes.get(from..colon)?.iter().all(|b| b.is_ascii_alphanumeric() || b"._-@+\\".contains(b));
    let ports = found.bytes().all(|b| b.is_ascii_digit());
    let secret = user
        && colon > from
        && !ports
        && !found.starts_with('/')
        && !found.contains("://")
        && !value::is_placeholder(found);
    secret.then(|| Span::new(colon + 1, end, Label::Password))
}

/// Finds the value of an option that takes a password and ends at `at`: `sshpass -p …`, `mysql -p…`.
pub(super) fn option_value(text: &str, at: usize, attached: bool) -> Option<Span> {
    let bytes = text.as_bytes();
    let from = if attached { at } else { run_end(bytes, at, 4, |b| b == b' ') };
    let (start, end) = quotation(bytes, from).unwrap_or_else(|| {
        (from, run_end(bytes, from, 256, |b| !b.is_ascii_whitespace() && !b"\"'".contains(&b)))
    });
    let head = text.get(start..floor(text, end.min(start + value::HEAD)))?;
    (!head.starts_with('-') && value::is_password(head, Style::Attached))
        .then(|| Span::new(start, end, Label::Password))
}

/// Finds the password that `echo` gives to the command at `at` by a pipe: of `sudo -S`, or after the user of `chpasswd`.
pub(super) fn piped(text: &str, at: usize, after_user: bool) -> Option<Span> {
    let line = line_before(text.as_bytes(), at, 160);
    let pipe = line.iter().rposition(|b| *b == b'|')?;
    let command = line.get(..pipe)?.trim_ascii_end();
    let echo = [&b"echo "[..], b"echo -n ", b"printf "];
    let start =
        echo.iter().filter_map(|word| Some(memchr::memmem::rfind(command, word)? + word.len())).max()?;
    let from = at - line.len() + start;
    let to = at - line.len() + command.len();
    let (start, end) = quotation(text.as_bytes(), from).unwrap_or((from, to));
    let start =
        if after_user { start + memchr::memchr(b':', text.as_bytes().get(start..end)?)? + 1 } else { start };
    let head = text.get(start..floor(text, end.min(start + value::HEAD)))?;
    (!head.contains(char::is_whitespace) && value::is_password(head, Style::Attached))
        .then(|| Span::new(start, end, Label::Password))
}

/// Finds the password in a line of `.pgpass`, `host:port:database:user:password`, whose first colon is at `at`.
pub(super) fn pgpass(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let host = line_before(bytes, at, 128);
    let name = |b: u8| b.is_ascii_alphanumeric() || b"._-*".contains(&b);
    let port = run_end(bytes, at + 1, 6, |b| b.is_ascii_digit() || b == b'*');
    let database = run_end(bytes, port + 1, 64, name);
    let user = run_end(bytes, database + 1, 64, name);
    let end = run_end(bytes, user + 1, 256, |b| !b.is_ascii_whitespace());
    let digits = bytes.get(at + 1..port)?;
    let fields = [(port, port - at), (database, database - port), (user, user - database)];
    let split = fields.iter().all(|(colon, length)| byte(bytes, *colon) == b':' && *length > 1);
    let found = text.get(user + 1..floor(text, end.min(user + 1 + value::HEAD)))?;
    let known = (digits == b"*" || digits.len() >= 4) && host.iter().all(|b| name(*b)) && !host.is_empty();
    (known && split && !found.contains(['/', ':']) && value::is_mixed(found, 6))
        .then(|| Span::new(user + 1, end, Label::Password))
}

/// Returns the value after a name, without judging it.
fn value_behind(text: &str, start: usize, end: usize, noun: Noun, lines: bool) -> Option<Value> {
    let bytes = text.as_bytes();
    let (separator, from) = separator(bytes, start, end, noun, lines)?;
    if let Some((open, close)) = quotation(bytes, from) {
        return Some(Value { start: open, end: literals_end(bytes, close), style: Style::Quoted });
    }
    if separator == Separator::QuotedOnly {
        return None;
    }
    let typed = if separator == Separator::Colon { typed_value(bytes, from) } else { None };
    if let Some((open, close)) = typed {
        return Some(Value { start: open, end: close, style: Style::Quoted });
    }
    let end = plain_end(bytes, from, separator);
    if matches!(separator, Separator::Element | Separator::Cell) && bytes.get(end..end + 2)? != b"</" {
        return None;
    }
    let rest = run_end(bytes, end, 64, |b| b" \t\r,;}".contains(&b));
    let alone = matches!(byte(bytes, rest), 0 | b'\n' | b'#');
    let style = match separator {
        Separator::Equals | Separator::Element | Separator::QuotedOnly => Style::Attached,
        Separator::SpacedEquals => Style::Spaced,
        Separator::Colon => Style::Plain(alone),
        Separator::Option => Style::Plain(true),
        Separator::Prose | Separator::Cell => Style::Prose,
    };
    Some(Value { start: from, end, style })
}

/// Parses the separator between a name and its value; returns it with the position of the value.
fn separator(bytes: &[u8], start: usize, end: usize, noun: Noun, lines: bool) -> Option<(Separator, usize)> {
    let blank = |from: usize| run_end(bytes, from, 40, |b| b == b' ' || b == b'\t');
    if byte(bytes, end) == b'>' && opens_element(line_before(bytes, start, 24)) {
        return Some((Separator::Element, elements::inside(bytes, end + 1, lines)));
    }
    let quoted = run_end(bytes, end, 3, |b| b"\\\"'`]".contains(&b));
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
        _ if two == b"=>" || two == b":=" || two == b"->" => Some((Separator::SpacedEquals, blank(at + 2))),
        b'=' => {
            let from = blank(at + 1);
            Some((if spaced || from > at + 1 { Separator::SpacedEquals } else { Separator::Equals }, from))
        }
        // `${DB_PASSWORD:?is not set}`
        b':' if b"?+".contains(&byte(bytes, at + 1)) && line_before(bytes, start, 2) == b"${" => None,
        b':' if byte(bytes, at + 1) != b':' => Some((Separator::Colon, blank(at + 1))),
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
        _ if is_option(bytes.get(start..end)?) => Some((Separator::Option, at)),
        _ if is_set(line_before(bytes, start, 32)) => Some((Separator::Option, at)),
        _ if noun == Noun::Password => prose(bytes, start, at, lines),
        _ => None,
    }
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
    words.next().is_some_and(|word| matches!(word, b"set" | b"setx" | b"setenv" | b"config:set"))
}

fn is_upper(name: &[u8]) -> bool {
    name.contains(&b'_') && name.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
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
    let word_end = run_end(bytes, at, 8, |b| b.is_ascii_alphabetic());
    // The next column of a listing.
    if line_before(bytes, at, 2) == b"  " {
        return None;
    }
    let link = matches!(bytes.get(at..word_end)?, b"is" | b"was" | b"are" | b"to" | b"set" | b"by" | b"BY");
    let next = run_end(bytes, word_end, 2, |b| b == b' ' || b == b':');
    Some((Separator::Prose, if link && next > word_end { next } else { at }))
}

/// Returns the inside of the quotation that starts at `from`.
pub(super) fn quotation(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let prefix = b"bBrRuUfF@N".contains(&byte(bytes, from)) && b"\"'".contains(&byte(bytes, from + 1));
    let from = if prefix { from + 1 } else { from };
    let escaped = byte(bytes, from) == b'\\';
    let open = from + usize::from(escaped);
    let quote = byte(bytes, open);
    if !b"\"'`".contains(&quote) {
        return None;
    }
    let start = open + 1;
    let rest = bytes.get(start..bytes.len().min(start + MAX_VALUE))?;
    let mut backslashes = 0_usize;
    let mut doubled = false;
    for (length, b) in rest.iter().enumerate() {
        // YAML and SQL double an apostrophe to write one.
        if doubled || (*b == b'\'' && quote == b'\'' && length > 0 && byte(rest, length + 1) == b'\'') {
            doubled = !doubled;
            continue;
        }
        if *b == b'\n' {
            return None;
        }
        if *b == quote && (backslashes.is_multiple_of(2) || (escaped && backslashes == 1)) {
            let end = start + length - usize::from(escaped && backslashes == 1);
            return Some((start, end));
        }
        backslashes = if *b == b'\\' { backslashes + 1 } else { 0 };
    }
    None
}

/// Returns the end of the literals that go on with the one which ends at `close`: `"a" & "b"`, and the new value of a plan of
/// Terraform, `"a" -> "b"`.
fn literals_end(bytes: &[u8], close: usize) -> usize {
    let mut end = close;
    for _literal in 0..8 {
        let blank = run_end(bytes, end + 1, 4, |b| b == b' ');
        let sign = bytes.get(blank..).unwrap_or_default();
        let length = [&b"->"[..], b"..", b"+", b"&", b"."]
            .iter()
            .find(|known| sign.starts_with(known))
            .map_or(0, |sign| sign.len());
        let from = run_end(bytes, blank + length, 4, |b| b == b' ');
        let quote = byte(bytes, from);
        let joined = length > 0 || from == end + 1 && byte(bytes, from + 1).is_ascii_alphanumeric();
        let Some((_, next)) =
            quotation(bytes, from).filter(|_| joined && quote == byte(bytes, end) && b"\"'".contains(&quote))
        else {
            break;
        };
        end = next;
    }
    end
}

/// Returns the value after a type: `password: str = "…"`.
fn typed_value(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let end = run_end(bytes, from, 32, |b| b.is_ascii_alphanumeric() || b"&_<>[]| ':.?".contains(&b));
    let equals = byte(bytes, end) == b'=' && end > from;
    equals.then(|| quotation(bytes, run_end(bytes, end + 1, 4, |b| b == b' '))).flatten()
}

/// Returns the end of a value without quotation marks.
fn plain_end(bytes: &[u8], from: usize, separator: Separator) -> usize {
    // A template or a call is not a secret, so its end is not worth a long search.
    let limit = if b"${(<".contains(&byte(bytes, from)) { value::HEAD } else { MAX_VALUE };
    let rest = bytes.get(from..bytes.len().min(from + limit)).unwrap_or_default();
    let mut depth = 0_usize;
    let is_element = matches!(separator, Separator::Element | Separator::Cell);
    let length = rest.iter().enumerate().position(|(i, b)| {
        let at = from + i;
        match b {
            _ if is_element => *b == b'<' || b.is_ascii_whitespace() || *b == 0,
            b'\n' => true,
            _ if b.is_ascii_whitespace() => depth == 0,
            // A template or a call may contain spaces.
            b'{' | b'(' if i < 4 => {
                depth += 1;
                false
            }
            b'}' | b')' if depth > 0 => {
                depth -= 1;
                false
            }
            b'"' | b'\'' | b'`' => depth == 0 && i > 0,
            b'&' | b',' | b';' | b'|' => depth == 0 && ends_field(bytes, at + 1),
            b'}' | b')' | b']' => i > 0 && ends_field(bytes, at + 1),
            b'\\' => b"nrt\"".contains(&byte(bytes, at + 1)),
            0 => true,
            _ => false,
        }
    });
    let mut end = from + length.unwrap_or(rest.len());
    if depth > 0 && length.is_none() {
        end = run_end(bytes, from, MAX_VALUE, |b| !b.is_ascii_whitespace());
    }
    if matches!(separator, Separator::Prose | Separator::Colon | Separator::Option) {
        while end > from && b".,;:!?)".contains(&byte_before(bytes, end)) && separator == Separator::Prose {
            end -= 1;
        }
    }
    end
}

/// Returns whether the character at `at - 1` ends a field: the text ends there, or the next field starts.
fn ends_field(bytes: &[u8], at: usize) -> bool {
    let next = byte(bytes, at);
    if next == 0 || next.is_ascii_whitespace() || b"\"'`}]),;".contains(&next) {
        return true;
    }
    let name = run_end(bytes, at, 48, |b| b.is_ascii_alphanumeric() || b"_- .".contains(&b));
    name > at && b"=:".contains(&byte(bytes, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(text: &'t str, word: &str) -> Option<&'t str> {
        let (start, end) = name_around(text.as_bytes(), text.find(word)?);
        find(text, start, end, true).map(|span| text.get(span.start..span.end).unwrap())
    }

    #[test]
    fn values() {
        for (text, word, wanted) in [
            ("password=correct-horse-battery", "password", "correct-horse-battery"),
            ("{\"password\":\"pa55 word\"}", "password", "pa55 word"),
            (r#"{\"password\":\"pa55 word\"}"#, "password", "pa55 word"),
            ("DB_PASSWORD: \"Sup3r!Secret#1\"", "PASSWORD", "Sup3r!Secret#1"),
            ("password: letmein\n", "password", "letmein"),
            ("Server=h;Password=a,b&c;Database=d", "Password", "a,b&c"),
            ("?user=x&password=letmein&y=1", "password", "letmein"),
            ("SECRET=n0t-4-r3al-0ne", "SECRET", "n0t-4-r3al-0ne"),
            ("mysql --password hunter2 db", "password", "hunter2"),
            ("<password>hunter2</password>", "password", "hunter2"),
            ("the password is hunter2.", "password", "hunter2"),
            ("and password changeMe_now9", "password", "changeMe_now9"),
            ("let password: &str = \"swordfish\";", "password", "swordfish"),
            ("define('DB_PASSWORD', 'swordfish')", "PASSWORD", "swordfish"),
            ("machine h login joe password swordfish", "password", "swordfish"),
            ("IDENTIFIED BY x; PASSWORD 'sw0rdfish'", "PASSWORD", "sw0rdfish"),
            ("password: 'it''s'", "password", "it''s"),
            ("<add key=\"Password\" value=\"Passw0rd!\" />", "Password", "Passw0rd!"),
            ("api_key: 4f9a8b7c6d5e", "api_key", "4f9a8b7c6d5e"),
            ("setx API_KEY 4f9a8b7c6d5e", "KEY", "4f9a8b7c6d5e"),
            ("password -> hunter2x", "password", "hunter2x"),
            ("wifi psk=\"hunter2xyz\"", "psk", "hunter2xyz"),
            ("keytool -storepass hunter2x", "storepass", "hunter2x"),
            ("- name: DB_PASSWORD\n  value: hunter2x\n", "PASSWORD", "hunter2x"),
            ("  - name: \"API_KEY\"\r\n    value: \"4f9a8b7c6d5e\"\n", "KEY", "4f9a8b7c6d5e"),
            ("set -x API_KEY 4f9a8b7c6d5e", "KEY", "4f9a8b7c6d5e"),
            (r"A=1\nPASSWORD=hunter2\nB=2", "PASSWORD", "hunter2"),
            ("machine h\n  login joe\n  password swordfish\n", "password", "swordfish"),
            ("user: joe\npass: mango-winter\n", "pass", "mango-winter"),
            ("{\"name\": \"DB_PASSWORD\", \"value\": \"hunter2x\"}", "PASSWORD", "hunter2x"),
            ("variable \"db_password\" {\n  default = \"hunter2x\"\n}", "password", "hunter2x"),
            ("<wsse:Password>hunter2</wsse:Password>", "Password", "hunter2"),
            ("<entry key=\"db.password\">hunter2</entry>", "password", "hunter2"),
            ("password: Harvest2024!\n", "password", "Harvest2024!"),
            (
                "RESTIC_PASSWORD=\"lantern otter summer monkey 39\"",
                "PASSWORD",
                "lantern otter summer monkey 39",
            ),
            ("password                  = \"Z8jq-x\"", "password", "Z8jq-x"),
            ("password = velvet-falcon-cobalt", "password", "velvet-falcon-cobalt"),
            ("var dbPassword string = \"hunter2x\"", "Password", "hunter2x"),
            ("SET PASSWORD FOR 'ro'@'localhost' = 'hunter2x';", "PASSWORD", "hunter2x"),
            ("Dim password As String = \"hunter2x\"", "password", "hunter2x"),
            ("setProperty(\"mail.smtp.password\", \"Dr4gonfly\")", "password", "Dr4gonfly"),
            ("db_password = \"0ld-one\" -> \"n3w-one\"", "password", "0ld-one\" -> \"n3w-one"),
            ("c.Password = \"abc9\" & \"def8\"", "Password", "abc9\" & \"def8"),
            ("<Password>\n  <Value>hunter2</Value>", "Password", "hunter2"),
            ("<key>password</key>\n<string>hunter2</string>", "password", "hunter2"),
            ("<name>db.password</name>\n  <value>hunter2</value>", "password", "hunter2"),
            ("<td>password</td><td><code>hunter2</code></td>", "password", "hunter2"),
            ("<p name=\"password\"><stringProp name=\"v\">hunter2</stringProp>", "password", "hunter2"),
            ("WITH PASSWORD = N'hunter2'", "PASSWORD", "hunter2"),
        ] {
            assert_eq!(found(text, word), Some(wanted), "{text}");
        }
    }

    #[test]
    fn no_values() {
        for (text, word) in [
            ("PASSWORD=$(cat /run/secrets/db)", "PASSWORD"),
            ("password: {{ .Values.dbPassword }}", "password"),
            ("token: undefined", "token"),
            ("secretName: db-credentials", "secret"),
            ("if (!password) throw new Error('no password')", "password"),
            ("password: string;", "password"),
            ("password = getpass()", "password"),
            ("OPENAI_API_KEY=\"\"", "KEY"),
            ("token = req.headers.authorization", "token"),
            ("passwords must have 8 characters", "password"),
            ("\"password\", \"email\"", "password"),
            ("password=self.password,", "password"),
            ("- name: DB_PASSWORD\n  valueFrom: hunter2x\n", "PASSWORD"),
            ("see DB_PASSWORD\n  value: hunter2x\n", "PASSWORD"),
            ("GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}", "TOKEN"),
            ("Compiling password-hash v0.5.0", "password"),
            ("PWD=/home/dev/projects/app", "PWD"),
            ("password=[FILTERED]", "password"),
            ("  -p, --password=name  Password to use", "password"),
            ("connect(passphrase=passphrase, 1)", "passphrase"),
            ("password: \"please choose your new word\"", "password"),
            ("[\"password\", \"user_id_2\"]", "password"),
            ("https://<user>:<password>@host/path", "password"),
            ("redis://:{{ redis_password }}@redis:6379", "password"),
            ("$password = $_POST['password'] ?? null;", "password"),
            ("password VARCHAR(255) NOT NULL,", "password"),
            ("token: CancellationToken.None", "token"),
            ("update_password=dict(type=\"bool\")", "password"),
            ("MISSING_PASSWORD:\"auth/missing-password\"", "PASSWORD"),
            ("passwd:/etc/passwd", "passwd"),
            (": \"${DB_PASSWORD:?DB_PASSWORD must be set}\"", "PASSWORD"),
            ("object Password { implicit val show = 1", "Password"),
            ("ii  passwd      1:4.13+dfsg1-1+b1 amd64", "passwd"),
            ("two_factor_passcode=Codul de autentificare\n", "passcode"),
            ("\"reset_password\": \"Reset\"", "password"),
            ("<td>password</td><td>string</td>", "password"),
            ("<th>Password</th><td>Required</td>", "Password"),
            ("read.password('       Again:     ')", "password"),
        ] {
            assert_eq!(found(text, word), None, "{text}");
        }
    }

    #[test]
    fn values_of_options() {
        let password = |text: &str, option: &str, attached| {
            option_value(text, text.find(option)? + option.len(), attached)
                .map(|span| text.get(span.start..span.end).unwrap().to_owned())
        };
        assert_eq!(password("mysql -u root -pS3cret! db", "-p", true).as_deref(), Some("S3cret!"));
        assert_eq!(password("sshpass -p 'a b' ssh h", "-p", false).as_deref(), Some("a b"));
        assert_eq!(password("mysql -u root -p db", "-p", true), None);
        assert_eq!(password("sshpass -p $PASS ssh h", "-p", false), None);
    }

    #[test]
    fn piped_and_listed_passwords() {
        let of_pipe = |text: &str, command: &str, after_user| {
            let found = piped(text, text.find(command)?, after_user)?;
            Some(text.get(found.start..found.end).unwrap().to_owned())
        };
        assert_eq!(of_pipe("echo 'Dragon@' | sudo -S ls", "-S", false).as_deref(), Some("Dragon@"));
        assert_eq!(of_pipe("echo bob:hunter2 | chpasswd", "chpasswd", true).as_deref(), Some("hunter2"));
        assert_eq!(of_pipe("echo $PASS | docker login --password-stdin", "--pass", false), None);
        let listed = |text: &str| {
            let found = pgpass(text, text.find(':')?)?;
            Some(text.get(found.start..found.end).unwrap().to_owned())
        };
        assert_eq!(listed("db.acme.io:5432:app:joe:Dragon945!\n").as_deref(), Some("Dragon945!"));
        assert_eq!(listed("src/main.rs:1045:12:error:x1y2z3"), None);
        assert_eq!(listed("a.log:12:34:56:x1y2z3"), None);
    }

    #[test]
    fn passwords_of_a_map() {
        let of_map = |text: &str| {
            let found = mapped(text, text.find("joe@")?, text.find("joe@")? + "joe@h.example".len())?;
            Some(text.get(found.start..found.end).unwrap().to_owned())
        };
        assert_eq!(of_map("[smtp.example.net]:587 joe@h.example:hunter2\n").as_deref(), Some("hunter2"));
        assert_eq!(of_map("scp joe@h.example:file2\n"), None);
        assert_eq!(of_map("smtp.example.net joe@h.example: hunter2\n"), None);
    }

    #[test]
    fn user_options() {
        let password = |text: &str| {
            user_option(text, text.find("-u")? + 2)
                .map(|span| text.get(span.start..span.end).unwrap().to_owned())
        };
        assert_eq!(password("curl -u admin:adm1n-pass -H x").as_deref(), Some("adm1n-pass"));
        assert_eq!(password("curl -u 'a:b c' x").as_deref(), Some("b c"));
        for text in ["id -u root", "curl -u sk_x: y", "docker run -u 1000:1000 x", "curl -u a:$PASS x"] {
            assert_eq!(password(text), None, "{text}");
        }
    }
}
