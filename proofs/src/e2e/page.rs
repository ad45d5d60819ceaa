//! `docs/clients.md`: the results of the runs, and our tables of every client.

use std::fmt::Write;

use hooks_protocols::{Ability, Capabilities, Client, Wish, capabilities};

use super::claims::Claim;
use super::proof::{Outcome, Results};

const HEAD: &str = "\
# Clients

Which agents can be governed, and which answers each of them understands. `cargo xtask e2e --bless` writes this page.

```sh
hooks init claude                     # all your projects; `--scope project` is this one; `--dry-run` only shows
hooks init codex --trust              # and lets Codex CLI trust the hooks; only for a person at a terminal
hooks init claude --scope project --portable   # settings to commit: `hooks` from `PATH`, and no paths of this machine
sudo hooks init claude --scope machine         # settings that no user can switch off
hooks init codex --remove             # the settings as they were, byte for byte
hooks doctor                          # whether a client that is started here is governed
```

| client | with `--scope project` | of a user, the default | with `--scope machine` |
| --- | --- | --- | --- |
| Claude Code (`claude`) | `.claude/settings.json` | `~/.claude/settings.json` | `/etc/claude-code/managed-settings.json` |
| Codex CLI (`codex`) | `.codex/hooks.json`, or `.codex/config.toml` where that has hooks | the same in `~/.codex` | `/etc/codex/requirements.toml` |
| Gemini CLI (`gemini`) | `.gemini/settings.json` | `~/.gemini/settings.json` | refused, see below |
| Copilot CLI (`copilot`) | `.github/hooks/hooks.json` | `~/.copilot/settings.json` | `/etc/github-copilot/policy.d/hooks.json` |
| VS Code (`vscode`) | `.github/hooks/vscode.json` | it has none of its own | refused: not tried |
| Cursor (`cursor`) | `.cursor/hooks.json` | `~/.cursor/hooks.json` | refused: not tried |
| docker-agent (`docker-agent`) | the file of the agents, or `--file FILE` | it has none | it has none |
| OpenCode (`opencode`) | `.opencode/plugin/hooks.js` | `~/.config/opencode/plugin/hooks.js` | refused: not tried |
| Qwen Code (`qwen`) | `.qwen/settings.json` | `~/.qwen/settings.json` | refused: not tried |
| Kimi CLI (`kimi`) | it has none | `~/.kimi/config.toml` | it has none |
| Windsurf (`windsurf`) | `.windsurf/hooks.json` | `~/.codeium/windsurf/hooks.json` | refused: not tried |
| goose (`goose`) | `.agents/plugins/hooks/` | `~/.agents/plugins/hooks/` | it has none |
| Factory Droid (`droid`) | `.factory/settings.json` | `~/.factory/settings.json` | refused: not tried |

VS Code, Cursor, docker-agent, Kimi CLI, Windsurf, goose and Factory Droid are known from their documentation, and not run.

`hooks init squad` lays out a `.squad` folder. A variable that moves a user's folder counts (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`,
`COPILOT_HOME`, `QWEN_HOME`, `KIMI_SHARE_DIR`).

Two clients also take the hooks as a package, from a checkout of this repository. `hooks` has to be in `PATH`; the package has the lines that
`hooks init --portable` writes.

```sh
claude --plugin-dir hooks-cli/plugins/claude      # or as a plugin of your marketplace, under its name `tower-hooks`
gemini extensions install hooks-cli/plugins/gemini
```

A package writes no rules (`hooks init claude` does), names no shell for `calls: wrapped`, and is disabled as easily as installed; `hooks doctor`, which
reads settings, does not see it. A session whose hooks come from the plugin keeps it: settings that disable it are denied.
In a session whose hooks come from `claude --settings FILE` alone, each change of
settings is denied, because `hooks` cannot see that file.

What a client has besides its settings:

* Codex CLI skips hooks, without a word, until a person trusts them: `hooks init codex --trust`, or start it, enter `/hooks`, accept them; again after
  each change. `hooks doctor` asks Codex CLI which hooks it trusts. Hooks of the machine need no trust.
