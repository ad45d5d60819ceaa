//! Options that cannot match any record are refused, and options that match none are reported.

use super::world::{World, printed};

#[test]
fn words_that_no_record_has_are_refused_with_the_one_that_was_meant() {
    let world = World::new("version: 1\n");
    world.call("s1", "ls");
    for (options, hint) in [
        (&["query", "--outcome", "denied"][..], "'deny'"),
        (&["query", "--event", "PreToolUze"], "did you mean `pre_tool_use`?"),
        (&["query", "--event", "log.erase"], "did you mean `log.erased`?"),
        (&["query", "--cache", "his"], "'hit'"),
        (&["query", "--agent", ""], "it is empty"),
        (&["query", "--session", "a@example.com"], "`[EMAIL_REDACTED]`"),
        (&["erase", "--session", "", "--why", "x"], "it is empty"),
        (&["erase", "--session", "s1", "--why", " "], "'--why <TEXT>': it is empty"),
        (&["hold", "add", "a", "--reason", ""], "'--reason <TEXT>': it is empty"),
        (&["hold", "add", "a", "--reason", "x", "--since", "yesterday"], "`yesterday` is not a moment"),
        (&["erase", "w0:99", "--why", "x", "--yes"], "`w0:99` is not in the log"),
        (&["erase", "w0:1", "w9:1", "--why", "x", "--yes"], "`w9:1` is not in the log"),
        (&["erase", "w0:1..2", "--why", "x", "--yes"], "one is asked for"),
        (&["show", "w0:99"], "`w0:99` is not in the log"),
        (&["show", "w0:1..2"], "one is asked for"),
    ] {
        let output = world.audit(options);
        assert!(
            output.status.code() == Some(2) && printed(&output).contains(hint),
            "{options:?}: {output:?}"
        );
    }
    assert!(printed(&world.audit(&["show", "w0:1"])).contains("\"command\": \"ls\""), "nothing was erased");
}

#[test]
fn names_that_match_nothing_are_said_with_how_many_were_looked_at() {
    let world = World::new("version: 1\n");
    world.call("s1", "ls");
    world.call("s2", "ls");
    for (options, status) in [
        (&["query", "--agent", "nobody"][..], 1),
        (&["query", "--tool", "Bahs"], 1),
        (&["erase", "--session", "s9", "--why", "x", "--yes"], 1),
        (&["erase", "w0:1", "--session", "s2", "--why", "x", "--yes"], 1),
    ] {
        let output = world.audit(options);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert!(printed(&output).contains("no record matches; 2 were looked at"), "{options:?}: {output:?}");
    }
    // A hold can cover future records.
    let held = world.audit(&["hold", "add", "a", "--reason", "x", "--session", "s9"]);
    assert!(held.status.code() == Some(0) && printed(&held).contains("no record matches"), "{held:?}");
    let held = world.audit(&["hold", "add", "b", "--reason", "x", "--session", "s1"]);
    assert!(held.status.code() == Some(0) && printed(&held).is_empty(), "{held:?}");
}
