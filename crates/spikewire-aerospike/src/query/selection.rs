//! Text filters: whether the nodes read them and choose the index, and what they chose.
//!
//! A query whose filter is a text is first explained by one node if every node reads such texts
//! (servers from 8.2 on) and the text has a form that means the same there. Otherwise the filter is
//! compiled here, and every record is examined.

use spikewire_aerospike_protocol::expression::Expression;
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::query::text::{ChosenIndex, Plan, flag};
use spikewire_aerospike_protocol::query::{Collection, Index, Query, Range, Subject};

use crate::model::{Error, Result};

/// What a query's filter was made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FilterSource {
    /// No filter, or an expression that is no text.
    #[default]
    Compiled,
    /// A text; this is what the nodes can read.
    Text(String),
    /// A text with a part that the nodes would read differently; this says which.
    OnlyHere(String),
}

impl FilterSource {
    /// The source of a filter that was read from a text.
    pub fn of_text(filter: &Expression) -> Self {
        match filter.ael() {
            Ok(text) => Self::Text(text),
            Err(why) => Self::OnlyHere(why.to_string()),
        }
    }
}

/// How a query's index is to be chosen, before its first request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Nothing is to be chosen. The reason why the filter is compiled here; empty if it is not.
    Settled(String),
    /// A node chooses, if every node reads the text.
    Ask(IndexWish),
}

/// What a node is to choose an index for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexWish {
    /// The filter.
    pub text: String,
    /// The name of the index to prefer.
    pub hint: Option<String>,
    /// Fail rather than examine every record.
    pub require_index: bool,
    /// Fail unless the index of the hint can be used.
    pub require_hint: bool,
}

impl IndexWish {
    /// The flags of the request, see [`flag`].
    pub fn flags(&self) -> u64 {
        let flag = |on: bool, flag: u64| if on { flag } else { 0 };
        flag(self.require_index, flag::REQUIRE_INDEX) | flag(self.require_hint, flag::HARD_HINT)
    }

    /// The name of the option that forbids to examine every record.
    pub fn requirement(&self) -> Option<&'static str> {
        requirement(self.require_hint, self.require_index)
    }
}

fn requirement(hint: bool, index: bool) -> Option<&'static str> {
    match (hint, index) {
        (true, _) => Some("require_hint"),
        (false, true) => Some("require_index"),
        (false, false) => None,
    }
}

/// How records are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// By a secondary index.
    Index,
    /// By examining every record of the set or namespace.
    Scan,
    /// Not at all: the filter is never true.
    Nothing,
}

impl Access {
    /// Its name: `index`, `scan` or `nothing`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Scan => "scan",
            Self::Nothing => "nothing",
        }
    }
}

/// How a query is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// How records are found.
    pub access: Access,
    /// Whether the nodes read the filter as text, and one of them has chosen the access. Otherwise
    /// the filter, if there is one, is compiled here.
    pub on_server: bool,
    /// The name of the index, if it is known here.
    pub index: Option<String>,
    /// Which part of the bin is indexed.
    pub collection: Option<Collection>,
    /// The indexed bin, if it is known here.
    pub bin: Option<String>,
    /// The values looked up in the index.
    pub range: Option<Range>,
    /// The filter as the nodes get it.
    pub text: Option<String>,
    /// The node that chose.
    pub node: Option<String>,
    /// Why the nodes do not choose; empty if they do.
    pub reason: String,
}

impl Explanation {
    /// What is known of a query that nothing is asked about.
    pub fn here(query: &Query, reason: &str) -> Self {
        let mut explanation = Self {
            access: Access::Scan,
            on_server: query.text.is_some(),
            index: None,
            collection: None,
            bin: None,
            range: None,
            text: query.text.clone(),
            node: None,
            reason: reason.to_owned(),
        };
        if let Some(chosen) = &query.chosen {
            explanation.choice(chosen);
        }
        if let Some(Index { subject, collection, range, .. }) = &query.index {
            match subject {
                Subject::Bin(bin) => explanation.bin = Some(bin.clone()),
                Subject::Name(name) => explanation.index = Some(name.clone()),
                Subject::Expression(_) => {}
            }
            explanation.access = Access::Index;
            explanation.collection = Some(*collection);
            explanation.range = Some(range.clone());
        }
        explanation
    }

    /// The plan of a node.
    pub fn of_plan(text: &str, plan: &Plan, node: String) -> Self {
        let mut explanation = Self::here(&Query::default(), "");
        explanation.on_server = true;
        (explanation.text, explanation.node) = (Some(text.to_owned()), Some(node));
        match plan {
            Plan::Index(chosen) => explanation.choice(chosen),
            Plan::Scan => {}
            Plan::Empty => explanation.access = Access::Nothing,
        }
        explanation
    }

    fn choice(&mut self, chosen: &ChosenIndex) {
        self.access = Access::Index;
        self.index = Some(chosen.name.clone());
        self.collection = Some(chosen.collection);
        self.bin = Some(chosen.bin.clone()).filter(|bin| !bin.is_empty());
        self.range = chosen.range();
    }
}

/// What a query says about the choice of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelectionOptions<'a> {
    /// What its filter was made from.
    pub source: &'a FilterSource,
    /// Whether it names a range of an index.
    pub has_range: bool,
    /// The name of the index to prefer.
    pub hint: Option<&'a str>,
    /// Fail rather than examine every record.
    pub require_index: bool,
    /// Fail unless the index of the hint can be used.
    pub require_hint: bool,
    /// Whether nodes may read the filter.
    pub server_filter: bool,
    /// Whether what was read before has settled how the rest is read.
    pub fixed: bool,
}

impl SelectionOptions<'_> {
    /// Checks them.
    pub fn selection(&self) -> Result<Selection> {
        let hint = self.hint;
        let requirement = requirement(self.require_hint, self.require_index);
        let named = requirement.or(hint.map(|_| "the name of an index"));
        if let Some(hint) = hint
            && (hint.is_empty() || hint.len() > limits::INDEX_NAME)
        {
            let most = limits::INDEX_NAME;
            return Err(Error::invalid(format!(
                "the name of an index has 1 to {most} bytes, not {}",
                hint.len()
            )));
        }
        if self.require_hint && hint.is_none() {
            return Err(Error::invalid("require_hint: index must be the name of an index"));
        }
        let settled = |reason: &str| match named {
            Some(named) => Err(Error::invalid(format!("{named}: {reason}"))),
            None => Ok(Selection::Settled(reason.to_owned())),
        };
        let text = match self.source {
            _ if self.has_range => return settled("the query names its range of an index"),
            FilterSource::Compiled => {
                return settled("nodes choose an index only for a filter that is a text");
            }
            _ if !self.server_filter => return settled("server_filter is off"),
            FilterSource::OnlyHere(why) => match requirement {
                Some(_) => return settled(why),
                None => return Ok(Selection::Settled(why.clone())),
            },
            FilterSource::Text(text) => text.clone(),
        };
        if self.fixed {
            return match requirement {
                Some(named) => Err(Error::invalid(format!(
                    "{named}: the rest of a partition is read as its first part was"
                ))),
                None => Ok(Selection::Settled(
                    "the rest of a partition is read as its first part was".to_owned(),
                )),
            };
        }
        Ok(Selection::Ask(IndexWish {
            text,
            hint: hint.map(str::to_owned),
            require_index: self.require_index,
            require_hint: self.require_hint,
        }))
    }
}
