//! Hosts of package managers, by their settings and lock files on this machine.
//!
//! An agent could add a host of its own to a file that its commands may write, make such a file, or put a link in its place. So a file counts
//! only if the profile closes it and its folder for writing, by its name and by where links lead. Variables are those of the process that
//! starts the command.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hooks_facts::hosts::Authority;

use crate::profile::{Access, Gap, Profile};

/// Largest file that is read, and most hosts.
const MOST_BYTES: u64 = 1 << 24;
const MOST_HOSTS: usize = 200;

/// The key of a variable, whose value is addresses alone.
const ANY: &str = "-";

/// Hosts that were found, and files that do not count.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) hosts: Vec<String>,
    pub(super) left: Vec<Gap>,
}

/// Looks for the hosts.
pub(super) fn find(
    profile: &Profile,
    access: &Access<'_>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Found {
    let mut found = Found::default();
    for (kind, name, keys) in rows() {
        let path = match kind {
            "home" => profile.home.as_ref().map(|home| home.join(name)),
            "workspace" => Some(profile.workspace.join(name)),
            "system" => Some(PathBuf::from(name)),
            _ => {
                found.add(&variable(name).unwrap_or_default(), keys);
                None
            }
        };
        let Some((path, real)) = path.and_then(|path| Some((path.clone(), path.canonicalize().ok()?))) else {
            continue;
        };
        if can_write(access, &path) || can_write(access, &real) {
            let why = "its hosts are not opened, as commands can write it or its folder";
            found.left.push(Gap::limit(real.display().to_string(), why));
        } else if let Some(text) = read(&real) {
            found.add(&text, keys);
        }
    }
    found.hosts.sort();
    found.hosts.dedup();
    found.hosts.truncate(MOST_HOSTS);
    found
}

/// Whether a command can change a file, make it, or put another one in its place.
fn can_write(access: &Access<'_>, path: &Path) -> bool {
    let is_open = |path: &Path| path.to_str().is_none_or(|path| access.write(path).is_open());
    // A name that no rule has stands for a new file.
    is_open(path) || path.parent().is_none_or(|folder| is_open(&folder.join("\u{F8FF}")))
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let text = include_str!("../../data/package_files.txt");
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (kind, rest) = line.split_once('\t')?;
        let (name, keys) = rest.split_once('\t')?;
        Some((kind, name, keys))
    })
}

fn read(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= MOST_BYTES)?;
    let mut text = String::new();
    fs::File::open(path).ok()?.take(about.len()).read_to_string(&mut text).ok().map(|_| text)
}

impl Found {
    /// Adds the hosts of the addresses in a text that stand behind one of the keys.
    fn add(&mut self, text: &str, keys: &str) {
        let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with(['#', ';']));
        for line in lines.filter(|line| line.contains("://")) {
            let mut key = "";
            let words = line.split(|c: char| c.is_whitespace() || "\"',=|<>(){}".contains(c));
            for word in words.filter(|word| !word.is_empty()) {
                if !word.contains("://") {
                    // Of `@scope:registry`, the last part.
                    let last = word.trim_end_matches(':').rsplit(':').next().unwrap_or_default();
                    let last = last.trim_start_matches('-');
                    key = if last.is_empty() { key } else { last };
                } else if keys == ANY || keys.split(',').any(|one| one == key) {
                    self.hosts.extend(host(word));
                }
            }
        }
    }
}

