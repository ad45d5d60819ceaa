//! Finds in one pass over a text every literal that may start or name a secret, and checks the text around
//! each.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use memchr::memmem::Finder;

use super::{
    assignments, forms,
    forms::{Form, Runs},
    headers,
    label::{Label, Labels},
    pem,
    span::Span,
    text::{byte, byte_before, starts_word},
    url,
    vendors::FORMS,
};

/// Parts of names that suggest a secret.
const NAMES: &[&str] =
    &["pass", "pwd", "psw", "secret", "token", "key", "cred", "authorization", "cookie", "bearer"];

/// Kind of secret that a literal may start.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Form(&'static Form),
    Name,
    Jwt,
    Pem,
    Url,
    SlackWebhook,
    Telegram,
    AzureSecret,
    UserOption,
    /// Command with the option that takes a password, and whether the value is attached to the option.
    Command(&'static str, bool),
}

/// The literals, the longer ones first, so that the most specific form is tried.
static LITERALS: LazyLock<Vec<(&str, Kind)>> = LazyLock::new(|| {
    let mut literals: Vec<(&str, Kind)> = FORMS.iter().map(|form| (form.prefix, Kind::Form(form))).collect();
    literals.extend(NAMES.iter().map(|name| (*name, Kind::Name)));
    literals.extend([
        ("eyJ", Kind::Jwt),
        ("-----BEGIN ", Kind::Pem),
        ("://", Kind::Url),
        ("hooks.slack", Kind::SlackWebhook),
        (":AA", Kind::Telegram),
        ("8Q~", Kind::AzureSecret),
        ("-u ", Kind::UserOption),
        ("--user", Kind::UserOption),
        ("sshpass", Kind::Command(" -p", false)),
        ("docker login", Kind::Command(" -p ", false)),
        ("redis-cli", Kind::Command(" -a ", false)),
        ("mysql", Kind::Command(" -p", true)),
        ("mariadb", Kind::Command(" -p", true)),
    ]);
    literals.sort_by_key(|(literal, _)| std::cmp::Reverse(literal.len()));
    literals
});

/// Matcher that is built in a hundredth of a millisecond.
static SOON: LazyLock<Heads> = LazyLock::new(Heads::new);

/// Matcher that is several times faster but takes some milliseconds to build.
static FAST: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    builder
        .match_kind(MatchKind::LeftmostFirst)
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA));
    builder.build(LITERALS.iter().map(|(literal, _)| *literal)).ok()
});

/// Start of Twilio keys, which is case-sensitive.
static TWILIO: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("SK"));

/// Bytes to scan before the faster matcher is worth its cost. A process that is started for one event scans a
/// few thousand.
const WORTH_IT: usize = 1 << 18;

/// The literals by their first bytes.
struct Heads {
    /// Indices of the literals that start with this byte, in order.
    of: [Vec<usize>; 256],
    /// Possible second bytes of those literals: one of 32 bits for each byte, the same for both cases of a
    /// letter.
    second: [u32; 256],
}

impl Heads {
    fn new() -> Self {
        let mut heads = Self { of: [const { Vec::new() }; 256], second: [0; 256] };
        for (index, (literal, _)) in LITERALS.iter().enumerate() {
            let [first, second, ..] = literal.as_bytes() else { continue };
            for first in BTreeSet::from([first.to_ascii_lowercase(), first.to_ascii_uppercase()]) {
                if let Some(of) = heads.of.get_mut(usize::from(first)) {
                    of.push(index);
                }
                if let Some(bits) = heads.second.get_mut(usize::from(first)) {
                    *bits |= bit(*second);
                }
            }
        }
        heads
    }

