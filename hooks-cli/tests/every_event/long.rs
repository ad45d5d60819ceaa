//! Payloads with one text of tens of megabytes.

use std::env;

use serde_json::Value;

use super::cases::{self, Case};
use super::measured::Course;

/// Part of the long text: several words, as in code, and characters that JSON has to escape.
const PART: &str = r#"let x = foo(bar);\n    if y { return \"z\"; }\n"#;

/// Number of parts in the long text: 24 MB in all, so that one more copy exceeds the limit.
const TIMES: usize = 24_000_000 / PART.len();

#[test]
fn a_long_text_takes_twice_its_length_wherever_it_stands() {
    let course = Course::new();
    let (part, is_each) = (PART.repeat(TIMES), env::var_os("HOOKS_EVERY_FIELD").is_some());
    let mut wrong = Vec::new();
    for (at, case) in cases::all().iter().enumerate() {
        let payload: Value = serde_json::from_str(&course.placed(&case.payload)).unwrap();
        let mut texts = Vec::new();
        texts_of(&payload, String::new(), &mut texts);
        // The last texts are the arguments of a tool and its result.
        let from_the_end = texts.into_iter().rev();
        let (skipped, most) = if is_each { (0, usize::MAX) } else { (at % 2, 1) };
        for pointer in from_the_end.skip(skipped).take(most) {
            wrong.extend(taken(&course, case, &payload, &pointer, part.as_bytes()).err());
        }
    }
    assert!(wrong.is_empty(), "{} take too much:\n{}", wrong.len(), wrong.join("\n"));
}

/// Sends the payload with the long text at `pointer`; returns an error if that takes too much memory.
fn taken(course: &Course, case: &Case, payload: &Value, pointer: &str, part: &[u8]) -> Result<(), String> {
    const MARK: &str = "the long text stands here";
    let mut marked = payload.clone();
    *marked.pointer_mut(pointer).unwrap() = MARK.into();
    let marked = marked.to_string();
    // JSON inside a text of the payload is escaped twice; its texts are not made long.
    let (before, after) = marked.split_once(MARK).unwrap();
    course.write(&[before.as_bytes(), part, after.as_bytes()]);
    let ran = course.run(case);
    // Known exceptions, as the page lists them: a command and the role in a reply are held once more while
    // they are put on the record. A result that goes back to Squad is held in the answer as well.
    let is_held_once_more = ["/command", "/cmd", "/role"].iter().any(|name| pointer.ends_with(name));
    let held_more = if case.event == "postTool" { 2 } else { u64::from(is_held_once_more) };
    let length = course.length();
    let limit = course.limit() + held_more * length;
    let told = format!(
        "{} {} {pointer}: {length} bytes take {}, {limit} allowed, {} ms, exit {}",
        case.client, case.event, ran.peak, ran.took, ran.exit
    );
    println!("{told}");
    // Exit code 1 is the answer to Cursor where nothing can be denied any more.
    assert!(ran.exit <= 2, "{told}: {} {}", ran.stdout, ran.stderr);
    if ran.peak <= limit { Ok(()) } else { Err(told) }
}

/// JSON pointers of all texts.
fn texts_of(value: &Value, pointer: String, texts: &mut Vec<String>) {
    match value {
        Value::String(_) => texts.push(pointer),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                texts_of(item, format!("{pointer}/{at}"), texts);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                texts_of(item, format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), texts);
            }
        }
        _ => {}
    }
}
