//! Finds the password among the arguments of a call: `login("user", "…")`, `getConnection(url, "user", "…")`,
//! `auth=("user", "…")`, `getByLabel("Password").fill("…")`.
//!
//! The second argument of a call that signs in:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("imap.login(\"ada\", \"Xk7-qP2vRw\")"), "imap.login(\"ada\", \"[PASSWORD_REDACTED]\")");
//! ```

use super::{
    accounts,
    label::Label,
    names, prose,
    quotation::quotation,
    separators,
    span::Span,
    text::{byte, byte_before, line_before, run_end},
    value::{self, Style},
};

/// SecretArgument of the password among the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecretArgument {
    /// Behind the user: the second literal of the first two that follow each other.
    Second,
    /// Behind an address, or a role, and the user.
    Third,
    /// The only argument, or behind the user.
    Only,
}

/// Functions that take a password, in small letters and without `_`, by the end of their name.
const CALLS: &[(&str, SecretArgument)] = &[
    ("login", SecretArgument::Second),
    ("logon", SecretArgument::Second),
    ("authenticate", SecretArgument::Second),
    ("signin", SecretArgument::Second),
    ("basicauth", SecretArgument::Second),
    ("digestauth", SecretArgument::Second),
    ("ntlmauth", SecretArgument::Second),
    ("basic", SecretArgument::Second),
    ("basicauthentication", SecretArgument::Second),
    ("authbasic", SecretArgument::Second),
    ("authpassword", SecretArgument::Second),
    ("userinfo", SecretArgument::Second),
    ("credential", SecretArgument::Second),
    ("credentials", SecretArgument::Second),
    ("creds", SecretArgument::Second),
    ("userpassword", SecretArgument::Second),
    ("ociconnect", SecretArgument::Second),
    ("plainauth", SecretArgument::Third),
    ("connect", SecretArgument::Third),
    ("getconnection", SecretArgument::Third),
    ("auth", SecretArgument::Only),
    ("bearerauth", SecretArgument::Only),
    ("setpassword", SecretArgument::Only),
    ("setpasswd", SecretArgument::Only),
    ("setpassphrase", SecretArgument::Only),
];

/// Methods that write into the field that a locator found.
const FILLS: &[&str] = &[
    "fill",
    "type",
    "sendKeys",
    "send_keys",
    "typeText",
    "setValue",
    "set_value",
    "set",
    "enterText",
    "replaceText",
    "val",
    "clearAndType",
    "pressSequentially",
    "SendKeys",
    "Fill",
    "TypeText",
    "input",
    "addValue",
    "fill_in",
    "writeText",
];

/// Most arguments that are read.
const MAX_ARGUMENTS: usize = 6;
/// Longest argument that is no literal.
const MAX_ARGUMENT: usize = 120;
/// Longest text between a literal and its argument's ends: `Some(`, `.to_string()`.
const MAX_FRAME: usize = 32;

/// Finds the password that belongs to the name at `start..end`.
pub(super) fn find(text: &str, start: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let name = bytes.get(start..end)?;
    let found = match byte(bytes, end) {
        b'(' if is_call(name) => called(text, name, end),
        b'"' | b'\'' | b']' | b')' if names::may_be_password(name) => filled(text, start, end),
        _ => None,
    };
    let found =
        found.or_else(|| if name.eq_ignore_ascii_case(b"auth") { pair(text, start, end) } else { None });
    let found =
        found.or_else(|| if name == b"cn" || name == b"CN" { bound(text, start, end) } else { None })?;
    Some(Span::new(found.0, found.1, Label::Password))
}

/// Returns whether a function may be one of the table, by its last letter, or takes a password by its name.
fn is_call(name: &[u8]) -> bool {
    let last = name.last().copied().unwrap_or(0).to_ascii_lowercase();
    CALLS.iter().any(|(known, _)| known.as_bytes().last() == Some(&last)) || names::may_be_password(name)
}

fn plain_name(name: &[u8]) -> String {
    name.iter().filter(|b| b.is_ascii_alphanumeric()).map(|b| char::from(b.to_ascii_lowercase())).collect()
}

