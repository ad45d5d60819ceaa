//! `team.md`: the members of a team.

use std::ops::Range;

use super::{below, plain, written};
use crate::error::TeamError;
use crate::name::Name;
use crate::text::{Document, Table, fields, key};

/// The members of a team.
///
/// ```
/// use hooks_team::files::{NewMember, Roster};
/// use hooks_team::text::Document;
///
/// let text = "## Members\n\n| Name | Role | Charter | Status |\n|--|--|--|--|\n| Ada | Backend | — | retired |\n";
/// let roster = Roster::new(Document::parse(text));
/// assert!(!roster.member("@ada").expect("any spelling").is_active());
///
/// let bob = NewMember { name: "Bob".to_owned(), role: "Tests".to_owned() };
/// let roster = Roster::new(Document::parse(roster.with_member(&bob)?));
/// assert!(roster.member("Bob").expect("he joined").is_active());
/// let twice = roster.with_member(&bob).unwrap_err().to_string();
/// assert!(twice.contains("`Bob` is on the team already"));
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Roster {
    document: Document,
    members: Vec<Member>,
}

/// A member of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Name, as in the table.
    pub name: String,
    /// Role of the member.
    pub role: String,
    /// Path of the charter, as in the table.
    pub charter: Option<String>,
    /// Status, as in the table.
    pub status: String,
    /// Kind of the member, by the table it is in.
    pub kind: MemberKind,
}

/// Kind of a team member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemberKind {
    /// Routes work to the members.
    Coordinator,
    /// Does the work.
    Member,
    /// A coding agent of the platform.
    CodingAgent,
}

/// A member who joins the team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    /// Name of the member.
    pub name: String,
    /// Role of the member.
    pub role: String,
}

/// Headings of the table of members.
const ROSTER: &[&str] = &["Members", "Team Members", "Roster", "Team", "Agents", "Member", "Team Member"];

/// Words of a status that mean that a member has left the team.
const GONE: &[&str] =
    &["retired", "inactive", "alumni", "former", "removed", "offboarded", "archived", "disabled"];

impl Roster {
    /// Parses `team.md`.
    pub fn new(document: Document) -> Self {
        let mut members = Vec::new();
        for (kind, titles) in [
            (MemberKind::Coordinator, &["Coordinator"][..]),
            (MemberKind::Member, ROSTER),
            (MemberKind::CodingAgent, &["Coding Agent", "Coding Agents"]),
        ] {
            let Some(range) = below(&document, titles) else { continue };
            let before = members.len();
            for table in Table::all(&document, &range) {
                let Some(name) = table.column("name").or_else(|| table.column("agent")) else { continue };
                let (role, charter, status) =
                    (table.column("role"), table.column("charter"), table.column("status"));
                members.extend(
                    table.rows().iter().filter(|row| !plain(row.cell(Some(name))).is_empty()).map(|row| {
                        Member {
                            name: plain(row.cell(Some(name))),
                            role: row.cell(role).to_owned(),
                            charter: Some(row.cell(charter).trim_matches(['`', ' ']))
                                .filter(|path| path.contains('/'))
                                .map(str::to_owned),
                            status: row.cell(status).to_owned(),
                            kind,
                        }
                    }),
                );
            }
            if members.len() == before && kind == MemberKind::Member {
                members.extend(in_sections(&document, &range));
            }
        }
        Self { document, members }
    }

    /// Returns the document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns all members, in order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the member with this name, in any spelling, or with this folder.
    pub fn member(&self, name: &str) -> Option<&Member> {
        let wanted = Name::of_agent(name).ok()?;
        self.members.iter().find(|member| member.agent().as_ref() == Some(&wanted))
    }

    /// Returns the coordinator, who routes work.
    pub fn coordinator(&self) -> Option<&Member> {
        self.members.iter().find(|member| member.kind == MemberKind::Coordinator)
    }

    /// Returns whether work is assigned to the coding agent automatically, or `None` if the file does not set
    /// it.
    pub fn assigns_coding_agent(&self) -> Option<bool> {
        let text = self.document.text(0..self.document.bytes().len());
        let (_, rest) = text.split_once("copilot-auto-assign:")?;
        let word = rest.trim_start().split(|c: char| !c.is_alphanumeric()).next()?;
        Some(word.eq_ignore_ascii_case("true"))
    }

    /// Returns the text of the section about the source of issues.
    pub fn issue_source(&self) -> Option<String> {
        written(&self.document, below(&self.document, &["Issue Source"])?)
    }

    /// Returns the file with `member` in the table of members.
    ///
    /// # Errors
    /// Returns `Name` if the name is invalid; `Invalid` if a member has that name; `Missing` if the file has
    /// no table of members.
    pub fn with_member(&self, member: &NewMember) -> Result<Vec<u8>, TeamError> {
        let agent = Name::of_agent(&member.name).map_err(|reason| TeamError::name(&*member.name, reason))?;
        if self.member(&member.name).is_some() {
            return Err(TeamError::invalid("name", format!("`{}` is on the team already", member.name)));
        }
        let range = below(&self.document, ROSTER);
        let table = range.and_then(|range| Table::find(&self.document, &range, &["name"]));
        let Some(table) = table else {
            let way_out = "add `## Members` with columns Name, Role, Charter, Status to `team.md`";
            return Err(TeamError::Missing { what: "table", name: "Members".to_owned(), way_out });
        };
        let charter = format!("`.squad/agents/{agent}/charter.md`");
        let cells = [
            ("name", &*member.name),
            ("role", &*member.role),
            ("charter", &*charter),
            ("status", "✅ Active"),
        ];
        Ok(self.document.with(vec![table.add(&self.document, &cells)]))
    }

