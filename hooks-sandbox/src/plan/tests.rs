use std::fs;

use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::config::SandboxConfig;
use crate::profile::{Pattern, Places, Rules};

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
    assert!(plan.gaps.iter().any(|one| one.pattern.contains("target")), "{:?}", plan.gaps);
    assert!(!plan.breaks_reads() && !plan.breaks_writes(), "{:?}", plan.gaps);
}

#[test]
fn with_rules() {
    let disk = disk(FILES);
    let rules = Rules {
        write_allow: vec![vec!["src/**".to_owned(), "docs/**".to_owned(), "api/*.rs".to_owned()]],
        own: vec!["hooks.yaml".to_owned()],
        ..Rules::default()
    };
    fs::write(disk.workspace.join("api/a.rs"), "x").unwrap();
    let plan = disk.plan(rules, &SandboxConfig::default());
    // Of a pattern with a wildcard, the files that exist are open, and not their folder.
    assert_eq!(
        disk.names(&plan.writable),
        [".cargo/registry", "repo/.git", "repo/api/a.rs", "repo/src", "repo/target"]
    );
    let told = |what: &str| plan.gaps.iter().any(|one| one.pattern == what);
    assert!(told("docs/**") && told("api/*.rs"), "{:?}", plan.gaps);
}

#[test]
fn a_link_opens_nothing() {
    let disk = disk(FILES);
    symlink(&disk.home, disk.workspace.join("out")).unwrap();
    symlink(disk.home.join(".ssh"), disk.workspace.join("dist")).unwrap();
    let rules = Rules { write_allow: vec![vec!["out/**".to_owned()]], ..Rules::default() };
    let plan = disk.plan(rules, &SandboxConfig::default());
    assert_eq!(disk.names(&plan.writable), [".cargo/registry", "repo/.git", "repo/target"]);
}

#[test]
fn links_to_secrets_close_their_targets() {
    let disk = disk(&["data/env", "repo/src/a"]);
    symlink(disk.home.join("data/env"), disk.workspace.join(".env")).unwrap();
    let plan = disk.plan(secrets(), &SandboxConfig::default());
    assert_eq!(disk.names(&plan.masked), ["data/env"]);
}

/// Rules that let nothing open the settings of a client.
fn own() -> Rules {
    Rules { own: vec!["**/.claude/settings.json".to_owned()], ..Rules::default() }
}

impl Disk {
    fn make(&self, name: &str) -> PathBuf {
        let path = self.workspace.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        path
    }
}

#[test]
fn what_a_command_creates_is_removed_afterwards() {
    let disk = disk(FILES);
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    assert_eq!(plan.clean_up(&profile).unwrap(), Aftermath::default());
    disk.make("src/new.rs");
    let settings = disk.make(".claude/settings.json");
    let moved = disk.make(".git/commondir");
    let worktree = disk.make(".git/config.worktree");
    let submodule =
        ["config.worktree", "info/attributes"].map(|name| disk.make(&format!(".git/modules/sub/{name}")));
    // A new repository has settings of its own, and so has a working tree of an old one.
    disk.make("new/.git/config");
    let tree = disk.make(".git/worktrees/wt/commondir");
    fs::write(&tree, "../..\n").unwrap();
    let after = plan.clean_up(&profile).unwrap();
    let removed = [settings.clone(), moved, worktree].into_iter().chain(submodule).collect();
    assert_eq!(after, Aftermath { removed, ..Aftermath::default() });
    assert!(!settings.exists() && tree.exists() && disk.workspace.join("src/new.rs").exists());
}

#[test]
fn new_settings_do_not_stay_as_links_or_behind_links() {
    let disk = disk(FILES);
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    disk.make("evil.json");
    fs::create_dir_all(disk.workspace.join(".claude")).unwrap();
    symlink("../evil.json", disk.workspace.join(".claude/settings.json")).unwrap();
    disk.make("sub/real/settings.json");
    symlink("real", disk.workspace.join("sub/.claude")).unwrap();
    let after = plan.clean_up(&profile).unwrap();
    assert_eq!(after.removed.len(), 2, "{after:?}");
    for name in [".claude/settings.json", "sub/.claude/settings.json"] {
        assert!(disk.workspace.join(name).symlink_metadata().is_err(), "{name}");
    }
    assert!(disk.workspace.join("evil.json").exists());
}

