// A block: its threads, the operations that they wait in, and the scheduler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../context.h"
#include "types.h"

namespace simt {

constexpr int WARP = 32;

// A place in the kernel's source. As a default argument, `here()` is the place of the call.
struct Site {
  const char* file;
  unsigned line;

  static constexpr Site here(const char* file = __builtin_FILE(),
                             unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

// Operations that a thread can wait in. Lanes meet only in the same operation.
enum class Operation : std::uint8_t {
  syncthreads,
  syncwarp,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  vote,
  match,
  reduce,
};

enum class State : std::uint8_t { ready, waiting, exited };

// A warp collective that has taken place: what each lane contributed, and which lanes took part. Lanes that did not take
// part hold poison.
struct Exchange {
  std::array<std::uint64_t, WARP> lanes;
  unsigned present;
  unsigned readers;  // threads that may still read it
};

struct Thread {
  Context context;
  uint3 index;      // threadIdx
  unsigned number;  // in the block, x fastest

  // While it waits:
  Operation operation;
  Site site;
  unsigned mask;        // lanes that must meet; not used by a block barrier
  std::uint64_t value;  // what this thread contributes

  Exchange* exchange;  // its last warp collective, or null
};

// The states of a warp's lanes, a bit each.
struct Warp {
  unsigned waiting;
  unsigned live;  // have not exited
};

// Number of threads that met at a block barrier, and number of these with a true predicate.
struct Votes {
  unsigned threads;
  unsigned yes;
};

class Block {
 public:
  Block(unsigned threads, char* stacks, std::size_t stack_stride, std::size_t stack_bytes);

  // Runs `body(argument)` in every thread. Returns an empty string, or an error message.
  std::string run(void (*body)(const void*), const void* argument, std::uint64_t seed);

  // The following are called by the running thread.

  // `__syncthreads` and its voting kin: waits for all threads that have not exited.
  Votes barrier(bool predicate, Site site);

  // A warp collective: waits for all lanes of `mask` that have not exited. The thread may read their contributions until it
  // meets others again.
  const Exchange& meet(Operation operation, unsigned mask, std::uint64_t value, Site site);

  // Lets other ready threads run.
  void pause();

  // Lets other ready threads run, sometimes. Atomics call it: threads that spin on one would
  // otherwise never let the one they wait for run.
  void pause_at_random();

  // Ends the block with this message.
  [[noreturn]] void fault(const char* what, Site site);

  uint3 index{};     // blockIdx
  dim3 extent{};     // blockDim
  dim3 grid{};       // gridDim
  char* dynamic_shared = nullptr;
  Thread* running = nullptr;

 private:
  static void thread_main();
  void exit_thread();
  void note_fault(const std::string& what, Site site);
  void wait(Operation operation, unsigned mask, std::uint64_t value, Site site);
  void make_ready(Thread& thread);
  State state(const Thread& thread) const;
  void set_state(const Thread& thread, State state);
  Context& next_context();
  void go_on_elsewhere();
  void release_barrier_if_complete();
  bool complete_collective(unsigned first, unsigned mask, Operation operation);
  std::string waiting_threads() const;
  std::uint64_t random();

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<unsigned> ready_;
  // One more than threads, each of which holds one at most: the one that takes place.
  std::vector<Exchange> exchanges_;
  std::vector<Exchange*> unused_exchanges_;
  Context scheduler_;
  Context* left_ = nullptr;  // the context that ran before the running one
  unsigned live_ = 0;        // threads that have not exited
  unsigned at_barrier_ = 0;  // threads that wait at a block barrier
  Votes votes_{};
  std::uint64_t random_state_ = 0;
  std::string fault_;
  void (*body_)(const void*) = nullptr;
  const void* argument_ = nullptr;
  char* stacks_;
  std::size_t stack_stride_;
  std::size_t stack_bytes_;
};

// The block that this OS thread runs. A block never moves to another OS thread.
extern __thread Block* current;

// A clock that never goes back.
long long nanoseconds();

}  // namespace simt
