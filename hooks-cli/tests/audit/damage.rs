//! A damaged file does not hide the records of other files.

use std::fs;

use super::world::{World, printed, records};

/// Changes a letter in a record of the file with this number in the first chain.
pub(crate) fn damage(world: &World, number: u64) {
    let path = world.log().join(format!("w0.{number:08}.jsonl"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"event\":\"pre", "\"event\":\"pro", 1)).unwrap();
}

fn world() -> World {
    let world = World::new("version: 1\naudit: { file_bytes: 500 }\n");
    for session in ["s1", "s2", "s3", "s4", "s5"] {
        world.call(session, "ls");
    }
    world
}

#[test]
fn what_can_be_read_is_printed_and_what_cannot_is_said() {
    let world = world();
    damage(&world, 2);
    damage(&world, 4);
    for options in [&["tail"][..], &["query"], &["export"]] {
        let output = world.audit(options);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_there = ["s1", "s2", "s3", "s4", "s5"]
            .map(|session| text.contains(&format!("\"session\":\"{session}\"")));
        assert_eq!(is_there, [true, false, true, false, true], "{text}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        for (file, records) in [(2, "records 2 to 2 of `w0` are left out"), (4, "records 4 to 4 of `w0`")] {
            assert!(told.contains(records), "{told}");
            assert_eq!(told.matches(&format!("`w0.{file:08}.jsonl` is damaged")).count(), 1, "{told}");
        }
    }
    let last = world.audit(&["tail", "-n", "1"]);
    assert_eq!(records(&last)[0]["session"], "s5");
    for (position, status) in [("w0:1", 0), ("w0:2", 3), ("w0:3", 0), ("w0:4", 3), ("w0:5", 0), ("w0:6", 2)] {
        assert_eq!(world.audit(&["show", position]).status.code(), Some(status), "{position}");
    }
    let none = world.audit(&["query", "--session", "s2"]);
    assert!(
        none.status.code() == Some(3) && printed(&none).contains("no record matches; 3 were looked at"),
        "{none:?}"
    );
}

#[test]
fn the_end_of_a_chain_that_cannot_be_read_is_said() {
    let world = world();
    damage(&world, 5);
    let output = world.audit(&["tail"]);
    assert_eq!((output.status.code(), records(&output).len()), (Some(3), 4), "{output:?}");
    assert!(printed(&output).contains("what stands there behind record 4 of `w0` is left out"), "{output:?}");
}

#[test]
fn a_header_that_is_damaged_is_passed_too() {
    let world = world();
    let path = world.log().join("w0.00000002.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"v\"", "\"u\"", 1)).unwrap();
    let output = world.audit(&["query"]);
    // The end of the file before it would contain that information.
    assert!(printed(&output).contains("records 1 to 2 of `w0` are left out"), "{output:?}");
    assert_eq!((output.status.code(), records(&output).len()), (Some(3), 3), "{output:?}");
}

#[test]
fn nothing_is_erased_where_not_all_can_be_found() {
    let world = world();
    damage(&world, 4);
    let preview = world.audit(&["erase", "--session", "s1", "--why", "x", "--yes"]);
    assert!(
        preview.status.code() == Some(3) && printed(&preview).contains("nothing is erased"),
        "{preview:?}"
    );
    assert!(printed(&world.audit(&["show", "w0:1"])).contains("\"command\": \"ls\""));
}
