"""The tree of RFC 6962 over the records of a chain. Python 3, standard library only."""

import hashlib


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


class Tree:
    """RFC 6962: the roots of the perfect subtrees, the largest first."""

    def __init__(self, size=0, roots=()):
        self.size, self.roots = size, list(roots)

    def push(self, leaf, level=0):
        size = self.size >> level
        while size & 1:
            leaf = sha256(b"\x01", self.roots.pop(), leaf)
            size >>= 1
        self.roots.append(leaf)
        self.size += 1 << level

    def skip(self, count):
        """Adds leaves of zeros, which stand for no record."""
        voids = [bytes(32)]
        while count:
            level = min((self.size & -self.size or count).bit_length(), count.bit_length()) - 1
            while len(voids) <= level:
                voids.append(sha256(b"\x01", voids[-1], voids[-1]))
            self.push(voids[level], level)
            count -= 1 << level

    def root(self):
        if not self.roots:
            return sha256()
        root = self.roots[-1]
        for left in reversed(self.roots[:-1]):
            root = sha256(b"\x01", left, root)
        return root
