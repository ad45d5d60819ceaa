"""Checks an audit log: a second opinion, which shares no code with what writes it. Python 3, standard library only.

    python3 audit.py FOLDER [--anchor "CHAIN RECORDS ROOT"]... [--checkpoints FOLDER [--key KEY]...]

KEY is a verifier, or a file with one or with a first key. Prints an anchor for each chain, and what is wrong. Exit status: 0 clean, 1 torn, 3 damaged, 4 not what was anchored;
2 the command line is wrong or the log cannot be read. What the lines mean is in docs/audit.md.
"""

import json
import os
import re
import sys

import files
import notes
from tree import Tree, sha256

CLEAN, TORN, DAMAGED, MISMATCHED = 0, 1, 3, 4
MARK_END = re.compile(rb',"sum":"([0-9a-f]{16})","head":"([0-9a-f]{64})"\}')
RECORD = re.compile(rb'\{"seq":(0|[1-9][0-9]*),.*\}', re.DOTALL)
PAYLOAD = re.compile(rb',"payload":"([0-9a-f]{64})"\}')
STORED = re.compile(rb'\{"p":(0|[1-9][0-9]*),"salt":"([0-9a-f]{32})","data":(.*)\}', re.DOTALL)
COMMIT = {"c": int, "n": int, "seq": int, "synced": int, "t": int}
HEADER = {"v": int, "hash": str, "chain": str, "segment": int, "c": int, "seq": int, "t": int, "after": str,
          "range": list, "prev": str}
ERASED = re.compile(rb'\{"p":(0|[1-9][0-9]*),"erased":(0|[1-9][0-9]*)\}')


class Flaw(Exception):
    """Where something is wrong, and what it is."""


def lines(data, offset):
    """The whole lines from `offset` on, with where they begin and end."""
    while (end := data.find(b"\n", offset)) >= 0:
        yield offset, data[offset:end], end + 1
        offset = end + 1
    raise Flaw(offset, "a group without an end")


def is_mark(line):
    return line.startswith((b'{"c":', b'{"v":'))


def read_mark(line, leaves):
    """The fields of a mark, and its body, if its sum is right."""
    end = MARK_END.fullmatch(line[-100:])
    if not end:
        return None
    body = sha256(*leaves, line[:-100])
    if body[:8].hex().encode() != end[1]:
        return None
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    wanted = HEADER if "v" in fields else COMMIT
    if any(type(fields.get(name)) is not kind for name, kind in wanted.items()):
        return None
    return fields, body, bytes.fromhex(end[2].decode())


def read_group(data, offset):
    """The records and the mark of a group: (records, fields, body, head, end)."""
    records, source = [], lines(data, offset)
    for start, line, end in source:
        if is_mark(line):
            mark = read_mark(line, [record[1] for record in records])
            if mark is None or mark[0].get("n", 0) != len(records):
                raise Flaw(start, "a mark that is not right")
            return records, *mark, end
        match = RECORD.fullmatch(line)
        if not match:
            raise Flaw(start, "a line that is no record")
        seq, digest, erased = int(match[1]), PAYLOAD.search(line, max(0, len(line) - 78)), None
        if digest and digest.end() == len(line):
            start, beside, end = next(source)
            stored, gone = STORED.fullmatch(beside), ERASED.fullmatch(beside)
            if gone and int(gone[1]) == seq:
                erased = int(gone[2])
            elif not (stored and int(stored[1]) == seq
                      and sha256(bytes.fromhex(stored[2].decode()), stored[3]).hex().encode() == digest[1]):
                raise Flaw(start, "a payload that is not that of its record")
        records.append((seq, sha256(b"\x00", line), line, erased))
    raise Flaw(offset, "a group without an end")


def synced_behind(rest):
    """The last mark that an intact mark in `rest` says to have been written through."""
    most, seen = 0, []
    for line in rest.split(b"\n")[:-1]:
        if is_mark(line):
            count = re.match(rb'\{"c":\d+,"n":(\d+),', line)
            wanted = int(count[1]) if count else 0
            mark = read_mark(line, seen[len(seen) - wanted:]) if wanted <= len(seen) else None
            if mark:
                most = max(most, mark[0].get("synced", mark[0]["c"] - 1))
            seen = []
        elif not line.startswith(b'{"p":'):
            seen.append(sha256(b"\x00", line))
    return most


