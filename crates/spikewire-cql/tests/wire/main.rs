//! The bytes of real dialogues, written and read.
//!
//! | module | what is tested |
//! |---|---|
//! | `script` | reads the dialogues |
//! | `both_ways` | everything that was heard or said is written again as it was |
//! | `requests` | calls lead to the bytes of the dialogues |
//! | `responses` | bytes of the dialogues have their meaning |

mod both_ways;
mod requests;
mod responses;
mod script;