/// The link governs as the file does that it leads to, and that file was there before.
#[test]
fn a_new_link_to_settings_that_existed_is_removed_and_they_stay() {
    let disk = disk(&["repo/.claude/settings.json", "repo/other/settings.json", "repo/sub/a"]);
    let old = disk.workspace.join("old");
    symlink("sub", &old).unwrap();
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    let links = [("../.claude", "sub/.claude"), ("../../other", "sub/deep/.claude")];
    fs::create_dir(disk.workspace.join("sub/deep")).unwrap();
    links.iter().for_each(|(to, name)| symlink(to, disk.workspace.join(name)).unwrap());
    let after = plan.clean_up(&profile).unwrap();
    let removed = links.map(|(_, name)| disk.workspace.join(name)).to_vec();
    assert_eq!(after, Aftermath { removed, ..Aftermath::default() });
    for name in [".claude/settings.json", "other/settings.json", "old"] {
        assert!(disk.workspace.join(name).exists(), "{name}");
    }
}

#[test]
fn new_settings_behind_a_link_that_existed_do_not_stay() {
    let disk = disk(&["repo/real/a", "repo/sub/a"]);
    let link = disk.workspace.join("sub/.claude");
    symlink("../real", &link).unwrap();
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    let settings = disk.make("real/settings.json");
    let after = plan.clean_up(&profile).unwrap();
    assert_eq!(after, Aftermath { removed: vec![settings], ..Aftermath::default() });
    assert!(link.exists());
}

/// Each would keep the removal from its end, and so from the other files.
#[test]
fn files_that_have_no_end_are_not_read() {
    let disk =
        disk(&["repo/.claude/settings.json", "repo/.git/worktrees/a/HEAD", "repo/.git/worktrees/b/HEAD"]);
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    let pipe = |name: &str| {
        let path = disk.workspace.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        path
    };
    let mut pipes = vec![pipe(".git/worktrees/a/commondir"), pipe("tree/.claude/settings.json")];
    disk.make("tree/.git");
    let large = disk.make(".git/worktrees/b/commondir");
    fs::File::create(&large).unwrap().set_len(1 << 40).unwrap();
    pipes.insert(1, large);
    assert_eq!(plan.clean_up(&profile).unwrap(), Aftermath { removed: pipes, ..Aftermath::default() });
}

#[test]
fn new_settings_do_not_stay_in_folders_that_were_closed() {
    let test = "new_settings_do_not_stay_in_folders_that_were_closed";
    if rustix::process::geteuid().is_root() && !as_another_user(test) {
        return;
    }
    let disk = disk(FILES);
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    for (name, mode) in [("a", 0o000), ("b", 0o311), ("c", 0o555)] {
        disk.make(&format!("{name}/.claude/settings.json"));
        for closed in [format!("{name}/.claude"), name.to_owned()] {
            fs::set_permissions(disk.workspace.join(closed), Permissions::from_mode(mode)).unwrap();
        }
    }
    let after = plan.clean_up(&profile).unwrap();
    assert_eq!((after.removed.len(), after.missed.len()), (3, 0), "{after:?}");
    let mode = fs::metadata(disk.workspace.join("b")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o311);
    ["a", "b", "c"].iter().for_each(|name| {
        fs::set_permissions(disk.workspace.join(name), Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(disk.workspace.join(name).join(".claude"), Permissions::from_mode(0o755))
            .unwrap();
    });
}

#[test]
fn settings_stay_that_existed_and_links_to_them_are_restored() {
    let disk = disk(&["repo/conf/settings.json", "repo/deep/settings.json"]);
    fs::create_dir_all(disk.workspace.join(".claude")).unwrap();
    let link = disk.workspace.join(".claude/settings.json");
    symlink("../conf/settings.json", &link).unwrap();
    fs::create_dir_all(disk.workspace.join("sub")).unwrap();
    symlink("../deep", disk.workspace.join("sub/.claude")).unwrap();
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    // Also behind a link to a folder.
    assert_eq!(disk.names(&plan.read_only), ["repo/conf/settings.json", "repo/deep/settings.json"]);
    fs::remove_file(&link).unwrap();
    fs::write(&link, "{}").unwrap();
    let after = plan.clean_up(&profile).unwrap();
    assert_eq!(after, Aftermath { restored: vec![link.clone()], ..Aftermath::default() });
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("../conf/settings.json"));
    // With its folder.
    fs::remove_dir_all(disk.workspace.join(".claude")).unwrap();
    assert_eq!(plan.clean_up(&profile).unwrap(), after);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("../conf/settings.json"));
}

