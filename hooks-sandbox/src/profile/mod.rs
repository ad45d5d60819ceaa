//! Files and connections that a command may use: plain data that follows from the rules.
//!
//! A profile is made from [`Rules`], which `hooks-config` takes out of a configuration, and from the places of one project on
//! one machine. It knows no mechanism and asks no file system. [`Access`] answers for single paths; [`Plan`](crate::Plan) is
//! what a mechanism can do about it on a disk.
//!
//! ```
//! use hooks_sandbox::{Access, Pattern, Places, Profile, Rules, SandboxConfig};
//!
//! let places = Places { workspace: "/repo".into(), home: Some("/home/ada".into()), ..Places::default() };
//! let rules = Rules { read_deny: vec![Pattern::new("~/.ssh/**", "keys")], ..Rules::default() };
//! let profile = Profile::new(&places, rules, &SandboxConfig::default());
//! let access = Access::new(&profile)?;
//! assert!(access.write("/repo/src/main.rs").is_open());
//! assert!(!access.write("/repo/.git/config").is_open());
//! assert!(!access.write("/etc/hosts").is_open());
//! assert!(access.read("/etc/hosts").is_open());
//! assert!(!access.read("/home/ada/.ssh/id_ed25519").is_open());
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

mod access;
mod gap;
mod known;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::{EgressConfig, SandboxConfig, Unavailable};

pub(crate) use self::access::Patterns;
pub use self::access::{Access, Answer};
pub use self::gap::Gap;

/// Places of a project on a machine.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The root of the project.
    pub workspace: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Environment variables that move caches.
    pub variables: BTreeMap<String, PathBuf>,
}

impl Places {
    /// Names of the variables that move caches. The profile looks for these alone.
    ///
    /// ```
    /// use hooks_sandbox::Places;
    ///
    /// let wanted: Vec<_> = Places::variables_wanted().collect();
    /// assert!(wanted.contains(&"CARGO_HOME") && !wanted.contains(&"PATH"));
    /// let places = Places {
    ///     workspace: std::env::current_dir()?,
    ///     variables: wanted.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?.into()))).collect(),
    ///     ..Places::default()
    /// };
    /// assert!(!places.variables.contains_key("PATH"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn variables_wanted() -> impl Iterator<Item = &'static str> {
        known::folders("cache").filter_map(|folder| Some(folder.name.split_once(':')?.0))
    }
}

/// Rules of a configuration, as far as they are about files.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Lists of globs of the only files that may be written. A file has to be in each of them.
    pub write_allow: Vec<Vec<String>>,
    /// Globs of files that may not be written.
    pub write_deny: Vec<Pattern>,
    /// Files of the hooks themselves, which nothing opens.
    pub own: Vec<String>,
    /// Globs of files that may not be read.
    pub read_deny: Vec<Pattern>,
    /// Globs of files that may be read although others deny it.
    pub read_except: Vec<String>,
    /// Rules that no profile can express.
    pub unexpressed: Vec<Gap>,
}

/// A pattern, or a path, and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The glob.
    pub pattern: String,
    /// Origin of the pattern, or its purpose.
    pub why: String,
}

impl Pattern {
    /// A pattern with its reason.
    ///
    /// ```
    /// use hooks_sandbox::{Access, Pattern, Places, Profile, Rules, SandboxConfig};
    ///
    /// let places = Places { workspace: "/repo".into(), ..Places::default() };
    /// let rules = Rules { read_deny: vec![Pattern::new("keys/**", "customers")], ..Rules::default() };
    /// let profile = Profile::new(&places, rules, &SandboxConfig::default());
    /// let access = Access::new(&profile)?;
    /// let answer = access.read("/repo/keys/a.pem");
    /// assert_eq!(answer, hooks_sandbox::Answer::Closed(Some(&Pattern::new("keys/**", "customers"))));
    /// # Ok::<(), hooks_core::PolicyErrors>(())
    /// ```
    pub fn new(pattern: impl Into<String>, why: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), why: why.into() }
    }
}

/// Files and connections that a command may use. Files that it may read, it may execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The root of the project, which relative patterns begin at.
    pub workspace: PathBuf,
    /// The user's home, which `~` stands for.
    pub home: Option<PathBuf>,
    /// Files that may be written.
    pub write: Vec<Pattern>,
    /// Further lists: a file may be written only if each of them has it too.
    pub write_too: Vec<Vec<Pattern>>,
    /// Folders that tools fill by themselves. They may be written although a guard denies it to tools.
    pub regenerable: Vec<Pattern>,
    /// Files that may not be written, whatever opens them.
    pub fixed: Vec<Pattern>,
    /// Files that may not be written, except in a regenerable folder.
    pub guarded: Vec<Pattern>,
    /// Files that may neither be read nor written. Everything else may be read.
    pub hidden: Vec<Pattern>,
    /// Globs of files that may be read although `hidden` has them.
    pub shown: Vec<String>,
    /// Sockets that are hidden. Without a network, so are all others that a process outside has opened.
    pub sockets: Vec<Pattern>,
    /// Folders of sockets that are not hidden.
    pub kept_sockets: Vec<Pattern>,
    /// Variables that are unset because they lead to such sockets.
    pub unset: Vec<Pattern>,
    /// Destinations of connections.
    pub egress: EgressConfig,
    /// Treatment of a command where the sandbox cannot hold this.
    pub unavailable: Unavailable,
    /// Rules that no profile can express.
    pub unexpressed: Vec<Gap>,
}

