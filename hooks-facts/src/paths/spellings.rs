//! Texts that a path may be read as: decoded, folded, with other separators.

use hooks_core::Platform;
use unicode_normalization::{UnicodeNormalization, is_nfkc};

use super::characters;
use super::error::PathError;
use super::lexical::is_drive;
use super::windows;

/// Number of times that percent-encoding is decoded.
const MAX_DECODING: u8 = 2;

/// Text with the conversions applied to it.
struct Spelling {
    text: String,
    decoded: u8,
    folded: bool,
}

/// Returns every plausible reading of the text, the text itself first. Returns an error if one of them is not
/// a plain path.
pub(super) fn spellings(
    path: &str,
    platform: Platform,
    home: Option<&str>,
    is_encoded: bool,
) -> Result<Vec<String>, PathError> {
    let mut open = vec![Spelling { text: path.to_owned(), decoded: 0, folded: false }];
    let mut found: Vec<String> = Vec::new();
    // A path is decoded at most twice and folded once, so this ends after a handful of texts.
    while let Some(spelling) = open.pop() {
        let text = &spelling.text;
        if is_encoded && spelling.decoded < MAX_DECODING && text.contains('%') {
            let decoded = decoded(text).ok_or_else(|| PathError::Encoding { path: path.to_owned() })?;
            if decoded != *text {
                open.push(Spelling { text: decoded, decoded: spelling.decoded + 1, folded: spelling.folded });
            }
        }
        if !spelling.folded && !is_nfkc(text) {
            open.push(Spelling { text: text.nfkc().collect(), decoded: spelling.decoded, folded: true });
        }
        check(text, path, platform, home)?;
        let slashed = text.contains('\\').then(|| text.replace('\\', "/"));
        if let Some(slashed) = slashed.as_ref() {
            check(slashed, path, platform, home)?;
        }
        let texts = match platform {
            Platform::Windows => [Some(slashed.unwrap_or_else(|| text.clone())), None],
            _ => [Some(text.clone()), slashed],
        };
        for text in texts.into_iter().flatten() {
            add(&mut found, text.trim().to_owned());
            if platform == Platform::Windows {
                windows::check(&text)?;
                if let Some(stored) = windows::stored(&text) {
                    add(&mut found, stored);
                }
            }
            add(&mut found, text);
        }
    }
    Ok(found)
}

/// Returns whether the conversions in this file are unnecessary: plain ASCII, relative, in normal form.
pub(super) fn is_plain(path: &str, platform: Platform) -> bool {
    let (mut seen, mut begins, mut last) = (0, 0, SLASH);
    for byte in path.bytes() {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(OTHER);
        seen |= class;
        // Records the first character of each component, without a branch for each byte.
        begins |= 0_u8.wrapping_sub(last & SLASH) & class;
        last = class;
    }
    let is_simple = (seen & OTHER) == 0 && (begins & SLASH) == 0 && last != SLASH;
    let has_dots = || path.split('/').any(|name| name == "." || name.starts_with(".."));
    platform != Platform::Windows && is_simple && !((begins & DOT) != 0 && has_dots())
}

const SLASH: u8 = 1;
const DOT: u8 = 2;
/// Has another meaning in some reading of a path.
const OTHER: u8 = 4;

/// Class of each byte; 0 for an ordinary character of a name.
static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut rest: &mut [u8] = &mut classes;
    let mut byte = 0_u8;
    while let Some((class, behind)) = rest.split_first_mut() {
        *class = match byte {
            b'/' => SLASH,
            b'.' => DOT,
            b'%' | b'\\' | b'~' | b'$' | b':' => OTHER,
            0x21..=0x7E => 0,
            _ => OTHER,
        };
        byte = byte.wrapping_add(1);
        rest = behind;
    }
    classes
};

fn add(found: &mut Vec<String>, text: String) {
    if !text.is_empty() && !found.contains(&text) {
        found.push(text);
    }
}

/// Decodes percent-encoding once. `None` for bytes that are not valid in any text but that a careless decoder
/// treats as ASCII (the overlong `%c0%ae` for a dot).
pub(crate) fn decoded(text: &str) -> Option<String> {
    let bytes = percent_decoded(text);
    if bytes.iter().any(|byte| matches!(byte, 0xC0 | 0xC1))
        || bytes.windows(2).any(|pair| matches!(pair, [0xE0, 0x80..=0x9F]))
    {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Replaces each `%` with two hexadecimal digits by their byte, as URLs are decoded (RFC 3986, section 2.1).
fn percent_decoded(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let value = |high: u32, low: u32| u8::try_from(16 * high + low).ok();
        let encoded = (byte == b'%').then(|| value(digit(0)?, digit(1)?)).flatten();
        bytes.push(encoded.unwrap_or(byte));
        rest = if encoded.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes
}

/// Returns an error if the text is not a plain path. `path` is the original text.
fn check(text: &str, path: &str, platform: Platform, home: Option<&str>) -> Result<(), PathError> {
    if let Some(character) = characters::invisible(text) {
        let character = format!("U+{:04X}", u32::from(character));
        return Err(PathError::ControlCharacter { path: path.escape_debug().to_string(), character });
    }
    let start = text.trim_start();
    let path = || path.to_owned();
    if start.starts_with('~') {
        return Err(PathError::Tilde { path: path(), home: home.map(str::to_owned) });
    }
    if begins_with_variable(start) {
        return Err(PathError::Variable { path: path() });
    }
    if has_scheme(start, platform) {
        return Err(PathError::Scheme { path: path() });
    }
    Ok(())
}

/// `$NAME`, `${NAME}`, `$(…)` and `%NAME%`.
fn begins_with_variable(text: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    if let Some(rest) = text.strip_prefix('$') {
        return rest.starts_with(|c: char| is_start(c) || matches!(c, '{' | '('));
    }
    let name = text.strip_prefix('%').and_then(|rest| rest.split_once('%')).map(|(name, _)| name);
    name.is_some_and(|name| {
        name.starts_with(is_start) && name.chars().all(|c| c.is_ascii_alphanumeric() || "_()".contains(c))
    })
}

/// Returns whether the text starts with `scheme:/`; one letter is a drive, which only Windows has.
fn has_scheme(text: &str, platform: Platform) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_name = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_name && rest.starts_with('/') && !(platform == Platform::Windows && is_drive(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_percent_sign_with_two_digits_is_decoded() {
        for (text, wanted) in [
            ("a%2e%2Fb", "a./b"),
            ("100%", "100%"),
            ("%2", "%2"),
            ("%zz%41", "%zzA"),
            ("%%41", "%A"),
            ("%e2%82%ac", "€"),
        ] {
            assert_eq!(percent_decoded(text), wanted.as_bytes(), "{text}");
        }
    }
}
