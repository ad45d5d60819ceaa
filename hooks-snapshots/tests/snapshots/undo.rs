//! Random trees and random changes: an undo restores the tree exactly.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use hooks_snapshots::{ChangeKind, EffectsConfig, LeftOut, SnapshotError};
use proptest::prelude::*;

use crate::support::{World, change, changes, grow, is_object, picture, seeds};

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::support::cases(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_undo_restores_exactly(tree in seeds(), first in changes(), second in changes()) {
        let world = World::new();
        grow(&world.root, &tree);
        let store = world.store();
        let before = picture(&world.root);
        let running = store.begin("first", world.tick()).unwrap();
        first.iter().for_each(|one| change(&world.root, one));
        let between = picture(&world.root);
        let one = store.finish(running, world.tick()).unwrap();
        prop_assert!(before == between || !one.changes.is_empty());
        let running = store.begin("second", world.tick()).unwrap();
        second.iter().for_each(|one| change(&world.root, one));
        let after = picture(&world.root);
        let two = store.finish(running, world.tick()).unwrap();
        // The later command first, then the earlier one.
        if !two.changes.is_empty() {
            let undone = store.undo(&two.id, false, world.tick()).unwrap();
            prop_assert_eq!(undone.left, vec![]);
            prop_assert_eq!(picture(&world.root), between.clone());
            // An undo can be undone.
            store.undo(&undone.record.id, false, world.tick()).unwrap();
            prop_assert_eq!(picture(&world.root), after);
            store.undo(&two.id, true, world.tick()).unwrap();
            prop_assert_eq!(picture(&world.root), between);
        }
        if !one.changes.is_empty() {
            match store.undo(&one.id, false, world.tick()) {
                // New objects of the second command stay; if their folder was none before the first, they are in the way.
                Err(SnapshotError::ChangedLater(paths)) => {
                    prop_assert!(paths.iter().all(|path| is_object(path)), "{:?}", paths);
                    store.undo(&one.id, true, world.tick()).unwrap();
                }
                done => drop(done.unwrap()),
            }
            // What is new among objects stays, also an empty folder, and so do the folders above it.
            let all = crate::support::everything(&world.root);
            let holds_objects = |path: &Path| all.keys().any(|object| is_object(object) && object.starts_with(path));
            let mut end = picture(&world.root);
            end.retain(|path, _| before.contains_key(path) || !holds_objects(path));
            prop_assert_eq!(end, before);
        }
        prop_assert_eq!(world.leftovers(), Vec::<String>::new());
    }

    /// Without force, a path that was changed later is never touched.
    #[test]
    fn later_work_is_not_overwritten(tree in seeds(), first in changes(), later in changes()) {
        let world = World::new();
        grow(&world.root, &tree);
        let store = world.store();
        let before = picture(&world.root);
        let running = store.begin("first", world.tick()).unwrap();
        first.iter().for_each(|one| change(&world.root, one));
        let after = picture(&world.root);
        let effects = store.finish(running, world.tick()).unwrap();
        later.iter().for_each(|one| change(&world.root, one));
        let now = picture(&world.root);
        if effects.changes.is_empty() {
            return Ok(());
        }
        match store.undo(&effects.id, false, world.tick()) {
            Ok(_) => {
                let end = picture(&world.root);
                for (path, entry) in &now {
                    // What stands now and is neither of the command nor of the time before it is later work.
                    if after.get(path) != Some(entry) && before.get(path) != Some(entry) {
                        prop_assert_eq!(end.get(path), Some(entry), "{:?}", path);
                    }
                }
            }
            Err(SnapshotError::ChangedLater(paths)) => {
                prop_assert!(!paths.is_empty());
                prop_assert_eq!(picture(&world.root), now);
                store.undo(&effects.id, true, world.tick()).unwrap();
                let end = picture(&world.root);
                for change in &effects.changes {
                    let path = world.root.join(&change.path);
                    // A folder stays if later files are in it.
                    if before.contains_key(&path) || !path.is_dir() {
                        prop_assert_eq!(end.get(&path), before.get(&path), "{:?}", path);
                    }
                }
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}

#[test]
fn kinds_modes_links_and_empty_folders_come_back() {
    let world = World::new();
    let at = |name: &str| world.root.join(name);
    fs::create_dir_all(at("deep/empty")).unwrap();
    fs::write(at("tool"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(at("tool"), fs::Permissions::from_mode(0o4751)).unwrap();
    symlink("nowhere/at/all", at("broken")).unwrap();
    symlink("deep", at("folder-link")).unwrap();
    fs::write(at("becomes-folder"), vec![7; 3 << 20]).unwrap();
    fs::write(world.root.join(std::ffi::OsStr::from_bytes(b"not-utf8-\xff")), "x").unwrap();
    fs::create_dir(at("closed")).unwrap();
    fs::write(at("closed/inside"), "x").unwrap();
    fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    let store = world.store();
    let before = picture(&world.root);
    let running = store.begin("all of it", world.tick()).unwrap();
    fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    for entry in fs::read_dir(&world.root).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
    fs::create_dir_all(at("becomes-folder/with/more")).unwrap();
    // A link that leads out: nothing may be written through it.
    let outside = world.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, at("deep")).unwrap();
    let effects = store.finish(running, world.tick()).unwrap();
    assert!(effects.changes.iter().any(|one| one.kind == ChangeKind::Removed));
    let undone = store.undo(&effects.id, false, world.tick()).unwrap();
    assert_eq!(undone.left, vec![]);
    assert_eq!(picture(&world.root), before);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn build_output_is_left_out_unless_git_tracks_it() {
    let world = World::new();
    crate::support::git(&world.root, &["init", "-q"]);
    for name in ["build/kept.mk", "target/debug/x", "src/target"] {
        fs::create_dir_all(world.root.join(name).parent().unwrap()).unwrap();
        fs::write(world.root.join(name), name).unwrap();
    }
    crate::support::git(&world.root, &["add", "-f", "build/kept.mk"]);
    let left_out = ["build", "target"].map(|name| LeftOut::new(name, "build output"));
    let store = world.store_with(left_out.to_vec(), &EffectsConfig::default());
    let running = store.begin("rm", world.tick()).unwrap();
    for folder in ["build", "target", "src"] {
        fs::remove_dir_all(world.root.join(folder)).unwrap();
    }
    let effects = store.finish(running, world.tick()).unwrap();
    store.undo(&effects.id, false, world.tick()).unwrap();
    // A file with such a name is no folder of a tool.
    assert!(world.root.join("build/kept.mk").exists() && world.root.join("src/target").exists());
    assert!(!world.root.join("target").exists());
}

#[test]
fn a_repository_comes_back_and_new_objects_stay() {
    let world = World::new();
    let git = |words: &[&str]| crate::support::git(&world.root, words);
    git(&["init", "-q", "-b", "main"]);
    fs::write(world.root.join("a"), "1").unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    fs::write(world.root.join("a"), "uncommitted").unwrap();
    git(&["stash", "-q"]);
    fs::write(world.root.join("b"), "staged").unwrap();
    git(&["add", "b"]);
    let (status, refs) = (git(&["status", "--porcelain"]), git(&["for-each-ref"]));
    let store = world.store();
    let running = store.begin("git", world.tick()).unwrap();
    git(&["commit", "-qm", "two"]);
    let new = git(&["rev-parse", "HEAD"]);
    git(&["stash", "drop", "-q"]);
    git(&["update-ref", "-d", "HEAD"]);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["gc", "-q", "--prune=now"]);
    git(&["checkout", "-q", "--orphan", "other"]);
    git(&["commit", "-q", "--allow-empty", "-m", "three"]);
    let last = git(&["rev-parse", "HEAD"]);
    let effects = store.finish(running, world.tick()).unwrap();
    let undone = store.undo(&effects.id, false, world.tick()).unwrap();
    assert_eq!(undone.left, vec![]);
    assert_eq!((git(&["status", "--porcelain"]), git(&["for-each-ref"])), (status, refs));
    git(&["fsck", "--strict"]);
    git(&["stash", "pop", "-q"]);
    assert_eq!(fs::read_to_string(world.root.join("a")).unwrap(), "uncommitted");
    assert_eq!(git(&["cat-file", "-t", last.trim()]), "commit\n", "a new object stays");
    assert_ne!(new, last);
}

/// Also a rewrite of the same length within the resolution of the file's times.
#[test]
fn a_change_at_the_same_moment_is_seen() {
    let world = World::new();
    let place = world.root.join("a");
    let store = world.store();
    for round in 0..200 {
        fs::write(&place, format!("{:04}", round * 2)).unwrap();
        let running = store.begin("write", world.now()).unwrap();
        fs::write(&place, format!("{:04}", round * 2 + 1)).unwrap();
        let effects = store.finish(running, world.now()).unwrap();
        assert_eq!(effects.changes.len(), 1, "{round}");
    }
}

/// In memory, such a write changes no time of the file.
#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::disallowed_methods, reason = "only another process can map a file without unsafe code")]
fn a_write_through_a_mapping_is_seen() {
    let script =
        "import mmap,sys\nf=open(sys.argv[1],'r+b')\nm=mmap.mmap(f.fileno(),0)\nm[:1]\nm[:]=b'lost!'";
    for world in [World::new(), World::in_folder(tempfile::tempdir_in("/dev/shm").unwrap())] {
        let place = world.root.join("draft");
        fs::write(&place, "draft").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        let store = world.store();
        // The second snapshot knows the file from the first one.
        let first = store.begin("look", world.now()).unwrap();
        store.finish(first, world.now()).unwrap();
        let running = store.begin("write", world.now()).unwrap();
        let done = std::process::Command::new("python3").args(["-c", script]).arg(&place).status().unwrap();
        assert!(done.success());
        let effects = store.finish(running, world.now()).unwrap();
        assert_eq!(effects.changes.len(), 1, "{}", world.root.display());
        store.undo(&effects.id, false, world.now()).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "draft");
    }
}

#[test]
fn snapshots_stay_within_their_quota_and_the_newest_is_kept() {
    let world = World::new();
    let config = EffectsConfig { quota_mb: 2, ..EffectsConfig::default() };
    let store = world.store_with(Vec::new(), &config);
    let mut last = String::new();
    for round in 0..1_000_u32 {
        let running = store.begin("write", world.tick()).unwrap();
        let content: Vec<u8> = (0..20_000_u32).map(|at| (at.wrapping_mul(round + 1) >> 3) as u8).collect();
        fs::write(world.root.join(format!("file-{}", round % 5)), content).unwrap();
        last = store.finish(running, world.tick()).unwrap().id;
    }
    let size = crate::support::size(&world.folder.path().join("state"));
    assert!(size <= 2 << 20, "{size}");
    let records = store.records().unwrap();
    assert!((2..1_000).contains(&records.len()), "{}", records.len());
    store.undo(&last, false, world.tick()).unwrap();
    // Each snapshot that is listed can be restored.
    store.undo(&records[0].id, true, world.tick()).unwrap();
}

#[test]
fn old_snapshots_go() {
    let world = World::new();
    let store = world.store_with(Vec::new(), &EffectsConfig { days: 1, ..EffectsConfig::default() });
    for day in 0..4_u64 {
        let running = store.begin("write", day * 86_400_000).unwrap();
        fs::write(world.root.join("a"), day.to_string()).unwrap();
        store.finish(running, day * 86_400_000 + 1).unwrap();
    }
    let ages: Vec<u64> = store.records().unwrap().iter().map(|record| record.at / 86_400_000).collect();
    assert_eq!(ages, [2, 3]);
}

#[test]
fn a_damaged_content_changes_nothing() {
    let world = World::new();
    fs::write(world.root.join("a"), "precious").unwrap();
    fs::write(world.root.join("b"), "other").unwrap();
    let store = world.store();
    let running = store.begin("rm", world.tick()).unwrap();
    fs::remove_file(world.root.join("a")).unwrap();
    fs::remove_file(world.root.join("b")).unwrap();
    let effects = store.finish(running, world.tick()).unwrap();
    let mut blobs = crate::support::files(&world.folder.path().join("state"));
    blobs.retain(|place| fs::read(place).unwrap() == b"precious");
    fs::write(&blobs[0], "tampered").unwrap();
    let failed = store.undo(&effects.id, false, world.tick());
    assert!(matches!(failed, Err(SnapshotError::Damaged(_))), "{failed:?}");
    assert!(!world.root.join("b").exists());
}

#[test]
fn errors_name_the_way_out() {
    let world = World::new();
    let store = world.store();
    fs::write(world.root.join("a"), "1").unwrap();
    let running = store.begin("echo", world.tick()).unwrap();
    let id = running.id().to_owned();
    fs::write(world.root.join("a"), "2").unwrap();
    drop(running);
    let told = |id: &str| store.undo(id, false, world.tick()).unwrap_err().to_string();
    assert!(told("nothing").contains("hooks snapshots"));
    assert!(told(&id).contains("did not end"));
    store.undo(&id, true, world.tick()).unwrap();
    assert_eq!(fs::read_to_string(world.root.join("a")).unwrap(), "1");
    assert!(told(&id).contains("undone already"));
    let small = world.store_with(Vec::new(), &EffectsConfig { quota_mb: 0, ..EffectsConfig::default() });
    fs::write(world.root.join("a"), "3").unwrap();
    let effects = small.begin("x", world.tick());
    assert!(effects.is_ok(), "a file beyond the limit is listed, not kept");
}

#[test]
fn commands_at_the_same_time_are_told_apart_from_single_ones() {
    let world = World::new();
    let (one, two) = (world.store(), world.store());
    let first = one.begin("one", world.tick()).unwrap();
    let second = two.begin("two", world.tick()).unwrap();
    fs::write(world.root.join("a"), "x").unwrap();
    assert!(!two.finish(second, world.tick()).unwrap().is_alone);
    assert!(!one.finish(first, world.tick()).unwrap().is_alone);
    let third = one.begin("three", world.tick()).unwrap();
    assert!(one.finish(third, world.tick()).unwrap().is_alone);
}

#[test]
fn a_home_is_no_workspace() {
    let world = World::new();
    let scope = hooks_snapshots::Scope::new(&world.root, Vec::new()).unwrap();
    assert!(scope.clone().outside_of_home(&world.root).is_err());
    assert!(scope.clone().outside_of_home(&world.root.join("below")).is_err());
    assert!(scope.outside_of_home(Path::new("/home/other")).is_ok());
}

/// Each repository in the workspace has its own index.
#[test]
fn tracked_files_in_build_folders_of_inner_repositories_are_kept() {
    let world = World::new();
    let at = |name: &str| world.root.join(name);
    for (repository, file) in [("", "x"), ("inner", "build/kept.mk"), ("vendor", "x")] {
        let folder = at(repository);
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        crate::support::git(&folder, &["init", "-q"]);
        fs::write(folder.join(file), "x").unwrap();
        crate::support::git(&folder, &["add", "-f", file]);
        crate::support::git(&folder, &["commit", "-qm", "x"]);
    }
    crate::support::git(&world.root, &["add", "vendor"]); // as a submodule is tracked
    let left_out = ["build", "vendor"].map(|name| LeftOut::new(name, "build output"));
    let store = world.store_with(left_out.to_vec(), &EffectsConfig::default());
    let running = store.begin("rm", world.tick()).unwrap();
    fs::remove_dir_all(at("inner/build")).unwrap();
    fs::remove_dir_all(at("vendor")).unwrap();
    let effects = store.finish(running, world.tick()).unwrap();
    store.undo(&effects.id, false, world.tick()).unwrap();
    assert!(at("inner/build/kept.mk").exists() && at("vendor/x").exists());
}

/// Another command replaces a folder by a link, again and again.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_read_or_changed_behind_a_link_in_place_of_a_folder() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    const FILES: u32 = 50;
    let world = World::new();
    let (folder, link) = (world.root.join("folder"), world.root.join("link"));
    let outside = world.folder.path().join("outside");
    let fill = |folder: &Path, text: &str| {
        fs::create_dir_all(folder).unwrap();
        (0..FILES).for_each(|at| fs::write(folder.join(format!("{at}")), text).unwrap());
    };
    fill(&outside, "secret");
    let before = picture(&outside);
    let while_replaced = |work: &dyn Fn()| {
        let (has_begun, is_done) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    // An undo may have removed one of them.
                    _ = renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE);
                    has_begun.store(true, Ordering::Relaxed);
                }
            });
            while !has_begun.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            work();
            is_done.store(true, Ordering::Relaxed);
        });
    };
    for round in 0..30 {
        for path in [&folder, &link] {
            drop(fs::remove_file(path).or_else(|_| fs::remove_dir_all(path)));
        }
        fill(&folder, &format!("{round}"));
        symlink(&outside, &link).unwrap();
        let store = world.store();
        let running = store.begin("change", world.tick()).unwrap();
        fill(&folder, &format!("{round} changed"));
        let effects = store.finish(running, world.tick()).unwrap();
        while_replaced(&|| {
            drop(store.undo(&effects.id, true, world.tick()));
            drop(store.begin("look", world.tick()));
        });
    }
    assert_eq!(picture(&outside), before);
    let kept = crate::support::files(&world.folder.path().join("state"));
    assert!(kept.iter().all(|path| fs::read(path).unwrap() != b"secret"));
}

