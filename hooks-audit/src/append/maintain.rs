//! What is done with files that are full: compressed, deleted when their time is over, rid of payloads that must go.
//!
//! Each of these can be interrupted at every step and done again. What takes something away is put on the record, and
//! that through to the device, before it happens.

use std::io::{self, ErrorKind, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use hooks_core::time::Timestamp;

use super::{Appender, Entry};
use crate::chain::{Group, Scan, Stored, push_erased};
use crate::record::{Record, notes};
use crate::segment::{self, MOST_BYTES, Segment, State};

impl Appender {
    /// Compresses all files of the chain but the one that is written; how many.
    ///
    /// # Errors
    /// Whatever the disk answers.
    pub fn compress(&self) -> io::Result<u64> {
        let mut done = 0;
        for file in self.full_files()?.iter().filter(|file| file.state == State::Plain) {
            self.replace(file, &file.when(State::Compressed), &self.bytes(file)?)?;
            self.disk.remove(&file.path(&self.folder))?;
            self.disk.sync_directory(&self.folder)?;
            done += 1;
        }
        Ok(done)
    }

    /// Deletes the files all of whose records are from before `moment`, the oldest first, up to one that has a record on
    /// which `hold` holds its hand; how many. That they are deleted is put down before.
    ///
    /// # Errors
    /// Whatever the disk answers; `InvalidData` where a file is damaged, which is not deleted.
    pub fn delete_before(&mut self, moment: Timestamp, hold: &dyn Fn(&Record) -> bool) -> io::Result<u64> {
        let mut doomed = Vec::new();
        let mut covers: Option<(u64, u64)> = None;
        for file in self.full_files()? {
            let bytes = self.bytes(&file)?;
            let mut stays = false;
            for line in groups(&file, &bytes)?.iter().flat_map(|group| &group.lines) {
                let record = record(&file, line.text)?;
                stays |= record.at >= moment || hold(&record);
                let (first, _) = *covers.get_or_insert((line.seq, line.seq));
                if !stays {
                    covers = Some((first, line.seq));
                }
            }
            if stays {
                break;
            }
            doomed.push(file);
        }
        if doomed.is_empty() {
            return Ok(0);
        }
        let names: Vec<_> = doomed.iter().map(|file| format!("`{}`", file.name())).collect();
        self.note(notes::DELETED, format!("deleted: {}", names.join(", ")), covers.into_iter().collect())?;
        for file in &doomed {
            self.disk.remove(&file.path(&self.folder))?;
            self.disk.sync_directory(&self.folder)?;
        }
        Ok(doomed.len() as u64)
    }

    /// Erases the payloads of the records that `which` picks; of how many. The chain still verifies. That they are erased
    /// is put down before, without what was in them.
    ///
    /// What the device keeps of files that were replaced is its own affair: who must be sure encrypts it.
    ///
    /// # Errors
    /// Whatever the disk answers; `InvalidData` where a file is damaged, from which nothing is erased.
    pub fn erase(&mut self, which: &dyn Fn(&Record) -> bool) -> io::Result<u64> {
        self.rotate()?;
        let files = self.full_files()?;
        let mut picked = Vec::new();
        for file in &files {
            let bytes = self.bytes(file)?;
            for line in groups(file, &bytes)?.iter().flat_map(|group| &group.lines) {
                if matches!(line.stored, Stored::Payload(_)) && which(&record(file, line.text)?) {
                    picked.push(line.seq);
                }
            }
        }
        if picked.is_empty() {
            return Ok(0);
        }
        let note = format!("the payloads of {} records are erased", picked.len());
        self.note(notes::ERASED, note, ranges(&picked))?;
        let by = self.chain().seq;
        for file in &files {
            let bytes = self.bytes(file)?;
            if let Some(without) = without(file, &bytes, &picked, by)? {
                self.replace(file, file, &without)?;
            }
        }
        Ok(picked.len() as u64)
    }

    /// Puts a note down, through to the device.
    fn note(&mut self, event: &str, note: String, covers: Vec<(u64, u64)>) -> io::Result<()> {
        let note = Record { note: Some(note), covers, ..Record::new(event, self.clock.now()) };
        self.append(&[Entry::from(note)])?;
        self.sync()
    }

    /// The files of the chain but the last.
    fn full_files(&self) -> io::Result<Vec<Segment>> {
        let mut files = segment::list(&*self.disk, &self.folder)?;
        files.retain(|file| file.chain == self.chain.name && file.number < self.chain.segment);
        Ok(files)
    }

    /// The lines of a file.
    fn bytes(&self, file: &Segment) -> io::Result<Vec<u8>> {
        let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
        Ok(segment::read(&*self.disk, &self.folder, file, 0, limit)?.unwrap_or_default())
    }

    /// Puts `lines` in place of what `file` has, or will have: at one moment, and through to the device.
    fn replace(&self, of: &Segment, file: &Segment, lines: &[u8]) -> io::Result<()> {
        let aside = self.folder.join(format!("{}.{:08}.new", of.chain, of.number));
        match self.disk.remove(&aside) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if file.state == State::Compressed {
            let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
            compressed.write_all(lines)?;
            self.disk.create(&aside, &compressed.finish()?)?;
        } else {
            self.disk.create(&aside, lines)?;
        }
        self.disk.rename(&aside, &file.path(&self.folder))?;
        self.disk.sync_directory(&self.folder)
    }
}

/// The groups of a file, as far as they count: what a failed write left behind them does not.
fn groups<'a>(file: &Segment, bytes: &'a [u8]) -> io::Result<Vec<Group<'a>>> {
    let mut scan = Scan::new(bytes, None);
    let mut groups = Vec::new();
    while let Ok(Some(group)) = scan.next_group() {
        groups.push(group);
    }
    if groups.is_empty() || file.state == State::Damaged {
        return Err(damaged(file));
    }
    Ok(groups)
}