/// Finds the password in the arguments of the function `name`, whose parenthesis is at `open`.
fn called(text: &str, name: &[u8], open: usize) -> Option<(usize, usize)> {
    // Most calls have no literal.
    let near = text.as_bytes().get(open..text.len().min(open + 4 * MAX_ARGUMENT))?;
    memchr::memchr2(b'"', b'\'', near)?;
    let name = plain_name(name);
    let name = name.as_str();
    let row = CALLS.iter().find(|(known, _)| {
        name.strip_suffix(known).is_some_and(|head| {
            known.len() > 5 || head.is_empty() || head.ends_with("p") || *known == "login"
        })
    });
    let place = row.map(|(_, place)| *place).or_else(|| with_user(name).then_some(SecretArgument::Second))?;
    let arguments = Arguments::read(text.as_bytes(), open + 1);
    let literals = arguments.first_literals();
    let (at, whole) = match (place, literals.len()) {
        (SecretArgument::Third | SecretArgument::Second, 0..=1) | (SecretArgument::Only, 0) => return None,
        (SecretArgument::Third, 2) => (1, arguments.list.len() == 2),
        (SecretArgument::Third, _) => (2, true),
        (SecretArgument::Second, _) => (1, true),
        (SecretArgument::Only, 1) => {
            (0, arguments.list.len() == 1 && (name != "auth" || arguments.is_closed))
        }
        (SecretArgument::Only, _) => (1, name == "auth"),
    };
    let (start, end) = *literals.get(at)?;
    let found = text.get(start..end)?;
    let certain = place != SecretArgument::Third || at == 2;
    let password = if name.starts_with("set") {
        value::is_password(found, Style::Quoted)
    } else if certain {
        is_argument(found)
    } else {
        separators::is_strong_text(found.as_bytes())
    };
    (whole && password).then_some((start, end))
}

/// Returns whether a function takes a user and a password by its name: `UsernamePasswordCredentials`.
fn with_user(name: &str) -> bool {
    let user = ["user", "email", "auth", "cred"].iter().any(|word| name.contains(word));
    user && name.contains("password")
        && !["get", "find", "validate", "check", "is"].iter().any(|verb| name.starts_with(verb))
}

/// Returns whether a literal among other arguments is a password: it has a digit or a sign, as names and captions do not.
fn is_argument(found: &str) -> bool {
    let digit = found.bytes().any(|b| b.is_ascii_digit()) && found.bytes().any(|b| b.is_ascii_alphabetic());
    let sign =
        found.len() >= 6 && found.contains(['!', '@', '#', '$', '%', '^', '&', '*', '~', '+', '?', '=']);
    !found.contains(char::is_whitespace)
        && !found.contains("://")
        && !found.starts_with(['/', '.', '#', '-', '@', '%'])
        && (digit || sign || prose::is_jumbled(found))
        && value::is_password(found, Style::Quoted)
}

/// Arguments of a call.
#[derive(Debug, Default)]
struct Arguments {
    /// Extent of the text of each literal; `None` for another expression.
    list: Vec<Option<(usize, usize)>>,
    /// Whether the parenthesis was found that ends them.
    is_closed: bool,
}

impl Arguments {
    /// Reads the arguments from `from` on, in one line.
    fn read(bytes: &[u8], from: usize) -> Self {
        let mut arguments = Self::default();
        let mut at = from;
        for _argument in 0..MAX_ARGUMENTS {
            at = run_end(bytes, at, 16, |b| b == b' ');
            let literal = literal(bytes, at);
            let (extent, inside) = literal.map_or((None, at), |(start, end, depth)| {
                (Some((start, end)), { closed(bytes, end + 1, depth) })
            });
            let end = run_of_argument(bytes, inside);
            arguments.list.push(extent);
            match byte(bytes, end) {
                b',' => at = end + 1,
                b')' | b']' => {
                    arguments.is_closed = true;
                    break;
                }
                _ => break,
            }
        }
        arguments
    }

    /// Returns the first literals that follow each other.
    fn first_literals(&self) -> Vec<(usize, usize)> {
        let literals = self.list.iter().skip_while(|extent| extent.is_none());
        literals.map_while(|extent| *extent).collect()
    }
}

