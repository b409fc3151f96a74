//! Particle types: the types of bin values on the wire.

/// No value.
pub const NULL: u8 = 0;
/// 8-byte signed integer.
pub const INTEGER: u8 = 1;
/// 8-byte IEEE-754.
pub const FLOAT: u8 = 2;
/// UTF-8 text (the server does not validate).
pub const STRING: u8 = 3;
/// Raw bytes.
pub const BLOB: u8 = 4;
/// Vector; opaque.
pub const VECTOR: u8 = 16;
/// One byte, 0 or 1.
pub const BOOL: u8 = 17;
/// `HyperLogLog` sketch.
pub const HLL: u8 = 18;
/// `MessagePack` map.
pub const MAP: u8 = 19;
/// `MessagePack` array.
pub const LIST: u8 = 20;
/// Flags, cell count, cells, then text.
pub const GEOJSON: u8 = 23;

/// The type's name in plain words, for error messages.
pub fn name(particle: u8) -> &'static str {
    match particle {
        NULL => "null",
        INTEGER => "integer",
        FLOAT => "float",
        STRING => "string",
        BLOB => "blob",
        7..=12 => "blob of an old client",
        VECTOR => "vector",
        BOOL => "bool",
        HLL => "HLL",
        MAP => "map",
        LIST => "list",
        GEOJSON => "GeoJSON",
        _ => "unknown",
    }
}
