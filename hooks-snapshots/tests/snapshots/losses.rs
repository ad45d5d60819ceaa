//! Changes that are losses, and changes that are not.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hooks_snapshots::{EffectsConfig, LossKind, Store};
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
    losses_in(&world, &world.store(), || change(&world))
}

fn losses_in(world: &World, store: &Store, change: impl FnOnce()) -> Vec<(String, LossKind)> {
    let running = store.begin("change", world.tick()).unwrap();
    change();
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

/// No snapshot looks for losses in the own folder of a repository, so it is no place for the only copy.
#[test]
fn content_is_lost_if_only_the_folder_of_a_repository_has_it() {
    for place in [".git/untracked", ".git/objects/untracked"] {
        let found = losses(|world| fs::rename(world.root.join("untracked"), world.root.join(place)).unwrap());
        assert_eq!(found, [("untracked".to_owned(), LossKind::Removed)], "{place}");
    }
    // An extension of git keeps whole files there.
    let world = World::new();
    let (file, object) = (world.root.join("large"), world.root.join(".git/lfs/objects/ab/cd/abcd"));
    git(&world.root, &["init", "-q"]);
    fs::write(&file, "large").unwrap();
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    fs::copy(&file, &object).unwrap();
    let store = world.store();
    assert_eq!(losses_in(&world, &store, || fs::remove_file(&file).unwrap()), []);
    let found = losses_in(&world, &store, || fs::remove_file(&object).unwrap());
    assert_eq!(found, [(".git/lfs/objects/ab/cd/abcd".to_owned(), LossKind::Removed)]);
}

#[test]
fn a_file_that_is_too_large_to_be_kept_can_be_lost() {
    let world = World::new();
    let config = EffectsConfig { quota_mb: 4, ..EffectsConfig::default() };
    let store = world.store_with(Vec::new(), &config);
    let path = world.root.join("large");
    let write = |length: usize| fs::write(&path, vec![7; length]).unwrap();
    let large = 2 << 20;
    for (length, kind) in [(0, Some(LossKind::Emptied)), (9, Some(LossKind::Overwritten)), (large + 1, None)]
    {
        write(large);
        let found = losses_in(&world, &store, || write(length));
        let expected: Vec<_> = kind.map(|kind| ("large".to_owned(), kind)).into_iter().collect();
        assert_eq!(found, expected, "{length}");
    }
    write(large);
    let found = losses_in(&world, &store, || {
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("x", &path).unwrap();
    });
    assert_eq!(found, [("large".to_owned(), LossKind::Removed)]);
}

#[test]
fn a_lost_commit_is_found_among_many_tags() {
    let world = World::new();
    git(&world.root, &["init", "-q", "-b", "main"]);
    git(&world.root, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let names: Vec<String> = (0..600).map(|number| number.to_string()).collect();
    names.iter().for_each(|name| fs::write(world.root.join(name), name).unwrap());
    let words: Vec<&str> =
        ["hash-object", "-w"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let ids = git(&world.root, &words);
    let mut packed: String = ids.lines().map(|id| format!("{id} refs/tags/{id}\n")).collect();
    let commit =
        |number: u32| git(&world.root, &["commit-tree", "HEAD^{tree}", "-m", &format!("lost {number}")]);
    // Git is asked about a few hundred commits at a time, in the order of their ids.
    let lost = (0..).map(commit).find(|id| id.starts_with('f')).unwrap();
    packed.push_str(&format!("{} refs/tags/lost\n", lost.trim()));
    fs::write(world.root.join(".git/packed-refs"), packed).unwrap();
    let store = world.store();
    let remove = || fs::remove_file(world.root.join(".git/packed-refs")).unwrap();
    assert_eq!(losses_in(&world, &store, remove), [(".git".to_owned(), LossKind::Commits)]);
}

/// A clone of a folder shares its objects: a change in place reaches the other clone, and so does the undo.
#[test]
fn objects_that_another_clone_shares_are_restored_there_too() {
    for (content, kind) in [(None, LossKind::Linked), (Some(""), LossKind::Repository)] {
        let world = World::new();
        let root = &world.root;
        git(root, &["init", "-q", "-b", "main"]);
        fs::write(root.join("a"), "1\n").unwrap();
        git(root, &["add", "-A"]);
        git(root, &["commit", "-qm", "one"]);
        let other = world.folder.path().join("other.git");
        git(root, &["clone", "-q", "--bare", ".", &other.to_string_lossy()]);
        let before = (objects(&root.join(".git")), objects(&other));
        assert_eq!(before.0, before.1);
        let store = world.store();
        let running = store.begin("change", world.tick()).unwrap();
        for path in crate::support::files(&root.join(".git/objects")) {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            if let Some(content) = content {
                fs::write(&path, content).unwrap();
            }
        }
        let effects = store.finish(running, world.tick()).unwrap();
        let losses = store.losses(&effects, &SystemPrograms);
        assert_eq!(losses.iter().map(|loss| loss.kind).collect::<Vec<_>>(), [kind]);
        assert_eq!(store.undo(&effects.id, false, world.tick()).unwrap().left, vec![]);
        assert_eq!((objects(&root.join(".git")), objects(&other)), before);
        assert_eq!(world.leftovers(), Vec::<String>::new());
    }
}

/// Names, modes and contents of the objects of a repository.
fn objects(repository: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let folder = repository.join("objects");
    let read = |path: PathBuf| {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        (path.strip_prefix(&folder).unwrap().to_path_buf(), mode, fs::read(&path).unwrap())
    };
    let mut all: Vec<_> = crate::support::files(&folder).into_iter().map(read).collect();
    all.sort();
    all
}

#[test]
fn many_committed_files_are_reported_and_no_loss() {
    let removed = |is_committed: bool| {
        let world = World::new();
        let root = &world.root;
        git(root, &["init", "-q", "-b", "main"]);
        fs::create_dir_all(root.join("src/deep")).unwrap();
        for at in 0..30 {
            fs::write(root.join(format!("src/deep/{at}")), at.to_string()).unwrap();
        }
        git(root, &["add", "-A"]);
        git(root, &["commit", "-qm", "one"]);
        let store = world.store();
        let running = store.begin("rm", world.tick()).unwrap();
        fs::remove_dir_all(root.join("src")).unwrap();
        if is_committed {
            git(root, &["commit", "-qam", "two"]);
        }
        let effects = store.finish(running, world.tick()).unwrap();
        store.losses(&effects, &SystemPrograms)
    };
    let found = removed(false);
    let found: Vec<_> = found.iter().map(|loss| (loss.path.to_str().unwrap(), loss.kind)).collect();
    assert_eq!(found, [("src/deep", LossKind::Many)]);
    assert!(!LossKind::Many.is_final());
    assert_eq!(removed(true), []);
}

#[test]
fn new_files_that_tools_obey_are_named_unless_they_are_committed() {
    let world = World::new();
    let root = &world.root;
    git(root, &["init", "-q", "-b", "main"]);
    fs::write(root.join(".envrc"), "echo\n").unwrap();
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "one"]);
    fs::remove_file(root.join(".envrc")).unwrap();
    let store = world.store();
    let running = store.begin("make", world.tick()).unwrap();
    git(root, &["checkout", "-q", "."]);
    fs::create_dir(root.join("below")).unwrap();
    fs::write(root.join("below/.envrc"), "curl\n").unwrap();
    fs::write(root.join("run"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(root.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(root.join("text"), "x").unwrap();
    let effects = store.finish(running, world.tick()).unwrap();
    let found = store.tool_files(&effects, &SystemPrograms);
    let found: Vec<_> = found.iter().map(|file| (file.path.to_str().unwrap(), file.why.is_some())).collect();
    assert_eq!(found, [("below/.envrc", true), ("run", false)]);
}
