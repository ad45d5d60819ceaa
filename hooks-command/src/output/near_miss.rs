//! Detection of output that was meant as an answer, but is not one.
//!
//! This is the easiest way to lose a denial: a log line before the object, a byte-order mark, the spelling of
//! another client, a field at the wrong level. docker-agent treats all of them as text or as unknown fields.

use serde_json::{Map, Value};

use super::json::object;

/// The field names at the top level of an answer.
const TOP: [&str; 7] =
    ["continue", "stop_reason", "suppress_output", "system_message", "decision", "reason", SPECIFIC];

/// The field names below `hook_specific_output`.
const BELOW: [&str; 10] = [
    "hook_event_name",
    "permission_decision",
    "permission_decision_reason",
    "updated_input",
    "additional_context",
    "instruction_context",
    "summary",
    "updated_messages",
    "updated_tool_response",
    "metadata",
];

const SPECIFIC: &str = "hook_specific_output";

/// Number of bytes at the end of an output in which an object after text is searched.
const SEARCHED: usize = 64 << 10;

/// Number of fields that are reported: an object can have a name in any number of spellings.
const MOST_PROBLEMS: usize = 8;

/// Number of positions that are tried as the beginning of an object.
const MOST_LINES: usize = 16;

/// Describes output that was almost an answer, with a correction. Linear, except for a bounded number of
/// lines.
///
/// ```
/// use hooks_command::output::near_miss;
///
/// let output = "checking...\n{\"decision\": \"block\", \"reason\": \"no\"}";
/// let advice = "text stands before its JSON, so that it is not read; write the text to standard error";
/// assert_eq!(near_miss(output).as_deref(), Some(advice));
/// assert_eq!(near_miss("all files are fine"), None);
/// ```
pub fn near_miss(output: &str) -> Option<String> {
    let output = output.trim();
    if let Some(rest) = output.strip_prefix('\u{feff}') {
        let is_object = rest.trim_start().starts_with('{');
        return is_object
            .then(|| "a byte-order mark stands before its JSON; write UTF-8 without one".to_owned());
    }
    if output.starts_with('{') {
        return object(output).ok().and_then(|fields| misnamed(&fields));
    }
    text_before(output).then(|| {
        "text stands before its JSON, so that it is not read; write the text to standard error".to_owned()
    })
}

/// Whether an object that is an answer begins further down in the output.
fn text_before(output: &str) -> bool {
    let from = (output.len().saturating_sub(SEARCHED)..output.len()).find(|at| output.is_char_boundary(*at));
    let searched = from.and_then(|from| output.get(from..)).unwrap_or_default();
    let begins = searched.match_indices('{').filter(|(at, _)| {
        let before = searched.get(..*at).unwrap_or_default();
        // The object has to begin a line, or follow a label such as `result:`.
        before.ends_with(['\n', ' ', '\t', ':']) || before.is_empty()
    });
    begins.take(MOST_LINES).any(|(at, _)| {
        let rest = searched.get(at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        matches!(values.next(), Some(Ok(fields)) if is_answer(&fields))
    })
}

/// Whether an object has a field of an answer, in any spelling.
fn is_answer(fields: &Map<String, Value>) -> bool {
    fields.keys().any(|name| known(&TOP, name).is_some() || known(&BELOW, name).is_some())
}

/// The fields of the answer that are misspelt or at the wrong level, all in one sentence.
fn misnamed(fields: &Map<String, Value>) -> Option<String> {
    let mut problems = Vec::new();
    let mut below = None;
    for (name, value) in fields {
        let top = known(&TOP, name);
        if top == Some(SPECIFIC) {
            below = below.or(value.as_object());
        }
        if is_exact(&TOP, name) || problems.len() >= MOST_PROBLEMS {
            continue;
        }
        if let Some(meant) = top {
            problems.push(format!("`{name}` is not read; write `{meant}`"));
        // `summary` and `metadata` alone are common names, which can have another meaning.
        } else if let Some(meant) = known(&BELOW, name).filter(|meant| meant.contains('_')) {
            problems.push(format!("`{name}` is not read there; write `{meant}` below `{SPECIFIC}`"));
        }
    }
    for name in below.into_iter().flat_map(Map::keys).filter(|name| !is_exact(&BELOW, name)) {
        if problems.len() >= MOST_PROBLEMS {
            break;
        }
        if let Some(meant) = known(&BELOW, name) {
            problems.push(format!("`{name}` is not read; write `{meant}`"));
        } else if let Some(meant) = known(&TOP, name) {
            problems.push(format!("`{name}` is not read below `{SPECIFIC}`; write `{meant}` beside it"));
        }
    }
    (!problems.is_empty()).then(|| problems.join("; "))
}

fn is_exact(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The known name that a name in another spelling means.
fn known<'n>(names: &[&'n str], name: &str) -> Option<&'n str> {
    let letters = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let given = letters(name);
    names.iter().find(|known| letters(known) == given).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_as_an_answer() {
        for (output, says) in [
            ("checking...\n{\"decision\": \"block\"}", "text stands before"),
            ("verdict: {\"hook_specific_output\": {}}", "text stands before"),
            ("{\"a\": 1}\nx\n{\"continue\": false}", ""),
            ("\u{feff}{\"decision\": \"block\"}", "byte-order mark"),
            ("{\"hookSpecificOutput\": {\"permissionDecision\": \"deny\"}}", "write `hook_specific_output`"),
            ("{\"hook_specific_output\": {\"permissionDecision\": \"deny\"}}", "write `permission_decision`"),
            // Both spellings at once, so that one correction is enough.
            (
                "{\"hookSpecificOutput\": {\"hookEventName\": \"x\", \"summary\": \"s\"}}",
                "`hookSpecificOutput` is not read; write `hook_specific_output`; `hookEventName` is not read",
            ),
            ("{\"permission_decision\": \"deny\"}", "below `hook_specific_output`"),
            ("{\"hook_specific_output\": {\"decision\": \"block\"}}", "beside it"),
            ("{\"stop-reason\": \"x\"}", "write `stop_reason`"),
        ] {
            match near_miss(output) {
                Some(message) if !says.is_empty() => assert!(message.contains(says), "{output}: {message}"),
                found => assert_eq!((found, says), (None, ""), "{output}"),
            }
        }
    }

    #[test]
    fn what_was_not() {
        for output in
            ["", "3 files formatted", "{}", "{\"note\": 1, \"summary\": \"x\"}", "fn main() {}", "\u{feff}x"]
        {
            assert_eq!(near_miss(output), None, "{output}");
        }
        assert_eq!(near_miss("{\"Decision\": \"block\", \"hook_specific_output\": null}"), None);
    }

    #[test]
    fn braces_without_end_are_no_work() {
        assert_eq!(near_miss(&"x {".repeat(1 << 20)), None);
        assert_eq!(near_miss(&format!("x\n{}", "{\"a\":".repeat(1 << 18))), None);
    }
}
