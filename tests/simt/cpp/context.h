// Machine contexts, by which fibers are resumed. x86-64 switches in a few instructions; other
// machines use the C library's ucontext, which makes a system call a switch; SIMT_UCONTEXT chooses
// it on x86-64 too (`CXXFLAGS=-DSIMT_UCONTEXT cargo test -p gpualign-tests` tests it).
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(SIMT_UCONTEXT)
#define SIMT_UCONTEXT
#endif

#if defined(SIMT_UCONTEXT)
#include <ucontext.h>
#endif

namespace simt {

// A place to resume execution at: either a fiber, or the OS thread that schedules the fibers. The
// sanitizers are told of every switch, since each context has a stack of its own.
class Context {
 public:
  // Makes this a fiber: when first resumed, it calls `entry`, which must never return, on the
  // stack `[stack, stack + bytes)`.
  void prepare(char* stack, std::size_t bytes, void (*entry)());

  // To be called first in `entry`; `from` is the context that resumed it.
  static void entered(Context& from);

  // Saves the running context in `*this` and resumes `next`; returns when `*this` is resumed.
  void resume(Context& next);

  // Resumes `next` for good: `*this` will not be resumed again, so this never returns. It is not declared so, since
  // before a call that never returns ASan makes a system call and cleans the whole stack, which takes longer than
  // many a kernel. The red zones of functions that have not returned therefore stay on the stack.
  void leave_for(Context& next);

 private:
  void switch_to(Context& next);

#if defined(SIMT_UCONTEXT)
  ucontext_t machine_;
#else
  void* stack_pointer_ = nullptr;
#endif
  const void* stack_ = nullptr;
  std::size_t bytes_ = 0;
  void* fake_stack_ = nullptr;
};

}  // namespace simt
