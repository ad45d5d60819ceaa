//! Corrects misspelled markers.

/// Real words that differ from a marker by one letter.
const REAL: [&str; 7] = ["ever", "lever", "newer", "nevers", "refer", "away", "prefers"];

/// Returns the marker that `written` is, or is a misspelling of; otherwise `written`.
pub(super) fn corrected(written: &str) -> &str {
    for meant in ["always", "never", "remember"] {
        if written == meant {
            return meant;
        }
        let is_near = written.len().abs_diff(meant.len()) <= 1
            && written.as_bytes().first() == meant.as_bytes().first();
        if is_near && is_one_off(written.as_bytes(), meant.as_bytes()) && !REAL.contains(&written) {
            return meant;
        }
    }
    written
}

/// Whether one letter was left out, added or replaced, or two letters were swapped.
fn is_one_off(written: &[u8], meant: &[u8]) -> bool {
    let same = written.iter().zip(meant).take_while(|(one, other)| one == other).count();
    let (written, meant) = (written.get(same..).unwrap_or_default(), meant.get(same..).unwrap_or_default());
    match (written, meant) {
        ([_, written @ ..], [_, meant @ ..]) if written == meant => true,
        ([_, written @ ..], meant) if written == meant => true,
        (written, [_, meant @ ..]) if written == meant => true,
        ([a, b, written @ ..], [c, d, meant @ ..]) => a == d && b == c && written == meant,
        _ => false,
    }
}
