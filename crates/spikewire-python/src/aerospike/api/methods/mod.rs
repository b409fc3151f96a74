//! The methods of the Python classes that have verbs: names, keywords and documentation, and which
//! function makes a call of them. `tools/generate.py` writes the files from `tools/verbs`.

// The verbs, each once: macros that the classes apply. Each passes what it is given on to the one
// before it.
#[macro_use]
mod record_verbs;
#[macro_use]
mod batch_verbs;
#[macro_use]
mod client_verbs;
#[macro_use]
mod dataset_verbs;

mod async_client;
mod async_dataset;
mod client;
mod client_submit;
mod dataset;
mod dataset_submit;
