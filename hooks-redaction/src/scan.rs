//! One pass over a text for all labels: anchors name positions, and the detectors read around them.

mod names;

use super::{
    accounts,
    anchors::{self, Anchors, TAIL},
    body::{Body, Runs},
    calls, commands, digits, email, encoded, escapes, forms, headers, joint,
    label::{Label, Labels},
    lines,
    literals::{INDEX, Index, Kind, LITERALS, Literal},
    network, pem, prose,
    span::Span,
    split,
    text::{byte, byte_before, line_before, run_end, run_start, starts_word},
    url, view,
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
    let Findings { mut spans, mut hidden } = pass(text, labels, encoded::secrets(labels));
    hidden.sort_unstable();
    view::find(text, labels, &hidden, &mut spans);
    let (joined, mut whole): (Vec<Span>, Vec<Span>) =
        spans.into_iter().partition(|span| split::is_apart(text, span));
    whole.extend(joined.iter().flat_map(|span| split::parts(text, span)));
    whole
}

/// Scans `text` for `labels`, as it stands.
pub(super) fn scan(text: &str, labels: Labels) -> Findings {
    pass(text, labels, Labels::default())
}

fn pass(text: &str, labels: Labels, encoded: Labels) -> Findings {
    let mut scanner = Scanner {
        text,
        index: &INDEX,
        literals: &LITERALS,
        labels,
        lines: encoded != Labels::default(),
        encoded,
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
        run: 0,
        table: 0,
    };
    anchors::each(text.as_bytes(), |at, anchors| scanner.hit(at, anchors));
    scanner.found
}

/// Longest word in front of a line end in which a credential is looked for.
const MAX_WORD: usize = 512;

/// Whether a word is "hasło", or the part of "şifre" behind its first letter.
fn is_mixed_word(bytes: &[u8], at: usize) -> bool {
    let is = |word: &[u8]| bytes.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word));
    is(b"has") && byte(bytes, at + 3) >= 0x80 || is(b"ifre") && byte_before(bytes, at) >= 0x80
}

struct Scanner<'t> {
    text: &'t str,
    index: &'static Index,
    literals: &'static [Literal],
    labels: Labels,
    /// Whether the lines around a name count: not in a text that is put together from what hides in another.
    lines: bool,
    /// Labels that are also found in base64.
    encoded: Labels,
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
    /// End of the last run of base64.
    run: usize,
    /// End of the last table with passwords.
    table: usize,
}

