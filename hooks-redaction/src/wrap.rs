//! Credentials that a line end cuts into pieces, as terminals, mail programs and editors do.

use super::{
    body::{Body, MAX_RUN},
    cells,
    forms::{self, Form},
    joint, margins,
    text::{byte, byte_before, is_ident, line_before, run_end, run_start},
};

/// Most line ends inside one credential.
const MAX_LINES: usize = 12;
/// Shortest line that counts as filled up to its limit.
const FULL_LINE: usize = 60;
/// Fewest characters of a body in front of a line end.
const LEAST_HEAD: usize = 4;

/// Returns the start of the next line's text, if the line ends at `end`: after a soft line break of mail (`=`), a
/// backslash, or the marks of a quotation.
pub(super) fn next_line(bytes: &[u8], end: usize) -> Option<usize> {
    if b"\"'".contains(&byte(bytes, end)) {
        return next_literal(bytes, end);
    }
    if let Some((next, _)) = cells::below(bytes, end) {
        return Some(next);
    }
    let soft = b"=\\".contains(&byte(bytes, end));
    let at = end + usize::from(soft);
    let at = at + usize::from(byte(bytes, at) == b'\r');
    if byte(bytes, at) != b'\n' {
        return None;
    }
    let text = shown(bytes, end, at + 1).unwrap_or(at + 1);
    Some(run_end(bytes, text, 16, |b| b" \t>|".contains(&b)))
}

/// Returns where the text of the line at `next` begins, if it has a margin like that of the line which ends at `end`.
fn shown(bytes: &[u8], end: usize, next: usize) -> Option<usize> {
    margins::behind_both(bytes, margins::line_start(bytes, end), next).map(|(_, below)| below)
}

/// Returns the start of the literal that is put together with the one whose quotation mark is at `end`: `"a" + "b"`, also one
/// in the next line, and the next one of a list that a call before it puts together.
fn next_literal(bytes: &[u8], end: usize) -> Option<usize> {
    let blank = |from: usize| run_end(bytes, from, 32, |b| b.is_ascii_whitespace());
    let sign = blank(end + 1);
    let from = blank(sign + usize::from(b"+.&".contains(&byte(bytes, sign))));
    let adjacent = from > end + 1 && byte(bytes, from) == byte(bytes, end);
    let listed = || joint::is_joined(line_before(bytes, end, 256));
    adjacent.then_some(from + 1).or_else(|| joint::end(bytes, end, byte(bytes, sign) == b',' && listed()))
}

/// Returns the end of a body that is too short before the line end at `end`, and complete with the lines after.
pub(super) fn joined(bytes: &[u8], body: usize, end: usize, form: &Form) -> Option<usize> {
    if end < body + LEAST_HEAD {
        return None;
    }
    let mut found = bytes.get(body..end)?.to_vec();
    let mut end = end;
    for _line in 0..MAX_LINES {
        let from = next_line(bytes, end)?;
        let wanted = form.most.min(form.least.max(256)).saturating_sub(found.len());
        let to = run_end(bytes, from, wanted, |b| form.body.has(b));
        if to == from {
            return None;
        }
        found.extend_from_slice(bytes.get(from..to)?);
        end = to;
        let whole = found.len() >= form.least && found.len() <= form.most;
        if whole {
            let apart = !is_ident(byte(bytes, end));
            let random = forms::is_mixed(&found) && forms::has_shape(&found, form.body) && is_random(&found);
            return (apart && random).then(|| continued(bytes, end, form).unwrap_or(end));
        }
    }
    None
}

/// Returns the end of a body of open length that goes on after a line that is full.
pub(super) fn continued(bytes: &[u8], end: usize, form: &Form) -> Option<usize> {
    let mut last = None;
    let mut end = end;
    for _line in 0..MAX_LINES {
        let soft = b"=\\".contains(&byte(bytes, end));
        let literal = b"\"'".contains(&byte(bytes, end));
        if form.most != usize::MAX {
            break;
        }
        let cell = cells::below(bytes, end).map(|(from, _)| from);
        let folded = |from: usize| {
            byte(bytes, end) == b'\\'
                || is_rest(
                    bytes.get(from..run_end(bytes, from, 256, |b| form.body.has(b))).unwrap_or_default(),
                    MAX_INDENT,
                )
                || is_indented_alike(bytes, end, from)
                || cell == Some(from)
                || shown(bytes, end, line_end(bytes, end) + 1).is_some_and(|text| text <= from)
        };
        let Some(from) = next_line(bytes, end)
            .filter(|from| literal || byte_before(bytes, *from) == b'\n' || folded(*from))
        else {
            break;
        };
        let to = run_end(bytes, from, 256, |b| form.body.has(b));
        let length = line_before(bytes, end, FULL_LINE).len();
        let full = soft || literal || cell.is_some() || length >= FULL_LINE;
        if !full && !is_rest(bytes.get(from..to).unwrap_or_default(), length) {
            break;
        }
        // The rest of a credential stands alone in its line; a time or the name of a variable does not.
        let alone = byte(bytes, to).is_ascii_whitespace() || b"\0\"'`,;)]}=\\".contains(&byte(bytes, to));
        let least = if soft || literal { 2 } else { 11 };
        if to < from + least || !alone || !is_random(bytes.get(from..to)?) {
            break;
        }
        end = to;
        last = Some(to);
    }
    last
}

