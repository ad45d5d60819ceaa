//! Credentials of vendors: the rows of `data/vendors.txt`.
//!
//! Each row is based on the vendor's documentation, or on the rules that the vendor registered with GitHub
//! secret scanning or GitLab secret detection. Public identifiers (`pk_live_`, account ids) are not listed.

use std::sync::LazyLock;

use super::{
    body::Body,
    forms::{Checksum, Form},
    label::Label,
};

/// Every documented form.
pub(super) static FORMS: LazyLock<Vec<Form>> =
    LazyLock::new(|| include_str!("../data/vendors.txt").lines().filter_map(form).collect());

/// Parses a row of the table; `None` for a comment.
fn form(line: &'static str) -> Option<Form> {
    let mut columns = line.split('\t');
    let prefix = columns.next().filter(|prefix| !prefix.starts_with('#'))?;
    let body = Body::named(columns.next()?)?;
    let (least, most) = length(columns.next()?)?;
    let label: Label = columns.next()?.parse().ok()?;
    let checksum = (columns.next()? == "crc32").then_some(Checksum::Crc32);
    Some(Form { prefix, body, least, most, label, checksum })
}

/// Parses `n`, `n+` or `n-m`.
fn length(text: &str) -> Option<(usize, usize)> {
    if let Some(least) = text.strip_suffix('+') {
        return Some((least.parse().ok()?, usize::MAX));
    }
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    Some((least.parse().ok()?, most.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Scrubber;
    use super::*;

    fn rows() -> impl Iterator<Item = Vec<&'static str>> {
        let lines = include_str!("../data/vendors.txt").lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split('\t').collect())
    }

    #[test]
    fn each_row_is_a_form_with_two_examples() {
        assert_eq!(rows().count(), FORMS.len(), "a row with an unknown alphabet, length or label");
        assert!(FORMS.len() >= 250, "{}", FORMS.len());
        let prefixes: BTreeSet<_> = FORMS.iter().map(|form| form.prefix).collect();
        assert_eq!(prefixes.len(), FORMS.len(), "a prefix is listed twice");
        assert!(rows().all(|row| row.len() == 9), "nine columns");
    }

    #[test]
    fn each_example_is_found_whole_wherever_it_stands() {
        let scrubber = Scrubber::all();
        for row in rows() {
            for body in [row[7], row[8]] {
                let (kept, removed) =
                    if row[0].ends_with('=') { (row[0], String::new()) } else { ("", row[0].to_owned()) };
                let key = format!("{removed}{body}");
                for (before, after) in
                    [("", ""), ("see ", " for it"), ("\"", "\","), ("x: ", "\n"), ("A=", ";"), ("(", ")")]
                {
                    let text = format!("{before}{kept}{key}{after}");
                    let spans = scrubber.spans(&text);
                    let found: Vec<_> =
                        spans.iter().map(|s| (text.get(s.start..s.end).unwrap(), s.label.as_str())).collect();
                    assert!(
                        matches!(found.as_slice(), [(one, label)] if one.ends_with(&key) && *label == row[3]),
                        "{}: {text:?} gives {found:?}",
                        row[5]
                    );
                }
            }
        }
    }

    #[test]
    fn shorter_bodies_and_mere_prefixes_stay() {
        let scrubber = Scrubber::all();
        for row in rows() {
            for text in [
                format!("keys begin with {}", row[0]),
                format!("{}...", row[0]),
                format!("`{}xxxxxxxx`", row[0]),
            ] {
                assert!(scrubber.spans(&text).is_empty(), "{text}: {:?}", scrubber.spans(&text));
            }
        }
    }
}
