//! Tuples for reading rows and binding parameters: up to sixteen fields.

/// Calls a macro for each of them, with the number of fields, and their types and indexes.
macro_rules! each_tuple {
    ($callback:ident) => {
        $callback! {
            1 (A 0)
            2 (A 0 B 1)
            3 (A 0 B 1 C 2)
            4 (A 0 B 1 C 2 D 3)
            5 (A 0 B 1 C 2 D 3 E 4)
            6 (A 0 B 1 C 2 D 3 E 4 F 5)
            7 (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
            8 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
            9 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8)
            10 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9)
            11 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10)
            12 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11)
            13 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12)
            14 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13)
            15 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14)
            16 (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15)
        }
    };
}

pub(crate) use each_tuple;
