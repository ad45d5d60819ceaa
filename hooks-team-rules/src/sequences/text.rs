//! Text form of the state of a session, in which a store keeps it.
//!
//! Fields are hexadecimal numbers: `1|clock|step|open,…|rule,…`. The slots of a window have the time since the slot before. A text that cannot be read is an error, never an empty
//! state.

use super::progress::{CallKey, OpenCall, Progress, SessionState};
use super::window::{Slot, Window};

/// Version of the form.
const VERSION: &str = "1";

impl SessionState {
    /// Formats the state.
    pub(super) fn write(&self) -> String {
        let slots: usize = self.rules.values().map(|progress| progress.window.0.len()).sum();
        let size = 64 + self.open.len() * 48 + self.rules.len() * 48 + slots * 16;
        let mut text = Text(String::with_capacity(size));
        text.0.push_str(VERSION);
        text.field('|', self.clock);
        text.field('|', self.step);
        text.0.push('|');
        for (at, OpenCall { call, step }) in self.open.iter().enumerate() {
            text.item(at, call.id);
            text.field('.', call.digest);
            text.field('.', *step);
        }
        text.0.push('|');
        for (at, (id, progress)) in self.rules.iter().enumerate() {
            let Progress { since, awaited, is_full, calls, window } = progress;
            text.item(at, *id);
            for number in [*since, *awaited, u64::from(*is_full), *calls] {
                text.field('.', number);
            }
            text.0.push('.');
            let mut before = 0;
            for Slot { time, calls } in &window.0 {
                text.number(time.wrapping_sub(before));
                if *calls != 1 {
                    text.field(':', *calls);
                }
                text.0.push('/');
                before = *time;
            }
        }
        text.0
    }

    /// Parses a state; `None` for a text that is not one.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut fields = text.split('|');
        if fields.next()? != VERSION {
            return None;
        }
        let (clock, step) = (number(fields.next()?)?, number(fields.next()?)?);
        let open = items(fields.next()?).map(open_call).collect::<Option<_>>()?;
        let rules = items(fields.next()?).map(rule).collect::<Option<_>>()?;
        fields.next().is_none().then_some(Self { clock, step, open, rules })
    }
}

/// Text that is written: `fmt` would take most of the time of an event.
struct Text(String);

impl Text {
    fn item(&mut self, at: usize, number: u64) {
        if at > 0 {
            self.0.push(',');
        }
        self.number(number);
    }

    fn field(&mut self, separator: char, number: u64) {
        self.0.push(separator);
        self.number(number);
    }

    fn number(&mut self, mut number: u64) {
        let mut digits = [b'0'; 16];
        let mut length = 0;
        for place in digits.iter_mut().rev() {
            let digit = u8::try_from(number & 0xf).unwrap_or_default();
            *place = if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
            (number, length) = (number >> 4, length + 1);
            if number == 0 {
                break;
            }
        }
        let digits = digits.get(digits.len() - length..).unwrap_or_default();
        self.0.push_str(std::str::from_utf8(digits).unwrap_or_default());
    }
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter(|item| !item.is_empty())
}

fn open_call(text: &str) -> Option<OpenCall> {
    let mut parts = text.split('.').map(number);
    let (id, digest, step) = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(OpenCall { call: CallKey { id, digest }, step })
}

fn rule(text: &str) -> Option<(u64, Progress)> {
    let mut parts = text.split('.');
    let mut next = || number(parts.next()?);
    let (id, since, awaited, full, calls) = (next()?, next()?, next()?, next()?, next()?);
    let window = parts.next()?;
    let slots = slots(window)?;
    let progress = Progress { since, awaited, is_full: full != 0, calls, window: Window(slots) };
    parts.next().is_none().then_some((id, progress))
}

/// Parses the slots of a window: for each, the time since the one before, and the calls in it if they are not one.
///
/// Reads byte by byte: windows are the largest part of a state.
fn slots(text: &str) -> Option<Vec<Slot>> {
    let (mut slots, mut before) = (Vec::with_capacity(text.len() / 4), 0u64);
    let (mut number, mut since) = (None, None);
    for byte in text.bytes() {
        match (byte, number) {
            (b':', Some(_)) if since.is_none() => (since, number) = (number, None),
            (b'/', Some(last)) => {
                let (passed, calls) = since.map_or((last, 1), |since| (since, last));
                before = before.wrapping_add(passed);
                slots.push(Slot { time: before, calls });
                (number, since) = (None, None);
            }
            _ => {
                let digit = char::from(byte).to_digit(16)?;
                let high = number.unwrap_or(0u64);
                number = (high >> 60 == 0).then_some(high << 4 | u64::from(digit));
                number?;
            }
        }
    }
    (number.is_none() && since.is_none()).then_some(slots)
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_state() -> impl Strategy<Value = SessionState> {
        let open = (any::<u64>(), any::<u64>(), any::<u64>())
            .prop_map(|(id, digest, step)| OpenCall { call: CallKey { id, digest }, step });
        let slot = (any::<u64>(), any::<u64>()).prop_map(|(time, calls)| Slot { time, calls });
        let progress =
            (any::<u64>(), any::<u64>(), any::<bool>(), any::<u64>(), prop::collection::vec(slot, 0..4));
        let progress = progress.prop_map(|(since, awaited, is_full, calls, slots)| Progress {
            since,
            awaited,
            is_full,
            calls,
            window: Window(slots),
        });
        let rules = prop::collection::btree_map(any::<u64>(), progress, 0..5);
        (any::<u64>(), any::<u64>(), prop::collection::vec(open, 0..4), rules)
            .prop_map(|(clock, step, open, rules)| SessionState { clock, step, open, rules })
    }

    proptest! {
        #[test]
        fn a_state_is_read_as_it_was_written(state in any_state()) {
            prop_assert_eq!(SessionState::read(&state.write()), Some(state));
        }

        #[test]
        fn no_text_is_an_empty_state_by_mistake(text in "[0-9a-f|.,:/x]{0,40}") {
            if let Some(state) = SessionState::read(&text) {
                prop_assert!(text.starts_with("1|"));
                prop_assert!(SessionState::read(&state.write()) == Some(state));
            }
        }
    }

    #[test]
    fn damaged_texts_are_errors() {
        for text in [
            "",
            "2|0|0||",
            "1|0|0|",
            "1|0|0|||",
            "1|x|0||",
            "1|0|0|1.2|",
            "1|0|0||1.2.3.0.4",
            "1|0|0||1.2.3.0.4.5",
        ] {
            assert_eq!(SessionState::read(text), None, "{text}");
        }
    }
}