impl Profile {
    /// The profile that follows from rules.
    ///
    /// ```
    /// use hooks_sandbox::{Access, Places, Profile, Rules, SandboxConfig};
    ///
    /// let places = Places { workspace: "/repo".into(), ..Places::default() };
    /// let config = SandboxConfig { write: vec!["/srv/out".to_owned()], ..SandboxConfig::default() };
    /// let profile = Profile::new(&places, Rules::default(), &config);
    /// let access = Access::new(&profile)?;
    /// assert!(access.write("/srv/out/report.txt").is_open());
    /// assert!(!access.write("/srv/other").is_open());
    /// # Ok::<(), hooks_core::PolicyErrors>(())
    /// ```
    pub fn new(places: &Places, rules: Rules, config: &SandboxConfig) -> Self {
        let opened = config.write.iter().map(|path| path.trim_end_matches('/'));
        let opened = opened.flat_map(|path| [path.to_owned(), format!("{path}/**")]);
        let opened: Vec<Pattern> = opened.map(|glob| Pattern::new(glob, "sandbox.write")).collect();
        let with_opened = |list: Vec<Pattern>| list.into_iter().chain(opened.iter().cloned()).collect();
        let list = |allow: Vec<String>| {
            with_opened(allow.into_iter().map(|glob| Pattern::new(glob, "write_guard.allow")).collect())
        };
        let mut lists = rules.write_allow.into_iter().map(list);
        let write = lists.next().unwrap_or_else(|| with_opened(vec![Pattern::new("**", "the workspace")]));
        let write_too = lists.collect();
        let shown = rules.read_except.into_iter().chain(config.read.iter().cloned());
        Self {
            workspace: places.workspace.clone(),
            home: places.home.clone(),
            write,
            write_too,
            regenerable: regenerable(places),
            fixed: fixed(rules.own),
            guarded: rules.write_deny,
            hidden: rules.read_deny,
            shown: shown.collect(),
            sockets: known::sockets().map(|(path, who)| Pattern::new(path, who)).collect(),
            kept_sockets: known::kept_sockets().map(|(path, who)| Pattern::new(path, who)).collect(),
            unset: known::variables().map(|(name, who)| Pattern::new(name, who)).collect(),
            egress: config.egress.clone(),
            unavailable: config.unavailable,
            unexpressed: rules.unexpressed,
        }
    }
}

/// Names of build output in a workspace.
pub(crate) fn products() -> impl Iterator<Item = &'static str> {
    known::folders("product").map(|folder| folder.name)
}

/// Names of folders in a workspace that tools fill by themselves, without those of git, and what they have.
///
/// ```
/// assert!(hooks_sandbox::regenerable_folders().any(|(name, _)| name == "node_modules"));
/// ```
pub fn regenerable_folders() -> impl Iterator<Item = (&'static str, &'static str)> {
    known::folders("product").filter(|folder| folder.name != ".git").map(|folder| (folder.name, folder.why))
}

fn regenerable(places: &Places) -> Vec<Pattern> {
    let product =
        known::folders("product").map(|folder| Pattern::new(format!("**/{}/**", folder.name), folder.why));
    let cache = known::folders("cache").filter_map(|folder| {
        let path = cache(places, &folder)?;
        Some(Pattern::new(format!("{}/**", as_pattern(&path)?), folder.why))
    });
    product.chain(cache).collect()
}

fn cache(places: &Places, folder: &known::KnownFolder) -> Option<PathBuf> {
    Some(match folder.name.split_once(':') {
        Some((variable, below)) => places.variables.get(variable)?.join(below),
        None => places.home.as_ref()?.join(folder.name),
    })
}

/// Caches that programs make when they first run, and the program of each.
pub(crate) fn made_caches(places: &Places) -> impl Iterator<Item = (PathBuf, &'static str)> {
    known::folders("cache").filter_map(|folder| Some((cache(places, &folder)?, folder.program?)))
}

fn fixed(own: Vec<String>) -> Vec<Pattern> {
    let git =
        known::folders("git").map(|folder| Pattern::new(format!("**/.git/{}", folder.name), folder.why));
    let own = own.into_iter().map(|glob| Pattern::new(glob, "it governs the agents"));
    own.chain(git).collect()
}

/// A path as a pattern that matches it alone; `None` if it is not UTF-8, or not absolute.
pub(crate) fn as_pattern(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|_| path.is_absolute())?.trim_end_matches('/');
    let mut pattern = String::new();
    for c in text.chars() {
        if matches!(c, '*' | '?' | '{' | '}' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    Some(pattern)
}
