//! Requests that servers of 8.1.1 and 8.1.2 do not withstand: they end, or break what they store.
//!
//! Whether they do depends on what is stored as well, which a client does not know. What is here
//! can be told from the request alone; it is refused for nodes of these versions before it is sent.

use super::{Build, Features};

/// A request that ends a server.
#[derive(Debug, PartialEq, Eq)]
pub struct Hazard {
    /// Its name, for tests and lists.
    pub name: &'static str,
    /// What the request is.
    pub request: &'static str,
    /// What a server does.
    pub harm: &'static str,
    /// What to send instead.
    pub instead: &'static str,
}

const ENDS: &str = "end when such a list is ordered";

/// All of them. A row's place is its bit in [`Features`].
pub static HAZARDS: [Hazard; 7] = [
    Hazard {
        name: "modify_below_list",
        request: "a path that changes elements of a list below the top, or may do so",
        harm: ENDS,
        instead: "lead the path there by keys of maps, or change the list with its own operations",
    },
    Hazard {
        name: "remove_in_several",
        request: "a path that removes from several lists or maps below the top",
        harm: "end when two of them shrink below 16 elements",
        instead: "remove from each by an operation of its own",
    },
    Hazard {
        name: "padded_before_start",
        request: "an index before the start of a list that is padded",
        harm: "end",
        instead: "use an index of 0 or more",
    },
    Hazard {
        name: "modify_with_text_of_call",
        request: "a new value that is a text or a blob read from inside of the element",
        harm: "end",
        instead: "lead the path to it, and write @",
    },
    Hazard {
        name: "and_filter_of_place",
        request: "a filter of what a step by index or rank in a map names",
        harm: "use memory of others, and may break what is stored",
        instead: "filter the result",
    },
    Hazard {
        name: "list_with_index_only",
        request: "a list that is to be stored with an index and no order",
        harm: "end",
        instead: "store it without persist_index",
    },
    Hazard {
        name: "divided_by_minus_one",
        request: "an integer divided by -1, or its remainder",
        harm: "end if it is the smallest one",
        instead: "write 0 - x for x / -1, and 0 for x % -1",
    },
];

/// Places in [`HAZARDS`].
pub(super) mod row {
    pub const MODIFY_BELOW_LIST: usize = 0;
    pub const REMOVE_IN_SEVERAL: usize = 1;
    pub const PADDED_BEFORE_START: usize = 2;
    pub const MODIFY_WITH_TEXT_OF_CALL: usize = 3;
    pub const AND_FILTER_OF_PLACE: usize = 4;
    pub const LIST_WITH_INDEX_ONLY: usize = 5;
    pub const DIVIDED_BY_MINUS_ONE: usize = 6;
}

/// The versions with these faults: from the first to before the second.
const FAULTY: (Build, Build) = (Build([8, 1, 1, 0]), Build([8, 1, 3, 0]));

/// What a server of this version withstands.
pub(super) fn withstood_by(build: Build) -> Features {
    if build >= FAULTY.0 && build < FAULTY.1 {
        return Features::NONE;
    }
    Features::NONE.withstanding_all()
}

/// The first of these needs that is a hazard.
pub(super) fn first(lacks: u32) -> Option<&'static Hazard> {
    let row = HAZARDS.iter().enumerate().find(|(row, _)| lacks & (1 << (16 + row)) != 0);
    row.map(|(_, hazard)| hazard)
}

#[cfg(test)]
mod tests {
    use super::super::bytes;
    use super::*;
    use crate::features::{of_expression, of_operation, of_particle};
    use crate::message::op;
    use crate::particle;

    /// Checks which of the requests are the hazard of a row, and that no server without its fault
    /// refuses them.
    fn check(row: usize, hazards: &[Features], safe: &[Features]) {
        let name = HAZARDS[row].name;
        let [faulty, sound] = [[8, 1, 2, 0], [8, 2, 0, 0]].map(|it| Features::of(Build(it), false));
        for (at, needs) in hazards.iter().enumerate() {
            assert!(needs.has(Features::withstanding(row)), "{name} {at}");
            let lack = faulty.lacks(*needs).unwrap_or_else(|| panic!("{name} {at}"));
            let text = lack.to_string();
            assert!(text.contains(HAZARDS[row].request), "{text}");
            assert!(text.contains(HAZARDS[row].instead), "{text}");
            assert_eq!(sound.lacks(*needs), None, "{name} {at}");
        }
        for (at, needs) in safe.iter().enumerate() {
            assert_eq!(faulty.lacks(*needs), None, "{name}: safe {at}");
        }
    }

    fn modify(hex: &str) -> Features {
        of_operation(op::CDT_MODIFY, &bytes(hex))
    }

