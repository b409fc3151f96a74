//! How often running code is checked.

use std::rc::Rc;

use mlua::{HookTriggers, Lua, Result, VmState};

use crate::bounds::Bounds;

/// How often running code is checked, in instructions, while Lua's objects take little memory.
const LOOK: u32 = 200;
/// With more memory than this, checks are more frequent: a single instruction may compare or join
/// strings as large as memory allows.
const LITTLE: usize = 2 << 20;

/// Makes checks as frequent as the memory of Lua's objects demands now.
pub fn keep_pace(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    let pace = pace(lua.used_memory());
    if bounds.pace.replace(pace) == pace {
        return Ok(());
    }
    let own = bounds.clone();
    lua.set_hook(HookTriggers::new().every_nth_instruction(pace), move |lua, _| {
        own.check_time()?;
        keep_pace(lua, &own).map(|()| VmState::Continue)
    })
}

/// Instructions between two checks.
fn pace(memory: usize) -> u32 {
    LOOK.checked_shr((memory / LITTLE).max(1).ilog2()).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::{LITTLE, LOOK, pace};

    /// What instructions can do to strings between two checks does not grow with memory.
    #[test]
    fn checks_are_more_frequent_with_more_memory() {
        assert_eq!([0, LITTLE, 2 * LITTLE - 1].map(pace), [LOOK; 3]);
        for memory in [2 * LITTLE, 9 << 20, 64 << 20, 100 << 20] {
            let most = LOOK as usize * 2 * LITTLE;
            assert!(memory * pace(memory) as usize <= most, "{memory}: {}", pace(memory));
        }
        assert_eq!(pace(usize::MAX), 1);
    }
}