/// Shortest line that a program cuts at its limit.
const SHORT_LINE: usize = 24;

/// Returns whether a line is the rest of a credential that was cut after `length` characters of its line: no longer, and with
/// letters in both cases and digits.
fn is_rest(line: &[u8], length: usize) -> bool {
    let has = |class: fn(&u8) -> bool| line.iter().any(class);
    length >= SHORT_LINE
        && line.len() <= length
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Returns the end of the line around `at`, if it is near.
fn line_end(bytes: &[u8], at: usize) -> usize {
    run_end(bytes, at, 8, |b| b != b'\n')
}

/// Returns whether the line of the text at `from` has the blanks in front that the one which ends at `end` has, and no more: a
/// folded block of YAML.
fn is_indented_alike(bytes: &[u8], end: usize, from: usize) -> bool {
    let blank = |b: u8| b == b' ';
    let above = line_before(bytes, end, 4 * MAX_INDENT);
    let indent = above.iter().take_while(|b| **b == b' ').count();
    let here = run_start(bytes, from, MAX_INDENT, blank);
    above.len() < 4 * MAX_INDENT && indent > 0 && from - here == indent && byte_before(bytes, here) == b'\n'
}

/// Most blanks in front of the lines of a folded block.
const MAX_INDENT: usize = 64;

/// Returns the end of the base64url run at `from`, which may go on in the next lines.
pub(super) fn run_over_lines(bytes: &[u8], from: usize) -> usize {
    let run = |from: usize| run_end(bytes, from, MAX_RUN, |b| Body::Url.has(b));
    let mut end = run(from);
    for _line in 0..MAX_LINES {
        let Some(next) = next_line(bytes, end) else { break };
        let to = run(next);
        let inside = bytes.get(next..to).unwrap_or_default();
        if inside.len() < 4 || !is_random(inside) {
            break;
        }
        end = to;
    }
    end
}

/// Returns whether digits or inner capitals show that a run is no word.
fn is_random(run: &[u8]) -> bool {
    let digit = run.iter().any(u8::is_ascii_digit);
    let capital = run.iter().skip(1).any(u8::is_ascii_uppercase);
    digit || (capital && run.iter().any(u8::is_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    use super::super::Scrubber;

    #[test]
    fn a_credential_over_lines_is_removed_whole() {
        let key = "ghp_0123456789abcdefghijKLMNOPqrstuvwxyz";
        for at in [9, 20, 38] {
            for end in ["\n", "\r\n", "=\n", "\\\n", "\n    ", "\n> "] {
                let (head, tail) = key.split_at(at);
                let text = format!("key {head}{end}{tail} ok");
                assert_eq!(Scrubber::all().scrub(&text), "key [GITHUB_TOKEN_REDACTED] ok", "{text}");
            }
        }
        let long = format!("sk-ant-api03-{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7b".repeat(4));
        let (head, tail) = long.split_at(50);
        let soft = format!("{head}=\n{tail}\nnext line");
        assert_eq!(Scrubber::all().scrub(&soft), "[ANTHROPIC_KEY_REDACTED]\nnext line");
        let (head, tail) = long.split_at(76);
        let text = format!("{head}\n{tail}\nnext line");
        assert_eq!(Scrubber::all().scrub(&text), "[ANTHROPIC_KEY_REDACTED]\nnext line");
    }

    #[test]
    fn a_web_token_over_lines_is_removed_whole() {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r";
        for at in [10, 30, 60] {
            let (head, tail) = token.split_at(at);
            let text = format!("t {head}\n{tail} ok");
            assert_eq!(Scrubber::all().scrub(&text), "t [JWT_REDACTED] ok", "{text}");
        }
        let text = format!("{token}\nnext line");
        assert_eq!(Scrubber::all().scrub(&text), "[JWT_REDACTED]\nnext line");
    }

    #[test]
    fn the_next_line_of_a_whole_credential_stays() {
        let text = "ghp_0123456789abcdefghijKLMNOPqrstuvwxyz\nsecond line 2";
        assert_eq!(Scrubber::all().scrub(text), "[GITHUB_TOKEN_REDACTED]\nsecond line 2");
        let talk = "tokens begin with ghp_abcd\nefghijklm and so on";
        assert_eq!(Scrubber::all().scrub(talk), talk);
    }
}
