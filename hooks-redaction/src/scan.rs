//! One pass over a text for all labels: the filter names positions, and the detectors read around them.

use super::{
    assignments,
    body::Runs,
    digits, email, encoded,
    filter::{self, FILTER, Filter},
    forms, headers,
    label::{Label, Labels},
    literals::{Kind, LITERALS, Literal},
    network, pem,
    span::Span,
    text::{byte, byte_before, floor, run_end, starts_word},
    url,
    view::{self, View},
};

/// Findings of one pass.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) spans: Vec<Span>,
    /// Positions of characters that may hide others, such as terminal codes and escapes.
    pub(super) hidden: Vec<usize>,
}

/// Finds `labels` in `text`, also where they are hidden.
pub(super) fn all(text: &str, labels: Labels) -> Vec<Span> {
    let Findings { mut spans, hidden } = scan(text, labels);
    encoded::find(text, labels, &mut spans);
    let mut done = 0;
    for at in hidden {
        if at < done {
            continue;
        }
        let from = line_start(text, at).max(done);
        done = line_end(text, at);
        let Some(view) = View::new(text, from, done) else { continue };
        let plain = scan(&view.text, labels).spans;
        spans.extend(plain.into_iter().filter_map(|span| {
            let (start, end) = view.original(span.start, span.end)?;
            Some(Span::new(start, end, span.label))
        }));
    }
    spans
}

/// Longest part of a line that is looked at on each side of a hidden character.
const SIDE: usize = 2048;
fn line_start(text: &str, at: usize) -> usize {
    let low = floor(text, at.saturating_sub(SIDE));
    let head = text.as_bytes().get(low..at).unwrap_or_default();
    memchr::memrchr(b'\n', head).map_or(low, |newline| low + newline + 1)
}

/// Returns the end of the line around `at`; a soft line break of mail (`=`) does not end it.
fn line_end(text: &str, at: usize) -> usize {
    let high = floor(text, at.saturating_add(SIDE));
    let tail = text.as_bytes().get(at..high).unwrap_or_default();
    let ends = memchr::memchr_iter(b'\n', tail).find(|newline| {
        let line = tail.get(..*newline).unwrap_or_default();
        !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"=")
    });
    ends.map_or(high, |newline| at + newline + 1)
}

/// Scans `text` for `labels`, as it stands.
pub(super) fn scan(text: &str, labels: Labels) -> Findings {
    let filter = &*FILTER;
    let mut scanner = Scanner {
        text,
        filter,
        literals: &LITERALS,
        labels,
        found: Findings::default(),
        runs: Runs::default(),
        ends: pem::Ends::default(),
        covered: 0,
        named: 0,
        number: 0,
        address: 0,
        mail: 0,
        encoded_mail: 0,
        url: 0,
    };
    // The word at the start of the text has no byte before it.
    scanner.literal(0);
    filter.each(text.as_bytes(), |at, bits| scanner.hit(at, bits));
    scanner.found
}

struct Scanner<'t> {
    text: &'t str,
    filter: &'static Filter,
    literals: &'static [Literal],
    labels: Labels,
    found: Findings,
    runs: Runs,
    ends: pem::Ends,
    /// Forms that start before this position are inside a credential.
    covered: usize,
    /// Names that start before this position are read already, or inside a value.
    named: usize,
    /// Digits before this position are read.
    number: usize,
    /// Colons before this position are read.
    address: usize,
    /// End of the last address with `@`.
    mail: usize,
    /// End of the last address with another spelling of `@`.
    encoded_mail: usize,
    /// End of the last user part of a URL.
    url: usize,
}

