//! The report as one page, which loads nothing from elsewhere.

use serde_json::Value;

/// Most rows of the page. The sums are about all decisions.
pub(super) const MOST_ROWS: u64 = 10_000;

/// The page up to its rows.
pub(super) const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>hooks replay</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere }
code { font-family: ui-monospace, monospace }
small { opacity: .7 }
.deny { color: #c62828; font-weight: 600 } .ask { color: #b26a00 } .allow { color: #2e7d32 }
</style>
<h1>hooks replay</h1>
<table>
<thead><tr><th>time, call<th>before<th>now</thead>
<tbody>
";

/// A row for a decision that changed or is not known, from its JSON.
pub(super) fn row(change: &Value) -> String {
    let text = |name: &str| escaped(change.get(name).and_then(Value::as_str).unwrap_or_default());
    let what = if text("tool").is_empty() { text("event") } else { text("tool") };
    let mut row = format!(
        "<tr><td><small>{} {} {}</small><br><b>{what}</b> <code>{}</code>",
        text("at"),
        text("agent"),
        text("place"),
        text("subject")
    );
    if let Some(Value::Array(why)) = change.get("not_known") {
        let why: Vec<_> = why.iter().filter_map(Value::as_str).collect();
        row.push_str(&format!("<td colspan=2>not known: {}\n", escaped(&why.join("; "))));
        return row;
    }
    for side in ["before", "after"] {
        row.push_str(&cell(change.get(side).unwrap_or(&Value::Null)));
    }
    row.push('\n');
    row
}

fn cell(verdict: &Value) -> String {
    let text = |name: &str| verdict.get(name).and_then(Value::as_str).unwrap_or_default();
    let rules =
        verdict.get("rules").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let class = match text("decision") {
        "deny" | "denied" => "deny",
        "ask" => "ask",
        "allow" => "allow",
        _ => "",
    };
    format!(
        "<td><span class=\"{class}\">{}</span> {}<br><small>{}</small>",
        escaped(&text("decision").replace('_', " ")),
        escaped(&rules.collect::<Vec<_>>().join(", ")),
        escaped(text("message"))
    )
}

/// The end of the page: the lines of the sums, and how many rows were left out.
pub(super) fn end(sums: &str, left_out: u64) -> String {
    let more = match left_out {
        0 => String::new(),
        _ => format!(
            "<p>{left_out} more decisions are not in the table; <code>--format json</code> lists all.</p>\n"
        ),
    };
    format!("</tbody></table>\n{more}<h2>Sums</h2>\n<pre>{}</pre>\n</html>\n", escaped(sums))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            char => escaped.push(char),
        }
    }
    escaped
}
