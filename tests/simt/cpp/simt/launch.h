// Launching a kernel from its untyped arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "types.h"

namespace simt {

// Shape of a launch. src/launch.rs declares the same struct.
struct Launch {
  unsigned grid[3];
  unsigned block[3];
  std::uint64_t shared;  // bytes of dynamic shared memory
  std::uint64_t seed;
};

// Runs `body(argument)` in every thread of the grid. Returns an empty string, or an error message.
std::string run_grid(const Launch& launch, void (*body)(const void*), const void* argument);

// Copies `text` into `message`, cut to `capacity` bytes with the closing zero. Returns 1.
int refuse(const char* kernel, const std::string& text, char* message, std::size_t capacity);

template <class T>
T load(const void* argument) {
  static_assert(std::is_trivially_copyable_v<T>, "a kernel's parameters are plain data");
  T value;
  std::memcpy(&value, argument, sizeof value);
  return value;
}

template <class... Parameters, std::size_t... I>
void call(void (*kernel)(Parameters...), const void* const* arguments, std::index_sequence<I...>) {
  kernel(load<Parameters>(arguments[I])...);
}

// Runs `kernel` with `count` arguments; argument i has `sizes[i]` bytes at `arguments[i]`. Returns 0, or 1 with an
// error message in `message`.
template <class... Parameters>
int launch(const char* name, void (*kernel)(Parameters...), const Launch& launch,
           const void* const* arguments, const std::size_t* sizes, std::size_t count,
           char* message, std::size_t capacity) {
  constexpr std::size_t expected[] = {sizeof(Parameters)..., 0};
  if (count != sizeof...(Parameters)) {
    return refuse(name,
                  "takes " + std::to_string(sizeof...(Parameters)) + " arguments, not " +
                      std::to_string(count),
                  message, capacity);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (sizes[i] != expected[i]) {
      return refuse(name,
                    "argument " + std::to_string(i) + " has " + std::to_string(expected[i]) +
                        " bytes, not " + std::to_string(sizes[i]),
                    message, capacity);
    }
  }
  struct Call {
    void (*kernel)(Parameters...);
    const void* const* arguments;
  };
  const Call bound{kernel, arguments};
  const auto body = [](const void* opaque) {
    const Call& bound = *static_cast<const Call*>(opaque);
    call(bound.kernel, bound.arguments, std::index_sequence_for<Parameters...>{});
  };
  const std::string fault = run_grid(launch, body, &bound);
  return fault.empty() ? 0 : refuse(name, fault, message, capacity);
}

}  // namespace simt