impl Scanner<'_> {
    fn hit(&mut self, at: usize, bits: u64) {
        if bits & filter::IBAN != 0 {
            self.account(at);
        }
        if bits & filter::DIGITS != 0 {
            self.digits(at);
        }
        if bits & filter::AT != 0 {
            self.mail(at);
        }
        if bits & filter::COLON != 0 {
            self.colon(at + 1);
        }
        if bits & (filter::HIDDEN | filter::ESCAPE) != 0 {
            self.hidden(at);
        }
        if bits & filter::LITERAL != 0 {
            self.literal(at);
        }
        if bits & filter::WORD != 0 {
            self.literal(at + 1);
        }
    }

    fn hidden(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        match (byte(bytes, at), byte(bytes, at + 1)) {
            // A word starts behind these.
            (b'\\', b'n' | b'r' | b't') => self.literal(at + 2),
            // An encoded blank hides nothing.
            (b'%', b'2') if byte(bytes, at + 2) == b'0' => self.literal(at + 3),
            (first, _) => {
                if first == b'%' {
                    self.literal(at + 3);
                }
                if view::is_hidden(self.text, at) {
                    self.found.hidden.push(at);
                }
            }
        }
    }

    fn digits(&mut self, at: usize) {
        if at < self.number {
            return;
        }
        let bytes = self.text.as_bytes();
        let run = run_end(bytes, at, usize::MAX, |b| b.is_ascii_digit());
        self.number = run;
        // Digits inside a word and few digits alone are not a number.
        let alone = !b" -.()/\xc2\r\n".contains(&byte(bytes, run));
        if !starts_word(bytes, at) || (alone && run < at + 7) {
            return;
        }
        if let Some(span) = digits::number(self.text, at, self.labels) {
            self.number = span.end.max(run);
            self.found.spans.push(span);
        }
    }

    fn account(&mut self, at: usize) {
        if at + 2 < self.number || !self.labels.contains(&Label::Iban) {
            return;
        }
        if let Some((start, end)) = super::iban::read(self.text, at + 2) {
            self.number = end;
            self.found.spans.push(Span::new(start, end, Label::Iban));
        }
    }

    fn mail(&mut self, at: usize) {
        if self.labels.contains(&Label::Email)
            && let Some((start, end)) = email::address(self.text, at, at + 1, self.mail)
        {
            self.mail = end;
            self.found.spans.push(Span::new(start, end, Label::Email));
        }
    }

    fn colon(&mut self, at: usize) {
        if at >= self.address && self.labels.contains(&Label::Ipv6) {
            let before = self.found.spans.len();
            self.address = network::ipv6(self.text, at, &mut self.found.spans);
            if self.found.spans.len() > before {
                self.number = self.number.max(self.address);
            }
        }
    }

    fn literal(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let there = self.filter.literals(bytes.get(at..).unwrap_or_default());
        for literal in there.iter().filter_map(|index| self.literals.get(*index)) {
            if let Some(start) = literal.start(bytes, at)
                && self.read(literal, start)
            {
                return;
            }
        }
    }

    /// Reads what a literal starts; returns whether other literals at its place need not be tried.
    fn read(&mut self, literal: &'static Literal, start: usize) -> bool {
        let (bytes, end) = (self.text.as_bytes(), start + literal.text.len());
        if start < self.covered {
            return true;
        }
        match literal.kind {
            Kind::Form(form) => return self.form(form, start),
            Kind::Jwt => {
                let hit = forms::jwt(bytes, start, &mut self.runs);
                return self.cover(hit, &Label::Jwt);
            }
            Kind::Pem => {
                let hit = pem::read(bytes, start, &mut self.ends);
                return self.cover(hit, &Label::PrivateKey);
            }
            Kind::SlackWebhook => {
                let hit = forms::slack_webhook(bytes, start, &mut self.runs);
                return self.cover(hit, &Label::SlackToken);
            }
            Kind::Telegram => {
                let hit = forms::telegram(bytes, start, &mut self.runs);
                return self.cover(hit, &Label::ApiKey);
            }
            Kind::AzureSecret => return self.cover(forms::azure_secret(bytes, start), &Label::ApiKey),
            Kind::Discord => return self.cover(forms::discord(bytes, start), &Label::ApiKey),
            Kind::Terraform => return self.cover(forms::terraform(bytes, start), &Label::ApiKey),
            Kind::Url if start >= self.url => {
                let hit = url::password(self.text, start);
                self.url = hit.map_or(self.url, |(_, end)| end);
                self.note(hit, &Label::UrlPassword);
            }
            Kind::Url => {}
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
            Kind::EncodedAt => {
                if self.labels.contains(&Label::Email)
                    && let Some((start, end)) = email::address(self.text, start, end, self.encoded_mail)
                {
                    self.encoded_mail = end;
                    self.found.spans.push(Span::new(start, end, Label::Email));
                }
            }
            Kind::Name => self.name(start),
        }
        false
    }

    fn form(&mut self, form: &'static forms::Form, start: usize) -> bool {
        let bytes = self.text.as_bytes();
        let hit = forms::read(bytes, start, form, &mut self.runs);
        if let Some((_, end)) = hit.filter(|_| form.label == Label::AwsAccessKeyId) {
            self.note(forms::aws_secret_after(bytes, end), &Label::AwsSecretAccessKey);
        }
        self.cover(hit, &form.label)
    }

    /// Reads the name around `at`, once.
    fn name(&mut self, at: usize) {
        if at < self.named {
            return;
        }
        let bytes = self.text.as_bytes();
        let (start, end) = assignments::name_around(bytes, at);
        self.named = end;
        // Most names in code have no value behind them.
        if !b" \t=:\"'`\\>],(".contains(&byte(bytes, end)) {
            return;
        }
        let bearer = self.text.get(start..end).is_some_and(|name| name.eq_ignore_ascii_case("bearer"));
        let hit = if bearer { headers::bearer(self.text, end) } else { None };
        let hit = hit.or_else(|| headers::find(self.text, start, end));
        let hit = hit.or_else(|| assignments::find(self.text, start, end));
        self.named = hit.as_ref().map_or(self.named, |span| span.end);
        self.keep(hit);
    }

    fn cover(&mut self, hit: Option<(usize, usize)>, label: &Label) -> bool {
        self.covered = hit.map_or(self.covered, |(_, end)| end);
        self.note(hit, label);
        hit.is_some()
    }

    fn note(&mut self, hit: Option<(usize, usize)>, label: &Label) {
        self.keep(hit.map(|(start, end)| Span::new(start, end, label.clone())));
    }

    fn keep(&mut self, hit: Option<Span>) {
        self.found.spans.extend(hit.filter(|span| self.labels.contains(&span.label)));
    }
}
