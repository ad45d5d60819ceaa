//! Answers for single paths.

use hooks_core::PolicyErrors;
use hooks_facts::calls::{CallReader, PathPatterns};

use super::{Pattern, Profile};

/// A profile that answers for single paths: absolute, in normal form, and without links.
#[derive(Debug)]
pub struct Access<'p> {
    profile: &'p Profile,
    root: String,
    homes: Vec<String>,
    write: PathPatterns,
    write_too: Vec<PathPatterns>,
    regenerable: PathPatterns,
    fixed: PathPatterns,
    guarded: PathPatterns,
    hidden: PathPatterns,
    shown: PathPatterns,
}

/// Answer of a profile for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'p> {
    /// The path is open, by this pattern; `None` if nothing closes it.
    Open(Option<&'p Pattern>),
    /// The path is closed, by this pattern; `None` if nothing opens it.
    Closed(Option<&'p Pattern>),
}

impl Answer<'_> {
    /// Whether the path is open.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open(_))
    }
}

impl<'p> Access<'p> {
    /// Compiles a profile.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    pub fn new(profile: &'p Profile) -> Result<Self, PolicyErrors> {
        let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
        let texts = |all: &[Pattern]| all.iter().map(|one| one.pattern.clone()).collect::<Vec<_>>();
        let mut allowing =
            |all: &[Pattern], field: &str| PathPatterns::allowing(&texts(all), field, &reader, &mut errors);
        let write = allowing(&profile.write, "write");
        let write_too = profile.write_too.iter().map(|list| allowing(list, "write")).collect();
        let regenerable = allowing(&profile.regenerable, "regenerable");
        let mut compiled =
            |all: &[String], field: &str| PathPatterns::compile(all, field, &reader, &mut errors);
        let fixed = compiled(&with_below(&profile.fixed), "fixed");
        let guarded = compiled(&texts(&profile.guarded), "guarded");
        let hidden = compiled(&texts(&profile.hidden), "hidden");
        let shown = compiled(&profile.shown, "shown");
        let text = |path: &std::path::Path| path.to_string_lossy().trim_end_matches('/').to_owned();
        let access = Self {
            root: text(&profile.workspace),
            homes: profile.home.iter().map(|home| text(home)).collect(),
            profile,
            write,
            write_too,
            regenerable,
            fixed,
            guarded,
            hidden,
            shown,
        };
        errors.or(access)
    }

    /// The same, with further homes: `~` stands for the home of any user in what is closed.
    ///
    /// ```
    /// use hooks_sandbox::{Access, Pattern, Places, Profile, Rules, SandboxConfig};
    ///
    /// let places = Places { workspace: "/repo".into(), home: Some("/home/ada".into()), ..Places::default() };
    /// let rules = Rules { read_deny: vec![Pattern::new("~/.ssh/**", "keys")], ..Rules::default() };
    /// let profile = Profile::new(&places, rules, &SandboxConfig::default());
    /// let access = Access::new(&profile)?.with_homes(["/home/bob".to_owned()]);
    /// assert!(!access.read("/home/bob/.ssh/id_ed25519").is_open());
    /// # Ok::<(), hooks_core::PolicyErrors>(())
    /// ```
    #[must_use]
    pub fn with_homes(mut self, homes: impl IntoIterator<Item = String>) -> Self {
        self.homes.extend(homes);
        self
    }

    fn find(&self, patterns: &PathPatterns, path: &str, ignores_case: bool) -> Option<usize> {
        let homes: Vec<&str> = self.homes.iter().map(String::as_str).collect();
        patterns.find_at(path, &self.root, &homes, ignores_case)
    }

    /// Whether a command may read a file.
    ///
    /// ```
    /// use hooks_sandbox::{Access, Answer, Pattern, Places, Profile, Rules, SandboxConfig};
    ///
    /// let places = Places { workspace: "/repo".into(), ..Places::default() };
    /// let deny = vec![Pattern::new("**/*.pem", "keys of the team")];
    /// let rules = Rules { read_deny: deny, ..Rules::default() };
    /// let profile = Profile::new(&places, rules, &SandboxConfig::default());
    /// let access = Access::new(&profile)?;
    /// let Answer::Closed(Some(by)) = access.read("/repo/tls/site.pem") else { panic!("it is closed") };
    /// assert_eq!(by.why, "keys of the team");
    /// assert!(access.read("/repo/tls/site.txt").is_open());
    /// # Ok::<(), hooks_core::PolicyErrors>(())
    /// ```
    pub fn read(&self, path: &str) -> Answer<'p> {
        match self.find(&self.hidden, path, false) {
            Some(index) if self.find(&self.shown, path, false).is_none() => {
                Answer::Closed(self.profile.hidden.get(index))
            }
            Some(_) => Answer::Open(None),
            // A folder of which nothing may be read is closed itself.
            None => self.hides_all_in(path).map_or(Answer::Open(None), |by| Answer::Closed(Some(by))),
        }
    }

    /// The pattern by which everything below a folder is hidden.
    fn hides_all_in(&self, folder: &str) -> Option<&'p Pattern> {
        // A name that no other pattern has.
        let any = format!("{folder}/\u{F8FF}");
        let index = self.find(&self.hidden, &any, false)?;
        if self.find(&self.shown, &any, false).is_some() {
            return None;
        }
        self.profile.hidden.get(index)
    }

    /// Whether a command may write a file.
    ///
    /// ```
    /// use hooks_sandbox::{Access, Pattern, Places, Profile, Rules, SandboxConfig};
    ///
    /// let places = Places { workspace: "/repo".into(), ..Places::default() };
    /// let rules = Rules { write_deny: vec![Pattern::new("migrations/**", "only added")], ..Rules::default() };
    /// let profile = Profile::new(&places, rules, &SandboxConfig::default());
    /// let access = Access::new(&profile)?;
    /// assert!(access.write("/repo/src/main.rs").is_open());
    /// assert!(!access.write("/repo/migrations/1.sql").is_open());
    /// # Ok::<(), hooks_core::PolicyErrors>(())
    /// ```
    pub fn write(&self, path: &str) -> Answer<'p> {
        // Names of the hooks' own files are compared without regard to case, as the guard compares them.
        if let Some(index) = self.find(&self.fixed, path, true) {
            return Answer::Closed(self.profile.fixed.get(index / 2));
        }
        if let Answer::Closed(by) = self.read(path) {
            return Answer::Closed(by);
        }
        if let Some(index) = self.find(&self.regenerable, path, false) {
            return Answer::Open(self.profile.regenerable.get(index));
        }
        if let Some(index) = self.find(&self.guarded, path, true) {
            return Answer::Closed(self.profile.guarded.get(index));
        }
        let home = self.homes.first().map(String::as_str);
        let homes: Vec<&str> = home.into_iter().collect();
        let find = |list: &PathPatterns| list.find_at(path, &self.root, &homes, false);
        match find(&self.write) {
            Some(index) if self.write_too.iter().all(|list| find(list).is_some()) => {
                Answer::Open(self.profile.write.get(index))
            }
            _ => Answer::Closed(None),
        }
    }

    /// The pattern by which a file is one of those that nothing opens.
    pub(crate) fn fixed(&self, path: &str) -> Option<&'p Pattern> {
        self.profile.fixed.get(self.find(&self.fixed, path, true)? / 2)
    }
}

/// Each pattern, and everything below it.
fn with_below(all: &[Pattern]) -> Vec<String> {
    let both = |one: &Pattern| [one.pattern.clone(), format!("{}/**", one.pattern.trim_end_matches('/'))];
    all.iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests;
