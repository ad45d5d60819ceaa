//! Compares the context that hooks add to a new child with a prompt that asks the child to read files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anstyle::Style;
use hooks::context::auto::AutoContext;
use hooks::context::source::{Threads, team};
use hooks::conversation::{Tokenizer, Tokenizers};
use hooks::drivers::{SpawnRequest, Spawned};
use hooks::event::{ChildStatus, EndReason, SessionStart, SubagentStart};
use hooks::team::files::NewMember;
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, HookContext, Hooks, Session, StdFileSystem, TokioTimer};
use tower::{ServiceExt, service_fn};

use crate::failure::Failure;
use crate::paint::{LOUD, QUIET};
use crate::table::Table;

/// The children, each with its task.
const CHILDREN: [(&str, &str); 3] = [
    ("Backend", "Speed up the query behind the order list"),
    ("Frontend", "Show a spinner while the order list loads"),
    ("Tester", "Write a test for the checkout with an empty basket"),
];

/// The instructions that the prompt of each child needs if no code adds the context.
const INSTRUCTIONS: &str = "\
Before you begin, get to know where the team stands. The team folder is `.squad` in the root of the repository; resolve
all paths from there, not from the folder you are started in. Read these files, in this order, and do not skip one
because you believe you know it: `.squad/agents/{agent}/charter.md` for who you are and what you own;
`.squad/agents/{agent}/history.md` for what you have learnt in earlier sessions; `.squad/decisions.md` for everything
that was decided, of which you keep what concerns your work; each file in `.squad/decisions/inbox/`, which holds
decisions that were not merged yet and bind you as well; `.squad/identity/now.md` for the focus of the team, and
`.squad/identity/wisdom.md` for patterns that hold. Then list `.squad/skills/` and read the `SKILL.md` of every skill
that fits your domain or the task. Look into `.squad/ceremonies.md` for a ceremony that has to be held before you may
begin. Where a file is missing, go on without it and do not create it. Where two decisions contradict each other, the
newer one holds. Directives of the user hold before all else, even against a file or tool.";

/// A call that reads a file with its answer, in the form of the model's API, without the content of the file.
const READING: &str = "{\"type\":\"tool_use\",\"id\":\"toolu_01A09q90qw90lq917835lq9\",\"name\":\"read\",\"input\":{\"path\":\".squad/agents/backend/history.md\"}}{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_01A09q90qw90lq917835lq9\",\"content\":\"\"}";

/// Creates the children, and prints the cost.
pub(super) async fn play(out: &mut impl Write) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    lay_out(folder.path())
        .map_err(|error| Failure::message(format!("no team could be laid out: {error}")))?;
    let environment = hooks::system();
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &environment);
    let auto = AutoContext::new(Arc::new(TokioTimer)).with_team(team, Threads, team::Limits::default());
    let hooks = auto.add_to(Hooks::builder()).build();
    let context =
        HookContext::new("demo-context", "lead").in_dir(folder.path()).with_environment(environment);
    let (session, _) = Session::start(hooks, context, SessionStart::default()).await;

    writeln!(out, "{LOUD}What a child begins with{LOUD:#} {QUIET}in tokens, as estimated{QUIET:#}\n")?;
    let tokens = |text: &str| Tokenizers::default().for_model(None).count(text);
    let mut table =
        Table::new(["child", "instructions", "reading calls", "files read", "given instead", "saved"])
            .numbers(1..=5);
    for (agent, task) in CHILDREN {
        let spawner = session.spawner(service_fn(async |_: SubagentStart| Ok::<_, BoxError>(())));
        let start = SubagentStart::new(agent, task);
        let request = SpawnRequest { context: Arc::clone(session.context()), start };
        let spawned = spawner.oneshot(request).await;
        let spawned = spawned.map_err(|error| Failure::message(format!("no child was created: {error}")))?;
        let Spawned::Running(child, decision) = spawned else {
            return Err(Failure::message("no child was created"));
        };
        let notes = decision.notes().map(|notes| notes.additional_context.as_slice()).unwrap_or_default();
        let given: u64 = notes.iter().map(|note| tokens(&note.text)).sum();
        let instructions = tokens(&INSTRUCTIONS.replace("{agent}", &agent.to_lowercase()));
        let files = read_by(folder.path(), agent)?;
        let calls = tokens(READING).saturating_mul(files.len() as u64);
        let read: u64 = files.iter().map(|file| tokens(file)).sum();
        let saved = instructions.saturating_add(calls).saturating_add(read).saturating_sub(given);
        let [a, b, c, d, e] =
            [instructions, calls, read, given, saved].map(|number| (number.to_string(), Style::new()));
        table.row([(agent.to_owned(), LOUD), a, b, c, d, e]);
        drop(child.end(ChildStatus::Completed, None).await);
    }
    table.write(out)?;
    session.end(EndReason::Complete, None).await;
    writeln!(out)?;
    Ok(())
}

