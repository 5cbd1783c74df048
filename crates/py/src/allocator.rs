//! Memory that cannot be had: the process says so in a line and ends with exit code 2, or begins again with a command
//! that it was given. Left to itself, Rust aborts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CString, NulError, c_char};
use std::io::Write;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// That of the system. It may not unwind: whoever gets no memory never comes back.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

#[allow(unsafe_code, reason = "each call is passed on as it is, and what it gives is not null")]
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        there(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        there(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        there(unsafe { System.realloc(memory, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn there(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        ran_out(bytes);
    }
    memory
}

/// The command that begins this program anew: a program and its arguments, ending with a null pointer; or none.
static COMMAND: AtomicPtr<*const c_char> = AtomicPtr::new(ptr::null_mut());

/// From now on, this command takes the place of the process when memory runs out; an empty one: it ends.
#[pyfunction]
pub fn when_memory_runs_out(command: Vec<Vec<u8>>) -> PyResult<()> {
    let words: Result<Vec<CString>, NulError> = command.into_iter().map(CString::new).collect();
    let words = words.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut pointers: Vec<*const c_char> = Vec::new();
    if !words.is_empty() {
        pointers.extend(words.into_iter().map(|word| word.into_raw().cast_const()));
        pointers.push(ptr::null());
    }
    // It is never freed: another thread may run out of memory at any moment.
    let kept = if pointers.is_empty() { ptr::null_mut() } else { Vec::leak(pointers).as_mut_ptr() };
    COMMAND.store(kept, Ordering::SeqCst);
    Ok(())
}

/// Nothing here takes memory, nor waits for a lock.
#[cold]
#[inline(never)]
#[allow(
    unsafe_code,
    reason = "three calls of the system that neither allocate nor return to what cannot go on"
)]
fn ran_out(bytes: usize) -> ! {
    let command = COMMAND.swap(ptr::null_mut(), Ordering::SeqCst);
    let next = if command.is_null() {
        "error"
    } else {
        "note: what was running begins again, each run in a process of its own"
    };
    let mut line = [0; 160];
    let room = line.len();
    let mut rest = &mut line[..];
    // The line has room for the largest number.
    let _ = writeln!(rest, "{next}: out of memory: {bytes} bytes more could not be had");
    let length = room - rest.len();
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), length);
        if !command.is_null() {
            libc::execv(*command, command);
        }
        libc::_exit(2)
    }
}
