//! The files as they are written, and a reader of Seatbelt's rules that compares them with the profile.

use std::fs;

use proptest::prelude::*;
use regex::Regex;
use serde_json::Value;

use super::*;
use crate::config::{EgressConfig, SandboxConfig};
use crate::profile::{Access, Pattern, Places, Rules};

struct Emission {
    _folder: tempfile::TempDir,
    root: String,
    profile: Profile,
    plan: Plan,
}

const FILES: &[&str] = &[
    "repo/src/main.rs",
    "repo/.env",
    "repo/migrations/1.sql",
    "repo/.git/config",
    "repo/.git/HEAD",
    "repo/hooks.yaml",
    "repo/target/app",
    ".ssh/id_ed25519",
    ".ssh/known_hosts",
    ".cache/x",
];

/// A profile and a plan for a home with a repository.
fn emission(egress: EgressConfig) -> Emission {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    for file in FILES {
        fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
        fs::write(home.join(file), "x").unwrap();
    }
    let places = Places { workspace: home.join("repo"), home: Some(home.clone()), ..Places::default() };
    let rules = Rules {
        write_deny: vec![
            Pattern::new("migrations/**", "only added"),
            Pattern::new("**/*.{lock,sum}", "generated"),
        ],
        own: vec![
            "hooks.yaml".to_owned(),
            "**/.claude/settings.json".to_owned(),
            "~/.config/hooks/**".to_owned(),
        ],
        read_deny: vec![Pattern::new("**/{.env,.env.*}", "a secret"), Pattern::new("~/.ssh/**", "keys")],
        read_except: vec!["~/.ssh/known_hosts".to_owned()],
        ..Rules::default()
    };
    let config = SandboxConfig { egress, ..SandboxConfig::default() };
    // Which sockets exist is up to the machine.
    let profile = Profile { sockets: Vec::new(), ..Profile::new(&places, rules, &config) };
    let plan = Plan::new(&profile, &places.workspace).unwrap();
    Emission { root: home.to_str().unwrap().to_owned(), _folder: folder, profile, plan }
}

fn hosts() -> EgressConfig {
    EgressConfig::Hosts(["example.org", "git.example.org:22", "10.1.0.0/16"].map(str::to_owned).to_vec())
}

#[test]
fn the_files_are_as_reviewed() {
    let emission = emission(hosts());
    let mut wrong = Vec::new();
    for (name, format) in ProfileFormat::ALL {
        let emitted = emission.plan.emit(&emission.profile, format);
        let mut gaps = String::new();
        for gap in &emitted.gaps {
            let kind = (gap.breaks_reads, gap.breaks_writes);
            gaps += &format!("# {} {kind:?}: {}\n", gap.pattern, gap.why);
        }
        let ignoring_case: String = emission.root.chars().fold(String::new(), |text, c| match c {
            c if c.is_ascii_alphabetic() => {
                text + &format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase())
            }
            '.' => text + "\\.",
            c => text + &c.to_string(),
        });
        let text = format!("{gaps}{}", emitted.text)
            .replace(&ignoring_case, "HOME")
            .replace(&emission.root.replace('.', "\\."), "HOME")
            .replace(&emission.root, "HOME");
        // Whether the users of this machine have secrets is not reviewed.
        let is_other = |line: &str| ["\"/root/", "\"/home/"].iter().any(|home| line.contains(home));
        let text: String = text.split_inclusive('\n').filter(|line| !is_other(line)).collect();
        let path = format!("{}/src/emit/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("HOOKS_BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            wrong.push(path);
        }
    }
    assert!(wrong.is_empty(), "changed, `HOOKS_BLESS=1` writes them: {wrong:?}");
}

#[test]
fn each_format_can_be_read() {
    for egress in [EgressConfig::None, EgressConfig::All, hosts()] {
        let emission = emission(egress);
        let text = |format| emission.plan.emit(&emission.profile, format).text;
        for format in [ProfileFormat::Nono, ProfileFormat::SandboxRuntime, ProfileFormat::Claude] {
            serde_json::from_str::<Value>(&text(format)).unwrap();
        }
        let codex: toml_edit::DocumentMut = text(ProfileFormat::Codex).parse().unwrap();
        assert_eq!(codex["permissions"]["hooks"]["extends"].as_str(), Some(":read-only"));
        Seatbelt::read(&text(ProfileFormat::Seatbelt));
    }
}

#[test]
fn what_a_format_cannot_hold_is_listed() {
    let emission = emission(hosts());
    let gaps = |format| emission.plan.emit(&emission.profile, format).gaps;
    let network = |format| gaps(format).iter().any(|gap| gap.pattern == "10.1.0.0/16");
    assert!(
        [ProfileFormat::Nono, ProfileFormat::SandboxRuntime, ProfileFormat::Claude, ProfileFormat::Codex]
            .into_iter()
            .all(network)
    );
    assert!(
        gaps(ProfileFormat::Nono).iter().any(|gap| gap.breaks_writes && gap.pattern.ends_with(".git/config"))
    );
    assert!(gaps(ProfileFormat::Seatbelt).iter().any(|gap| gap.pattern == "sandbox.egress"));
}

/// The rules of a profile about files, in their order.
struct Seatbelt(Vec<(bool, Vec<String>, Vec<Filter>)>);

enum Filter {
    Everything,
    Subpath(String),
    Literal(String),
    Regex(Regex),
}

