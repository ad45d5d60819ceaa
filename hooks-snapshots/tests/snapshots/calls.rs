//! Calls of tools that name their files: snapshots of these files alone.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use hooks_snapshots::{LeftOut, Origin, Scope, SnapshotError, Store};

use crate::support::{World, picture};

fn call(id: &str) -> Origin {
    Origin::from("Write").in_session("s").of_call(id)
}

fn files(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn a_call_is_undone_without_a_look_at_other_files() {
    let world = World::new();
    let root = &world.root;
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join("src/a"), "old").unwrap();
    fs::write(root.join("other"), "1").unwrap();
    // Build output is kept too, if a call names it.
    let store = world.store_with(vec![LeftOut::new("target", "build output")], &Default::default());
    let before = picture(root);
    store.begin_call(&call("1"), &files(&["src/a", "target/new/b"]), world.tick()).unwrap();
    // Several lines of the settings report the same call.
    store.begin_call(&call("1"), &files(&["src/a", "target/new/b"]), world.tick()).unwrap();
    fs::write(root.join("src/a"), "new").unwrap();
    fs::create_dir_all(root.join("target/new")).unwrap();
    fs::write(root.join("target/new/b"), "b").unwrap();
    let after = picture(root);
    assert_eq!(store.finish_call(&call("2"), world.tick()).unwrap(), None);
    let id = store.finish_call(&call("1"), world.tick()).unwrap().unwrap();
    assert_eq!(store.records().unwrap().len(), 1);
    let undoing = store.undoing(&id, world.tick()).unwrap();
    let contents = store.contents(&undoing, "src/a".as_ref());
    assert_eq!(contents, [Some(b"new".to_vec()), Some(b"old".to_vec())]);
    let undone = store.undo(&id, false, world.tick()).unwrap();
    assert_eq!(undone.left, vec![]);
    assert_eq!(picture(root), before);
    store.undo(&undone.record.id, false, world.tick()).unwrap();
    assert_eq!(picture(root), after);
}

#[test]
fn later_work_and_other_files_stay() {
    let world = World::new();
    let root = &world.root;
    let store = world.store();
    store.begin_call(&call("1"), &files(&["new/a"]), world.tick()).unwrap();
    fs::create_dir(root.join("new")).unwrap();
    fs::write(root.join("new/a"), "agent").unwrap();
    let id = store.finish_call(&call("1"), world.tick()).unwrap().unwrap();
    fs::write(root.join("new/a"), "person").unwrap();
    let refused = store.undo(&id, false, world.tick());
    assert!(matches!(refused, Err(SnapshotError::ChangedLater(_))), "{refused:?}");
    assert_eq!(fs::read_to_string(root.join("new/a")).unwrap(), "person");
    // A folder in which there are other files by now stays.
    fs::write(root.join("new/a"), "agent").unwrap();
    fs::write(root.join("new/b"), "person").unwrap();
    assert_eq!(store.undo(&id, false, world.tick()).unwrap().left, vec![]);
    assert!(!root.join("new/a").exists());
    assert_eq!(fs::read_to_string(root.join("new/b")).unwrap(), "person");
}

#[test]
fn calls_that_change_nothing_or_do_not_end() {
    let world = World::new();
    let root = &world.root;
    fs::write(root.join("a"), "1").unwrap();
    let store = world.store();
    store.begin_call(&call("1"), &files(&["a"]), world.tick()).unwrap();
    assert_eq!(store.finish_call(&call("1"), world.tick()).unwrap(), None);
    assert_eq!(store.records().unwrap(), []);
    // Clients without ids of calls: the same text in the same session.
    let unnamed = || Origin::from("Write a").in_session("s");
    store.begin_call(&unnamed(), &files(&["a"]), world.tick()).unwrap();
    fs::write(root.join("a"), "2").unwrap();
    assert_eq!(store.finish_call(&unnamed().in_session("t"), world.tick()).unwrap(), None);
    assert!(store.finish_call(&unnamed(), world.tick()).unwrap().is_some());
    store.begin_call(&call("2"), &files(&["a"]), world.tick()).unwrap();
    fs::write(root.join("a"), "3").unwrap();
    let id = store.records().unwrap().pop().unwrap().id;
    assert!(matches!(store.undo(&id, false, world.tick()), Err(SnapshotError::NoEnd(_))));
    store.undo(&id, true, world.tick()).unwrap();
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "2");
}

#[test]
fn a_call_does_not_wait_for_a_large_snapshot() {
    let world = World::new();
    let scope = Scope::new(&world.root, Vec::new()).unwrap().waiting_at_most(Duration::from_millis(20));
    let state = world.folder.path().join("state");
    let store = Store::open(&state, scope.clone()).unwrap();
    let mut locks = crate::support::files(&state);
    locks.retain(|place| place.ends_with("lock"));
    let held = fs::File::open(&locks[0]).unwrap();
    held.lock().unwrap();
    let late = store.begin_call(&call("1"), &files(&["a"]), world.tick());
    assert!(matches!(late, Err(SnapshotError::Busy)), "{late:?}");
    assert!(matches!(Store::open(&state, scope), Err(SnapshotError::Busy)));
}
