//! Kinds of tools that guards distinguish.

/// Kind of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolKind {
    /// Creates or changes files.
    WriteFile,
    /// Shows or changes a file, depending on its argument `command`; see
    /// [`ToolTable::kind_of_call`](super::ToolTable::kind_of_call).
    ViewOrEdit,
    /// Removes files.
    DeleteFile,
    /// Moves or renames files: both ends are written.
    MoveFile,
    /// Copies files: only the destination is written.
    CopyFile,
    /// Applies a patch, whose text names the files.
    Patch,
    /// Runs commands in a POSIX shell.
    Shell,
    /// Runs commands in a Windows shell, where names have no case.
    WindowsShell,
    /// Asks the user.
    AskUser,
    /// Starts another agent.
    SpawnAgent,
    /// Reads files and changes none.
    Read,
    /// Known, and of none of the other kinds.
    Other,
    /// Not in the table.
    Unknown,
}

impl ToolKind {
    /// Returns whether the tool changes the files that its path arguments name.
    ///
    /// ```
    /// use hooks_facts::tools::ToolKind;
    ///
    /// assert!(ToolKind::CopyFile.writes_files() && ToolKind::ViewOrEdit.writes_files());
    /// assert!(!ToolKind::Shell.writes_files()); // its writes are found in its command
    /// ```
    pub fn writes_files(self) -> bool {
        matches!(
            self,
            Self::WriteFile
                | Self::ViewOrEdit
                | Self::DeleteFile
                | Self::MoveFile
                | Self::CopyFile
                | Self::Patch
        )
    }

    /// Returns whether the tool runs commands.
    ///
    /// ```
    /// use hooks_facts::tools::ToolKind;
    ///
    /// assert!(ToolKind::Shell.runs_commands() && ToolKind::WindowsShell.runs_commands());
    /// assert!(!ToolKind::WriteFile.runs_commands());
    /// ```
    pub fn runs_commands(self) -> bool {
        matches!(self, Self::Shell | Self::WindowsShell)
    }

    /// Returns whether the arguments may have commands: of a shell, of a tool that is not known, or below those of an agent.
    pub(crate) fn may_have_commands(self) -> bool {
        self.runs_commands() || matches!(self, Self::Unknown | Self::SpawnAgent)
    }

    /// Returns whether a guard checks tools of this kind.
    pub(super) fn is_guarded(self) -> bool {
        !matches!(self, Self::Read | Self::Other | Self::Unknown)
    }
}
