//! Records from columns: tables whose rows are encoded directly from their memory.
//!
//! | module | contents |
//! |---|---|
//! | `choice` | which columns become the key and the bins |
//! | `windows` | rows as batches, one piece of the table at a time |
//! | `keys` | columns of keys |

mod choice;
mod keys;
mod windows;

pub use choice::{Choice, Table, open};
pub use keys::keys;
pub use windows::Windows;
