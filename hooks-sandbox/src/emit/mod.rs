//! Profiles for the sandboxes of others, from the same rules.
//!
//! Each format holds less than `kernel::Sandbox` (feature `kernel`) does, and what it leaves open is listed with it. Tests do not run the
//! programs that read these files, and `docs/sandbox.md` lists which of them were tried.

mod json;
mod pattern;
mod seatbelt;
#[cfg(test)]
mod tests;
mod toml;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::plan::Plan;
use crate::profile::{Gap, Profile};

/// A sandbox that reads a profile of its own.
///
/// | | read by | source of the form |
/// | --- | --- | --- |
/// | [`Seatbelt`](Self::Seatbelt) | `sandbox-exec -f FILE` of macOS | the profiles that macOS has in `/System/Library/Sandbox/Profiles` |
/// | [`Nono`](Self::Nono) | `nono run --profile FILE` | `nono-profile.schema.json` of `nono-cli` 0.81 |
/// | [`SandboxRuntime`](Self::SandboxRuntime) | `srt --settings FILE` | the README of `@anthropic-ai/sandbox-runtime` 0.0.78 |
/// | [`Claude`](Self::Claude) | the settings of Claude Code | its documentation, "Sandboxing" |
/// | [`Codex`](Self::Codex) | `config.toml` of Codex CLI | its documentation, "Permissions" (beta) |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileFormat {
    /// A profile of macOS.
    Seatbelt,
    /// A profile of nono.
    Nono,
    /// Settings of Anthropic's sandbox runtime.
    ///
    /// ```
    /// use hooks_sandbox::{EgressConfig, Places, Plan, ProfileFormat, Profile, Rules, SandboxConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = folder.path().canonicalize()?;
    /// let places = Places { workspace: workspace.clone(), ..Places::default() };
    /// let egress = EgressConfig::Hosts(vec!["example.org".to_owned(), "10.1.0.0/16".to_owned()]);
    /// let profile = Profile::new(&places, Rules::default(), &SandboxConfig { egress, ..SandboxConfig::default() });
    /// let emitted = Plan::new(&profile, &workspace)?.emit(&profile, ProfileFormat::SandboxRuntime);
    /// assert!(emitted.text.contains("example.org:443"));
    /// // Networks cannot be written there, and that is listed.
    /// assert!(emitted.gaps.iter().any(|gap| gap.pattern == "10.1.0.0/16"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    SandboxRuntime,
    /// Settings of Claude Code.
    Claude,
    /// Settings of Codex CLI.
    Codex,
}

impl ProfileFormat {
    /// All formats, with their names.
    ///
    /// ```
    /// use hooks_sandbox::ProfileFormat;
    ///
    /// for (name, format) in ProfileFormat::ALL {
    ///     assert_eq!(name.parse(), Ok(format));
    /// }
    /// assert_eq!("bwrap".parse::<ProfileFormat>().unwrap_err().to_string(), "unknown format `bwrap`: use `seatbelt`, `nono`, `srt`, `claude` or `codex`");
    /// ```
    pub const ALL: [(&'static str, Self); 5] = [
        ("seatbelt", Self::Seatbelt),
        ("nono", Self::Nono),
        ("srt", Self::SandboxRuntime),
        ("claude", Self::Claude),
        ("codex", Self::Codex),
    ];
}

/// Error for an unknown [`ProfileFormat`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProfileFormat(String);

impl std::fmt::Display for UnknownProfileFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown format `{}`: use `seatbelt`, `nono`, `srt`, `claude` or `codex`", self.0)
    }
}

impl std::error::Error for UnknownProfileFormat {}

impl FromStr for ProfileFormat {
    type Err = UnknownProfileFormat;

    fn from_str(name: &str) -> Result<Self, UnknownProfileFormat> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| format).ok_or_else(|| UnknownProfileFormat(name.to_owned()))
    }
}

/// A profile for another sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The file.
    pub text: String,
    /// Promises that it does not hold, with reasons. For formats that name single files, what the plan does not hold comes first.
    pub gaps: Vec<Gap>,
}

