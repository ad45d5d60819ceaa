//! `routing.md`: which member does which work.

use super::{below, plain};
use crate::text::{Document, Table, items};

/// Rules for the routing of work.
///
/// ```
/// use hooks_team::files::Routing;
/// use hooks_team::text::Document;
///
/// let text = "| Work Type | Agent | Examples |\n|--|--|--|\n| API | Ada, Bob | endpoints |\n";
/// let routing = Routing::new(Document::parse(text));
/// assert_eq!(routing.work_types()[0].agents, ["Ada", "Bob"]); // the first choice first
/// assert_eq!(routing.work_types()[0].examples, "endpoints");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Routing {
    document: Document,
    work_types: Vec<WorkType>,
    modules: Vec<Module>,
    principles: Vec<String>,
}

/// A kind of work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkType {
    /// Name of the kind of work.
    pub name: String,
    /// Agents that do it, the first choice first.
    pub agents: Vec<String>,
    /// Examples, as in the file.
    pub examples: String,
}

/// A part of the code with an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Module {
    /// Path of the part, without the backticks around it.
    pub path: String,
    /// Name of the owner.
    pub primary: Option<String>,
    /// Name of another agent that knows it.
    pub secondary: Option<String>,
}

impl Routing {
    /// Parses `routing.md`.
    pub fn new(document: Document) -> Self {
        let (mut work_types, mut modules) = (Vec::new(), Vec::new());
        for table in Table::all(&document, &(0..document.bytes().len())) {
            let owners =
                (table.column("primary").or_else(|| table.column("owner")), table.column("secondary"));
            if let Some(module) = table.column("module").or_else(|| table.column("path")) {
                modules.extend(table.rows().iter().map(|row| Module {
                    path: row.cell(Some(module)).trim_matches(['`', ' ']).to_owned(),
                    primary: names(row.cell(owners.0)).into_iter().next(),
                    secondary: names(row.cell(owners.1)).into_iter().next(),
                }));
            } else if let Some(work) =
                ["work type", "pattern", "task", "signal"].iter().find_map(|name| table.column(name))
            {
                let (agent, examples) = (
                    table.column("agent").or_else(|| table.column("route")).or(owners.0),
                    table.column("example"),
                );
                work_types.extend(table.rows().iter().map(|row| WorkType {
                    name: row.cell(Some(work)).to_owned(),
                    agents: names(row.cell(agent)).into_iter().chain(names(row.cell(owners.1))).collect(),
                    examples: row.cell(examples).to_owned(),
                }));
            }
        }
        let range = below(&document, &["Routing Principles", "Principles", "Rules"]);
        let principles = range.map(|range| items(&document, &range)).unwrap_or_default();
        Self { document, work_types, modules, principles }
    }

    /// Returns the document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the kinds of work, in order.
    pub fn work_types(&self) -> &[WorkType] {
        &self.work_types
    }

    /// Returns the owned parts of the code, in order.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Returns the principles, one line each.
    pub fn principles(&self) -> &[String] {
        &self.principles
    }
}

/// Splits a cell into names. A dash stands for no name.
fn names(cell: &str) -> Vec<String> {
    cell.split([',', '/', '+', '&', ';']).map(plain).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let text = "# R\n\n## Work Type → Agent\n\n| Work Type | Agent | Examples |\n|--|--|--|\n| Core | EECOM 🔧, GNC | a, b |\n| Docs | — | |\n\n## Module Ownership\n\n| Module | Primary | Secondary |\n|--|--|--|\n| `src/a/` | EECOM 🔧 | — |\n\n## Routing Principles\n\n1. **Eager** — go.\n2. x\n";
        let routing = Routing::new(Document::parse(text));
        assert_eq!(routing.work_types()[0].agents, ["EECOM", "GNC"]);
        assert!(routing.work_types()[1].agents.is_empty());
        let module = &routing.modules()[0];
        assert_eq!(
            (&*module.path, module.primary.as_deref(), module.secondary.as_deref()),
            ("src/a/", Some("EECOM"), None)
        );
        assert_eq!(routing.principles(), ["**Eager** — go.", "x"]);
    }
}
