//! The table of events in the docs is the table in the code.

use hooks_command::event::{EVENTS, Powers, Rewrites};
use hooks_command::{Lane, Profile};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/command-hooks.md");
const BEGIN: &str = "from the table in hooks-command/src/event.rs. -->\n\n";
const END: &str = "<!-- Up to here. -->";

#[test]
fn the_page_has_the_table() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{BEGIN}{}\n{END}{after}", table());
    if std::env::var_os("HOOKS_BLESS").is_some() {
        std::fs::write(PAGE, wanted).unwrap();
        return;
    }
    assert_eq!(page, wanted, "docs/command-hooks.md drifted; run this with HOOKS_BLESS=1");
}

fn table() -> String {
    let mut table = "| event | ours | per tool | a hook can |\n| --- | --- | --- | --- |\n".to_owned();
    for event in EVENTS {
        let powers = event.powers(Profile::September, Lane::Ordinary);
        let since = if event.since == Profile::September { " (since September)" } else { "" };
        let ours = if event.is_theirs { "" } else { " (not docker-agent's)" };
        let per_tool = if powers.on_tools { "yes" } else { "" };
        let kind = event.kind.name();
        table.push_str(&format!(
            "| `{}`{since}{ours} | `{kind}` | {per_tool} | {} |\n",
            event.name,
            can(powers)
        ));
    }
    table
}

fn can(powers: Powers) -> String {
    let rewrites = match powers.rewrites {
        Rewrites::Nothing => "",
        Rewrites::Arguments => "rewrite arguments",
        Rewrites::Messages => "rewrite messages",
        Rewrites::Response => "rewrite the result",
    };
    let can = [
        (powers.closes, "closes"),
        (powers.guards, "guards"),
        (powers.blocks, "block"),
        (powers.decides, "deny, ask, allow"),
        (powers.approves, "allow or deny in place of a person"),
        (powers.rewrites != Rewrites::Nothing, rewrites),
        (powers.context, "add context"),
        (powers.summary, "give a summary"),
        (powers.metadata, "add metadata to a question"),
    ];
    let can: Vec<_> = can.iter().filter(|(can, _)| *can).map(|(_, what)| *what).collect();
    if can.is_empty() { "–".to_owned() } else { can.join("; ") }
}