/// A loss of power may leave a stored content cut off.
#[test]
fn a_content_that_was_cut_off_is_stored_anew() {
    let world = World::new();
    fs::write(world.root.join("file"), "content").unwrap();
    let store = world.store();
    drop(store.begin("first", world.tick()).unwrap());
    let is_content = |path: &std::path::PathBuf| fs::read(path).unwrap() == b"content";
    let blob = crate::support::files(&world.folder.path().join("state")).into_iter().find(is_content);
    fs::write(blob.unwrap(), "").unwrap();
    fs::write(world.root.join("copy"), "content").unwrap();
    let running = store.begin("second", world.tick()).unwrap();
    fs::remove_file(world.root.join("file")).unwrap();
    let effects = store.finish(running, world.tick()).unwrap();
    store.undo(&effects.id, false, world.tick()).unwrap();
    assert_eq!(fs::read_to_string(world.root.join("file")).unwrap(), "content");
}

/// The first command makes the place of git's objects a file, the second one makes it a folder.
#[test]
fn a_place_of_objects_that_changes_its_kind_comes_back() {
    for kind in 0..4 {
        for has_more in [false, true] {
            let world = World::new();
            let objects = world.root.join(".git/objects");
            let store = world.store();
            let before = crate::support::everything(&world.root);
            let running = store.begin("first", world.tick()).unwrap();
            fs::create_dir(world.root.join(".git")).unwrap();
            match kind {
                0 => fs::write(&objects, "file").unwrap(),
                1 => symlink("nowhere", &objects).unwrap(),
                2 => fs::create_dir(&objects).unwrap(),
                _ => {}
            }
            let one = store.finish(running, world.tick()).unwrap();
            let between = crate::support::everything(&world.root);
            let running = store.begin("second", world.tick()).unwrap();
            if kind < 2 {
                fs::remove_file(&objects).unwrap();
            }
            fs::create_dir_all(&objects).unwrap();
            if has_more {
                fs::write(objects.join("a"), "object").unwrap();
            }
            let two = store.finish(running, world.tick()).unwrap();
            let after = crate::support::everything(&world.root);
            // A new object stays.
            let is_kept = kind == 2 && has_more;
            if !two.changes.is_empty() && !is_kept {
                let undone = store.undo(&two.id, false, world.tick()).unwrap();
                assert_eq!(crate::support::everything(&world.root), between, "{kind} {has_more}");
                store.undo(&undone.record.id, false, world.tick()).unwrap();
                assert_eq!(crate::support::everything(&world.root), after, "{kind} {has_more}");
                store.undo(&two.id, true, world.tick()).unwrap();
            }
            store.undo(&one.id, is_kept, world.tick()).unwrap();
            let end = crate::support::everything(&world.root);
            assert!(is_kept || end == before, "{kind} {has_more}: {end:?}");
        }
    }
}

