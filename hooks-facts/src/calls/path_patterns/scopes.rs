//! Compiled patterns, by the folder that they are relative to.

use crate::globs::{GlobOptions, Globs, PatternDialect, PatternError};

/// Patterns by the folder that they are relative to.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    /// Relative to the root.
    pub(super) inside: Scope,
    /// Those of them that begin with a name, and not with a wildcard.
    pub(super) anchored: Scope,
    /// From the top of the file system.
    pub(super) top: Scope,
    /// Those of them that begin with a wildcard.
    pub(super) floating: Scope,
    /// Relative to the home of a user.
    pub(super) home: Scope,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) globs: Globs,
    /// Index of each pattern in the list of the rule.
    pub(super) owners: Vec<usize>,
}

impl Scopes {
    pub(super) fn compile(
        patterns: &[String],
        is_wherever: bool,
        options: &GlobOptions,
    ) -> Result<Self, Vec<PatternError>> {
        if options.dialect == PatternDialect::Squad {
            let all: Vec<_> = patterns.iter().map(String::as_str).enumerate().collect();
            let inside = Scope::compile(&all, options)?;
            return Ok(Self { anchored: inside.clone(), inside, ..Self::default() });
        }
        let (mut inside, mut anchored, mut top, mut floating, mut home) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let root = options.root.as_deref().unwrap_or_default().trim_end_matches('/');
        for (index, pattern) in patterns.iter().enumerate() {
            let below = pattern.strip_prefix("~/");
            let is_below_root = |rest: &str| !root.is_empty() && rest.starts_with('/');
            if let Some(below) = below {
                home.push((index, below));
            } else if pattern.starts_with('/') {
                if pattern.strip_prefix(root).is_some_and(is_below_root) {
                    inside.push((index, pattern.as_str()));
                    anchored.push((index, pattern.as_str()));
                }
                top.push((index, pattern.trim_start_matches('/')));
            } else {
                inside.push((index, pattern.as_str()));
                let floats = begins_with_wildcard(pattern);
                if !floats {
                    anchored.push((index, pattern.as_str()));
                } else if is_wherever {
                    floating.push((index, pattern.as_str()));
                    top.push((index, pattern.as_str()));
                }
            }
        }
        let absolute = GlobOptions { root: None, ..options.clone() };
        let mut errors = Vec::new();
        let mut scope = |patterns: &[(usize, &str)], options: &GlobOptions| {
            Scope::compile(patterns, options).unwrap_or_else(|bad| {
                errors.extend(bad);
                Scope::default()
            })
        };
        let compiled = Self {
            inside: scope(&inside, options),
            anchored: scope(&anchored, options),
            top: scope(&top, &absolute),
            floating: scope(&floating, &absolute),
            home: scope(&home, &absolute),
        };
        if errors.is_empty() { Ok(compiled) } else { Err(errors) }
    }

    /// Returns whether some patterns may match outside of the root.
    pub(super) fn have_outside(&self) -> bool {
        !(self.top.is_empty() && self.home.is_empty())
    }
}

impl Scope {
    pub(super) fn compile(
        patterns: &[(usize, &str)],
        options: &GlobOptions,
    ) -> Result<Self, Vec<PatternError>> {
        let owners: Vec<usize> = patterns.iter().map(|(index, _)| *index).collect();
        let globs = Globs::compile(patterns.iter().map(|(_, text)| text), options);
        let owned = |mut error: PatternError| {
            error.index = owners.get(error.index).copied().unwrap_or(error.index);
            error
        };
        let globs = globs.map_err(|bad| bad.into_iter().map(owned).collect::<Vec<_>>())?;
        Ok(Self { globs, owners })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    pub(super) fn owner(&self, index: Option<usize>) -> Option<usize> {
        self.owners.get(index?).copied()
    }

    pub(super) fn find(&self, reading: &str) -> Option<usize> {
        self.owner(self.globs.find(reading))
    }

    /// The same for a reading that is folded already, if the patterns are.
    pub(super) fn find_folded(&self, reading: &str) -> Option<usize> {
        self.owner(self.globs.find_folded(reading))
    }

    pub(super) fn find_below(&self, folder: &str) -> Option<usize> {
        self.owner(self.globs.find_below(folder))
    }

    pub(super) fn meets(&self, outline: &str) -> Option<usize> {
        if self.is_empty() { None } else { self.owner(self.globs.meets(outline, true)) }
    }

    pub(super) fn names(&self, outline: &str) -> Option<usize> {
        if self.is_empty() { None } else { self.owner(self.globs.names(outline)) }
    }

    pub(super) fn meets_below(&self, outline: &str) -> Option<usize> {
        if self.is_empty() { None } else { self.owner(self.globs.meets_below(outline)) }
    }
}

/// Returns whether the first part of a pattern has a wildcard, so that it begins in no certain folder.
pub(super) fn begins_with_wildcard(pattern: &str) -> bool {
    let first = pattern.trim_start_matches("./").split('/').next().unwrap_or_default();
    first == "**"
}
