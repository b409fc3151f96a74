//! Options of operations.

use super::Operation;
use crate::Error;
use crate::aerospike::calls::{Argument, Call, Order, Overflow, Returning, options};
use crate::aerospike::step::Step;

options!(Operation, Vec<u8>);

impl Operation {
    /// Pads the list at the end of the path with nil up to the index.
    #[must_use]
    pub fn pad(self) -> Self {
        self.change("pad", |call| call.pad = true)
    }

    /// Sets an option of a path operation; gives back what is none.
    fn change_path(
        mut self,
        name: &'static str,
        argument: &Argument<Vec<u8>>,
    ) -> Result<Self, Self> {
        let Some(mut path) = self.path.take() else { return Err(self) };
        path.set(name, argument);
        Ok(Self::along(self.bin.unwrap_or_default(), *path))
    }

    fn change(mut self, name: &'static str, change: impl FnOnce(&mut Call<Vec<u8>>)) -> Self {
        if let Some(mut path) = self.path.take() {
            path.reject(name);
            return Self::along(self.bin.unwrap_or_default(), *path);
        }
        if let Some(mut call) = self.call.take() {
            change(&mut call);
            return Self::called(self.bin.unwrap_or_default(), *call);
        }
        let fault = format!("the operation takes no {name}");
        self.value = self.value.and_then(|_| Err(Error::invalid(fault)));
        self
    }
}