/// Parses a literal at `from`, perhaps behind `Some(` or the name of an argument; returns it with the open parentheses.
fn literal(bytes: &[u8], from: usize) -> Option<(usize, usize, usize)> {
    let frame = run_end(bytes, from, MAX_FRAME, |b| b.is_ascii_alphanumeric() || b"_:&.(=".contains(&b));
    let depth = bytes.get(from..frame)?.iter().filter(|b| **b == b'(').count();
    let named = byte_before(bytes, frame);
    let at = if frame > from && !b"(=:&".contains(&named) { from } else { frame };
    let at = if named == b':' { run_end(bytes, at, 2, |b| b == b' ') } else { at };
    let (start, end) = quotation(bytes, at)?;
    Some((start, end, if at == from { 0 } else { depth }))
}

/// Returns the position behind `depth` parentheses that close after `from`.
fn closed(bytes: &[u8], from: usize, depth: usize) -> usize {
    let mut open = depth;
    run_end(bytes, from, MAX_FRAME, |b| {
        let goes_on = open > 0;
        open = match b {
            b'(' => open + 1,
            b')' => open.saturating_sub(1),
            _ => open,
        };
        goes_on
    })
}

/// Returns the end of the argument around `from`: the comma or parenthesis behind it.
fn run_of_argument(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    run_end(bytes, from, MAX_ARGUMENT, |b| match b {
        b'\n' => false,
        b'(' | b'[' | b'{' => {
            depth += 1;
            true
        }
        b')' | b']' | b'}' if depth > 0 => {
            depth -= 1;
            true
        }
        b')' | b']' | b',' => depth > 0,
        _ => true,
    })
}

/// Finds the password that is written into the field which a locator with the name at `start..end` finds.
fn filled(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let closed = run_end(bytes, end, 5, |b| b")]\"'".contains(&b));
    let at = run_end(bytes, closed, 2, |b| b == b' ');
    // A script of Cucumber.
    if bytes.get(at..)?.starts_with(b"with \"") && at > closed {
        return quotation(bytes, at + 5).filter(|extent| is_filled(text, *extent));
    }
    if byte(bytes, at) == b'.' {
        let at = if bytes.get(at..)?.starts_with(b".perform(") { at + b".perform".len() } else { at };
        let method = run_end(bytes, at + 1, 24, |b| b.is_ascii_alphanumeric() || b == b'_');
        let known = FILLS.iter().any(|fill| bytes.get(at + 1..method) == Some(fill.as_bytes()));
        let open = method + usize::from(byte(bytes, method) == b'(');
        let from = run_end(bytes, open, 2, |b| b == b' ');
        return known.then(|| quotation(bytes, from)).flatten().filter(|extent| is_filled(text, *extent));
    }
    if byte(bytes, closed) != b',' || closed == end {
        return None;
    }
    let from = run_end(bytes, closed + 1, 4, |b| b == b' ');
    if bytes.get(from..from + 5) == Some(b"with:") {
        let value = run_end(bytes, from + 5, 4, |b| b == b' ');
        return quotation(bytes, value).filter(|extent| is_filled(text, *extent));
    }
    // `fill("#password", "…")`
    let head = line_before(bytes, start, 64);
    let open = memchr::memrchr(b'(', head)?;
    let called = head.get(..open)?;
    let nested = [&b"fill("[..], b"enterText(", b"typeText("];
    let known = FILLS.iter().any(|fill| called.ends_with(fill.as_bytes()))
        || nested.iter().any(|fill| memchr::memmem::find(head, fill).is_some());
    let known = known && names::noun(text.get(start..end)?) == Some(names::Noun::Password);
    known.then(|| quotation(bytes, from)).flatten().filter(|extent| is_filled(text, *extent))
}

fn is_filled(text: &str, (start, end): (usize, usize)) -> bool {
    text.get(start..end)
        .is_some_and(|found| !found.contains(char::is_whitespace) && value::is_password(found, Style::Quoted))
}

