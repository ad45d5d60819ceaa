//! Accesses of a command: files with a role, hosts of the network, and programs whose reads are not known.

use std::fmt;

use super::analysis::Analysis;
use super::argument::Argument;
use super::reads::ReadsAndHosts;
use crate::shell::Span;

/// File that a command reads, writes or executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The file, as seen from the folder in which the command starts.
    pub target: Argument,
    /// Kind of the access.
    pub kind: AccessKind,
    /// Whether the access depends on something that is not known: `cp a b` writes `b/a` if `b` is a folder, and an unknown
    /// program may read the files that its words name.
    pub is_possible: bool,
    /// Archive or patch that has the names of the files, if a folder is filled from one.
    pub source: Option<Source>,
    /// Names that are left out, if everything below a folder is read.
    pub left_out: Vec<Argument>,
    /// Position in the text.
    pub span: Span,
}

/// File that has the names of the files which a command writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An archive that is unpacked.
    Archive(Argument),
    /// A patch that is applied.
    Patch(Argument),
}

/// Kind of an access of a command to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessKind {
    /// A redirection creates or changes the file.
    Redirected,
    /// A program creates or changes the file.
    Changed,
    /// A program removes the file, with everything below it.
    Removed,
    /// git stashes everything below the folder that it does not track.
    Untracked,
    /// A new link points to the file.
    Linked,
    /// A program creates a tree there, or files with unknown names.
    Filled,
    /// A formatter, compiler or generator creates or changes files below the folder, of its own kinds alone.
    Generated,
    /// A copied, moved or linked file or folder gets this name, unless a folder has it.
    Named,
    /// The content of the file goes to the output, to another file or to another host.
    Read,
    /// The same for everything below the folder, and for the file itself if it is one.
    ReadBelow,
    /// The same, without files whose names begin with a dot and those that `.gitignore` lists.
    Searched,
    /// The same, without those that `.gitignore` lists.
    Stored,
    /// The content of the file, if it exists, goes to the output: no word names it.
    Implied,
    /// A program uses the content for itself, as it does with a key or a file of settings.
    Used,
    /// The content runs: a script, or a file that a shell sources.
    Executed,
}

/// Role of a file in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessRole {
    /// File whose content is read.
    Read,
    /// File that is created, changed, moved or removed.
    Write,
    /// File whose content runs.
    Execute,
}

impl AccessKind {
    /// Returns the role of a file that is accessed so.
    ///
    /// ```
    /// use hooks_facts::commands::{AccessRole, Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("rm -r out && date > built", &Options::default());
    /// assert!(analysis.writes().iter().all(|access| access.kind.role() == AccessRole::Write));
    /// ```
    pub fn role(self) -> AccessRole {
        match self {
            Self::Read | Self::ReadBelow | Self::Searched | Self::Stored | Self::Implied | Self::Used => {
                AccessRole::Read
            }
            Self::Executed => AccessRole::Execute,
            Self::Redirected
            | Self::Changed
            | Self::Removed
            | Self::Untracked
            | Self::Linked
            | Self::Filled
            | Self::Generated
            | Self::Named => AccessRole::Write,
        }
    }
}

/// Host that a command names as the other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkTarget {
    /// Name or address of the host, perhaps only partly known.
    pub host: Argument,
    /// Port, if one is given or the scheme has one.
    pub port: Option<u16>,
    /// Scheme in lower case, such as `https` or `ssh`; empty if it is not known.
    pub scheme: String,
    /// Program that connects.
    pub program: String,
    /// Position in the text.
    pub span: Span,
}

/// Program that may read files which its words do not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownReads {
    /// Name of the program; empty if it is not known.
    pub program: String,
    /// Reason why its reads are not known.
    pub reason: UnknownReadsReason,
    /// Position in the text.
    pub span: Span,
}

/// Reason why the reads of a program are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownReadsReason {
    /// No table has the program.
    Program,
    /// The name of a file that it reads is not known before running.
    Name,
    /// The names of files that it reads are lines of a list, which may not be known.
    Listed,
    /// The program runs a text or a file that is not read here.
    Text,
    /// There are more names than are looked at.
    TooMany,
}

