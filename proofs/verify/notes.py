"""Reads the checkpoints of an audit log, and checks who vouches for them. Python 3, standard library only.

A checkpoint is a signed note: a text, a blank line, and lines `— NAME base64(4 bytes that name the key, signature)`. The
text is an origin, a number of leaves, the root as base64, and for many chains a line `LOG CHAIN RECORDS ROOT` each.
"""

import base64
import binascii
import hashlib
import hmac
import os
import re

TORN, MISMATCHED = 1, 4
NUMBER = r"(0|[1-9][0-9]*)"
BODY = re.compile(rf"([^\n]+)\n{NUMBER}\n([A-Za-z0-9+/]{{43}}=)\n((?:[^\n]+\n)*)")
LINE = re.compile(r"\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)")
HEAD = re.compile(rf"([^\s+]+) ([a-z0-9-]{{1,64}}) {NUMBER} ([A-Za-z0-9+/]{{43}}=)")
SUM, MAC = b"\xffhooks-audit/sum-sha256", b"\xffhooks-audit/evolving-hmac-sha256"

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    """The sum of two points of the curve, in extended coordinates (RFC 8032, 5.1.4)."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def point(encoded):
    y, sign = int.from_bytes(encoded, "little"), encoded[31] >> 7
    y &= (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed(key, text, signature):
    """Whether Ed25519 says so."""
    public, nonce, scalar = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if public is None or nonce is None or scalar >= L:
        return False
    challenge = hashlib.sha512(signature[:32] + key + text).digest()
    left, right = times(scalar, BASE), add(nonce, times(int.from_bytes(challenge, "little") % L, public))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def mac(key, text):
    return hmac.new(key, text, hashlib.sha256).digest()


def key_id(name, key):
    return hashlib.sha256(name.encode() + b"\n" + key).digest()[:4]


def unbase64(text):
    try:
        decoded = base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""
    return decoded if base64.b64encode(decoded).decode() == text else b""


class Keys:
    """Whose checkpoints are believed: verifiers, and first keys of evolving ones."""

    def __init__(self, texts):
        self.public, self.first = {}, {}
        for text in texts:
            rest = text.strip().removeprefix("MAC+KEY+")
            name, _, key = rest.split("+", 2)
            key, kind = unbase64(key), self.public
            own = key
            if rest != text.strip():
                kind, own = self.first, MAC + mac(key, b"identify")
            kind[name, key_id(name, own)] = key

    def worth(self, text, lines):
        """The name of who vouches, (name, id, number) of an evolving key, or what is wrong: (status, what)."""
        wrong = (MISMATCHED, "nobody signed it")
        for name, ident, signature in lines:
            is_sum = ident == key_id(name, SUM)
            if (name, ident) in self.public:
                if len(signature) != 64:
                    return TORN, "a part of a checkpoint"
                right = signed(self.public[name, ident][1:], text, signature)
                return name if right else (MISMATCHED, "its signature is wrong")
            if (name, ident) in self.first:
                if len(signature) != 40:
                    return TORN, "a part of a checkpoint"
                return name, ident, int.from_bytes(signature[:8], "big")
            if is_sum and len(signature) != 32:
                return TORN, "a part of a checkpoint"
            if is_sum and hashlib.sha256(text).digest() != signature:
                return MISMATCHED, "its sum is wrong"
            if not self.public and not self.first:
                wrong = name
            elif not is_sum:
                wrong = (MISMATCHED, "its key is not known")
        return wrong


def notes(data):
    """The notes in a file: (offset, text, lines), or (offset, None, None) for what is none."""
    lines, at, offset = data.split(b"\n"), 0, 0
    last = len(lines) - 1
    while at <= last:
        start, begin = offset, at
        if not lines[at]:
            offset, at = offset + 1, at + 1
            continue
        while at < last and lines[at]:
            offset, at = offset + len(lines[at]) + 1, at + 1
        blank = at
        if at < last:
            offset, at = offset + 1, at + 1
            while at < last and lines[at].startswith(b"\xe2\x80\x94 "):
                offset, at = offset + len(lines[at]) + 1, at + 1
        else:
            yield start, None, None
            return
        try:
            text = b"".join(line + b"\n" for line in lines[begin:blank]).decode()
            below = [LINE.fullmatch(line.decode()) for line in lines[blank + 1:at]]
        except UnicodeDecodeError:
            yield start, None, None
            continue
        parts = [(line[1], unbase64(line[2])) for line in below if line]
        whole = below and len(parts) == len(below) <= 64 and all(len(part[1]) > 4 for part in parts)
        is_plain = not any(ord(char) < 32 and char != "\n" for char in text)
        lines_read = [(name, part[:4], part[4:]) for name, part in parts]
        yield (start, text, lines_read) if whole and is_plain and BODY.fullmatch(text) else (start, None, None)


def tree(leaves):
    """The root of RFC 6962 over some lines."""
    level = [hashlib.sha256(b"\x00" + leaf.encode()).digest() for leaf in leaves]
    while len(level) > 1:
        pairs = [level[i:i + 2] for i in range(0, len(level), 2)]
        level = [hashlib.sha256(b"\x01" + b"".join(pair)).digest() if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0] if level else hashlib.sha256().digest()


def heads(origin, size, root, extensions):
    """What a text says of chains: [(log, chain, records, root)], or None."""
    log, _, chain = origin.rpartition("/")
    if chain == "fleet" and extensions:
        found = [HEAD.fullmatch(line) for line in extensions]
        if not all(found) or len(found) != size or tree(extensions) != root:
            return None
        return [(head[1], head[2], int(head[3]), unbase64(head[4]).hex()) for head in found]
    return [(log, chain, size, root.hex())] if log and re.fullmatch("[a-z0-9-]{1,64}", chain) else None


def evolve(keys, sealed, find):
    """Goes through the keys that came from each first one; gives what they made."""
    for (name, ident), key in keys.first.items():
        index, expected, before = 0, 0, None
        for number, text, signatures, place in sorted(sealed.get((name, ident), []), key=lambda made: made[:2]):
            if (number, text, signatures) == before:
                continue
            before = number, text, signatures
            if number - index > 1 << 24:
                find(MISMATCHED, place, "those before it are missing")
                continue
            while index < number:
                key, index = mac(key, b"evolve"), index + 1
            if (name, ident, number.to_bytes(8, "big") + mac(key, b"seal\n" + text)) not in signatures:
                find(MISMATCHED, place, "its signature is wrong")
            else:
                if number != expected:
                    find(MISMATCHED, place, f"the checkpoint behind number {expected - 1} has number {number}")
                yield place, name, text.decode()
            expected = number + 1


def collect(folder, keys):
    """What is said: [(is_fleet, log, chain, records, root)], and what is wrong: [(status, what)]."""
    findings, sealed, believed = [], {}, []

    def find(status, place, what):
        findings.append((status, f"`{place[0]}`, byte {place[1]}: {what}"))

    for name in sorted(name for name in os.listdir(folder) if name.endswith(".checkpoints")):
        with open(os.path.join(folder, name), "rb") as file:
            data, before = file.read(), None
        for offset, text, lines in notes(data):
            place = name, offset
            if text is None:
                find(TORN, place, "a part of a checkpoint")
                continue
            if (text, lines) == before:
                continue
            before, worth = (text, lines), keys.worth(text.encode(), lines)
            if isinstance(worth, str):
                believed.append((place, worth, text))
            elif len(worth) == 3:
                sealed.setdefault(worth[:2], []).append((worth[2], text.encode(), lines, place))
            else:
                find(worth[0], place, worth[1])
    believed = sorted(believed + list(evolve(keys, sealed, find)))
    said, largest = [], {}
    for place, name, text in believed:
        origin, size, root, rest = BODY.fullmatch(text).groups()
        found = heads(origin, int(size), unbase64(root), rest.splitlines())
        if found is None or origin.rpartition("/")[0] != name:
            find(MISMATCHED, place, "it is about something else")
            continue
        is_fleet = bool(rest)
        for log, chain, records, digest in found:
            key = is_fleet, log, chain
            if records < largest.get(key, 0):
                find(MISMATCHED, place, "an older checkpoint behind a newer one")
            largest[key] = records
            said.append((is_fleet, log, chain, records, digest))
        if is_fleet:
            logs, there = {head[0] for head in found}, {head[:2] for head in found}
            if any(key[0] and key[1] in logs and key[1:] not in there for key in largest):
                find(MISMATCHED, place, "a chain is missing that was there before")
    if not believed:
        find(MISMATCHED, (folder, 0), "there is no checkpoint that is believed")
    return said, findings
