//! The claims about a client, each with a row of the page.

use std::fmt;

/// Declares the claims, in the order of the page.
macro_rules! claims {
    ($($name:ident = $text:literal,)*) => {
        /// A claim about a client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Claim {
            $($name,)*
        }

        impl Claim {
            /// All claims, in the order of the page.
            pub(super) const ALL: &'static [Self] = &[$(Self::$name,)*];

            const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

claims! {
    ToolDenied = "a denied command does not run",
    WriteDenied = "a denied write does not happen",
    SettingsKept = "the agent cannot change the settings that govern it",
    CommandAllowed = "an allowed command runs",
    WriteAllowed = "an allowed write happens",
    ReasonRead = "the model reads why",
    ResultScrubbed = "the model reads a result without its secrets",
    CrashDenies = "a hook that crashes denies",
    GoneDenies = "a hook that is missing denies",
    BrokenDenies = "rules that cannot be read deny",
    HangDenies = "rules that never come deny in time",
    AskDenies = "a question without an answer denies",
    Rewritten = "arguments are rewritten",
    NoteWithPrompt = "the model reads a note with the prompt",
    NoteBefore = "the model reads a note before a call",
    NoteAfter = "the model reads a note after a call",
    ResultReplaced = "a result is replaced",
    KilledAfter = "a hook that is killed after a call withholds the result from the model",
    Untrusted = "started in an untrusted folder, the settings of the user govern, by the first rules",
    FirstRules = "the first rules allow harmless calls",
    ApprovalNeeded = "a call that a person has to approve does not run",
    CodeRead = "the model reads the approve code of the call (`hooks approve CODE`)",
    SelfApproval = "the agent cannot approve its own call, nor by a script with a terminal",
    SelfTrust = "the agent cannot confirm other rules or trust hooks, nor by a script with a terminal",
    Approved = "a call whose code a person approved runs once",
    RulesChanged = "rules changed under a session: its next calls are denied, with the way to confirm the rules",
    RulesConfirmed = "once a person confirmed them, the session goes on under the changed rules",
    BudgetStop = "budget stop: a session that used up its budget may call no more tools",
    AnswersCount = "each answer of the model counts once",
    OwnDenyList = "a call that our rules allow is still denied by the client's own list",
    ListsLetThrough = "its own allow, ask and deny lists decide a call that hooks let through",
    ListsAllowed = "its own ask and deny lists decide a call that our rules allow",
    ListsAgreed = "its own deny list decides a call that a handler approves in place of the user",
    ListsChanged = "its own allow, ask and deny lists decide a changed call",
    ListsHidden = "a change does not hide a command from its deny list, and the model reads which command it may run",
    PromptFile = "a prompt that names a file which may not be read (`@file`) is denied, and the model does not get its content",
    CommandFile = "a slash command whose file names a file which may not be read is denied, and the model does not get its content",
    CommandRuns = "a slash command whose file runs a command (``!`mkdir x` ``) that may not run is denied, and that does not run",
    SkillRuns = "the same for a skill that the model calls (`Skill`)",
    FailureEnds = "the result of a failing command with a secret ends the run before the model reads it",
    SwitchedOff = "settings that switch all hooks off while a session runs do not hold in it: its next call is denied",
    LiveInput = "a command that would run what the agent types into it later is denied, and the model reads why",
    WrappedFailure = "with `calls: wrapped`: the model reads the result of a failing command without its secrets",
    WrappedExit = "with `calls: wrapped`: the model reads the exit code of a command",
    WrappedHeld = "with `calls: wrapped`: a command reads no secret and writes nothing outside of the project",
    WrappedInput = "with `calls: wrapped`: the standard input of a command is closed",
    WrappedFolder = "with `calls: wrapped`: the next command starts in the folder that one ended in",
    WrappedLists = "with `calls: wrapped`: its own allow, ask and deny lists decide as without",
    WrappedTimeout = "with `calls: wrapped`: the model reads a command whose time is over without its secrets",
    WrappedBackground = "with `calls: wrapped`: the model reads what a command wrote in the background without its secrets",
    WrappedMissing = "with `calls: wrapped`: if the client could not be made to wrap, its commands do not run, and the model reads why",
    WrappedText = "with `calls: wrapped`: quotes, variables, here-documents and letters beyond ASCII reach the command as the model wrote them",
    WrappedUndone = "with `calls: wrapped`: work that a computed command destroys is restored, and the model reads why",
    WrappedSelf = "with `calls: wrapped`: the agent cannot call `hooks exec` itself",
    WrappedFree = "with `calls: wrapped`: where no call needs an approval, its own deny list decides as without",
    WrappedReads = "with `calls: wrapped`: what it allows by itself (commands that read, edits) is allowed as without",
    FailureScrubbed = "without that: the model reads the result of a failing command without its secrets",
    FailureExit = "without that: the model reads the exit code of a failing command",
    TimeoutScrubbed = "without that: the model reads the result of a command that ran out of time without its secrets",
    BackgroundScrubbed = "without that: the model reads what a command wrote in the background without its secrets",
    BackgroundDenied = "a denied command does not run in the background",
    InterruptEnds = "interrupted (Ctrl-C) while a command runs: the command ends",
    InterruptRecorded = "interrupted while a command runs: the record has the call",
    InterruptScrubbed = "interrupted while a command runs: neither the model nor a file of the project has what it wrote unredacted",
    InterruptNext = "after an interrupt, the next session is governed",
    Replayed = "`hooks replay` finds each call in the transcripts and no other, and decides as the hooks did",
    FirstDenial = "two commands lead from an empty home to a denial, with Claude Code in less than 10 seconds",
    Subfolder = "started in a subfolder, the rules of the project govern by the settings of the user",
    Worktree = "started in a worktree without the uncommitted settings, the settings of the user govern",
    Clone = "portable settings govern in a clone",
    CloneWithout = "portable settings deny in a clone without `hooks`",
    Package = "a package of ours, in place of settings, governs",
    PackageWithout = "a package denies where `hooks` is missing",
    PackageKept = "the agent cannot disable the package that governs it",
    ServerDenied = "with `hooks init --mcp` and no hooks: a denied tool of an MCP server does not run, an allowed one does",
    ServerScrubbed = "with `hooks init --mcp` and no hooks: the model reads the result of such a tool without its secrets",
    SeveralFiles = "two clients wired, or one in several files: a call that both report counts once",
    Machine = "the hooks of the machine govern, although the user switched all hooks off",
    Trusted = "hooks that a person let Codex CLI trust (`hooks init codex --trust`) govern without its bypass",
    Resumed = "each answer of a session that was resumed counts once",
    Tree = "each answer of a tree of subagents counts once",
    ChildDenied = "a subagent is denied what its parent is denied, two levels deep if the client has them",
    Compacted = "each answer of a session that was compacted counts once, with the summary",
    ChildStopped = "a subagent may call no more tools once the budget is used up",
    NamedAgent = "an agent that the user chose by its name has the limits of an agent",
    Decision = "a decision of the team denies a write, and the model reads which one",
    Boundary = "the boundary in an agent's charter denies its write elsewhere, and the model reads which one",
    Ceremony = "a ceremony that is held denies a command that writes, and the model reads which one",
    Phase = "a read-only phase of a pipeline denies a write, and the model reads which one",
    Sequence = "a sequence rule denies a command after a protected file was read, and the model reads which one",
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