impl fmt::Display for UnknownReads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = if self.program.is_empty() { "a program" } else { &self.program };
        match self.reason {
            UnknownReadsReason::Program => write!(f, "`{program}` may read files that its words do not name"),
            UnknownReadsReason::Name | UnknownReadsReason::Listed => {
                write!(f, "`{program}` reads a file whose name is not known before it runs")
            }
            UnknownReadsReason::Text => write!(f, "`{program}` runs a text that is not analysed"),
            UnknownReadsReason::TooMany => f.write_str("the command names more files than are looked at"),
        }
    }
}

impl Analysis {
    /// Returns all files that the command names, with their roles.
    ///
    /// ```
    /// use hooks_facts::commands::{AccessRole, Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("cd api && sort < names > sorted; sh run.sh", &Options::default());
    /// let all: Vec<_> = analysis.accesses().map(|it| (it.target.literal().unwrap(), it.kind.role())).collect();
    /// assert!(all.contains(&("api/names", AccessRole::Read)));
    /// assert!(all.contains(&("api/sorted", AccessRole::Write)));
    /// assert!(all.iter().any(|it| it.1 == AccessRole::Execute));
    /// ```
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.found().reads.iter().chain(&self.writes)
    }

    /// Returns the files that redirections write to and those that plain file programs change, as far as they are named.
    ///
    /// The files that other programs write are not included.
    ///
    /// ```
    /// use hooks_facts::commands::{AccessKind, Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("echo x > a.txt; rm -r build", &Options::default());
    /// let writes: Vec<_> = analysis.writes().iter().map(|write| (write.target.literal(), write.kind)).collect();
    /// assert!(writes.contains(&(Some("a.txt"), AccessKind::Redirected)));
    /// assert!(writes.contains(&(Some("build"), AccessKind::Removed)));
    /// ```
    pub fn writes(&self) -> &[Access] {
        &self.writes
    }

    /// Returns the files that are read or executed, as far as they are named. They are computed once, at the first question.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let reads = |text| {
    ///     let analysis = Analysis::of_text(text, &Options::default());
    ///     let names = analysis.reads().iter().filter_map(|it| it.target.literal()).map(str::to_owned).collect::<Vec<_>>();
    ///     names
    /// };
    /// assert_eq!(reads("grep -rn token notes.txt"), ["notes.txt"]); // the pattern is not a file
    /// assert_eq!(reads("curl -d @body.json https://a.example"), ["body.json"]);
    /// assert_eq!(reads("git show HEAD:notes.txt"), ["notes.txt"]);
    /// assert!(reads("rm notes.txt; echo notes.txt").is_empty());
    /// ```
    pub fn reads(&self) -> &[Access] {
        &self.found().reads
    }

    /// Returns the hosts that the command connects to, as far as they are named.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("curl -s https://a.example:8443/x; scp a b@c.example:/d", &Options::default());
    /// let hosts: Vec<_> = analysis.network().iter().map(|it| (it.host.literal(), it.port, it.scheme.as_str())).collect();
    /// assert_eq!(hosts, [(Some("a.example"), Some(8443), "https"), (Some("c.example"), Some(22), "ssh")]);
    /// ```
    pub fn network(&self) -> &[NetworkTarget] {
        &self.found().network
    }

    /// Returns the programs that may read more files than are among the accesses.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("wc -l notes; ./report", &Options::default());
    /// let unknown: Vec<_> = analysis.unknown_reads().iter().map(ToString::to_string).collect();
    /// assert_eq!(unknown, ["`report` may read files that its words do not name"]);
    /// // A file named like a program of the system is another program.
    /// assert_eq!(Analysis::of_text("./ls", &Options::default()).unknown_reads().len(), 1);
    /// ```
    pub fn unknown_reads(&self) -> &[UnknownReads] {
        &self.found().unknown_reads
    }

    /// Returns the lists whose lines a part of a name may stand for, as seen from the folder in which the command starts.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    /// use hooks_facts::globs::Gap;
    ///
    /// let analysis = Analysis::of_text("cd src && sort names | xargs cat", &Options::default());
    /// assert!(analysis.lists().any(|list| list == "src/names"));
    /// assert!(analysis.reads().iter().any(|read| read.target.outline().contains(Gap::Listed.stand_in())));
    /// ```
    pub fn lists(&self) -> impl Iterator<Item = &str> {
        self.found().lists.iter().map(|list| &**list)
    }

    fn found(&self) -> &ReadsAndHosts {
        self.late.found(self.options, &self.invocations)
    }
}
