"""Decides the calls of a signed audit log again: a second opinion on the decisions. Python 3, standard library only.

    python3 replay.py LOG RULES [--checkpoints FOLDER --key VERIFIER]

It shares no code with `hooks`. It checks the hashes of the log, and with a verifier (or a file with one) the signed
checkpoints. Then it judges each tool call by RULES, a `hooks.yaml` with these sections only: `write_guard` and `read_guard`
(allow, deny, except), `command_guard` (block), `limits` (calls per session) and `rules` (tools, agents, paths, commands).
A call or a rule beyond that is not guessed: it is reported as not known.

Exit status: 0 each decision is the one in the log, 1 a decision differs or is not known, 2 the command line is wrong or a
file cannot be read, 3 the log was changed, or is not what was signed.
"""

import base64
import gzip
import hashlib
import json
import os
import re
import shlex
import sys

STRENGTH = NOTHING, ALLOW, ASK, DENY = "no_opinion", "allow", "ask", "deny"


class Changed(Exception):
    """The log is not as it was written."""


class Unknown(Exception):
    """Something that this program does not know."""


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()



FILE = re.compile(r"([a-z0-9-]+)\.([0-9]{8})(?:-[0-9]{8})?\.jsonl(\.gz)?")
END = re.compile(rb',"sum":"([0-9a-f]{16})","head":"([0-9a-f]{64})"\}')
PAYLOAD = re.compile(rb'\{"p":([0-9]+),"salt":"([0-9a-f]{32})","data":(.*)\}', re.DOTALL)


def chains(folder):
    """The bytes of each chain, its files in order."""
    found = {}
    for name in sorted(os.listdir(folder)):
        match = FILE.fullmatch(name)
        if match:
            with (gzip.open if match[3] else open)(os.path.join(folder, name), "rb") as file:
                found.setdefault(match[1], []).append(file.read())
    return found


def records(name, files):
    """Checks a chain. Returns its records with their payloads, and the hash of each line."""
    read, leaves, head, commit = [], [], bytes(32), 0
    for data in files:
        group, hashes, lines, rest = [], [], iter(data.split(b"\n")), b""
        for rest in lines:
            line = rest
            if not line.startswith((b'{"c":', b'{"v":')):
                if line:
                    read_record(name, line, lines, group, hashes)
                continue
            end, fields = END.fullmatch(line[-100:]), json.loads(line)
            body = sha256(*hashes, line[:-100])
            if not end or body[:8].hex().encode() != end[1]:
                raise Changed(f"{name}: mark {fields.get('c')} does not have the hash of its records")
            if sha256(b"\x02", head, body).hex().encode() != end[2] or fields["c"] != commit + 1:
                raise Changed(f"{name}: mark {fields['c']} does not follow the one before")
            if fields["seq"] != len(leaves) + len(group) or fields.get("n", 0) != len(group):
                raise Changed(f"{name}: mark {fields['c']} has another number of records")
            read, leaves = read + group, leaves + hashes
            head, commit, group, hashes = bytes.fromhex(end[2].decode()), fields["c"], [], []
        if group or rest:
            raise Changed(f"{name}: it ends within a record")
    return read, leaves


def read_record(name, line, lines, group, hashes):
    record, payload = json.loads(line), None
    if "payload" in record:
        beside = next(lines, b"")
        match = PAYLOAD.fullmatch(beside)
        if match:
            payload = json.loads(match[3])
            if sha256(bytes.fromhex(match[2].decode()), match[3]).hex() != record["payload"]:
                raise Changed(f"{name}: the payload of record {record['seq']} is another one")
        elif not beside.startswith(b'{"p":%d,"erased":' % record["seq"]):
            raise Changed(f"{name}: the payload of record {record['seq']} is missing")
    group.append((name, record, payload))
    hashes.append(sha256(b"\x00", line))