    /// Returns the file with a new status of the member `name`.
    ///
    /// # Errors
    /// Returns `Missing` if no table has that member and a column for the status.
    ///
    /// ```
    /// use hooks_team::files::Roster;
    /// use hooks_team::text::Document;
    ///
    /// let roster = Roster::new(Document::parse("## Members\n\n| Name | Status |\n|--|--|\n| Ada | active |\n"));
    /// let text = String::from_utf8(roster.with_status("ada", "retired")?).expect("text");
    /// assert!(text.ends_with("| Ada | retired |\n"));
    /// assert!(roster.with_status("Bob", "retired").is_err());
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn with_status(&self, name: &str, status: &str) -> Result<Vec<u8>, TeamError> {
        let missing = TeamError::Missing {
            what: "member",
            name: name.to_owned(),
            way_out: "add them to `team.md` first",
        };
        let Ok(wanted) = Name::of_agent(name) else { return Err(missing) };
        let tables = Table::all(&self.document, &(0..self.document.bytes().len()));
        let splice = tables.iter().find_map(|table| {
            let (name, status_column) = (table.column("name")?, table.column("status")?);
            let is_wanted = |cell: &str| Name::of_agent(&plain(cell)).is_ok_and(|agent| agent == wanted);
            table.rows().iter().find(|row| is_wanted(row.cell(Some(name))))?.set(status_column, status)
        });
        splice.map(|splice| self.document.with(vec![splice])).ok_or(missing)
    }
}

impl Member {
    /// Returns the member's folder below `agents/`: the folder of the charter, or else the one derived from
    /// the name.
    pub fn agent(&self) -> Option<Name> {
        let folder =
            self.charter.as_deref().and_then(|path| path.split_once("agents/")).map(|(_, rest)| rest);
        let folder = folder.and_then(|rest| rest.split('/').next());
        folder.and_then(|folder| Name::new(folder).ok()).or_else(|| Name::of_agent(&self.name).ok())
    }

    /// Whether the member may get work: the status does not mean that the member has left.
    pub fn is_active(&self) -> bool {
        let status = key(&self.status);
        !GONE.iter().any(|gone| status.split(' ').any(|word| word == *gone))
    }
}

/// Parses members that have a heading with fields each, instead of a table row.
fn in_sections(document: &Document, range: &Range<usize>) -> Vec<Member> {
    let within =
        document.sections().iter().filter(|section| section.level == 3 && range.contains(&section.start));
    let members = within.map(|section| {
        let fields = fields(document, &(section.body..section.end));
        let value =
            |name: &str| fields.iter().find(|field| field.is(&[name])).map(|field| field.value.to_string());
        Member {
            name: plain(&document.title_of(section)),
            role: value("role").unwrap_or_default(),
            charter: value("charter"),
            status: value("status").unwrap_or_default(),
            kind: MemberKind::Member,
        }
    });
    members.filter(|member| !member.name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Team\n\n## Coordinator\n\n| Name | Role | Notes |\n|--|--|--|\n| Squad | Coordinator | x |\n\n## Members\n\n| Name | Role | Charter | Status |\n|---|---|---|---|\n| Fact Checker 🔍 | Verification | `.squad/agents/fact-checker/charter.md` | 🔍 Reviewer |\n| Ralph | Monitor | — | 💤 Retired |\n\n## Coding Agent\n\n<!-- copilot-auto-assign: false -->\n\n| Name | Role | Charter | Status |\n|---|---|---|---|\n| @copilot | Coding Agent | — | 🤖 |\n";

    #[test]
    fn everybody_is_found() {
        let roster = Roster::new(Document::parse(TEXT));
        let shown: Vec<_> = roster
            .members()
            .iter()
            .map(|member| (&*member.name, member.agent().unwrap().to_string(), member.is_active()))
            .collect();
        assert_eq!(
            shown,
            [
                ("Squad", "squad".into(), true),
                ("Fact Checker", "fact-checker".into(), true),
                ("Ralph", "ralph".into(), false),
                ("@copilot", "copilot".into(), true)
            ]
        );
        assert_eq!(roster.coordinator().unwrap().name, "Squad");
        assert_eq!(roster.member("FACT checker").unwrap().role, "Verification");
        assert_eq!(roster.assigns_coding_agent(), Some(false));
        assert!(roster.member("nobody").is_none() && roster.member("../x").is_none());
    }

    #[test]
    fn members_may_have_a_heading_each() {
        let text = "# T\n\n## Roster\n\n### Ripley 🔧\n- **Role:** Lead\n- **Status:** active\n\n### Dallas\n**Role:** Core\n\n## Other\n### No\n";
        let roster = Roster::new(Document::parse(text));
        let shown: Vec<_> = roster.members().iter().map(|member| (&*member.name, &*member.role)).collect();
        assert_eq!(shown, [("Ripley", "Lead"), ("Dallas", "Core")]);
    }

    #[test]
    fn the_table_grows_and_nothing_else_changes() {
        let roster = Roster::new(Document::parse(TEXT));
        let member = NewMember { name: "New One".into(), role: "a|b".into() };
        let changed = String::from_utf8(roster.with_member(&member).unwrap()).unwrap();
        let row = "| New One | a\\|b | `.squad/agents/new-one/charter.md` | ✅ Active |\n";
        assert_eq!(changed.replace(row, ""), TEXT);
        assert!(Roster::new(Document::parse(&*changed)).member("new one").is_some());
        assert!(roster.with_member(&NewMember { name: "ralph".into(), role: String::new() }).is_err());
        let changed = String::from_utf8(roster.with_status("ralph", "✅ Active").unwrap()).unwrap();
        assert_eq!(changed, TEXT.replace("💤 Retired", "✅ Active"));
    }
}
