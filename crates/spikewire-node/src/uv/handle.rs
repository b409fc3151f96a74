//! Handles of a loop: made, started, stopped, closed.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_uint};
use std::io;
use std::os::fd::RawFd;
use std::rc::Rc;

use super::event_loop::Loop;
use super::library::{self, Library, RawHandle};

/// What the handles of one owner call, on the loop's thread. No JavaScript code is running then.
pub trait Called: 'static {
    /// The descriptor can be read.
    fn readable(&self);
    /// The loop is about to wait for events.
    fn before_waiting(&self) {}
    /// The time has come.
    fn timed_out(&self);
    /// All handles are closed; nothing is called any more.
    fn closed(&self) {}
}

/// One handle of a loop.
#[derive(Debug)]
pub struct Handle {
    raw: RawHandle,
    kind: c_uint,
}

/// The handles of one owner: a descriptor that is watched, a timer, and a callback before the loop
/// waits. None but the descriptor ever keeps the loop alive, and that only on demand.
pub struct Handles<C: Called> {
    home: Rc<Loop>,
    library: Library,
    poll: Handle,
    prepare: Handle,
    timer: Handle,
    /// Kept until the last handle is closed; it keeps the handles in turn.
    owner: RefCell<Option<Rc<C>>>,
    left: Cell<u32>,
    closing: Cell<bool>,
    is_watching: Cell<bool>,
}

impl<C: Called> std::fmt::Debug for Handles<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handles").field("closing", &self.closing).finish_non_exhaustive()
    }
}

const ALIGN: usize = 16;

impl Handle {
    fn allocate(library: &Library, kind: c_uint) -> Self {
        // SAFETY: libuv knows the size of its own types.
        let size = unsafe { (library.uv_handle_size)(kind) };
        let layout = Layout::from_size_align(size, ALIGN).expect("a handle is small");
        // SAFETY: a handle has a size.
        let raw = unsafe { alloc_zeroed(layout) };
        if raw.is_null() {
            handle_alloc_error(layout);
        }
        Self { raw: raw.cast(), kind }
    }

    fn free(&self, library: &Library) {
        // SAFETY: as it was allocated, and libuv has let go of it.
        unsafe {
            let size = (library.uv_handle_size)(self.kind);
            let layout = Layout::from_size_align_unchecked(size, ALIGN);
            dealloc(self.raw.cast(), layout);
        }
    }
}

fn checked(status: c_int) -> io::Result<()> {
    // libuv's numbers are the system's, negated.
    if status < 0 { Err(io::Error::from_raw_os_error(-status)) } else { Ok(()) }
}

impl<C: Called> Handles<C> {
    /// Handles on a loop; the descriptor, which must stay open until `closed` is called, is watched
    /// from now on, without keeping the loop alive.
    pub fn watch_on(on: &Rc<Loop>, descriptor: RawFd, owner: Rc<C>) -> io::Result<Rc<Self>> {
        on.opened();
        // SAFETY: a loop stays on its thread. A descriptor that is closed too early is no danger to
        // memory.
        let started = unsafe { Self::start(on, descriptor, owner) };
        if started.is_err() {
            on.closed();
        }
        started
    }

    /// Handles on this loop; the descriptor is watched from now on, without keeping the loop alive.
    ///
    /// # Safety
    ///
    /// The loop must be the running thread's, and the descriptor stay open until `closed` is called.
    unsafe fn start(home: &Rc<Loop>, descriptor: RawFd, owner: Rc<C>) -> io::Result<Rc<Self>> {
        let (library, on) = (home.library, home.raw);
        let poll = Handle::allocate(&library, library::POLL);
        // SAFETY: the handle has the size of its type.
        let status = unsafe { (library.uv_poll_init)(on, poll.raw, descriptor) };
        if let Err(error) = checked(status) {
            poll.free(&library);
            return Err(error);
        }
        let prepare = Handle::allocate(&library, library::PREPARE);
        let timer = Handle::allocate(&library, library::TIMER);
        let handles = Rc::new(Self {
            home: home.clone(),
            library,
            poll,
            prepare,
            timer,
            owner: RefCell::new(Some(owner)),
            left: Cell::new(3),
            closing: Cell::new(false),
            is_watching: Cell::new(true),
        });
        // SAFETY: all three handles have the size of their types; each holds on to the whole until
        // it is closed.
        unsafe {
            (library.uv_prepare_init)(on, handles.prepare.raw);
            (library.uv_timer_init)(on, handles.timer.raw);
            for handle in [&handles.poll, &handles.prepare, &handles.timer] {
                let data = Rc::into_raw(handles.clone()).cast_mut().cast();
                (library.uv_handle_set_data)(handle.raw, data);
                (library.uv_unref)(handle.raw);
            }
            let started =
                (library.uv_poll_start)(handles.poll.raw, library::READABLE, Self::on_readable);
            if let Err(error) = checked(started) {
                handles.close();
                return Err(error);
            }
        }
        Ok(handles)
    }

