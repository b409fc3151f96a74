//! Checks Arrow IPC bytes: the reader takes for granted that the buffers of a message are inside of
//! its body.

use arrow_ipc::{Block, root_as_footer, root_as_message};

/// The first and last bytes of a file; a stream has none of its own.
pub const FILE: &[u8] = b"ARROW1";

/// Why bytes cannot be read.
type Checked = Result<(), &'static str>;

const TRUNCATED: &str = "it ends in the middle of a message";
const OUTSIDE: &str = "a buffer is outside of its message";

/// Checks the messages of a stream or a file.
pub fn check(bytes: &[u8]) -> Checked {
    if bytes.starts_with(FILE) { check_file(bytes) } else { check_stream(bytes) }
}

fn number(bytes: &[u8]) -> Result<usize, &'static str> {
    let four = bytes.first_chunk::<4>().ok_or(TRUNCATED)?;
    Ok(u32::from_le_bytes(*four) as usize)
}

fn check_stream(mut stream: &[u8]) -> Checked {
    while !stream.is_empty() {
        let mut len = number(stream)?;
        // A mark that older versions lack.
        if len == u32::MAX as usize {
            stream = &stream[4..];
            len = number(stream)?;
        }
        stream = &stream[4..];
        if len == 0 {
            break;
        }
        let (head, rest) = stream.split_at_checked(len).ok_or(TRUNCATED)?;
        let message = root_as_message(head).map_err(|_| "a message has no valid head")?;
        let body = usize::try_from(message.bodyLength()).map_err(|_| OUTSIDE)?;
        let (_, next) = rest.split_at_checked(body).ok_or(TRUNCATED)?;
        check_message(head, body)?;
        stream = next;
    }
    Ok(())
}

fn check_file(file: &[u8]) -> Checked {
    let rest = file.strip_suffix(FILE).ok_or(TRUNCATED)?;
    let (rest, len) = rest.split_last_chunk::<4>().ok_or(TRUNCATED)?;
    let start = rest.len().checked_sub(u32::from_le_bytes(*len) as usize).ok_or(TRUNCATED)?;
    let footer = root_as_footer(&rest[start..]).map_err(|_| "the file has no valid footer")?;
    let blocks = footer.dictionaries().into_iter().flatten();
    blocks
        .chain(footer.recordBatches().into_iter().flatten())
        .try_for_each(|block| check_block(file, block))
}

fn check_block(file: &[u8], block: &Block) -> Checked {
    let part = |number: i64| usize::try_from(number).map_err(|_| OUTSIDE);
    let (head, body) = (part(block.metaDataLength().into())?, part(block.bodyLength())?);
    let rest = file.get(part(block.offset())?..).ok_or(TRUNCATED)?;
    let (head, rest) = rest.split_at_checked(head).ok_or(TRUNCATED)?;
    if rest.len() < body {
        return Err(TRUNCATED);
    }
    let skipped = if number(head)? == u32::MAX as usize { 8 } else { 4 };
    check_message(head.get(skipped..).ok_or(TRUNCATED)?, body)
}

/// Checks that the buffers of a message are inside of a body of this length.
fn check_message(head: &[u8], body: usize) -> Checked {
    let message = root_as_message(head).map_err(|_| "a message has no valid head")?;
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else { return Ok(()) };
    for buffer in batch.buffers().into_iter().flatten() {
        let end = buffer.offset().checked_add(buffer.length());
        let is_inside = end.is_some_and(|end| end as u64 <= body as u64);
        if buffer.offset() < 0 || buffer.length() < 0 || !is_inside {
            return Err(OUTSIDE);
        }
    }
    Ok(())
}
