//! Items of lists.

use std::ops::Range;

use super::lines::item_marker;
use super::{Document, Kind, lossy};

/// Returns the items of the lists within `range`, each on one line, without markers.
pub(crate) fn items(document: &Document, range: &Range<usize>) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut open = false;
    for line in document.lines_in(range) {
        let text = document.line(*line).trim_ascii();
        match line.kind {
            Kind::Item => {
                let marker = item_marker(text).unwrap_or(0);
                items.push(lossy(text.get(marker..).unwrap_or_default().trim_ascii()).into_owned());
                open = true;
            }
            Kind::Text if open => {
                if let Some(item) = items.last_mut() {
                    item.push(' ');
                    item.push_str(&lossy(text));
                }
            }
            _ => open = false,
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_one_line_each() {
        let text = "- a\n  b\n\ntext\n1. c\n```\n- d\n```\n* e";
        assert_eq!(items(&Document::parse(text), &(0..text.len())), ["a b", "c", "e"]);
    }
}
