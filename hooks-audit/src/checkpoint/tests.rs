use std::path::Path;
use std::sync::Arc;

use hooks_core::fs::Disk as _;

use super::*;
use crate::chain::Digest;
use crate::mutant::{self, Mutant};
use crate::sim::{Faults, SimDisk};
use crate::verify::{Condition, Finding};

const ELSEWHERE: &str = "/elsewhere";
const KEY: &str = "/key";

fn signing(name: &str) -> SigningKey {
    SigningKey::new(name, &Zeroizing::new([3; 32])).unwrap()
}

fn first() -> FirstKey {
    FirstKey::new("example.com/a", &Zeroizing::new([5; 32])).unwrap()
}

fn keys(text: &[&str]) -> Keys {
    let mut keys = Keys::default();
    text.iter().for_each(|text| keys.add(text).unwrap());
    keys
}

/// A disk with the required folders and an evolving key.
fn disk(seed: u64) -> SimDisk {
    let disk = SimDisk::new(seed);
    for folder in [ELSEWHERE, KEY] {
        disk.create_directory(folder.as_ref()).unwrap();
    }
    begin(&disk, KEY.as_ref(), &first()).unwrap();
    // The folders are durable.
    disk.sync_directory("/".as_ref()).unwrap();
    disk
}

fn writing(disk: &SimDisk, signer: Signer) -> CheckpointWriter {
    CheckpointWriter::open(Arc::new(disk.clone()), Checkpoints { folder: ELSEWHERE.into(), signer }).unwrap()
}

fn evolving() -> Signer {
    Signer::Evolving(KEY.into())
}

fn root(size: u64) -> Digest {
    Digest::hash(&[&size.to_le_bytes()])
}

/// Answers that the records of a chain were deleted.
fn gone(_size: u64) -> std::io::Result<Option<Digest>> {
    Ok(None)
}

fn found(disk: &SimDisk, keys: &Keys) -> Collected {
    collect(disk, ELSEWHERE.as_ref(), keys).unwrap()
}

fn sizes(collected: &Collected) -> Vec<u64> {
    collected.checkpointed.iter().map(|checkpointed| checkpointed.head.size).collect()
}

fn file(name: &str) -> std::path::PathBuf {
    Path::new(ELSEWHERE).join(name)
}

/// Replaces a text in a file.
fn change(disk: &SimDisk, path: &Path, from: &str, to: &str) {
    let content = String::from_utf8(disk.content(path).unwrap()).unwrap();
    assert!(content.contains(from), "{content}");
    disk.tamper(path, content.replacen(from, to, 1).into_bytes());
}

fn only(findings: &[Finding], what: &str) {
    assert!(findings.len() == 1 && findings[0].what.contains(what), "{what}: {findings:?}");
}

#[test]
fn each_signer_is_believed_by_its_key_and_told_apart_from_others() {
    let ours = signing("example.com/a");
    let verifier = ours.verifier().to_string();
    let secret = first().to_secret();
    let others = [signing("example.com/b").verifier().to_string()];
    for (signer, key) in [
        (Signer::Nobody, None),
        (Signer::Ed25519(Arc::new(ours.clone())), Some(&*verifier)),
        (evolving(), Some(&**secret)),
    ] {
        let disk = disk(1);
        let mut writer = writing(&disk, signer);
        for size in 1..4 {
            writer.write_chain("w0", size, root(size), gone).unwrap();
        }
        let right: Vec<_> = key.into_iter().collect();
        let collected = found(&disk, &keys(&right));
        assert_eq!((sizes(&collected), collected.findings), (vec![1, 2, 3], vec![]));
        // Without a key, every complete note counts.
        assert_eq!(sizes(&found(&disk, &Keys::default())), [1, 2, 3]);
        let collected = found(&disk, &keys(&[&others[0]]));
        let what = if key.is_some() { "by a key that is not known" } else { "without a signature" };
        assert_eq!(sizes(&collected), [0_u64; 0]);
        only(&collected.findings, what);
        assert!(collected.findings[0].what.ends_with("and 2 more of them behind it"));
        // A changed checkpoint is reported in its file.
        change(&disk, &file("w0.checkpoints"), "/w0\n2\n", "/w0\n9\n");
        let collected = found(&disk, &keys(&right));
        assert_eq!(sizes(&collected), [1, 3]);
        only(&collected.findings, "is wrong");
        assert_eq!(collected.findings[0].condition, Condition::Mismatched);
        assert!(collected.findings[0].offset > 0);
    }
}

