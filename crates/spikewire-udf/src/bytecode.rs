//! Compiled code without to-be-closed variables.
//!
//! Lua closes such variables while an error unwinds, also the one that ends a function whose time is
//! over, and each of their handlers may declare the next one. Variables come from `local x <close>`,
//! which is rejected, and from the fourth value of a generic `for`, which is not closed.

use mlua::Error;

/// Length of the header of compiled code: signature, version, format, check bytes, sizes of types,
/// check numbers, and the number of upvalues of the main function.
const HEADER: usize = 32;
/// The low bits of an instruction are its operation.
const OPERATION: u32 = 0x7f;
const TO_BE_CLOSED: u32 = 55;
const JUMP: u32 = 56;
const PREPARE_FOR: u32 = 75;
/// Where the operands `Bx` and `sJ` begin, and what is added to a jump's distance.
const BX: u32 = 15;
const SJ: u32 = 7;
const JUMP_OFFSET: u32 = (1 << 24) - 1;
/// Stands for a line that is listed separately.
const ABSOLUTE: u8 = 0x80;

/// Makes every generic `for` of compiled code leave its fourth value alone. Fails with `file`, the
/// line and a reason if the code declares a to-be-closed variable.
pub fn without_closing(mut code: Vec<u8>, file: &str) -> mlua::Result<Vec<u8>> {
    let mut reader = Reader { code: &mut code, at: HEADER };
    match reader.function() {
        None => Err(Error::runtime(format!("{file}: the compiled code has an unknown form"))),
        Some(Err(line)) => Err(Error::runtime(format!(
            "{file}:{line}: to-be-closed variables (<close>) are not available to functions"
        ))),
        Some(Ok(())) => Ok(code),
    }
}

/// Reads compiled code as Lua's `ldump.c` writes it; `None` where it ends too early.
struct Reader<'a> {
    code: &'a mut [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self, bytes: usize) -> Option<usize> {
        let start = self.at;
        self.at = start.checked_add(bytes).filter(|end| *end <= self.code.len())?;
        Some(start)
    }

    fn byte(&mut self) -> Option<u8> {
        self.skip(1).map(|at| self.code[at])
    }

    /// Seven bits per byte, the highest ones first; the last byte has its top bit set.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        loop {
            let byte = self.byte()?;
            number = number.checked_mul(128)? | usize::from(byte & 0x7f);
            if byte & 0x80 != 0 {
                return Some(number);
            }
        }
    }

    fn text(&mut self) -> Option<()> {
        let size = self.number()?;
        self.skip(size.saturating_sub(1)).map(drop)
    }

    /// One function and those inside it. The inner error is the line of a to-be-closed variable.
    fn function(&mut self) -> Option<Result<(), usize>> {
        self.text()?;
        let first_line = self.number()?;
        self.number()?;
        self.skip(3)?;
        let count = self.number()?;
        let start = self.skip(count.checked_mul(4)?)?;
        let mut declared = None;
        for (number, bytes) in self.code[start..self.at].chunks_exact_mut(4).enumerate() {
            let instruction = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            match instruction & OPERATION {
                TO_BE_CLOSED => declared = declared.or(Some(number)),
                PREPARE_FOR => {
                    let jump = JUMP | ((instruction >> BX) + JUMP_OFFSET) << SJ;
                    bytes.copy_from_slice(&jump.to_ne_bytes());
                }
                _ => {}
            }
        }
        for _ in 0..self.number()? {
            match self.byte()? {
                0x03 | 0x13 => self.skip(8).map(drop)?,
                0x04 | 0x14 => self.text()?,
                _ => {}
            }
        }
        let upvalues = self.number()?;
        self.skip(upvalues.checked_mul(3)?)?;
        for _ in 0..self.number()? {
            if let Err(line) = self.function()? {
                return Some(Err(line));
            }
        }
        let line = self.line(first_line, declared.unwrap_or(0))?;
        for _ in 0..self.number()? {
            self.text()?;
            self.number()?;
            self.number()?;
        }
        for _ in 0..self.number()? {
            self.text()?;
        }
        Some(declared.map_or(Ok(()), |_| Err(line)))
    }

    /// Reads the lines of a function's instructions; returns that of one of them.
    fn line(&mut self, first: usize, instruction: usize) -> Option<usize> {
        let count = self.number()?;
        let start = self.skip(count)?;
        let mut listed = Vec::new();
        for _ in 0..self.number()? {
            listed.push((self.number()?, self.number()?));
        }
        let steps = self.code[start..start + count].iter().take(instruction + 1).enumerate();
        Some(steps.fold(first, |line, (number, step)| match step {
            &ABSOLUTE => {
                listed.iter().find(|(place, _)| *place == number).map_or(line, |(_, line)| *line)
            }
            step => line.saturating_add_signed(isize::from(step.cast_signed())),
        }))
    }
}
