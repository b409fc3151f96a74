//! Every type, there and back.

use crate::support::place;

#[test]
fn nothing_yet() {
    let place = place!();
    drop(place.session());
}
