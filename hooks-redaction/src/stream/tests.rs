use proptest::prelude::*;

use super::*;
use crate::tests::pieces;

fn in_chunks(text: &str, cuts: &[usize]) -> Vec<u8> {
    let mut stream = Scrubber::all().byte_stream();
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    for cut in cuts {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        out.extend(stream.push(chunk));
        rest = after;
    }
    out.extend(stream.push(rest));
    out.extend(stream.finish());
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cutting_gives_the_output_of_the_whole(text in pieces(), cuts in prop::collection::vec(0..40_usize, 0..12)) {
        let whole = Scrubber::all().scrub(&text).into_owned();
        let cut = in_chunks(&text, &cuts);
        prop_assert_eq!(std::str::from_utf8(&cut), Ok(whole.as_str()), "{:?}", text);
    }
}

/// Lines of all kinds, and a secret in every twentieth, longer than several pieces.
fn long_text() -> String {
    let mut text = String::new();
    for line in 0..6000 {
        match line % 20 {
            3 => text.push_str("aws AKIAIOSFODNN7EXAMPLE\nsecret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"),
            7 => text.push_str("mail jane@example.com, größe 10.1.2.3 \u{1b}[31m\n"),
            11 => text.push_str("key ghp_0123456789abcdefghij\nKLMNOPqrstuvwxyz ok\n"),
            15 => text.push_str(
                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\n",
            ),
            _ => text.push_str("an ordinary line of a log with nothing to remove in it\n"),
        }
    }
    text
}

#[test]
fn long_texts_come_out_the_same_whole_and_in_chunks() {
    let text = long_text();
    assert!(text.len() > 4 * PIECE);
    let whole = Scrubber::all().scrub(&text);
    for value in ["wJalr", "jane@", "10.1.2.3", "ghp_", "KLMNOP", "MIIE"] {
        assert!(!whole.contains(value), "{value}");
    }
    assert_eq!(whole.matches("[AWS_SECRET_ACCESS_KEY_REDACTED]").count(), 300);
    for size in [1_usize, 7, 1000, 100_000] {
        let cuts = vec![size; text.len() / size];
        let cut = in_chunks(&text, &cuts);
        let same = cut.iter().zip(whole.as_bytes()).take_while(|(a, b)| a == b).count();
        let near = |bytes: &[u8]| {
            String::from_utf8_lossy(&bytes[same.saturating_sub(80)..bytes.len().min(same + 80)]).into_owned()
        };
        assert!(
            cut == whole.as_bytes(),
            "chunks of {size}: {:?} is not {:?}",
            near(&cut),
            near(whole.as_bytes())
        );
    }
}

#[test]
fn a_key_that_is_longer_than_a_piece_is_removed_to_its_end() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(4000);
    let text =
        format!("a\n-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\nb jane@example.com\n");
    let whole = Scrubber::all().scrub(&text);
    assert!(whole == "a\n[PRIVATE_KEY_REDACTED]\nb [EMAIL_REDACTED]\n", "{} bytes are left", whole.len());
    let cuts = vec![5000; text.len() / 5000];
    assert!(in_chunks(&text, &cuts) == whole.as_bytes());
}

#[test]
fn what_is_held_back_is_bounded_and_not_printed() {
    let mut stream = Scrubber::all().stream();
    for _chunk in 0..200 {
        let _out = stream.push(&"x".repeat(1000));
        assert!(stream.pending.len() <= PIECE);
    }
    let _out = stream.push("\nmail jane@example.com");
    assert!(!format!("{stream:?}").contains("jane"));
}

#[test]
fn characters_that_are_cut_are_joined_and_other_bytes_stay() {
    let text = "größe 中文 jane@example.com\n";
    let ones = vec![1; text.len()];
    assert_eq!(in_chunks(text, &ones), "größe 中文 [EMAIL_REDACTED]\n".as_bytes());
    let mut stream = Scrubber::all().byte_stream();
    let mut out = stream.push(b"a\xe4");
    out.extend(stream.push(b" b\xff"));
    out.extend(stream.finish());
    assert_eq!(out, b"a\xe4 b\xff");
}

#[test]
fn wide_text_is_scrubbed_in_any_chunks() {
    let text = "\u{feff}größe 😀 ghp_0123456789abcdefghijKLMNOPqrstuvwxyz\njane@example.com";
    let wanted = "\u{feff}größe 😀 [GITHUB_TOKEN_REDACTED]\n[EMAIL_REDACTED]";
    let wide =
        |text: &str, order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        for skipped in [0, "\u{feff}größe 😀 ".len()] {
            let part = |text: &str| wide(text.get(skipped..).unwrap(), order);
            let (text, wanted) = (part(text), part(wanted));
            for size in [1, 3, 1000] {
                let mut stream = Scrubber::all().byte_stream();
                let mut out: Vec<u8> = text.chunks(size).flat_map(|chunk| stream.push(chunk)).collect();
                out.extend(stream.finish());
                assert_eq!(out, wanted, "chunks of {size}");
            }
        }
    }
}

/// Regression test: a byte order mark before ASCII made it a text in UTF-16, in which nothing was found.
#[test]
fn a_mark_before_ascii_hides_nothing() {
    for mark in [b"\xff\xfe", b"\xfe\xff"] {
        for size in [1, 2, 3, 1000] {
            let text = [&mark[..], b"mail jane@example.com\n"].concat();
            let mut stream = Scrubber::all().byte_stream();
            let mut out: Vec<u8> = text.chunks(size).flat_map(|chunk| stream.push(chunk)).collect();
            out.extend(stream.finish());
            assert_eq!(out, [&mark[..], b"mail [EMAIL_REDACTED]\n"].concat(), "chunks of {size}");
        }
    }
}

/// A text of UTF-16 in the middle of another one: its zeros hide nothing.
#[test]
fn zeros_between_letters_hide_nothing() {
    let wide: String = "ghp_0123456789abcdefghijKLMNOPqrstuvwxyz".chars().flat_map(|c| [c, '\0']).collect();
    let scrubbed = Scrubber::all().scrub_bytes(format!("a file: {wide}\n").as_bytes()).into_owned();
    assert!(!scrubbed.contains(&b'1'), "{:?}", String::from_utf8_lossy(&scrubbed));
}

/// A secret at each place around the cut of a line that is longer than a piece.
#[test]
fn a_secret_where_a_long_line_is_cut_is_removed() {
    for filler in ["x, ", "x;y", "word word "] {
        for secret in [
            "ghp_0123456789abcdefghijKLMNOPqrstuvwxyz",
            "password = \"hunter2 hunter3\"",
            "Bearer abcdefgh12345678ijkl",
        ] {
            for shift in (0..9000).step_by(331) {
                let count = (PIECE - 9000 + shift) / filler.len();
                let text = format!("{} {secret} {}", filler.repeat(count), filler.repeat(3000));
                let out = Scrubber::all().scrub(&text);
                let hidden = ["KLMNOP", "hunter", "12345678"].iter().all(|part| !out.contains(part));
                assert!(hidden, "{secret} at {}", count * filler.len());
            }
        }
    }
}

/// Many beginnings of keys take a time in proportion to their number.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test of the time it takes")]
fn many_beginnings_of_keys_are_linear() {
    let text = "-----BEGIN PRIVATE KEY-----\n".repeat(20_000);
    let start = std::time::Instant::now();
    let mut stream = Scrubber::all().stream();
    let mut out = stream.push(&text);
    out += &stream.finish();
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(out.len() <= text.len());
}
