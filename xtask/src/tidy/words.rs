//! One word an idea: no function is named `of`, a generic type name occurs once, and the glossary stays short.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::workspace;

/// The page with the glossary.
const PAGE: &str = "ARCHITECTURE.md";

/// Most rows of the glossary: a longer list is not learned.
const MOST_ROWS: usize = 40;

/// Type names that are too vague to occur twice.
const GENERIC: &[&str] = &["Asked", "Found", "Place", "Reader", "Said"];

/// Words before the name of a type.
const KINDS: &[&str] = &["enum", "struct", "trait", "type", "union"];

/// Places of the types with a generic name, by name.
type Places = BTreeMap<&'static str, Vec<String>>;

/// Names that break the rules, in all Rust files and in the glossary.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub(super) fn check(files: &[PathBuf]) -> Result<Vec<String>> {
    let (mut found, mut types) = (Vec::new(), Places::new());
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let text = workspace::read(path)?;
        found.extend(functions(path, &text));
        collect(path, &text, &mut types);
    }
    found.extend(repeated(&types));
    found.extend(too_long(&workspace::read(PAGE)?));
    Ok(found)
}

/// Functions named `of`: their calls do not show what they do.
fn functions(path: &Path, text: &str) -> Vec<String> {
    let named_of = names(text, &["fn"]).into_iter().filter(|(_, name)| *name == "of");
    named_of
        .map(|(line, _)| {
            format!("{}:{line}: name this function after what it does, not `of`", path.display())
        })
        .collect()
}

/// Adds the types of a file that have a generic name.
fn collect(path: &Path, text: &str, types: &mut Places) {
    for (line, name) in names(text, KINDS) {
        if let Some(generic) = GENERIC.iter().find(|generic| **generic == name) {
            types.entry(generic).or_default().push(format!("{}:{line}", path.display()));
        }
    }
}

/// Generic names that several types have.
fn repeated(types: &Places) -> Vec<String> {
    let several = types.iter().filter(|(_, places)| places.len() > 1);
    several
        .map(|(name, places)| {
            format!("{}: name each type after what it is; several are called `{name}`", places.join(", "))
        })
        .collect()
}

/// Names that follow one of these keywords in code, with their lines.
fn names<'t>(text: &'t str, keywords: &[&str]) -> Vec<(usize, &'t str)> {
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let code = line.split_once("//").map_or(line, |(code, _)| code);
        let words: Vec<_> = code.split_whitespace().collect();
        for pair in words.windows(2) {
            if let [keyword, name] = pair
                && keywords.contains(keyword)
            {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                found.push((number, name.split(|c| !is_part(c)).next().unwrap_or_default()));
            }
        }
    }
    found
}

/// A glossary with too many rows.
fn too_long(page: &str) -> Option<String> {
    let glossary = page.split_once("\n## Glossary\n").map_or("", |(_, rest)| rest);
    let glossary = glossary.split_once("\n## ").map_or(glossary, |(section, _)| section);
    // The first two rows of the table are its head.
    let rows = glossary.lines().filter(|line| line.starts_with('|')).count().saturating_sub(2);
    match rows {
        0 => Some(format!("{PAGE}: the glossary is missing")),
        rows if rows > MOST_ROWS => {
            Some(format!("{PAGE}: the glossary has {rows} rows; at most {MOST_ROWS} are learned"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_named_of_is_found() {
        let path = Path::new("a.rs");
        let text = format!("pub const fn {}(a: u8) {{}}\nfn of_kind() {{}}\n// fn {0}()\n", "of");
        assert_eq!(functions(path, &text), ["a.rs:1: name this function after what it does, not `of`"]);
        assert_eq!(functions(path, &format!("    fn {}<E: Event>() {{}}\n", "of")).len(), 1);
        assert!(functions(path, "fn new() {}\nlet fn_of = of(1);\n").is_empty());
    }

    #[test]
    fn a_generic_name_may_occur_once() {
        let mut types = Places::new();
        collect(Path::new("a.rs"), "struct Reader<'a> {\nenum Found {\nstruct PlaceId;\n", &mut types);
        assert!(repeated(&types).is_empty());
        collect(Path::new("b.rs"), "/// struct Found;\ntype Reader = u8;\n", &mut types);
        assert_eq!(
            repeated(&types),
            ["a.rs:1, b.rs:2: name each type after what it is; several are called `Reader`"]
        );
    }

    #[test]
    fn the_glossary_has_at_most_forty_rows() {
        let page = |rows: usize| {
            let rows = "| word | its meaning |\n".repeat(rows);
            format!("# A\n\n## Glossary\n\n| word | meaning |\n| --- | --- |\n{rows}\n## B\n\n| c | d |\n")
        };
        assert_eq!(too_long(&page(MOST_ROWS)), None);
        assert!(too_long(&page(MOST_ROWS + 1)).is_some_and(|finding| finding.contains("41 rows")));
        assert!(too_long("# A\n").is_some(), "a glossary that is not found must not count as short");
    }
}