/// Finds the password of `auth=("user", "…")`, `auth: ["user", "…"]` and `auth: "user:…"`.
fn pair(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let blank = |from: usize| run_end(bytes, from, 4, |b| b == b' ');
    let quoted = end + usize::from(b"\"'".contains(&byte(bytes, end)));
    let sign = blank(quoted);
    if !b"=:".contains(&byte(bytes, sign)) || byte(bytes, sign + 1) == b'=' {
        return None;
    }
    let from = blank(sign + 1 + usize::from(byte(bytes, sign + 1) == b'>'));
    let from = if bytes.get(from..from + 5) == Some(b"Some(") { from + 5 } else { from };
    if b"([".contains(&byte(bytes, from)) {
        let literals = Arguments::read(bytes, from + 1).first_literals();
        let (start, end) = *literals.get(1).filter(|_| literals.len() == 2)?;
        return is_argument(text.get(start..end)?).then_some((start, end));
    }
    let (open, close) = quotation(bytes, from)?;
    let colon = open + memchr::memchr(b':', bytes.get(open..close)?)?;
    let user = bytes.get(open..colon)?;
    let named = !user.is_empty() && user.iter().all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(b));
    let known = line_before(bytes, start, 1) != b"_" || sign == end;
    (named && known && is_argument(text.get(colon + 1..close)?)).then_some((colon + 1, close))
}

/// Finds the password behind the name of an entry in a directory: `bind("cn=reader,dc=example", "…")`.
fn bound(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if byte(bytes, end) != b'=' || !b"\"'".contains(&byte_before(bytes, start)) {
        return None;
    }
    second_behind(text, start - 1)
}

/// Finds the literal behind the one whose quotation mark is at `at`, if it is a password.
fn second_behind(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (_, close) = quotation(bytes, at)?;
    let comma = run_end(bytes, close + 1, 2, |b| b == b' ');
    let from = run_end(bytes, comma + 1, 4, |b| b == b' ');
    let (start, end, _) = literal(bytes, from).filter(|_| byte(bytes, comma) == b',')?;
    is_argument(text.get(start..end)?).then_some((start, end))
}

/// Finds the password behind a data source of PHP and its user, whose colon is at `at`: `new PDO("mysql:host=…", "user", "…")`.
pub(super) fn data_object(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let next = bytes.get(at + 1..at + 10)?;
    let known = [&b"host="[..], b"dbname=", b"server=", b"unix_sock", b"Server="];
    if !known.iter().any(|word| next.starts_with(word)) {
        return None;
    }
    let open = super::text::run_start(bytes, at, 8, |b| b.is_ascii_alphanumeric());
    let open = open.checked_sub(1).filter(|open| b"\"'".contains(&byte(bytes, *open)))?;
    let literals = Arguments::read(bytes, open).first_literals();
    let (start, end) = *literals.get(2)?;
    is_argument(text.get(start..end)?).then(|| Span::new(start, end, Label::Password))
}

/// Finds what a script sends where the program at `start..end` asks for a password: `expect "assword:"`, `send "…\r"`.
pub(super) fn answered(text: &str, start: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let asked = memchr::memmem::find(line_before(bytes, start, 64), b"expect").is_some();
    let near = bytes.get(end..bytes.len().min(end + 120))?;
    let lines = near.split_inclusive(|b| *b == b'\n').take(2).map(<[u8]>::len).sum();
    let sent = memchr::memmem::find(near.get(..lines)?, b"send").filter(|_| asked)?;
    let verb = run_end(bytes, end + sent, 12, |b| b.is_ascii_alphabetic() || b == b'_');
    let from = run_end(bytes, verb, 8, |b| b" (-".contains(&b));
    let (open, close) = quotation(bytes, from)?;
    let found =
        text.get(open..close)?.trim_end_matches("\\r").trim_end_matches("\\n").trim_end_matches("\\r");
    let plain = !found.contains(char::is_whitespace) && found.len() >= 3;
    (plain && value::is_password(found, Style::Quoted))
        .then(|| Span::new(open, open + found.len(), Label::Password))
}

/// Finds the text that `-AsPlainText` at `at` makes a secure string of (PowerShell).
pub(super) fn secure_string(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let line = line_before(bytes, at, 200);
    let command = memchr::memmem::rfind(&line.to_ascii_lowercase(), b"convertto-securestring")?;
    let from = at - line.len() + command + 22;
    let from = run_end(bytes, from, 16, |b| b == b' ');
    let from = if bytes.get(from..from + 7).is_some_and(|option| option.eq_ignore_ascii_case(b"-String")) {
        run_end(bytes, from + 7, 4, |b| b == b' ')
    } else {
        from
    };
    let from = if from == at { run_end(bytes, at + 12, 4, |b| b == b' ') } else { from };
    accounts::option_value(text, from, true)
}

