//! Settings with which calls are read.

use std::collections::BTreeMap;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Platform, PolicyErrors};

use crate::tools::ToolTable;

use super::call::{Call, CallFacts};
use super::config::{PathsConfig, ToolRole};
use super::root::KnownRoot;
use crate::globs::PatternDialect;

/// Reads calls with the settings for the root, the case of names, and the tools. Cheap to clone; policies
/// that are built together share one.
#[derive(Clone, Debug, Default)]
pub struct CallReader(Arc<ReaderSettings>);

#[derive(Debug, Default)]
struct ReaderSettings {
    root: Option<String>,
    case_insensitive: Option<bool>,
    dialect: PatternDialect,
    roles: BTreeMap<String, ToolRole>,
    /// Table of tools, derived from `roles`.
    table: ToolTable,
    /// Root of the last call.
    known_root: KnownRoot,
}

impl CallReader {
    /// Creates a reader with these settings.
    ///
    /// # Errors
    /// Returns an error for a root that is relative or not UTF-8, and for each tool without a name.
    ///
    /// ```
    /// use hooks_facts::calls::{CallReader, PathsConfig, ToolRole};
    ///
    /// let paths = PathsConfig { root: Some("repo".into()), ..PathsConfig::default() };
    /// let errors = CallReader::new(&paths, &[(" ".to_owned(), ToolRole::Read)].into()).expect_err("two mistakes");
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "`paths.root`: `repo` is relative; write an absolute path\n\
    ///      `tools`: a tool has no name; write the name that the client calls it by",
    /// );
    /// ```
    pub fn new(paths: &PathsConfig, tools: &BTreeMap<String, ToolRole>) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let reader = Self::compile(paths, tools, &mut errors);
        errors.or(reader)
    }

    /// Creates a reader with these settings. Invalid ones are reported; the reader must not be used then.
    pub fn compile(
        paths: &PathsConfig,
        tools: &BTreeMap<String, ToolRole>,
        errors: &mut PolicyErrors,
    ) -> Self {
        let root = paths.root.as_ref().map(|root| root.to_string_lossy().into_owned());
        if let (Some(path), Some(text)) = (&paths.root, &root) {
            if path.to_str().is_none() {
                errors.push("paths.root", "it is not a string", "use a folder whose name is UTF-8");
            } else if !is_absolute(text) {
                errors.push("paths.root", format!("`{text}` is relative"), "write an absolute path");
            }
        }
        let mut table = ToolTable::default();
        for (name, role) in tools {
            if name.trim().is_empty() {
                errors.push("tools", "a tool has no name", "write the name that the client calls it by");
            }
            table = table.with(name, (*role).into());
        }
        Self(Arc::new(ReaderSettings {
            root,
            case_insensitive: paths.case_insensitive,
            dialect: paths.dialect,
            roles: tools.clone(),
            table,
            known_root: KnownRoot::default(),
        }))
    }

    /// Returns the call of a request.
    pub fn read<'r>(&self, request: &'r HookRequest<PreToolUse>) -> Call<'r> {
        request.cell::<CallFacts>().read_by(self, request)
    }

    /// Returns the syntax of patterns.
    pub fn dialect(&self) -> PatternDialect {
        self.0.dialect
    }

    /// Returns the root, if the settings and not the call determine it.
    pub fn fixed_root(&self) -> Option<&str> {
        self.0.root.as_deref()
    }

    /// Returns whether names have no case, if the settings and not the platform determine it.
    pub fn case_insensitive(&self) -> Option<bool> {
        self.0.case_insensitive
    }

    /// Returns the table of tools.
    pub fn table(&self) -> &ToolTable {
        &self.0.table
    }

    pub(super) fn known_root(&self) -> &KnownRoot {
        &self.0.known_root
    }

    /// Returns the root for a call from `context`, if it is UTF-8.
    pub(super) fn root<'a>(&'a self, context: &'a HookContext) -> Option<&'a str> {
        self.0.root.as_deref().or_else(|| context.root().to_str())
    }

    /// Returns whether names have no case for a call from `context`.
    pub(super) fn ignores_case(&self, context: &HookContext) -> bool {
        self.0.case_insensitive.unwrap_or(context.environment.platform != Platform::Posix)
    }
}

impl PartialEq for CallReader {
    /// Returns whether both read every call alike.
    fn eq(&self, other: &Self) -> bool {
        let (mine, theirs) = (&self.0, &other.0);
        Arc::ptr_eq(mine, theirs)
            || (mine.root == theirs.root
                && mine.case_insensitive == theirs.case_insensitive
                && mine.dialect == theirs.dialect
                && mine.roles == theirs.roles)
    }
}

fn is_absolute(path: &str) -> bool {
    let mut start = path.chars();
    match (start.next(), start.next(), start.next()) {
        (Some('/'), ..) => true,
        (Some(drive), Some(':'), Some('/' | '\\')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}
