//! libuv handles: creating, starting, stopping, closing.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_uint};
use std::io;
use std::os::fd::RawFd;
use std::rc::Rc;

use super::event_loop::Loop;
use super::library::{self, Library, RawHandle};

/// Callbacks of one owner's handles, on the loop's thread. No JavaScript code is running then.
pub trait HandleCallbacks: 'static {
    /// The descriptor is readable.
    fn readable(&self);
    /// The loop is about to wait for events.
    fn before_waiting(&self) {}
    /// The timer has fired.
    fn timed_out(&self);
    /// All handles are closed; nothing is called after this.
    fn closed(&self) {}
}

/// One handle of a loop.
#[derive(Debug)]
pub struct Handle {
    raw: RawHandle,
    kind: c_uint,
}

/// The handles of one owner: a watched descriptor, a timer, and a callback before the loop waits.
/// Only the descriptor's handle ever keeps the loop alive, and only on request.
pub struct Handles<C: HandleCallbacks> {
    home: Rc<Loop>,
    library: Library,
    poll: Handle,
    prepare: Handle,
    timer: Handle,
    /// Kept until the last handle is closed; the handles keep `self` alive in turn.
    owner: RefCell<Option<Rc<C>>>,
    left: Cell<u32>,
    closing: Cell<bool>,
    is_watching: Cell<bool>,
}

impl<C: HandleCallbacks> std::fmt::Debug for Handles<C> {
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
        // SAFETY: the size of a handle is not zero.
        let raw = unsafe { alloc_zeroed(layout) };
        if raw.is_null() {
            handle_alloc_error(layout);
        }
        Self { raw: raw.cast(), kind }
    }

    fn free(&self, library: &Library) {
        // SAFETY: the layout is that of the allocation, and libuv has released the handle.
        unsafe {
            let size = (library.uv_handle_size)(self.kind);
            let layout = Layout::from_size_align_unchecked(size, ALIGN);
            dealloc(self.raw.cast(), layout);
        }
    }
}

fn checked(status: c_int) -> io::Result<()> {
    // libuv's error numbers are the system's, negated.
    if status < 0 { Err(io::Error::from_raw_os_error(-status)) } else { Ok(()) }
}

impl<C: HandleCallbacks> Handles<C> {
    /// Creates handles and starts watching the descriptor, without keeping the loop alive. The
    /// descriptor must stay open until `closed` is called.
    pub fn watch_on(on: &Rc<Loop>, descriptor: RawFd, owner: Rc<C>) -> io::Result<Rc<Self>> {
        on.opened();
        // SAFETY: a loop stays on its thread. Closing the descriptor too early does not endanger
        // memory.
        let started = unsafe { Self::start(on, descriptor, owner) };
        if started.is_err() {
            on.closed();
        }
        started
    }

    /// Creates handles and starts watching the descriptor, without keeping the loop alive.
    ///
    /// # Safety
    ///
    /// The loop must be the running thread's, and the descriptor must stay open until `closed` is
    /// called.
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
        // SAFETY: all three handles have the size of their types; each holds a reference to
        // `handles` until it is closed.
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

    /// Sets whether the watched descriptor keeps the loop alive.
    pub fn keep_alive(&self, keep: bool) {
        if self.closing.get() {
            return;
        }
        let change = if keep { self.library.uv_ref } else { self.library.uv_unref };
        // SAFETY: the handle is not closed.
        unsafe { change(self.poll.raw) };
    }

    /// Requests a callback before the loop waits next.
    pub fn before_waiting(&self) {
        if !self.closing.get() {
            // SAFETY: the handle is not closed.
            unsafe { (self.library.uv_prepare_start)(self.prepare.raw, Self::on_prepare) };
        }
    }

    /// Sets the timer, in milliseconds from now, replacing any earlier time.
    pub fn wake_after(&self, milliseconds: u64) {
        if !self.closing.get() {
            // SAFETY: the handle is not closed.
            unsafe {
                (self.library.uv_timer_start)(self.timer.raw, Self::on_timeout, milliseconds, 0);
            }
        }
    }

    /// Starts or stops watching the descriptor.
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

    /// Closes all handles; `closed` is called when libuv has released them.
    pub fn close(&self) {
        if self.closing.replace(true) {
            return;
        }
        for handle in [&self.poll, &self.prepare, &self.timer] {
            // SAFETY: the handle is not closed; its memory is freed in the callback.
            unsafe { (self.library.uv_close)(handle.raw, Some(Self::on_closed)) };
        }
    }

    /// A reference to the owner, so that it lives while it is being called.
    fn owner(&self) -> Option<Rc<C>> {
        self.owner.borrow().clone()
    }

    /// The `Handles` that a raw handle belongs to.
    ///
    /// # Safety
    ///
    /// `raw` must be one of these handles, and not closed.
    unsafe fn of<'a>(raw: RawHandle) -> &'a Self {
        // The library is only reachable through the data pointer, which is the first field of every
        // libuv handle (`uv.h`: "public": `void* data`).
        // SAFETY: guaranteed by the caller; the data was set by `start`.
        unsafe { &*(*raw.cast::<*const Self>()) }
    }

    unsafe extern "C" fn on_readable(raw: RawHandle, _status: c_int, _events: c_int) {
        // SAFETY: libuv calls this for an open handle; the clone keeps the owner alive to the end.
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
        // SAFETY: as in `of`; this takes back the reference that `start` gave to this handle.
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
