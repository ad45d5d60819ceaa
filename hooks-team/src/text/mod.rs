//! Markdown as bytes with a structure on top: parts that cannot be parsed stay unchanged.
//!
//! [`Document`] is the base of every file of a team folder. It changes only the requested bytes: an edit is a
//! list of [`Splice`]s, and the bytes between them are written back as they were read.
//!
//! ```
//! use hooks_team::text::{Document, Table};
//!
//! let document = Document::parse("# Team\r\n\r\n| Name | Status |\r\n|--|--|\r\n| Ada | away |\r\n");
//! assert_eq!(document.title().as_deref(), Some("Team"));
//! let table = &Table::all(&document, &(0..document.bytes().len()))[0];
//! let row = &table.rows()[0];
//! assert_eq!(row.cell(table.column("name")), "Ada");
//!
//! // Only the cell changes; line ends and everything else stay.
//! let edited = document.with(row.set(1, "back").into_iter().collect());
//! assert_eq!(edited, b"# Team\r\n\r\n| Name | Status |\r\n|--|--|\r\n| Ada | back |\r\n");
//! ```

mod contain;
mod document;
mod fenced;
mod fields;
mod front_matter;
mod items;
mod lines;
mod splice;
mod table;

pub(crate) use self::contain::{balanced, contained, guarded, one_line};
pub use self::document::{Document, Section};
pub use self::fenced::FencedCode;
pub use self::fields::Field;
pub(crate) use self::fields::fields;
pub use self::front_matter::FrontMatter;
pub(crate) use self::items::items;
pub(crate) use self::lines::{Kind, Line, ends_line};
pub use self::splice::Splice;
pub(crate) use self::splice::apply;
pub use self::table::{Row, Table};

use std::borrow::Cow;

/// Normalizes a title for comparisons: letters and digits in lower case, with one space between words.
pub(crate) fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !key.is_empty() {
            key.push(' ');
        }
        key.extend(word.chars().flat_map(char::to_lowercase));
    }
    key
}

/// Decodes text for reading, with replacement characters for bytes that are not UTF-8. The file keeps its
/// bytes.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_leave_out_what_decorates() {
        assert_eq!(key("  Work Type → Agent 🔧 "), "work type agent");
        assert_eq!(key("What I Own:"), "what i own");
        assert_eq!(key("🏗️"), "");
    }
}
