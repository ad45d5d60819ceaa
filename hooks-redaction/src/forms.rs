//! Parses a credential after its prefix.

use super::{
    label::Label,
    text::{byte, byte_before, is_ident, run_end, starts_word},
};

/// Prefix of a credential, with the body that has to follow.
#[derive(Debug)]
pub(super) struct Form {
    /// The prefix, in the vendor's case.
    pub(super) prefix: &'static str,
    /// Set of bytes in the body.
    pub(super) body: Body,
    /// Minimum length of the body; a longer run belongs to it as a whole.
    pub(super) least: usize,
    /// Label of the credential.
    pub(super) label: Label,
}

/// Set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Hex digits.
    Hex,
    /// Capital letters and digits.
    Upper,
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `_`, `-`: base64url.
    Url,
    /// Base64url and full stops.
    Dotted,
    /// Both base64 alphabets with padding.
    Base64,
    /// Base64 with percent-encoding.
    Percent,
    /// Segments of a path.
    Path,
}

impl Body {
    fn has(self, b: u8) -> bool {
        match self {
            Self::Hex => b.is_ascii_hexdigit(),
            Self::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Word => is_ident(b),
            Self::Url => is_ident(b) || b == b'-',
            Self::Dotted => is_ident(b) || b == b'-' || b == b'.',
            Self::Base64 => is_ident(b) || b"-+/=".contains(&b),
            Self::Percent => is_ident(b) || b"-+/=%".contains(&b),
            Self::Path => is_ident(b) || b"-+/=@.".contains(&b),
        }
    }
}

/// The last measured run of each set, so that several prefixes inside one run do not measure it again.
#[derive(Debug, Default)]
pub(super) struct Runs {
    last: [(usize, usize); 9],
}

impl Runs {
    /// Returns the end of the run of `body` that contains `from`.
    pub(super) fn end(&mut self, bytes: &[u8], body: Body, from: usize) -> usize {
        let Some(last) = self.last.get_mut(body as usize) else { return from };
        if !(last.0..last.1).contains(&from) {
            *last = (from, run_end(bytes, from, usize::MAX, |b| body.has(b)));
        }
        last.1
    }
}

/// Number of bytes of a body that are checked to distinguish a credential from a word.
const SAMPLE: usize = 64;

/// Returns the extent of the credential whose prefix is at `at`.
pub(super) fn read(bytes: &[u8], at: usize, form: &Form, runs: &mut Runs) -> Option<(usize, usize)> {
    let body = at + form.prefix.len();
    if bytes.get(at..body)? != form.prefix.as_bytes() || !starts_word(bytes, at) {
        return None;
    }
    let mut end = runs.end(bytes, form.body, body);
    while end > body
        && b".=-".contains(&byte_before(bytes, end))
        && matches!(form.body, Body::Dotted | Body::Path)
    {
        end -= 1;
    }
    let long = end - body >= form.least;
    let exact = !matches!(form.body, Body::Hex | Body::Upper) || !is_ident(byte(bytes, end));
    let value_only = if form.prefix.ends_with('=') { body } else { at };
    (long && exact && is_mixed(bytes.get(body..end)?)).then_some((value_only, end))
}

/// Returns whether letters and digits are mixed as in no word of a language or a program.
fn is_mixed(body: &[u8]) -> bool {
    let sample = body.get(..body.len().min(SAMPLE)).unwrap_or_default();
    let digits = sample.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = sample.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let upper = sample.iter().any(u8::is_ascii_uppercase);
    let lower = sample.iter().any(u8::is_ascii_lowercase);
    // One in two hundred random texts of thirty letters and digits has no digit; capitals inside distinguish
    // such a text from words.
    letters > 0 && (digits > 0 || (upper && lower && sample.len() >= 16 && !sample.contains(&b'-')))
}

