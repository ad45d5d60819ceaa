"""Lists the files of an audit log and reads them. Python 3, standard library only.

A file is `CHAIN.NUMBER.jsonl`, with `.gz` behind it where it was compressed and `damaged.` before `jsonl` where it was moved
aside. One that several were joined into is `CHAIN.FIRST-LAST.jsonl`.
"""

import os
import re
import stat
import zlib

MOST = 1 << 30
FILE = re.compile(r"([a-z0-9-]{1,64})\.([0-9]{8,20})(?:-([0-9]{8,20}))?\.(jsonl|damaged\.jsonl|jsonl\.gz)")
STATES = ["jsonl", "damaged.jsonl", "jsonl.gz"]
BEHIND = "something was added behind its end"


class File:
    def __init__(self, name, match):
        self.name, self.chain, self.state = name, match[1], STATES.index(match[4])
        self.first, self.last = int(match[2]), int(match[3] or match[2])
        self.joined = match[3] is not None
        # Made anew from what counts: no writer can have been interrupted in it.
        self.remade = self.joined or self.state == 2
        number = f"{self.first:08}-{self.last:08}" if self.joined else f"{self.first:08}"
        is_in_order = 0 < self.first < self.last if self.joined else 0 < self.first
        self.is_right = is_in_order and self.last < 1 << 64 and name == f"{self.chain}.{number}.{match[4]}"


def listed(folder):
    """The files that count, and those all of whose numbers one that counts has, by chain."""
    files = [File(name, match) for name in os.listdir(folder) if (match := FILE.fullmatch(name))]
    files = sorted((file for file in files if file.is_right), key=lambda f: (f.chain, f.first, -f.last, f.state))
    counting, beside = {}, {}
    for file in files:
        before = counting.setdefault(file.chain, [])
        if before and file.last <= before[-1].last:
            beside.setdefault(file.chain, []).append(file)
        else:
            before.append(file)
    return counting, beside


def kind(mode):
    kinds = [(stat.S_ISLNK, "a symbolic link"), (stat.S_ISDIR, "a directory"), (stat.S_ISREG, None)]
    return next((name for test, name in kinds if test(mode)), "a special file")


def load(folder, file):
    """The lines of a file, or None and what is wrong with it."""
    path = os.path.join(folder, file.name)
    other = kind(os.lstat(path).st_mode)
    if other:
        return None, f"{other} stands in its place"
    with open(path, "rb") as source:
        data = source.read(MOST + 1)
    if file.state == 2 and len(data) <= MOST:
        unzip = zlib.decompressobj(31)
        try:
            lines = unzip.decompress(data, MOST + 1)
        except zlib.error:
            return None, "it cannot be decompressed"
        if len(lines) <= MOST and not unzip.eof:
            return None, "it cannot be decompressed"
        if unzip.unused_data:
            return None, BEHIND
        data = lines
    return (None, "it is larger than any file of a log") if len(data) > MOST else (data, None)
