//! Maintenance of full files: compression and erasure of payloads.
//!
//! Each operation can be interrupted at every step and repeated. Before data is removed, the removal is
//! recorded and synced.

use std::io;

use super::{Appender, Entry};
use crate::join;
use crate::keep::files::{FullFiles, ranges};
use crate::record::{Record, notes};

impl Appender {
    /// Compresses all files of the chain except the one being written; returns their number.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use hooks_audit::{Appender, Record, AppendSettings, segment};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::{StoppedClock, Timestamp};
    ///
    /// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
    /// let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
    /// appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
    /// appender.rotate()?;
    /// assert_eq!(appender.compress()?, 1);
    /// let files = segment::list(&*disk, Path::new("/log"))?;
    /// let names: Vec<_> = files.iter().map(|file| file.name()).collect();
    /// assert_eq!(names, ["w0.00000001.jsonl.gz", "w0.00000002.jsonl"]);
    /// let lines = segment::read(&*disk, Path::new("/log"), &files[0], 0, 1 << 20)?.ok_or("it is there")?;
    /// assert!(String::from_utf8(lines)?.contains(r#""event":"stop""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compress(&self) -> io::Result<u64> {
        let mut done = 0;
        for file in self.full_files().plain()? {
            self.full_files().compress(&file)?;
            done += 1;
        }
        Ok(done)
    }

    /// Erases the payloads of the records that `which` selects; returns their number. The chain still
    /// verifies. The erasure and `why` are recorded before, without the contents of the payloads.
    ///
    /// The device may keep blocks of the files that were replaced. Operators who must rule that out encrypt
    /// the device.
    ///
    /// # Errors
    /// Returns `InvalidData` if a file is damaged, from which nothing is erased; any other error if the disk
    /// fails.
    pub fn erase(&mut self, why: &str, which: &dyn Fn(&Record) -> bool) -> io::Result<u64> {
        self.rotate()?;
        // A copy beside the log would keep the erased payloads.
        join::remove_beside(&*self.disk, &self.folder, &self.chain.name)?;
        let files = self.full_files().all()?;
        let mut picked = Vec::new();
        for file in &files {
            picked.extend(self.full_files().picked(file, which)?);
        }
        if picked.is_empty() {
            return Ok(0);
        }
        let note = format!("the payloads of {} records are erased: {why}", picked.len());
        self.put(notes::ERASED, note, ranges(&picked))?;
        let by = self.chain().seq;
        files.iter().try_for_each(|file| self.full_files().erase(file, &picked, by))?;
        Ok(picked.len() as u64)
    }

    /// Appends a record and syncs it.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn note(&mut self, record: Record) -> io::Result<()> {
        self.append(&mut [Entry::from(record)])?;
        self.sync()
    }

    fn put(&mut self, event: &str, note: String, covers: Vec<(u64, u64)>) -> io::Result<()> {
        self.note(Record { note: Some(note), covers, ..Record::new(event, self.clock.now()) })
    }

    /// The files of the chain except the last.
    fn full_files(&self) -> FullFiles<'_> {
        FullFiles { disk: &*self.disk, folder: &self.folder, chain: &self.chain.name }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use hooks_core::time::{StoppedClock, Timestamp};
    use serde_json::json;

    use super::*;
    use crate::append::AppendSettings;
    use crate::read::{Kept, LogReader, Positions};
    use crate::record::Payload;
    use crate::sim::{Faults, SimDisk};
    use crate::verify::{Condition, verify};

    const FOLDER: &str = "/log";

    fn open(disk: &SimDisk) -> io::Result<Appender> {
        let clock = Arc::new(StoppedClock(Timestamp(100)));
        let opened = Appender::open(Arc::new(disk.clone()), FOLDER, AppendSettings::new([0; 32]), clock);
        opened.map(|(appender, _)| appender).map_err(io::Error::other)
    }

    /// Three full files, of times 1, 2 and 3, with records of the sessions `a` and `b`.
    fn log() -> SimDisk {
        let disk = SimDisk::new(1);
        let mut appender = open(&disk).unwrap();
        for at in 1..4 {
            for session in ["a", "b", "a"] {
                let record = Record { session: session.to_owned(), ..Record::new("stop", Timestamp(at)) };
                let payload = Some(Payload::new(json!({"of": session})));
                appender.append(&mut [Entry { record, payload }]).unwrap();
            }
            appender.rotate().unwrap();
        }
        appender.close().unwrap();
        disk
    }

    fn read(disk: &SimDisk) -> Vec<(u64, String, bool)> {
        let mut reader = LogReader::new(Arc::new(disk.clone()), FOLDER, Positions::default());
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

    /// Runs `work` with a kill or a power loss at some point, then again; `after` checks the final state.
    fn interrupted(work: impl Fn(&mut Appender) -> io::Result<u64>, after: impl Fn(&SimDisk)) {
        for seed in 0..200 {
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
    fn payloads_are_erased_and_the_chain_holds() {
        let of_a = |record: &Record| record.session == "a";
        for compressed in [false, true] {
            let disk = log();
            if compressed {
                finished(&disk, |appender| appender.compress());
            }
            assert_eq!(finished(&disk, |appender| appender.erase("asked for", &of_a)), 6);
            let all = read(&disk);
            assert!(all.len() == 9 && all.iter().all(|(_, session, is_kept)| *is_kept == (session == "b")));
        }
        interrupted(
            |appender| appender.erase("asked for", &of_a),
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
