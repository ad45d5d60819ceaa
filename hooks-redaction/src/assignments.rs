//! Finds the value in `password=…`, `"secret": "…"`, `--token …`, `<password>…</password>` and "the password
//! is …".
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("DB_PASSWORD=Xk7-qP2vRw, max_tokens=200"), "DB_PASSWORD=[PASSWORD_REDACTED], max_tokens=200");
//! ```

use super::{
    code, elements, encoded,
    label::Label,
    names::{self, Noun},
    quotation::{hashed, literals_end, plain_end, quotation, typed_value},
    separators::{Separator, separator},
    span::Span,
    text::{byte, byte_before, floor, line_before, run_end, run_start},
    value::{self, Style},
};

/// Value after a name.
#[derive(Debug)]
struct Value {
    start: usize,
    end: usize,
    style: Style,
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
    if let Some((from, to)) = encoded::echoed(text.as_bytes(), value.start).filter(|_| noun != Noun::Token) {
        return Some(Span::new(from, to, Label::Password));
    }
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
    let upper = name.bytes().all(|b| !b.is_ascii_lowercase());
    let shell = value.style == Style::Attached && upper;
    let is_attached = byte(text.as_bytes(), end) == b'=';
    let quoted = value.style == Style::Quoted && upper && is_attached && value.start == end + 2;
    // A form of OpenSSL, which the options of commands know.
    if name == "-pass" && head.starts_with("pass:") {
        return None;
    }
    // The folder of a process; a variable that is named as the parameter.
    let bare = head.trim_end_matches([',', ';', ')']);
    if (bare.starts_with(['/', '~']) && name.to_ascii_lowercase().ends_with("pwd"))
        || bare.eq_ignore_ascii_case(name)
        || is_attached && is_in_program(text.as_bytes(), start, name) && code::is_reference(head)
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
        Noun::Password if head.contains(' ') && is_phrase_of_network(name, head, value.style) => {
            Some(Label::Password)
        }
        Noun::Password if is_free_text(text.as_bytes(), start, &value, name, head) => Some(Label::Password),
        Noun::Password if quoted && value::is_words(head) => Some(Label::Password),
        Noun::Password => value::is_password(head, value.style).then_some(Label::Password),
        Noun::Secret if quoted && is_long_phrase(head) => {
            value::is_password(head, value.style).then_some(Label::Password)
        }
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

/// Returns whether `name=` may be an argument or a member in a program. Names of shells, at the start of a line, of options and of
/// queries have values as they are.
fn is_in_program(bytes: &[u8], start: usize, name: &str) -> bool {
    let before = byte_before(bytes, start);
    name.bytes().any(|b| b.is_ascii_lowercase()) && !name.starts_with('-') && !b"?&-\n\r\0".contains(&before)
}

/// Returns whether a value is a long text of words with dashes that names nothing: `a-phrase-to-sign-with`.
fn is_long_phrase(head: &str) -> bool {
    head.len() >= 16
        && head.matches('-').count() >= 3
        && !head.contains([' ', '/', '.', ':'])
        && head.split('-').all(|word| names::noun(word).is_none())
}

/// Returns whether an unquoted value with blanks is the key of a wireless network.
fn is_phrase_of_network(name: &str, head: &str, style: Style) -> bool {
    matches!(name, "psk" | "wpa_passphrase") && style == Style::Attached && !value::is_placeholder(head)
}

/// Returns whether a value in quotation marks may be any text: behind a variable of a shell with signs inside its words, or as the
/// key of a wireless network, which has 8 to 63 characters (IEEE 802.11i).
fn is_free_text(bytes: &[u8], start: usize, value: &Value, name: &str, head: &str) -> bool {
    if value.style != Style::Quoted || value::is_placeholder(head) || value::is_word(head) {
        return false;
    }
    let attached = bytes.get(start + name.len()) == Some(&b'=') && value.start == start + name.len() + 2;
    let shell = name.bytes().all(|b| !b.is_ascii_lowercase());
    let signed = head.as_bytes().windows(3).any(|three| match three {
        [a, sign, b] => a.is_ascii_alphabetic() && b"!@#$%^&*~+=".contains(sign) && b.is_ascii_alphanumeric(),
        _ => false,
    });
    attached && (shell && signed || name.ends_with("psk") && (8..=63).contains(&head.len()))
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
    before == b"::" && !is_in_hierarchy(bytes, start, end)
        || (before.ends_with(b":") && byte(bytes, end) == b':')
        || (before.ends_with(b"/") && before != b"*/" && byte(bytes, end) != b'=')
}

/// Returns whether a name is the last one of a key of Puppet's data: `profile::db::password: …`.
fn is_in_hierarchy(bytes: &[u8], start: usize, end: usize) -> bool {
    bytes.get(end..end + 2) == Some(b": ")
        && line_before(bytes, start, names::MAX_NAME)
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_:".contains(b))
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
    line.starts_with(b"login ") || line.starts_with(b"account ") || line.starts_with(b"user ")
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

pub(super) fn is_upper(name: &[u8]) -> bool {
    name.contains(&b'_') && name.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Returns the end of the key of a wireless network whose first word ends at `end`: the rest of its line belongs to it (hostapd,
/// NetworkManager).
fn phrase_end(bytes: &[u8], start: usize, name_end: usize, end: usize) -> usize {
    let named = matches!(bytes.get(start..name_end), Some(b"psk" | b"wpa_passphrase"));
    let line = run_end(bytes, end, 64, |b| b != b'\n' && b != b'\r');
    let fits = (8..=63).contains(&(line - name_end - 1));
    if named && line_before(bytes, start, 1).is_empty() && fits { line } else { end }
}

/// Returns the value after a name, without judging it.
fn value_behind(text: &str, start: usize, end: usize, noun: Noun, lines: bool) -> Option<Value> {
    let (bytes, name_end) = (text.as_bytes(), end);
    let (separator, from) = separator(bytes, start, end, noun, lines)?;
    if let Some((open, close)) = quotation(bytes, from) {
        return Some(Value { start: open, end: literals_end(bytes, close), style: Style::Quoted });
    }
    if separator == Separator::QuotedOnly {
        return None;
    }
    let typed = if separator == Separator::Colon { typed_value(bytes, from) } else { None };
    let typed = typed.or_else(|| hashed(bytes, from));
    if let Some((open, close)) = typed {
        return Some(Value { start: open, end: close, style: Style::Quoted });
    }
    let is_element = matches!(separator, Separator::Element | Separator::Cell);
    if let Some((open, close)) = elements::section(bytes, from).filter(|_| is_element) {
        let is_spaced = bytes.get(open..close)?.iter().any(u8::is_ascii_whitespace);
        let style = if is_spaced { Style::Quoted } else { style_of(separator, true) };
        return Some(Value { start: open, end: close, style });
    }
    let is_assigned = matches!(separator, Separator::Equals | Separator::SpacedEquals);
    if let Some(end) = groups_end(bytes, from).filter(|_| noun == Noun::Password && is_assigned) {
        return Some(Value { start: from, end, style: Style::Quoted });
    }
    if let Some((open, close)) = constructed(bytes, from) {
        return Some(Value { start: open, end: close, style: Style::Quoted });
    }
    let end = plain_end(bytes, from, separator);
    let end = if separator == Separator::Equals { phrase_end(bytes, start, name_end, end) } else { end };
    if is_element && bytes.get(end..end + 2)? != b"</" {
        return None;
    }
    let rest = run_end(bytes, end, 64, |b| b" \t\r,;}".contains(&b));
    let alone = matches!(byte(bytes, rest), 0 | b'\n' | b'#');
    Some(Value { start: from, end, style: style_of(separator, alone) })
}

/// Returns the end of four groups of four letters, as Google shows the passwords that it makes for programs ("Sign in with app
/// passwords").
fn groups_end(bytes: &[u8], from: usize) -> Option<usize> {
    let text = bytes.get(from..from + 19)?;
    let is_group = |group: &[u8]| group.len() == 4 && group.iter().all(u8::is_ascii_lowercase);
    let after = byte(bytes, from + 19);
    (text.split(|b| *b == b' ').all(is_group) && !after.is_ascii_alphanumeric() && after != b' ')
        .then_some(from + 19)
}

/// Types that hold a text, and functions that wrap a value; `from` and `new` count behind one of them.
const HOLDERS: &[&[u8]] = &[
    b"Some",
    b"Ok",
    b"String",
    b"SecretString",
    b"SecretStr",
    b"SecureString",
    b"Secret",
    b"Zeroizing",
    b"Buffer",
    b"Arc",
    b"Rc",
    b"Box",
];
/// Most of them around one text.
const MAX_NESTING: usize = 3;

/// Returns the text that is the only argument of constructors: `String::from("…")`, `Some("…".into())`.
fn constructed(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    for _level in 0..MAX_NESTING {
        let open = run_end(bytes, at, 48, |b| b.is_ascii_alphanumeric() || b"_:.".contains(&b));
        let mut names = bytes.get(at..open)?.rsplit(|b| b":.".contains(b)).filter(|name| !name.is_empty());
        let last = names.next()?;
        let holder = if matches!(last, b"from" | b"new") { names.next()? } else { last };
        if byte(bytes, open) != b'(' || !HOLDERS.contains(&holder) {
            return None;
        }
        at = open + 1;
        if let Some((start, end)) = quotation(bytes, at) {
            return b").".contains(&byte(bytes, end + 1)).then_some((start, end));
        }
    }
    None
}

/// Returns the notation of a value without quotation marks, which stands `alone` in its line or not.
const fn style_of(separator: Separator, alone: bool) -> Style {
    match separator {
        Separator::Equals | Separator::Element | Separator::QuotedOnly => Style::Attached,
        Separator::SpacedEquals => Style::Spaced,
        Separator::Colon => Style::Plain(alone),
        Separator::Option => Style::Plain(true),
        Separator::Prose | Separator::Cell => Style::Prose,
    }
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
            ("DB_PASSWORD=adminPassword", "PASSWORD", "adminPassword"),
            ("https://a.example/?password=rootPassword", "password", "rootPassword"),
            ("password=rootPassword\n", "password", "rootPassword"),
            ("let user_pass = String::from(\"orchid-Lamp-19\");", "pass", "orchid-Lamp-19"),
            ("password: Some(SecretString::new(\"orchid-Lamp-19\".into())),", "password", "orchid-Lamp-19"),
            ("JWT_SECRET=\"a-phrase-to-be-signed-with\"", "SECRET", "a-phrase-to-be-signed-with"),
            ("ADMIN_PASSWORD='purple lantern otter'", "PASSWORD", "purple lantern otter"),
            ("MAIL_PASSWORD=abcd efgh ijkl mnop\n", "PASSWORD", "abcd efgh ijkl mnop"),
            ("smtp_pass = abcd efgh ijkl mnop", "pass", "abcd efgh ijkl mnop"),
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
            ("<password><![CDATA[hunter2]]></password>", "password", "hunter2"),
            ("DB_PASSWORD=\"Sup3rS3cret_${STAGE}\"", "PASSWORD", "Sup3rS3cret_${STAGE}"),
            ("<password><![CDATA[Xk7<qP2vRw]]></password>", "password", "Xk7<qP2vRw"),
            ("<password><![CDATA[pass word 9]]></password>", "password", "pass word 9"),
            ("<Password><Value><![CDATA[hun ter<2]]></Value>", "Password", "hun ter<2"),
            ("<key>password</key><string><![CDATA[hun<ter2]]></string>", "password", "hun<ter2"),
            ("password = \"\"\"\nXk7-qP2vRw9z\n\"\"\"\n", "password", "Xk7-qP2vRw9z"),
            ("password = '''\r\nXk7-qP2vRw9z'''\r\n", "password", "Xk7-qP2vRw9z"),
            ("password = \"\"\"\\\n  Xk7-qP2vRw9z\\\n  \"\"\"\n", "password", "Xk7-qP2vRw9z"),
            ("password: &pw hunter2x", "password", "hunter2x"),
            ("password: !!str 'hunter2'", "password", "hunter2"),
            (r#"\\\"password\\\":\\\"hunter2\\\""#, "password", "hunter2"),
            ("\"{\"\"password\"\": \"\"hunter2\"\"}\"", "password", "hunter2"),
            ("password = \"\"\"hunter2\"\"\"", "password", "hunter2"),
            ("PASSWORD=$'hun\\'ter2'", "PASSWORD", "hun\\'ter2"),
            ("PGPASSWORD='tr!cky pass, yes'", "PASSWORD", "tr!cky pass, yes"),
            ("psk=\"seven sleepy goats\"", "psk", "seven sleepy goats"),
            ("wpa_passphrase=seven sleepy goats\n", "passphrase", "seven sleepy goats"),
            ("{name: x, password: goose-Step-Up, type: text}", "password", "goose-Step-Up"),
            ("password: await hash(\"Seed&Sow1\", 10)", "password", "Seed&Sow1"),
            ("profile::db::password: hunter2", "password", "hunter2"),
            ("password <- \"hunter2\"", "password", "hunter2"),
            ("\"password\": {\"value\": \"hunter2\"}", "password", "hunter2"),
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
            ("a.password=b.password,a.token=c(d)", "password"),
            ("connect(user=u, password=parsed.password)", "password"),
            ("f(password=masterPassword)", "password"),
            ("let password = Regex::new(\"^[a-z]{8,}$\")", "password"),
            ("password: good very good word", "password"),
            ("ADMIN_PASSWORD='please choose one soon'", "PASSWORD"),
            ("ENTER_PASSWORD='enter the new password'", "PASSWORD"),
            ("IMAGE_SECRET=\"registry-credentials-of-prod-eu\"", "SECRET"),
            ("password = Some(read_line())", "password"),
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
            ("<password><![CDATA[Please enter your password]]></password>", "password"),
            ("password = \"\"\"\nThe word that opens the door.\n\"\"\"\n", "password"),
            ("password = \"\"\"\nwinter77x\nand more text\n\"\"\"\n", "password"),
        ] {
            assert_eq!(found(text, word), None, "{text}");
        }
    }
}
