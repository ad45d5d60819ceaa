//! The page: its parts put together. Everything of the log is data, which its script shows as text only.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page that shows `data`. The browser runs this script and no other, and loads nothing.
pub(super) fn html(data: &Value) -> String {
    let digest = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    let allowed = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    // The data comes last, so that nothing in it is taken for a place of another part.
    PAGE.replace("{POLICY}", &allowed).replace("{STYLE}", STYLE).replace("{SCRIPT}", SCRIPT).replacen(
        "{DATA}",
        &escaped(data),
        1,
    )
}

/// JSON without characters that could end its element. They occur in strings only, so its meaning is the same.
pub(super) fn escaped(data: &Value) -> String {
    let json = data.to_string();
    let mut escaped = String::with_capacity(json.len());
    for char in json.chars() {
        match char {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_ends_no_element_and_says_the_same() {
        let data = json!({"text": "</script><!--<script>&amp;\u{2028}\u{2029}{STYLE}{DATA}"});
        let text = escaped(&data);
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
        let page = html(&data);
        assert_eq!(page.matches("{STYLE}").count(), 1);
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
