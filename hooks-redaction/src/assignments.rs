//! Finds the value in `password=…`, `"secret": "…"`, `--token …`, `<password>…</password>` and "the password
//! is …".

use super::{
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

/// Finds the secret after the name at `start..end`.
pub(super) fn find(text: &str, start: usize, end: usize) -> Option<Span> {
    let name = text.get(start..end)?;
    if let Some(secret) = aws_secret_behind(text.as_bytes(), name, start, end) {
        return Some(secret);
    }
    // Most names in prose and code have no value. This is cheaper than their words.
    let guess =
        if name.bytes().any(|b| b.eq_ignore_ascii_case(&b'p')) { Noun::Password } else { Noun::Token };
    separator(text.as_bytes(), start, end, guess)?;
    let noun = names::noun(name)?;
    let value = value_behind(text, start, end, noun)?;
    let head_end = floor(text, value.end.min(value.start + value::HEAD));
    let head = text.get(value.start..head_end)?;
    if names::is_aws_secret(name) && super::forms::is_aws_secret(head.as_bytes()) {
        return Some(Span::new(value.start, value.end, Label::AwsSecretAccessKey));
    }
    let shell = value.style == Style::Attached && name.bytes().all(|b| !b.is_ascii_lowercase());
    let label = match noun {
        Noun::Password => value::is_password(head, value.style).then_some(Label::Password),
        Noun::Secret if shell && name.len() > 4 => {
            (value::is_password(head, value.style) && head.len() >= 6).then_some(Label::Password)
        }
        Noun::Secret => value::is_token(head, value.style, 6).then_some(Label::Password),
        Noun::Token => value::is_token(head, value.style, 8).then_some(Label::ApiKey),
    }?;
    Some(Span::new(value.start, value.end, label))
}

/// Finds the secret of an AWS access key after its name and a blank, or "is": its form is known, so it needs no sign.
fn aws_secret_behind(bytes: &[u8], name: &str, start: usize, end: usize) -> Option<Span> {
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
    let to = run_end(bytes, from, 41, |b| b.is_ascii_alphanumeric() || b"/+".contains(&b));
    super::forms::is_aws_secret(bytes.get(from..to)?).then(|| Span::new(from, to, Label::AwsSecretAccessKey))
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
    let secret = user && colon > from && !ports && !found.starts_with('/') && !value::is_placeholder(found);
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

/// Returns the value after a name, without judging it.
fn value_behind(text: &str, start: usize, end: usize, noun: Noun) -> Option<Value> {
    let bytes = text.as_bytes();
    let (separator, from) = separator(bytes, start, end, noun)?;
    if let Some((open, close)) = quotation(bytes, from) {
        return Some(Value { start: open, end: close, style: Style::Quoted });
    }
    if separator == Separator::QuotedOnly {
        return None;
    }
    let typed = if separator == Separator::Colon { typed_value(bytes, from) } else { None };
    if let Some((open, close)) = typed {
        return Some(Value { start: open, end: close, style: Style::Quoted });
    }
    let end = plain_end(bytes, from, separator);
    let rest = run_end(bytes, end, 64, |b| b" \t\r,;}".contains(&b));
    let alone = matches!(byte(bytes, rest), 0 | b'\n' | b'#');
    let style = match separator {
        Separator::Equals | Separator::Element | Separator::QuotedOnly => Style::Attached,
        Separator::SpacedEquals => Style::Spaced,
        Separator::Colon => Style::Plain(alone),
        Separator::Option => Style::Plain(true),
        Separator::Prose => Style::Prose,
    };
    Some(Value { start: from, end, style })
}

/// Parses the separator between a name and its value; returns it with the position of the value.
fn separator(bytes: &[u8], start: usize, end: usize, noun: Noun) -> Option<(Separator, usize)> {
    let blank = |from: usize| run_end(bytes, from, 8, |b| b == b' ' || b == b'\t');
    if byte(bytes, end) == b'>' && byte_before(bytes, start) == b'<' {
        return Some((Separator::Element, end + 1));
    }
    let quoted = run_end(bytes, end, 3, |b| b"\\\"'`]".contains(&b));
    if let Some(from) = value_below(bytes, start, quoted) {
        return Some((Separator::Colon, from));
    }
    let at = blank(quoted);
    let spaced = at > quoted;
    if quoted > end && bytes.get(at..at + 6) == Some(b"value=") {
        return Some((Separator::QuotedOnly, at + 6));
    }
    let two = bytes.get(at..at + 2).unwrap_or_default();
    let compared = matches!(two, b"==" | b"!=");
    match byte(bytes, at) {
        _ if compared => Some((Separator::QuotedOnly, blank(run_end(bytes, at, 3, |b| b"=!".contains(&b))))),
        _ if two == b"=>" || two == b":=" || two == b"->" => Some((Separator::SpacedEquals, blank(at + 2))),
        b'=' => {
            let from = blank(at + 1);
            Some((if spaced || from > at + 1 { Separator::SpacedEquals } else { Separator::Equals }, from))
        }
        b':' if byte(bytes, at + 1) != b':' => Some((Separator::Colon, blank(at + 1))),
        // `t.pass("tests/a.rs")` is a call of a test.
        b'(' if bytes.get(start..end)? == b"pass" => None,
        b'(' if quoted == end => Some((Separator::QuotedOnly, blank(at + 1))),
        b',' if quoted > end && is_upper(bytes.get(start..end)?) => {
            Some((Separator::QuotedOnly, blank(at + 1)))
        }
        _ if !spaced || quoted > end => None,
        _ if bytes.get(start..end)?.starts_with(b"--") => Some((Separator::Option, at)),
        _ if is_set(line_before(bytes, start, 32)) => Some((Separator::Option, at)),
        _ if noun == Noun::Password => prose(bytes, start, at),
        _ => None,
    }
}

/// Returns the start of the value on the line below a name: `- name: DB_PASSWORD` and `  value: …` in YAML.
fn value_below(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
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

/// Returns whether a line ends with a command that sets a variable: `aws configure set `, `setx `, `set -x `.
fn is_set(line: &[u8]) -> bool {
    let Some(line) = line.strip_suffix(b" ") else { return false };
    let mut words = line.rsplit(|b| *b == b' ').filter(|word| !word.starts_with(b"-"));
    words.next().is_some_and(|word| matches!(word, b"set" | b"setx" | b"setenv" | b"config:set"))
}

fn is_upper(name: &[u8]) -> bool {
    name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase)
}

/// Parses "password is", "password was", "login x password".
fn prose(bytes: &[u8], start: usize, at: usize) -> Option<(Separator, usize)> {
    let line = line_before(bytes, start, 96);
    if line.starts_with(b"machine ") && line.split(|b| *b == b' ').any(|word| word == b"login") {
        return Some((Separator::Option, at));
    }
    let word_end = run_end(bytes, at, 8, |b| b.is_ascii_alphabetic());
    let link = matches!(bytes.get(at..word_end)?, b"is" | b"was" | b"are" | b"to" | b"set" | b"by" | b"BY");
    let next = run_end(bytes, word_end, 2, |b| b == b' ' || b == b':');
    Some((Separator::Prose, if link && next > word_end { next } else { at }))
}

/// Returns the inside of the quotation that starts at `from`.
fn quotation(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let prefix = b"bBrRuUfF@".contains(&byte(bytes, from)) && b"\"'".contains(&byte(bytes, from + 1));
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
    let length = rest.iter().enumerate().position(|(i, b)| {
        let at = from + i;
        match b {
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
            b'<' => separator == Separator::Element,
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
        find(text, start, end).map(|span| text.get(span.start..span.end).unwrap())
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
