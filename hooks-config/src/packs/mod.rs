//! Section `packs`: packs of Hooks by name, and packs of users from files.
//!
//! A pack is one YAML file. Those of Hooks are part of the program; their examples are tried by the tests. The examples of a
//! user's pack are tried whenever the file is read.
//!
//! ```
//! let pack = hooks_config::packs::standard("git").ok_or("it is a pack of Hooks")?;
//! assert!(pack.rules.iter().any(|rule| rule.name == "force-push"));
//! assert!(hooks_config::packs::names().count() >= 30);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod found;
mod standard;

use std::path::Path;

use hooks_core::PolicyErrors;
use hooks_facts::calls::CallReader;
use hooks_policies::packs::{PackConfig, PackEntry, PackUse, check_examples};

pub use self::found::found_in;
use self::standard::STANDARD;
use super::audit::project_of;
use super::check::check;
use super::document::without_null;
use super::error::Mistakes;
use super::further::{FurtherGuards, NO_FOLDER, all_of, names_of, policy_files};
use super::suggest::nearest;
use super::tree::Node;
use super::yaml;

/// Key of the section.
pub(super) const KEY: &str = "packs";

/// Returns the names of the packs of Hooks, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    STANDARD.iter().map(|(name, _)| *name)
}

/// Returns the text of a pack of Hooks.
pub fn text(name: &str) -> Option<&'static str> {
    STANDARD.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns a pack of Hooks.
pub fn standard(name: &str) -> Option<PackConfig> {
    parse(text(name)?).ok()
}

/// Returns a pack of Hooks as calls are judged by it: without its examples, which the tests have tried.
fn tried(name: &str) -> Option<PackConfig> {
    parse(&without_examples(text(name)?)).ok()
}

/// The text of a pack of Hooks without its examples: most of it, and each process would read them again. The files of the folder
/// `data/packs` have each example in a line of its own, six blanks deep; a test holds that.
fn without_examples(text: &str) -> String {
    let mut is_example = false;
    let lines = text.split_inclusive('\n').filter(|line| {
        let is_item = line.starts_with("      ");
        is_example = match line.trim_end() {
            "    match:" | "    no_match:" => true,
            _ => is_example && is_item,
        };
        !is_example
    });
    lines.collect()
}

/// Parses the text of a pack.
///
/// # Errors
/// Returns all mistakes in one text.
///
/// ```
/// let error = hooks_config::packs::parse("name: a\nrules: []\nrulez: []").unwrap_err();
/// assert!(error.contains("rulez"), "{error}");
/// ```
pub fn parse(text: &str) -> Result<PackConfig, String> {
    let mut own = Mistakes::default();
    let tree = yaml::parse(text, &mut own).filter(|_| own.is_empty());
    tree.ok_or_else(|| all_of(own)).and_then(|tree| of_tree(&tree))
}

/// Reads a pack from its tree. The schema is only asked about a tree that is wrong: it names every mistake.
fn of_tree(tree: &Node) -> Result<PackConfig, String> {
    match serde_json::from_value(tree.to_json()) {
        Ok(pack) => Ok(pack),
        Err(error) => {
            let mut schema = schemars::schema_for!(PackConfig).to_value();
            without_null(&mut schema);
            let mut own = Mistakes::default();
            check(&schema, tree, &mut own);
            Err(if own.is_empty() { error.to_string() } else { all_of(own) })
        }
    }
}

/// Reads the packs that `root` uses.
pub(super) fn read(root: &Node, path: Option<&Path>, further: &mut FurtherGuards, mistakes: &mut Mistakes) {
    let Some(node) = root.get(KEY) else { return };
    let Ok(entries) = serde_json::from_value::<Vec<PackEntry>>(node.to_json()) else { return };
    for (number, entry) in entries.iter().enumerate() {
        let usage = entry.usage();
        let at = format!("{KEY}[{number}]");
        let packs = if is_path(&usage.name) {
            of_files(&usage, path, further)
        } else {
            of_name(&usage.name).map(|pack| vec![pack])
        };
        let used = packs.and_then(|packs| packs.into_iter().map(|pack| used(pack, &usage)).collect());
        match used {
            Ok::<Vec<_>, _>(packs) => {
                further.pack_entries.extend(packs.iter().map(|_| number));
                further.packs.extend(packs);
            }
            Err((problem, hint)) => mistakes.add_with_hint(root.locate(&at), at, problem, &hint),
        }
    }
}

/// A mistake, and a hint.
type Problem = (String, String);

/// Returns whether an entry is a file or folder.
fn is_path(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    name.contains(['/', '\\']) || ["yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn of_name(name: &str) -> Result<PackConfig, Problem> {
    tried(name).ok_or_else(|| {
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`? `hooks packs` lists all"),
            None => "`hooks packs` lists the names; a file is named by its path, such as `./team.pack.yaml`"
                .to_owned(),
        };
        (format!("unknown pack `{name}`"), hint)
    })
}

/// Reads the packs of a file, or of a folder, and tries their examples.
fn of_files(
    usage: &PackUse,
    path: Option<&Path>,
    further: &mut FurtherGuards,
) -> Result<Vec<PackConfig>, Problem> {
    let failed = |problem: String| (problem, "correct the file, or leave it out".to_owned());
    let Some(path) = path else {
        return Err((NO_FOLDER.to_owned(), "name the file when you read it".to_owned()));
    };
    let place = project_of(path).join(&usage.name);
    let files = policy_files(&place).map_err(failed)?;
    // A file that is added later changes the rules too.
    further.files.push((place, names_of(&files)));
    let mut packs = Vec::new();
    for file in files {
        let in_file = |problem: String| failed(format!("`{}` is invalid: {problem}", file.display()));
        let tree = further.parsed(&file).map_err(in_file)?;
        let pack = of_tree(&tree).map_err(in_file)?;
        let mut errors = PolicyErrors::default();
        check_examples(std::slice::from_ref(&pack), &CallReader::default(), &mut errors);
        errors.or(()).map_err(|errors| in_file(errors.to_string()))?;
        packs.push(pack);
    }
    Ok(packs)
}

fn used(pack: PackConfig, usage: &PackUse) -> Result<PackConfig, Problem> {
    let rules: Vec<_> = pack.rules.iter().map(|rule| rule.name.clone()).collect();
    let name = pack.name.clone();
    pack.used(usage).map_err(|unknown| {
        let hint = format!("its rules are {}", rules.join(", "));
        (format!("the pack `{name}` has no rule `{}`", unknown.join("`, `")), hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooks_policies::packs::Packs;

    /// Calls are judged by the packs as they are shown and tried, but for the examples.
    #[test]
    fn packs_are_judged_by_what_was_tried() {
        for name in names() {
            let mut shown = standard(name).unwrap();
            assert!(Packs::new(std::slice::from_ref(&shown), &CallReader::default()).is_ok(), "{name}");
            assert!(shown.rules.iter().any(|rule| !rule.matches.is_empty()), "{name}");
            for rule in &mut shown.rules {
                rule.matches.clear();
                rule.no_match.clear();
            }
            assert_eq!(tried(name), Some(shown), "{name}");
        }
    }
}