class Chain:
    """The check of one chain."""

    def __init__(self, name, anchors):
        self.name, self.anchors, self.findings = name, anchors, []
        self.tree, self.head, self.commit, self.known = Tree(), bytes(32), 0, True
        self.erased, self.erasures, self.deleted, self.before, self.checkpoint = {}, {}, 0, 0, None

    def find(self, status, file, offset, what):
        self.findings.append((status, f"`{file}`, byte {offset}: {what}"))

    def says(self, fields):
        """How many records the last checkpoint is over that the chain says was made."""
        if fields.get("checkpoint") is not None:
            self.checkpoint = max(self.checkpoint or 0, fields["checkpoint"])

    def begin(self, file, number, data, is_first):
        records, fields, body, head, end = read_group(data, 0)
        if fields.get("v") != 1 or fields.get("hash") != "sha256" or records:
            raise Flaw(0, "no header")
        if fields["chain"] != self.name or fields["segment"] != number:
            self.find(DAMAGED, file, 0, "a header of another file")
        prev = bytes.fromhex(fields["prev"])
        roots = [bytes.fromhex(root) for root in fields["range"]]
        if sha256(b"\x02", prev, body) != head or len(roots) != bin(fields["seq"]).count("1"):
            raise Flaw(0, "a header that is not right")
        if is_first:
            self.before = fields["seq"]
        elif fields["after"] == "damaged" and fields["seq"] > self.tree.size:
            # Numbers that a damaged file may have given are not given again.
            for size, _ in self.anchors:
                if self.tree.size < size < fields["seq"]:
                    self.find(MISMATCHED, self.name, 0, f"records are missing: {size} were anchored")
            self.tree.skip(fields["seq"] - self.tree.size)
        if not is_first and self.known and (prev, fields["c"], roots) != (self.head, self.commit + 1, self.tree.roots):
            self.find(DAMAGED, file, 0, "it does not go on where the file before ends")
        self.tree, self.head, self.commit = Tree(fields["seq"], roots), head, fields["c"]
        self.says(fields)
        return end

    def follow(self, group, offset):
        records, fields, body, head, _ = group
        if "v" in fields or sha256(b"\x02", self.head, body) != head or fields["c"] != self.commit + 1:
            raise Flaw(offset, "a group that is not the next one")
        for number, (seq, _, _, _) in enumerate(records, self.tree.size + 1):
            if seq != number:
                raise Flaw(offset, "records that are not the next ones")
        if fields["seq"] != self.tree.size + len(records):
            raise Flaw(offset, "a mark of other records")
        for seq, leaf, line, erased in records:
            self.tree.push(leaf)
            if erased is not None:
                self.erased[seq] = erased
            if b'"event":"log.' in line[:100]:
                self.note(json.loads(line))
            for size, root in self.anchors:
                if size == seq and root != self.tree.root().hex():
                    self.find(MISMATCHED, self.name, 0, f"record {seq} is not the one that was anchored")
        self.head, self.commit = head, fields["c"]
        self.says(fields)

    def go_on(self, group, offset, number):
        """Takes the header of the next file where files were joined; whether it is one."""
        _, fields, body, head, _ = group
        if "v" not in fields:
            return False
        place = fields["chain"], fields["segment"], bytes.fromhex(fields["prev"]), fields["c"], fields["seq"]
        roots = [bytes.fromhex(root) for root in fields["range"]]
        wanted = self.name, number, self.head, self.commit + 1, self.tree.size
        is_right = (place, roots) == (wanted, self.tree.roots) and fields["after"] != "damaged"
        if not is_right or fields["v"] != 1 or fields["hash"] != "sha256" or sha256(b"\x02", self.head, body) != head:
            raise Flaw(offset, "a group that is not the next one")
        self.head, self.commit = head, fields["c"]
        self.says(fields)
        return True

    def note(self, record):
        if record["event"] == "log.erased":
            self.erasures[record["seq"]] = record.get("covers", [])
        elif record["event"] == "log.deleted":
            self.deleted = max([self.deleted] + [last for _, last in record.get("covers", [])])

    def check(self, file, data, following, is_first, is_last):
        """Checks a file; how many bytes of it count, and where each of the files in it begins."""
        number, starts = file.first, {file.first: 0}
        try:
            offset = self.begin(file.name, number, data, is_first)
        except Flaw as flaw:
            self.known = False
            self.find(DAMAGED, file.name, *flaw.args)
            return 0, {}
        self.known, ends = True, following["c"] - 1 if following else None
        while ends is None or self.commit != ends:
            if following is None and offset == len(data):
                break
            try:
                group = read_group(data, offset)
                if file.joined and self.go_on(group, offset, number + 1):
                    number += 1
                    starts[number] = offset
                else:
                    self.follow(group, offset)
                offset = group[4]
            except Flaw as flaw:
                self.known = False
                torn = is_last and not file.remade and synced_behind(data[offset:]) <= self.commit
                self.find(TORN if torn else DAMAGED, file.name, *flaw.args)
                return offset, starts
        if following and offset != len(data) and (following["after"] == "sealed" or file.remade):
            self.find(DAMAGED, file.name, offset, files.BEHIND)
        elif following and following["after"] == "damaged":
            self.find(DAMAGED, file.name, offset, "its writer found it damaged here")
        if number != file.last:
            self.find(DAMAGED, file.name, offset, f"it ends with file {number}")
        return offset, starts

    def compare(self, folder, other, data, starts):
        """Compares a file that an interrupted writer leaves with the one that counts in its place."""
        theirs, _ = files.load(folder, other)
        start = starts.get(other.first)
        part = None if start is None else data[start:starts.get(other.last + 1, len(data))]
        if theirs is None or part is None or (theirs != part if other.remade else not theirs.startswith(part)):
            self.find(DAMAGED, other.name, 0, "it has other records than the file that counts")

    def conclude(self, first):
        if first > 1 and self.deleted < self.before:
            self.find(DAMAGED, self.name, 0, "files are missing, and no record says that they were deleted")
        for seq, by in self.erased.items():
            if not any(a <= seq <= b for a, b in self.erasures.get(by, [])):
                self.find(DAMAGED, self.name, 0, f"the payload of record {seq} is gone, and no record says so")
        for size, _ in self.anchors:
            if size > self.tree.size:
                self.find(MISMATCHED, self.name, 0, f"records are missing at the end: {size} were anchored")


