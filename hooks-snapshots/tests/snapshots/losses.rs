//! Changes that are losses, and changes that are not.

use std::fs;

use hooks_snapshots::LossKind;
use hooks_system::SystemPrograms;

use crate::support::{World, git};

/// The losses of a change to a repository with a committed, a changed and an untracked file.
fn losses(change: impl Fn(&World)) -> Vec<(String, LossKind)> {
    let world = World::new();
    let root = &world.root;
    git(root, &["init", "-q", "-b", "main"]);
    fs::write(root.join("committed"), "1\n2\n3\n").unwrap();
    fs::write(root.join("changed"), "1\n2\n3\n").unwrap();
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "one"]);
    fs::write(root.join("changed"), "1\n2\n3\n4\n").unwrap();
    fs::write(root.join("untracked"), "work\nof\nhours\n").unwrap();
    let store = world.store();
    let running = store.begin("change", world.tick()).unwrap();
    change(&world);
    let effects = store.finish(running, world.tick()).unwrap();
    let losses = store.losses(&effects, &SystemPrograms);
    losses.into_iter().map(|loss| (loss.path.display().to_string(), loss.kind)).collect()
}

#[test]
fn committed_moved_and_edited_content_is_not_lost() {
    let place = |world: &World, name: &str| world.root.join(name);
    assert_eq!(losses(|_| {}), []);
    assert_eq!(losses(|world| fs::remove_file(place(world, "committed")).unwrap()), []);
    assert_eq!(losses(|world| fs::write(place(world, "committed"), "other").unwrap()), []);
    assert_eq!(losses(|world| fs::rename(place(world, "untracked"), place(world, "moved")).unwrap()), []);
    assert_eq!(
        losses(|world| fs::write(place(world, "untracked"), "new\n  of\nhours\nand more\n").unwrap()),
        []
    );
    assert_eq!(losses(|world| drop(git(&world.root, &["stash", "-qu"]))), []);
    let committed = losses(|world| {
        git(&world.root, &["add", "-A"]);
        git(&world.root, &["commit", "-qm", "two"]);
        git(&world.root, &["rm", "-q", "untracked"]);
    });
    assert_eq!(committed, []);
}

#[test]
fn each_kind_of_loss_is_named() {
    let place = |world: &World, name: &str| world.root.join(name);
    let found = losses(|world| {
        fs::remove_file(place(world, "untracked")).unwrap();
        git(&world.root, &["checkout", "-q", "."]);
    });
    assert_eq!(
        found,
        [("changed".to_owned(), LossKind::Uncommitted), ("untracked".to_owned(), LossKind::Removed)]
    );
    let found = losses(|world| {
        fs::write(place(world, "untracked"), "").unwrap();
        fs::write(place(world, "changed"), "xxxxxxxxxx").unwrap();
    });
    assert_eq!(
        found,
        [("changed".to_owned(), LossKind::Overwritten), ("untracked".to_owned(), LossKind::Emptied)]
    );
    let found = losses(|world| fs::remove_file(place(world, ".git/HEAD")).unwrap());
    assert_eq!(found, [(".git".to_owned(), LossKind::Repository)]);
    let found = losses(|world| {
        git(&world.root, &["commit", "-q", "--amend", "-m", "other"]);
    });
    assert_eq!(found, [(".git".to_owned(), LossKind::Rewritten)]);
    let found = losses(|world| {
        git(&world.root, &["commit", "-q", "--amend", "-m", "other"]);
        git(&world.root, &["reflog", "expire", "--expire=now", "--all"]);
    });
    assert_eq!(found, [(".git".to_owned(), LossKind::Commits)]);
}
