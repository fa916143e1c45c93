// Runs the blocks of a grid on OS threads, each with its own stacks and shared memory.

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include "simt/block.h"
#include "simt/launch.h"

#if defined(SIMT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace simt {
namespace {

constexpr int POISON = 0xCD;

#if defined(SIMT_ADDRESS_SANITIZER)
constexpr std::size_t STACK_BYTES = 256 << 10;
void forget_poison(void* memory, std::size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }
#else
constexpr std::size_t STACK_BYTES = 64 << 10;
void forget_poison(void*, std::size_t) {}
#endif

// The stacks of a block's fibers, each below the guard page of the next: running out of stack is
// a segmentation fault, not a corrupted neighbour.
class Stacks {
 public:
  explicit Stacks(unsigned count)
      : count_(count), page_(sysconf(_SC_PAGESIZE)), bytes_(count * stride()) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(memory);
    for (unsigned i = 0; i < count; ++i) {
      if (mprotect(memory_ + i * stride(), page_, PROT_NONE) != 0) {
        throw std::system_error(errno, std::generic_category(), "guarding a fiber's stack");
      }
    }
  }
  ~Stacks() { munmap(memory_, bytes_); }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  unsigned count() const { return count_; }
  char* first() const { return memory_ + page_; }
  std::size_t stride() const { return STACK_BYTES + page_; }

  // Fibers that a fault left behind leave red zones on their stacks. Those that end leave none: the kernel has
  // returned, and what called it has no variables in memory.
  void forget() { forget_poison(memory_, bytes_); }

 private:
  unsigned count_;
  std::size_t page_;
  std::size_t bytes_;
  char* memory_ = nullptr;
};

// Stacks that no block uses. They are kept for the next launch, since most launches of a test are small: mapping the
// stacks would take longer than running the kernel.
class UnusedStacks {
 public:
  // At least `count` stacks.
  std::unique_ptr<Stacks> take(unsigned count) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto fits = [count](const auto& stacks) { return stacks->count() >= count; };
    const auto found = std::find_if(unused_.begin(), unused_.end(), fits);
    if (found == unused_.end()) return std::make_unique<Stacks>(count);
    std::unique_ptr<Stacks> taken = std::move(*found);
    unused_.erase(found);
    return taken;
  }

  void give_back(std::unique_ptr<Stacks> stacks) {
    const std::lock_guard<std::mutex> lock(mutex_);
    unused_.push_back(std::move(stacks));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stacks>> unused_;
};

UnusedStacks unused_stacks;

// Dynamic shared memory: an allocation of exactly the size asked for, so that ASan guards its end.
class DynamicShared {
 public:
  explicit DynamicShared(std::size_t bytes)
      : memory_(static_cast<char*>(::operator new(bytes, ALIGNMENT))), bytes_(bytes) {}
  ~DynamicShared() { ::operator delete(memory_, ALIGNMENT); }
  DynamicShared(const DynamicShared&) = delete;
  DynamicShared& operator=(const DynamicShared&) = delete;

  char* poisoned() {
    std::memset(memory_, POISON, bytes_);
    return memory_;
  }

 private:
  static constexpr std::align_val_t ALIGNMENT{128};
  char* memory_;
  std::size_t bytes_;
};

// This OS thread's copy of the thread-local variables of this shared object: `current` and the
// kernels' `__shared__` variables.
struct ThreadLocals {
  char* memory = nullptr;
  std::size_t bytes = 0;
};

ThreadLocals find_thread_locals() {
  current = nullptr;  // the first access makes the C library allocate them
  ThreadLocals found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        const auto here = reinterpret_cast<ElfW(Addr)>(&find_thread_locals);
        bool ours = false;
        std::size_t bytes = 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          const ElfW(Addr) start = object->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && here - start < segment.p_memsz) ours = true;
          if (segment.p_type == PT_TLS) bytes = segment.p_memsz;
        }
        if (!ours) return 0;
        // An empty name is the main program's, whose thread-local variables are not ours alone.
        if (object->dlpi_name[0] == '\0') return 1;
        *static_cast<ThreadLocals*>(out) = {static_cast<char*>(object->dlpi_tls_data), bytes};
        return 1;
      },
      &found);
  return found;
}

