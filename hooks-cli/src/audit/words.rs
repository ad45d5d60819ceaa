//! Options of the command line that select records. A value that no record can have is refused, with a
//! suggestion.

use hooks::EventKind;
use hooks::audit::keep::Selection;
use hooks::audit::notes;
use hooks::audit::record::kept_name;
use hooks::config::nearest;
use hooks::redaction::Scrubber;

/// Parses the name of an event in records.
pub(super) fn event(word: &str) -> Result<String, String> {
    let known = || EventKind::ALL.iter().map(|kind| kind.name()).chain(notes::ALL.iter().copied());
    if known().any(|event| event == word) {
        return Ok(word.to_owned());
    }
    Err(match nearest(word, known()) {
        Some(event) => format!("no event is called so; did you mean `{event}`?"),
        None => {
            let known: Vec<_> = known().map(|event| format!("`{event}`")).collect();
            format!("no event is called so; there is {}", known.join(", "))
        }
    })
}

/// Parses a time, or the beginning of one.
pub(super) fn moment(text: &str) -> Result<String, String> {
    let mut time = Selection::default();
    time.since = Some(text.to_owned());
    time.check().map(|()| text.to_owned()).map_err(|error| error.to_string())
}

/// Parses a name that agents and their clients set, as records have it. A name that is scrubbed in records is
/// refused: other names can have the same scrubbed form, and an erasure would cover their records as well.
pub(super) fn name(name: &str) -> Result<String, String> {
    let scrubbed = Scrubber::all().scrub(name).into_owned();
    if scrubbed == name {
        operators_name(name)
    } else {
        let kept = kept_name(&scrubbed);
        Err(format!(
            "records have `{kept}` for it, and for others like it; write that if all of them are meant"
        ))
    }
}

/// Parses a name from a configuration, as records have it.
pub(super) fn operators_name(name: &str) -> Result<String, String> {
    text(name).map(|name| kept_name(&name).into_owned())
}

/// Parses a text that is not empty. An empty text usually comes from an unset shell variable.
pub(super) fn text(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("it is empty; write what is meant".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use hooks::Strength;
    use hooks::cache::CacheAnswer;
    use serde_json::from_value;

    use hooks_protocols::ClientAnswer;

    use super::super::cli::{ANSWERED, ANSWERS, OUTCOMES};
    use super::*;

    #[test]
    fn the_words_are_those_of_records() {
        assert!(OUTCOMES.iter().all(|word| from_value::<Strength>((*word).into()).is_ok()));
        assert_eq!(ANSWERED, ClientAnswer::ALL.map(ClientAnswer::name));
        assert!(ANSWERS.iter().all(|word| from_value::<CacheAnswer>((*word).into()).is_ok()));
        assert!(EventKind::ALL.iter().all(|kind| event(kind.name()).is_ok()) && event(notes::GAP).is_ok());
    }

    #[test]
    fn what_no_record_can_match_is_refused_with_what_was_meant() {
        for (word, hint) in [
            ("PreToolUse", "did you mean `pre_tool_use`?"),
            ("PreToolUze", "did you mean `pre_tool_use`?"),
            ("log.eraced", "did you mean `log.erased`?"),
            ("birthday", "there is `"),
        ] {
            assert!(event(word).unwrap_err().contains(hint), "{word}");
        }
        assert!(name(" ").is_err() && operators_name("").is_err());
        let secret = format!("ghp_{}", "a1".repeat(18));
        assert!(name(&secret).unwrap_err().contains("`[GITHUB_TOKEN_REDACTED]`"));
        assert_eq!(name("[GITHUB_TOKEN_REDACTED]").as_deref(), Ok("[GITHUB_TOKEN_REDACTED]"));
        let long = name(&"s".repeat(1_000)).unwrap();
        assert!(long.len() <= 256 && name(&long) == Ok(long.clone()));
    }
}
