//! Rows of HTML tables as those of Markdown.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let table = "<table>\n<tr><th>Library</th><th>Verdict</th></tr>\n<tr><td>axios</td><td>no</td></tr>\n</table>\n";
//! assert_eq!(Decisions::parse(table).all()[0].rules[0].packages[0], "axios");
//! ```

/// Returns a text with its HTML tables as those of Markdown. A tag in a code span is only mentioned.
pub(super) fn tables(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_code = false;
    while let Some((before, behind)) = rest.split_once("<table") {
        plain.push_str(before);
        in_code = ends_in_code(before, in_code);
        rest = behind;
        if in_code {
            plain.push_str("<table");
            continue;
        }
        let Some((table, after)) = behind.split_once("</table>") else {
            plain.push_str("<table");
            break;
        };
        match table.split_once('>') {
            Some((_, table)) => plain.push_str(&rows(table)),
            None => plain.push_str(table),
        }
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// Whether a code span is open at the end of `text`; `is_open` is true if one is at its start. A span ends with its line.
fn ends_in_code(text: &str, is_open: bool) -> bool {
    let (line, is_open) = match text.rsplit_once('\n') {
        Some((_, line)) => (line, false),
        None => (text, is_open),
    };
    line.matches('`').count() % 2 == usize::from(!is_open)
}

/// Returns the inside of a table with its rows as those of Markdown. A row without its end stays as it is, so that it takes
/// nothing else away.
fn rows(table: &str) -> String {
    let mut pieces = table.split("<tr");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let row = piece.split_once("</tr>").filter(|(row, _)| !row.contains("\n\n"));
        match row {
            Some((row, after)) => {
                plain.push_str(&line(row));
                plain.push_str(after);
            }
            None => {
                plain.push_str("<tr");
                plain.push_str(piece);
            }
        }
    }
    ["<thead>", "</thead>", "<tbody>", "</tbody>"].iter().fold(plain, |plain, tag| plain.replace(tag, ""))
}

/// Returns a row, without its tags, as a line.
fn line(row: &str) -> String {
    let is_header = row.contains("<th");
    let row = row.split_once('>').map_or(row, |(_, row)| row).replace('\n', " ");
    let cells: Vec<String> = row
        .split("<t")
        .skip(1)
        .filter_map(|cell| cell.split_once('>'))
        .map(|(_, cell)| {
            let cell = cell.split("</t").next().unwrap_or_default().trim();
            cell.replace("<code>", "`").replace("</code>", "`")
        })
        .collect();
    let line = format!("| {} |", cells.join(" | "));
    if is_header { line + "\n|---|" } else { line }
}
