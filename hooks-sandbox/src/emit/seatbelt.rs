//! A profile of macOS. Of all rules that match, the last one counts.

use std::fmt::Write;

use super::pattern::{Bases, Meaning};
use super::{Paths, is_folder};
use crate::plan::Plan;
use crate::profile::{Gap, Pattern, Profile};

/// Rules that every program needs: to start, to end, and to find its libraries and its user's name.
const START: &str = "(version 1)
(deny default)
(allow process-exec*)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name \"com.apple.system.notification_center\")
  (global-name \"com.apple.system.opendirectoryd.libinfo\"))
(allow file-ioctl (regex #\"^/dev/tty\"))
(allow file-read*)
(allow file-write*
  (literal \"/dev/null\")
  (literal \"/dev/zero\")
  (literal \"/dev/tty\")
  (literal \"/dev/dtracehelper\"))
";

pub(super) fn text(plan: &Plan, profile: &Profile, paths: &mut Paths) -> String {
    let bases = Bases { workspace: &plan.workspace, home: plan.home.as_deref() };
    let globs = |all: &[Pattern]| all.iter().map(|one| one.pattern.clone()).collect::<Vec<_>>();
    let (hidden, fixed) = (globs(&profile.hidden), globs(&profile.fixed));
    let mut rules = Text { text: START.to_owned(), bases, paths };
    rules.open_writable();
    rules.add("deny file-write*", &globs(&profile.guarded), Meaning::Closes);
    rules.add("allow file-write*", &globs(&profile.regenerable), Meaning::Opens);
    rules.add("deny file-read* file-write*", &hidden, Meaning::Closes);
    rules.add("allow file-read*", &profile.shown, Meaning::Opens);
    let below: Vec<_> = fixed
        .iter()
        .map(|glob| format!("{}/**", glob.trim_end_matches('/').trim_end_matches("/**")))
        .collect();
    rules.add("deny file-write*", &below, Meaning::Closes);
    rules.keep_folders(fixed.iter().chain(&hidden));
    rules.connect(plan, profile);
    rules.text
}

struct Text<'t> {
    text: String,
    bases: Bases<'t>,
    paths: &'t mut Paths,
}

impl Text<'_> {
    /// A rule for all these filters; nothing without any.
    fn rule(&mut self, head: &str, filters: &[String]) {
        if filters.is_empty() {
            return;
        }
        let _ = write!(self.text, "({head}");
        for filter in filters {
            let _ = write!(self.text, "\n  {filter}");
        }
        self.text.push_str(")\n");
    }

    fn open_writable(&mut self) {
        let filter = |path: &String| {
            let kind = if is_folder(path) { "subpath" } else { "literal" };
            format!("({kind} \"{}\")", path.replace('\\', "\\\\").replace('"', "\\\""))
        };
        let filters: Vec<_> = self.paths.writable.iter().map(filter).collect();
        self.rule("allow file-write*", &filters);
    }

    fn add(&mut self, head: &str, patterns: &[String], meaning: Meaning) {
        let mut filters = Vec::new();
        for pattern in patterns {
            // Where a name has a quote, the expression would open more than the pattern does.
            if meaning == Meaning::Opens && pattern.contains('"') {
                continue;
            }
            let found = self.bases.expressions(pattern, meaning);
            if found.is_empty() && meaning == Meaning::Closes {
                let gap = Gap::limit(pattern, "it has too many alternatives, or begins at an unknown home");
                self.paths.gaps.push(gap.breaking_reads().breaking_writes());
            }
            filters.extend(found.into_iter().map(|one| format!("(regex #\"{one}\")")));
        }
        self.rule(head, &filters);
    }

    /// Closes the folders on the way to a closed file against renaming and removing.
    fn keep_folders<'p>(&mut self, patterns: impl Iterator<Item = &'p String>) {
        let mut all: Vec<_> = patterns.flat_map(|pattern| self.bases.folders(pattern)).collect();
        all.sort();
        all.dedup();
        let filters: Vec<_> = all.into_iter().map(|one| format!("(regex #\"{one}\")")).collect();
        self.rule("deny file-write-unlink", &filters);
    }

    fn connect(&mut self, plan: &Plan, profile: &Profile) {
        if plan.is_connected {
            self.text.push_str("(allow network*)\n(allow system-socket)\n");
            let sockets = profile.sockets.iter().map(|one| one.pattern.clone()).collect::<Vec<_>>();
            self.add("deny network-outbound", &sockets, Meaning::Closes);
        } else if !plan.hosts.is_empty() {
            self.paths.leave("sandbox.egress", "Seatbelt knows no hosts, so a list of them becomes none");
        }
        if !plan.is_connected {
            self.paths.leave("loopback", "it is that of the whole machine, so it is closed as well");
        }
        self.paths.leave("temporary files", "no folder is open for them: set TMPDIR to one in the workspace");
        if !profile.shown.is_empty() {
            self.paths.leave("sandbox.read", "files that are open again may be read, and not written");
        }
    }
}