/// The files that a child reads if it follows the instructions.
fn read_by(folder: &Path, agent: &str) -> Result<Vec<String>, Failure> {
    let agent = format!("agents/{}", agent.to_lowercase());
    let files = ["charter.md", "history.md"].map(|file| format!("{agent}/{file}"));
    let shared = ["decisions.md", "identity/now.md", "identity/wisdom.md", "ceremonies.md"];
    let all = files.iter().map(String::as_str).chain(shared);
    all.map(|file| Ok(fs::read_to_string(folder.join(".squad").join(file))?)).collect()
}

/// Creates a team of three, as it could be after some weeks.
fn lay_out(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let team = Team::new(Arc::new(StdFileSystem), folder.join(".squad"), &hooks::system());
    let members = CHILDREN.map(|(name, _)| NewMember { name: name.to_owned(), role: "Developer".to_owned() });
    team.init(&NewTeam { members: members.to_vec(), ..NewTeam::default() })?;
    team.set_now(&[("focus_area", "Orders and checkout")])?;
    team.add_wisdom("Measure before and after", "whenever something is called slow")?;
    let subjects = ["orders", "baskets", "invoices", "customers", "the checkout", "search", "stock", "mails"];
    let mut decisions = "# Decisions\n".to_owned();
    let authors = CHILDREN.iter().cycle();
    for (number, (subject, (by, _))) in subjects.iter().cycle().zip(authors).take(60).enumerate() {
        let day = number % 28 + 1;
        decisions.push_str(&format!(
            "\n### 2026-10-{day:02}: Rule {number} for {subject}\n**By:** {by}\n**What:** What belongs to {subject} goes through one module, and has a test of its own.\n**Why:** It broke twice, see #{number}.\n"
        ));
    }
    fs::write(team.root().join("decisions.md"), decisions)?;
    for (agent, _) in CHILDREN {
        let mut history = format!("# {agent}\n\n## Learnings\n");
        for (number, subject) in subjects.iter().cycle().take(40).enumerate() {
            history.push_str(&format!(
                "\n### 2026-10-{:02}\nWorking on {subject}: the fixtures are in `tests/{number}`, and the slow part is the first query.\n",
                number % 28 + 1
            ));
        }
        fs::write(team.root().join("agents").join(agent.to_lowercase()).join("history.md"), history)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hooks::conversation::Estimate;

    use super::*;

    #[tokio::test]
    async fn a_spawn_saves_what_a_prompt_would_have_to_say() {
        let mut shown = Vec::new();
        play(&mut shown).await.unwrap();
        let shown = String::from_utf8(anstream::adapter::strip_bytes(&shown).into_vec()).unwrap();
        let rows: Vec<Vec<u64>> = shown
            .lines()
            .filter(|line| CHILDREN.iter().any(|(agent, _)| line.trim_start().starts_with(agent)))
            .map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
            .collect();
        assert_eq!(rows.len(), CHILDREN.len(), "{shown}");
        for row in rows {
            let [instructions, _, read, given, saved] = row[..] else { panic!("{row:?}") };
            // Half of an estimate is less than the count of any vocabulary.
            assert!(instructions >= 400 && saved >= 400 && read > given, "{shown}");
        }
        assert!(Estimate.count(INSTRUCTIONS) / 2 >= 200);
    }
}
