//! The version of the files of a team that are read with every call: decisions, charters, routes, ceremonies, phases.
//!
//! The configuration names these files and is not changed with them, so that [`Config::rules_version`] stays the same when a
//! decision is added. An answer that names its rules names these files too.

use std::fs;
use std::path::{Path, PathBuf};

use hooks_audit::chain::Digest;

use super::Config;

/// Folders of a team whose files are rules.
const FOLDERS: [&str; 6] = ["", "decisions", "decisions/inbox", "agents", "ceremonies", "policies"];

/// Endings of the files.
const ENDINGS: [&str; 4] = ["md", "yaml", "yml", "json"];

/// Most files that are read; more than that count by their number only.
const MOST_FILES: usize = 4_096;

/// Largest file whose text counts; of a larger one, the length does.
const LARGEST: u64 = 4 << 20;

impl Config {
    /// Version of the rules for a session in `root`: [`rules_version`](Self::rules_version), and behind a dash that of the files
    /// of its team that are read with every call. Without a section about a team it is `rules_version` alone.
    ///
    /// A file that cannot be read counts as well, by its error. The cost is one read of these files.
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let root = folder.path();
    /// std::fs::create_dir(root.join(".squad"))?;
    /// let config = Config::parse("version: 1\ndecisions: {}\n", "hooks.yaml")?;
    /// let before = config.rules_version_in(root);
    /// std::fs::write(root.join(".squad/decisions.md"), "# Decisions\n\n- Never use jQuery.\n")?;
    /// assert_ne!(config.rules_version_in(root), before);
    /// assert!(before.starts_with(config.rules_version()));
    ///
    /// let without = Config::parse("version: 1\n", "hooks.yaml")?;
    /// assert_eq!(without.rules_version_in(root), without.rules_version());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rules_version_in(&self, root: &Path) -> String {
        let own = self.rules_version();
        let teams = self.team_folders();
        if teams.is_empty() {
            return own.to_owned();
        }
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for team in teams {
            add_team(&root.join(team), &mut parts);
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let digest = Digest::hash(&parts).to_string();
        format!("{own}-{}", digest.get(..8).unwrap_or_default())
    }

    /// Folders of teams whose files are rules, each once.
    fn team_folders(&self) -> Vec<PathBuf> {
        let sections = self.team_rules();
        let mut folders: Vec<PathBuf> = [
            sections.decisions.as_ref().map(|section| section.team.clone()),
            sections.boundaries.as_ref().map(|section| section.team.clone()),
            sections.ceremonies.as_ref().map(|section| section.team.clone()),
            sections.routes.as_ref().map(|section| section.team.clone()),
        ]
        .into_iter()
        .flatten()
        .collect();
        folders.sort();
        folders.dedup();
        folders
    }
}

/// Adds the names and texts of the files of a team.
fn add_team(team: &Path, parts: &mut Vec<Vec<u8>>) {
    let mut files = Vec::new();
    for folder in FOLDERS {
        let place = team.join(folder);
        add_files(&place, &mut files);
        if folder == "agents" {
            for agent in entries(&place) {
                add_files(&agent, &mut files);
            }
        }
    }
    files.sort();
    files.dedup();
    parts.push(files.len().to_string().into_bytes());
    for file in files.iter().take(MOST_FILES) {
        let name = file.strip_prefix(team).unwrap_or(file);
        parts.push(format!("\0{}\0", name.display()).into_bytes());
        let length = fs::metadata(file).map(|about| about.len());
        parts.push(match length {
            Ok(length) if length > LARGEST => length.to_string().into_bytes(),
            Ok(_) => fs::read(file).unwrap_or_else(|error| error.kind().to_string().into_bytes()),
            Err(error) => error.kind().to_string().into_bytes(),
        });
    }
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let is_text = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)) && path.is_file()
    };
    files.extend(entries(folder).into_iter().filter(is_text));
}

/// Entries of a folder; none if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.take(MOST_FILES).filter_map(Result::ok).map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each file that a section reads per call changes the version, and nothing else does.
    #[test]
    fn files_of_a_team_change_the_version() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let text = "version: 1\ndecisions: {}\nboundaries: {}\nceremonies: {}\n";
        fs::create_dir_all(root.join(".squad/agents/ada")).unwrap();
        fs::create_dir_all(root.join(".squad/decisions/inbox")).unwrap();
        let config = Config::parse(text, "hooks.yaml").unwrap();
        let mut before = config.rules_version_in(root);
        for file in [
            "decisions.md",
            "decisions-archive.md",
            "decisions/inbox/ada-dates.md",
            "agents/ada/charter.md",
            "routing.md",
            "ceremonies.md",
        ] {
            fs::write(root.join(".squad").join(file), "# A\n").unwrap();
            let after = config.rules_version_in(root);
            assert_ne!(after, before, "{file}");
            fs::write(root.join(".squad").join(file), "# B\n").unwrap();
            assert_ne!(config.rules_version_in(root), after, "{file}");
            before = config.rules_version_in(root);
        }
        fs::write(root.join("README.md"), "x").unwrap();
        assert_eq!(config.rules_version_in(root), before);
    }
}