fn record(file: &Segment, line: &[u8]) -> io::Result<Record> {
    serde_json::from_slice(line).map_err(|_| damaged(file))
}

fn damaged(file: &Segment) -> io::Error {
    let text = format!("`{}` is damaged; run `hooks audit verify`", file.name());
    io::Error::new(ErrorKind::InvalidData, text)
}

/// The lines of a file without the payloads of the records in `picked`, which is in order; `None` where it has none.
fn without(file: &Segment, bytes: &[u8], picked: &[u64], by: u64) -> io::Result<Option<Vec<u8>>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut end = 0;
    let mut is_changed = false;
    for line in groups(file, bytes)?.iter().flat_map(|group| &group.lines) {
        if matches!(line.stored, Stored::Payload(_)) && picked.binary_search(&line.seq).is_ok() {
            // Up to the record's own line end; its payload stands behind that.
            let kept = line.start + line.text.len() + 1;
            out.extend_from_slice(bytes.get(end..kept).unwrap_or_default());
            push_erased(line.seq, by, &mut out);
            end = line.end;
            is_changed = true;
        }
    }
    out.extend_from_slice(bytes.get(end..).unwrap_or_default());
    Ok(is_changed.then_some(out))
}

/// Numbers in order as pairs of first and last.
fn ranges(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use hooks_core::time::StoppedClock;
    use serde_json::json;

    use super::*;
    use crate::append::Settings;
    use crate::read::{Kept, Positions, Reader};
    use crate::record::Payload;
    use crate::sim::{Faults, SimDisk};
    use crate::verify::{Condition, verify};

    const FOLDER: &str = "/log";

    fn open(disk: &SimDisk) -> io::Result<Appender> {
        let clock = Arc::new(StoppedClock(Timestamp(100)));
        let opened = Appender::open(Arc::new(disk.clone()), FOLDER, Settings::new([0; 32]), clock);
        opened.map(|(appender, _)| appender).map_err(io::Error::other)
    }

    /// Three full files: of moment 1, 2 and 3, with records of the sessions `a` and `b`.
    fn log() -> SimDisk {
        let disk = SimDisk::new(1);
        let mut appender = open(&disk).unwrap();
        for at in 1..4 {
            for session in ["a", "b", "a"] {
                let record = Record { session: session.to_owned(), ..Record::new("stop", Timestamp(at)) };
                let payload = Some(Payload::of(json!({"of": session})));
                appender.append(&[Entry { record, payload }]).unwrap();
            }
            appender.rotate().unwrap();
        }
        appender.close().unwrap();
        disk
    }

    fn read(disk: &SimDisk) -> Vec<(u64, String, bool)> {
        let mut reader = Reader::new(Arc::new(disk.clone()), FOLDER, Positions::default());
        let all = reader.read(1_000).unwrap().into_iter().filter(|committed| !committed.record.is_note());
        all.map(|committed| {
            let is_kept = matches!(committed.payload, Kept::Payload(_));
            (committed.record.seq, committed.record.session, is_kept)
        })
        .collect()
    }

    fn condition(disk: &SimDisk) -> Condition {
        verify(disk, Path::new(FOLDER), &[]).unwrap().condition()
    }

    fn finished(disk: &SimDisk, work: impl Fn(&mut Appender) -> io::Result<u64>) -> u64 {
        let mut appender = open(disk).unwrap();
        let done = work(&mut appender).unwrap();
        appender.close().unwrap();
        assert_eq!(condition(disk), Condition::Clean);
        done
    }

    /// Does `work` with a kill or a loss of power somewhere in it, then again; `after` is what must hold in the end.
    fn interrupted(work: impl Fn(&mut Appender) -> io::Result<u64>, after: impl Fn(&SimDisk)) {
        for seed in 0..400 {
            let disk = log().after_power_cut(seed);
            disk.reseed(seed);
            disk.with_faults(Faults { kill: 60, ..Faults::default() });
            if let Ok(mut appender) = open(&disk) {
                drop(work(&mut appender));
            }
            let left = if seed % 2 == 0 { disk.after_kill() } else { disk.after_power_cut(seed) };
            assert!(condition(&left) <= Condition::Torn, "seed {seed}");
            finished(&left, &work);
            after(&left);
        }
    }

    #[test]
    fn what_is_compressed_reads_the_same() {
        let disk = log();
        let before = read(&disk);
        assert_eq!(finished(&disk, |appender| appender.compress()), 3);
        assert_eq!(read(&disk), before);
        interrupted(|appender| appender.compress(), |disk| assert_eq!(read(disk), before));
    }

    #[test]
    fn files_are_deleted_whole_the_oldest_first_and_not_what_is_held() {
        let disk = log();
        assert_eq!(finished(&disk, |appender| appender.delete_before(Timestamp(3), &|_| false)), 2);
        assert_eq!(read(&disk).iter().map(|(seq, ..)| *seq).collect::<Vec<_>>(), [7, 8, 9]);
        let held = log();
        let of_two = |record: &Record| record.at == Timestamp(2);
        assert_eq!(finished(&held, |appender| appender.delete_before(Timestamp(9), &of_two)), 1);
        assert_eq!(read(&held).len(), 6);
        interrupted(
            |appender| appender.delete_before(Timestamp(3), &|_| false),
            |disk| assert_eq!(read(disk).len(), 3),
        );
    }

    #[test]
    fn payloads_are_erased_and_the_chain_holds() {
        let of_a = |record: &Record| record.session == "a";
        for compressed in [false, true] {
            let disk = log();
            if compressed {
                finished(&disk, |appender| appender.compress());
            }
            assert_eq!(finished(&disk, |appender| appender.erase(&of_a)), 6);
            let all = read(&disk);
            assert!(all.len() == 9 && all.iter().all(|(_, session, is_kept)| *is_kept == (session == "b")));
        }
        interrupted(
            |appender| appender.erase(&of_a),
            |disk| assert!(read(disk).iter().all(|(_, session, is_kept)| *is_kept == (session == "b"))),
        );
    }

    #[test]
    fn a_payload_that_goes_without_a_word_is_found() {
        let disk = log();
        let path = Path::new(FOLDER).join("w0.00000001.jsonl");
        let text = String::from_utf8(disk.content(&path).unwrap()).unwrap();
        let erased = text.lines().map(|line| match line.strip_prefix("{\"p\":2,") {
            Some(_) => "{\"p\":2,\"erased\":3}\n".to_owned(),
            None => format!("{line}\n"),
        });
        disk.tamper(&path, erased.collect::<String>().into_bytes());
        assert_eq!(condition(&disk), Condition::Damaged);
    }
}