impl Plan {
    /// The same limits in the form of another sandbox.
    ///
    /// ```
    /// use hooks_sandbox::{ProfileFormat, Places, Plan, Profile, Rules, SandboxConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = folder.path().canonicalize()?;
    /// let profile = Profile::new(&Places { workspace: workspace.clone(), ..Places::default() }, Rules::default(), &SandboxConfig::default());
    /// let plan = Plan::new(&profile, &workspace)?;
    /// let settings: serde_json::Value = serde_json::from_str(&plan.emit(&profile, ProfileFormat::SandboxRuntime).text)?;
    /// assert_eq!(settings["filesystem"]["allowWrite"][0], workspace.to_str().ok_or("UTF-8")?);
    /// assert_eq!(settings["network"]["allowedDomains"], serde_json::json!([]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn emit(&self, profile: &Profile, format: ProfileFormat) -> Emitted {
        let mut paths = Paths::new(self);
        if matches!(format, ProfileFormat::SandboxRuntime | ProfileFormat::Claude | ProfileFormat::Codex) {
            paths.leave_globs();
        }
        if format == ProfileFormat::Seatbelt {
            // Its rules are patterns, so it leaves out nothing that had to be looked up.
            paths.gaps = profile.unexpressed.clone();
        }
        let text = match format {
            ProfileFormat::Seatbelt => seatbelt::text(self, profile, &mut paths),
            ProfileFormat::Nono => json::nono(self, &mut paths),
            ProfileFormat::SandboxRuntime => json::sandbox_runtime(self, &mut paths),
            ProfileFormat::Claude => json::claude(self, &mut paths),
            ProfileFormat::Codex => toml::codex(self, &mut paths),
        };
        Emitted { text, gaps: paths.gaps }
    }
}

/// The paths of a plan as text, and what a format leaves out.
struct Paths {
    writable: Vec<String>,
    read_only: Vec<String>,
    masked: Vec<String>,
    gaps: Vec<Gap>,
}

impl Paths {
    fn new(plan: &Plan) -> Self {
        let mut gaps = plan.gaps.clone();
        let mut texts = |paths: &[PathBuf], left: fn(Gap) -> Gap| {
            paths
                .iter()
                .filter_map(|path| {
                    let text = path.to_str().filter(|text| !text.contains(char::is_control));
                    if text.is_none() {
                        gaps.push(left(Gap::limit(path.to_string_lossy(), "its name has no text")));
                    }
                    Some(text?.to_owned())
                })
                .collect::<Vec<_>>()
        };
        let writable = texts(&plan.writable, |gap| gap);
        let read_only = texts(&plan.read_only, Gap::breaking_writes);
        let masked = texts(&plan.masked, |gap| gap.breaking_reads().breaking_writes());
        Self { writable, read_only, masked, gaps }
    }

    /// Leaves out the paths that a format reads as patterns.
    fn leave_globs(&mut self) {
        let is_glob = |path: &String| path.contains(['*', '?', '[', ']']);
        let why = "this format reads its name as a pattern";
        let mut gaps = Vec::new();
        let mut taken = |all: &mut Vec<String>, left: fn(Gap) -> Gap| {
            all.retain(|path| {
                let is_pattern = is_glob(path);
                if is_pattern {
                    gaps.push(left(Gap::limit(path, why)));
                }
                !is_pattern
            });
        };
        taken(&mut self.writable, |gap| gap);
        taken(&mut self.read_only, Gap::breaking_writes);
        taken(&mut self.masked, |gap| gap.breaking_reads().breaking_writes());
        self.gaps.extend(gaps);
    }

    fn leave(&mut self, pattern: &str, why: &str) {
        self.gaps.push(Gap::limit(pattern, why));
    }

    /// Notes what formats that name single files leave out.
    fn leave_for_files(&mut self) {
        self.leave_new_files();
        self.leave("variables", "those that lead to sockets stay set; see `hooks sandbox show`");
    }

    fn leave_new_files(&mut self) {
        let why =
            "closed files that do not exist yet can be created, and read; emit the profile again after that";
        self.gaps.push(Gap::limit("new files", why).breaking_reads().breaking_writes());
    }

    /// Hosts in a format that takes names; an entry without a port is about the ports 80 and 443.
    fn hosts(&mut self, plan: &Plan, has_ports: bool) -> Vec<String> {
        if plan.is_connected {
            self.leave("sandbox.egress", "this format lists hosts, so `all` becomes none");
        }
        let mut hosts = Vec::new();
        for host in &plan.hosts {
            let is_network = host.contains('/');
            let has_port = host
                .rsplit_once(':')
                .is_some_and(|(before, _)| !before.contains(':') || before.ends_with(']'));
            match (is_network, has_port, has_ports) {
                (true, ..) => self.leave(host, "this format has no networks"),
                (_, true, true) => hosts.push(host.clone()),
                (_, true, false) => self.leave(host, "this format has no ports"),
                (_, false, true) if host.contains(':') => {
                    hosts.extend([80, 443].map(|port| format!("[{host}]:{port}")));
                }
                (_, false, true) => hosts.extend([80, 443].map(|port| format!("{host}:{port}"))),
                (_, false, false) => hosts.push(host.clone()),
            }
        }
        hosts
    }
}

/// Whether a path of a plan is a folder.
fn is_folder(path: &str) -> bool {
    Path::new(path).is_dir()
}