#[test]
fn a_key_says_something_about_its_own_log_only() {
    let disk = disk(1);
    let mut other = writing(&disk, Signer::Ed25519(Arc::new(signing("example.com/b"))));
    other.write_chain("w0", 1, root(1), gone).unwrap();
    let key = signing("example.com/a");
    let text = Checkpoint::of_chain("example.com/b", "w0", 7, root(7)).to_string();
    let signatures = vec![key.sign(&text)];
    disk.append(&file("w0.checkpoints"), Note { text, signatures }.to_string().as_bytes()).unwrap();
    let both = [key.verifier().to_string(), signing("example.com/b").verifier().to_string()];
    let collected = found(&disk, &keys(&both.each_ref().map(|key| &**key)));
    assert_eq!(sizes(&collected), [1]);
    only(&collected.findings, "of something else");
}

#[test]
fn files_that_were_put_back_show() {
    // An older checkpoint behind a newer one.
    let disk = disk(1);
    let mut first = writing(&disk, Signer::Nobody);
    first.write_chain("w0", 5, root(5), gone).unwrap();
    let mut again = writing(&disk, Signer::Nobody);
    let error = again.write_chain("w0", 4, root(4), gone).unwrap_err().to_string();
    assert!(error.contains("was put back") && error.contains("has 5"), "{error}");
    let error = again.write_chain("w0", 5, root(9), gone).unwrap_err().to_string();
    assert!(error.contains("or other records"), "{error}");
    let length = disk.content(&file("w0.checkpoints")).unwrap().len();
    again.write_chain("w0", 5, root(5), gone).unwrap();
    assert_eq!(disk.content(&file("w0.checkpoints")).unwrap().len(), length, "nothing new");
    first.write_chain("w0", 4, root(4), gone).unwrap();
    only(&found(&disk, &Keys::default()).findings, "an older checkpoint behind a newer one");
    // Two checkpoints that contradict each other.
    disk.tamper(&file("w0.checkpoints"), Vec::new());
    first.write_chain("w0", 4, root(4), gone).unwrap();
    first.write_chain("w0", 4, root(5), gone).unwrap();
    only(&found(&disk, &Keys::default()).findings, "the chain was forked");
}

#[test]
fn an_evolving_key_that_was_put_back_or_lost_is_an_error() {
    let disk = disk(1);
    let mut ours = writing(&disk, evolving());
    ours.write_chain("w0", 1, root(1), gone).unwrap();
    let old = disk.content(Path::new("/key/state")).unwrap();
    ours.write_chain("w0", 2, root(2), gone).unwrap();
    ours.write_chain("w0", 3, root(3), gone).unwrap();
    let state = Path::new("/key/state");
    let new = disk.content(state).unwrap();
    disk.tamper(state, old);
    for mut writer in [ours, writing(&disk, evolving())] {
        let error = writer.write_chain("w1", 1, root(1), gone).unwrap_err().to_string();
        assert!(error.contains("was put back") && error.contains("checkpoint 2 was made"), "{error}");
    }
    // If the checkpoints were removed as well, their reader notices it.
    let kept = disk.content(&file("w0.checkpoints")).unwrap();
    disk.tamper(&file("w0.checkpoints"), Vec::new());
    writing(&disk, evolving()).write_chain("w1", 1, root(1), gone).unwrap();
    disk.tamper(&file("w0.checkpoints"), kept);
    only(&found(&disk, &keys(&[&first().to_secret()])).findings, "the evolving key was put back");
    disk.tamper(state, new[..new.len() - 1].to_vec());
    let checkpoints = Checkpoints { folder: ELSEWHERE.into(), signer: evolving() };
    let open = || CheckpointWriter::open(Arc::new(disk.clone()), checkpoints.clone()).unwrap_err();
    assert!(matches!(open(), StateError::Damaged(_)));
    disk.remove(state).unwrap();
    assert!(matches!(open(), StateError::Missing(_)));
}