    /// Whether the loop goes on as long as the descriptor is watched.
    pub fn keep_alive(&self, keep: bool) {
        if self.closing.get() {
            return;
        }
        let change = if keep { self.library.uv_ref } else { self.library.uv_unref };
        // SAFETY: the handle is not closed.
        unsafe { change(self.poll.raw) };
    }

    /// Asks to be called before the loop waits next.
    pub fn before_waiting(&self) {
        if !self.closing.get() {
            // SAFETY: the handle is not closed.
            unsafe { (self.library.uv_prepare_start)(self.prepare.raw, Self::on_prepare) };
        }
    }

    /// Sets the timer, in milliseconds from now; it replaces the time before.
    pub fn wake_after(&self, milliseconds: u64) {
        if !self.closing.get() {
            // SAFETY: the handle is not closed.
            unsafe {
                (self.library.uv_timer_start)(self.timer.raw, Self::on_timeout, milliseconds, 0);
            }
        }
    }

    /// Whether the descriptor is watched; its owner may want silence.
    pub fn watch(&self, watch: bool) {
        if self.closing.get() || self.is_watching.replace(watch) == watch {
            return;
        }
        // SAFETY: the handle is not closed.
        unsafe {
            if watch {
                (self.library.uv_poll_start)(self.poll.raw, library::READABLE, Self::on_readable);
            } else {
                (self.library.uv_poll_stop)(self.poll.raw);
            }
        }
    }

    /// Closes all handles; `closed` is called when libuv has let go of them.
    pub fn close(&self) {
        if self.closing.replace(true) {
            return;
        }
        for handle in [&self.poll, &self.prepare, &self.timer] {
            // SAFETY: the handle is not closed; its memory is freed in the callback.
            unsafe { (self.library.uv_close)(handle.raw, Some(Self::on_closed)) };
        }
    }

    /// Another count of the owner, so that it lives as long as it is being called.
    fn owner(&self) -> Option<Rc<C>> {
        self.owner.borrow().clone()
    }

    /// The handles that a handle is one of.
    ///
    /// # Safety
    ///
    /// `raw` must be one of these handles, and not closed.
    unsafe fn of<'a>(raw: RawHandle) -> &'a Self {
        // The library is at hand only behind the data pointer, which libuv keeps as the first field
        // of every handle (`uv.h`: "public": `void* data`).
        // SAFETY: the caller's; the data is what `start` has set.
        unsafe { &*(*raw.cast::<*const Self>()) }
    }

    unsafe extern "C" fn on_readable(raw: RawHandle, _status: c_int, _events: c_int) {
        // SAFETY: libuv calls this for a handle that is open; a copy keeps it until the end.
        if let Some(owner) = unsafe { Self::of(raw) }.owner() {
            owner.readable();
        }
    }

    unsafe extern "C" fn on_prepare(raw: RawHandle) {
        // SAFETY: as above.
        let this = unsafe { Self::of(raw) };
        // SAFETY: the handle is open.
        unsafe { (this.library.uv_prepare_stop)(raw) };
        if let Some(owner) = this.owner() {
            owner.before_waiting();
        }
    }

    unsafe extern "C" fn on_timeout(raw: RawHandle) {
        // SAFETY: as above.
        if let Some(owner) = unsafe { Self::of(raw) }.owner() {
            owner.timed_out();
        }
    }

    unsafe extern "C" fn on_closed(raw: RawHandle) {
        // SAFETY: as in `of`; this takes back the count that `start` gave to this handle.
        let this = unsafe { Rc::from_raw(*raw.cast::<*const Self>()) };
        let handle =
            [&this.poll, &this.prepare, &this.timer].into_iter().find(|one| one.raw == raw);
        if let Some(handle) = handle {
            handle.free(&this.library);
        }
        this.left.set(this.left.get() - 1);
        if this.left.get() == 0 {
            if let Some(owner) = this.owner.take() {
                owner.closed();
            }
            this.home.closed();
        }
    }
}
