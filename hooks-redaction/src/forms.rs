//! Parses a credential after its prefix.

use super::{
    body::{Body, Runs},
    label::Label,
    text::{byte, byte_before, is_ident, run_end, starts_word},
    wrap,
};

/// Prefix of a credential, with the body that has to follow.
#[derive(Debug)]
pub(super) struct Form {
    /// The prefix, in the vendor's case.
    pub(super) prefix: &'static str,
    /// Set of bytes in the body.
    pub(super) body: Body,
    /// Minimum length of the body.
    pub(super) least: usize,
    /// Maximum length of the body; without a limit, a longer run belongs to it as a whole.
    pub(super) most: usize,
    /// Label of the credential.
    pub(super) label: Label,
    /// Checksum at the end of the body.
    pub(super) checksum: Option<Checksum>,
}

/// Checksum of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checksum {
    /// The last six characters are the CRC-32 of those before, in base 62 (GitHub, "Behind GitHub's new
    /// authentication token formats").
    Crc32,
}

/// Number of bytes of a body that are checked to distinguish a credential from a word.
const SAMPLE: usize = 64;

/// Returns the extent of the credential whose prefix is at `at`.
pub(super) fn read(bytes: &[u8], at: usize, form: &Form, runs: &mut Runs) -> Option<(usize, usize)> {
    let body = at + form.prefix.len();
    if bytes.get(at..body)? != form.prefix.as_bytes() {
        return None;
    }
    let value_only = if form.prefix.ends_with('=') { body } else { at };
    let end = trimmed(bytes, body, runs.end(bytes, form.body, body), form);
    let apart = starts_word(bytes, at);
    if !apart {
        // Glued to a word, only a checksum proves it.
        let known = form.checksum.is_some() && end - body >= form.least;
        let glued = body + form.least;
        return (known && has_crc32(bytes.get(body..glued)?)).then_some((value_only, glued));
    }
    if is_whole(bytes, body, end, form) {
        return Some((value_only, wrap::continued(bytes, end, form).unwrap_or(end)));
    }
    wrap::joined(bytes, body, end, form).map(|end| (value_only, end))
}

/// Returns the end of the body without punctuation of the text around it.
fn trimmed(bytes: &[u8], body: usize, mut end: usize, form: &Form) -> usize {
    let open = matches!(form.body, Body::Dotted | Body::Path);
    while open && end > body && b".=".contains(&byte_before(bytes, end)) {
        end -= 1;
    }
    end
}

/// Returns whether `body..end` is a complete body.
pub(super) fn is_whole(bytes: &[u8], body: usize, end: usize, form: &Form) -> bool {
    let length = end - body;
    let bounded = form.body.is_exact() || form.most != usize::MAX;
    let exact = !bounded || !is_ident(byte(bytes, end));
    let inside = bytes.get(body..end).unwrap_or_default();
    // One in thirty identifiers of AWS keys has no digit.
    let letters = || inside.windows(2).any(|two| matches!(two, [a, b] if a != b));
    let mixed = is_mixed(inside) || (form.label == Label::AwsAccessKeyId && letters());
    (form.least..=form.most).contains(&length) && exact && mixed && has_shape(inside, form.body)
}

/// Returns whether the separators of a body are at their places.
pub(super) fn has_shape(inside: &[u8], body: Body) -> bool {
    let groups = |separator: u8| inside.split(move |b| *b == separator).map(<[u8]>::len);
    match body {
        Body::Uuid => groups(b'-').eq([8, 4, 4, 4, 12]),
        // The account, perhaps the token's number, and the token.
        Body::Asana => groups(b':').eq([33, 32]) || groups(b':').eq([16, 32]),
        _ => true,
    }
}