#[cfg(test)]
mod tests {
    use super::super::Scrubber;

    #[test]
    fn passwords_of_calls() {
        for (text, wanted) in [
            ("smtp.login(\"joe\", \"K9#mWq\")", "K9#mWq"),
            ("ftp_login($c, 'joe', 'winter77')", "winter77"),
            ("$ftp->login(\"joe\", 'winter77')", "winter77"),
            ("client.login(\"joe\", \"winter77\").await", "winter77"),
            ("requests.get(u, auth=(\"joe\", \"winter77\"))", "winter77"),
            ("axios.get(u, {auth: [\"joe\", \"winter77\"]})", "winter77"),
            ("http.get({auth: 'joe:winter77'})", "winter77"),
            ("HTTPBasicAuth(\"joe\", \"winter77\")", "winter77"),
            (".basic_auth(\"joe\", Some(\"winter77\"))", "winter77"),
            ("req.SetBasicAuth(\"joe\", \"winter77\")", "winter77"),
            ("smtp.PlainAuth(\"\", \"joe\", \"winter77\", host)", "winter77"),
            ("new NetworkCredential(\"joe\", \"winter77\")", "winter77"),
            ("new UsernamePasswordCredentials(\"joe\", \"winter77\".toCharArray())", "winter77"),
            ("DriverManager.getConnection(\"jdbc:x\", \"joe\", \"winter77\")", "winter77"),
            ("mysqli_connect(\"h\", \"joe\", \"winter77\", \"d\")", "winter77"),
            ("DBI->connect(\"DBI:Pg:dbname=a\", \"joe\", 'winter77', {})", "winter77"),
            ("new PDO('mysql:host=h;dbname=d', 'joe', 'winter77')", "winter77"),
            ("l.Bind(\"cn=reader,dc=x,dc=y\", \"winter77\")", "winter77"),
            ("red:auth(\"winter77\")", "winter77"),
            ("config.setPassword(\"Swordfish\")", "Swordfish"),
            ("page.getByLabel('Password').fill('winter77')", "winter77"),
            ("cy.get('#password').type('winter77');", "winter77"),
            ("d.find_element(By.ID, \"password\").send_keys(\"winter77\")", "winter77"),
            ("fill_in 'Password', with: 'winter77'", "winter77"),
            ("page.fill('#password', 'winter77')", "winter77"),
            ("page.fill('input[name=\"password\"]', 'winter77')", "winter77"),
            ("enterText(find.byKey(Key('password')), 'winter77')", "winter77"),
            ("onView(withId(R.id.password)).perform(typeText(\"winter77\"))", "winter77"),
            ("I fill in \"Password\" with \"winter77\"", "winter77"),
            (".bearer_auth(\"winter77x\")", "winter77x"),
            ("expect \"*assword:\"\nsend \"winter77\\r\"", "winter77"),
            ("ConvertTo-SecureString \"winter77\" -AsPlainText -Force", "winter77"),
            ("ConvertTo-SecureString -String 'winter77' -AsPlainText -Force", "winter77"),
        ] {
            let marked = text.replace(wanted, "[PASSWORD_REDACTED]");
            assert_eq!(Scrubber::all().scrub(text), marked, "{text}");
        }
    }

    #[test]
    fn calls_without_a_password() {
        for text in [
            "login(\"title\", \"subtitle\")",
            "smtp.login(user, password)",
            "client.login(\"joe\", os.environ[\"PW1\"])",
            "signal.connect(\"clicked\", \"handler2\")",
            "auth(\"admin\")",
            "auth=(\"user\", \"password\")",
            "keyring.set_password(\"mail\", user, secret)",
            "page.getByLabel('Password').click('button1')",
            "getConnection(\"jdbc:x\", props)",
            "Basic(\"a 1\", \"b 2\")",
            "t.login(\"joe\", \"/path1\")",
        ] {
            assert_eq!(Scrubber::all().scrub(text), text);
        }
    }
}
