//! Closed output: exit statuses and work stay the same, and a command that only prints ends at once.

use std::io;
use std::process::{Output, Stdio};

use super::damage::damage;
use super::world::{World, printed};

/// Runs `hooks audit` with a closed standard output, and with a closed standard error if `is_deaf`.
fn unread(world: &World, options: &[&str], is_deaf: bool) -> Output {
    let closed = || {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let mut command = world.command(&[&["audit"], options].concat());
    command.stdin(Stdio::null()).stdout(closed());
    if is_deaf {
        command.stderr(closed());
    }
    command.output().unwrap()
}

#[test]
fn no_verdict_hangs_on_who_reads_it() {
    let world = World::new("version: 1\naudit: { file_bytes: 500 }\n");
    for session in ["s1", "s2", "s3"] {
        world.call(session, "ls");
    }
    let checkpoints = world.folder.path().join("checkpoints");
    std::fs::create_dir(&checkpoints).unwrap();
    let checkpoints = checkpoints.to_str().unwrap();
    let commands = [
        &["verify"][..],
        &["verify", "--json"],
        &["verify", "--checkpoints", checkpoints],
        &["checkpoint", "--to", checkpoints],
    ];
    let statuses = |is_deaf| commands.map(|options| unread(&world, options, is_deaf).status.code());
    for is_deaf in [false, true] {
        assert_eq!(statuses(is_deaf)[..2], [Some(0), Some(0)]);
    }
    damage(&world, 2);
    for is_deaf in [false, true] {
        assert_eq!(statuses(is_deaf), [Some(3); 4]);
    }
    let heard = unread(&world, &["verify"], false);
    assert!(printed(&heard).contains("damaged: `w0.00000002.jsonl`"), "{heard:?}");
}

#[test]
fn what_is_only_printed_ends_quietly() {
    let world = World::new("version: 1\n");
    world.call("s1", "ls");
    for options in [
        &["tail"][..],
        &["tail", "--follow"],
        &["query"],
        &["query", "--agent", "nobody"],
        &["export"],
        &["show", "w0:1"],
    ] {
        let output = unread(&world, options, false);
        assert_eq!((output.status.code(), printed(&output).as_str()), (Some(0), ""), "{options:?}");
    }
}

#[test]
fn what_is_to_be_done_is_done() {
    let world = World::new("version: 1\n");
    for session in ["s1", "s2"] {
        world.call(session, "ls");
    }
    assert_eq!(
        unread(&world, &["hold", "add", "a", "--reason", "x", "--session", "s2"], true).status.code(),
        Some(0)
    );
    // The message about held records comes before the erasure.
    let erased = unread(&world, &["erase", "--since", "2020", "--why", "x", "--yes"], true);
    assert_eq!(erased.status.code(), Some(0));
    assert!(printed(&world.audit(&["show", "w0:1"])).contains("\"erased\""));
    assert!(!printed(&world.audit(&["show", "w0:2"])).contains("\"erased\""));
}
