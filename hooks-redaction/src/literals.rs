//! Literals that may start or name a secret, and what each asks for.

use std::sync::LazyLock;

use super::{body::Body, forms::Form, vendors::FORMS};

/// Parts of names that suggest a secret.
const NAMES: &[&str] =
    &["pass", "pwd", "psw", "psk", "secret", "token", "key", "cred", "authorization", "cookie", "bearer"];

/// Other spellings of `@`: percent-encoding once and twice, HTML, JSON, full width, small form.
const ENCODED_AT: &[&str] =
    &["%40", "%2540", "&#64;", "&#x40;", "&#X40;", "&commat;", "\\u0040", "\u{ff20}", "\u{fe6b}"];

/// Kind of finding that a literal may start.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Form(&'static Form),
    Name,
    Jwt,
    Pem,
    Url,
    SlackWebhook,
    Telegram,
    AzureSecret,
    Discord,
    Terraform,
    UserOption,
    EncodedAt,
    /// Command with the option that takes a password, and whether the value is attached to the option.
    Command(&'static str, bool),
}

/// Literal that is searched for.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) text: &'static str,
    /// Whether only this case counts.
    pub(super) exact: bool,
    /// Whether it counts only at the start of a word.
    pub(super) at_word: bool,
    /// Position of the four bytes that the search looks at.
    pub(super) offset: usize,
    pub(super) kind: Kind,
}

/// Every literal, the longer ones first, so that the most specific form is tried.
pub(super) static LITERALS: LazyLock<Vec<Literal>> = LazyLock::new(|| {
    let exact = |text, offset, kind| Literal { text, exact: true, at_word: false, offset, kind };
    let any_case = |text, kind| Literal { text, exact: false, at_word: false, offset: 0, kind };
    let form = |form: &'static Form| {
        // What has a checksum also counts inside a word.
        let at_word = form.checksum.is_none();
        Literal { text: form.prefix, exact: true, at_word, offset: 0, kind: Kind::Form(form) }
    };
    let mut literals: Vec<Literal> = FORMS.iter().map(form).collect();
    literals.extend(NAMES.iter().map(|name| any_case(name, Kind::Name)));
    literals.extend(ENCODED_AT.iter().map(|text| exact(text, 0, Kind::EncodedAt)));
    literals.extend([
        exact("eyJ", 0, Kind::Jwt),
        exact("-----BEGIN ", 5, Kind::Pem),
        exact("://", 0, Kind::Url),
        exact("hooks.slack", 6, Kind::SlackWebhook),
        exact(":AA", 0, Kind::Telegram),
        exact("8Q~", 0, Kind::AzureSecret),
        exact(".atlasv1.", 0, Kind::Terraform),
        exact("-u ", 0, Kind::UserOption),
        exact("--user", 1, Kind::UserOption),
        exact("--proxy-user", 1, Kind::UserOption),
        any_case("identified by", Kind::Command(" ", false)),
        any_case("smbclient", Kind::Command("%", true)),
        any_case("ldapsearch", Kind::Command(" -w ", false)),
        any_case("unzip ", Kind::Command("-P ", false)),
        any_case("mongosh", Kind::Command(" -p ", false)),
        any_case("sshpass", Kind::Command(" -p", false)),
        any_case("docker login", Kind::Command(" -p ", false)),
        any_case("redis-cli", Kind::Command(" -a ", false)),
        any_case("mysql", Kind::Command(" -p", true)),
        any_case("mariadb", Kind::Command(" -p", true)),
    ]);
    // The identifier of a bot is a number in base64, which begins with one of these.
    let bots = ["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
    literals.extend(bots.map(|text| Literal { at_word: true, ..exact(text, 0, Kind::Discord) }));
    literals.sort_by_key(|literal| std::cmp::Reverse(literal.text.len()));
    literals
});

impl Literal {
    /// Returns the bytes that may stand at `place` bytes after the offset.
    pub(super) fn choices(&self, place: usize) -> Vec<u8> {
        let any = |class: fn(u8) -> bool| (0..=u8::MAX).filter(|b| class(*b)).collect();
        match self.text.as_bytes().get(self.offset + place) {
            Some(wanted) if self.exact => vec![*wanted],
            Some(wanted) => vec![wanted.to_ascii_lowercase(), wanted.to_ascii_uppercase()],
            None => match self.kind {
                Kind::Form(form) => (0..=u8::MAX).filter(|b| form.body.has(*b)).collect(),
                Kind::Jwt | Kind::Telegram => any(|b| Body::Url.has(b)),
                // Digits in base64.
                Kind::Discord if place == 2 => b"AEIMQUYcgk".to_vec(),
                Kind::Discord => b"wxyz012345".to_vec(),
                Kind::Url => any(|b| !b.is_ascii_whitespace()),
                _ => any(|_| true),
            },
        }
    }

    /// Returns every spelling of its first three bytes at the offset.
    pub(super) fn keys(&self) -> Vec<[u8; 3]> {
        let (first, second, third) = (self.choices(0), self.choices(1), self.choices(2));
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
        pairs.flat_map(|(a, b)| third.iter().map(move |c| [a, b, *c])).collect()
    }

    /// Returns the start of the literal whose four bytes are at `at`.
    pub(super) fn start(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let start = at.checked_sub(self.offset)?;
        let there = bytes.get(start..start + self.text.len())?;
        let same = if self.exact {
            there == self.text.as_bytes()
        } else {
            there.eq_ignore_ascii_case(self.text.as_bytes())
        };
        same.then_some(start)
    }
}