impl Scanner<'_> {
    #[inline]
    fn hit(&mut self, at: usize, anchors: Anchors) {
        if anchors.rare {
            self.rare(at);
        }
        if anchors.opener {
            self.opener(at);
        }
        if anchors.account {
            self.account(at);
        }
        if anchors.number {
            self.digits(at);
        }
        if anchors.colon {
            self.colon(at);
        }
        if anchors.caption {
            self.caption(at);
        }
        if anchors.word {
            self.word(at);
        }
        if anchors.encoded && at >= self.run {
            let found = &mut self.found.spans;
            self.run = encoded::read(self.text.as_bytes(), at, self.run, self.encoded, found);
        }
        if anchors.dashes && byte(self.text.as_bytes(), at) == b'-' {
            let hit = pem::read(self.text.as_bytes(), at, self.lines, &mut self.ends);
            self.cover(hit, &Label::PrivateKey);
        }
        if anchors.option {
            self.option(at);
        }
        if anchors.joint {
            self.joint(at);
        }
        if anchors.name || anchors.mixed && is_mixed_word(self.text.as_bytes(), at) {
            self.named_anchor(at);
        }
        if anchors.line_end {
            self.line_end(at + TAIL);
        }
    }

    /// Reads at a character beyond ASCII that may hide something.
    fn opener(&mut self, at: usize) {
        if view::is_hidden(self.text, at) {
            self.found.hidden.push(at);
            self.literal(at);
        }
        if self.text.get(at..).is_some_and(|rest| rest.starts_with('：')) {
            self.keep(prose::behind_caption(self.text, at));
        }
    }

    /// Reads around a byte that decides alone.
    fn rare(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let next = byte(bytes, at + 1);
        match byte(bytes, at) {
            b'@' => return self.mail(at),
            // A word starts behind these.
            b'\\' if matches!(next, b'n' | b'r' | b't') => return self.start(at + 2),
            b'\\' if matches!(next, b'\n' | b'\r') => self.line_end(at),
            // An encoded blank hides nothing but the groups of a number.
            b'%' if bytes.get(at + 1..at + 3) == Some(b"20") => {
                self.start(at + 3);
                if !byte_before(bytes, at).is_ascii_digit() || !byte(bytes, at + 3).is_ascii_digit() {
                    return;
                }
            }
            b'%' if next.is_ascii_hexdigit() && byte(bytes, at + 2).is_ascii_hexdigit() => {
                self.attached_password(at);
                self.start(at + 3);
            }
            b'%' => return self.attached_password(at),
            b'~' => return self.tilde(at),
            b'&' if !escapes::may_be_entity(bytes, at) => return,
            _ => {}
        }
        if view::is_hidden(self.text, at) {
            self.found.hidden.push(at);
            self.literal(at);
        }
    }

    /// Reads what may start at the start of a word behind an escape.
    fn start(&mut self, at: usize) {
        self.literal(at);
        let bytes = self.text.as_bytes();
        if byte(bytes, at).is_ascii_digit() {
            self.digits(at);
        } else if byte(bytes, at + 2).is_ascii_digit() {
            self.account(at);
        }
    }

    /// Reads a credential at the start of a word, and one with a checksum in front of its `_`.
    fn word(&mut self, at: usize) {
        self.literal(at);
        let bytes = self.text.as_bytes();
        let marked = || forms::marked(bytes, at).or_else(|| forms::azure_devops(bytes, at));
        if let Some(key) = forms::mailchimp(bytes, at).or_else(marked) {
            self.cover(Some(key), &Label::ApiKey);
        }
        if byte_before(self.text.as_bytes(), at) == b'_'
            && let Some(start) = at.checked_sub(4)
        {
            self.literal(start);
        }
    }

    /// Reads credentials that a line end cuts in two.
    fn line_end(&mut self, end: usize) {
        let bytes = self.text.as_bytes();
        if byte_before(bytes, end) == b'=' && joint::is_in_mail(bytes, end - 1) {
            self.found.hidden.push(end - 1);
        }
        let from = run_start(bytes, end, MAX_WORD, |b| Body::Path.has(b) || b == b':');
        if self.lines {
            self.cover(forms::slack_webhook_over_lines(bytes, from, end), &Label::SlackToken);
        }
        for at in from..end {
            if byte(bytes, at).is_ascii_alphanumeric() && !byte_before(bytes, at).is_ascii_alphanumeric() {
                self.literal(at);
            }
        }
    }

    /// Reads the two forms that have a `~`.
    fn tilde(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let head = bytes.get(..at).unwrap_or_default();
        if byte_before(bytes, at) == b' ' {
            self.keep(lines::access_list(self.text, at));
        }
        if head.ends_with(b"8Q") && at - 2 >= self.covered {
            self.cover(forms::azure_secret(bytes, at - 2), &Label::ApiKey);
        } else if head.ends_with(b"sha256") {
            self.literal(at - 6);
        }
    }

    /// Reads the options that take a password: `-u user:password`, `--user`, and those of some commands.
    fn option(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let rest = bytes.get(at..).unwrap_or_default();
        match byte(bytes, at) {
            b'-' => {}
            b'/' => return self.keep(commands::option(self.text, at, self.lines)),
            _ => return,
        }
        let ends = |length: usize| rest.get(length).is_some_and(|b| b" =".contains(b)).then_some(at + length);
        let user = if rest.starts_with(b"--user") {
            ends(6)
        } else if rest.starts_with(b"--proxy-user") {
            ends(12)
        } else if rest.starts_with(b"-u") {
            let attached = || memchr::memmem::find(line_before(bytes, at, 160), b"curl").is_some();
            ends(2).or_else(|| attached().then_some(at + 2))
        } else {
            None
        };
        if let Some(hit) = user.and_then(|end| accounts::user_option(self.text, end))
            && !commands::takes_group(self.text, at, self.lines)
        {
            return self.keep(Some(hit));
        }
        self.keep(commands::option(self.text, at, self.lines));
        let cookie = [&b"-b "[..], b"--cookie "].into_iter().find(|option| rest.starts_with(option));
        if let Some(cookie) = cookie
            && memchr::memmem::find(line_before(bytes, at, 160), b"curl").is_some()
        {
            self.note(headers::cookie_option(self.text, at + cookie.len()), &Label::AuthHeader);
        }
        if rest.get(..12).is_some_and(|option| option.eq_ignore_ascii_case(b"-AsPlainText")) {
            self.keep(calls::secure_string(self.text, at));
        }
        let stdin =
            ["-S", "--password-stdin", "--stdin"].iter().any(|option| rest.starts_with(option.as_bytes()));
        if stdin {
            self.keep(accounts::piped(self.text, at, false).or_else(|| accounts::here_string(self.text, at)));
        }
    }

    /// Notes where literals are put together, or an escape of mail.
    fn joint(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let hidden = match byte(bytes, at) {
            b'=' => joint::is_in_mail(bytes, at),
            b'<' => view::element(bytes, at).is_some(),
            b'"' | b'\'' => joint::end(bytes, at, false).is_some(),
            _ => false,
        };
        if hidden {
            self.found.hidden.push(at);
        }
    }

    /// Notes a call at `at` that puts the literals of a list together.
    fn join(&mut self, at: usize) {
        if joint::has_list(self.text.as_bytes(), at) {
            self.found.hidden.push(at);
        }
    }

    /// Reads `user%password`.
    fn attached_password(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let user = byte_before(bytes, at).is_ascii_alphanumeric() && byte(bytes, at + 1).is_ascii_graphic();
        if user && memchr::memmem::find(line_before(bytes, at, 160), b"-U").is_some() {
            let line = line_before(bytes, at, 160);
            let option = memchr::memmem::rfind(line, b"-U").unwrap_or_default();
            self.keep(commands::option(self.text, at - line.len() + option, self.lines));
        }
    }

    fn digits(&mut self, at: usize) {
        if at < self.number {
            return;
        }
        let bytes = self.text.as_bytes();
        let run = run_end(bytes, at, usize::MAX, |b| b.is_ascii_digit());
        self.number = run;
        // Few digits alone are not a number.
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
        let bytes = self.text.as_bytes();
        let (before, next) = (byte_before(bytes, at), byte(bytes, at + 1));
        let rest = bytes.get(at + 1..).unwrap_or_default();
        if before == b'+' {
            self.keep(lines::access_list(self.text, at));
        }
        if rest.starts_with(b"tcp(") || rest.starts_with(b"unix(") {
            return self.note(url::data_source(bytes, at), &Label::UrlPassword);
        }
        if next == b'/' || next.is_ascii_alphanumeric() {
            self.note(url::oracle(bytes, at), &Label::UrlPassword);
        }
        // Genealogical data doubles the sign.
        let is_doubled =
            next == b'@' && before.is_ascii_alphanumeric() && byte(bytes, at + 2).is_ascii_alphanumeric();
        if is_doubled && line_before(bytes, at, 96).windows(7).any(|tag| tag == b" EMAIL ") {
            if let Some((start, end)) = email::address(self.text, at, at + 2, self.mail)
                && self.labels.contains(&Label::Email)
            {
                self.mail = end;
                self.found.spans.push(Span::new(start, end, Label::Email));
            }
            return;
        }
        let local = before.is_ascii_alphanumeric() || before >= 0x80 || b"._%+-'\"".contains(&before);
        let domain = next.is_ascii_alphanumeric() || next >= 0x80 || next == b'_';
        if local
            && domain
            && self.labels.contains(&Label::Email)
            && let Some((start, end)) = email::address(self.text, at, at + 1, self.mail)
        {
            self.mail = end;
            self.found.spans.push(Span::new(start, end, Label::Email));
            if byte(bytes, end) == b':' {
                self.keep(accounts::mapped(self.text, start, end));
            }
        }
    }

    fn colon(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let (before, next, after) = (byte_before(bytes, at), byte(bytes, at + 1), byte(bytes, at + 2));
        if before == b'*' && next == b'*' {
            self.keep(accounts::pgpass(self.text, at));
        }
        if before == b']' && next.is_ascii_digit() {
            self.keep(accounts::relayed(self.text, at));
        }
        if before >= 0x80 {
            self.keep(prose::behind_caption(self.text, at));
        }
        if next == b'/' {
            if after == b'/' && at >= self.url {
                let hit = url::password(self.text, at, self.lines);
                self.url = hit.map_or(self.url, |(_, end)| end);
                self.note(hit, &Label::UrlPassword);
            }
            return;
        }
        if next.is_ascii_digit() && after.is_ascii_digit() {
            self.keep(accounts::pgpass(self.text, at));
        }
        if b"hdsuS".contains(&next) && before.is_ascii_lowercase() {
            self.keep(calls::data_object(self.text, at));
        }
        if next == b'A' && after == b'A' && at >= self.covered {
            let hit = forms::telegram(bytes, at, &mut self.runs);
            self.cover(hit, &Label::ApiKey);
        }
        let hex = |b: u8| b.is_ascii_hexdigit() || b == b':';
        if hex(next)
            && (next == b':' || hex(before))
            && at >= self.address
            && self.labels.contains(&Label::Ipv6)
        {
            let found = self.found.spans.len();
            self.address = network::ipv6(self.text, at, &mut self.found.spans);
            if self.found.spans.len() > found {
                self.number = self.number.max(self.address);
            }
        }
    }

    /// Reads behind a caption whose last letter is beyond ASCII, with a blank before its colon.
    fn caption(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        if byte_before(bytes, at) == b' ' && byte_before(bytes, at - 1) >= 0x80 {
            self.keep(prose::behind_caption(self.text, at));
        }
    }

    fn literal(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let there = self.index.at(bytes.get(at..).unwrap_or_default());
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
            Kind::SlackWebhook => {
                let hit = forms::slack_webhook(bytes, start, &mut self.runs);
                return self.cover(hit, &Label::SlackToken);
            }
            Kind::Discord => return self.cover(forms::discord(bytes, start), &Label::ApiKey),
            Kind::Terraform => return self.cover(forms::terraform(bytes, start), &Label::ApiKey),
            Kind::EncodedAt => {
                if self.labels.contains(&Label::Email)
                    && let Some((start, end)) = email::address(self.text, start, end, self.encoded_mail)
                {
                    self.encoded_mail = end;
                    self.found.spans.push(Span::new(start, end, Label::Email));
                }
            }
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
