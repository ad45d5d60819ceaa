//! Text form of the state of a session, in which a store keeps it.
//!
//! Fields are hexadecimal numbers: `1|clock|step|open,…|rule,…`. A text that cannot be read is an error, never an empty
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
            for Slot { time, calls } in &window.0 {
                text.number(*time);
                text.field(':', *calls);
                text.0.push('/');
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

    fn number(&mut self, number: u64) {
        let digits = (u64::BITS - number.leading_zeros()).div_ceil(4).max(1);
        let digit = |at: u32| {
            u32::try_from(number >> (4 * at) & 0xf).ok().and_then(|digit| char::from_digit(digit, 16))
        };
        self.0.extend((0..digits).rev().filter_map(digit));
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
    let slots = window.split('/').filter(|slot| !slot.is_empty()).map(slot).collect::<Option<_>>()?;
    let progress = Progress { since, awaited, is_full: full != 0, calls, window: Window(slots) };
    parts.next().is_none().then_some((id, progress))
}

fn slot(text: &str) -> Option<Slot> {
    let (time, calls) = text.split_once(':')?;
    Some(Slot { time: number(time)?, calls: number(calls)? })
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
