#include "simt/block.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace simt {

__thread Block* current = nullptr;

namespace {

constexpr std::uint64_t POISON = 0xCDCDCDCDCDCDCDCDull;

const char* name(Operation operation) {
  switch (operation) {
    case Operation::syncthreads: return "__syncthreads";
    case Operation::syncwarp: return "__syncwarp";
    case Operation::shfl: return "__shfl_sync";
    case Operation::shfl_up: return "__shfl_up_sync";
    case Operation::shfl_down: return "__shfl_down_sync";
    case Operation::shfl_xor: return "__shfl_xor_sync";
    case Operation::vote: return "a warp vote";
    case Operation::match: return "a warp match";
    case Operation::reduce: return "a warp reduction";
  }
  return "an unknown operation";
}

std::string text(Site site) { return std::string(site.file) + ":" + std::to_string(site.line); }

bool same(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string hexadecimal(unsigned mask) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "0x%08x", mask);
  return digits;
}

// Ascending numbers as ranges: "0-3,7,9-31".
std::string ranges(const std::vector<unsigned>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!out.empty()) out += ",";
    out += std::to_string(numbers[i]);
    if (end - i > 1) out += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return out;
}

}  // namespace

Block::Block(unsigned threads, char* stacks, std::size_t stack_stride, std::size_t stack_bytes)
    : threads_(threads), warps_((threads + WARP - 1) / WARP), exchanges_(threads + 1), stacks_(stacks),
      stack_stride_(stack_stride), stack_bytes_(stack_bytes) {
  ready_.reserve(threads);
  unused_exchanges_.reserve(exchanges_.size());
}

std::string Block::run(void (*body)(const void*), const void* argument, std::uint64_t seed) {
  body_ = body;
  argument_ = argument;
  random_state_ = seed;
  fault_.clear();
  ready_.clear();
  unused_exchanges_.clear();
  for (Exchange& exchange : exchanges_) unused_exchanges_.push_back(&exchange);
  std::fill(warps_.begin(), warps_.end(), Warp{});
  at_barrier_ = 0;
  live_ = static_cast<unsigned>(threads_.size());
  for (unsigned i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    thread.exchange = nullptr;
    thread.number = i;
    thread.index = {i % extent.x, i / extent.x % extent.y, i / (extent.x * extent.y)};
    thread.context.prepare(stacks_ + i * stack_stride_, stack_bytes_, thread_main);
    make_ready(thread);
  }
  // Threads go on to each other, and come back here in the end.
  running = nullptr;
  scheduler_.resume(next_context());
  if (fault_.empty() && live_ > 0) fault_ = "deadlock: " + waiting_threads();
  return fault_;
}

void Block::thread_main() {
  Block& block = *current;
  Context::entered(*block.left_);
  block.body_(block.argument_);
  block.exit_thread();
  Context& self = block.running->context;
  self.leave_for(block.next_context());
}

// Where to go on: in a ready thread, chosen at random, or in the scheduler, if none is ready or the block has a fault.
Context& Block::next_context() {
  if (!fault_.empty() || ready_.empty()) return scheduler_;
  left_ = running != nullptr ? &running->context : &scheduler_;
  std::swap(ready_[random() % ready_.size()], ready_.back());
  running = &threads_[ready_.back()];
  ready_.pop_back();
  return running->context;
}

// Returns when it is the running thread's turn again.
void Block::go_on_elsewhere() {
  Context& self = running->context;
  Context& next = next_context();
  if (&next != &self) self.resume(next);
}

void Block::exit_thread() {
  Thread& self = *running;
  set_state(self, State::exited);
  --live_;
  // Threads that waited for this thread alone can go on.
  release_barrier_if_complete();
  const unsigned first = self.number / WARP * WARP;
  const unsigned end = std::min<unsigned>(first + WARP, threads_.size());
  for (unsigned i = first; i < end; ++i) {
    const Thread& other = threads_[i];
    if (state(other) == State::waiting && other.operation != Operation::syncthreads) {
      complete_collective(first, other.mask, other.operation);
    }
  }
}

void Block::wait(Operation operation, unsigned mask, std::uint64_t value, Site site) {
  Thread& self = *running;
  set_state(self, State::waiting);
  self.operation = operation;
  self.mask = mask;
  self.value = value;
  self.site = site;
}

void Block::make_ready(Thread& thread) {
  set_state(thread, State::ready);
  ready_.push_back(thread.number);
}

State Block::state(const Thread& thread) const {
  const Warp& warp = warps_[thread.number / WARP];
  const unsigned lane = 1u << thread.number % WARP;
  if ((warp.live & lane) == 0) return State::exited;
  return (warp.waiting & lane) != 0 ? State::waiting : State::ready;
}

