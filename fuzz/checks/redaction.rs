//! Properties of the scrubber for any bytes. The first byte decides how the rest is cut into chunks.

use hooks_redaction::Scrubber;

/// Panics if a property does not hold for `input`.
pub(crate) fn properties(input: &[u8]) {
    let Some((first, bytes)) = input.split_first() else { return };
    let scrubber = Scrubber::all();
    let whole = scrubber.scrub_bytes(bytes);
    let again = scrubber.scrub_bytes(&whole);
    assert!(again == whole, "a second scrub changes the text");
    let mut stream = scrubber.byte_stream();
    let mut out = Vec::new();
    for chunk in bytes.chunks(usize::from(*first).max(1)) {
        out.extend(stream.push(chunk));
    }
    out.extend(stream.finish());
    assert!(
        out == *whole,
        "chunks of {first} bytes change the output of {:?}",
        String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes))
    );
    if let Ok(text) = std::str::from_utf8(bytes) {
        let mut end = 0;
        for span in scrubber.spans(text) {
            assert!(end <= span.start && span.start < span.end, "a span overlaps another one");
            assert!(text.get(span.start..span.end).is_some(), "a span cuts a character");
            end = span.end;
        }
    }
}