* `--scope machine` needs root, and Linux. It names `/etc/hooks/hooks.yaml`, which projects and users cannot replace; their own rules and settings
  can only deny more. All three clients ran these hooks although the user had switched all hooks off. Gemini CLI is refused: a user can
  switch off hooks of the machine by their name (`hooksConfig.disabled`), also by `GEMINI_CLI_SYSTEM_SETTINGS_PATH` ([why](decisions/0022-no-machine-scope-for-gemini.md)). `--root DIR` writes the same
  files below a folder, for the image of another machine.
* Copilot CLI also runs the hooks of Claude Code (`.claude/settings.json` of the project) and of VS Code, and all clients run those of the project and of
  the user. Each process decides, and one call counts once and is recorded once. `hooks doctor` names the files.
* Codex CLI, Gemini CLI and Copilot CLI read the hooks of a project only where a person trusts the folder; so does Qwen Code with `security.folderTrust`. Gemini CLI with `--skip-trust`
  runs the tools of a folder and not its hooks. Claude Code, Gemini CLI, Copilot CLI and Qwen Code read the hooks of a project only if they are started in its
  folder, not below. The settings of the user govern in any folder.
* Claude Code and Codex CLI drop a JSON file with comments, trailing commas or a byte order mark, without a word. `hooks init` refuses it, and `hooks doctor`
  reports it.
* Copilot CLI gets no `allow`, which would beat its `--deny-tool`, and Codex CLI gets none where it would ask its user, since the call would leave its
  sandbox. A rule that allows leaves the question to these clients.
