//! A user-defined function and its arguments.

use spikewire_aerospike_protocol::features::{self, DeepPlace, Features};

use crate::model::Name;
use crate::model::Result;

/// A function of a registered module, with its arguments.
#[derive(Debug, Clone)]
pub struct Function {
    module: Name,
    name: Name,
    arguments: Vec<u8>,
    needs: Features,
}

impl Function {
    /// Checks the names; `arguments` is a packed list.
    pub fn new(module: &str, name: &str, arguments: Vec<u8>) -> Result<Self> {
        let (module, name) = (Name::module(module)?, Name::function(name)?);
        let needs = features::of_arguments(&arguments);
        Ok(Self { module, name, arguments, needs })
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

    /// What its arguments need of servers.
    pub fn needs(&self) -> Features {
        self.needs
    }

    /// Where a value is nested too deep for newer servers: among its arguments.
    pub fn deep_place(&self) -> Option<DeepPlace<'static>> {
        self.needs.has(Features::DEEP_NESTING).then_some(DeepPlace::Arguments)
    }
}
