//! Shortens texts.

/// Returns the beginning of `text`, at most `limit` bytes, without splitting a character.
///
/// ```
/// use hooks_conversation::text::{head, tail};
///
/// assert_eq!(head("naïve", 3), "na", "the letter `ï` has two bytes");
/// assert_eq!(tail("naïve", 3), "ve");
/// assert_eq!(head("short", 100), "short");
/// ```
pub fn head(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_default()
}

/// Returns the end of `text`, at most `limit` bytes, without splitting a character.
pub fn tail(text: &str, limit: usize) -> &str {
    let mut start = text.len().saturating_sub(limit);
    while !text.is_char_boundary(start) {
        start = start.saturating_add(1);
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_stay_whole() {
        assert_eq!((head("aé", 2), head("aé", 3), head("aé", 9), head("é", 0)), ("a", "aé", "aé", ""));
        assert_eq!((tail("éa", 2), tail("éa", 3), tail("éa", 9), tail("é", 0)), ("a", "éa", "éa", ""));
    }
}
