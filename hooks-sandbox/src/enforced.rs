//! Parts of a profile that the kernel really holds.

use serde::{Deserialize, Serialize};

/// A report of the kernel's hold on a command: each mechanism as it was applied, and each promise that follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// The mechanisms, in the order in which they were applied.
    pub mechanisms: Vec<Mechanism>,
    /// Promises of the profile, and whether each is held.
    pub promises: Vec<Promise>,
}

/// A mechanism, as it was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mechanism {
    /// Name of the mechanism.
    pub name: String,
    /// Whether it holds.
    pub held: Held,
}

/// Whether a mechanism holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// The mechanism holds.
    Fully,
    /// A part of the mechanism holds; the text names the missing part.
    Partly(String),
    /// The mechanism was refused, for this reason.
    Refused(String),
}

impl Held {
    /// Whether all of it holds.
    ///
    /// ```
    /// use hooks_sandbox::Held;
    ///
    /// assert!(Held::Fully.is_full());
    /// assert!(!Held::Partly("sockets are not restricted".to_owned()).is_full());
    /// ```
    pub const fn is_full(&self) -> bool {
        matches!(self, Self::Fully)
    }
}

/// A promise of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    /// Text of the promise.
    pub what: String,
    /// Whether it is held.
    pub is_held: bool,
}

impl Enforced {
    /// Adds a mechanism, and returns whether it holds fully.
    ///
    /// ```
    /// use hooks_sandbox::{Enforced, Held};
    ///
    /// let mut enforced = Enforced::default();
    /// let has_mounts = enforced.add("mounts", Held::Refused("not permitted".to_owned()));
    /// let has_landlock = enforced.add("landlock", Held::Fully);
    /// enforced.promise("nothing outside is written", has_mounts || has_landlock);
    /// assert!(enforced.is_whole());
    /// ```
    pub fn add(&mut self, name: &str, held: Held) -> bool {
        let is_full = held.is_full();
        self.mechanisms.push(Mechanism { name: name.to_owned(), held });
        is_full
    }

    /// Adds a promise.
    pub fn promise(&mut self, what: &str, is_held: bool) {
        self.promises.push(Promise { what: what.to_owned(), is_held });
    }

    /// Whether a mechanism holds fully; not if it was not applied.
    ///
    /// ```
    /// use hooks_sandbox::{Enforced, Held};
    ///
    /// let mut enforced = Enforced::default();
    /// enforced.add("namespaces", Held::Fully);
    /// assert!(enforced.has("namespaces") && !enforced.has("landlock"));
    /// ```
    pub fn has(&self, name: &str) -> bool {
        self.mechanisms.iter().any(|one| one.held.is_full() && one.name == name)
    }

    /// Whether a promise is held; not if it was not made.
    ///
    /// ```
    /// use hooks_sandbox::Enforced;
    ///
    /// let mut enforced = Enforced::default();
    /// enforced.promise("no secret is read", true);
    /// assert!(enforced.holds("no secret is read") && !enforced.holds("nothing outside is written"));
    /// ```
    pub fn holds(&self, what: &str) -> bool {
        self.promises.iter().any(|one| one.is_held && one.what == what)
    }

    /// Whether every promise is held. Nothing is held if nothing was promised.
    ///
    /// ```
    /// use hooks_sandbox::Enforced;
    ///
    /// let mut enforced = Enforced::default();
    /// assert!(!enforced.is_whole());
    /// enforced.promise("no secret is read", true);
    /// assert!(enforced.is_whole());
    /// enforced.promise("nothing outside is written", false);
    /// assert!(!enforced.is_whole());
    /// ```
    pub fn is_whole(&self) -> bool {
        !self.promises.is_empty() && self.promises.iter().all(|one| one.is_held)
    }

    /// A message with the promises that are not held, and the reasons.
    ///
    /// ```
    /// use hooks_sandbox::{Enforced, Held};
    ///
    /// let mut enforced = Enforced::default();
    /// enforced.add("landlock", Held::Refused("the kernel is too old".to_owned()));
    /// enforced.promise("no secret is read", false);
    /// assert_eq!(enforced.missing(), "not held: no secret is read (landlock: the kernel is too old)");
    /// ```
    pub fn missing(&self) -> String {
        let promises = self.promises.iter().filter(|one| !one.is_held).map(|one| one.what.clone());
        let why = self.mechanisms.iter().filter_map(|one| match &one.held {
            Held::Fully => None,
            Held::Partly(why) | Held::Refused(why) => Some(format!("{}: {why}", one.name)),
        });
        let (promises, why): (Vec<_>, Vec<_>) = (promises.collect(), why.collect());
        format!("not held: {} ({})", promises.join(", "), why.join("; "))
    }
}