* All of them apply their own allow, ask and deny lists to a changed command only, not to the original. A change that these lists would not see through
  is denied ([command hooks](command-hooks.md#change-what-happens)).
* With `sandbox: { calls: wrapped }`, off by default, shell calls of Claude Code, Codex CLI, Gemini CLI, Copilot CLI and OpenCode run under `hooks exec`:
  [in the sandbox](sandbox.md#commands-of-agents), with closed standard input, and with redacted output.
* Without it, and in all other clients, the model reads what a command of Codex CLI has written when the model's waiting time is over, unredacted. No hook
  of Claude Code can change the result of a failing command: if it has data that the rules redact, the run ends before the model reads it (`PostToolBatch`).
  A user who goes on with the session sends it. `write_stdin` of Codex CLI, into a command that still runs, fires no hook.
  So a shell or an interpreter that would run such input (`bash`, `python3`, `cat | sh`, `bash <(cat)`) counts as unknown code, which the command guard denies.
  So do programs that are known to take commands: editors, pagers, debuggers, clients of databases (`vim FILE`, `less FILE`, `gdb`, `psql`). A program that
  opens one by itself (`git commit`, `git log`, a script of the project) does not count. Typed text counts neither as a part of other code
  (`eval \": $(cat)\"`) nor in a file of the same command (`cat > Makefile; make`). Codex CLI loses the
  exit code of a redacted result, and Gemini CLI shows a redacted success as an error.
* Qwen Code ignores changed arguments, although its documentation lists them, so such a call is denied, and no command can be wrapped. It shows a
  redacted result as an error. The result of a failed call is redacted at the end of its batch, where only the last result can be replaced: run headless,
  each call is a batch of its own; in its user interface, the model reads the failures of earlier calls of a batch unredacted. What a command writes in the
  background goes to a file, and is redacted when the model reads that.
* A file that a prompt names (`@notes.md`) is sent to the model without a tool call by Claude Code, Gemini CLI and Qwen Code. Rules about reading
  [judge it at the prompt](guards.md#files-that-a-prompt-names). Codex CLI and Copilot CLI, run headless, send the name alone.
* OpenCode has plugins in place of command hooks, so `hooks init opencode` writes one: a file without dependencies that calls `hooks run`. Without a
  valid answer in time, the plugin itself denies. The model reads the reason in place of a denied call or result. A denied prompt is not sent; `opencode run`
  shows its user an error without the reason. A file that is attached to a prompt (`--file`, `@file`) is judged as a call of `read`.
  A change of arguments is made before OpenCode asks its own rules, which then judge the changed call alone. Its hook `permission.ask` is never called,
  so `ask` is a denial.
* OpenCode does not show a plugin the text of a tool that failed by itself. A command that ends with an exit code is no such failure, and is redacted.
  It shows neither the request for the title of a session nor commands that its user types (`!command`). Plugins run one after the other, and one that runs later can change
  the arguments again. OpenCode goes on without a plugin that it cannot load, and without all with `--pure` or `OPENCODE_PURE`; `OPENCODE_DISABLE_PROJECT_CONFIG`
  leaves out those of a project. `hooks doctor` reports these, and a plugin file that was changed. Without access to npm, OpenCode starts later where it has plugins,
  as it tries to install their types first.
* In Claude Code, the file of a slash command or a skill is judged if it is one of the project or the user: at `UserPromptExpansion`, and at calls of the tool
  `Skill`. That covers what it names, what the rules redact, and its commands (``!`git log` ``), each as a call of `Bash` ([limits](guards.md#files-of-commands)).
  Gemini CLI, Qwen Code and OpenCode run the commands in such files (`!{git log}`) before they call any hook: no rule about commands sees these. The files that they
  name (`@{notes.md}`) are judged in Qwen Code and OpenCode, and not in Gemini CLI, which reports only the text that results; `prompts.scrub` judges that.
* Settings that change while a session of Claude Code runs are denied (`ConfigChange`) if they switch hooks off, set a variable `HOOKS_...`, or if no settings
  call `hooks` any more as `hooks init` wrote it. That session keeps its settings; the file is changed, and the next session reads it.
* Kimi CLI runs the hooks after a call without waiting for them, so no result is redacted. It cannot ask its user, and takes no changed arguments: both
  are denials. It sends the text of a prompt with attachments as an empty one. `--config` and `--config-file` start it with other settings.
* Windsurf has events for prompts, reads, writes, commands and MCP tools. Its other tools, such as searches, fire no hook. It can only deny, and
  sends no results but those of MCP tools. Its plugin for JetBrains reads `~/.codeium/hooks.json`, which `hooks init` does not write.
* goose can only deny a call, and the end of a turn. A prompt is judged, and goes on whatever the answer is; no result is redacted. A repository can
  switch the hooks of its user off: by `disabledPlugins` in `.config/goose/settings.json`, which `hooks doctor` reports, or by a plugin of its own that is
  called `hooks` too. The code of its code mode (`code_execution__execute_typescript`) calls tools for which no hook runs. So it counts as a command
  that cannot be known before it runs, which guards deny.
* Factory Droid reads the hooks in its settings only without a `hooks.json` beside them: `hooks init` refuses then, and `hooks doctor` reports it.
  Changed arguments are a denial. A result that must be withheld ends the run.
* Clients wait a bounded time and then let the call through. `hooks init` sets Claude Code, Cursor and, before a call, goose to deny instead. `hooks run` denies before that.
* Claude Code, Codex CLI, Gemini CLI, Qwen Code, VS Code, Kimi CLI, Windsurf and Factory Droid let a call through whose hook is missing or crashes. The command line in their settings denies
  in its place.

## What was seen

The real clients ran headless against a scripted model. `cargo xtask e2e` installs them from npm into `target/e2e`, each in the version named
here. It runs each of them with a home of its own, a key that opens nothing and no network but loopback. Without hooks each of the calls
happens; this is with hooks. All of it takes some minutes; `cargo xtask e2e claude` is one client. In CI Claude Code runs, where npm is reached.
";

const ABILITIES: &str = "
## What can be said

By our tables, which were recorded from the same programs; those without a version were not run, and are from documentation only. **yes**: as it is meant.
*less*: something near, never weaker. *some*: about some calls only. Empty: not at all.
";

/// The text of the page.
pub(super) fn write(all: &[Results]) -> String {
    let mut page = HEAD.to_owned();
    seen(&mut page, all);
    page.push_str(ABILITIES);
    for client in Client::ALL {
        write_client(&mut page, *client);
    }
    page
}

/// A row for each claim, a column for each client.
fn seen(page: &mut String, all: &[Results]) {
    let titles: String = all.iter().map(|results| format!(" {} |", results.title)).collect();
    line(page, format_args!("\n| |{titles}"));
    line(page, format_args!("| --- |{}", " --- |".repeat(all.len())));
    for claim in Claim::ALL {
        let cells = all.iter().map(|results| format!("{} |", outcome(results, *claim)));
        line(page, format_args!("| {claim} |{}", cells.collect::<String>()));
    }
}

/// The cell of a claim.
fn outcome(results: &Results, claim: Claim) -> &'static str {
    match results.outcome(claim) {
        Some(Outcome::Held) => " yes",
        Some(Outcome::Cannot) => " it cannot",
        Some(Outcome::Failed) => " no",
        Some(Outcome::Untried) | None => "",
    }
}

/// The claims whose results differ from the client's column of the page.
pub(super) fn differences(page: &str, results: &Results) -> Vec<String> {
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let header = page.lines().map(cells).find(|cells| cells.contains(&results.title));
    let Some(column) = header.and_then(|cells| cells.iter().position(|cell| *cell == results.title)) else {
        return vec![format!("{}: the page has no such column", results.title)];
    };
    let differs = |claim: &&Claim| {
        let row = page.lines().find(|line| line.starts_with(&format!("| {claim} |")));
        row.map(cells).and_then(|cells| cells.get(column).cloned()).as_deref()
            != Some(outcome(results, **claim).trim())
    };
    let differing = Claim::ALL.iter().filter(differs);
    differing.map(|claim| format!("{}: {claim}", results.title)).collect()
}

/// A row for each event, a column for each wish.
fn write_client(page: &mut String, client: Client) {
    let version = client.tested().map(|version| format!(" {version}")).unwrap_or_default();
    line(page, format_args!("\n### {client}{version}\n"));
    line(page, format_args!("| event | ours | deny | ask | allow | rewrite | context | end the run |"));
    line(page, format_args!("| --- | --- | --- | --- | --- | --- | --- | --- |"));
    for row in client.events().filter_map(|event| capabilities(client, event)) {
        let wishes = [Wish::Deny, Wish::Ask, Wish::Allow, Wish::Rewrite, Wish::Context, Wish::Stop];
        let Some(kind) = row.event() else { continue };
        let cells: String = wishes.into_iter().map(|wish| cell(&row, wish)).collect();
        line(page, format_args!("| `{}` | `{kind}` |{cells}", row.event_name()));
    }
}

fn cell(row: &Capabilities, wish: Wish) -> &'static str {
    match row.can(wish) {
        Ability::Yes => " **yes** |",
        Ability::Nearly(_) => " *less* |",
        Ability::Sometimes => " *some* |",
        _ => " |",
    }
}

fn line(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::e2e::clients::CLIENTS;
    use crate::workspace;

    /// The page, with the cells of the runs left out: those take the clients themselves.
    fn without_cells(page: &str) -> String {
        let claim = |line: &str| Claim::ALL.iter().find(|claim| line.starts_with(&format!("| {claim} |")));
        page.lines()
            .map(|line| claim(line).map_or_else(|| line.to_owned(), Claim::to_string) + "\n")
            .collect()
    }

    #[test]
    fn the_page_has_every_claim_client_and_table() {
        let results = |client: &crate::e2e::clients::Runnable| Results::new(client);
        let expected = write(&CLIENTS.iter().map(results).collect::<Vec<_>>());
        let page = workspace::read(crate::e2e::PAGE).unwrap();
        assert_eq!(
            without_cells(&page),
            without_cells(&expected),
            "`cargo xtask e2e --bless` writes the page"
        );
        for claim in Claim::ALL {
            let row = page.lines().find(|line| line.starts_with(&format!("| {claim} |"))).unwrap();
            assert_eq!(row.matches('|').count(), CLIENTS.len() + 2, "{row}");
            assert!(!row.contains(" no |") && row.contains(" yes |"), "{row}");
        }
    }
}