#[test]
fn checkpoints_of_an_evolving_key_that_were_taken_away_show() {
    let disk = disk(1);
    let mut writer = writing(&disk, evolving());
    for size in 1..6 {
        writer.write_chain("w0", size, root(size), gone).unwrap();
    }
    let whole = disk.content(&file("w0.checkpoints")).unwrap();
    let pieces: Vec<_> = Pieces::new(&whole).map(|piece| whole[piece.offset..piece.end].to_vec()).collect();
    let without = |at: usize| {
        let mut pieces = pieces.clone();
        pieces.remove(at);
        disk.tamper(&file("w0.checkpoints"), pieces.concat());
        found(&disk, &keys(&[&first().to_secret()]))
    };
    only(&without(0).findings, "before this one, 1 checkpoints with numbers from 0 on are missing");
    only(&without(2).findings, "from 2 on are missing");
    assert!(without(4).findings.is_empty(), "the end shows against the log only");
    // A number far ahead causes no work.
    let mut forged = first().evolving();
    forged.index = u64::MAX - 1;
    let text = Checkpoint::of_chain("example.com/a", "w0", 9, root(9)).to_string();
    let signatures = vec![forged.seal(&text)];
    disk.tamper(&file("w0.checkpoints"), Note { text, signatures }.to_string().into_bytes());
    only(&found(&disk, &keys(&[&first().to_secret()])).findings, "those before it are missing");
}

/// Kills and power losses at every step; `HOOKS_CRASH_IMAGES` sets another number of images.
#[test]
fn a_crash_loses_no_checkpoint_of_an_evolving_key_and_makes_none_twice() {
    let images = std::env::var("HOOKS_CRASH_IMAGES").ok().and_then(|images| images.parse().ok());
    let images: u64 = images.map_or(600, |images: u64| images / 20);
    let believed = keys(&[&first().to_secret()]);
    let (mut crashed, mut kept) = (0, 0);
    for seed in 0..images {
        let mut disk = disk(seed);
        let (mut size, mut known) = (0, Vec::new());
        for round in 0..4_u64 {
            disk.reseed(seed * 8 + round);
            disk.with_faults(Faults { kill: 60, ..Faults::default() });
            let checkpoints = Checkpoints { folder: ELSEWHERE.into(), signer: evolving() };
            if let Ok(mut writer) = CheckpointWriter::open(Arc::new(disk.clone()), checkpoints) {
                for _ in 0..4 {
                    size += 1;
                    // Two chains share the key.
                    let chain = if size % 3 == 0 { "w1" } else { "w0" };
                    if writer.write_chain(chain, size, root(size), gone).is_ok() {
                        known.push(size);
                    }
                }
            }
            crashed += u64::from(disk.is_dead());
            disk = if round % 2 == 0 { disk.after_kill() } else { disk.after_power_cut(seed + round) };
        }
        writing(&disk, evolving()).write_chain("w0", size + 1, root(size + 1), gone).unwrap();
        let collected = found(&disk, &believed);
        let worst = collected.findings.iter().map(|finding| finding.condition).max().unwrap_or_default();
        assert!(worst <= Condition::Torn, "seed {seed}: {:?}", collected.findings);
        let there = sizes(&collected);
        assert!(known.iter().all(|size| there.contains(size)), "seed {seed}: {known:?} {there:?}");
        kept += known.len();
    }
    assert!(crashed > images && kept > 0);
    println!("{kept} checkpoints survived {crashed} crashes");
}

#[test]
fn mutants_are_caught() {
    // Without the check of signatures, a forged checkpoint is trusted.
    let forge = |signer: Signer, key: &str, mutant| {
        let disk = disk(1);
        writing(&disk, signer).write_chain("w0", 1, root(1), gone).unwrap();
        change(&disk, &file("w0.checkpoints"), "/w0\n1\n", "/w0\n2\n");
        mutant::with(mutant, || found(&disk, &keys(&[key])).findings.len())
    };
    let key = signing("example.com/a");
    let verifier = key.verifier().to_string();
    let key = Arc::new(key);
    for mutant in [None, Some(Mutant::ChecksNoSignature)] {
        let caught = usize::from(mutant.is_none());
        assert_eq!(forge(Signer::Ed25519(Arc::clone(&key)), &verifier, mutant), caught);
        assert_eq!(forge(evolving(), &first().to_secret(), mutant), caught);
    }
    // A key that does not evolve: both the second checkpoint and the disk show it.
    let keep = |mutant| {
        let disk = disk(1);
        mutant::with(mutant, || {
            let mut writer = writing(&disk, evolving());
            (1..4).all(|size| writer.write_chain("w0", size, root(size), gone).is_ok())
        })
    };
    assert!(keep(None) && !keep(Some(Mutant::KeepsOldKey)));
}

