use serde_json::json;

use super::*;

/// Our own vectors, written from the documentation before the code; each has the recorded answer of the scripts.
fn vectors() -> Vec<Value> {
    let path = xtask::workspace::root().join("proofs/conformance/claude-forge-own/vectors.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_scripts_and_their_port_say_the_same_about_our_own_vectors() {
    let vectors = vectors();
    assert!(vectors.len() >= 60, "{}", vectors.len());
    for vector in vectors {
        let expected = &vector["expect"];
        let answer = answer_compat(&vector).unwrap();
        let answer = &answer["answer"];
        assert_eq!(answer["exit"], expected["exit"], "{}", vector["title"]);
        assert_eq!(answer["stderr"], expected["stderr"], "{}", vector["title"]);
        if expected.get("head_rewritten").is_some() {
            assert_eq!(answer["head_rewritten"], expected["head_rewritten"], "{}", vector["title"]);
            assert_eq!(answer["stdout_json_tail"], expected["stdout_json_tail"], "{}", vector["title"]);
        } else if let Some(wanted) = expected.get("stdout_json") {
            let told: Value = serde_json::from_str(answer["stdout"].as_str().unwrap()).unwrap();
            assert_eq!(told, *wanted, "{}", vector["title"]);
        } else {
            assert_eq!(answer["stdout"], expected["stdout"], "{}", vector["title"]);
        }
    }
}

#[test]
fn the_strict_policies_give_the_ideal_answer_to_our_own_vectors() {
    for vector in vectors() {
        if vector["class"] == "quirk" || vector.get("static") == Some(&json!(false)) {
            continue;
        }
        let answer = answer_strict(&vector).unwrap();
        let answer = &answer["answer"];
        let told = answer["stdout"].as_str().is_some_and(|text| !text.is_empty());
        let decided = match vector["hook"].as_str().unwrap() {
            "pre-tool" | "stop" => {
                if answer["exit"] == 2 {
                    "block"
                } else {
                    "allow"
                }
            }
            _ if answer["head_rewritten"] == true => "amend",
            _ if told => "warn",
            _ => "silent",
        };
        assert_eq!(vector["ideal"], decided, "{} {answer}", vector["title"]);
    }
}
