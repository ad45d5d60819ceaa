//! Items below a title that bans them: "## Don'ts", and "- moment" or "- Editing `vendor/`" below it.
//!
//! A list below a title that forbids:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("## Banned libraries\n\n- moment\n");
//! assert!(decisions.all().iter().any(|it| it.rules.iter().any(|rule| rule.packages[0] == "moment")));
//! ```

use super::super::names::names;
use super::super::scope::scope;
use super::super::tables;
use super::super::words::{Sentence, Word};
use super::negation::{infinitive, is_verb};
use super::permit::is_permit;
use super::predicate::predicate;
use super::replacement::replacement;
use super::verdict::is_name_alone;
use super::{Ban, Context, Reading};

/// Words that end the name of an item; a reason or a replacement follows.
const ENDS: &[&str] = &["because", "since", "->", "so", "use", "as", "which", "that", "instead"];
/// Words before the name of an item.
const STARTS: &[&str] =
    &["any", "all", "the", "a", "an", "new", "raw", "plain", "use", "using", "usage", "of", "direct"];

impl Reading {
    /// Reads an item of a list of bans, and returns whether it is one.
    pub(super) fn listed(&mut self, sentence: &Sentence, context: &mut Context) -> bool {
        let before = self.rules.len();
        let words = sentence.words.as_slice();
        // "packages: x, y"
        let is_kind = |word: &Word| word.is_in(tables::FILLER) || word.is_in(&["names", "list", "name"]);
        let words = match words {
            [kind, colon, rest @ ..] if is_kind(kind) && colon.is(":") => rest,
            _ => words,
        };
        let own = item(words);
        let action = forbidden_action(words).filter(|_| !is_name_alone(own));
        if let Some(order) = action {
            context.sentence = before;
            self.clause(&order, context);
        } else if is_name_alone(own) || is_item(words, own, context) {
            let (mut places, rest) = scope(own);
            // "`x`, except in `db/`" may have its places behind a comma.
            let mut outside = scope(words).0.except;
            outside.retain(|glob| !places.except.contains(glob));
            places.except.extend(outside);
            context.is_ban = true;
            context.verb = "use".to_owned();
            context.sentence = before;
            let ban = Ban { names: names(&rest), scope: places, verb: "use".to_owned(), ..Ban::default() };
            self.forbid_in(ban, context);
        } else {
            return false;
        }
        self.asides(sentence, before, context);
        true
    }
}

/// Returns the words of an item without what follows behind its name.
fn item(words: &[Word]) -> &[Word] {
    let is_end = |at: usize| {
        words.get(at).is_some_and(|word| {
            let next = words.get(at + 1);
            let is_comma =
                word.is(",") && next.is_some_and(|next| next.is_in(ENDS) || next.is_in(tables::CHOOSE));
            is_comma || word.is_in(&["—", ";", ":"]) || word.is_in(ENDS) && at > 0
        })
    };
    let end = (0..words.len()).find(|at| is_end(*at)).unwrap_or(words.len());
    words.get(..end).unwrap_or(words)
}

/// Whether the words of an item begin with a name, and state nothing else.
fn is_item(words: &[Word], own: &[Word], context: &Context) -> bool {
    let first = own.iter().find(|word| !word.is_in(STARTS) && !word.is_in(tables::ADJECTIVE));
    let is_name = first.is_some_and(|word| {
        word.is_code || names(std::slice::from_ref(word)).iter().any(|name| !name.is_guess())
    });
    let is_verbal = own.iter().any(|word| word.is_in(tables::BE) || word.is_in(tables::AUXILIARY));
    is_name
        && !is_verbal
        && !is_permit(own)
        && predicate(words).is_none()
        && replacement(words, context).is_none()
}

/// Returns the ban of an action: "Editing files in `vendor/`" is "never edit files in `vendor/`".
fn forbidden_action(words: &[Word]) -> Option<Vec<Word>> {
    let (first, rest) = words.split_first()?;
    if first.is_code || predicate(words).is_some() || is_permit(words) {
        return None;
    }
    let is_order = is_verb(first) && tables::concept(&first.lower).is_none();
    let verb = infinitive(first).or_else(|| is_order.then(|| first.lower.clone()))?;
    let mut order = vec![Word::new("never", false), Word::new(&verb, false)];
    order.extend(rest.iter().cloned());
    Some(order)
}
