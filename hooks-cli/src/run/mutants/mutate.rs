//! Changes the bytes, the tokens, the structure and the encoding of a payload. The same seed leads to the
//! same changes.

use serde_json::{Map, Value, json};

/// A generator of mutants (SplitMix64).
pub(super) struct Mutator(u64);

/// Bytes that are rare in text.
const BYTES: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xf4\x90\x80\x80",
    b"\xe9",
    b"\x1b",
    b"\n",
    b"\\",
    b"\"",
    b",",
    b"}",
    b"{",
    b"[",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00",
    b"\\ud83d\\ude00",
    b"\\u",
    b"\\x",
    "\u{2028}".as_bytes(),
    b"//",
    b"\x0c",
];

/// Values to replace others.
const TOKENS: &[&str] = &[
    "null",
    "true",
    "0",
    "-0",
    "1.5",
    "1e999",
    "18446744073709551616",
    "-9223372036854775809",
    "1e-400",
    "01",
    "NaN",
    "[]",
    "{}",
    "\"\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "[[[]]]",
    "{\"a\":1,\"\\u0061\":2}",
    "'x'",
    "\"x\" \"y\"",
    "[1,]",
    "{\"command\":\"true\"}",
];

impl Mutator {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A copy of the payload with one to three changes.
    pub(super) fn mutant(&mut self, payload: &str) -> Vec<u8> {
        let mut value: Value = serde_json::from_str(payload).unwrap();
        for _ in 0..self.below(3) {
            self.change(&mut value);
        }
        let mut text = self.written(&value);
        if self.below(3) == 0 {
            self.token(&mut text);
        }
        let mut bytes = text.into_bytes();
        for _ in 0..[0, 0, 1, 2][self.below(4)] {
            self.byte(&mut bytes);
        }
        self.encoded(bytes)
    }

    /// Changes the structure at a random place.
    fn change(&mut self, value: &mut Value) {
        let new = self.value();
        match value {
            Value::Object(map) if !map.is_empty() && self.below(4) > 0 => {
                let at = self.below(map.len());
                let key = map.keys().nth(at).unwrap().clone();
                match self.below(9) {
                    0 => drop(map.shift_remove(&key)),
                    1 => drop(map.insert(self.respelled(&key), new)),
                    2 => drop(map.insert(key, new)),
                    3 => {
                        let renamed = self.respelled(&key);
                        let value = map.shift_remove(&key).unwrap();
                        map.insert(renamed, value);
                    }
                    4 => {
                        let other = map.keys().nth(self.below(map.len())).unwrap().clone();
                        let value = map[&key].clone();
                        map.insert(other, value);
                    }
                    _ => self.change(&mut map[&key]),
                }
            }
            Value::Array(items) if !items.is_empty() && self.below(2) == 0 => {
                let at = self.below(items.len());
                self.change(&mut items[at]);
            }
            Value::String(text) if self.below(2) == 0 => match self.below(3) {
                0 => text.push_str(self.one_of(&[" ", "\0", "\u{202e}", "é", "e\u{301}", "\n", "; true"])),
                1 => *text = text.to_uppercase(),
                _ => *text = text.repeat(1 + self.below(200)),
            },
            Value::Object(map) => {
                map.insert(
                    self.one_of(&[
                        "x",
                        "Tool_Name",
                        "toolName",
                        "tool_input",
                        "command",
                        "hook_event_name",
                        "params",
                        "input",
                    ])
                    .to_owned(),
                    new,
                );
            }
            other => *other = new,
        }
    }

    /// A random value of any type.
    fn value(&mut self) -> Value {
        match self.below(10) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.next()),
            3 => json!(-1.5e300),
            4 => json!("x".repeat(self.below(20_000))),
            5 => json!(vec![self.below(10); self.below(3000)]),
            6 => (0..self.below(130)).fold(json!(1), |inner, _| json!([inner])),
            7 => (0..self.below(500)).map(|at| (at.to_string(), json!(at))).collect::<Map<_, _>>().into(),
            8 => json!(self.one_of(&["PreToolUse", "Stop", "Bash", "/etc/passwd", "\u{0}", "ls"])),
            _ => json!({"command": "true", "path": "/etc/passwd"}),
        }
    }

    /// A variant of the name that a lenient parser could treat as the same.
    fn respelled(&mut self, key: &str) -> String {
        match self.below(5) {
            0 => key.to_uppercase(),
            1 => key.replace('s', "\u{17f}").replace('k', "\u{212a}"),
            2 => key.replace('_', ""),
            3 => format!("{key} "),
            _ => format!("{key}\0"),
        }
    }

    /// The value as JSON, sometimes with blanks, with escapes, or with a duplicate key.
    fn written(&mut self, value: &Value) -> String {
        let text = value.to_string();
        match self.below(8) {
            0 => serde_json::to_string_pretty(value).unwrap(),
            1 => text.replace("command", "\\u0063ommand").replace("tool", "to\\u006fl").replace('/', "\\/"),
            2 => {
                // A duplicate of one of the keys before it, plain or escaped.
                let keys: Vec<&str> =
                    ["tool_name", "toolName", "hook_event_name", "command", "prompt", "session_id"]
                        .into_iter()
                        .filter(|key| text.contains(&format!("\"{key}\":")))
                        .collect();
                if keys.is_empty() {
                    return text;
                }
                let key = self.one_of(&keys);
                let again = [
                    format!("\"{key}\":\"x\",\"{key}\":"),
                    format!(
                        "\"\\u{:04x}{}\":\"x\",\"{key}\":",
                        u32::from(key.as_bytes()[0]),
                        key.get(1..).unwrap()
                    ),
                ];
                text.replacen(&format!("\"{key}\":"), &again[self.below(2)], 1)
            }
            _ => text,
        }
    }

    /// Inserts another token after one of the colons.
    fn token(&mut self, text: &mut String) {
        let colons: Vec<usize> = text.match_indices("\":").map(|(at, _)| at + 2).collect();
        if colons.is_empty() {
            return;
        }
        let at = self.one_of(&colons);
        let token = self.one_of(TOKENS);
        // The token comes before the existing value, or replaces a string.
        let end = match text.get(at..).unwrap().strip_prefix('"').and_then(|rest| rest.find('"')) {
            Some(length) if self.below(4) > 0 => at + length + 2,
            _ => at,
        };
        text.replace_range(at..end, token);
    }

    fn byte(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        match self.below(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            2 => {
                let end = (at + self.below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 if self.below(4) == 0 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, self.one_of(BYTES).iter().copied())),
        }
    }

    /// The bytes, sometimes in another encoding, or with other bytes before or after them.
    fn encoded(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            String::from_utf8_lossy(&bytes).encode_utf16().flat_map(order).collect()
        };
        match self.below(24) {
            0 => [b"\xff\xfe".to_vec(), wide(u16::to_le_bytes)].concat(),
            1 => wide(u16::to_be_bytes),
            2 => [b"\xef\xbb\xbf", &bytes[..]].concat(),
            3 => [b"\xef\xbb\xbf\xef\xbb\xbf", &bytes[..]].concat(),
            4 => [&bytes[..], b"\0"].concat(),
            5 => [&bytes[..], &bytes[..]].concat(),
            6 => [&bytes[..], b" \r\n\t"].concat(),
            7 => bytes.iter().flat_map(|byte| char::from(*byte).to_string().into_bytes()).collect(),
            _ => bytes,
        }
    }
}
