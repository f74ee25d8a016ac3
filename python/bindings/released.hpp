// Calls that run without the interpreter lock, and what becomes of them when the interpreter ends.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <stop_token>

namespace loadstone::python {

/// Releases the interpreter lock for as long as it lives. Python ends a thread that asks for the lock when the
/// interpreter is gone by unwinding it, which C++ does not survive; so the end of the interpreter stops the calls that
/// are under way and waits for them, and no thread but the ending one comes out of this, or goes in, from then on: it
/// sleeps until the process ends, as threads of daemons do in any system call.
class Released {
 public:
  Released();
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  std::optional<nanobind::gil_scoped_release> released_;
};

/// Stops once the interpreter ends.
std::stop_token end_of_interpreter();

/// Has the end of the interpreter wait for calls; once, when the module is made.
void wait_at_exit();

}  // namespace loadstone::python