    fn expression(hex: &str) -> Features {
        of_expression(&bytes(hex))
    }

    #[test]
    fn a_change_below_a_list_needs_another_server() {
        check(
            row::MODIFY_BELOW_LIST,
            &[
                modify("94ccfe 94 04c3 1000 04 93 14 937a0201 01"),
                modify("94ccfe 94 04c3 04c3 04 93 14 937a0201 01"),
                modify("94ccfe 94 22a2036b 13 05 14 93 14 937a0201 01"),
                expression("95 7f0440 94ccfe 94 04c3 04c3 04 93 14 937a0201 01 93 51 04 a16c"),
            ],
            &[
                modify("94ccfe 94 04c3 22a20376 04 93 14 937a0201 01"),
                modify("94ccfe 92 04c3 04 93 14 937a0201 01"),
                of_operation(op::CDT_READ, &bytes("93ccfe 94 04c3 04c3 01")),
            ],
        );
    }

    #[test]
    fn a_removal_from_several_containers_needs_another_server() {
        check(
            row::REMOVE_IN_SEVERAL,
            &[
                modify("94ccfe 94 04c3 22a20376 04 9164"),
                modify("94ccfe 94 04c3 04c3 04 9164"),
                modify("94ccfe 94 2a 92a20361a20362 04c3 14 9164"),
            ],
            &[modify("94ccfe 92 04c3 04 9164"), modify("94ccfe 94 22a2036d 04c3 04 9164")],
        );
    }

    #[test]
    fn an_index_before_a_padded_list_needs_another_server() {
        check(
            row::PADDED_BEFORE_START,
            &[modify("93 ccff 92 cc90 fb 92 01 07")],
            &[modify("93 ccff 92 cc90 05 92 01 07"), modify("93 ccff 92 50 fb 92 01 07")],
        );
    }

    #[test]
    fn a_text_of_a_call_as_new_value_needs_another_server() {
        check(
            row::MODIFY_WITH_TEXT_OF_CALL,
            &[
                modify("94ccfe 92 04c3 04 95 7f 03 00 93 61 07 a20374 93 7a0501"),
                modify("94ccfe 92 04c3 04 94 7b c3 95 7f 06 00 93 61 07 a20374 93 7a0501 c0"),
                modify("94ccfe 92 04c3 04 94 7d a178 01 95 7f 03 00 93 61 07 a20374 93 7a0501"),
            ],
            &[
                modify("94ccfe 92 04c3 04 95 7f 02 00 93 61 07 a20374 93 7a0501"),
                modify("94ccfe 92 04c3 04 93 7a0301"),
            ],
        );
    }

    #[test]
    fn a_filter_of_a_place_in_a_map_needs_another_server() {
        let read = |hex| of_operation(op::CDT_READ, &bytes(hex));
        check(
            row::AND_FILTER_OF_PLACE,
            &[read("93ccfe 94 2000 cd0204 c3 01"), read("93ccfe 94 21ff cd0204 c3 00")],
            &[read("93ccfe 94 22a2036b cd0204 c3 01"), read("93ccfe 94 1000 cd0204 c3 01")],
        );
    }

    #[test]
    fn a_list_with_an_index_only_needs_another_server() {
        let write = |hex| of_particle(op::WRITE, particle::LIST, &bytes(hex));
        check(
            row::LIST_WITH_INDEX_ONLY,
            &[write("93 c70010 01 02")],
            &[write("93 c70011 01 02"), write("92 01 02"), write("90")],
        );
    }

    #[test]
    fn a_division_by_minus_one_needs_another_server() {
        check(
            row::DIVIDED_BY_MINUS_ONE,
            &[
                expression("93 01 93 17 93 51 02 a161 ff 05"),
                expression("93 01 93 1a d38000000000000000 ff 05"),
            ],
            &[
                expression("93 01 93 17 ff 93 51 02 a161 05"),
                expression("93 01 93 17 93 51 07 a161 cbbff0000000000000 05"),
            ],
        );
    }

    #[test]
    fn only_versions_with_the_faults_are_concerned() {
        let all = withstood_by(Build([8, 2, 0, 0]));
        assert!((0..HAZARDS.len()).all(|row| all.has(Features::withstanding(row))));
        for build in [[7, 0, 0, 0], [8, 1, 0, 9], [8, 1, 3, 0], [9, 0, 0, 0]] {
            assert_eq!(withstood_by(Build(build)), all, "{build:?}");
        }
        for build in [[8, 1, 1, 0], [8, 1, 1, 4], [8, 1, 2, 0], [8, 1, 2, 7]] {
            assert_eq!(withstood_by(Build(build)), Features::NONE, "{build:?}");
        }
    }
}
