//! The reason of a denial: never empty, and of limited length.

/// Maximum length in bytes. It is more than any client shows, and less than the length at which a client
/// moves the text to a file.
const LONGEST: usize = 8_000;

/// Reason of a denial if hooks gave no reason.
const NONE_GIVEN: &str = "hooks refuse this and gave no reason; see their log";

/// A reason that every client honours: some ignore a denial with an empty reason.
pub(super) fn text_of(reason: Option<&str>) -> String {
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => bounded(reason),
        None => NONE_GIVEN.to_owned(),
    }
}

fn bounded(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let cut = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= LONGEST).last().unwrap_or(0);
    format!("{}…", text.get(..cut).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_empty_and_never_endless() {
        assert_eq!(text_of(Some(" no \n")), "no");
        assert_eq!(text_of(Some(" \n")), NONE_GIVEN);
        assert_eq!(text_of(None), NONE_GIVEN);
        let long = text_of(Some(&"é".repeat(LONGEST)));
        assert!(long.len() <= LONGEST + 4 && long.ends_with("é…"));
    }
}