/// Returns whether the last six characters are the checksum of those before.
fn has_crc32(body: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((head, check)) = body.split_at_checked(body.len().saturating_sub(6)) else { return false };
    let mut crc = u32::MAX;
    for b in head {
        crc ^= u32::from(*b);
        for _bit in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let mut rest = !crc;
    check.iter().rev().all(|b| {
        let digit = DIGITS.get((rest % 62) as usize);
        rest /= 62;
        digit == Some(b)
    })
}

/// Returns whether letters and digits are mixed as in no word of a language or a program.
pub(super) fn is_mixed(body: &[u8]) -> bool {
    let sample = body.get(..body.len().min(SAMPLE)).unwrap_or_default();
    let digits = sample.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = sample.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let upper = sample.iter().any(u8::is_ascii_uppercase);
    let lower = sample.iter().any(u8::is_ascii_lowercase);
    // One in two hundred random texts of thirty letters and digits has no digit; capitals inside distinguish
    // such a text from words.
    let humps = || sample.windows(2).filter(|two| matches!(two, [b'a'..=b'z', b'A'..=b'Z'])).count();
    let capitals = upper && lower && sample.len() >= 16 && (!sample.contains(&b'-') || humps() >= 3);
    letters > 0 && (digits > 0 || capitals)
}

/// Parses a JSON web token (RFC 7519) at `eyJ`: three parts, or five if encrypted (RFC 7516).
pub(super) fn jwt(bytes: &[u8], at: usize, runs: &mut Runs) -> Option<(usize, usize)> {
    if bytes.get(at..at + 3)? != b"eyJ" || !starts_word(bytes, at) {
        return None;
    }
    let plain = jwt_parts(bytes, at, |from| runs.end(bytes, Body::Url, from));
    let end = plain.map_or_else(|| runs.end(bytes, Body::Dotted, at), |(_, end)| end);
    // Only at the start of a run, so that a run of many starts is read over its lines once.
    if Body::Dotted.has(byte_before(bytes, at)) || wrap::next_line(bytes, end).is_none() {
        return plain;
    }
    jwt_parts(bytes, at, |from| wrap::run_over_lines(bytes, from)).or(plain)
}

fn jwt_parts(bytes: &[u8], at: usize, mut run: impl FnMut(usize) -> usize) -> Option<(usize, usize)> {
    let mut end = run(at);
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
        let to = run(from);
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
    // A folded block of YAML may have the scheme in the line above.
    let blank = super::text::run_start(bytes, at, 64, |b| b.is_ascii_whitespace());
    let before = if before.ends_with(b"://") { before } else { bytes.get(..blank).unwrap_or_default() };
    let at = if before.len() < at && before.ends_with(b"://") { before.len() } else { at };
    let start = schemes.iter().find(|scheme| before.ends_with(scheme)).map_or(at, |scheme| at - scheme.len());
    (known && secret.len() >= 16 && is_mixed(secret)).then_some((start, end))
}

/// Parses a Slack webhook address that a terminal cut in two at the line end `newline`; its last word starts at `from`.
pub(super) fn slack_webhook_over_lines(bytes: &[u8], from: usize, newline: usize) -> Option<(usize, usize)> {
    let head = bytes.get(from..newline)?;
    memchr::memrchr(b':', head)?;
    let scheme = memchr::memmem::rfind(head, b"://")?;
    let host = head.get(scheme + 3..)?;
    let known = b"hooks.slack.com/";
    let cut = known.starts_with(host) || host.starts_with(known);
    let rest = run_end(bytes, newline + 1, 128, |b| Body::Path.has(b));
    let alone = matches!(byte(bytes, rest), 0 | b'\n' | b'\r');
    let full = super::text::line_before(bytes, newline, 60).len() >= 60;
    if !cut || !(full || alone && host.len() > known.len()) || byte(bytes, newline) != b'\n' {
        return None;
    }
    let end = run_end(bytes, newline + 1, 128, |b| Body::Path.has(b));
    let whole = [host, bytes.get(newline + 1..end)?].concat();
    let (_, length) = slack_webhook(&whole, 0, &mut Runs::default())?;
    let start = super::text::run_start(bytes, from + scheme, 5, |b| b.is_ascii_alphabetic());
    (length > host.len()).then_some((start, newline + 1 + length - host.len()))
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

/// Parses a Discord bot token (Discord, "Authentication"): the identifier, a time and a signature, in base64url.
pub(super) fn discord(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let part = |from: usize| run_end(bytes, from, 64, |b| Body::Url.has(b));
    let id = part(at);
    let time = part(id + 1);
    let end = part(time + 1);
    let dots = byte(bytes, id) == b'.' && byte(bytes, time) == b'.';
    let lengths = (23..=28).contains(&(id - at)) && time == id + 7 && end - time > 27;
    (dots && lengths && starts_word(bytes, at)).then_some((at, end))
}

/// Parses a personal access token of Azure DevOps (Microsoft, "Use personal access tokens"): 84 letters and digits, of which
/// `AZDO` are the last but four.
pub(super) fn azure_devops(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    // The first part has a character more in newer tokens.
    let mark = [76, 77]
        .into_iter()
        .map(|length| at + length)
        .find(|mark| bytes.get(*mark..mark + 4) == Some(b"AZDO"))?;
    let end = mark + 8;
    let known = bytes.get(at..end)?.iter().all(u8::is_ascii_alphanumeric);
    (known && starts_word(bytes, at) && !is_ident(byte(bytes, end))).then_some((at, end))
}

/// Parses a key that ends with a mark of its vendor: New Relic's license keys, MaxMind's (their pages on keys).
pub(super) fn marked(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let end = at + 40;
    let (body, mark) = bytes.get(at..end)?.split_at_checked(36)?;
    let known = match mark {
        b"NRAL" => body.iter().all(u8::is_ascii_hexdigit),
        b"_mmk" => body.get(6) == Some(&b'_') && body.iter().all(|b| is_ident(*b)) && is_mixed(body),
        _ => false,
    };
    (known && starts_word(bytes, at) && !is_ident(byte(bytes, end))).then_some((at, end))
}

/// Parses a Mailchimp key at `at` (Mailchimp, "Marketing API keys"): 32 hex digits, and the data centre such as `-us14`.
pub(super) fn mailchimp(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let centre = at + 32;
    if bytes.get(centre..centre + 3)? != b"-us" || !starts_word(bytes, at) {
        return None;
    }
    let end = run_end(bytes, centre + 3, 2, |b| b.is_ascii_digit());
    let hex = bytes.get(at..centre)?.iter().all(u8::is_ascii_hexdigit);
    (hex && end > centre + 3 && !is_ident(byte(bytes, end))).then_some((at, end))
}

/// Parses a Terraform Cloud token around its `.atlasv1.` (HashiCorp, "API tokens").
pub(super) fn terraform(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = super::text::run_start(bytes, at, 16, |b| b.is_ascii_alphanumeric());
    let end = run_end(bytes, at + 9, 80, |b| Body::Url.has(b) || b == b'=');
    (at - start == 14 && end - at - 9 >= 60).then_some((start, end))
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
