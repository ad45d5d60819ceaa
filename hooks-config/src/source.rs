//! Reads the text of a configuration, and refuses files early that cannot be one.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::error::{Mistakes, TextPosition};

/// Largest size of a configuration, in bytes. Ten thousand rules need about two million.
const LARGEST: usize = 8 << 20;

/// Byte order mark of a text in UTF-8.
pub(super) const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Bytes of the file at `path`, at most one more than allowed.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    is_readable(path)?;
    let mut bytes = Vec::new();
    // One byte more than the limit shows that the file is too large.
    let limit = u64::try_from(LARGEST).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses a folder, and a FIFO or device that could block. A shell names the output of a command `/dev/fd/N`.
fn is_readable(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?;
    if kind.is_file() || path.starts_with("/dev") || path.starts_with("/proc") {
        return Ok(());
    }
    let kind = if kind.is_dir() { "a folder" } else { "a FIFO, a socket or a device" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}, and rules are a file")))
}

/// `bytes` as text, without a byte order mark.
pub(super) fn decode<'b>(bytes: &'b [u8], name: &str, mistakes: &mut Mistakes) -> Option<&'b str> {
    if bytes.len() > LARGEST {
        let message = format!("the file is larger than {} MiB", LARGEST >> 20);
        mistakes.add_with_hint(
            &TextPosition::START,
            "",
            message,
            "no policy is that long: was another file meant?",
        );
        return None;
    }
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = bytes.get(..error.valid_up_to()).and_then(|bytes| str::from_utf8(bytes).ok());
            let before = before.unwrap_or_default();
            let last = before.rsplit('\n').next().unwrap_or_default();
            let place = TextPosition {
                line: before.matches('\n').count().saturating_add(1),
                column: last.chars().count().saturating_add(1),
                span: before.len()..before.len(),
            };
            mistakes.add_with_hint(&place, "", "the text is not UTF-8", "save the file as UTF-8");
            return None;
        }
    };
    if is_program(name, text) {
        mistakes.add_with_hint(
            &TextPosition::START,
            "",
            "this is a program, and programs are not run to get a policy",
            "export what it defines once: `npx tsx -e \"import('./squad.config.ts').then(m => \
             console.log(JSON.stringify(m.default.hooks)))\" > squad-policy.json`, and name that file",
        );
        return None;
    }
    Some(text)
}

/// Whether the text is TypeScript or JavaScript, such as a `squad.config.ts`.
fn is_program(name: &str, text: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let named = matches!(extension, "ts" | "mts" | "cts" | "js" | "mjs" | "cjs");
    let first = text.lines().map(str::trim_start).find(|line| {
        !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*") && !line.starts_with('*')
    });
    let begins = |words: &[&str]| first.is_some_and(|line| words.iter().any(|word| line.starts_with(word)));
    named || begins(&["import ", "import{", "export default", "export const", "module.exports", "const "])
}