#[test]
fn a_copy_of_the_settings_stays_in_a_new_working_tree_only() {
    let disk = disk(&["repo/.claude/settings.json", "repo/.git/config", "repo/sub/a"]);
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    let kept = disk.make("wt/.claude/settings.json");
    disk.make("wt/.git");
    let other = disk.make("clone/.claude/settings.json");
    fs::write(&other, "other").unwrap();
    disk.make("clone/.git/config");
    let here = disk.make("sub/.claude/settings.json");
    // It would govern the workspace in place of the settings there.
    let hidden = disk.make(".claude/.claude/settings.json");
    disk.make(".claude/.git");
    assert_eq!(plan.clean_up(&profile).unwrap().removed, [hidden, other, here]);
    assert!(kept.exists());
}

#[test]
fn rights_on_folders_above_settings_are_restored() {
    let disk = disk(&["repo/.claude/settings.json"]);
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    let folder = disk.workspace.join(".claude");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let before = mode(&folder);
    fs::set_permissions(&folder, Permissions::from_mode(0o000)).unwrap();
    assert_eq!(plan.clean_up(&profile).unwrap().restored, std::slice::from_ref(&folder));
    assert_eq!(mode(&folder), before);
}

#[test]
fn settings_in_build_folders_and_caches_are_closed_and_do_not_stay() {
    let disk = disk(&[
        "repo/target/.claude/settings.json",
        "repo/node_modules/x/.claude/settings.json",
        ".cargo/registry/state/a",
    ]);
    let mut rules = own();
    rules.own.push(format!("{}/.cargo/registry/state/**", disk.home.display()));
    rules.own.push(format!("{}/.cargo/registry/late.yaml", disk.home.display()));
    let profile = disk.profile(rules, &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    assert_eq!(
        disk.names(&plan.read_only),
        [
            ".cargo/registry/state",
            "repo/node_modules/x/.claude/settings.json",
            "repo/target/.claude/settings.json"
        ]
    );
    let late = disk.home.join(".cargo/registry/late.yaml");
    fs::write(&late, "x").unwrap();
    let settings = disk.make("dist/.claude/settings.json");
    assert_eq!(plan.clean_up(&profile).unwrap().removed, [late, settings]);
}

#[test]
fn a_folder_that_cannot_be_searched_is_closed() {
    if rustix::process::geteuid().is_root() && !as_another_user("a_folder_that_cannot_be_searched_is_closed")
    {
        return;
    }
    let disk = disk(&["repo/a/.env", "repo/b/.env", "repo/c/.env", "repo/src/x"]);
    let set = |name: &str, mode| {
        fs::set_permissions(disk.workspace.join(name), Permissions::from_mode(mode)).unwrap();
    };
    for (name, mode) in [("a", 0o000), ("b", 0o311), ("c", 0o444)] {
        set(name, mode);
    }
    let plan = disk.plan(secrets(), &SandboxConfig::default());
    ["a", "b", "c"].iter().for_each(|name| set(name, 0o755));
    assert_eq!(disk.names(&plan.masked), ["repo/a", "repo/b", "repo/c"]);
}

/// Runs a test again as a user without rights over others' files. Returns whether this process has to do the work itself.
#[expect(clippy::disallowed_methods, reason = "the test starts itself")]
fn as_another_user(test: &str) -> bool {
    use std::os::unix::process::CommandExt;
    let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let program = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let done = std::process::Command::new(&program)
        .args(["--exact", &format!("plan::tests::{test}")])
        .env("TMPDIR", folder.path())
        .current_dir("/")
        .uid(65_534)
        .gid(65_534)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert!(String::from_utf8_lossy(&done.stdout).contains("1 passed"));
    false
}

#[test]
fn names_that_are_not_utf_8_are_closed_and_handed_over() {
    let disk = disk(&["repo/src/x"]);
    let folder = disk.workspace.join(std::ffi::OsStr::from_bytes(b"d\xff"));
    fs::create_dir_all(&folder).unwrap();
    let secrets_here = [folder.join(".env"), disk.workspace.join(std::ffi::OsStr::from_bytes(b".env.\xff"))];
    secrets_here.iter().for_each(|path| fs::write(path, "x").unwrap());
    let plan = disk.plan(secrets(), &SandboxConfig::default());
    for path in &secrets_here {
        assert!(plan.masked.contains(path), "{:?}", plan.masked);
    }
    let text = serde_json::to_string(&plan).unwrap();
    let again: Plan = serde_json::from_str(&text).unwrap();
    assert!(again.clean_up(&disk.profile(secrets(), &SandboxConfig::default())).is_err());
    assert_eq!((again.masked, again.seen), (plan.masked, plan.seen));
}

#[test]
fn of_several_lists_each_has_to_allow_a_file() {
    let disk = disk(&["repo/src/a", "repo/src/gen/b", "repo/docs/c", "repo/docs/d.md"]);
    let list = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>();
    let write_allow = vec![list(&["src/**", "docs/**"]), list(&["src/gen/**", "**/*.md"])];
    let config = SandboxConfig {
        write: vec![disk.home.join("out").display().to_string()],
        ..SandboxConfig::default()
    };
    fs::create_dir_all(disk.home.join("out")).unwrap();
    let plan = disk.plan(Rules { write_allow, ..Rules::default() }, &config);
    assert_eq!(disk.names(&plan.writable), ["out", "repo/docs/d.md", "repo/src/gen"]);
}

#[test]
fn folders_that_the_section_opens_are_searched() {
    let disk = disk(&["other/.env", "other/.git/config", "other/a"]);
    let config = SandboxConfig { write: vec!["~/other".to_owned()], ..SandboxConfig::default() };
    let plan = disk.plan(secrets(), &config);
    assert_eq!(disk.names(&plan.masked), ["other/.env"]);
    assert_eq!(disk.names(&plan.read_only), ["other/.git/config"]);
}

#[test]
fn a_file_that_leads_to_a_repository_is_closed() {
    let disk = disk(&["repo/.git", "repo/sub/.git", "repo/.git2/config"]);
    let plan = disk.plan(Rules::default(), &SandboxConfig::default());
    assert_eq!(disk.names(&plan.read_only), ["repo/.git", "repo/sub/.git"]);
}

#[test]
fn a_submodule_may_have_the_name_of_a_folder_of_git() {
    let disk =
        disk(&["repo/.git/config", "repo/.git/modules/objects/config", "repo/.git/modules/objects/HEAD"]);
    let plan = disk.plan(Rules::default(), &SandboxConfig::default());
    assert_eq!(disk.names(&plan.read_only), ["repo/.git/config", "repo/.git/modules/objects/config"]);
}

#[test]
fn patterns_that_cannot_be_looked_up_break_the_promise() {
    let disk = disk(&["big/deep/er/secret.key", "repo/a"]);
    let deny = |glob: String| Rules { read_deny: vec![Pattern::new(glob, "test")], ..Rules::default() };
    // A folder that is small enough is searched.
    let plan =
        disk.plan(deny(format!("{}/big/**/secret.key", disk.home.display())), &SandboxConfig::default());
    assert_eq!(disk.names(&plan.masked), ["big/deep/er/secret.key"]);
    assert!(!plan.breaks_reads());
    let plan = disk.plan(deny("/usr/**/x/secret.key".to_owned()), &SandboxConfig::default());
    assert!(plan.breaks_reads(), "{:?}", plan.gaps);
}

#[test]
fn sockets_of_others_are_hidden_and_those_of_the_project_are_not() {
    let disk = disk(&[]);
    let bind = |path: PathBuf| std::os::unix::net::UnixListener::bind(path).unwrap();
    let _listeners = [bind(disk.home.join("s")), bind(disk.workspace.join("s"))];
    let plan = disk.plan(Rules::default(), &SandboxConfig::default());
    assert_eq!((disk.names(&plan.sockets), disk.names(&plan.masked)), (vec!["s".to_owned()], vec![]));
    let egress = SandboxConfig { egress: EgressConfig::All, ..SandboxConfig::default() };
    assert_eq!(disk.names(&disk.plan(Rules::default(), &egress).sockets), Vec::<String>::new());
}

#[test]
fn a_list_with_a_text_that_is_no_host_has_no_plan() {
    let disk = disk(&[]);
    let config = |host: &str| SandboxConfig {
        egress: EgressConfig::Hosts(vec![host.to_owned()]),
        ..SandboxConfig::default()
    };
    let plan = disk.plan(Rules::default(), &config("a.example"));
    assert_eq!((plan.is_connected, plan.hosts), (false, vec!["a.example".to_owned()]));
    let profile = disk.profile(Rules::default(), &config("https://a.example"));
    assert!(Plan::new(&profile, &disk.workspace).unwrap_err().to_string().contains("not a host"));
}

#[test]
fn a_clean_up_does_not_reach_out_of_the_folders_that_were_open() {
    let disk = disk(&["repo/conf/settings.json", ".claude/settings.json", "repo/evil/settings.json"]);
    fs::create_dir_all(disk.workspace.join(".claude")).unwrap();
    let link = disk.workspace.join(".claude/settings.json");
    symlink("../conf/settings.json", &link).unwrap();
    let profile = disk.profile(own(), &SandboxConfig::default());
    // Nothing is mounted on a folder above a link, so the command can move it.
    for (other, then) in [("../.claude", "a"), ("evil", "b")] {
        let plan = Plan::new(&profile, &disk.workspace).unwrap();
        fs::rename(disk.workspace.join(".claude"), disk.workspace.join(then)).unwrap();
        symlink(other, disk.workspace.join(".claude")).unwrap();
        let after = plan.clean_up(&profile).unwrap();
        assert_eq!(after, Aftermath { restored: vec![link.clone()], ..Aftermath::default() });
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("../conf/settings.json"));
        assert!(disk.home.join(".claude/settings.json").symlink_metadata().unwrap().is_file());
    }
}