/// Parses a JSON web token (RFC 7519) at `eyJ`: three parts, or five if encrypted (RFC 7516).
pub(super) fn jwt(bytes: &[u8], at: usize, runs: &mut Runs) -> Option<(usize, usize)> {
    if bytes.get(at..at + 3)? != b"eyJ" || !starts_word(bytes, at) {
        return None;
    }
    let mut end = runs.end(bytes, Body::Url, at);
    if end - at < 12 {
        return None;
    }
    for part in 1..5 {
        let from = end + 1;
        // A short check first: `runs` must keep a long run that follows a short part.
        let short = run_end(bytes, from, 8, |b| Body::Url.has(b)) < from + 8;
        if byte(bytes, end) != b'.' || (part == 1 && short) {
            return (part > 1).then_some((at, end));
        }
        let to = runs.end(bytes, Body::Url, from);
        if to == from && part != 2 {
            return Some((at, end));
        }
        end = to;
    }
    Some((at, end))
}

/// Parses a Slack webhook address from its scheme on (Slack, "Sending messages using incoming webhooks").
pub(super) fn slack_webhook(bytes: &[u8], at: usize, runs: &mut Runs) -> Option<(usize, usize)> {
    let end = runs.end(bytes, Body::Path, at);
    let path = bytes.get(at..end)?;
    let secret = path.rsplit(|b| *b == b'/').next()?;
    let known = path.starts_with(b"hooks.slack.com/") || path.starts_with(b"hooks.slack-gov.com/");
    let before = bytes.get(..at).unwrap_or_default();
    let schemes: [&[u8]; 2] = [b"https://", b"http://"];
    let start = schemes.iter().find(|scheme| before.ends_with(scheme)).map_or(at, |scheme| at - scheme.len());
    (known && secret.len() >= 16 && is_mixed(secret)).then_some((start, end))
}

/// Parses a Telegram bot token around its `:AA` (Telegram, "Bot API").
pub(super) fn telegram(bytes: &[u8], at: usize, runs: &mut Runs) -> Option<(usize, usize)> {
    let start = super::text::run_start(bytes, at, 12, |b| b.is_ascii_digit());
    let end = runs.end(bytes, Body::Url, at + 1);
    ((8..=11).contains(&(at - start))
        && (34..=36).contains(&(end - at - 1))
        && bytes.get(at..at + 3)? == b":AA")
        .then_some((start, end))
}

/// Parses an Azure client secret around its `8Q~` (Microsoft Entra, "Client secrets").
pub(super) fn azure_secret(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = at.checked_sub(3)?;
    let class = |b: u8| is_ident(b) || b"-.~".contains(&b);
    let end = run_end(bytes, at, 48, class);
    let head = bytes.get(start..at)?.iter().all(|b| class(*b));
    (head && starts_word(bytes, start) && end - at >= 34 && bytes.get(at..at + 3)? == b"8Q~")
        .then_some((start, end))
}

/// Parses a Twilio API key (Twilio, "API keys"): `SK` and 32 hex digits.
pub(super) fn twilio(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let end = run_end(bytes, at + 2, 33, |b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase());
    (end - at == 34 && starts_word(bytes, at) && !is_ident(byte(bytes, end))).then_some((at, end))
}

/// Returns the AWS secret near its access key id, which ends at `end`.
pub(super) fn aws_secret_after(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let class = |b: u8| b.is_ascii_alphanumeric() || b"/+".contains(&b);
    let limit = end + 80;
    let mut from = end;
    while from < limit {
        from += bytes.iter().skip(from).take(limit - from).position(|b| class(*b))?;
        let to = run_end(bytes, from, 41, class);
        if to - from == 40 && is_aws_secret(bytes.get(from..to)?) {
            return Some((from, to));
        }
        from = to;
    }
    None
}

/// Returns whether `value` has the form of an AWS secret access key: forty bytes of base64 that are not a
/// digest.
pub(super) fn is_aws_secret(value: &[u8]) -> bool {
    value.len() == 40
        && value.iter().all(|b| b.is_ascii_alphanumeric() || b"/+=".contains(b))
        && value.iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase)
        && !value.iter().all(u8::is_ascii_hexdigit)
}
