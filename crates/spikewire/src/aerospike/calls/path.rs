//! A path operation with the options given so far, in `operate` and in expressions.

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault, PathOperation};
use spikewire_aerospike_protocol::operation::path_operation;

use super::Argument;
use crate::aerospike::step::{Step, path_steps};

/// A path operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PathCall {
    name: &'static str,
    path: Vec<Step>,
    value: Option<Result<Tree, Fault>>,
    returning: Option<&'static str>,
    no_fail: bool,
    /// Its first error.
    fault: Option<Fault>,
}

impl PathCall {
    pub fn new(name: &'static str, path: impl IntoIterator<Item = Step>) -> Self {
        let path = path.into_iter().collect();
        Self { name, path, value: None, returning: None, no_fail: false, fault: None }
    }

    /// The new value of elements.
    pub fn with_value(self, value: Result<Tree, Fault>) -> Self {
        Self { value: Some(value), ..self }
    }

    /// Sets an option by name.
    pub fn set<V>(&mut self, name: &'static str, argument: &Argument<V>) {
        match (name, argument) {
            ("returning", Argument::Word(word)) if self.name == "select" => {
                self.returning = Some(word);
            }
            ("no_fail", Argument::Flag(flag)) => self.no_fail = *flag,
            _ => self.reject(name),
        }
    }

    /// Notes an option that it does not take.
    pub fn reject(&mut self, option: &str) {
        let why = format!("the path operation {} takes no {option}", self.name);
        self.fault.get_or_insert(Fault::Value(why));
    }

    /// The operation, or its error.
    pub fn operation(&self) -> Result<PathOperation, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let value = self.value.clone().transpose()?;
        path_operation(self.name, path_steps(&self.path)?, self.returning, value, self.no_fail)
    }

    /// Its qualified name.
    pub fn qualified_name(&self) -> String {
        format!("path::{}", self.name)
    }
}