#[test]
fn a_fleet_that_became_less_shows() {
    let head = |chain: &str, size| Head { log: "a".into(), chain: chain.into(), size, root: root(size) };
    let keep = |fleets: &[&[(&str, u64)]]| {
        let disk = disk(1);
        let mut is_refused = false;
        for heads in fleets {
            let heads = heads.iter().map(|(chain, size)| head(chain, *size)).collect();
            let fleet = Fleet::new(heads).unwrap();
            if let Err(error) = writing(&disk, Signer::Nobody).write_fleet(&fleet, |_| Ok(None)) {
                assert!(PutBack::downcast(&error).is_some(), "{error}");
                is_refused = true;
                // Another writer made it.
                let text = fleet.checkpoint(UNNAMED).to_string();
                let signatures = vec![sum(UNNAMED, &text)];
                let note = Note { text, signatures }.to_string();
                disk.append(&file("fleet.checkpoints"), note.as_bytes()).unwrap();
            }
        }
        let findings = found(&disk, &Keys::default()).findings;
        assert_eq!(is_refused, !findings.is_empty());
        findings
    };
    assert_eq!(keep(&[&[("w0", 1)], &[("w0", 2), ("w1", 1)]]), []);
    only(&keep(&[&[("w0", 1), ("w1", 1)], &[("w0", 2)]]), "chain `w1` is missing");
    only(&keep(&[&[("w0", 1), ("w1", 1)], &[("w1", 2)]]), "chain `w0` is missing");
    only(&keep(&[&[("w0", 2)], &[("w0", 1)]]), "has 1 records, and had 2");
}

#[test]
fn a_fleet_is_compared_with_the_last_note_that_has_its_log() {
    let disk = disk(1);
    let head = |log: &str, size| Head { log: log.into(), chain: "w0".into(), size, root: root(size) };
    let write = |heads: &[Head], was: fn(&Head) -> std::io::Result<Option<Digest>>| {
        let mut writer = writing(&disk, Signer::Ed25519(Arc::new(signing("fleet"))));
        writer.write_fleet(&Fleet::new(heads.to_vec()).unwrap(), was).map(drop)
    };
    write(&[head("a", 5), head("b", 5)], |_| Ok(None)).unwrap();
    // A log may be left out; notes of other writers in the folder have no effect on it.
    write(&[head("a", 5)], |_| Ok(None)).unwrap();
    let other = Fleet::new(vec![head("b", 1)]).unwrap();
    writing(&disk, Signer::Nobody).write_fleet(&other, |_| Ok(None)).unwrap();
    let error = write(&[head("a", 5), head("b", 4)], |_| Ok(None)).unwrap_err();
    assert_eq!(PutBack::downcast(&error).map(|back| (back.size, back.says)), Some((4, 5)));
    // For a chain that has grown, the older root is computed and compared.
    let others = |_: &Head| Ok(Some(root(9)));
    assert!(PutBack::downcast(&write(&[head("b", 7)], others).unwrap_err()).is_some());
    write(&[head("b", 7)], |old| Ok(Some(root(old.size)))).unwrap();
}

