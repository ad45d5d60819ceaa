//! Forms of a text: itself, and what its base64, hex and URL encodings stand for, also one in another.

/// Most bytes of the texts and their decoded forms that are searched in one call.
pub(super) const ROOM: usize = 4 << 20;

/// Shortest encoded text.
const SHORTEST: usize = 10;

/// Encodings in encodings that are decoded.
const DEPTH: usize = 2;

/// Visits each form of a text. `false` if there is no room left, so that not all forms were visited.
pub(super) fn each_form(text: &str, room: &mut usize, visit: &mut impl FnMut(&str)) -> bool {
    let mut open = vec![(text.to_owned(), 0)];
    while let Some((form, depth)) = open.pop() {
        let Some(left) = room.checked_sub(form.len()) else { return false };
        *room = left;
        visit(&form);
        if depth < DEPTH {
            open.extend(decoded(&form).into_iter().map(|form| (form, depth + 1)));
        }
    }
    true
}

/// Returns the texts that the encodings in a text stand for.
fn decoded(text: &str) -> Vec<String> {
    let mut forms: Vec<_> = unescaped(text).into_iter().collect();
    // Encoded texts are wrapped at any column.
    let lines = text.split(['\n', '\r']).collect::<String>();
    for run in lines.split(|c: char| !is_base64(c)).filter(|run| run.len() >= SHORTEST) {
        // The start of the encoded text in the run is unknown.
        forms.extend((0..4).filter_map(|start| Some(from_base64(run.get(start..)?))));
    }
    for run in lines.split(|c: char| !c.is_ascii_hexdigit()).filter(|run| run.len() >= 2 * SHORTEST) {
        forms.extend((0..2).filter_map(|start| Some(from_hex(run.get(start..)?))));
    }
    forms.retain(|form| form.chars().filter(|c| c.is_alphanumeric()).count() >= SHORTEST / 2);
    forms
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_')
}

fn from_base64(run: &str) -> String {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(run.len() / 4 * 3), 0u32, 0u32);
    for letter in run.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    text_in(&bytes)
}

fn from_hex(run: &str) -> String {
    let digits: Vec<u8> = run.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    let bytes: Vec<u8> =
        digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    text_in(&bytes)
}

/// Returns the text with `%41` and `\x41` replaced; `None` if it has no such escape.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('%') && !text.contains("\\x") {
        return None;
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((first, behind)) = rest.split_first() {
        let digits = match (first, behind) {
            (b'%', [high, low, ..]) | (b'\\', [b'x', high, low, ..]) => pair(*high, *low),
            _ => None,
        };
        let length = if *first == b'%' { 3 } else { 4 };
        match digits {
            Some(byte) => {
                bytes.push(byte);
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    Some(text_in(&bytes))
}

fn pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

/// Returns the text in bytes, also in those of UTF-16.
fn text_in(bytes: &[u8]) -> String {
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    if zeros * 3 > bytes.len() {
        let letters: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        return String::from_utf8_lossy(&letters).into_owned();
    }
    String::from_utf8_lossy(bytes).into_owned()
}
