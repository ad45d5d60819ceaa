//! Tests of anchors.

use super::*;

fn hits(text: &str) -> Vec<(usize, Anchors)> {
    let mut hits = Vec::new();
    each(text.as_bytes(), |at, anchors| hits.push((at, anchors)));
    hits
}

/// Each anchor is found at each distance from the borders of a block.
#[test]
fn anchors_are_found_wherever_they_stand() {
    type Is = fn(&Anchors) -> bool;
    let cases: [(&str, usize, Is); 51] = [
        ("key", 0, |a| a.name),
        ("token", 2, |a| a.name),
        ("Cookie", 3, |a| a.name),
        ("PASSWORD", 0, |a| a.name),
        ("psk", 0, |a| a.name),
        ("pwd", 0, |a| a.name),
        ("secret", 2, |a| a.name),
        ("Authorization", 5, |a| a.name),
        ("bearer", 1, |a| a.name),
        ("identified by", 0, |a| a.name),
        ("303-555", 0, |a| a.number),
        ("1.2.3.4", 0, |a| a.number),
        ("DE89", 0, |a| a.account),
        ("://x", 0, |a| a.colon),
        ("fd00::1", 4, |a| a.colon),
        ("::ffff:1.2.3.4", 6, |a| a.colon),
        ("@", 0, |a| a.rare),
        ("\u{200b}", 0, |a| a.opener),
        ("ghp_0123456789ab", 0, |a| a.word),
        ("-u a", 0, |a| a.option),
        ("-----BEGIN", 0, |a| a.dashes),
        ("abcdef\n", 0, |a| a.line_end),
        ("auth(", 0, |a| a.name),
        ("login(", 0, |a| a.name),
        ("connect(", 0, |a| a.name),
        ("Basic", 1, |a| a.name),
        ("PlainAuth", 0, |a| a.name),
        ("masterauth", 1, |a| a.name),
        ("assword", 0, |a| a.name),
        ("cn=", 0, |a| a.name),
        ("sqlplus", 0, |a| a.name),
        ("impdp", 0, |a| a.name),
        ("rabbitmqctl", 0, |a| a.name),
        ("contraseña", 0, |a| a.name),
        ("senha ", 0, |a| a.name),
        ("wachtwoord", 0, |a| a.name),
        ("parola ", 0, |a| a.name),
        ("concat", 0, |a| a.name),
        (".join(\"", 0, |a| a.name),
        ("ab<wbr>c", 2, |a| a.joint),
        ("ab<b>c", 2, |a| a.joint),
        ("ab</i>c", 2, |a| a.joint),
        ("ab<span>c", 2, |a| a.joint),
        ("ü: x", 2, |a| a.colon),
        ("ü : x", 3, |a| a.caption),
        ("hasło", 0, |a| a.mixed),
        ("şifre", 2, |a| a.mixed),
        ("a\" + \"b", 1, |a| a.joint),
        ("a\" ..\nb", 1, |a| a.joint),
        ("a\"\n", 1, |a| a.joint),
        ("n=40c", 1, |a| a.joint),
    ];
    for (text, at, is) in cases {
        for before in 1..140 {
            let text = format!("{}{text} {}", " ".repeat(before), "y".repeat(before % 7));
            let there = hits(&text).into_iter().find(|(place, _)| *place == before + at);
            assert!(there.is_some_and(|(_, anchors)| is(&anchors)), "{text:?} at {before}");
        }
    }
}

#[test]
fn plain_words_have_no_anchor() {
    assert_eq!(hits("plain words, a comma and (a comment); three::colons, 12 of 500"), []);
}
