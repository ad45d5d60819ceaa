//! Finds the password beside its user, or in front of the program that reads it: `user:password`, a line of `.pgpass`,
//! `echo … | sudo -S`.
//!
//! The user and password of a request:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("curl -u ada:Xk7-qP2vRw https://api.example"), "curl -u ada:[PASSWORD_REDACTED] https://api.example");
//! ```

use super::{
    label::Label,
    quotation::quotation,
    span::Span,
    text::{byte, floor, line_before, run_end},
    value::{self, Style},
};

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
    // The path of a repository.
    let is_path = found.contains('/') || found.ends_with(".git");
    (is_host && alone && !is_path && value::is_password(found, Style::Attached))
        .then(|| Span::new(end + 1, to, Label::Password))
}

/// Finds the password in a line of a map of a mail server whose first colon is at `at`: `[host]:587 user:password`.
pub(super) fn relayed(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let port = run_end(bytes, at + 1, 6, |b| b.is_ascii_digit());
    let from = run_end(bytes, port, 8, |b| b == b' ' || b == b'\t');
    let colon = run_end(bytes, from, 96, |b| b.is_ascii_alphanumeric() || b"._@+-".contains(&b));
    let end = run_end(bytes, colon + 1, 128, |b| !b.is_ascii_whitespace());
    let host = line_before(bytes, at, 128);
    let known =
        host.starts_with(b"[") && port > at + 1 && from > port && colon > from && byte(bytes, colon) == b':';
    let alone = matches!(byte(bytes, end), 0 | b'\n' | b'\r');
    (known && alone && value::is_password(text.get(colon + 1..floor(text, end))?, Style::Attached))
        .then(|| Span::new(colon + 1, end, Label::Password))
}

/// Finds the text that a shell gives to the command with the option at `at`: `sudo -S … <<< '…'`.
pub(super) fn here_string(text: &str, at: usize) -> Option<Span> {
    let line = run_end(text.as_bytes(), at, 120, |b| b != b'\n');
    let sign = memchr::memmem::find(text.as_bytes().get(at..line)?, b"<<<")?;
    option_value(text, at + sign + 3, false)
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
        && !value::is_placeholder(found)
        && !(user_is_shown(bytes, from, colon) && matches!(found, "pass" | "password" | "passwd"));
    secret.then(|| Span::new(colon + 1, end, Label::Password))
}

/// Returns whether documentation may write a user so.
fn user_is_shown(bytes: &[u8], from: usize, to: usize) -> bool {
    matches!(bytes.get(from..to), Some(b"user" | b"username"))
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
    let bytes = text.as_bytes();
    let line = line_before(bytes, at, 160);
    // A shell that shows its commands writes each side of a pipe in a line.
    if line.iter().all(|b| b"+ ".contains(b)) && line.starts_with(b"+") {
        let at = at.checked_sub(line.len() + 1)?;
        return echoed(text, at, line_before(bytes, at, 160), after_user);
    }
    let pipe = line.iter().rposition(|b| *b == b'|')?;
    let command = line.get(..pipe)?.trim_ascii_end();
    echoed(text, at - line.len() + command.len(), command, after_user)
}

/// Finds the password among the words of `echo` in `command`, which ends at `to`.
fn echoed(text: &str, to: usize, command: &[u8], after_user: bool) -> Option<Span> {
    let echo = [&b"echo "[..], b"echo -n ", b"printf "];
    let start =
        echo.iter().filter_map(|word| Some(memchr::memmem::rfind(command, word)? + word.len())).max()?;
    let from = to - command.len() + start;
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
    let secret = value::is_mixed(found, 6) || value::has_rare_sign(found);
    (known && split && !found.contains(['/', ':']) && secret)
        .then(|| Span::new(user + 1, end, Label::Password))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(of_pipe("+ echo bob:hunter2\n+ chpasswd", "chpasswd", true).as_deref(), Some("hunter2"));
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
        assert_eq!(of_map("smtp.example.net:587 joe@h.example:hunter2\n").as_deref(), Some("hunter2"));
        assert_eq!(of_map("smtp.example.net joe@h.example:hunter2\n").as_deref(), Some("hunter2"));
        assert_eq!(of_map("h.example joe@h.example:org/repo9.git\n"), None);
        assert_eq!(of_map("h.example joe@h.example:repo.git\n"), None);
        assert_eq!(of_map("scp joe@h.example:file2\n"), None);
        assert_eq!(of_map("smtp.example.net joe@h.example: hunter2\n"), None);
    }

    /// Regression test: the group of a user was taken for a password.
    #[test]
    fn groups_are_no_passwords() {
        for text in [
            "docker run -u node:node x",
            "docker exec -u www-data:www-data web ls",
            "docker run \\\n  --user app:staff \\\n  image",
            "podman run --user=app:users9 image",
        ] {
            assert_eq!(super::super::Scrubber::all().scrub(text), text);
        }
        for text in [
            "curl -u admin:admin9 host",
            "docker exec web curl -u ada:hunter2 http://x",
            "git clone x && curl -u a:b9c x",
        ] {
            assert!(super::super::Scrubber::all().scrub(text).contains("REDACTED"), "{text}");
        }
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
