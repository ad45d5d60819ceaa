use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy};
use hooks_team_rules::decisions::*;
use std::io::BufRead;
fn main() {
    let show = std::env::args().nth(1);
    let mut out = vec![];
    for line in std::io::stdin().lock().lines() {
        let e: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let md = e["policy"]["decisions_md"].as_str().unwrap();
        let d = Decisions::parse(md);
        let p = DecisionPolicy::new(&d, &Default::default());
        let (environment, ..) = world(FakeFileSystem::default());
        let c = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
        let v = p.judge(&HookRequest::new(
            c,
            PreToolUse::new(e["tool"].as_str().unwrap(), e["arguments"].clone()),
        ));
        let got = if v.is_final() { "block" } else { "allow" };
        let id = e["id"].as_str().unwrap();
        if show.as_deref().is_some_and(|s| s == id) {
            for d in d.all() {
                println!("{d:#?}");
            }
            println!("{:?}", v.reasons());
        }
        out.push((
            id.to_owned(),
            e["expect"].as_str().unwrap().to_owned(),
            got,
            e["class"].as_str().unwrap().to_owned(),
            md.to_owned(),
            e["arguments"].to_string(),
            v.reasons().first().map(|r| r.message.to_string()),
        ));
    }
    let bl = out.iter().filter(|o| o.1 == "block").count();
    let ok = out.iter().filter(|o| o.1 == "block" && o.2 == "block").count();
    let al = out.len() - bl;
    let fp = out.iter().filter(|o| o.1 == "allow" && o.2 == "block").count();
    if show.as_deref() == Some("-v") {
        for o in out.iter().filter(|o| o.1 != o.2) {
            println!(
                "{} want {} [{}] {} // {:?}",
                o.0,
                o.1,
                o.3,
                o.5.chars().take(230).collect::<String>(),
                o.6
            );
        }
    }
    println!("block {ok}/{bl} fp {fp}/{al}");
}