def header(lines):
    """The fields of the header of the next file; None where it has none that is right."""
    try:
        fields = read_group(lines or b"", 0)[1]
    except Flaw:
        return None
    return fields if "v" in fields else None


def verify(folder, anchors, findings, is_compared):
    chains, beside = files.listed(folder)
    for name in anchors:
        if name not in chains:
            findings.append((MISMATCHED, f"`{name}`: the chain is missing"))
    for name, counting in sorted(chains.items()):
        chain, loaded = Chain(name, anchors.get(name, [])), files.load(folder, counting[0])
        for index, file in enumerate(counting):
            (data, wrong), loaded, following = loaded, None, None
            if index + 1 < len(counting):
                loaded = files.load(folder, counting[index + 1])
                following = header(loaded[0]) if counting[index + 1].first == file.last + 1 else None
            if index and counting[index - 1].last + 1 != file.first:
                chain.known = False
                chain.find(DAMAGED, file.name, 0, "the file before it is missing")
            if wrong:
                chain.known = False
                chain.find(DAMAGED, file.name, 0, wrong)
                continue
            end, starts = chain.check(file, data, following, not index, index + 1 == len(counting))
            for other in beside.get(name, []):
                if file.first <= other.first <= file.last:
                    chain.compare(folder, other, data[:end], starts)
        chain.conclude(counting[0].first)
        if is_compared and chain.checkpoint is not None:
            last = max([size for size, _ in anchors.get(name, [])], default=0)
            if chain.checkpoint > last:
                chain.find(MISMATCHED, name, 0, f"a checkpoint over {chain.checkpoint} records was made, and is missing")
            elif not last and chain.tree.size:
                chain.find(TORN, name, 0, "checkpoints are made of it, and there is none")
        print(name, chain.tree.size, chain.tree.root().hex())
        findings += chain.findings
    for status, what in findings:
        print({TORN: "torn", DAMAGED: "damaged", MISMATCHED: "mismatched"}[status] + ": " + what, file=sys.stderr)
    return max([status for status, _ in findings], default=CLEAN)


def main(arguments):
    folder = arguments[0] if arguments else ""
    if not os.path.isdir(folder):
        print(__doc__, file=sys.stderr)
        return 2
    anchors, findings, rest, given = {}, [], arguments[1:], {"--anchor": [], "--checkpoints": [], "--key": []}
    while rest:
        words = rest[1].split() if len(rest) > 1 else []
        if rest[0] not in given or not words or (rest[0] == "--anchor" and len(words) != 3):
            print(__doc__, file=sys.stderr)
            return 2
        given[rest[0]].append(rest[1])
        rest = rest[2:]
    anchored = [words.split() for words in given["--anchor"]]
    keys = notes.Keys(open(key).read() if os.path.isfile(key) else key for key in given["--key"])
    for place in given["--checkpoints"]:
        said, found = notes.collect(place, keys)
        findings += found
        anchored += [head[2:] for head in said if not head[0] or head[1] == os.path.basename(os.path.realpath(folder))]
    for chain, size, root in anchored:
        anchors.setdefault(chain, []).append((int(size), root))
    return verify(folder, anchors, findings, bool(given["--checkpoints"]))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(print(error, file=sys.stderr) or 2)
