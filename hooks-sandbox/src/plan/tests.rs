use std::fs;

use super::*;
use crate::config::SandboxConfig;
use crate::profile::{Places, Rules};

/// A home and a workspace in a folder of their own.
struct Disk {
    _folder: tempfile::TempDir,
    home: PathBuf,
    workspace: PathBuf,
}

fn disk(files: &[&str]) -> Disk {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (home, workspace) = (root.join("home"), root.join("home/repo"));
    fs::create_dir_all(&workspace).unwrap();
    for file in files {
        let path = home.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    Disk { _folder: folder, home, workspace }
}

impl Disk {
    fn profile(&self, rules: Rules, config: &SandboxConfig) -> Profile {
        let places =
            Places { workspace: self.workspace.clone(), home: Some(self.home.clone()), ..Places::default() };
        Profile::new(&places, rules, config)
    }

    fn plan(&self, rules: Rules, config: &SandboxConfig) -> Plan {
        Plan::new(&self.profile(rules, config), &self.workspace).unwrap()
    }

    fn names(&self, paths: &[PathBuf]) -> Vec<String> {
        let below = paths.iter().filter_map(|path| path.strip_prefix(&self.home).ok());
        below.map(|path| path.to_str().unwrap().to_owned()).collect()
    }
}

/// Rules with some places of secrets, as `hooks-config` fills them from its set.
fn secrets() -> Rules {
    let hidden = ["**/{.env,.env.*}", "**/.ssh/**", "~/.aws/**", "**/.netrc", "**/id_rsa"];
    Rules {
        read_deny: hidden.map(|glob| Pattern::new(glob, "a secret")).to_vec(),
        read_except: vec!["**/.ssh/known_hosts".to_owned()],
        ..Rules::default()
    }
}

const FILES: &[&str] = &[
    ".ssh/id_rsa",
    ".ssh/known_hosts",
    ".aws/credentials",
    ".netrc",
    ".cargo/registry/a",
    "repo/.env",
    "repo/api/.env.local",
    "repo/src/main.rs",
    "repo/target/debug/x.pem",
    "repo/.git/config",
    "repo/.git/hooks/pre-commit",
    "repo/.git/objects/ab/cd",
    "repo/.git/modules/sub/config",
    "repo/hooks.yaml",
];

#[test]
fn without_rules() {
    let disk = disk(FILES);
    let plan = disk.plan(secrets(), &SandboxConfig::default());
    assert_eq!(disk.names(&plan.writable), [".cargo/registry", "repo"]);
    // A folder of which a part may be read is closed file by file.
    assert_eq!(
        disk.names(&plan.masked),
        [".aws", ".netrc", ".ssh/id_rsa", "repo/.env", "repo/api/.env.local"]
    );
    assert_eq!(
        disk.names(&plan.read_only),
        ["repo/.git/config", "repo/.git/hooks", "repo/.git/modules/sub/config"]
    );
    assert!(plan.unexpressed.iter().any(|one| one.pattern.contains("target")), "{:?}", plan.unexpressed);
}

#[test]
fn with_rules() {
    let disk = disk(FILES);
    let rules = Rules {
        write_allow: Some(vec!["src/**".to_owned(), "docs/**".to_owned(), "api/*.rs".to_owned()]),
        own: vec!["hooks.yaml".to_owned()],
        ..Rules::default()
    };
    let plan = disk.plan(rules, &SandboxConfig::default());
    assert_eq!(
        disk.names(&plan.writable),
        [".cargo/registry", "repo/.git", "repo/api", "repo/src", "repo/target"]
    );
    let told = |what: &str| plan.unexpressed.iter().any(|one| one.pattern == what);
    assert!(told("docs/**") && told("api/*.rs"), "{:?}", plan.unexpressed);
}

#[test]
fn a_link_opens_nothing() {
    let disk = disk(FILES);
    std::os::unix::fs::symlink(&disk.home, disk.workspace.join("out")).unwrap();
    std::os::unix::fs::symlink(disk.home.join(".ssh"), disk.workspace.join("dist")).unwrap();
    let rules = Rules { write_allow: Some(vec!["out/**".to_owned()]), ..Rules::default() };
    let plan = disk.plan(rules, &SandboxConfig::default());
    assert_eq!(disk.names(&plan.writable), [".cargo/registry", "repo/.git", "repo/target"]);
}

#[test]
fn links_to_secrets_close_their_targets() {
    let disk = disk(&["data/env", "repo/src/a"]);
    std::os::unix::fs::symlink(disk.home.join("data/env"), disk.workspace.join(".env")).unwrap();
    let plan = disk.plan(secrets(), &SandboxConfig::default());
    assert_eq!(disk.names(&plan.masked), ["data/env"]);
}

#[test]
fn what_a_command_creates_is_found_afterwards() {
    let disk = disk(FILES);
    let own = vec!["**/.claude/settings.json".to_owned()];
    let profile = disk.profile(Rules { own, ..Rules::default() }, &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    assert_eq!(plan.created(&profile).unwrap(), Vec::<PathBuf>::new());
    let made = |name: &str| {
        let path = disk.workspace.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        path
    };
    made("src/new.rs");
    let settings = made(".claude/settings.json");
    let worktree = made(".git/config.worktree");
    // A new repository has settings of its own.
    made("new/.git/config");
    assert_eq!(plan.created(&profile).unwrap(), [settings, worktree]);
}

#[test]
fn a_list_of_hosts_has_no_plan() {
    let disk = disk(&[]);
    let egress = EgressConfig::Hosts(vec!["example.com".to_owned()]);
    let profile = disk.profile(Rules::default(), &SandboxConfig { egress, ..SandboxConfig::default() });
    assert!(Plan::new(&profile, &disk.workspace).unwrap_err().to_string().contains("hosts"));
}
