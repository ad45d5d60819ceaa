//! Answers for single paths.

use std::sync::Arc;

use hooks_core::PolicyErrors;
use hooks_facts::calls::FilePatterns;

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
    write: FilePatterns,
    write_too: Vec<FilePatterns>,
    regenerable: FilePatterns,
    guarded: FilePatterns,
    hidden: FilePatterns,
    shown: FilePatterns,
    /// First those that are fixed, then all that are guarded, hidden or regenerable, without regard to case: most paths match none of them.
    named: FilePatterns,
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
        let mut errors = PolicyErrors::default();
        let texts = |all: &[Pattern]| all.iter().map(|one| one.pattern.clone()).collect::<Vec<_>>();
        let mut allowing = |all: &[Pattern], field| FilePatterns::allowing(&texts(all), field, &mut errors);
        let write = allowing(&profile.write, "write");
        let write_too = profile.write_too.iter().map(|list| allowing(list, "write")).collect();
        let regenerable = allowing(&profile.regenerable, "regenerable");
        // Names of the hooks' own files are compared without regard to case, as the guard compares them.
        let named = [&profile.fixed, &profile.guarded, &profile.hidden, &profile.regenerable];
        let named = named.map(|list| texts(list)).concat();
        let named = FilePatterns::ignoring_case(&named, "fixed", &mut errors);
        let guarded = FilePatterns::ignoring_case(&texts(&profile.guarded), "guarded", &mut errors);
        let hidden = FilePatterns::compile(&texts(&profile.hidden), "hidden", &mut errors);
        let shown = FilePatterns::compile(&profile.shown, "shown", &mut errors);
        let patterns =
            Self { of: profile.clone(), write, write_too, regenerable, guarded, hidden, shown, named };
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

    fn find(&self, patterns: &FilePatterns, path: &str) -> Option<usize> {
        let homes: Vec<&str> = self.homes.iter().map(String::as_str).collect();
        patterns.find(path, &self.root, &homes)
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
        match self.find(&self.patterns.hidden, path) {
            Some(index) if self.find(&self.patterns.shown, path).is_none() => {
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
        let index = self.find(&self.patterns.hidden, &any)?;
        if self.find(&self.patterns.shown, &any).is_some() {
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
        if let Some(by) = self.fixed(path) {
            return Answer::Closed(Some(by));
        }
        self.write_of_others(path)
    }

    /// The answer for a path that is not one of those that nothing opens.
    fn write_of_others(&self, path: &str) -> Answer<'p> {
        if let Answer::Closed(by) = self.read(path) {
            return Answer::Closed(by);
        }
        if let Some(index) = self.find(&self.patterns.regenerable, path) {
            return Answer::Open(self.profile.regenerable.get(index));
        }
        if let Some(index) = self.find(&self.patterns.guarded, path) {
            return Answer::Closed(self.profile.guarded.get(index));
        }
        self.write_by_lists(path)
    }

    /// The answer of the lists of what may be written alone.
    fn write_by_lists(&self, path: &str) -> Answer<'p> {
        let home = self.homes.first().map(String::as_str);
        let homes: Vec<&str> = home.into_iter().collect();
        let find = |list: &FilePatterns| list.find(path, &self.root, &homes);
        match find(&self.patterns.write) {
            Some(index) if self.patterns.write_too.iter().all(|list| find(list).is_some()) => {
                Answer::Open(self.profile.write.get(index))
            }
            _ => Answer::Closed(None),
        }
    }

    /// All answers for a path of a search: the pattern by which it is one of those that nothing opens, whether it may be read, and
    /// whether it may be written. They are those of [`fixed`](Self::fixed), [`read`](Self::read) and [`write`](Self::write), with one look
    /// at the names that most paths do not have. `above` is the answer of `fixed` for its folder; `is_folder` if something may be in it.
    pub(crate) fn of_entry(
        &self,
        path: &str,
        above: Option<&'p Pattern>,
        is_folder: bool,
    ) -> (Option<&'p Pattern>, Answer<'p>, Answer<'p>) {
        let found = self.find(&self.patterns.named, path);
        let fixed = above.or_else(|| self.profile.fixed.get(found?));
        let is_named = found.is_some()
            || is_folder && self.find(&self.patterns.named, &format!("{path}/{ANY}")).is_some();
        let read = if is_named { self.read(path) } else { Answer::Open(None) };
        let write = match fixed {
            Some(by) => Answer::Closed(Some(by)),
            None if is_named => self.write_of_others(path),
            None => self.write_by_lists(path),
        };
        (fixed, read, write)
    }

    /// The pattern by which a file is one of those that nothing opens: its own, or that of a folder that it is in.
    pub(crate) fn fixed(&self, path: &str) -> Option<&'p Pattern> {
        let folders = path.match_indices('/').skip(1).filter_map(|(at, _)| path.get(..at));
        folders.chain([path]).find_map(|path| self.fixed_itself(path))
    }

    fn fixed_itself(&self, path: &str) -> Option<&'p Pattern> {
        self.profile.fixed.get(self.find(&self.patterns.named, path)?)
    }
}

/// A name that no pattern has but one that matches everything.
const ANY: &str = "\u{F8FF}";

#[cfg(test)]
mod tests;