void Block::set_state(const Thread& thread, State state) {
  Warp& warp = warps_[thread.number / WARP];
  const unsigned lane = 1u << thread.number % WARP;
  warp.waiting = state == State::waiting ? warp.waiting | lane : warp.waiting & ~lane;
  warp.live = state == State::exited ? warp.live & ~lane : warp.live | lane;
}

Votes Block::barrier(bool predicate, Site site) {
  wait(Operation::syncthreads, 0, predicate, site);
  ++at_barrier_;
  release_barrier_if_complete();
  go_on_elsewhere();
  return votes_;
}

void Block::release_barrier_if_complete() {
  if (at_barrier_ == 0 || at_barrier_ != live_) return;
  votes_ = {at_barrier_, 0};
  const Thread* first = nullptr;
  for (Thread& thread : threads_) {
    if (state(thread) == State::exited) continue;
    if (first == nullptr) first = &thread;
    if (!same(first->site, thread.site)) {
      fault_ = "divergent __syncthreads: " + waiting_threads();
      return;
    }
    votes_.yes += thread.value != 0;
  }
  at_barrier_ = 0;
  for (Thread& thread : threads_) {
    if (state(thread) == State::waiting) make_ready(thread);
  }
}

const Exchange& Block::meet(Operation operation, unsigned mask, std::uint64_t value, Site site) {
  Thread& self = *running;
  const unsigned first = self.number / WARP * WARP;
  if ((mask >> (self.number - first) & 1) == 0) {
    note_fault(std::string(name(operation)) + " by a lane that its mask " + hexadecimal(mask) +
                   " does not name",
               site);
    self.context.leave_for(scheduler_);
  }
  wait(operation, mask, value, site);
  if (!complete_collective(first, mask, operation)) go_on_elsewhere();
  return *self.exchange;
}

// Wakes the lanes of `mask` in the warp that starts at thread `first` if all of them that have not
// exited wait in this operation. The running thread, if it is one of them, just goes on.
bool Block::complete_collective(unsigned first, unsigned mask, Operation operation) {
  const Warp& warp = warps_[first / WARP];
  const unsigned present = mask & warp.live;
  if ((present & ~warp.waiting) != 0) return false;
  for (unsigned lanes = present; lanes != 0; lanes &= lanes - 1) {
    const Thread& thread = threads_[first + __builtin_ctz(lanes)];
    if (thread.operation != operation || thread.mask != mask) return false;
  }
  Exchange& exchange = *unused_exchanges_.back();
  unused_exchanges_.pop_back();
  exchange.lanes.fill(POISON);
  exchange.present = present;
  exchange.readers = __builtin_popcount(present);
  for (unsigned lanes = present; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = __builtin_ctz(lanes);
    Thread& thread = threads_[first + lane];
    exchange.lanes[lane] = thread.value;
    // The lane waits here, so it reads its last exchange no more.
    Exchange* last = std::exchange(thread.exchange, &exchange);
    if (last != nullptr && --last->readers == 0) unused_exchanges_.push_back(last);
    if (&thread == running) {
      set_state(thread, State::ready);
    } else {
      make_ready(thread);
    }
  }
  return true;
}

void Block::pause() {
  make_ready(*running);
  go_on_elsewhere();
}

void Block::pause_at_random() {
  if (random() % 4 == 0) pause();
}

// Apart from leaving the fiber, whose destructors never run.
void Block::note_fault(const std::string& what, Site site) {
  fault_ = what + " in thread " + std::to_string(running->number) + " at " + text(site);
}

void Block::fault(const char* what, Site site) {
  note_fault(what, site);
  running->context.leave_for(scheduler_);
  __builtin_unreachable();
}

std::string Block::waiting_threads() const {
  using Key = std::tuple<State, Operation, unsigned, std::string>;
  std::map<Key, std::vector<unsigned>> groups;
  for (const Thread& thread : threads_) {
    const State now = state(thread);
    const Key key = now == State::waiting
                        ? Key{now, thread.operation, thread.mask, text(thread.site)}
                        : Key{now, Operation::syncthreads, 0, ""};
    groups[key].push_back(thread.number);
  }
  std::string out;
  for (const auto& [key, numbers] : groups) {
    const auto& [state, operation, mask, site] = key;
    if (!out.empty()) out += "; ";
    out += "threads " + ranges(numbers);
    if (state == State::exited) {
      out += " have exited";
    } else {
      out += std::string(" wait in ") + name(operation);
      if (operation != Operation::syncthreads) out += ", mask " + hexadecimal(mask) + ",";
      out += " at " + site;
    }
  }
  return out;
}

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t Block::random() {
  std::uint64_t z = random_state_ += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

long long nanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace simt
