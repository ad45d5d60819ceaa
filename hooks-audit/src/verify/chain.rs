//! Checks one chain, file by file.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;

use super::files::{self, Content};
use super::{Anchor, ChainReport, Condition, Finding};
use crate::chain::{After, Chain, Flaw, Group, Header, Mark, Scan, Stored, Tree};
use crate::join;
use crate::mutant::{self, Mutant};
use crate::record::{Record, notes};
use crate::recover::synced_behind;
use crate::segment::{self, Segment};

/// Bytes at the beginning of a line that contain the name of the event.
const EVENT: usize = 100;

/// State of the check of one chain.
pub(super) struct Check<'a> {
    disk: &'a dyn LogDisk,
    folder: &'a Path,
    files: &'a [Segment],
    /// Files whose numbers are all in other files.
    beside: &'a [Segment],
    /// Anchors that are not reached yet, by size.
    anchors: &'a [&'a Anchor],
    /// Whether an anchor was found to cover other records.
    is_forked: bool,
    report: ChainReport,
    /// The chain behind the valid part so far; `None` if unknown.
    chain: Option<Chain>,
    /// Erased payloads: the number of their record, and of the record that should document the erasure.
    erased: BTreeMap<u64, u64>,
    /// Records that document erasures, each with the ranges of erased records, sorted and without overlaps.
    erasures: BTreeMap<u64, Vec<(u64, u64)>>,
    /// Number of the last record that was deleted, according to the log.
    deleted: u64,
    /// Number of the last record before the first file.
    before: u64,
}