#[test]
fn a_link_among_objects_comes_back_in_place_of_a_folder() {
    let world = World::new();
    let objects = world.root.join(".git/objects");
    fs::create_dir_all(&objects).unwrap();
    symlink("elsewhere", objects.join("pack")).unwrap();
    let store = world.store();
    let before = crate::support::everything(&world.root);
    let running = store.begin("replace", world.tick()).unwrap();
    fs::remove_file(objects.join("pack")).unwrap();
    fs::create_dir(objects.join("pack")).unwrap();
    fs::write(objects.join("pack/new"), "object").unwrap();
    let effects = store.finish(running, world.tick()).unwrap();
    store.undo(&effects.id, false, world.tick()).unwrap();
    assert_eq!(crate::support::everything(&world.root), before);
}

#[test]
fn a_forced_undo_also_overwrites_a_later_link_in_place_of_a_folder() {
    let world = World::new();
    let (folder, inside) = (world.root.join("folder"), world.root.join("folder/inside"));
    fs::create_dir_all(&inside).unwrap();
    let store = world.store();
    let running = store.begin("first", world.tick()).unwrap();
    fs::remove_dir(&inside).unwrap();
    let effects = store.finish(running, world.tick()).unwrap();
    fs::remove_dir(&folder).unwrap();
    symlink("elsewhere", &folder).unwrap();
    match store.undo(&effects.id, false, world.tick()) {
        Err(SnapshotError::ChangedLater(paths)) => assert!(paths.contains(&"folder".into()), "{paths:?}"),
        other => panic!("{other:?}"),
    }
    store.undo(&effects.id, true, world.tick()).unwrap();
    assert!(inside.is_dir());
}
