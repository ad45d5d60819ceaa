use hooks_team_rules::decisions::*;
use std::io::BufRead;
fn main() {
    let mut seen = std::collections::HashSet::new();
    for line in std::io::stdin().lock().lines() {
        let e: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let md = e["policy"]["decisions_md"].as_str().unwrap();
        if !seen.insert(md.to_owned()) {
            continue;
        }
        println!("=====");
        for d in Decisions::parse(md).all() {
            println!("## {} [{:?}]", d.title, d.enforcement);
            for r in &d.rules {
                println!(
                    "   - {}",
                    r.to_string().trim_end().replace('\n', " | ").chars().take(330).collect::<String>()
                );
            }
        }
    }
}
