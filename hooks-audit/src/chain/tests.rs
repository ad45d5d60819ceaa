use serde_json::json;

use super::*;
use crate::record::{Payload, Record};

/// A file of two groups of two records each; the second record of each group has a payload.
fn file(chain: &mut Chain) -> Vec<u8> {
    let mut out = Vec::new();
    chain.header(After::Start, Timestamp(1), &mut out);
    for at in 2..4 {
        let mut lines = Lines::behind(chain.seq);
        let payload = Payload::new(json!({"tool_args": {"seq": 1, "text": "\"sum\":\"", "n": at}}));
        lines.push(&mut Record::new("session_start", Timestamp(at)), None, &[1; SALT]).unwrap();
        lines.push(&mut Record::new("pre_tool_use", Timestamp(at)), Some(&payload), &[2; SALT]).unwrap();
        chain.commit(&lines, chain.commit, Timestamp(at), &mut out);
    }
    out
}

/// Returns the number of valid groups in their place, and whether `bytes` holds nothing else.
fn checked(bytes: &[u8]) -> (u64, bool) {
    let mut scan = Scan::new(bytes, None);
    let mut chain: Option<Chain> = None;
    let mut right = 0;
    while let Ok(Some(group)) = scan.next_group() {
        let next = chain.get_or_insert_with(|| Chain::new("w0")).follow(&group);
        let Some(next) = next else { break };
        chain = Some(next);
        right += 1;
    }
    (right, right == 3 && scan.offset() == bytes.len())
}

#[test]
fn what_is_written_is_followed() {
    let mut chain = Chain::new("w0");
    let bytes = file(&mut chain);
    assert_eq!(checked(&bytes), (3, true));
    let text = String::from_utf8(bytes).unwrap();
    let line = text.lines().nth(1).unwrap();
    assert_eq!(line, r#"{"seq":1,"at":"1970-01-01T00:00:00.002Z","event":"session_start"}"#);
    assert!(text.lines().nth(3).unwrap().starts_with(r#"{"p":2,"salt":"0202"#), "{text}");
    assert_eq!((chain.seq, chain.commit, chain.tree.size()), (4, 3, 4));
}

#[test]
fn every_truncation_and_every_flipped_bit_is_seen() {
    let bytes = file(&mut Chain::new("w0"));
    for end in 0..bytes.len() {
        assert!(!checked(&bytes[..end]).1, "cut at {end}");
    }
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!checked(&flipped).1, "bit {bit} of {:?}", bytes[bit / 8] as char);
    }
}

#[test]
fn an_erased_payload_leaves_the_chain_as_it_is() {
    let text = String::from_utf8(file(&mut Chain::new("w0"))).unwrap();
    let erased: String = text
        .lines()
        .map(|line| {
            if line.starts_with(r#"{"p":2,"#) {
                "{\"p\":2,\"erased\":9}\n".into()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    assert_ne!(erased, text);
    assert_eq!(checked(erased.as_bytes()), (3, true));
    let gone: String =
        text.lines().filter(|line| !line.starts_with("{\"p\":")).map(|line| format!("{line}\n")).collect();
    assert!(!checked(gone.as_bytes()).1, "a payload that just went is missed");
}