#[test]
fn both_kinds_of_checkpoint_are_compared() {
    let head = |chain: &str, size| Head { log: "log".into(), chain: chain.into(), size, root: root(size) };
    let right = |size| Ok(Some(root(size)));
    for signer in [Signer::Nobody, Signer::Ed25519(Arc::new(signing("example.com/a"))), evolving()] {
        // The note over all chains is written, and only the file of a chain holds an earlier checkpoint.
        let disk = disk(1);
        let writer = || writing(&disk, signer.clone());
        writer().write_chain("w0", 5, root(5), gone).unwrap();
        let fleet = |heads: &[Head], was: fn(&Head) -> std::io::Result<Option<Digest>>| {
            writer().write_fleet(&Fleet::new(heads.to_vec()).unwrap(), was)
        };
        let gone_or_less = |_: &Head| Err(std::io::ErrorKind::InvalidData.into());
        for heads in [&[head("w0", 4)][..], &[head("w1", 9)], &[head("w0", 9)]] {
            let error = fleet(heads, gone_or_less).unwrap_err();
            assert!(PutBack::downcast(&error).unwrap().file.ends_with("w0.checkpoints"), "{error}");
        }
        assert!(PutBack::downcast(&fleet(&[head("w0", 9)], |_| Ok(Some(root(8)))).unwrap_err()).is_some());
        // Other processes wrote meanwhile, or the chain is unchanged.
        fleet(&[head("w0", 4)], |old| Ok(Some(root(old.size)))).unwrap();
        fleet(&[head("w0", 5)], |_| Ok(None)).unwrap();
        fleet(&[head("w0", 8)], |old| Ok(Some(root(old.size)))).unwrap();
        // The checkpoint of a chain is written, and only the note over all chains holds an earlier state, or
        // a later one than the file of the chain.
        let own = disk.content(&file("w0.checkpoints")).unwrap();
        for before in [Vec::new(), own] {
            disk.tamper(&file("w0.checkpoints"), before);
            for (size, was) in [(6, root(5)), (8, root(5)), (9, root(7))] {
                let root = if size == 8 { root(1) } else { root(size) };
                let error = writer().write_chain("w0", size, root, |_| Ok(Some(was))).unwrap_err();
                assert!(PutBack::downcast(&error).unwrap().file.ends_with("fleet.checkpoints"), "{error}");
            }
        }
        if !matches!(signer, Signer::Evolving(_)) {
            writer().write_chain("w0", 9, root(9), right).unwrap();
            // Checkpoints of other logs have no effect.
            let other = Head { log: "other".into(), ..head("w0", 20) };
            fleet(&[head("w0", 9), other], |old| Ok(Some(root(old.size)))).unwrap();
            writer().write_chain("w0", 10, root(10), right).unwrap();
        }
    }
}

#[test]
fn a_chain_that_was_put_back_is_read_once() {
    let disk = disk(1);
    writing(&disk, Signer::Nobody).write_chain("w0", 5, root(5), gone).unwrap();
    let mut writer = writing(&disk, Signer::Nobody);
    let mut calls = 0;
    for size in 6..9 {
        let was = |size| {
            calls += 1;
            Ok(Some(root(size + 1)))
        };
        assert!(PutBack::downcast(&writer.write_chain("w0", size, root(size), was).unwrap_err()).is_some());
    }
    assert_eq!(calls, 1);
    // Once the operator moves the file away, there is nothing to compare with.
    disk.tamper(&file("w0.checkpoints"), Vec::new());
    writer.write_chain("w0", 9, root(9), gone).unwrap();
    // An unreadable chain gives no answer; a damaged chain contradicts its checkpoint.
    for (kind, is_put_back) in [(std::io::ErrorKind::Other, false), (std::io::ErrorKind::InvalidData, true)] {
        let error = writing(&disk, Signer::Nobody).write_chain("w0", 10, root(10), |_| Err(kind.into()));
        assert_eq!(PutBack::downcast(&error.unwrap_err()).is_some(), is_put_back);
    }
}

#[test]
fn a_part_of_a_note_is_torn_and_hides_no_other() {
    let disk = disk(1);
    let key = Arc::new(signing("example.com/a"));
    let verifier = key.verifier().to_string();
    writing(&disk, Signer::Ed25519(Arc::clone(&key))).write_chain("w0", 1, root(1), gone).unwrap();
    let whole = disk.content(&file("w0.checkpoints")).unwrap();
    for end in 1..whole.len() {
        let disk = disk.after_kill();
        disk.tamper(&file("w0.checkpoints"), whole[..end].to_vec());
        writing(&disk, Signer::Ed25519(Arc::clone(&key))).write_chain("w0", 2, root(2), gone).unwrap();
        let collected = found(&disk, &keys(&[&verifier]));
        assert_eq!(sizes(&collected).last(), Some(&2), "{end}");
        assert!(collected.findings.iter().all(|found| found.condition == Condition::Torn), "{end}");
    }
}
