//! The text form of a window, which the scripts read.

use std::time::Duration;

use hooks_core::state::Window;

/// Formats a window as `a`, `i<ms>`, `e<ms>` or `m`. A fraction of a millisecond follows a dot, in
/// nanoseconds.
pub(super) fn to_text(window: Window) -> String {
    let length = |kind: char, length: Duration| {
        let (millis, rest) = (length.as_millis(), length.subsec_nanos() % NANOS);
        if rest == 0 { format!("{kind}{millis}") } else { format!("{kind}{millis}.{rest}") }
    };
    match window {
        Window::Always => "a".to_owned(),
        Window::Idle(idle) => length('i', idle),
        Window::Every(every) => length('e', every),
        Window::Month => "m".to_owned(),
    }
}

/// Parses the text that [`to_text`] made.
pub(super) fn from_text(text: &str) -> Option<Window> {
    let length = |text: &str| {
        let (millis, rest) = text.split_once('.').unwrap_or((text, "0"));
        let (millis, rest) = (millis.parse::<u128>().ok()?, rest.parse::<u32>().ok()?);
        let seconds = u64::try_from(millis / 1_000).ok()?;
        let of_second = u32::try_from(millis % 1_000).ok()?;
        Some(Duration::new(seconds, of_second.checked_mul(NANOS)?.checked_add(rest)?))
    };
    match text {
        "a" => Some(Window::Always),
        "m" => Some(Window::Month),
        _ => match text.strip_prefix('i') {
            Some(idle) => length(idle).map(Window::Idle),
            None => length(text.strip_prefix('e')?).map(Window::Every),
        },
    }
}

/// Nanoseconds in a millisecond.
const NANOS: u32 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_comes_back() {
        let lengths =
            [Duration::ZERO, Duration::from_nanos(1), Duration::from_micros(61_000_500), Duration::MAX];
        let windows = lengths.into_iter().flat_map(|length| [Window::Idle(length), Window::Every(length)]);
        for window in windows.chain([Window::Always, Window::Month]) {
            assert_eq!(from_text(&to_text(window)), Some(window));
        }
        assert_eq!(to_text(Window::HOUR), "e3600000");
        for text in ["", "x", "e", "ex", "e1.x", "e99999999999999999999999999999999999999999"] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }
}
