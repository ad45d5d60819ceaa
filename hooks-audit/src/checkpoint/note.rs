//! A text with signature lines, in the format of a C2SP signed note.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::key::is_name;

/// Prefix of a signature line.
pub(super) const DASH: &str = "\u{2014} ";
/// Limit on the signatures of a note.
const MOST_SIGNATURES: usize = 64;
/// Limit on the length of a note, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// A text with its signatures. A note has one encoding: encoding a parsed note gives the same text.
///
/// ```
/// use hooks_audit::checkpoint::{Note, sum};
///
/// let text = "all is well\n";
/// let note = Note { text: text.to_owned(), signatures: vec![sum("audit", text)] };
/// let encoded = note.to_string();
/// assert!(encoded.starts_with("all is well\n\n\u{2014} audit "));
/// assert_eq!(Note::parse(&encoded), Some(note));
/// assert_eq!(Note::parse("all is well\n"), None, "a note has a signature");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Text, with its last line end.
    pub text: String,
    /// Signatures; at least one.
    pub signatures: Vec<Signature>,
}

/// One signature line below the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Name of the key.
    pub name: String,
    /// Id of the key among those with this name: a hint, not a proof.
    pub id: [u8; 4],
    /// Signature or checksum of the text.
    pub bytes: Vec<u8>,
}

impl Note {
    /// Parses a note, which has to end with `note`. `None` if the form is wrong, or if it has more than 4 MiB
    /// or 64 signatures. Linear.
    pub fn parse(note: &str) -> Option<Self> {
        let is_odd = |byte: u8| byte < 0x20 && byte != b'\n';
        if note.len() > MOST_BYTES || note.bytes().any(is_odd) {
            return None;
        }
        let blank = note.rfind("\n\n")?;
        let (text, below) = note.split_at_checked(blank + 1)?;
        let below = below.strip_prefix('\n')?.strip_suffix('\n')?;
        let lines = below.split('\n').take(MOST_SIGNATURES + 1).map(Signature::parse);
        let signatures = lines.collect::<Option<Vec<_>>>()?;
        let fits = !text.trim_end_matches('\n').is_empty() && signatures.len() <= MOST_SIGNATURES;
        fits.then(|| Self { text: text.to_owned(), signatures })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| writeln!(f, "{signature}"))
    }
}

impl Signature {
    /// Parses a signature line, without its end.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (name, base64) = line.strip_prefix(DASH)?.split_once(' ')?;
        let bytes = STANDARD.decode(base64).ok()?;
        let (id, bytes) = bytes.split_first_chunk::<4>()?;
        let fits = is_name(name) && !bytes.is_empty();
        fits.then(|| Self { name: name.to_owned(), id: *id, bytes: bytes.to_vec() })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&self.id[..], &self.bytes].concat();
        write!(f, "{DASH}{} {}", self.name, STANDARD.encode(bytes))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Examples of the two specifications.
    const POEM: &str = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";

    #[test]
    fn a_published_note_is_read_and_written() {
        let note = Note::parse(POEM).unwrap();
        assert!(note.text.ends_with("\n\ned è subito sera.\n"));
        let [signature] = &note.signatures[..] else { panic!("{note:?}") };
        assert_eq!(signature.name, "quasimodo.example/salvatore");
        assert_eq!((signature.id, signature.bytes.len()), ([0x36, 0x7b, 0xa0, 0x4b], 64));
        assert_eq!(note.to_string(), POEM);
    }

    #[test]
    fn what_is_no_note_is_refused() {
        let line = format!("{DASH}a AAAAAAA=\n");
        assert!(Note::parse(&format!("text\n\n{line}")).is_some());
        let many = |count| Note::parse(&format!("text\n\n{}", line.repeat(count)));
        assert!(many(64).is_some() && many(65).is_none());
        for note in [
            String::new(),
            "text\n".to_owned(),
            "text\n\n".to_owned(),
            format!("\n\n{line}"),
            format!("text\n{line}"),
            format!("text\n\n{}", line.trim_end()),
            format!("te\txt\n\n{line}"),
            format!("text\n\n{line}\n"),
            format!("text\n\n{DASH}a+b AAAAAAA=\n"),
            format!("text\n\n{DASH}a AAAAAAA\n"),
            format!("text\n\n{DASH}a AAAAAAB=\n"),
            format!("text\n\n{DASH}a AAAAAA==\n"),
            "text\n\n- a AAAAAAA=\n".to_owned(),
        ] {
            assert_eq!(Note::parse(&note), None, "{note:?}");
        }
    }

    proptest! {
        #[test]
        fn a_note_is_read_as_it_is_written(
            text in "([ -~é]{0,20}\n){1,5}",
            signatures in prop::collection::vec(
                ("[a-z./]{1,9}", any::<[u8; 4]>(), prop::collection::vec(any::<u8>(), 1..80)), 1..5,
            ),
        ) {
            prop_assume!(!text.trim_end_matches('\n').is_empty());
            let signatures =
                signatures.into_iter().map(|(name, id, bytes)| Signature { name, id, bytes }).collect();
            let note = Note { text, signatures };
            prop_assert_eq!(Note::parse(&note.to_string()), Some(note));
        }

        #[test]
        fn there_is_one_spelling_of_a_note(text in "[a\n]{0,9}\n\n(— [a+ ]{1,2} [A-C=]{0,12}\n){0,3}") {
            if let Some(note) = Note::parse(&text) {
                prop_assert_eq!(note.to_string(), text);
            }
        }
    }
}
