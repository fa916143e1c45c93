#include "context.h"

#include <cstdint>
#include <cstdlib>

#if defined(SIMT_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {
namespace {

#if defined(SIMT_ADDRESS_SANITIZER)
void start_switch(void** save, const void* stack, std::size_t bytes) {
  __sanitizer_start_switch_fiber(save, stack, bytes);
}
void finish_switch(void* saved, const void** old_stack, std::size_t* old_bytes) {
  __sanitizer_finish_switch_fiber(saved, old_stack, old_bytes);
}
#else
void start_switch(void**, const void*, std::size_t) {}
void finish_switch(void*, const void**, std::size_t*) {}
#endif

}  // namespace

#if !defined(SIMT_UCONTEXT)

// Pushes the registers that the System V ABI lets a caller rely on, exchanges the stack pointers,
// and pops them from the other stack.
extern "C" void simt_switch_stack(void** save, void* next);
asm(R"(
.text
.globl simt_switch_stack
.hidden simt_switch_stack
.type simt_switch_stack, @function
simt_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simt_switch_stack, . - simt_switch_stack
)");

void Context::prepare(char* stack, std::size_t bytes, void (*entry)()) {
  constexpr int SAVED_REGISTERS = 6;
  stack_ = stack;
  bytes_ = bytes;
  // A function expects the stack pointer at 8 modulo 16 when it is entered.
  auto top = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(stack + bytes) & ~15ull);
  *--top = nullptr;  // where a return address would be: `entry` never returns
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < SAVED_REGISTERS; ++i) *--top = nullptr;
  stack_pointer_ = top;
}

void Context::switch_to(Context& next) { simt_switch_stack(&stack_pointer_, next.stack_pointer_); }

#else

void Context::prepare(char* stack, std::size_t bytes, void (*entry)()) {
  stack_ = stack;
  bytes_ = bytes;
  getcontext(&machine_);
  machine_.uc_stack.ss_sp = stack;
  machine_.uc_stack.ss_size = bytes;
  machine_.uc_link = nullptr;
  makecontext(&machine_, entry, 0);
}

void Context::switch_to(Context& next) { swapcontext(&machine_, &next.machine_); }

#endif

void Context::entered(Context& from) { finish_switch(nullptr, &from.stack_, &from.bytes_); }

void Context::resume(Context& next) {
  start_switch(&fake_stack_, next.stack_, next.bytes_);
  switch_to(next);
  finish_switch(fake_stack_, nullptr, nullptr);
}

void Context::leave_for(Context& next) {
  start_switch(nullptr, next.stack_, next.bytes_);
  switch_to(next);
  std::abort();  // a context that was left for good has been resumed
}

}  // namespace simt