    /// Calls `tell` for every literal in `text`, like the automaton: for the first literal at the first
    /// position where one starts, and then on after it.
    fn each(&self, text: &str, mut tell: impl FnMut(usize, usize, usize)) {
        let mut rest = text.as_bytes();
        while let [first, after @ ..] = rest {
            let hit = after.first().and_then(|second| self.at(rest, *first, *second));
            let Some((literal, length)) = hit else {
                rest = after;
                continue;
            };
            let start = text.len() - rest.len();
            tell(literal, start, start + length);
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// Returns the literal that `rest` starts with, and its length.
    fn at(&self, rest: &[u8], first: u8, second: u8) -> Option<(usize, usize)> {
        if self.second.get(usize::from(first))? & bit(second) == 0 {
            return None;
        }
        self.of.get(usize::from(first))?.iter().find_map(|index| {
            let (literal, _) = LITERALS.get(*index)?;
            let is_it = rest.get(..literal.len())?.eq_ignore_ascii_case(literal.as_bytes());
            is_it.then_some((*index, literal.len()))
        })
    }
}

fn bit(second: u8) -> u32 {
    1 << (second & 31)
}

/// Calls `tell` for every literal in `text`, with its index, start and end.
fn each(text: &str, mut tell: impl FnMut(usize, usize, usize)) {
    static READ: AtomicUsize = AtomicUsize::new(0);
    let read = READ.load(Ordering::Relaxed);
    let fast = if read < WORTH_IT { None } else { FAST.as_ref() };
    if let Some(fast) = fast {
        fast.find_iter(text).for_each(|hit| tell(hit.pattern().as_usize(), hit.start(), hit.end()));
    } else {
        // Concurrent updates may lose counts: the exact time of the switch does not matter.
        READ.store(read.saturating_add(text.len()), Ordering::Relaxed);
        SOON.each(text, tell);
    }
}

/// Returns the labels that this module finds.
pub(super) fn labels() -> Labels {
    let others =
        [Label::Email, Label::Phone, Label::CreditCard, Label::Ssn, Label::Ipv4, Label::Ipv6, Label::Iban];
    others.iter().fold(Labels::all(), Labels::without)
}

/// Finds every secret in `text`.
pub(super) fn find(text: &str, labels: Labels, found: &mut Vec<Span>) {
    let mut reader = TriggerScanner {
        text,
        labels,
        found,
        runs: Runs::default(),
        ends: pem::Ends::default(),
        covered: 0,
        named: 0,
    };
    each(text, |literal, start, end| {
        if let Some((_, kind)) = LITERALS.get(literal) {
            reader.read(*kind, start, end);
        }
    });
    if labels.contains(&Label::ApiKey) {
        for at in TWILIO.find_iter(text.as_bytes()) {
            let hit = forms::twilio(text.as_bytes(), at);
            reader.found.extend(hit.map(|(start, end)| Span::new(start, end, Label::ApiKey)));
        }
    }
}

struct TriggerScanner<'t, 'f> {
    text: &'t str,
    labels: Labels,
    found: &'f mut Vec<Span>,
    runs: Runs,
    ends: pem::Ends,
    /// Forms that start before this position are inside a credential.
    covered: usize,
    /// Names that start before this position are read already, or inside a value.
    named: usize,
}

impl TriggerScanner<'_, '_> {
    fn read(&mut self, kind: Kind, start: usize, end: usize) {
        let bytes = self.text.as_bytes();
        if start < self.covered {
            return;
        }
        match kind {
            Kind::Form(form) => {
                let hit = forms::read(bytes, start, form, &mut self.runs);
                if hit.is_none() && NAMES.iter().any(|name| form.prefix.to_ascii_lowercase().contains(name)) {
                    self.name(end.saturating_sub(2).max(start));
                }
                self.cover(hit, form.label.clone());
                if let Some((_, end)) = hit.filter(|_| form.label == Label::AwsAccessKeyId) {
                    self.note(forms::aws_secret_after(bytes, end), Label::AwsSecretAccessKey);
                }
            }
            Kind::Jwt => {
                let hit = forms::jwt(bytes, start, &mut self.runs);
                self.cover(hit, Label::Jwt);
            }
            Kind::Pem => {
                let hit = pem::read(bytes, start, &mut self.ends);
                self.cover(hit, Label::PrivateKey);
            }
            Kind::SlackWebhook => {
                let hit = forms::slack_webhook(bytes, start, &mut self.runs);
                self.cover(hit, Label::SlackToken);
            }
            Kind::Telegram => {
                let hit = forms::telegram(bytes, start, &mut self.runs);
                self.cover(hit, Label::ApiKey);
            }
            Kind::AzureSecret => self.cover(forms::azure_secret(bytes, start), Label::ApiKey),
            Kind::Url => self.note(url::password(self.text, start), Label::UrlPassword),
            Kind::UserOption => {
                let option_ends =
                    b" =".contains(&byte_before(bytes, end)) || b" =".contains(&byte(bytes, end));
                if starts_word(bytes, start) && option_ends {
                    self.keep(assignments::user_option(self.text, end));
                }
            }
            Kind::Command(flag, attached) => {
                self.keep(assignments::command_option(self.text, end, flag.as_bytes(), attached));
            }
            Kind::Name => self.name(start),
        }
    }

    /// Reads the name around `at`, once.
    fn name(&mut self, at: usize) {
        if at < self.named {
            return;
        }
        let (start, end) = assignments::name_around(self.text.as_bytes(), at);
        self.named = end;
        let bearer = self.text.get(start..end).is_some_and(|name| name.eq_ignore_ascii_case("bearer"));
        let hit = if bearer { headers::bearer(self.text, end) } else { None };
        let hit = hit.or_else(|| headers::find(self.text, start, end));
        let hit = hit.or_else(|| assignments::find(self.text, start, end));
        self.named = hit.as_ref().map_or(self.named, |span| span.end);
        self.keep(hit);
    }

    fn cover(&mut self, hit: Option<(usize, usize)>, label: Label) {
        self.covered = hit.map_or(self.covered, |(_, end)| end);
        self.note(hit, label);
    }

    fn note(&mut self, hit: Option<(usize, usize)>, label: Label) {
        self.keep(hit.map(|(start, end)| Span::new(start, end, label)));
    }

    fn keep(&mut self, hit: Option<Span>) {
        self.found.extend(hit.filter(|span| self.labels.contains(&span.label)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_literal_has_a_head() {
        assert!(LITERALS.iter().all(|(literal, _)| literal.len() > 1), "what is shorter is never found");
    }

    proptest! {
        #[test]
        fn whichever_finds_them_finds_the_same(parts in prop::collection::vec((any::<prop::sample::Index>(), "[a-zA-Z:/ -]{0,3}", any::<bool>()), 0..20)) {
            let literal = |index: prop::sample::Index, is_large: bool| {
                let (text, _) = LITERALS[index.index(LITERALS.len())];
                if is_large { text.to_ascii_uppercase() } else { text.to_owned() }
            };
            let text: String = parts.into_iter().map(|(index, rest, is_large)| literal(index, is_large) + &rest).collect();
            let mut soon = Vec::new();
            SOON.each(&text, |literal, start, end| soon.push((literal, start, end)));
            let fast = FAST.as_ref().expect("the literals make an automaton");
            let fast: Vec<_> = fast.find_iter(&text).map(|hit| (hit.pattern().as_usize(), hit.start(), hit.end())).collect();
            prop_assert_eq!(soon, fast);
        }
    }
}
