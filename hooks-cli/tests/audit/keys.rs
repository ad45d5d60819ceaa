//! Errors about paths and keys name the path, the reason and the remedy, and leave no files behind.

use std::fs;

use super::world::{World, printed, records};

#[test]
fn errors_name_the_place_the_reason_and_the_way_out() {
    let world = World::new("version: 1\n");
    world.call("s1", "ls");
    fs::create_dir(world.app().join("checkpoints")).unwrap();
    assert_eq!(world.audit(&["keygen", "log", "--out", "key"]).status.code(), Some(0));
    let verify = |key: &'static str| ["verify", "--checkpoints", "checkpoints", "--key", key];
    for (options, texts) in [
        (&["checkpoint", "--to", "/nope"][..], ["`/nope` is not a folder", "make it"]),
        (&["verify", "--checkpoints", "nope"], ["`nope` is not a folder", "name the one"]),
        (&["tail", "--log", "hooks.yaml"], ["`hooks.yaml` is not a folder", "name the one"]),
        (&["keygen", "log", "--out", "key"], ["`key` is there already", "name another place"]),
        (&["keygen", "log", "--out", "no/key"], ["there is no folder `no`", "make that first"]),
        (
            &["keygen", "log", "--mac", "--out", "mac", "--first", "no/first"],
            ["there is no folder `no`", "make that"],
        ),
        (
            &["keygen", "log", "--mac", "--out", "key", "--first", "first"],
            ["`key` is there already", "name another"],
        ),
        (
            &["keygen", "log", "--mac", "--out", "mac", "--first", "key"],
            ["`key` is there already", "name another"],
        ),
        (&verify("key"), ["`key` is a private key", "name its verifier, `log+"]),
        (&verify("none"), ["`none` is neither", "No such file"]),
    ] {
        let output = world.audit(options);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(texts.iter().all(|text| printed(&output).contains(text)), "{options:?}: {output:?}");
    }
    for left in ["mac", "first", "no"] {
        assert!(!world.app().join(left).exists(), "{left}");
    }
}

#[test]
fn a_private_key_on_a_command_line_is_refused_and_not_printed() {
    let world = World::new("version: 1\n");
    world.call("s1", "ls");
    fs::create_dir(world.app().join("checkpoints")).unwrap();
    world.audit(&["keygen", "log", "--out", "key"]);
    let key = fs::read_to_string(world.app().join("key")).unwrap();
    let part: String = key.chars().take(60).collect();
    for key in [key.trim(), &part] {
        let output = world.audit(&["verify", "--checkpoints", "checkpoints", "--key", key]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            printed(&output).contains("a private key is a secret") && !printed(&output).contains(key),
            "{output:?}"
        );
    }
}

#[test]
fn the_alarm_of_checkpoints_without_their_folder_says_where_it_should_be() {
    let world = World::new("version: 1\naudit: { checkpoints: { folder: elsewhere } }\n");
    world.call("s1", "ls");
    let alarm = records(&world.audit(&["query", "--event", "log.alarm"])).remove(0);
    let note = alarm["note"].as_str().unwrap();
    assert!(note.contains("elsewhere/w0.checkpoints` cannot be written"), "{note}");
    assert!(note.contains("its folder has to be there"), "{note}");
}