/// The entry of a list for an address of the web: `https://a.example/x`, `sparse+https://a.example`, `registry+https://a.example#b`.
fn host(address: &str) -> Option<String> {
    let (scheme, Authority { host, port }) = Authority::of_url(address)?;
    let is_web = scheme.rsplit('+').next().is_some_and(|scheme| matches!(scheme, "http" | "https"));
    // A git repository is no registry.
    let is_git = scheme.starts_with("git");
    let text = match port {
        None | Some(80 | 443) => host.to_string(),
        Some(port) => format!("{host}:{port}"),
    };
    (is_web && !is_git).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pattern, Places, Rules, SandboxConfig};

    /// Hosts that are found in a home and a workspace with files, some of which are closed.
    fn found(files: &[(&str, &str)], closed: &[&str]) -> (Vec<String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let places = Places { workspace: root.join("repo"), home: Some(root.clone()), ..Places::default() };
        let write_deny = closed.iter().map(|glob| Pattern::new(*glob, "closed")).collect();
        let rules = Rules { write_deny, ..Rules::default() };
        let profile = Profile::new(&places, rules, &SandboxConfig::default());
        let variable = |name: &str| {
            (name == "GOPROXY").then(|| "https://go.example,https://go2.example|direct".to_owned())
        };
        let found = find(&profile, &Access::new(&profile).unwrap(), &variable);
        let system = found.left.iter().filter(|gap| !gap.pattern.starts_with(root.to_str().unwrap())).count();
        (found.hosts, found.left.len() - system)
    }

    const LOCK: &str = "{\"packages\": {\"a\": {\n  \"resolved\": \"https://npm.example/a.tgz\",\n  \"funding\": { \"url\": \"https://fund.example\" } } } }";

    #[test]
    fn a_file_that_commands_may_write_opens_no_host() {
        let files = [
            (
                ".npmrc",
                "registry=https://home.example/npm/\n@x:registry=http://scope.example:4873\n//other.example/:_authToken=x\n",
            ),
            (
                ".config/pip/pip.conf",
                "[global]\n# index-url = https://old.example\nindex-url = https://pip.example/simple\n",
            ),
            (".cargo/config.toml", "[registries.x]\nindex = \"sparse+https://cargo.example/index/\"\n"),
            ("repo/package-lock.json", LOCK),
            ("repo/uv.lock", "source = { registry = \"https://uv.example/simple\" }\n"),
        ];
        let outside = [
            "cargo.example",
            "go.example",
            "go2.example",
            "home.example",
            "pip.example",
            "scope.example:4873",
        ];
        assert_eq!(found(&files, &[]), (outside.map(str::to_owned).to_vec(), 2));
        // A rule that closes the file does not close a new one, and neither does one that hides it.
        assert_eq!(found(&files, &["package-lock.json"]), (outside.map(str::to_owned).to_vec(), 2));
        assert_eq!(found(&files, &["**"]).1, 0, "where nothing may be written");
        assert!(found(&files, &["**"]).0.contains(&"npm.example".to_owned()));
    }

    /// A link in the workspace leads to a file that no command may write.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_in_the_workspace_opens_no_host_and_reads_no_device() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("repo")).unwrap();
        fs::write(root.join("readme"), "index-url = https://evil.example\n").unwrap();
        let places = Places { workspace: root.join("repo"), home: Some(root.clone()), ..Places::default() };
        for target in [root.join("readme"), "/dev/zero".into(), "/proc/self/cmdline".into()] {
            let link = root.join("repo/pip.conf");
            drop(fs::remove_file(&link));
            std::os::unix::fs::symlink(&target, &link).unwrap();
            let profile = Profile::new(&places, Rules::default(), &SandboxConfig::default());
            let found = find(&profile, &Access::new(&profile).unwrap(), &|_| None);
            assert!(!found.hosts.iter().any(|host| host.starts_with("evil")), "{found:?}");
            assert!(target.ends_with("readme") || read(&target).is_none_or(|text| text.is_empty()));
        }
    }

    /// A link from a home leads to a file that commands may write.
    #[test]
    fn a_link_into_the_workspace_opens_no_host() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("repo")).unwrap();
        fs::write(root.join("repo/rc"), "registry=https://evil.example\n").unwrap();
        std::os::unix::fs::symlink(root.join("repo/rc"), root.join(".npmrc")).unwrap();
        let places = Places { workspace: root.join("repo"), home: Some(root), ..Places::default() };
        let profile = Profile::new(&places, Rules::default(), &SandboxConfig::default());
        let found = find(&profile, &Access::new(&profile).unwrap(), &|_| None);
        assert!(!found.hosts.iter().any(|host| host == "evil.example"), "{found:?}");
        assert!(found.left.iter().any(|gap| gap.pattern.ends_with("/rc")));
    }

    #[test]
    fn every_row_is_read() {
        assert!(rows().all(|(kind, ..)| ["home", "workspace", "system", "variable"].contains(&kind)));
        assert_eq!(
            rows().count(),
            include_str!("../../data/package_files.txt")
                .lines()
                .filter(|line| !line.starts_with('#'))
                .count()
        );
    }
}
