//! A user-defined function and its arguments.

use crate::model::Name;
use crate::model::Result;

/// A function of a registered module, with its arguments.
#[derive(Debug, Clone)]
pub struct Function {
    module: Name,
    name: Name,
    arguments: Vec<u8>,
}

impl Function {
    /// Checks the names; `arguments` is a packed list.
    pub fn new(module: &str, name: &str, arguments: Vec<u8>) -> Result<Self> {
        Ok(Self { module: Name::module(module)?, name: Name::function(name)?, arguments })
    }

    /// The module name without file extension.
    pub fn module(&self) -> &Name {
        &self.module
    }

    /// The function's name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Its arguments, a packed list.
    pub fn arguments(&self) -> &[u8] {
        &self.arguments
    }
}
