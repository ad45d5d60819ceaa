//! Word lists of the grammar, by the function of the words in a sentence. The words are rows of the tables in
//! the folder `data`.

/// Contractions.
pub(super) const CONTRACTIONS: &[&str] = table!("words_contractions");

/// Whether the word may come before an instruction without changing it. This is called very often: a `match`
/// compares lengths first and is faster than a search in a list.
pub(super) fn is_filler(word: &str) -> bool {
    include!(concat!(env!("OUT_DIR"), "/fillers.rs"))
}

/// Words that join two clauses.
pub(super) const JOINING: &[&str] = table!("words_joining");

/// Subjects that a rule addresses.
pub(super) const TOLD: &[&str] = table!("words_told");

/// Verbs and other words that oblige.
pub(super) const OBLIGING: &[&str] = table!("words_obliging");

/// Words that make a rule of the text after them.
pub(super) const WEIGHTY: &[&str] = table!("words_weighty");

/// Verbs with which "that" begins a rule.
pub(super) const RULING: &[&str] = table!("words_ruling");

/// Parts of a way of working: a rule about them is a rule about work.
pub(super) const OF_WORK: &[&str] = table!("words_of_work");

/// Articles, pronouns and other words that cannot be the verb after an adverb.
pub(super) const NO_VERBS: &[&str] = table!("words_no_verbs");

/// Past forms that do not end in "ed".
pub(super) const PAST: &[&str] = table!("words_past");

/// Base forms of verbs that end in "s" or "ed".
pub(super) const BASE: &[&str] = table!("words_base");

/// Verbs for events that happen to the user, as opposed to rules.
pub(super) const HAPPENING: &[&str] = table!("words_happening");

/// Words that report the words of another source.
pub(super) const TELLING: &[&str] = table!("words_telling");

/// Words that introduce a quoted word.
pub(super) const NAMING: &[&str] = table!("words_naming");

/// Words that begin a question if a subject follows.
pub(super) const ASKING: &[&str] = table!("words_asking");

/// Words that begin a question without a subject after them.
pub(super) const QUESTIONS: &[&str] = table!("words_questions");

/// Subjects of questions and reports.
pub(super) const SUBJECTS: &[&str] = table!("words_subjects");

/// Words that begin a condition or a scope.
pub(super) const SCOPING: &[&str] = table!("words_scoping");

/// Conditions with a verb of their own.
pub(super) const CONDITIONS: &[&str] = table!("words_conditions");

/// Nouns that end in "ing".
pub(super) const NOT_GOING_ON: &[&str] = table!("words_not_going_on");

/// Words for a day on which a rule may begin.
pub(super) const DAYS: &[&str] = table!("words_days");

/// Things that end soon: a wish about them is for one task.
pub(super) const PASSING: &[&str] = table!("words_passing");

/// Nouns for a rule.
pub(super) const RULE_NOUNS: &[&str] = table!("words_rule_nouns");

/// Words that mark a rule as the user's or the team's own: "house rule", "our policy", "standing order".
pub(super) const OWN: &[&str] = table!("words_own");

/// Places in which a way of working applies for longer than one task.
pub(super) const PLACES_OF_WORK: &[&str] = table!("words_places_of_work");

/// Recurring things of work: a wish about each of them is a standing wish.
pub(super) const RECURRING: &[&str] = table!("words_recurring");

/// Verbs that withdraw something.
pub(super) const WITHDRAWING: &[&str] = table!("words_withdrawing");

/// Verbs with a text as their object: the text after the colon is that text.
pub(super) const TEXTING: &[&str] = table!("words_texting");

/// Verbs that create something.
pub(super) const AUTHORING: &[&str] = table!("words_authoring");

/// Texts and tools with rules of their own, which do not apply to their author.
pub(super) const ARTEFACTS: &[&str] = table!("words_artefacts");

/// Words with which a user describes a wish: "I'd be glad if you …".
pub(super) const GLAD: &[&str] = table!("words_glad");

/// Phrases with which a user leaves the task.
pub(super) const ASIDES: &[&str] = table!("words_asides");

/// Nouns for a part of a product, or for those who use it.
pub(super) const OF_PRODUCT: &[&str] = table!("words_of_product");

/// Verbs that begin instructions, in alphabetical order.
pub(super) const VERBS: &[&str] = table!("verbs");