#[test]
fn all_links_on_the_way_to_settings_are_restored() {
    let disk = disk(&["repo/conf/settings.json", "repo/evil/settings.json", "repo/.claude/a"]);
    symlink("../now/settings.json", disk.workspace.join(".claude/settings.json")).unwrap();
    let way = disk.workspace.join("now");
    symlink("conf", &way).unwrap();
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    fs::remove_file(&way).unwrap();
    symlink("evil", &way).unwrap();
    let after = plan.clean_up(&profile).unwrap();
    assert_eq!(after, Aftermath { restored: vec![way.clone()], ..Aftermath::default() });
    assert_eq!(fs::read_link(&way).unwrap(), Path::new("conf"));
}

#[test]
fn a_clean_up_does_not_remove_what_was_there_under_another_name() {
    let disk = disk(&["repo/.claude/settings.json", "repo/notes/settings.json"]);
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    let mut made = Vec::new();
    for (name, target) in [("a", "../.claude"), ("b", "../notes")] {
        fs::create_dir_all(disk.workspace.join(name)).unwrap();
        made.push(disk.workspace.join(name).join(".claude"));
        symlink(target, disk.workspace.join(name).join(".claude")).unwrap();
    }
    assert_eq!(plan.clean_up(&profile).unwrap(), Aftermath { removed: made, ..Aftermath::default() });
    for name in [".claude", "notes"] {
        assert!(disk.workspace.join(name).join("settings.json").exists(), "{name}");
    }
}

#[test]
fn a_link_by_which_there_could_be_settings_is_restored_and_has_none() {
    let disk = disk(&["repo/deep/settings.json", "repo/empty/a"]);
    for (name, target) in [("sub", "../deep"), ("other", "../empty")] {
        fs::create_dir_all(disk.workspace.join(name)).unwrap();
        symlink(target, disk.workspace.join(name).join(".claude")).unwrap();
    }
    let profile = disk.profile(own(), &SandboxConfig::default());
    let plan = Plan::new(&profile, &disk.workspace).unwrap();
    let link = disk.workspace.join("sub/.claude");
    fs::remove_file(&link).unwrap();
    disk.make("sub/.claude/settings.json");
    let settings = disk.make("empty/settings.json");
    let after = plan.clean_up(&profile).unwrap();
    let expected =
        Aftermath { removed: vec![settings.clone()], restored: vec![link.clone()], ..Aftermath::default() };
    assert_eq!(after, expected);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("../deep"));
    assert!(!settings.exists() && disk.workspace.join("other/.claude").is_symlink());
}