impl Seatbelt {
    fn read(text: &str) -> Self {
        let mut rules = Vec::new();
        for block in text.split("\n(").skip(1) {
            let (head, filters) = block.split_once('\n').unwrap_or((block, ""));
            let (head, inline) = head.split_once(" (").unwrap_or((head, ""));
            let mut words = head.trim_end_matches(')').split(' ');
            let is_allowed = match words.next() {
                Some("allow") => true,
                Some("deny") => false,
                other => panic!("{other:?}"),
            };
            let inline = (!inline.is_empty()).then(|| format!("({inline}"));
            let lines = filters.lines().map(str::to_owned).chain(inline);
            let mut all: Vec<Filter> = lines.filter_map(|line| Filter::read(line.trim())).collect();
            if filters.is_empty() && all.is_empty() {
                all.push(Filter::Everything);
            }
            rules.push((is_allowed, words.map(str::to_owned).collect(), all));
        }
        Self(rules)
    }

    fn allows(&self, operation: &str, path: &str) -> bool {
        let of = |rule: &&(bool, Vec<String>, Vec<Filter>)| {
            rule.1.iter().any(|one| one == operation || one == "default")
                && rule.2.iter().any(|one| one.has(path))
        };
        self.0.iter().rev().find(of).is_some_and(|rule| rule.0)
    }
}

impl Filter {
    fn read(line: &str) -> Option<Self> {
        let quoted = line.split('"').nth(1)?.to_owned();
        match line.split_once(' ')?.0 {
            "(subpath" => Some(Self::Subpath(quoted)),
            "(literal" => Some(Self::Literal(quoted)),
            "(regex" => Some(Self::Regex(Regex::new(&quoted).unwrap())),
            _ => None,
        }
    }

    fn has(&self, path: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Subpath(folder) => Path::new(path).starts_with(folder),
            Self::Literal(file) => path == file,
            Self::Regex(regex) => regex.is_match(path),
        }
    }
}

proptest! {
    /// Seatbelt opens and closes the files that the profile opens and closes, but for the writing of files that may be read again.
    #[test]
    fn seatbelt_agrees_with_the_profile(
        base in prop::sample::select(vec!["", "/repo", "/repo/src", "/repo/.git", "/repo/target", "/repo/migrations", "/.ssh", "/.cache", "/.config/hooks", "/repo/.claude"]),
        names in prop::collection::vec(prop::sample::select(vec![
            ".env", ".env.local", "a.lock", "config", "hooks", "x", "main.rs", "known_hosts", "id_rsa", "hooks.yaml", "settings.json",
            ".claude", ".git", "target", "info", "attributes", "modules",
        ]), 1..4),
    ) {
        thread_local!(static EMISSION: (Emission, Seatbelt) = {
            let emission = emission(EgressConfig::None);
            let text = emission.plan.emit(&emission.profile, ProfileFormat::Seatbelt).text;
            (emission, Seatbelt::read(&text))
        });
        EMISSION.with(|(emission, seatbelt)| {
            let path = format!("{}{base}/{}", emission.root, names.join("/"));
            let access = Access::new(&emission.profile).unwrap();
            let (read, write) = (access.read(&path).is_open(), access.write(&path).is_open());
            let is_folder_of_closed = path.ends_with("/.ssh") || path.ends_with(".config/hooks");
            if !is_folder_of_closed {
                prop_assert_eq!(seatbelt.allows("file-read*", &path), read, "read {}", path);
            }
            if !write || !path.contains("/.ssh/known_hosts") {
                prop_assert_eq!(seatbelt.allows("file-write*", &path), write, "write {}", path);
            }
            Ok(())
        })?;
    }
}

/// These formats would read the name as a pattern, which closes nothing.
#[test]
fn a_name_with_a_wildcard_is_not_promised() {
    let emission = emission(EgressConfig::None);
    let page = Path::new(&emission.root).join("repo/app/[id]/.env");
    fs::create_dir_all(page.parent().unwrap()).unwrap();
    fs::write(&page, "x").unwrap();
    let plan = Plan::new(&emission.profile, &emission.profile.workspace).unwrap();
    for format in [ProfileFormat::SandboxRuntime, ProfileFormat::Claude, ProfileFormat::Codex] {
        let emitted = plan.emit(&emission.profile, format);
        assert!(!emitted.text.contains("[id]"), "{}", emitted.text);
        let is_left = |gap: &Gap| gap.pattern.ends_with("[id]/.env") && gap.breaks_reads && gap.breaks_writes;
        assert!(emitted.gaps.iter().any(is_left), "{:?}", emitted.gaps);
    }
}

#[test]
fn the_folder_of_a_closed_file_keeps_its_name() {
    let emission = emission(EgressConfig::None);
    let seatbelt = Seatbelt::read(&emission.plan.emit(&emission.profile, ProfileFormat::Seatbelt).text);
    let is_kept = |path: &str| {
        let path = format!("{}/{path}", emission.root);
        let of = |(_, operations, filters): &(bool, Vec<String>, Vec<Filter>)| {
            operations.iter().any(|one| one == "file-write-unlink")
                && filters.iter().any(|one| one.has(&path))
        };
        seatbelt.0.iter().any(of)
    };
    assert!(is_kept("repo/.git") && is_kept("repo/sub/.claude") && is_kept("repo/.git/info"));
    assert!(!is_kept("repo/src") && !is_kept("repo/target"));
}