def root(leaves):
    """The root of RFC 6962."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01", root(leaves[:half]), root(leaves[half:]))


# Ed25519 (RFC 8032), with which checkpoints are signed.
P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    for bit in f"{scalar:b}":
        result = add(result, result)
        result = add(result, point) if bit == "1" else result
    return result


def point(encoded):
    number = int.from_bytes(encoded, "little")
    y, sign = number % 2**255, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square:
        raise Changed("a signature that is none")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def is_signed(key, text, signature):
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little")
    left = times(int.from_bytes(signature[32:], "little"), point((4 * pow(5, -1, P) % P).to_bytes(32, "little")))
    right = add(point(signature[:32]), times(challenge, point(key)))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def checkpoints(folder, verifier):
    """What was signed: (chain, number of records, root)."""
    (name, _, key), found = verifier.strip().split("+", 2), []
    key = base64.b64decode(key)[1:]
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".checkpoints"):
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as text:
            notes = re.findall(r"((?:[^\n]+\n)+)\n((?:\u2014 [^\n]+\n)+)", text.read())
        for text, lines in notes:
            signatures = [line.split(" ")[1:] for line in lines.splitlines()]
            ours = [base64.b64decode(signature)[4:] for signer, signature in signatures if signer == name]
            if not any(len(one) == 64 and is_signed(key, text.encode(), one) for one in ours):
                raise Changed(f"`{file}` has a checkpoint that `{name}` did not sign")
            origin, size, digest, *heads = text.splitlines()
            heads = [head.split(" ")[1:] for head in heads] or [[origin.rpartition("/")[2], size, digest]]
            found += [(chain, int(count), base64.b64decode(head)) for chain, count, head in heads]
    if not found:
        raise Changed(f"`{folder}` has no checkpoint")
    return found


def scalar(text):
    if text.startswith(("'", '"')):
        return json.loads(text) if text[0] == '"' else text[1:-1].replace("''", "'")
    if re.fullmatch("-?[0-9]+", text):
        return int(text)
    return {"true": True, "false": False, "null": None, "": None}.get(text, text)


def flow(text, at):
    """Reads a value in flow style from `at` on; returns it, and where it ends."""
    at += len(text[at:]) - len(text[at:].lstrip())
    if text[at] in "[{":
        is_map, value, at = text[at] == "{", {} if text[at] == "{" else [], at + 1
        while text[at:].lstrip()[0] not in "]}":
            item, at = flow(text, at)
            if is_map:
                value[item], at = flow(text, at + 1)
            else:
                value.append(item)
            at += len(text[at:]) - len(text[at:].lstrip())
            at += text[at] == ","
        return value, text.index("}" if is_map else "]", at) + 1
    word = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^,\]}:]*(?::(?! )[^,\]}:]*)*").match(text, at)
    return scalar(word[0].strip()), word.end()


def block(lines, indent):
    """Reads the value whose lines have this indent, and takes them away."""
    value = [] if lines[0][1].startswith("- ") else {}
    while lines and lines[0][0] == indent:
        text = lines.pop(0)[1]
        if isinstance(value, list):
            inner = text[2:].lstrip()
            if re.match(r"[\w-]+:( |$)", inner):
                deeper = indent + len(text) - len(inner)
                lines.insert(0, (deeper, inner))
                value.append(block(lines, deeper))
            else:
                value.append(flow(inner, 0)[0] if inner[:1] in ("[", "{") else scalar(inner))
            continue
        key, _, rest = text.partition(":")
        if not rest.strip() and lines and (lines[0][0] > indent or lines[0][1].startswith("- ")):
            value[key] = block(lines, lines[0][0])
        else:
            rest = rest.strip()
            value[key] = flow(rest, 0)[0] if rest[:1] in ("[", "{") else scalar(rest)
    return value


def yaml(text):
    """A YAML of maps, lists, and values on one line."""
    lines = [re.sub(r"(^|\s)#[^'\"]*$", "", line).rstrip() for line in text.splitlines()]
    return block([(len(line) - len(line.lstrip()), line.strip()) for line in lines if line.strip()], 0)


READS, WRITES, OTHERS = {"read"}, {"write", "edit"}, {"webfetch", "askuserquestion"}
READERS, WRITERS, PLAIN = {"cat", "sort"}, {"rm", "touch"}, {"echo", "git", "npm", "cargo", "make", "true"}
OPTIONS = {"rm": {"--recursive": "-r", "--force": "-f", "-R": "-r"}, "git": {"-f": "--force"}}
BUNDLED = {"rm", "cat", "sort"}


def words(command):
    """The commands of a shell text that only joins plain words by `&&`, `||`, `;` and `|`."""
    if re.search(r"[$`<>(){}*?\[\]~\n\\!#]|(?<!&)&(?!&)", command):
        raise Unknown("a command that is more than words")
    lexer, found = shlex.shlex(command, posix=True, punctuation_chars=True), [[]]
    lexer.whitespace_split = True
    for word in lexer:
        if word in ("&&", "||", ";", "|"):
            found.append([])
        else:
            found[-1].append(word)
    return [one for one in found if one]


def parse(argv):
    """Program, operands and options of a command."""
    program, operands, options = argv[0], [], set()
    if program not in READERS | WRITERS | PLAIN:
        raise Unknown(f"the program `{program}`")
    for word in argv[1:]:
        if not word.startswith("-"):
            operands.append(word)
        elif program == "git" and not operands or "=" in word:
            raise Unknown(f"the option `{word}` of `{program}`")
        else:
            parts = ["-" + letter for letter in word[1:]] if program in BUNDLED and word[1] != "-" else [word]
            options |= {OPTIONS.get(program, {}).get(part, part) for part in parts}
    return program, operands, options


def matches(pattern, argv):
    program, operands, options = parse(argv)
    wanted, first, needed = parse(pattern.split())
    return program == wanted and operands[: len(first)] == first and needed <= options


def facts(tool, arguments):
    """Files that a call reads, files that it writes, and its commands."""
    kind = tool.lower()
    if kind in READS:
        return [arguments["file_path"]], [], []
    if kind in WRITES:
        return [], [arguments["file_path"]], []
    if kind in OTHERS:
        return [], [], []
    if kind != "bash":
        raise Unknown(f"the tool `{tool}`")
    commands = words(arguments["command"])
    parsed = [parse(argv) for argv in commands]
    of = lambda programs: [file for program, files, _ in parsed if program in programs for file in files]
    return of(READERS), of(WRITERS), commands


def glob(pattern, path, top):
    """Whether a pattern matches a path. `top` is the folder of the rules."""
    if not pattern.startswith(("/", "**/")):
        pattern = os.path.join(top, pattern)
    parts = re.split(r"(\*\*/|/\*\*$|\*|\?)", pattern)
    into = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(into.get(part, re.escape(part)) for part in parts), path, re.DOTALL) is not None


def is_named(names, name):
    return any(re.fullmatch(re.escape(one.lower()).replace(r"\*", ".*"), name.lower()) for one in names)


KNOWN = {"write_guard": {"allow", "deny"}, "read_guard": {"deny", "except"}, "command_guard": {"block"},
         "limits": {"calls"}, "version": None, "audit": None, "store": None, "rules": None}


class Rules:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.sections = yaml(file.read())
        self.top, self.counts = os.path.dirname(os.path.realpath(path)), {}
        for name, section in self.sections.items():
            lacks = name == "write_guard" and "allow" not in section
            if name not in KNOWN or lacks or (KNOWN[name] and not set(section) <= KNOWN[name]):
                raise Unknown(f"the section `{name}` with {section}")
        for rule in self.sections.get("rules", []):
            beyond = set(rule) - {"name", "action", "tools", "agents", "paths", "commands", "reason"}
            if beyond or (rule.get("action") == ALLOW and ("commands" in rule or "paths" in rule)):
                raise Unknown(f"the rule {rule}")

    def decide(self, record, payload):
        event = payload["event"]
        base, session, agent = payload["cwd"], record.get("session", ""), record.get("agent", "")
        read, written, commands = facts(event["tool_name"], event["tool_args"])
        read, written = ([os.path.normpath(os.path.join(base, file)) for file in files] for files in (read, written))
        answers = [self.guards(event["tool_name"], read, written, commands)]
        for rule in self.sections.get("rules", []):
            holds = [
                "tools" not in rule or is_named(rule["tools"], event["tool_name"]),
                "agents" not in rule or is_named(rule["agents"], agent),
                "paths" not in rule or self.any(rule["paths"], read + written),
                "commands" not in rule or any(matches(one, argv) for one in rule["commands"] for argv in commands),
            ]
            answers.append(rule.get("action", DENY) if all(holds) else NOTHING)
        answer = max(answers, key=STRENGTH.index)
        return DENY if answer != DENY and self.is_spent(event["tool_name"], session, agent) else answer

    def any(self, patterns, files):
        return any(glob(one, file, self.top) for one in patterns for file in files)

    def guards(self, tool, read, written, commands):
        writing, reading = self.sections.get("write_guard"), self.sections.get("read_guard", {})
        blocked = self.sections.get("command_guard", {}).get("block", [])
        guarded = [file for file in read if not self.any(reading.get("except", []), [file])]
        is_blocked = any(matches(one, argv) for one in blocked for argv in commands)
        if is_blocked or self.any(reading.get("deny", []), guarded):
            return DENY
        if not writing or not written:
            return NOTHING
        for file in written:
            if self.any(writing.get("deny", []), [file]) or not self.any(writing["allow"], [file]):
                return DENY
        return NOTHING if commands else ALLOW

    def is_spent(self, tool, session, agent):
        """Counts a call. Whether a limit was used up, in which case nothing is counted."""
        keys = []
        for index, limit in enumerate(self.sections.get("limits", {}).get("calls", [])):
            if limit["per"] != "session" or limit["of"] not in ("session", "agent"):
                raise Unknown(f"the limit {limit}")
            if is_named(limit["tools"], tool) and ("agents" not in limit or is_named(limit["agents"], agent)):
                key = index, session, agent.lower() if limit["of"] == "agent" else ""
                if self.counts.get(key, 0) >= limit["most"]:
                    return True
                keys.append(key)
        for key in keys:
            self.counts[key] = self.counts.get(key, 0) + 1
        return False


def main(arguments):
    options = dict(zip(arguments[2::2], arguments[3::2]))
    if len(arguments) % 2 or len(arguments) < 2 or set(options) not in (set(), {"--checkpoints", "--key"}):
        print(__doc__, file=sys.stderr)
        return 2
    rules, calls, signed = Rules(arguments[1]), [], {}
    for name, files in sorted(chains(arguments[0]).items()):
        found, leaves = records(name, files)
        signed[name], calls = leaves, calls + found
    if options:
        key = options["--key"]
        verifier = open(key, encoding="utf-8").read() if os.path.isfile(key) else key
        for chain, size, digest in checkpoints(options["--checkpoints"], verifier):
            if root(signed.get(chain, [])[:size]) != digest or len(signed.get(chain, [])) < size:
                raise Changed(f"{chain}: its first {size} records are not those that were signed")
    calls = [call for call in calls if call[1]["event"] == "pre_tool_use"]
    counts = {"same": 0, "different": 0, "not known": 0}
    for name, record, payload in sorted(calls, key=lambda call: call[1]["at"]):
        try:
            if not payload or payload.get("shortened") or "REDACTED]" in json.dumps(payload["event"]):
                raise Unknown("arguments that the log does not have")
            answer = rules.decide(record, payload)
            result, what = "same" if answer == record["outcome"] else "different", answer
        except Unknown as unknown:
            result, what = "not known", unknown
        counts[result] += 1
        if result != "same":
            print(f"{name}:{record['seq']}: {record['outcome']} in the log, {result}: {what}")
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 0 if counts["same"] == len(calls) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Changed, ValueError, KeyError, IndexError) as changed:
        sys.exit(print(f"the log was changed, or cannot be read: {changed}") or 3)
    except (OSError, Unknown) as error:
        sys.exit(print(error, file=sys.stderr) or 2)
