//! The methods of the Python classes that have verbs: names, keywords and documentation, and which
//! function makes a call of them. `tools/generate.py` writes the files from `tools/verbs`.

mod async_client;
mod async_dataset;
mod client;
mod client_submit;
mod dataset;
mod dataset_submit;