impl<'a> Check<'a> {
    pub(super) fn new(
        disk: &'a dyn LogDisk,
        folder: &'a Path,
        files: &'a [Segment],
        beside: &'a [Segment],
        anchors: &'a [&'a Anchor],
    ) -> Self {
        let chain = files.first().map(|file| file.chain.clone()).unwrap_or_default();
        Self {
            disk,
            folder,
            files,
            beside,
            anchors,
            is_forked: false,
            report: ChainReport { chain, ..ChainReport::default() },
            chain: None,
            erased: BTreeMap::new(),
            erasures: BTreeMap::new(),
            deleted: 0,
            before: 0,
        }
    }

    pub(super) fn run(mut self) -> io::Result<ChainReport> {
        let mut last_number = None;
        for (index, file) in self.files.iter().enumerate() {
            self.report.files += 1;
            if last_number.is_some_and(|number| number + 1 != file.number) {
                self.find(Condition::Damaged, file, 0, "the file before it is missing");
                self.chain = None;
            }
            last_number = Some(file.last);
            let next = match self.files.get(index + 1) {
                Some(next) if next.number == file.last + 1 => {
                    files::header(self.disk, self.folder, next)?.map(|(header, _)| header)
                }
                _ => None,
            };
            match files::content(self.disk, self.folder, file)? {
                Content::Lines(bytes) => {
                    let counted = self.check(file, &bytes, next.as_ref(), index + 1 == self.files.len());
                    self.compare_beside(file, bytes.get(..counted).unwrap_or_default())?;
                }
                Content::None(what) => {
                    self.find(Condition::Damaged, file, 0, &what);
                    self.chain = None;
                }
            }
        }
        self.conclude();
        Ok(self.report)
    }

    /// Compares the files beside `file`, which an interrupted writer left, with the valid part of it.
    fn compare_beside(&mut self, file: &Segment, counted: &[u8]) -> io::Result<()> {
        for other in self.beside.iter().filter(|other| file.has(other.number)) {
            let is_same = match files::content(self.disk, self.folder, other)? {
                Content::Lines(bytes) => join::stands_in(counted, other, &bytes),
                Content::None(_) => false,
            };
            if !is_same {
                let what = format!("it has other records than `{}`, which has its number too", file.name());
                self.find(Condition::Damaged, other, 0, &what);
            }
        }
        Ok(())
    }

    /// Checks a file; returns the length of its valid part. `next` is the header of the next file.
    fn check(&mut self, file: &Segment, bytes: &[u8], next: Option<&Header>, is_last: bool) -> usize {
        let mut scan = Scan::new(bytes, None);
        let Some(mut chain) = self.begin(file, &mut scan) else { return 0 };
        // Everything behind this mark is void.
        let ends = next.map(|next| next.commit.saturating_sub(1));
        let flaw = loop {
            if ends == Some(chain.commit) {
                break None;
            }
            let offset = scan.offset();
            match scan.next_group() {
                Ok(Some(group)) => {
                    match chain.follow(&group).filter(|next| is_next(file, &chain, next, &group.mark)) {
                        Some(following) => {
                            self.look(file, &chain, &group);
                            chain = following;
                        }
                        None => break Some(Flaw { offset, what: "a group that is not the next one" }),
                    }
                }
                Ok(None) => break Some(Flaw { offset, what: "a group without an end" }),
                Err(flaw) => break Some(flaw),
            }
        };
        let rest = bytes.get(scan.offset()..).unwrap_or_default();
        let after = next.map(|next| next.after);
        match flaw {
            // Void bytes of a failed write are expected, but not in a file that was sealed or made from valid
            // parts.
            None if !rest.is_empty() && (after == Some(After::Sealed) || file.is_remade()) => {
                self.find(Condition::Damaged, file, scan.offset(), segment::BEHIND);
            }
            None if after == Some(After::Damaged) => {
                self.find(Condition::Damaged, file, scan.offset(), "its writer found it damaged here");
            }
            None => {}
            // The end of the last file, or of one without a next file to state its end.
            Some(_) if next.is_none() && rest.is_empty() => {}
            Some(flaw)
                if is_last && !file.is_remade() && synced_behind(rest, chain.commit) <= chain.commit =>
            {
                self.find(Condition::Torn, file, flaw.offset, flaw.what);
            }
            Some(flaw) => self.find(Condition::Damaged, file, flaw.offset, flaw.what),
        }
        if flaw.is_none_or(|_| rest.is_empty()) && chain.segment != file.last {
            let what = format!("it ends with file {}", chain.segment);
            self.find(Condition::Damaged, file, scan.offset(), &what);
        }
        // After a flaw, the chain is known again at the header of the next file.
        self.chain = flaw.is_none().then_some(chain.clone());
        self.report.seq = chain.seq;
        self.report.head = chain.head;
        self.report.root = chain.tree.root();
        self.report.checkpoint = self.report.checkpoint.max(chain.checkpoint);
        scan.offset()
    }

    /// Returns the chain behind the header of `file`, if the header is valid.
    fn begin(&mut self, file: &Segment, scan: &mut Scan<'_>) -> Option<Chain> {
        let Ok(Some(first)) = scan.next_group() else {
            self.find(Condition::Damaged, file, 0, "a header that is not right");
            self.chain = None;
            return None;
        };
        let Mark::Header(header) = &first.mark else {
            self.find(Condition::Damaged, file, 0, "a file that does not begin with a header");
            self.chain = None;
            return None;
        };
        if header.chain != file.chain || header.segment != file.number {
            let what = format!("a header of `{}` file {}", header.chain, header.segment);
            self.find(Condition::Damaged, file, 0, &what);
        }
        if self.report.files == 1 {
            self.before = header.seq;
            if header.seq == 0 && header.commit != 1 {
                self.find(Condition::Damaged, file, 0, "a header that begins nowhere");
            }
        }
        if let Some(chain) = self.chain.take() {
            let mut before = chain;
            before.segment = header.segment.saturating_sub(1);
            if before.follow(&first).is_none() {
                self.find(Condition::Damaged, file, 0, "it does not go on where the file before ends");
            }
        }
        let chain = Chain::behind(header, first.head)?;
        if header.after == After::Damaged && self.report.files > 1 {
            self.pass_over(header.seq);
        }
        self.compare(&chain.tree);
        Some(chain)
    }

    /// Skips the numbers that a damaged file may have given: anchored records there are missing.
    fn pass_over(&mut self, seq: u64) {
        let before = self.report.seq;
        while let Some(anchor) = self.anchors.first().filter(|anchor| anchor.size < seq) {
            self.anchors = self.anchors.get(1..).unwrap_or_default();
            if anchor.size > before && !std::mem::replace(&mut self.is_forked, true) {
                let what = format!("the records behind {before} up to {} are missing", anchor.size);
                self.report.findings.push(anchor.finding(&what));
            }
        }
    }

    /// Reads the records of a valid group behind `chain`.
    fn look(&mut self, file: &Segment, chain: &Chain, group: &Group<'_>) {
        let mut tree = chain.tree.clone();
        for line in &group.lines {
            self.report.records += 1;
            if let Stored::Erased(by) = line.stored {
                self.erased.insert(line.seq, by);
            }
            let start = line.text.get(..EVENT).unwrap_or(line.text);
            if memchr::memmem::find(start, b"\"event\":\"log.").is_some() {
                self.note(file, line.text);
            }
            if self.anchors.is_empty() {
                continue;
            }
            tree.push(line.leaf);
            self.compare(&tree);
        }
    }

    /// Compares the tree at a position with the anchors of that size. Everything behind the first difference
    /// differs too, and is not reported again.
    fn compare(&mut self, tree: &Tree) {
        // In order of size: smaller anchors were passed, or cover deleted records.
        while let Some(anchor) = self.anchors.first().filter(|anchor| anchor.size <= tree.size()) {
            self.anchors = self.anchors.get(1..).unwrap_or_default();
            if anchor.size != tree.size() {
                continue;
            }
            if anchor.root == tree.root() {
                self.report.agreed = anchor.size;
            } else if !std::mem::replace(&mut self.is_forked, true) {
                let what = format!(
                    "of the records behind {} up to {} some are other ones",
                    self.report.agreed, anchor.size
                );
                self.report.findings.push(anchor.finding(&what));
            }
        }
    }

    fn note(&mut self, file: &Segment, line: &[u8]) {
        let Ok(record) = serde_json::from_slice::<Record>(line) else {
            return self.find(Condition::Damaged, file, 0, "a note of the log that cannot be read");
        };
        match record.event.as_str() {
            notes::ERASED => {
                self.erasures.insert(record.seq, merged(record.covers));
            }
            notes::DELETED => {
                let last = record.covers.iter().map(|(_, last)| *last).max();
                self.deleted = self.deleted.max(last.unwrap_or(0));
            }
            _ => {}
        }
    }

    /// Adds the findings that need the whole chain.
    fn conclude(&mut self) {
        let Some(first) = self.files.first() else { return };
        if first.number > 1 && self.deleted < self.before {
            self.find(
                Condition::Damaged,
                first,
                0,
                "files before it are missing, and no record of their deletion exists",
            );
        }
        for (seq, by) in std::mem::take(&mut self.erased) {
            let stated = self
                .erasures
                .get(&by)
                .and_then(|covers| covers.get(..covers.partition_point(|(first, _)| *first <= seq))?.last());
            if stated.is_some_and(|(_, last)| seq <= *last) {
                self.report.erased += 1;
            } else {
                let what = format!(
                    "the payload of record {seq} is missing, and record {by} does not list it as erased"
                );
                self.find(Condition::Damaged, first, 0, &what);
            }
        }
        // The last anchor is the largest.
        if let Some(anchor) = self.anchors.last().filter(|anchor| anchor.size > self.report.seq)
            && !mutant::is(Mutant::ComparesNoSize)
        {
            let what = format!("the records behind {} are missing", self.report.seq);
            self.report.findings.push(anchor.finding(&what));
        }
    }

    fn find(&mut self, condition: Condition, file: &Segment, offset: usize, what: &str) {
        let finding = Finding { condition, file: file.name(), offset: offset as u64, what: what.to_owned() };
        self.report.findings.push(finding);
    }
}

/// Whether a group with `mark`, which leads from `chain` to `next`, is allowed in `file`: headers only in
/// joined files.
fn is_next(file: &Segment, chain: &Chain, next: &Chain, mark: &Mark) -> bool {
    match mark {
        Mark::Commit(_) => true,
        Mark::Header(header) => {
            file.is_joined() && next.segment == chain.segment + 1 && header.after != After::Damaged
        }
    }
}

/// Sorts ranges and merges those that overlap. The ranges may be arbitrary, because a writer of the log can
/// record any.
fn merged(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.retain(|(first, last)| first <= last);
    ranges.sort_unstable();
    ranges.dedup_by(|next, range| {
        let overlaps = next.0 <= range.1;
        if overlaps {
            range.1 = range.1.max(next.1);
        }
        overlaps
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged_where_they_overlap() {
        let ranges = vec![(9, 9), (1, 4), (3, 6), (5, 3), (2, 2), (8, 8)];
        assert_eq!(merged(ranges), [(1, 6), (8, 8), (9, 9)]);
    }
}
