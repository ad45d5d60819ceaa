//! Answers for single paths.

use std::sync::Arc;

use hooks_core::PolicyErrors;
use hooks_facts::calls::{CallReader, PathPatterns};

use super::{Pattern, Profile};

/// A profile that answers for single paths: absolute, in normal form, and without links.
#[derive(Debug)]
pub struct Access<'p> {
    profile: &'p Profile,
    root: String,
    homes: Vec<String>,
    patterns: Arc<Patterns>,
}

/// The compiled patterns of a profile.
#[derive(Debug)]
pub(crate) struct Patterns {
    /// The profile, to which they belong.
    of: Profile,
    write: PathPatterns,
    write_too: Vec<PathPatterns>,
    regenerable: PathPatterns,
    fixed: PathPatterns,
    guarded: PathPatterns,
    hidden: PathPatterns,
    shown: PathPatterns,
    /// All that are fixed, guarded, hidden or regenerable, without regard to case: most paths match none of them.
    named: PathPatterns,
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
        Ok(Self::with_patterns(profile, Arc::new(Patterns::new(profile)?)))
    }

    /// The same with patterns that were compiled before, if they are those of this profile.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    pub(crate) fn again(
        profile: &'p Profile,
        patterns: Option<&Arc<Patterns>>,
    ) -> Result<Self, PolicyErrors> {
        match patterns.filter(|patterns| patterns.are_of(profile)) {
            Some(patterns) => Ok(Self::with_patterns(profile, Arc::clone(patterns))),
            None => Self::new(profile),
        }
    }

    fn with_patterns(profile: &'p Profile, patterns: Arc<Patterns>) -> Self {
        let text = |path: &std::path::Path| path.to_string_lossy().trim_end_matches('/').to_owned();
        let homes = profile.home.iter().map(|home| text(home)).collect();
        Self { root: text(&profile.workspace), homes, profile, patterns }
    }

    pub(crate) const fn patterns(&self) -> &Arc<Patterns> {
        &self.patterns
    }
}

impl Patterns {
    fn new(profile: &Profile) -> Result<Self, PolicyErrors> {
        let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
        let texts = |all: &[Pattern]| all.iter().map(|one| one.pattern.clone()).collect::<Vec<_>>();
        let mut compiled = |all: &[String], is_wherever: bool, ignores_case: bool, field: &str| {
            PathPatterns::in_case(all, is_wherever, ignores_case, field, &reader, &mut errors)
        };
        let write = compiled(&texts(&profile.write), false, false, "write");
        let write_too = profile.write_too.iter().map(|list| compiled(&texts(list), false, false, "write"));
        let write_too = write_too.collect();
        let regenerable = compiled(&texts(&profile.regenerable), false, false, "regenerable");
        // Names of the hooks' own files are compared without regard to case, as the guard compares them.
        let fixed = with_below(&profile.fixed);
        let named =
            [&profile.guarded, &profile.hidden, &profile.regenerable].map(|list| texts(list)).concat();
        let named = compiled(&[named, fixed.clone()].concat(), true, true, "named");
        let fixed = compiled(&fixed, true, true, "fixed");
        let guarded = compiled(&texts(&profile.guarded), true, true, "guarded");
        let hidden = compiled(&texts(&profile.hidden), true, false, "hidden");
        let shown = compiled(&profile.shown, true, false, "shown");
        let patterns =
            Self { of: profile.clone(), write, write_too, regenerable, fixed, guarded, hidden, shown, named };
        errors.or(patterns)
    }

    /// Whether they are compiled from the lists of a profile. Its places count only when a path is compared.
    fn are_of(&self, profile: &Profile) -> bool {
        let of = &self.of;
        of.write == profile.write
            && of.write_too == profile.write_too
            && of.regenerable == profile.regenerable
            && of.fixed == profile.fixed
            && of.guarded == profile.guarded
            && of.hidden == profile.hidden
            && of.shown == profile.shown
    }
}

impl<'p> Access<'p> {
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
        match self.find(&self.patterns.hidden, path, false) {
            Some(index) if self.find(&self.patterns.shown, path, false).is_none() => {
                Answer::Closed(self.profile.hidden.get(index))
            }
            Some(_) => Answer::Open(None),
            // A folder of which nothing may be read is closed itself.
            None => self.hides_all_in(path).map_or(Answer::Open(None), |by| Answer::Closed(Some(by))),
        }
    }

    /// The pattern by which everything below a folder is hidden.
    fn hides_all_in(&self, folder: &str) -> Option<&'p Pattern> {
        let any = format!("{folder}/{ANY}");
        let index = self.find(&self.patterns.hidden, &any, false)?;
        if self.find(&self.patterns.shown, &any, false).is_some() {
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
        if let Some(index) = self.find(&self.patterns.fixed, path, true) {
            return Answer::Closed(self.profile.fixed.get(index / 2));
        }
        if let Answer::Closed(by) = self.read(path) {
            return Answer::Closed(by);
        }
        if let Some(index) = self.find(&self.patterns.regenerable, path, false) {
            return Answer::Open(self.profile.regenerable.get(index));
        }
        if let Some(index) = self.find(&self.patterns.guarded, path, true) {
            return Answer::Closed(self.profile.guarded.get(index));
        }
        self.write_by_lists(path)
    }

    /// The answer of the lists of what may be written alone.
    fn write_by_lists(&self, path: &str) -> Answer<'p> {
        let home = self.homes.first().map(String::as_str);
        let homes: Vec<&str> = home.into_iter().collect();
        let find = |list: &PathPatterns| list.find_at(path, &self.root, &homes, false);
        match find(&self.patterns.write) {
            Some(index) if self.patterns.write_too.iter().all(|list| find(list).is_some()) => {
                Answer::Open(self.profile.write.get(index))
            }
            _ => Answer::Closed(None),
        }
    }

    /// All answers for a path of a search: whether it is one that nothing opens, whether it may be read, and whether it may be written.
    /// They are those of [`fixed`](Self::fixed), [`read`](Self::read) and [`write`](Self::write), with one look at the names that most
    /// paths do not have. `is_folder` if something may be in it.
    pub(crate) fn of_entry(&self, path: &str, is_folder: bool) -> (bool, Answer<'p>, Answer<'p>) {
        let is_named = self.find(&self.patterns.named, path, true).is_some()
            || is_folder && self.find(&self.patterns.named, &format!("{path}/{ANY}"), true).is_some();
        match is_named {
            true => (self.fixed(path).is_some(), self.read(path), self.write(path)),
            false => (false, Answer::Open(None), self.write_by_lists(path)),
        }
    }

    /// The pattern by which a file is one of those that nothing opens.
    pub(crate) fn fixed(&self, path: &str) -> Option<&'p Pattern> {
        self.profile.fixed.get(self.find(&self.patterns.fixed, path, true)? / 2)
    }
}

/// A name that no pattern has but one that matches everything.
const ANY: &str = "\u{F8FF}";

/// Each pattern, and everything below it.
fn with_below(all: &[Pattern]) -> Vec<String> {
    let both = |one: &Pattern| [one.pattern.clone(), format!("{}/**", one.pattern.trim_end_matches('/'))];
    all.iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests;
