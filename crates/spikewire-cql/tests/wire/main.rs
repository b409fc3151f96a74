//! Bytes of real dialogues, written and read.
//!
//! | module | what is tested |
//! |---|---|
//! | `script` | reads the dialogues |
//! | `both_ways` | everything in the dialogues is written back unchanged |
//! | `requests` | calls produce the bytes of the dialogues |
//! | `responses` | the bytes of the dialogues are decoded correctly |

mod both_ways;
mod requests;
mod responses;
mod script;