void poison_static_shared(const ThreadLocals& locals) {
  Block* kept = current;
  std::memset(locals.memory, POISON, locals.bytes);
  current = kept;
}

// Checks the limits of a launch that the driver of a current GPU checks.
std::string check(const Launch& launch) {
  const auto& [gx, gy, gz] = launch.grid;
  const auto& [bx, by, bz] = launch.block;
  const std::uint64_t threads = std::uint64_t{bx} * by * bz;
  if (bx > 1024 || by > 1024 || bz > 64 || threads < 1 || threads > 1024) {
    return "a block has 1 to 1024 threads";
  }
  if (gx < 1 || gy < 1 || gz < 1 || gx > 0x7FFFFFFF || gy > 65535 || gz > 65535) {
    return "a grid has 1 to 2147483647 x 65535 x 65535 blocks";
  }
  if (launch.shared > 227 * 1024) return "a block has at most 227 KiB of shared memory";
  return "";
}

class Grid {
 public:
  Grid(const Launch& launch, void (*body)(const void*), const void* argument)
      : launch_(launch), body_(body), argument_(argument),
        blocks_(std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]) {
    std::iota(blocks_.begin(), blocks_.end(), std::uint64_t{0});
    std::shuffle(blocks_.begin(), blocks_.end(), std::mt19937_64(launch.seed));
  }

  std::string run() {
    const char* asked = std::getenv("SIMT_WORKERS");
    const std::uint64_t workers = asked != nullptr ? std::strtoull(asked, nullptr, 10)
                                                   : std::thread::hardware_concurrency();
    std::vector<std::thread> others;
    for (std::uint64_t i = 1; i < std::clamp<std::uint64_t>(workers, 1, blocks_.size()); ++i) {
      others.emplace_back([this] { work(); });
    }
    work();
    for (std::thread& other : others) other.join();
    return fault_;
  }

 private:
  void work() {
    const auto& [bx, by, bz] = launch_.block;
    const auto& [gx, gy, gz] = launch_.grid;
    const ThreadLocals locals = find_thread_locals();
    if (locals.memory == nullptr) return report("kernels must be in a shared object of their own");
    std::unique_ptr<Stacks> stacks = unused_stacks.take(bx * by * bz);
    DynamicShared shared(launch_.shared);
    Block block(bx * by * bz, stacks->first(), stacks->stride(), STACK_BYTES);
    block.extent = {bx, by, bz};
    block.grid = {gx, gy, gz};
    current = &block;
    for (std::size_t i; !failed_ && (i = next_++) < blocks_.size();) {
      const std::uint64_t number = blocks_[i];
      block.index = {static_cast<unsigned>(number % gx), static_cast<unsigned>(number / gx % gy),
                     static_cast<unsigned>(number / gx / gy)};
      block.dynamic_shared = shared.poisoned();
      poison_static_shared(locals);
      const std::string fault = block.run(body_, argument_, launch_.seed * 0x9E3779B1u + number);
      if (!fault.empty()) {
        stacks->forget();
        report("block (" + std::to_string(block.index.x) + "," + std::to_string(block.index.y) +
               "," + std::to_string(block.index.z) + "): " + fault);
      }
    }
    current = nullptr;
    unused_stacks.give_back(std::move(stacks));
  }

  // Keeps the first fault and stops the others.
  void report(const std::string& fault) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fault_.empty()) fault_ = fault;
    failed_ = true;
  }

  const Launch& launch_;
  void (*body_)(const void*);
  const void* argument_;
  std::vector<std::uint64_t> blocks_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string fault_;
};

}  // namespace

std::string run_grid(const Launch& launch, void (*body)(const void*), const void* argument) {
  std::string refusal = check(launch);
  if (!refusal.empty()) return refusal;
  return Grid(launch, body, argument).run();
}

int refuse(const char* kernel, const std::string& text, char* message, std::size_t capacity) {
  std::snprintf(message, capacity, "kernel '%s': %s", kernel, text.c_str());
  return 1;
}

}  // namespace simt
